"""What the columns of a configuration are for: which texts people read, which are a question, its options, its answer.

A suite says so of its configurations (`SuiteExport.shapes`), and the checks of `exports.checking` go by it. A
configuration without a shape has its texts checked, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tashika.exports.schema import Config


@dataclass(frozen=True)
class Choice:
    """A question with options.

    Attributes:
        question: Columns that are read before the options.
        options: The column of options, or the columns that hold one each.
        answer: The column of the right one: its place from 0, or its words.
    """

    question: tuple[str, ...]
    options: tuple[str, ...]
    answer: str


@dataclass(frozen=True)
class Shape:
    """What the columns of a configuration are for.

    Attributes:
        texts: What people and models read.
        compared: By which columns two items are the same, or nearly the same; none where they are made to be alike.
        within: Only items that agree in these are compared.
        contexts: What several items may have in common, and two parts must not.
        groups: Columns whose values hold items together, in one part.
        question: Columns that must not show the answer; those of `choice` where it has one.
        answers: Columns with the words of the right answer; those of `choice` where it has one.
        choice: The question with its options.
        label: The column of labels that items are classified by.
        language: The column with each row's language; without it all are in those of the settings.
    """

    texts: tuple[str, ...] = ()
    compared: tuple[str, ...] = ()
    within: tuple[str, ...] = ()
    contexts: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    question: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    choice: Choice | None = None
    label: str | None = None
    language: str | None = None


def plain_shape(config: Config) -> Shape:
    """The shape of a configuration that its suite has none for: its columns of text, but for ids."""
    named = config.columns.items()
    return Shape(texts=() if config.product else tuple(_texts((name, column.type) for name, column in named)))


def _texts(columns: Iterable[tuple[str, str]]) -> Iterable[str]:
    return (name for name, kind in columns if kind in {"string", "strings"} and not name.endswith("_id"))
