"""`tashika build proverbs` against an LLM endpoint of the test's."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from tashika.core.files import read_json, read_table
from tashika.core.records import item_id, item_schema
from tashika.core.settings import packaged

Run = Callable[..., Any]

LIST = """text,origin,topics,form,variant,change,variant_origin
Every man for himself.,English,gender,,,,
Pots boil over quickly.,English,wisdom,statement,Pans boil over quickly.,object,
Dogs bark at night.,English,wisdom;society,,,,
Haste makes waste.,English,society,,Hurry has no blessing.,wording,Swahili
Jack is a dull boy.,English,gender,,,,
"""


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    path = tmp_path / "list.csv"
    path.write_text(LIST)
    return path


@pytest.fixture
def llm(httpserver: HTTPServer) -> str:
    def answer(request: Request) -> Response:
        asked = json.loads(request.data)["messages"][-1]["content"]
        text = f"Sure!\n1. {asked}\n2. animal: {asked}\n3. animal: {asked.replace('Dogs', 'Foxes')}\n4. object: half"
        return Response(json.dumps({"choices": [{"message": {"content": text}}]}), content_type="application/json")

    httpserver.expect_request("/v1/chat/completions").respond_with_handler(answer)
    return httpserver.url_for("/v1")


def build(tashika: Run, work: Path, csv: Path, *more: Any) -> Any:
    return tashika("build", "proverbs", "--work", work, "--proverbs", csv, *more)


def test_the_whole_build(tashika: Run, csv: Path, llm: str, tmp_path: Path, httpserver: HTTPServer) -> None:
    ran = build(tashika, tmp_path / "work", csv, "--llm-url", llm)
    assert ran.code == 0, ran.err
    items = tmp_path / "work" / "proverbs" / "items"
    rows = read_table(items / "pair.parquet", item_schema("proverbs", "pair")).to_pylist()
    assert [(row["topic"], row["change"], row["maker"], row["variant"]) for row in rows] == [
        ("gender", "gender", "swap", "Every woman for herself."),
        ("wisdom", "object", "written", "Pans boil over quickly."),
        ("wisdom", "animal", "model", "Foxes bark at night."),
        ("society", "wording", "written", "Hurry has no blessing."),
    ]
    assert rows[0]["question"] == 'What does "Every man for himself" mean?'
    assert rows[0]["variant_question"] == 'What does "Every woman for herself" mean?'
    assert rows[0]["item_id"] == item_id("proverbs", "pair", "Every man for himself.", "Every woman for herself.")
    assert [row["generation"] is None for row in rows] == [True, True, False, True]
    assert rows[3]["variant_origin"] == "Swahili"
    assert len(httpserver.log) == 6  # two rounds about each proverb of wisdom and society
    refused = (items / "refused-variants.tsv").read_text().splitlines()
    assert "gender\tJack is a dull boy.\tswap\t\tnames a person: Jack" in refused
    assert 'wisdom;society\tDogs bark at night.\tmodel\tSure!\tis not of the form "change: text"' in refused
    assert "wisdom;society\tDogs bark at night.\tmodel\tDogs bark at night.\tis unchanged" in refused
    found = read_json(items / "statistics.json")
    assert found["pairs"] == 4
    assert found["topics"]["wisdom"]["maker"] == {"model": 1, "written": 1}
    assert found["topics"]["wisdom"]["lacking"] == 98
    assert found["refused"]["swap"] == {"names a person": 1}
    assert found["cost"]["proverbs"] == 3
    assert "wisdom: 2 pairs of 100, from 2 proverbs of the topic" in ran.err


def test_what_a_model_wrote_is_looked_at_by_itself(
    tashika: Run, csv: Path, tmp_path: Path, httpserver: HTTPServer
) -> None:
    """An order in place of a statement is quoted, it begins as a sentence does, and an empty reply is told."""

    def answer(request: Request) -> Response:
        asked = json.loads(request.data)["messages"][-1]["content"]
        text = "object: let pans boil over quickly." if asked.startswith("Pots") else ""
        return Response(json.dumps({"choices": [{"message": {"content": text}}]}), content_type="application/json")

    httpserver.expect_request("/v1/chat/completions").respond_with_handler(answer)
    ran = build(tashika, tmp_path / "work", csv, "--llm-url", httpserver.url_for("/v1"))
    assert ran.code == 0, ran.err
    items = tmp_path / "work" / "proverbs" / "items"
    rows = {row["proverb"]: row for row in read_table(items / "pair.parquet").to_pylist()}
    assert rows["Pots boil over quickly."]["question"] == 'What does "Pots boil over quickly" mean?'
    assert rows["Pots boil over quickly."]["variant_question"] == 'What does "Let pans boil over quickly" mean?'
    refused = (items / "refused-variants.tsv").read_text().splitlines()
    assert refused.count("society\tHaste makes waste.\tmodel\t\tis not there: the reply has no whole line") == 2


def test_a_second_run_has_nothing_to_do(
    tashika: Run, csv: Path, llm: str, tmp_path: Path, httpserver: HTTPServer
) -> None:
    build(tashika, tmp_path / "work", csv, "--llm-url", llm)
    items = tmp_path / "work" / "proverbs" / "items"
    before = {path: path.read_bytes() for path in items.iterdir()}
    asked = len(httpserver.log)
    ran = build(tashika, tmp_path / "work", csv, "--llm-url", llm)
    assert ran.err.count("nothing to do") == 3
    assert {path: path.read_bytes() for path in items.iterdir()} == before
    assert len(httpserver.log) == asked


def test_a_second_build_without_the_options_keeps_ones_own_list(
    tashika: Run, csv: Path, llm: str, tmp_path: Path, httpserver: HTTPServer
) -> None:
    work = tmp_path / "work"
    build(tashika, work, csv, "--llm-url", llm, "--llm-model", "m", "--limit", "2")
    pairs = (work / "proverbs" / "items" / "pair.parquet").read_bytes()
    asked = len(httpserver.log)
    ran = tashika("build", "proverbs", "--work", work)
    assert ran.code == 0, ran.err
    assert f"proverbs: {csv}, as in the build before (--proverbs)" in ran.err
    assert "limit: 2, as in the build before (--limit)" in ran.err
    assert ran.err.count("nothing to do") == 3
    assert (work / "proverbs" / "items" / "pair.parquet").read_bytes() == pairs
    assert len(httpserver.log) == asked
    pushed = work / "proverbs" / "annotation" / "pushed"
    pushed.mkdir(parents=True)
    (work / "proverbs" / "items" / "pair.parquet").rename(pushed / "pair.parquet")  # any table of items
    refused = tashika("build", "proverbs", "--work", work, "--forget-inputs")
    assert refused.code == 2
    assert f"--proverbs was {csv} in the build before and is left out now" in refused.err
    assert tashika("build", "proverbs", "--work", work, "--forget-inputs", "--change-inputs").code == 0
    assert (
        read_table(work / "proverbs" / "items" / "pair.parquet").num_rows == 400
    )  # 300 pairs, and a control of each on gender


def test_an_interrupted_run_goes_on_from_the_kept_replies(
    tashika: Run, csv: Path, llm: str, tmp_path: Path, httpserver: HTTPServer
) -> None:
    """What a kill leaves: replies, no manifest, and half a file beside its place."""
    build(tashika, tmp_path / "work", csv, "--llm-url", llm)
    items = tmp_path / "work" / "proverbs" / "items"
    whole = (items / "pair.parquet").read_bytes()
    for path in items.iterdir():
        path.unlink()
    (items / ".pair.parquet.999999999-1.part").write_bytes(b"PAR1")
    asked = len(httpserver.log)
    assert build(tashika, tmp_path / "work", csv, "--llm-url", llm).code == 0
    assert (items / "pair.parquet").read_bytes() == whole
    assert not list(items.glob(".*.part"))
    assert len(httpserver.log) == asked


def test_a_dry_run_tells_the_cost_and_does_nothing(tashika: Run, csv: Path, llm: str, tmp_path: Path) -> None:
    ran = build(tashika, tmp_path / "work", csv, "--llm-url", llm, "--dry-run")
    assert ran.code == 0
    assert "proverbs: 5 from list.csv (gender 2, wisdom 2, society 2)" in ran.err
    assert "at most 6 requests" in ran.err
    assert not (tmp_path / "work").exists()


def test_the_packaged_list_gives_the_papers_pairs_and_asks_nobody(tashika: Run, tmp_path: Path) -> None:
    ran = tashika("build", "proverbs", "--work", tmp_path)
    assert ran.code == 0, ran.err
    rows = read_table(tmp_path / "proverbs" / "items" / "pair.parquet").to_pylist()
    pairs = [row for row in rows if row["change"] != "neutral"]
    topics = [row["topic"] for row in pairs]
    assert {topic: topics.count(topic) for topic in topics} == {"gender": 100, "wisdom": 100, "society": 100}
    assert len({row["proverb"] for row in rows} | {row["variant"] for row in rows}) == 700
    assert Counter(row["direction"] for row in pairs) == {None: 200, "man-first": 49, "woman-first": 49, "both": 2}
    asked = {row["proverb"]: (row["question"], row["form"], row["direction"]) for row in pairs}
    controls = [row for row in rows if row["change"] == "neutral"]
    assert len(controls) == 100
    for row in controls:
        assert asked[row["proverb"]] == (row["question"], row["form"], row["direction"])


def test_the_papers_settings_make_neither_controls_nor_a_balance(tashika: Run, tmp_path: Path) -> None:
    ran = tashika("build", "proverbs", "--work", tmp_path, "--config", "paper")
    assert ran.code == 0, ran.err
    rows = read_table(tmp_path / "proverbs" / "items" / "pair.parquet").to_pylist()
    assert len(rows) == 300
    directions = Counter(row["direction"] for row in rows if row["topic"] == "gender")
    assert directions["man-first"] - directions["woman-first"] > 10


def test_fewer_pairs_are_wanted(tashika: Run, tmp_path: Path) -> None:
    ran = tashika("build", "proverbs", "--work", tmp_path, "--limit", "3")
    assert ran.code == 0, ran.err
    assert read_table(tmp_path / "proverbs" / "items" / "pair.parquet").num_rows == 12  # 9 pairs and 3 controls


def test_the_demos_settings_are_sound(tashika: Run, tmp_path: Path) -> None:
    ran = tashika("build", "proverbs", "--work", tmp_path, "--config", packaged("proverbs-demo.toml"))
    assert ran.code == 0, ran.err
    assert read_table(tmp_path / "proverbs" / "items" / "pair.parquet").num_rows == 48  # 36 pairs and 12 controls


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--llm-url", "localhost"), "expected an address"),
        (("--proverbs", "no/such.csv"), "there is no such file"),
    ],
)
def test_bad_options_are_told(tashika: Run, tmp_path: Path, more: tuple[str, ...], message: str) -> None:
    ran = tashika("build", "proverbs", "--work", tmp_path, *more)
    assert ran.code == 2
    assert message in ran.err


def test_an_endpoint_that_is_none_ends_the_build(
    tashika: Run, csv: Path, tmp_path: Path, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/v1/chat/completions").respond_with_data("<html></html>", content_type="text/html")
    ran = build(tashika, tmp_path / "work", csv, "--llm-url", httpserver.url_for("/v1"))
    assert ran.code == 1
    assert "answers with a web page" in ran.err
    assert not list((tmp_path / "work" / "proverbs").rglob("pair.parquet"))
