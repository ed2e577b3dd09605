"""TempRIPPLE's report: one file, no outside requests, the paper's tables with their marks, honest about simulation.

The answers are simulated: drawn from seeded chances, and no model gave them.
"""

import json
import re
import zlib

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tashika.core.errors import InputError, MissingStageError
from tashika.core.files import write_json
from tashika.core.workspace import Workspace
from tashika.evaluate.tempripple.metrics import MeasureSettings, compute_numbers
from tashika.evaluate.tempripple.report import write_report
from tests.evaluate.pages import assert_command_writes, assert_written_once, rewrite, words_of

DIGEST = "d1" * 32
YEARS = {"P6": 6.7, "P54": 2.3}
LABELS = {"P6": "head of government", "P54": "member of sports team"}
SAMPLING = {
    "whole": True,
    "seed": 0,
    "limit": None,
    "facts": {"drawn": 12, "of": 12},
    "questions": {"drawn": 60, "of": 60},
}
COUNTS = {"facts": 1234, "history": 5678, "related": 91011, "related_hop_1": 7, "questions": 22}


def simulated_answers(name):
    """Twelve subjects, one new and two old tenures each, up to two hops; the chance is high on new facts in context."""
    random, rows = np.random.default_rng(zlib.crc32(name.encode())), []
    for subject in range(12):
        for task, hop, place in [
            ("new", 0, 1),
            ("related_new", 1, 1),
            ("related_new", 2, 1),
            ("old", 0, 2),
            ("old", 0, 3),
        ]:
            key = f"{subject}-{task}-{hop}-{place}"
            relation = "P54" if subject % 2 else "P6"
            for context in (False, True):
                chance = 0.98 if context and task == "new" else 0.35
                right, asked = random.random() < chance, {"item_id": key, "task": task, "hop": hop, "place": place}
                asked |= {"subject": f"Q{subject}", "relation": relation, "last_relation": "P26" if hop else relation}
                asked |= {"with_context": context, "answer": 2, "chosen": 2 if right else 0, "correct": bool(right)}
                rows.append({**asked, "problem": None})
    rows[-1] |= {"chosen": None, "correct": None, "problem": "names no <option>"}
    return pa.Table.from_pylist(rows)


def measure(*arguments):
    return compute_numbers(*arguments).model_dump(mode="json")


def metrics_of(name, options="text", norm="character", **beside):
    model = {"name": name, "kind": "causal", "revision": "rev-7", "dtype": "float32", "device": "cpu", "note": None}
    return {
        **measure(simulated_answers(name), YEARS, MeasureSettings(resamples=100)),
        "model": model,
        "release": {"version": "0.1.0", "digest": DIGEST, "simulated": False},
        "scoring": {"options": options, "norm": norm, "format": {"context": "{context}", "cue": "My answer:"}},
        "sampling": SAMPLING,
        "coverage": {"asked": 120, "answered": 119, "problems": {"names no <option>": 1}},
        "versions": {"tashika": "0.1.0"},
        **beside,
    }


@pytest.fixture
def workspace(tmp_path):
    workspace = Workspace(tmp_path, "tempripple")
    write_json(workspace.evaluate / "tiny" / "metrics.json", metrics_of("tiny"))
    write_json(workspace.evaluate / "other" / "metrics.json", metrics_of("other <b>bold</b>", "chat", "none"))
    release = {"suite": "tempripple", "version": "0.1.0", "digest": DIGEST, "counts": COUNTS, "simulated": False}
    write_json(workspace.release / "release.json", release)
    tables = {
        "facts": {"relation": list(LABELS), "relation_label": list(LABELS.values())},
        "related": {"relation": ["P26", "P26"], "relation_label": ["spouse", "spouse"]},
        "history": {"relation": ["P6", "P6", "P54"], "subject": ["Q1", "Q1", "Q3"], "years": [2.0, 5.5, 2.25]},
    }
    for name, columns in tables.items():
        (workspace.release / name).mkdir()
        pq.write_table(pa.table(columns), workspace.release / name / f"{name}.parquet")
    return workspace


def page_of(workspace):
    return write_report(workspace).read_text(encoding="utf-8")


def test_the_page_is_whole_and_asks_nobody(workspace, assert_whole):
    page = page_of(workspace)
    assert_whole(page)


def test_every_accuracy_interval_and_p_is_there(workspace):
    page, scores = words_of(page_of(workspace)), metrics_of("tiny")
    for cell in scores["cells"]:
        assert f"{cell['accuracy']:.3f}".removeprefix("0") in page
        assert f"{cell['interval']['low']:.3f}".removeprefix("0") in page
    for test in [*scores["contexts"], *scores["hops"]]:
        assert ("< .001" if test["p"] < 0.001 else f"{test['p']:.3f}".removeprefix("0")) in page.replace("&lt;", "<")
    for row in scores["durations"]:
        assert f"{row['r']:.4f}".replace("-", "−") in page
    assert "head of government P6" in page
    assert "spouse P26" in page
    assert "names no &lt;option&gt;" in page
    assert "My answer:" in page
    assert "rev-7" in page


def test_the_release_stands_beside_the_paper(workspace):
    page = words_of(page_of(workspace))
    assert "1,234 464" in page
    assert "91,011 35,198" in page
    assert "head of government P6 1 2 3.8 5.5 77 192 6.7 31" in page
    assert "Qwen2-7B .569 .976 ‡ ↑.41 .538" in page
    assert "GPT-4o-mini 0.0077 −0.0001" in page
    assert "does not fit its printed accuracies" in page


def row_of(page, name):
    """Table 2's cells of a model."""
    table = page[page.index(">Table 2<") :]
    row = re.search(rf'<th scope="row">{re.escape(name)}</th>(.*?)</tr>', table, re.DOTALL)[1]
    return [words_of(cell).strip() for cell in re.findall(r"<td>(.*?)</td>", row, re.DOTALL)]


def test_marks_and_differences_of_table_2(workspace):
    def change(metrics):
        for row in metrics["contexts"]:
            p = {"new": (0.001, 0.004), "old": (0.03, 0.09), "related_new": (0.2, 0.4)}[row["task"]]
            row |= {
                "p": p[0],
                "p_holm": p[1],
                "delta": {"new": 0.407, "old": -0.008, "related_new": -0.001}[row["task"]],
            }
        for row in metrics["hops"]:
            row |= {"p": 0.01, "p_holm": 0.02 if row["with_context"] else 0.06}
        for cell in metrics["cells"]:
            cell["accuracy"] = 0.25

    rewrite(workspace.evaluate / "tiny" / "metrics.json", change)
    cells = row_of(page_of(workspace), "tiny (text per character)")
    assert cells == [".250", ".250 ‡ ↑.41", ".250 (†)", ".250 † ±.00", ".250", ".250 (‡) ↓.01", "–", "–"]


def test_one_model_asked_in_two_ways_has_two_names(workspace):
    sampling = {**SAMPLING, "whole": False, "limit": 1000, "facts": {"drawn": 1000, "of": 1234}}
    write_json(
        workspace.evaluate / "tiny-letter" / "metrics.json", metrics_of("tiny", "letter", "none", sampling=sampling)
    )
    page = words_of(page_of(workspace))
    assert "tiny (letter, 1,000 facts)" in page
    assert "tiny (text per character)" in page
    assert "of a drawn sample: 1,000 of 1,234 changing facts" in page
    assert "2 models were asked 60 questions on 12 subjects" in page
    assert "in 3 ways altogether" in page


def test_names_are_escaped_and_notes_shown(workspace):
    rewrite(
        workspace.evaluate / "tiny" / "metrics.json",
        lambda metrics: metrics["model"].update(note="knows nothing after <2024>"),
    )
    page = page_of(workspace)
    assert "<b>bold</b>" not in page
    assert "knows nothing after &lt;2024&gt;" in page


def test_simulation_is_said_where_there_is_one_and_only_there(workspace):
    assert "imulated" not in words_of(page_of(workspace))
    path = workspace.release / "release.json"
    write_json(path, {**json.loads(path.read_text()), "simulated": True})
    assert "Simulated annotators." in words_of(page_of(workspace))


def test_scores_of_another_release_are_pointed_out(workspace):
    path = workspace.release / "release.json"
    write_json(path, {**json.loads(path.read_text()), "digest": "ee" * 32})
    assert "tiny (text per character) was scored on another release (d1d1d1d1d1d1)" in words_of(page_of(workspace))


def test_scores_alone_make_a_page(tmp_path):
    workspace = Workspace(tmp_path, "tempripple")
    write_json(workspace.evaluate / "tiny" / "metrics.json", metrics_of("tiny"))
    page = words_of(page_of(workspace))
    assert "One model was asked 60 questions on 12 subjects" in page
    assert "No summary of the annotation was found" in page
    assert "Table 1" not in page


def test_subjects_that_agree_are_said_to_have_no_spread(workspace):
    rewrite(
        workspace.evaluate / "tiny" / "metrics.json",
        lambda metrics: metrics["cells"][0].update(interval={"low": 1.0, "high": 1.0}),
    )
    page = words_of(page_of(workspace))
    assert "no spread" in page
    assert "1.000 to 1.000" not in page


def test_a_model_that_answered_nothing_makes_a_page(tmp_path):
    workspace, table = Workspace(tmp_path, "tempripple"), simulated_answers("tiny").slice(0, 4)
    nothing = {"chosen": pa.nulls(4, pa.int64()), "correct": pa.nulls(4, pa.bool_())}
    nothing["problem"] = pa.array(["names no option"] * 4)
    for name, values in nothing.items():
        table = table.set_column(table.column_names.index(name), name, values)
    silent = {**metrics_of("tiny"), **measure(table, YEARS, MeasureSettings(resamples=5))}
    write_json(workspace.evaluate / "tiny" / "metrics.json", silent)
    page = page_of(workspace)
    assert row_of(page, "tiny (text per character)") == ["–"] * 8
    assert "nan" not in words_of(page).lower().split()


def test_a_second_run_is_a_no_op_and_the_bytes_follow_the_scores(workspace, capsys):
    assert_written_once(write_report, workspace, capsys)


def test_the_command_writes_the_page_of_its_suite(workspace):
    assert_command_writes(workspace)
    assert "Table 2" in (workspace.evaluate / "report.html").read_text(encoding="utf-8")


def test_no_scores(tmp_path):
    with pytest.raises(MissingStageError, match="no model has been scored yet"):
        write_report(Workspace(tmp_path, "tempripple"))


def test_scores_that_lack_a_number(workspace):
    rewrite(workspace.evaluate / "tiny" / "metrics.json", lambda metrics: metrics.pop("hops"))
    with pytest.raises(InputError, match=r"tiny/metrics.json: hops: Field required"):
        write_report(workspace)
    assert not (workspace.evaluate / "report.html").exists()
