"""What is known of an item: the answer of a gold question, and what simulated annotators take for right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tashika.annotation.custom.markup import verdict_choices
from tashika.annotation.labelling import SEVERAL, Row
from tashika.core.custom.annotate_form import PageForm
from tashika.core.errors import InputError

BETWEEN: Final = "|"
"""What stands between the labels of a known answer that has several."""


def known_answer(form: PageForm, choices: Mapping[str, str], row: Row) -> str | None:
    """The known answer of a gold question; None where the item has none.

    Args:
        form: What people are asked, with the column of the known answers.
        choices: Each choice of the page, and what it stands for.
        row: The item.

    Raises:
        InputError: What the column holds is no answer to the page.
    """
    return None if form.gold is None else _answer(form, choices, row, form.gold)


@dataclass(frozen=True)
class Truth:
    """What simulated annotators take for right: the expected answer, or the known one; None where neither is there.

    Attributes:
        form: What people are asked.
        choices: Each choice of the page, and what it stands for.
    """

    form: PageForm
    choices: Mapping[str, str]

    def __call__(self, row: Row) -> str | None:
        """The answer that is right for an item.

        Raises:
            InputError: What the column holds is no answer to the page.
        """
        found = None
        if self.form.expected is not None:
            found = _answer(self.form, self.choices, row, self.form.expected)
        return known_answer(self.form, self.choices, row) if found is None else found


def _answer(form: PageForm, choices: Mapping[str, str], row: Row, column: str) -> str | None:
    value = row[column]
    if value is None or value in ("", []):
        return None
    if form.form == "text":
        return str(value)
    labels = list(form.label_names or choices.values())
    if form.form == "verdict" and isinstance(value, bool):
        return next(name for name, vote in verdict_choices(form).items() if vote == ("for" if value else "against"))
    named = _named(value, several=form.form == "labels")
    if unknown := [name for name in named if name not in labels]:
        raise InputError(
            f"the column {column!r} of the item {row['item_id']} has {unknown[0]!r}, which is no answer to the page; "
            f"expected {', '.join(map(repr, labels))}",
            hint="Change it in the candidates, or the choices in the suite file.",
        )
    return SEVERAL.join(label for label in labels if label in named) if form.form == "labels" else named[0]


def _named(value: Any, *, several: bool) -> list[str]:
    if isinstance(value, list):
        return [str(one) for one in value]
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return [part.strip() for part in str(value).split(BETWEEN)] if several else [str(value).strip()]
