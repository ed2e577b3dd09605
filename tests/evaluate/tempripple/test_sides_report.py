"""The report's sections on sides, certainty, controls, letters and wording."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tashika.core.files import write_json
from tashika.core.workspace import Workspace
from tashika.evaluate.tempripple.controls import compute_controls
from tashika.evaluate.tempripple.examples import read_examples
from tashika.evaluate.tempripple.facets import Facets
from tashika.evaluate.tempripple.metrics import MeasureSettings, compute_numbers
from tashika.evaluate.tempripple.report import write_report
from tashika.evaluate.tempripple.splits import Era, Resampling
from tests.evaluate.pages import words_of
from tests.evaluate.tempripple.toy_scores import YEARS, drawn_answers, metrics_of, toy_pages


def metrics() -> dict[str, Any]:
    """A model's scores with everything that the page can show."""
    draw, table = random.Random(5), drawn_answers("tiny")
    rows = table.to_pylist()
    for row in rows:
        row["choices"] = None if row["chosen"] is None else [draw.randrange(4) for _ in range(4)]
    items = sorted({row["item_id"] for row in rows})
    facets = {
        item: Facets(
            "mixed", 0, draw.choice(["same", "differs", "none"]), draw.choice(["certain", "unknown"]), "2025-05-01"
        )
        for item in items
    }
    answers = pa.Table.from_pylist(rows)
    numbers = compute_numbers(answers, YEARS, MeasureSettings(resamples=50), facets, Era())
    control = pa.Table.from_pylist([row for row in rows if row["with_context"]])
    scores = compute_controls(answers, {"unrelated": control}, 4, facets, {}, Resampling(50))
    content = metrics_of("tiny") | numbers.model_dump(mode="json", by_alias=True)
    return content | {"controls": [score.model_dump(mode="json") for score in scores]}


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return toy_pages(tmp_path)


def page_of(workspace: Workspace, content: dict[str, Any]) -> str:
    write_json(workspace.evaluate / "tiny" / "metrics.json", content)
    return write_report(workspace).read_text(encoding="utf-8")


def section(page: str, name: str) -> str:
    return words_of(re.findall(rf'<section id="{name}">(.*?)</section>', page, re.DOTALL)[0])


def percent(value: float) -> str:
    return f"{value:.1%}".replace("-", "−")


def test_every_number_has_its_place(workspace: Workspace) -> None:
    content = metrics()
    page = page_of(workspace, content)
    sides, certainty = section(page, "sides"), section(page, "certainty")
    assert "mixed" in sides
    [lure] = [row for row in content["splits"]["lures"] if row["task"] == "old" and row["with_context"]]
    assert f"{lure['lured']} of {lure['answered']} (" in section(page, "models")  # few: a count with its interval
    for row in content["splits"]["lures"]:
        assert f"{row['lured']} of {row['answered']}" in sides
        assert percent(row["rate"]) in sides
    for row in content["splits"]["scores"]:
        where = sides if row["split"] == "counterpart" else certainty
        if row["split"] != "certainty" or row["hop"] != 0:
            assert percent(row["accuracy"]) in where
    for row in content["splits"]["given"]:
        if row["hop"] is None and row["share"] is not None:
            assert f"of {row['after_right']}" in sides
            assert percent(row["share"]) in sides
    assert "began in 2025-04..2025-06" in certainty
    for row in content["controls"]:
        assert percent(row["accuracy"]) in section(page, "controls")
    for condition in ("without", "with"):
        assert percent(content["bias"]["pull"][condition]) in section(page, "letters")


def test_scores_of_an_earlier_version_say_what_to_run(workspace: Workspace) -> None:
    older = metrics_of("tiny")
    del older["splits"], older["bias"], older["controls"]
    write_json(workspace.evaluate / "other" / "metrics.json", older)
    page = page_of(workspace, older)
    assert "Run tashika build tempripple , export and evaluate again" in section(page, "sides")
    assert 'id="controls"' not in page
    assert "No model was asked in several orders" in section(page, "letters")


def release(folder: Path) -> dict[str, Path]:
    """One fact with two tenures; a chain of two hops on the new one, of one hop on the old one."""
    fact = {"item_id": "f", "relation": "P6", "subject_label": "Peru", "object_label": "Ann", "relation_label": "head"}
    fact["statement"] = "The most recent head of Peru is Ann."
    tenures = [
        {"item_id": f"t{place}", "fact_id": "f", "place": place, "age": age, "start": start, "end": end}
        | {"subject_label": "Peru", "object_label": name}
        for place, age, start, end, name in ((1, "new", "2025-02", None, "Ann"), (2, "old", "2020", "2025-02", "Bob"))
    ]
    new, old = "the most recent head of Peru", "the previous head of Peru"
    lima = "Peru -> Ann - born -> Lima"
    asked = [
        ("t1", "new", 0, "P6", f"Who is {new}?", ["Ann"], "Peru -> Ann"),
        ("t1", "related_new", 1, "P19", f"What is the birthplace of {new}?", ["Lima"], lima),
        ("t1", "related_new", 1, "P569", f"When was {new} born?", ["1960"], "Peru -> Ann - date -> 1960"),
        (
            "t1",
            "related_new",
            2,
            "P17",
            f"Where is the birthplace of {new}?",
            ["Chile", "X"],
            f"{lima} - in -> Chile; X",
        ),
        ("t2", "old", 0, "P6", f"Who was {old}?", ["Bob"], "Peru -> Bob"),
        ("t2", "related_old", 1, "P19", f"What is the birthplace of {old}?", ["Ica"], "Peru -> Bob - born -> Ica"),
    ]
    names = ("history_id", "task", "hop", "last_relation", "text", "answers", "reasoning")
    questions = [{"fact_id": "f", **dict(zip(names, row, strict=True))} for row in asked]
    files = {}
    tables: dict[str, list[dict[str, Any]]] = {"facts": [fact], "history": tenures, "questions": questions}
    for name, rows in tables.items():
        files[name] = folder / f"{name}.parquet"
        pq.write_table(pa.Table.from_pylist(rows), files[name])
    return files


def test_figure_2_and_the_wording_of_a_release(tmp_path: Path) -> None:
    found = read_examples(release(tmp_path))
    new, old = found.figure_2
    assert (new.age, new.fact) == ("new", "(2025-02, open, Peru, head, Ann)")
    assert [(hop, answer) for hop, _, answer in new.questions] == [(0, "Ann"), (1, "Lima"), (2, "Chile; X")]
    assert (old.fact, [hop for hop, _, _ in old.questions]) == ("(2020, 2025-02, Peru, head, Bob)", [0, 1])
    assert found.changing == {
        "P6": ("The most recent head of <subject> is <object>.", "Who is the most recent head of <subject>?")
    }
    assert found.stable == {"P19": "What is the birthplace of <subject>?", "P569": "When was <subject> born?"}


def test_tables_of_an_earlier_version_have_no_examples(tmp_path: Path) -> None:
    files = release(tmp_path)
    assert read_examples({"facts": files["facts"]}).figure_2 == []
    pq.write_table(pa.table({"relation": ["P6"], "relation_label": ["head"]}), files["facts"])
    assert read_examples(files).changing == {}
