"""Questions as they were asked, with what each system answered: the same shape on the page of every suite."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tashika.core.draws import drawn_order

SHOWN: Final = 5
"""Questions of a group that stand on the page."""
LONGEST: Final = 700
"""Characters of a text that stand on the page."""


@dataclass(frozen=True)
class Answer:
    """What a system answered.

    Attributes:
        name: The system, and how it was asked where that differs.
        text: The answer; None where there is none.
        correct: Whether it is right; None where that is not known.
        score: That a judge gave it.
        rank: Of the right answer.
        problem: Why there is no answer.
    """

    name: str
    text: str | None
    correct: bool | None = None
    score: float | None = None
    rank: int | None = None
    problem: str | None = None


@dataclass(frozen=True)
class Question:
    """A question.

    Attributes:
        prompt: What was asked.
        note: What stands before it or is to be known beside it; empty where there is nothing.
        options: To choose from.
        place: Of the right option, from 0; None where there is none.
        right: Right answers, where there are no options.
        answers: What systems made of it.
    """

    prompt: str
    answers: Sequence[Answer]
    note: str = ""
    options: Sequence[str] = ()
    place: int | None = None
    right: Sequence[str] = ()


@dataclass(frozen=True)
class Group:
    """Questions that one system did alike on.

    Attributes:
        sort: How it did, such as `right`.
        name: The system.
        count: How many there are in all.
        questions: Those that were drawn.
    """

    sort: str
    name: str
    count: int
    questions: Sequence[Question]


def drawn(ids: Sequence[str], most: int = SHOWN) -> list[str]:
    """Some ids, drawn by what they are: the same on every page."""
    return [ids[place] for place in drawn_order(ids, 0)[:most]]


def groups_of(name: str, sorts: Mapping[str, Sequence[str]], question: Callable[[str], Question]) -> list[Group]:
    """Groups with some questions each; one without questions is left out.

    Args:
        name: The system that the questions are sorted by.
        sorts: By how it did, the ids of questions.
        question: Makes a question from its id.
    """
    return [
        Group(sort, name, len(ids), [question(item) for item in drawn(ids)]) for sort, ids in sorts.items() if len(ids)
    ]


def shortened(text: str | None) -> str | None:
    """A text, or its beginning where it is long."""
    return text if text is None or len(text) <= LONGEST else f"{text[:LONGEST].rstrip()} …"
