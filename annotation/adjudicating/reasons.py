"""Why the votes leave items undecided, in words that say what to do about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import pyarrow as pa

from tashika.annotation.adjudicating.decisions import read_adjudications
from tashika.annotation.adjudicating.statements import Statements, statements_by_item
from tashika.annotation.gold.verdicts import RULE as GOLD
from tashika.annotation.judging.columns import having
from tashika.annotation.judging.judgments import read_judgments, shards
from tashika.annotation.judging.stopping import still_to_answer
from tashika.annotation.labelling import Page, VotePage, words_pages
from tashika.annotation.quality.changes import without_people
from tashika.annotation.settings import AnnotateSettings
from tashika.annotation.votes.rules import IN_WORDS, WITH_POSTERIOR
from tashika.annotation.votes.verdicts import left_out
from tashika.annotation.votes.vote import UNDECIDED
from tashika.core.counts import counted
from tashika.core.records import JUDGMENT
from tashika.core.workspace import Workspace


class Reason(Enum):
    """Why an item is undecided; the value is what a list of reasons says."""

    NOBODY = "nobody has answered"
    SKIPPED = "whoever met it skipped it"
    UNSOUND = "no answer is sound"
    NEITHER = "no vote counts for or against"
    TOO_FEW = "fewer votes than needed"
    TIE = "a tie"
    NO_MAJORITY = "no majority"
    NOT_UNANIMOUS = "not unanimous"
    EQUALLY_LIKELY = "equally likely answers"
    NOT_LIKELY = "no answer likelier than not"
    LEFT_OPEN = "an adjudicator left it open"


_OF_RULES = frozenset({Reason.TIE, Reason.NO_MAJORITY, Reason.NOT_UNANIMOUS, Reason.EQUALLY_LIKELY, Reason.NOT_LIKELY})
"""The reasons that lie in the votes."""


@dataclass(frozen=True)
class Open:
    """An item that is undecided.

    Attributes:
        page: Its kind's page.
        item_id: The item.
        reason: Why.
        detail: The reason with its numbers.
        statements: What people said of it.
        awaited: How many people more are to answer it.
        notes: What an adjudicator remarked who left it open.
    """

    page: Page
    item_id: str
    reason: Reason
    detail: str
    statements: Statements
    awaited: int
    notes: Sequence[str] = ()


def find_open(
    workspace: Workspace, pages: Sequence[Page], settings: AnnotateSettings, verdicts: pa.Table
) -> list[Open]:
    """The undecided items, by kind and item.

    Kinds that are answered in words have none: nothing is voted there. Gold questions are none either, whatever the
    curator's answer counts as.

    Args:
        workspace: Where judgments and adjudications lie.
        pages: The kinds.
        settings: People an item, and the minimum of votes.
        verdicts: Rows of `records.VERDICT`.
    """
    judgments = read_judgments(workspace) if shards(workspace) else JUDGMENT.empty_table()
    notes = {row["item_id"]: row["note"] for row in read_adjudications(workspace) if row["note"]}
    words = words_pages(pages)
    result = []
    for page in [page for page in pages if page not in words]:
        undecided = having(having(verdicts, "kind", page.kind), "decision", UNDECIDED).to_pylist()
        undecided = [row for row in undecided if row["rule"] != GOLD]
        of_kind = having(judgments, "kind", page.kind)
        ids = [row["item_id"] for row in undecided]
        everybody = statements_by_item(page, of_kind, ids)
        nobody = left_out(workspace, page.kind)
        statements = statements_by_item(page, without_people(of_kind, nobody), ids) if nobody else everybody
        missing = still_to_answer(
            workspace, page, settings, {item_id: said.asked for item_id, said in everybody.items()}
        )
        for row in undecided:
            said = statements[row["item_id"]]
            reason, detail = why(page, row, said, settings.minimum_votes)
            awaited = 0 if reason is Reason.LEFT_OPEN else missing[row["item_id"]]
            remarked = [notes[row["item_id"]]] if row["item_id"] in notes else []
            result.append(Open(page, row["item_id"], reason, detail, said, awaited, remarked))
    return result


def why(page: Page, verdict: Mapping[str, Any], said: Statements, minimum: int) -> tuple[Reason, str]:
    """Why an item is undecided, and that with its numbers.

    Args:
        page: Its kind's page.
        verdict: A row of `records.VERDICT` that decides nothing.
        said: What people said of the item.
        minimum: Votes without which nothing is decided.
    """
    cast = verdict["votes_cast"]
    reason = _reason(verdict, said, minimum)
    if reason in {Reason.SKIPPED, Reason.UNSOUND, Reason.NEITHER}:
        return reason, f"{reason.value}: {_counted(said)}"
    if reason is Reason.TOO_FEW:
        return reason, f"{cast} of {counted(minimum, 'vote')} needed"
    if reason in {Reason.NO_MAJORITY, Reason.NOT_UNANIMOUS} and isinstance(page, VotePage):
        return reason, f"{verdict['votes_for']} for, {verdict['votes_against']} against: {verdict['rule']}"
    return reason, f"{reason.value} among {counted(cast, 'vote')}" if reason in _OF_RULES else reason.value


def _reason(verdict: Mapping[str, Any], said: Statements, minimum: int) -> Reason:
    """The first reason that applies."""
    cast = verdict["votes_cast"]
    reasons = {
        Reason.LEFT_OPEN: verdict["adjudicator"] is not None,
        Reason.NOBODY: not said.asked,
        Reason.UNSOUND: not said.votes and said.unsound > 0,
        Reason.SKIPPED: not said.votes,
        Reason.NEITHER: not cast,
        Reason.TOO_FEW: cast < minimum,
    }
    return next((reason for reason, applies in reasons.items() if applies), _reason_of_rule(verdict))


def _reason_of_rule(verdict: Mapping[str, Any]) -> Reason:
    """What the rule of a verdict lacks that has votes enough."""
    if verdict["rule"].startswith(IN_WORDS["unanimous"]):
        return Reason.NOT_UNANIMOUS
    if any(verdict["rule"].startswith(IN_WORDS[name]) for name in WITH_POSTERIOR):
        return Reason.EQUALLY_LIKELY if verdict["tie"] else Reason.NOT_LIKELY
    return Reason.TIE if verdict["tie"] else Reason.NO_MAJORITY


def _counted(said: Statements) -> str:
    counts = {"voted": len(said.votes), "skipped": said.skipped, "gave an answer with problems": said.unsound}
    return ", ".join(f"{count} {what}" for what, count in counts.items() if count)


def reason_lines(items: Sequence[Open]) -> list[str]:
    """How many items are undecided and why, a line a kind."""
    kinds: dict[str, list[Open]] = {}
    for item in items:
        kinds.setdefault(item.page.kind, []).append(item)
    return [f"{kind}: {describe(of_kind)}" for kind, of_kind in kinds.items()]


def describe(items: Sequence[Open]) -> str:
    """How many items of a kind are undecided and why, in words."""
    reasons = Counter(item.reason for item in items)
    parts = [f"{reason.value}: {reasons[reason]:,}" for reason in Reason if reasons[reason]]
    awaited = sum(item.awaited > 0 for item in items)
    waiting = (
        f"; {counted(awaited, 'of them waits', 'of them wait')} for people who have not answered yet" if awaited else ""
    )
    return f"{len(items):,} undecided ({', '.join(parts)}){waiting}"


def advice(items: Sequence[Open], settings: AnnotateSettings, argument: str) -> list[str]:
    """What to do about undecided items, in lines."""
    lines = []
    if any(item.awaited for item in items):
        lines.append("wait for people: once they have answered, pull and vote again")
    votes = {item.page.kind for item in items if isinstance(item.page, VotePage)}
    breaking = sorted(kind for kind in votes if settings.kinds[kind].tie_breaker)
    without = sorted(votes - set(breaking))
    if breaking:
        lines.append(
            f"ask one person more ({', '.join(breaking)}): `tashika annotate push {argument}` offers the items"
        )
    if without:
        where = ", ".join(f"[annotate.kinds.{kind}]" for kind in without)
        lines.append(f"ask one person more: set `tie_breaker = true` in {where}, then push")
    lines.append(f"decide in Label Studio, with the votes in sight: `tashika annotate adjudicate {argument} --push`")
    lines.append(
        f"decide in a table: `tashika annotate undecided {argument} --csv FILE`, fill in the column `decision`, then "
        f"`tashika annotate adjudicate {argument} FILE --name NAME`"
    )
    return lines
