"""What the columns of KUCI's configurations are for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tashika.exports.checking.shape import Choice, Shape

_TEXTS: Final = ("context", "options")
_CHOICE: Final = Choice(question=("context",), options=("options",), answer="answer")

SHAPES: Final[Mapping[str, Shape]] = {
    "pairs": Shape(texts=("text", "antecedent", "consequent"), compared=("antecedent", "consequent")),
    "questions": Shape(texts=_TEXTS, compared=_TEXTS, contexts=("context",), choice=_CHOICE),
    # The sets for the ablations are meant to give answers away: that is what they show.
    "questions_without_similarity": Shape(texts=_TEXTS, compared=_TEXTS, contexts=("context",)),
    "questions_without_length": Shape(texts=_TEXTS, compared=_TEXTS, contexts=("context",)),
}
"""Shapes by configuration."""
