"""Questions of TempRIPPLE as they were asked, with what each model chose without and with the new fact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tashika.core.errors import TashikaError
from tashika.core.files import read_table
from tashika.core.progress import say
from tashika.evaluate.reporting.examples import Answer, Group, Question, groups_of
from tashika.evaluate.tempripple.predictions import read_predictions

_COLUMNS: Final = ("item_id", "text", "context", "options", "answer")
_SORTS: Final = {
    (False, True): "turned right by the new fact",
    (True, False): "turned wrong by the new fact",
    (True, True): "right without and with the new fact",
    (False, False): "wrong without and with the new fact",
}
"""By whether the answer is right without, and with the new fact; the telling ones first."""

Answered = Mapping[tuple[str, bool], Mapping[str, Any]]
"""Predictions by question and whether the new fact stood before it."""


def answered_examples(names: Sequence[str], predictions: Sequence[Path], questions: Path | None) -> list[Group]:
    """Some questions of each sort, drawn by their ids; sorted by the model that was asked most.

    Args:
        names: What the page calls the models.
        predictions: Their predictions, whether there are any or not.
        questions: The release's questions; None where they are not here.
    """
    try:
        tables = {name: _read(path) for name, path in zip(names, predictions, strict=True) if path.is_file()}
    except TashikaError as error:
        say(f"report: no examples are shown: {error.message}")
        return []
    if questions is None or not tables:
        return []
    first, rows = max(tables.items(), key=lambda table: len(table[1]))
    asked = {row["item_id"]: row for row in read_table(questions, columns=list(_COLUMNS)).to_pylist()}
    sorts: dict[str, list[str]] = {sort: [] for sort in _SORTS.values()}
    for (item, with_context), row in rows.items():
        before = rows.get((item, False))
        if with_context and before is not None and item in asked and None not in (before["correct"], row["correct"]):
            sorts[_SORTS[before["correct"], row["correct"]]].append(item)
    return groups_of(first, sorts, lambda item: _question(asked[item], tables))


def _read(path: Path) -> Answered:
    table = read_predictions(path).select(["item_id", "with_context", "chosen", "correct", "problem"])
    return {(str(row["item_id"]), bool(row["with_context"])): row for row in table.to_pylist()}


def _question(asked: Mapping[str, Any], tables: Mapping[str, Answered]) -> Question:
    answers = []
    for name, rows in tables.items():
        for with_context, words in ((False, "without"), (True, "with")):
            row = rows.get((asked["item_id"], with_context))
            if row is not None:
                chosen = None if row["chosen"] is None else asked["options"][row["chosen"]]
                answers.append(Answer(f"{name}, {words}", chosen, row["correct"], problem=row["problem"]))
    note = f"The new fact: {asked['context']}"
    return Question(asked["text"], answers, note, asked["options"], asked["answer"])
