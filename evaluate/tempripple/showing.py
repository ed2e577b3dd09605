"""TempRIPPLE's predictions beside their questions, for a person."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tashika.core.workspace import Workspace
from tashika.evaluate.showing import require_scored_here
from tashika.evaluate.suite import Answered, Spell
from tashika.evaluate.tempripple.questions import read_release


def open_predictions(workspace: Workspace, folder: Path) -> Spell:
    """The release's questions, to read a model's predictions beside."""
    release = read_release(workspace.release)
    require_scored_here(folder, release.digest)
    questions = {question.item_id: question for question in release.questions}

    def spell(row: Mapping[str, Any]) -> Answered:
        """A prediction with its question, and the new fact where that stood before it."""
        question = questions[str(row["item_id"])]
        chosen, scores = row["chosen"], row.get("scores")
        return Answered(
            question.item_id,
            f"{question.context}\n{question.text}" if row["with_context"] else question.text,
            question.options,
            [question.options[question.answer]],
            None if chosen is None else question.options[chosen],
            None if chosen is None or scores is None else float(scores[chosen]),
            row["correct"],
            row["problem"],
            {
                "new fact": "before it" if row["with_context"] else "not shown",
                "task": question.task,
                "hop": question.hop,
                "reply": row.get("reply"),
            },
        )

    return spell
