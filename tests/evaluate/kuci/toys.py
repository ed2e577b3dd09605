"""A small release of KUCI, with sentences of our own, for the tests of its evaluation."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tashika.core.workspace import Workspace
from tashika.evaluate.kuci.questions import CONFIGS, PAIRS_FILE, question_file

DIGEST = "d1" * 32
EVENTS = [
    ("お腹が空いたので", "ご飯を食べる", "cause", "ので"),
    ("雨が降ったら", "傘を差す", "condition", ""),
    ("喉が渇いたから", "水を飲む", "cause", "から"),
    ("部屋が暗ければ", "電気をつける", "condition", "〜ば"),
    ("道が混んでいたので", "遅刻する", "cause", "ので"),
    ("風邪を引いたら", "薬を飲む", "condition", ""),
    ("服が汚れたから", "洗濯をする", "cause", "から"),
    ("朝が来れば", "目が覚める", "condition", "〜ば"),
    ("財布を忘れたので", "家に戻る", "cause", "ので"),
    ("春になると", "桜が咲く", "condition", ""),
    ("眠いので", "コーヒーを飲む", "cause", "ので"),
    ("窓が割れたから", "ガラスを替える", "cause", "から"),
]


def question(place: int, conditions: str = "both", shift: int = 1) -> dict[str, Any]:
    """The question on an event; its answer's place and its wrong options follow from the numbers."""
    answer, others = place % 4, [EVENTS[(place + shift + step) % len(EVENTS)][1] for step in (1, 3, 5)]
    similarities = [0.58, 0.5, 0.42]
    options, found = list(others), list(similarities)
    options.insert(answer, EVENTS[place][1])
    found.insert(answer, 1.0)
    return {
        "item_id": f"{conditions}-{place}",
        "conditions": conditions,
        "context": EVENTS[place][0],
        "options": options,
        "answer": answer,
        "similarities": found,
        "forms": ["non-past plain statement"] * 4,
        "relation": EVENTS[place][2],
        "pair": f"pair-{place}",
    }


SPLITS = {"train": range(4), "validation": range(4, 6), "test": range(6, 12)}


def write_release(folder: Path, sets: Sequence[str] = tuple(CONFIGS)) -> Path:
    """Writes the release as the exports room does."""
    for shift, name in enumerate(sets, start=1):
        for split, places in SPLITS.items():
            file = folder / question_file(name, split)  # type: ignore[arg-type]
            file.parent.mkdir(parents=True, exist_ok=True)
            pq.write_table(pa.Table.from_pylist([question(place, name, shift) for place in places]), file)
    pairs = [{"item_id": f"pair-{place}", "marker": event[3]} for place, event in enumerate(EVENTS)]
    (folder / PAIRS_FILE).parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(pairs), folder / PAIRS_FILE)
    identity = {"suite": "kuci", "version": "0.1.0", "digest": DIGEST, "counts": {}, "simulated": False}
    (folder / "release.json").write_text(json.dumps(identity), encoding="utf-8")
    return folder


def a_workspace(folder: Path, sets: Sequence[str] = tuple(CONFIGS)) -> Workspace:
    """A working directory with the release."""
    workspace = Workspace(folder, "kuci")
    write_release(workspace.release, sets)
    return workspace


JUDGED = {
    6: ("no", [2], "right"),
    7: ("yes", [1, 3], "wrong"),
    8: ("yes", [0, 2], "right"),
    9: ("no", [3], "wrong"),
    10: ("undecided", [], "undecided"),
    11: ("not judged", [], "not asked"),
}
"""What people say of the test questions of the published set; the answers are at the places 2, 3, 0, 1, 2, 3."""


def judge(workspace: Workspace) -> None:
    """Writes what people say of the test questions into the release."""
    rows = [
        {**question(place), "more_than_one": several, "fitting": fitting, "people": people}
        for place, (several, fitting, people) in JUDGED.items()
    ]
    schema = pa.Table.from_pylist(rows).schema
    at = schema.get_field_index("fitting")
    schema = schema.set(at, pa.field("fitting", pa.list_(pa.int32())))
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), workspace.release / question_file("both", "test"))
