"""What is right about an item, by the task: the place of an option, words, or a number."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tashika.core.custom.release_form import EvaluateForm
from tashika.core.errors import InputError

_CORRECT: Final = "Correct the items, or `choices` and `target` in [evaluate]."


class NoTarget(Exception):  # noqa: N818 - it is no failure of the program
    """Nothing is known to be right about an item, so nobody is asked about it; the message says why."""


@dataclass(frozen=True)
class Target:
    """What is right about an item.

    Attributes:
        options: What is chosen among, in words: the item's options, or the words of the labels.
        names: What the options are called in the release: themselves, or the labels.
        place: The right option's place; None where nothing is chosen.
        answers: The right words, each of which will do; empty where something is chosen.
        number: What a judge's score is compared with.
    """

    options: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    place: int | None = None
    answers: tuple[str, ...] = ()
    number: float | None = None

    @property
    def expected(self) -> str | None:
        """The right answer, for a reader."""
        if self.place is not None:
            return self.names[self.place]
        return self.answers[0] if self.answers else None


class TargetReader:
    """Reads targets as `[evaluate]` says.

    Args:
        form: The section.
        label_names: What people chose among, where the target is their answer.
    """

    def __init__(self, form: EvaluateForm, label_names: Sequence[str]) -> None:
        self._form = form
        self._labels = form.labels or {name: name for name in label_names}

    def of(self, row: Mapping[str, Any]) -> Target:
        """The target of a row, whose labels stand by their names.

        Raises:
            NoTarget: It has none.
            InputError: It has one that cannot be right.
        """
        form = self._form
        value = row[form.target] if form.target is not None else None
        if value is None or value in ("", []):
            if form.task == "judge":
                return Target()
            raise NoTarget(f"without a value of {form.target}")
        if form.task == "multiple_choice":
            return self._choice(row, value)
        if form.task == "classification":
            return self._label(value)
        if form.task == "judge" and isinstance(value, int | float):
            return Target(answers=(_number_text(value),), number=float(value))
        return self._words(value)

    def _words(self, value: Any) -> Target:
        values = value if isinstance(value, list) else [value]
        answers = [each if isinstance(each, str) else _number_text(each) for each in values]
        answers = [answer for answer in dict.fromkeys(answers) if answer.strip()]
        if not answers:
            raise NoTarget(f"without a value of {self._form.target}")
        return Target(answers=tuple(answers))

    def _label(self, value: Any) -> Target:
        names = tuple(self._labels)
        if value not in names:
            raise InputError(
                f"{self._form.target} is {str(value)[:80]!r}, expected one of {', '.join(names)}",
                hint="Name it in `labels` of [evaluate], or correct the items.",
            )
        return Target(tuple(self._labels.values()), names, names.index(value))

    def _choice(self, row: Mapping[str, Any], value: Any) -> Target:
        options, columns = _options(row, self._form), self._form.choice_columns
        if isinstance(value, int):
            if not 0 <= value < len(options):
                raise InputError(f"the target is the option {value}, and there are {len(options)}, counted from 0")
            return Target(options, options, value)
        if isinstance(self._form.choices, tuple) and value in self._labels:
            if value not in columns:
                raise NoTarget("where people preferred none")
            return Target(options, columns, columns.index(value))
        if options.count(str(value)) != 1:
            raise InputError(f"the target {str(value)[:80]!r} is no option; they are {options}", hint=_CORRECT)
        return Target(options, options, options.index(str(value)))


def _options(row: Mapping[str, Any], form: EvaluateForm) -> tuple[str, ...]:
    columns = form.choice_columns
    found = row[columns[0]] if isinstance(form.choices, str) else [row[column] for column in columns]
    options = tuple("" if option is None else str(option) for option in found or ())
    if len(options) < 2:
        raise InputError(f"found {len(options)} options, expected two or more", hint=_CORRECT)
    if not all(option.strip() for option in options):
        raise InputError(f"an option is empty: {options}", hint=_CORRECT)
    if isinstance(form.choices, str) and len(set(options)) < len(options):
        raise InputError(f"an option stands there twice: {options}", hint=_CORRECT)
    return options


def _number_text(value: float) -> str:
    """A number as one writes it: 4, not 4.0."""
    return str(int(value)) if float(value).is_integer() and math.isfinite(value) else f"{value:.6g}"
