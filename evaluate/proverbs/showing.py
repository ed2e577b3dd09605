"""Answers about proverbs and their variants, for a person: the table holds the questions, so no release is needed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tashika.core.workspace import Workspace
from tashika.evaluate.suite import Answered, Spell


def open_answers(workspace: Workspace, folder: Path) -> Spell:
    """Nothing is read: an answer's row has its question."""
    return _spelled


def _spelled(row: Mapping[str, Any]) -> Answered:
    return Answered(
        str(row["item_id"]),
        row["question"],
        answer=row["answer"],
        score=None if row["score"] is None else float(row["score"]),
        problem=row["answer_problem"] or row["score_problem"],
        about={
            "topic": row["topic"],
            "side": row["side"],
            "place": row["place"],
            "text consistency": row["consistency"],
        },
    )
