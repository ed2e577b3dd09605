"""Prompts of MyriadLAMA as they were asked, with what each model said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from tashika.core.files import read_table
from tashika.evaluate.reporting.examples import Answer, Group, Question, drawn, groups_of

_ASKED: Final = ["item_id", "relation", "template_id", "subject_alias_id", "rank", "problem"]
_CONSIDERED: Final = 20_000
"""Prompts at most that examples are drawn from: evenly spread ones, since a release has millions."""
_BLANK: Final = "_____"
FILES: Final = ("facts", "aliases", "templates")


def answered_examples(names: Sequence[str], predictions: Sequence[Path], tables: Mapping[str, Path]) -> list[Group]:
    """Some prompts that the first model answered right, and some wrong, drawn by their ids.

    Args:
        names: What the page calls the models.
        predictions: Their predictions, whether there are any or not.
        tables: The release's `FILES` that are here.
    """
    here = {name: path for name, path in zip(names, predictions, strict=True) if path.is_file()}
    if not here or not all(name in tables for name in FILES):
        return []
    first, file = next(iter(here.items()))
    table = read_table(file, columns=_ASKED)
    rows = table.take(list(range(0, table.num_rows, max(1, table.num_rows // _CONSIDERED)))).to_pylist()
    asked = {row["item_id"]: row for row in rows if row["problem"] is None}
    sorts = {
        "right": [item for item, row in asked.items() if row["rank"] == 1],
        "wrong": [item for item, row in asked.items() if row["rank"] != 1],
    }
    shown = [item for ids in sorts.values() for item in drawn(ids)]
    said = {name: _answers(path, shown) for name, path in here.items()}
    words = _Words(tables, [asked[item] for item in shown])
    return groups_of(first, sorts, lambda item: words.question(asked[item], said))


def _answers(path: Path, items: Sequence[str]) -> dict[str, Mapping[str, Any]]:
    """What a model said to some prompts."""
    asks: Any = pc
    table = read_table(path)
    rows = table.filter(asks.is_in(table["item_id"], value_set=pa.array(items, pa.string()))).to_pylist()
    return {row["item_id"]: row for row in rows}


class _Words:
    """The texts that some prompts are made of."""

    def __init__(self, tables: Mapping[str, Path], rows: Sequence[Mapping[str, Any]]) -> None:
        templates = _by_id(tables["templates"], {row["template_id"] for row in rows})
        aliases = _by_id(tables["aliases"], {row["subject_alias_id"] for row in rows})
        self._templates = {item: str(row["text"]) for item, row in templates.items()}
        self._names = {item: str(row["text"]) for item, row in aliases.items()}
        self._subjects = {item: str(row["entity"]) for item, row in aliases.items()}
        self._objects: dict[tuple[str, str], list[str]] = {}
        wanted = {(str(row["relation"]), self._subjects.get(row["subject_alias_id"], "")) for row in rows}
        facts = read_table(tables["facts"], columns=["relation", "subject", "object_label"])
        asks: Any = pc
        near = facts.filter(asks.is_in(facts["subject"], value_set=pa.array([subject for _, subject in wanted])))
        for fact in near.to_pylist():
            self._objects.setdefault((fact["relation"], fact["subject"]), []).append(fact["object_label"])

    def question(self, row: Mapping[str, Any], said: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Question:
        """A prompt, with what each model said to it."""
        alias = row["subject_alias_id"]
        text = self._templates.get(row["template_id"], "[X]").replace("[X]", self._names.get(alias, "[X]"))
        right = self._objects.get((str(row["relation"]), self._subjects.get(alias, "")), [])
        answers = []
        for name, rows in said.items():
            own = rows.get(row["item_id"])
            if own is not None:
                correct = None if own["rank"] is None else own["rank"] == 1
                word = own.get("top_word") if own["problem"] is None else None
                answers.append(Answer(name, word, correct, rank=own["rank"], problem=own["problem"]))
        return Question(text.replace("[Y]", _BLANK), answers, right=right)


def _by_id(path: Path, ids: set[str]) -> dict[str, Mapping[str, Any]]:
    return {row["item_id"]: row for row in read_table(path).to_pylist() if row["item_id"] in ids}
