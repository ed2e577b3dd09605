"""The column `right_reply`: what a model should say, for programs that compare a reply with one text.

A suite file says what is right as a label, or in an option's words. inspect takes the letter of an option, or the words
themselves; it makes its own text of all else. So the kind that is asked about has a column with that text, unless its
target is such a text already, or the place of an option, which inspect makes a letter of.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pyarrow as pa

from tashika.core.custom.release_form import EvaluateForm
from tashika.core.custom.suite import CustomSuite
from tashika.core.prompting import LETTERS
from tashika.core.suites.columns import Column

RIGHT_REPLY: Final = "right_reply"
_LETTER: Final = "the letter of the right option, counted from A, for programs that compare replies with one text"
_WORDS: Final = "the words that stand for the label, for programs that compare replies with one text"


def reply_columns(suite: CustomSuite, kind: str) -> dict[str, Column]:
    """The column, by its name; none where a kind needs none, or has one of that name."""
    form = suite.file.evaluate
    if form is None or kind != suite.file.evaluated_kind or RIGHT_REPLY in suite.kind(kind).columns:
        return {}
    target = suite.file.released_columns(kind).get(str(form.target))
    if form.task == "classification":
        return {RIGHT_REPLY: Column("string", _WORDS)}
    if form.task == "multiple_choice" and target == "string":
        return {RIGHT_REPLY: Column("string", _LETTER)}
    return {}


def right_replies(suite: CustomSuite, kind: str, items: pa.Table) -> Any:
    """The column's values; null where nothing is known to be right.

    Args:
        suite: The suite file.
        kind: A kind that `reply_columns` gives the column.
        items: Its items, with the columns of people's answers.
    """
    form, page = suite.file.evaluate, suite.file.page(kind)
    assert form is not None
    names = page.label_names if page and suite.file.answer_column(kind) == form.target else ()
    columns = [str(form.target), *form.choice_columns]
    said = [_reply(row, form, names) for row in items.select(list(dict.fromkeys(columns))).to_pylist()]
    return pa.array(said, pa.string())


def _reply(row: Mapping[str, Any], form: EvaluateForm, names: tuple[str, ...]) -> str | None:
    value = row[str(form.target)]
    if value is None or value == "":
        return None
    if form.task == "classification":
        label = names[value] if isinstance(value, int) else str(value)
        return form.labels.get(label) if form.labels else label
    found = row[form.choices] if isinstance(form.choices, str) else [row[name] for name in form.choice_columns]
    options = list(found or ())
    return LETTERS[options.index(value)] if value in options[: len(LETTERS)] else None
