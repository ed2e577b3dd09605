"""Which items go to an adjudicator: those that the votes leave open, and a drawn share of those that they accept."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa

from tashika.annotation.adjudicating.decisions import adjudication_file, read_adjudications
from tashika.annotation.adjudicating.pages import AUDITED, UNDECIDED_BY_VOTE
from tashika.annotation.adjudicating.statements import statements_by_item
from tashika.annotation.gold.verdicts import RULE as GOLD
from tashika.annotation.judging.columns import having
from tashika.annotation.judging.judgments import read_judgments, shards
from tashika.annotation.judging.sampling import draw
from tashika.annotation.judging.stopping import still_to_answer
from tashika.annotation.labelling import Page
from tashika.annotation.settings import AnnotateSettings
from tashika.annotation.votes.verdicts import STAGE
from tashika.annotation.votes.vote import ACCEPTED, UNDECIDED
from tashika.core.errors import InputError
from tashika.core.files import hash_file, read_json
from tashika.core.workspace import Workspace


def counted_verdicts(workspace: Workspace) -> pa.Table:
    """The verdicts, which must have been counted of all that was pulled.

    Raises:
        MissingStageError: No votes have been counted.
        InputError: Judgments or adjudications have come since.
    """
    verdicts = workspace.read_verdicts()
    if not is_counted(workspace):
        raise InputError(
            "judgments or adjudications have come since the votes were counted",
            where=str(workspace.verdict_file),
            hint=f"Run `tashika annotate vote {workspace.argument}` first.",
        )
    return verdicts


def is_counted(workspace: Workspace) -> bool:
    """Whether the votes were counted of all judgments and adjudications that there are."""
    manifest = workspace.annotation / f"{STAGE}.manifest.json"
    if not manifest.exists():
        return False
    counted = read_json(manifest).get("inputs", {})
    there = [*shards(workspace), *([adjudication_file(workspace)] if adjudication_file(workspace).exists() else [])]
    return all(counted.get(path.relative_to(workspace.base).as_posix()) == hash_file(path) for path in there)


def choose_items(
    workspace: Workspace, page: Page, settings: AnnotateSettings, verdicts: pa.Table, *, waiting: bool
) -> dict[str, str]:
    """The items of a kind that go to an adjudicator, and why: `UNDECIDED_BY_VOTE` or `AUDITED`.

    Args:
        workspace: Where judgments and adjudications lie.
        page: The kind's page.
        settings: People an item, and the share of accepted items.
        verdicts: Rows of `records.VERDICT`.
        waiting: Also undecided items on which answers are still awaited.
    """
    rows = [row for row in having(verdicts, "kind", page.kind).to_pylist() if _is_by_vote(row)]
    undecided = [row["item_id"] for row in rows if row["decision"] == UNDECIDED]
    if not waiting:
        said = statements_by_item(page, having(read_judgments(workspace), "kind", page.kind), undecided)
        met = {item_id: statements.asked for item_id, statements in said.items()}
        missing = still_to_answer(workspace, page, settings, met)
        undecided = [item_id for item_id in undecided if not missing[item_id]]
    accepted = [row["item_id"] for row in rows if row["decision"] == ACCEPTED]
    adjudicated = [row for row in read_adjudications(workspace) if row["kind"] == page.kind]
    audited = draw_audit(accepted, adjudicated, settings.adjudication.audit, settings.seed)
    return {**dict.fromkeys(undecided, UNDECIDED_BY_VOTE), **dict.fromkeys(audited, AUDITED)}


def _is_by_vote(verdict: Mapping[str, Any]) -> bool:
    """Whether neither an adjudicator nor the file of gold questions decides."""
    return verdict["adjudicator"] is None and verdict["rule"] != GOLD


def draw_audit(
    accepted: Iterable[str], adjudications: Iterable[Mapping[str, Any]], share: float, seed: int
) -> list[str]:
    """Draws the share of the accepted items that an adjudicator checks, rounded up.

    What was audited before is drawn from as well, so that the share does not grow with each push.

    Args:
        accepted: Items that the votes accept and nobody has adjudicated.
        adjudications: Of the kind; those of audits count.
        share: 0 to 1.
        seed: Draws another sample.

    Returns:
        The ids that are drawn and not adjudicated, sorted.
    """
    before = {row["item_id"] for row in adjudications if row["audit"]}
    known = sorted({*accepted} | before)
    drawn = draw(known, math.ceil(share * len(known)), seed) if share else []
    return [item_id for item_id in drawn if item_id not in before]
