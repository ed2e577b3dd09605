"""Predictions of a suite file beside their questions, for a person."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tashika.core.custom.suite import CustomSuite
from tashika.core.workspace import Workspace
from tashika.evaluate.custom.questions import read_release
from tashika.evaluate.showing import require_scored_here
from tashika.evaluate.suite import Answered, Spell


def open_predictions(suite: CustomSuite, workspace: Workspace, folder: Path) -> Spell:
    """The release's questions, to read a system's predictions beside."""
    release = read_release(suite, workspace.release)
    require_scored_here(folder, release.digest)
    items = {item.item_id: item for item in release.items}

    def spell(row: Mapping[str, Any]) -> Answered:
        """A prediction with its question."""
        item = items[str(row["item_id"])]
        target = item.target
        gold = [target.options[target.place]] if target.place is not None else list(target.answers)
        place = row["place"]
        answer = target.options[place] if place is not None and target.options else row["answer"]
        return Answered(
            item.item_id,
            item.prompt,
            target.options,
            gold,
            row["reply"] if answer is None else answer,
            _score(row),
            row["correct"],
            row["problem"],
            {"reply": row["reply"], "judgement": row["judgement"]},
        )

    return spell


def _score(row: Mapping[str, Any]) -> float | None:
    if row["score"] is not None:
        return float(row["score"])
    if row["scores"] is not None and row["place"] is not None:
        return float(row["scores"][row["place"]])
    return None if row["rank"] is None else float(row["rank"])
