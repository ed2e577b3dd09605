"""KUCI's predictions beside their questions, for a person."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tashika.core.workspace import Workspace
from tashika.evaluate.kuci.questions import read_release
from tashika.evaluate.showing import require_scored_here
from tashika.evaluate.suite import Answered, Spell


def open_predictions(workspace: Workspace, folder: Path) -> Spell:
    """The release's questions, to read a system's predictions beside."""
    release = read_release(workspace.release)
    require_scored_here(folder, release.digest)
    questions = {
        (conditions, question.item_id): question
        for conditions, parts in release.sets.items()
        for part in parts.values()
        for question in part
    }

    def spell(row: Mapping[str, Any]) -> Answered:
        """A prediction with its question."""
        question = questions[row["set"], str(row["item_id"])]
        choice = row["choice"]
        return Answered(
            question.item_id,
            question.context,
            question.options,
            [question.options[question.answer]],
            None if choice is None else question.options[choice],
            None if row["scores"] is None or choice is None else float(row["scores"][choice]),
            row["correct"],
            row["problem"],
            {"set": row["set"], "part": row["split"], "relation": question.relation or None, "seed": row["seed"]},
        )

    return spell
