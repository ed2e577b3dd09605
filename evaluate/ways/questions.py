"""Questions with options, whatever answers them, and the logits that an encoder or a rule gives the options."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tashika.core.errors import InputError

Doubles = npt.NDArray[np.float64]
Logits = npt.NDArray[np.float32]
"""(questions, options): what a model gives each option before the softmax; NaN throughout where it has no answer."""


class Question(NamedTuple):
    """A context with its four options.

    Attributes:
        item_id: The question's id.
        context: The antecedent.
        options: Four consequents.
        answer: The right one's place, from 0.
    """

    item_id: str
    context: str
    options: tuple[str, ...]
    answer: int


def check_questions(train: Sequence[Question], validation: Sequence[Question]) -> None:
    """Whether something can be trained on these questions.

    Raises:
        InputError: There are none, or their options differ in number.
    """
    for name, questions in (("training", train), ("validation", validation)):
        if not questions:
            raise InputError(f"there are no {name} questions", hint="Build more questions; the split is 8:1:1.")
    counts = {len(question.options) for question in (*train, *validation)}
    if len(counts) > 1:
        raise InputError(f"the questions have different numbers of options: {', '.join(map(str, sorted(counts)))}")


def log_softmax(logits: npt.ArrayLike) -> Doubles:
    """The logarithm of the softmax over the last axis."""
    values = np.asarray(logits, dtype=np.float64)
    values = values - values.max(axis=-1, keepdims=True)
    return np.asarray(values - np.log(np.exp(values).sum(axis=-1, keepdims=True)))
