"""What the columns of TempRIPPLE's configurations are for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tashika.exports.checking.shape import Choice, Shape

SHAPES: Final[Mapping[str, Shape]] = {
    "questions": Shape(
        texts=("text", "context", "options", "answers", "reasoning"),
        compared=("text", "options"),
        choice=Choice(question=("text",), options=("options",), answer="answer"),
    ),
    "facts": Shape(texts=("subject_label", "object_label", "statement")),
    "history": Shape(texts=("subject_label", "object_label")),
    "related": Shape(texts=("subject_label", "object_labels")),
}
"""Shapes by configuration."""
