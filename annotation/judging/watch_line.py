"""How far the judging is by what was pulled, in one line."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from tashika.annotation.judging.columns import having
from tashika.annotation.judging.judgments import read_judgments, shards
from tashika.annotation.judging.questionnaires import by_project, voted
from tashika.annotation.judging.stopping import StoppingPage, answers_left, asked
from tashika.annotation.labelling import ChoicePage, FormPage, Page
from tashika.annotation.settings import AnnotateSettings
from tashika.annotation.votes.agreement import krippendorff_alpha
from tashika.annotation.votes.form_summaries import form_agreement
from tashika.annotation.votes.forms import collect_form
from tashika.annotation.votes.pairwise import first_votes, votes_compared
from tashika.annotation.votes.ties import answers_on_server, find_ties
from tashika.annotation.votes.vote import collect
from tashika.core.counts import counted
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
        parts = [
            f"{counted(self.answers, 'answer')}{new}",
            f"{self.complete:,} of {counted(self.items, 'item')} complete",
        ]
        if self.alpha:
            parts.append("alpha " + ", ".join(f"{kind} {value:.3f}" for kind, value in self.alpha.items()))
        if self.votes:
            parts.append(f"{self.saved:,} of {counted(self.votes, 'vote')} not needed")
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
        left = answers_left(plan, find_ties(workspace, page, settings), given)
        answers += sum(given.get(item_id, 0) for item_id in plan.wanted)
        items += len(plan.wanted)
        unfinished += sum(count > 0 for count in left.values())
        if settings.stops and isinstance(page, StoppingPage):
            saved += plan.saved
            votes += plan.votes
    alpha = {page.kind: _alpha(workspace, page, judgments, settings) for page in pages}
    known = {kind: value for kind, value in alpha.items() if value is not None}
    return Standing(answers, items, items - unfinished, unfinished, known, saved, votes)


def _alpha(workspace: Workspace, page: Page, judgments: pa.Table, settings: AnnotateSettings) -> float | None:
    """Of the votes that were asked for whatever the others said; see `pairwise.votes_compared`."""
    if not isinstance(page, ChoicePage):
        return None
    item_ids = voted(page, workspace.read_items(page.kind))["item_id"].combine_chunks()
    said = having(judgments, "kind", page.kind)
    count = votes_compared(settings, page.kind) or max(said.num_rows, 1)
    if isinstance(page, FormPage):
        form = first_votes(collect_form(page, item_ids, said), said, count)
        alpha: float | None = form_agreement(form, settings.people(page.kind))["krippendorff_alpha"]
        return alpha
    value = krippendorff_alpha(first_votes(collect(item_ids, said, page.choices), said, count).counts())
    return None if math.isnan(value) else value
