"""A release of questions that passes all checks, to be broken one check at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from tashika.core.files import hash_file
from tashika.core.records import VERDICT, item_id, item_row, item_schema
from tashika.core.settings import validated
from tashika.core.suites.discovery import open_suite
from tashika.exports.checking.examined import Examined
from tashika.exports.checking.run import Result, content_checks, run_checks
from tashika.exports.checking.shape import Choice, Shape
from tashika.exports.documents import Draft
from tashika.exports.parquet import write_table
from tashika.exports.plan import ExportSettings, Plan, suite_export
from tashika.exports.schema import features
from tashika.exports.validation import KindValidation
from tests.exports.judged import entry, verdict_row

SUITE = "checked-quiz"
SUITE_TOML = """
[suite]
name = "checked-quiz"
title = "A quiz"

[build.kinds.question]
key = ["text"]
file = "questions.csv"

[build.kinds.question.columns]
text = "string"
options = "strings"
answer = "string"
topic = "string"

[annotate.kinds.question]
form = "verdict"

[export]
splits = { validation = 0.25, test = 0.75 }

[evaluate]
task = "multiple_choice"
input = "text"
choices = "options"
target = "answer"
"""
SHAPE = Shape(
    texts=("text", "options"),
    compared=("text", "options"),
    contexts=("text",),
    groups=("topic",),
    choice=Choice(("text",), ("options",), "answer"),
)
QUESTIONS = [
    ("Which river runs through Vienna?", "Danube", "Rhine", "Elbe", "Oder"),
    ("Who painted the Night Watch?", "Rembrandt", "Vermeer", "Rubens", "Van Dyck"),
    ("What do bees make?", "honey", "silk", "pearls", "amber"),
    ("In which country is Lake Biwa?", "Japan", "Korea", "China", "Nepal"),
    ("What is the chemical sign of iron?", "Fe", "Ir", "In", "Fr"),
    ("Who wrote War and Peace?", "Tolstoy", "Chekhov", "Gogol", "Pushkin"),
    ("How many legs has a spider?", "eight", "six", "ten", "twelve"),
    ("Which planet is nearest to the sun?", "Mercury", "Venus", "Mars", "Earth"),
    ("What does a barometer measure?", "pressure", "heat", "speed", "light"),
    ("Which ocean lies west of Portugal?", "Atlantic", "Pacific", "Indian", "Arctic"),
    ("Who discovered penicillin?", "Fleming", "Pasteur", "Koch", "Curie"),
    ("What is the largest bone of man?", "femur", "tibia", "skull", "ulna"),
    ("Which tree do acorns grow on?", "oak", "beech", "birch", "maple"),
    ("What is frozen water called?", "ice", "steam", "dew", "mist"),
    ("In which year did the Berlin Wall fall?", "1989", "1979", "1961", "1999"),
    ("Which metal is liquid at room temperature?", "mercury", "tin", "zinc", "gold"),
    ("Who composed the Magic Flute?", "Mozart", "Haydn", "Bach", "Verdi"),
    ("What is a young sheep?", "lamb", "calf", "foal", "kid"),
    ("Which sea separates Sweden and Finland?", "Baltic", "North", "Black", "Red"),
    ("What do caterpillars become?", "moths", "wasps", "ants", "crickets"),
    ("Which game ends in checkmate?", "chess", "bridge", "go", "golf"),
    ("How long is a marathon, in kilometres?", "42", "21", "50", "10"),
    ("Who invented dynamite?", "Nobel", "Bell", "Edison", "Tesla"),
    ("What colour is an emerald?", "green", "blue", "white", "pink"),
]
Rows = dict[str, list[dict[str, Any]]]


def question(text: str, options: tuple[str, ...], answer: str, topic: str) -> dict[str, Any]:
    """A released question; people judged it twice, and accepted it."""
    return {
        "item_id": item_id(SUITE, "question", text),
        "text": text,
        "options": list(options),
        "answer": answer,
        "topic": topic,
        "votes_for": 2,
        "votes_cast": 2,
    }


def sound_rows() -> Rows:
    """The questions by part, the right option at each place in turn."""
    rows: Rows = {"validation": [], "test": []}
    for number, (text, right, *wrong) in enumerate(QUESTIONS):
        split = "validation" if number % 4 == 0 else "test"
        place = (number // 4 + number) % 4
        options = (*wrong[:place], right, *wrong[place:])
        rows[split].append(question(text, options, right, f"{split} {number // 8}"))
    return rows


@dataclass
class Toy:
    """A release of questions.

    Attributes:
        folder: Where it is written.
        rows: The questions by part, to be changed.
        shape: What their columns are for.
        settings: What differs from the default in [export].
        licences: Of the source, by its name.
        verdicts: The votes of each item.
    """

    folder: Path
    rows: Rows = field(default_factory=sound_rows)
    shape: Shape = SHAPE
    settings: dict[str, Any] = field(default_factory=dict)
    licences: dict[str, str] = field(default_factory=lambda: {"questions.csv": "CC0 1.0"})
    verdicts: dict[str, int] | None = None

    def all(self) -> list[dict[str, Any]]:
        """The questions of all parts."""
        return [row for rows in self.rows.values() for row in rows]

    def examined(self) -> Examined:
        """Writes the release."""
        path = self.folder / "suite.toml"
        path.write_text(SUITE_TOML, encoding="utf-8")
        (self.folder / "questions.csv").write_text("text\n", encoding="utf-8")
        suite = suite_export(open_suite(str(path)).name)
        suite = replace(suite, shapes={"question": self.shape}, card=replace(suite.card, licences=self.licences))
        record: dict[str, Any] = {
            "suite": SUITE,
            "version": "0.1.0",
            "counts": {"question": len(self.all())},
            "files": {},
        }
        schema = features(SUITE, "question").arrow_schema
        for split, rows in self.rows.items():
            file = self.folder / "question" / f"{split}.parquet"
            write_table(file, pa.Table.from_pylist(rows, schema=schema), SUITE, "question")
            record["files"][f"question/{split}.parquet"] = {"rows": len(rows), "sha256": hash_file(file)}
        words = {"pretty_name": "Quiz", "license": "cc0-1.0", **self.settings}
        settings = validated(ExportSettings, words, "test")
        return Examined(Draft(self.folder, record, settings, suite, self._plan()), self._verdicts())

    def _plan(self) -> Plan:
        columns = ("text", "options", "answer", "topic")
        items = [
            {
                **item_row(SUITE, "question", (row["text"],), {name: row[name] for name in columns}, builder="custom",
                           version="1", sources=[("questions.csv", "1")]),
                "item_id": row["item_id"],
            }
            for row in self.all()
        ]  # fmt: skip
        table = pa.Table.from_pylist(items, schema=item_schema(SUITE, "question"))
        return Plan(
            (),
            {},
            {},
            "0" * 64,
            {"question": table},
            {"question": validated(KindValidation, entry(len(self.all()), 2), "test")},
        )

    def _verdicts(self) -> pa.Table:
        votes: Mapping[str, int] = self.verdicts or {row["item_id"]: 2 for row in self.all()}
        rows = [{**verdict_row(item, "question", "accepted"), "votes_cast": cast} for item, cast in votes.items()]
        return pa.Table.from_pylist(rows, schema=VERDICT)


def found(toy: Toy) -> dict[str, Result]:
    """The checks that find something in a release."""
    results = run_checks(content_checks(toy.examined()))
    return {result.check: result for result in results if result.outcome in {"warning", "error"}}


Damage = Callable[[Toy], str | None]
