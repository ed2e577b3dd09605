"""How far the judging is by what was pulled, in one line."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from tashika.annotation.judging.columns import Column, compute, having
from tashika.annotation.judging.judgments import read_judgments, shards
from tashika.annotation.judging.questionnaires import by_project, voted
from tashika.annotation.judging.stopping import StoppingPage, asked
from tashika.annotation.labelling import ChoicePage, FormPage, Page
from tashika.annotation.settings import AnnotateSettings
from tashika.annotation.votes.agreement import krippendorff_alpha
from tashika.annotation.votes.form_summaries import form_agreement
from tashika.annotation.votes.forms import collect_form
from tashika.annotation.votes.ties import answers_on_server, find_ties
from tashika.annotation.votes.vote import collect
from tashika.core.records import JUDGMENT
from tashika.core.workspace import Workspace


@dataclass(frozen=True)
class Standing:
    """How far the judging of a suite is.

    Attributes:
        answers: Answers without skips.
        items: Items that people shall judge.
        complete: Those of them of which no more answers are wanted.
        open: Those of which more are.
        alpha: Krippendorff's alpha of each kind that has one.
        saved: Votes that are not needed.
        votes: All votes, those among them, where items are stopped early; else 0.
    """

    answers: int
    items: int
    complete: int
    open: int
    alpha: Mapping[str, float]
    saved: int = 0
    votes: int = 0

    def line(self, before: Standing | None) -> str:
        """In words, with what is new since `before`."""
        new = f" (+{self.answers - before.answers:,})" if before else ""
        parts = [f"{self.answers:,} answers{new}", f"{self.complete:,} of {self.items:,} items complete"]
        if self.alpha:
            parts.append("alpha " + ", ".join(f"{kind} {value:.3f}" for kind, value in self.alpha.items()))
        if self.votes:
            parts.append(f"{self.saved:,} of {self.votes:,} votes not needed")
        return "; ".join(parts)


def standing(workspace: Workspace, pages: Sequence[Page], settings: AnnotateSettings) -> Standing:
    """Reads how far the judging is.

    Args:
        workspace: Where items, judgments and adjudications lie.
        pages: The kinds.
        settings: How many people judge an item, and whether items are stopped early.
    """
    judgments = read_judgments(workspace) if shards(workspace) else JUDGMENT.empty_table()
    answers = items = unfinished = saved = votes = 0
    for page in by_project(workspace, pages):
        plan = asked(workspace, page, settings)
        given = answers_on_server(having(judgments, "kind", page.kind))
        waiting = find_ties(workspace, page, settings).answers
        answers += sum(given.get(item_id, 0) for item_id in plan.wanted)
        items += len(plan.wanted)
        unfinished += sum(
            given.get(item_id, 0) < wanted or item_id in waiting for item_id, wanted in plan.wanted.items()
        )
        if settings.stops and isinstance(page, StoppingPage):
            saved += plan.saved
            votes += plan.votes
    alpha = {page.kind: _alpha(workspace, page, judgments, settings) for page in pages}
    known = {kind: value for kind, value in alpha.items() if value is not None}
    return Standing(answers, items, items - unfinished, unfinished, known, saved, votes)


def _alpha(workspace: Workspace, page: Page, judgments: pa.Table, settings: AnnotateSettings) -> float | None:
    """Of the votes that were asked for whatever the others said; see `first_people`."""
    item_ids = voted(page, workspace.read_items(page.kind))["item_id"].combine_chunks()
    said = first_people(having(judgments, "kind", page.kind), _never_fewer(page, settings))
    if isinstance(page, FormPage):
        alpha: float | None = form_agreement(collect_form(page, item_ids, said), settings.people(page.kind))[
            "krippendorff_alpha"
        ]
        return alpha
    if not isinstance(page, ChoicePage):
        return None
    value = krippendorff_alpha(collect(item_ids, said, page.choices).counts())
    return None if math.isnan(value) else value


def _never_fewer(page: Page, settings: AnnotateSettings) -> int:
    """How many people judge an item before it can be stopped for what they said."""
    people = settings.people(page.kind)
    if settings.stops and isinstance(page, StoppingPage):
        return min(people, settings.minimum_votes if settings.adaptive else _fewest(settings, people))
    return people


def _fewest(settings: AnnotateSettings, people: int) -> int:
    """With so many votes an item may be decided early; by unanimity, as soon as two contradict each other."""
    by_all = getattr(settings, "rule", "majority") == "unanimous"
    return 2 if by_all else max(settings.minimum_votes, people // 2 + 1)


def first_people(judgments: pa.Table, count: int) -> pa.Table:
    """The judgments of the first `count` people who judged each item.

    Who was asked later, because the first disagreed, was asked about those items alone: a coefficient of agreement over
    all votes would count the contested items more heavily than the others.

    Args:
        judgments: Rows of `records.JUDGMENT` of one kind.
        count: How many people. The annotation's number decides who was first; it stays when an answer is changed.
    """
    sound = compute.and_(compute.is_null(judgments["problem"]), compute.invert(judgments["skipped"]))
    judgments = judgments.filter(sound)
    names = ["item_id", "annotator"]
    oldest = judgments.select([*names, "annotation_id"]).group_by(names).aggregate([("annotation_id", "min")])
    ranked = oldest.sort_by([("item_id", "ascending"), ("annotation_id_min", "ascending"), ("annotator", "ascending")])
    taken, place, last = [], 0, None
    for item_id in ranked["item_id"].to_pylist():
        place = place + 1 if item_id == last else 0
        last = item_id
        taken.append(place < count)
    kept = _keys(ranked.filter(pa.array(taken, pa.bool_())))
    return judgments.filter(compute.is_in(_keys(judgments), value_set=kept))


def _keys(table: pa.Table) -> Column:
    """Item and annotator as one string each."""
    keys: Column = compute.binary_join_element_wise(table["item_id"], table["annotator"], "\x1f")
    return keys.combine_chunks() if isinstance(keys, pa.ChunkedArray) else keys
