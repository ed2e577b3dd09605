"""Scores on semantic relations of answers that are drawn from seeded chances, and nobody gave."""

from __future__ import annotations

import json
import zlib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tashika.core.files import write_json
from tashika.core.suites.semrel.words import RELATIONS
from tashika.core.workspace import Workspace
from tashika.evaluate.semrel.answers import ANSWERS, PEOPLE_ANSWERS
from tashika.evaluate.semrel.breakdown import by_frequency, by_prompt, by_vocabulary
from tashika.evaluate.semrel.frequency import Frequencies
from tashika.evaluate.semrel.metrics import measure, scored_probes
from tashika.evaluate.semrel.settings import MeasureSettings
from tests.evaluate.pages import ReportToys

TARGETS = ("aunt", "niece", "uncle")
RELATA: dict[tuple[str, str], frozenset[str]] = {
    (t, r): frozenset({f"{t}-{r}-{n}" for n in range(2)}) for t in TARGETS for r in RELATIONS
}
FEW = MeasureSettings(resamples=50, permutations=50)
SYSTEMS = {"toy-bert": "masked", "toy-roberta": "masked", "toy-opt": "causal", "people": "people"}
PARAMETERS = {"toy-bert": 110_000_000, "toy-roberta": 355_000_000, "toy-opt": 1_300_000_000}
FREQUENCIES = Frequencies("a toy's table", {"aunt": 3.0, "uncle": 40.0})


@cache
def drawn_answers(name: str) -> pa.Table:
    random, rows = np.random.default_rng(zlib.crc32(name.encode())), list[tuple[Any, ...]]()
    for target, relation in RELATA:
        pool = [f"{target}-{each}-{n}" for each in RELATIONS for n in range(2)]
        words = [word for word in pool if random.random() < (0.8 if relation in word else 0.3)][:4]
        rows.append((f"{target}/{relation}", target, relation, f"[DET] [W], {relation}: [V]", 4, words, None))
    rows[3] = (*rows[3][:5], None, "the target is split into pieces")
    columns = [dict(zip(ANSWERS.names[:-1], row, strict=True)) for row in rows]
    if SYSTEMS[name] != "people":
        for row in columns:
            row["by_vocabulary"] = row["words"] and _readings(row["words"])
    return pa.Table.from_pylist(columns, schema=PEOPLE_ANSWERS if SYSTEMS[name] == "people" else ANSWERS)


def _readings(words: list[str]) -> dict[str, list[str]]:
    """In its own words a model has another word first; among its tokens a sign and a piece."""
    return {"shared": words, "words": ["paris", *words][:4], "tokens": [",", "##ance", *words][:4]}


@cache
def scores(name: str) -> str:
    people = None if SYSTEMS[name] == "people" else drawn_answers("people")
    answers = drawn_answers(name)
    scored = scored_probes(answers, RELATA, FEW)
    vocabularies = by_vocabulary(answers, RELATA, {word for words in RELATA.values() for word in words}, FEW)
    beside = {
        "parameters": PARAMETERS.get(name),
        "vocabularies": [each.model_dump(mode="json") for each in vocabularies],
        "by_prompt": by_prompt(scored, FEW).model_dump(mode="json"),
        "by_frequency": by_frequency(scored, TARGETS, FREQUENCIES, FEW).model_dump(mode="json"),
    }
    return json.dumps({**measure(answers, RELATA, FEW, people).model_dump(mode="json"), **beside})


SOURCE: dict[str, Any] = {
    "origin": "release",
    "name": "1.0.0",
    "revision": "d1" * 32,
    "simulated": False,
    "probes": 18,
    "targets": 3,
    "drawn": None,
    "dropped": {"no noun": 7},
    "relata": {"words": 36, "digest": "a0" * 32, "limited_to": None},
    "people": None,
}
VOCABULARY = {"words": 16982, "origin": "release", "digest": "b0" * 32, "dropped": {"two_pieces": 3}}
COVERAGE = {
    "words": {"kept": 2, "of": 3},
    "split": {"n": 1, "such_as": ["uncle"]},
    "doubled": {"n": 0, "such_as": []},
    "relata": {"kept": 30, "of": 36},
    "targets": {"asked": 2, "of": 3},
}


def metrics_of(name: str, **changes: Any) -> dict[str, Any]:
    """As the command writes them: a fresh copy."""
    local = SYSTEMS[name] != "people"
    reading: dict[str, Any] = {"ending": ".", "split_targets": "left_out"} if local else {}
    beside = {
        "model": {
            "name": name,
            "kind": SYSTEMS[name],
            "revision": "r1",
            "dtype": "fp32" if local else None,
            "device": "cpu" if local else None,
            "note": None,
        },
        "source": SOURCE,
        "reading": {"k": {"of_people": 17, "of_the_setting": 1, "setting": 4}, **reading},
        "vocabulary": VOCABULARY,
        "coverage": COVERAGE if local else None,
        "versions": {"torch": "2.9"},
    }
    whole: dict[str, Any] = json.loads(json.dumps({**json.loads(scores(name)), **beside, **changes}))
    return whole


def add(workspace: Workspace, name: str, folder: str | None = None, **changes: Any) -> None:
    """Adds the answers and scores of a system."""
    place = workspace.evaluate / (folder or name)
    write_json(place / "metrics.json", metrics_of(name, **changes))
    pq.write_table(drawn_answers(name), place / "answers.parquet")


def toy_pages(folder: Path) -> Workspace:
    """A working directory with the scores of three models and of people, and the relata."""
    workspace = Workspace(folder, "semrel")
    for name in SYSTEMS:
        add(workspace, name)
    write_json(workspace.release / "release.json", {"version": "1.0.0", "digest": "d1" * 32, "simulated": False})
    rows = [{"target": t, "relation": r, "word": w} for (t, r), words in RELATA.items() for w in sorted(words)]
    workspace.items.mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(rows), workspace.item_file("relatum"))
    return workspace


REPORT = ReportToys("semrel", toy_pages, lacks="alpha")
