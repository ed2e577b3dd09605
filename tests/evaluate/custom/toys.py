"""Small suite files with releases as the exporter writes them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from tashika.core.custom.suite import CustomSuite
from tashika.core.files import write_json
from tashika.core.suites.discovery import open_suite
from tashika.core.workspace import Workspace

DIGEST: Final = "d1" * 32
_TYPES: Final[Mapping[str, pa.DataType]] = {
    "string": pa.string(),
    "strings": pa.list_(pa.string()),
    "int32": pa.int32(),
    "int64": pa.int64(),
    "float32": pa.float32(),
    "float64": pa.float64(),
    "label": pa.int64(),
    "label list": pa.list_(pa.int64()),
}

RIDDLES: Final = """
[suite]
name = "northern"
title = "Riddles of the <north>"
summary = "Riddles & answers."
[build.kinds.question]
file = "table.csv"
key = ["text"]
columns = { text = "string", options = "strings", answer = "int32", place = "string" }
[export]
splits = { validation = 0.2, test = 0.8 }
[evaluate]
task = "multiple_choice"
input = "text"
choices = "options"
target = "answer"
by = ["place"]
resamples = 200
"""
RIDDLE_ROWS: Final[Sequence[Mapping[str, Any]]] = [
    {"text": "What has keys?", "options": ["a piano", "a locksmith"], "answer": 0, "place": "house"},
    {"text": "No legs?", "options": ["a dog", "a river", "a hare"], "answer": 1, "place": "field"},
    {"text": "No arms?", "options": ["a clock", "a man"], "answer": 0, "place": "house"},
    {"text": "Never hurt?", "options": ["a child", "the rain"], "answer": 1, "place": "field"},
]

MOODS: Final = """
[suite]
name = "moods"
title = "Moods"
[build.kinds.sentence]
file = "table.csv"
key = ["text"]
columns = { text = "string" }
[annotate.kinds.sentence]
form = "label"
labels = ["good", "bad", "neither"]
[evaluate]
task = "classification"
prompt = "{{ text }} That is"
target = "label"
resamples = 200
"""
MOOD_ROWS: Final[Sequence[Mapping[str, Any]]] = [
    {"text": "The sun shines.", "label": 0, "votes": [3, 0, 0], "votes_cast": 3},
    {"text": "The roof leaks.", "label": 1, "votes": [0, 2, 1], "votes_cast": 3},
    {"text": "A box is a box.", "label": 2, "votes": [1, 0, 2], "votes_cast": 3},
    {"text": "We won.", "label": 0, "votes": [2, 1, 0], "votes_cast": 3},
]

QUESTIONS = """
[suite]
name = "sums"
title = "Sums"
[build.kinds.sum]
file = "table.csv"
key = ["text"]
columns = { text = "string", result = "float64", words = "strings", rated = "float32" }
[evaluate]
task = "generate"
input = "text"
target = "result"
match = "number"
resamples = 200
max_tokens = 8
"""
SUM_ROWS: list[dict[str, Any]] = [
    {"text": "2 + 2", "result": 4.0, "words": ["four"], "rated": 5.0},
    {"text": "1000 + 234.5", "result": 1234.5, "words": ["much", "a lot"], "rated": 4.0},
    {"text": "1 - 3", "result": -2.0, "words": ["minus two"], "rated": 1.0},
    {"text": "0 * 7", "result": 0.0, "words": ["none"], "rated": 2.0},
]

CLOZE = """
[suite]
name = "blanks"
title = "Blanks"
[build.kinds.fact]
file = "table.csv"
key = ["subject"]
columns = { subject = "string", object = "strings" }
[export]
splits = { validation = 0.5, test = 0.5 }
[evaluate]
task = "cloze"
prompt = "The capital of {{ subject }} is [BLANK]."
target = "object"
resamples = 200
"""
FACTS = [
    {"subject": "France", "object": ["Paris"]},
    {"subject": "Germany", "object": ["Berlin", "London"]},
    {"subject": "Georgia", "object": ["Xyzzyqwvk Plugh"]},
]


def suite_of(folder: Path, text: str, **changes: str) -> CustomSuite:
    """Writes a suite file with some of its lines changed, and opens it.

    Args:
        folder: Where it shall lie.
        text: Its content.
        **changes: Key of [evaluate] -> its value as TOML; an empty one takes the key out.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "table.csv").write_text("")
    head, _, section = text.partition("[evaluate]\n")
    lines = [line for line in section.splitlines() if line.split(" =")[0] not in changes]
    lines += [f"{key} = {value}" for key, value in changes.items() if value]
    path = folder / "suite.toml"
    path.write_text("\n".join([head + "[evaluate]", *lines]) + "\n", encoding="utf-8")
    suite = open_suite(str(path))
    assert isinstance(suite, CustomSuite)
    return suite


def release_of(
    suite: CustomSuite, root: Path, rows: Sequence[Mapping[str, Any]], split: str = "test", names: Sequence[str] = ()
) -> Workspace:
    """Writes a part of a release; what a row does not say is null.

    Args:
        suite: Whose release.
        root: The working directory.
        rows: Its rows, without ids.
        split: Of the release.
        names: Of the labels, as the file itself tells them; none: it does not tell.
    """
    workspace, kind = Workspace(root, suite.name), suite.file.evaluated_kind
    assert kind is not None
    fields: list[pa.Field[Any]] = [pa.field("item_id", pa.string())]
    fields += [pa.field(name, _TYPES[form]) for name, form in suite.file.released_columns(kind).items()]
    if any("votes" in row for row in rows):
        fields += [pa.field("votes", pa.list_(pa.int32())), pa.field("votes_cast", pa.int32())]
    schema = pa.schema(fields)
    if names:
        features = {str(suite.file.answer_column(kind)): {"names": list(names), "_type": "ClassLabel"}}
        schema = schema.with_metadata({"huggingface": json.dumps({"info": {"features": features}})})
    file = workspace.release / kind / f"{split}.parquet"
    file.parent.mkdir(parents=True, exist_ok=True)
    table = [{"item_id": f"{split}-{number}", **row} for number, row in enumerate(rows)]
    pq.write_table(pa.Table.from_pylist(table, schema=schema), file)
    write_json(workspace.release / "release.json", {"version": "0.1.0", "digest": DIGEST, "simulated": False})
    return workspace
