"""The whole build on the facts that come with Tashika, through a real Oxigraph, and what it makes of bad input."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest

from tashika.core.cli import app
from tashika.core.files import write_text
from tashika.core.records import item_schema
from tashika.core.settings import packaged_data

Run = Callable[..., Any]
Row = dict[str, Any]


@pytest.fixture(scope="session")
def built_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    work = tmp_path_factory.mktemp("tempripple")
    from typer.testing import CliRunner

    done = CliRunner().invoke(app, ["build", "tempripple", "--work", str(work)])
    assert done.exit_code == 0, done.output
    return work


@pytest.fixture
def built(built_once: Path, tmp_path: Path) -> Path:
    """A finished build that a test may change."""
    return Path(shutil.copytree(built_once, tmp_path / "work"))


def rows(work: Path, kind: str) -> list[Row]:
    table = pq.read_table(work / "tempripple" / "items" / f"{kind}.parquet")
    assert table.schema.names == item_schema("tempripple", kind).names
    return list(table.to_pylist())


def tsv(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def test_what_is_accepted_and_rejected_is_what_the_tables_expect(built_once: Path) -> None:
    expected = tsv(packaged_data("tempripple") / "expected.tsv")
    accepted = {(row["subject"], row["relation"]) for row in rows(built_once, "fact")}
    assert accepted == {(row["subject"], row["relation"]) for row in expected if row["expected"] == "accepted"}
    rejected = tsv(built_once / "tempripple" / "items" / "rejected.tsv")
    found = {(row["subject"], row["relation"]): set(row["reasons"].split("|")) for row in rejected}
    assert found == {
        (row["subject"], row["relation"]): set(row["reason"].split("|"))
        for row in expected
        if row["expected"] == "rejected" and row["reason"] != "no-change"  # these are never candidates
    }
    assert all(row["statements"] for row in rejected)


def test_a_fact_has_its_history_and_the_newest_tenure(built_once: Path) -> None:
    fact = next(row for row in rows(built_once, "fact") if (row["subject"], row["relation"]) == ("Q30", "P6"))
    assert (fact["object_label"], fact["start"]) == ("Donald Trump", "2025-01-20")
    assert fact["statement"] == "The most recent head of government of the United States of America is Donald Trump."
    tenures = [row for row in rows(built_once, "history") if row["parents"] == [fact["item_id"]]]
    assert [(row["place"], row["age"], row["object_label"]) for row in tenures] == [
        (1, "new", "Donald Trump"),
        (2, "old", "Joe Biden"),
        (3, "old", "Donald Trump"),
        (4, "old", "Barack Obama"),
    ]
    assert [tenure["object_label"] for tenure in fact["history"]] == [row["object_label"] for row in tenures]
    assert tenures[1]["years"] == pytest.approx(4.0, abs=0.01)
    assert tenures[0]["years"] == pytest.approx(345 / 365.2425)  # until the window's last day


def test_every_question_hangs_on_a_fact_a_tenure_and_its_path(built_once: Path) -> None:
    facts, tenures, related = (
        {row["item_id"]: row for row in rows(built_once, kind)} for kind in ("fact", "history", "related")
    )
    found = rows(built_once, "question")
    assert len({row["item_id"] for row in found}) == len(found)
    for row in found:
        fact, tenure, *way = row["parents"]
        assert facts[fact]["statement"] == row["context"]
        assert tenures[tenure]["parents"] == [fact]
        assert [related[one]["hop"] for one in way] == list(range(1, row["hop"] + 1))
        assert all(related[one]["parents"][0] == tenure for one in way)
        if way:
            assert related[way[-1]]["object_labels"] == row["answers"]
            assert not set(related[way[-1]]["also_true"]) & set(row["options"])
        else:
            assert row["answers"] == [tenures[tenure]["object_label"]]
        assert row["task"] == ("related_" if way else "") + tenures[tenure]["age"]


def test_options_are_four_and_one_is_right(built_once: Path) -> None:
    for row in rows(built_once, "question"):
        assert len(set(row["options"])) == 4
        right = [place for place, option in enumerate(row["options"]) if option in row["answers"]]
        assert right == [row["answer"]]


def test_figure_2s_chain_is_there(built_once: Path) -> None:
    texts = {row["text"]: row["answers"] for row in rows(built_once, "question")}
    start = "the spouse of the most recent head of government of the United States of America"
    assert texts[f"What is the native language of {start}?"] == ["Slovene"]
    assert texts[f"What is the writing system of the native language of {start}?"] == ["Latin script"]


def test_a_second_run_has_nothing_to_do(built: Path, tashika: Run) -> None:
    before = {path: path.stat().st_mtime_ns for path in (built / "tempripple" / "items").iterdir()}
    ran = tashika("build", "tempripple", "--work", built)
    assert ran.code == 0
    assert ran.err.count("nothing to do") == 3
    assert "Oxigraph" not in ran.err  # not even a server
    assert {path: path.stat().st_mtime_ns for path in (built / "tempripple" / "items").iterdir()} == before


def test_an_interrupted_build_goes_on_from_the_kept_replies(built: Path, tashika: Run) -> None:
    items = built / "tempripple" / "items"
    whole = {path.name: path.read_bytes() for path in items.glob("*.parquet")}
    for left in ("related.parquet", "question.parquet", "build-histories.manifest.json"):
        (items / left).unlink()
    ran = tashika("build", "tempripple", "--work", built)
    assert ran.code == 0, ran.err
    assert "Oxigraph" not in ran.err
    assert {path.name: path.read_bytes() for path in items.glob("*.parquet")} == whole


def test_another_window_is_another_build(built: Path, tashika: Run) -> None:
    ran = tashika("build", "tempripple", "--work", built, "--window", "2025-01-01..2025-01-31", "--hops", 0)
    assert ran.code == 0, ran.err
    facts = rows(built, "fact")
    assert facts
    assert {row["start"][:7] for row in facts} == {"2025-01"}
    assert rows(built, "related") == []
    assert {row["hop"] for row in rows(built, "question")} == {0}


def test_a_second_build_without_the_options_keeps_ones_own_data(tmp_path: Path, tashika: Run) -> None:
    snapshot, work = tmp_path / "own.ttl", tmp_path / "work"
    shutil.copy(packaged_data("tempripple/snapshot.ttl"), snapshot)
    snapshot.write_text(snapshot.read_text(encoding="utf-8") + "# my own\n", encoding="utf-8")
    given = ("--snapshot", snapshot, "--window", "2025-01-01..2025-01-31", "--hops", 0)
    first = tashika("build", "tempripple", "--work", work, *given)
    assert first.code == 0, first.err
    facts = rows(work, "fact")
    ran = tashika("build", "tempripple", "--work", work)
    assert ran.code == 0, ran.err
    for name in ("snapshot", "window", "hops"):
        assert f"as in the build before (--{name})" in ran.err
    assert ran.err.count("nothing to do") == 3
    assert rows(work, "fact") == facts
    asked = tashika("build", "tempripple", "--work", work, "--sparql-url", "http://127.0.0.1:9/query", "--dry-run")
    assert asked.code == 0, asked.err
    assert f"--snapshot was {snapshot} in the build before and is left out now" in asked.err
    assert "from http://127.0.0.1:9/query" in asked.err


def test_figure_2_for_any_subject(built_once: Path, tashika: Run) -> None:
    ran = tashika("build", "tempripple", "--work", built_once, "--show", "Q17")
    assert ran.code == 0, ran.err
    first, asked, *_ = ran.out.splitlines()
    assert first == "new fact: (2025-10-21, open, Japan, head of government, Sanae Takaichi)"
    assert asked.strip() == "hop 0  Who is the most recent head of government of Japan? -> Sanae Takaichi"
    unknown = tashika("build", "tempripple", "--work", built_once, "--show", "Q1")
    assert unknown.code == 2
    assert "no history of Q1 was accepted" in unknown.err


def test_a_dry_run_asks_nobody(tmp_path: Path, tashika: Run) -> None:
    ran = tashika("build", "tempripple", "--work", tmp_path, "--dry-run", "--sparql-url", "http://127.0.0.1:9/query")
    assert ran.code == 0, ran.err
    assert "16 changing properties" in ran.err
    assert list(tmp_path.iterdir()) == []


def test_the_former_name_of_the_endpoint_still_works_and_says_the_new_one(
    tmp_path: Path, tashika: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`--endpoint` is a language model's in `evaluate`."""
    address = "http://127.0.0.1:9/query"
    command = ("build", "tempripple", "--work", tmp_path, "--dry-run")
    ran = tashika(*command, "--endpoint", address)
    assert ran.code == 0, ran.err
    assert "--endpoint (TASHIKA_ENDPOINT) of this command is called --sparql-url (TASHIKA_SPARQL_URL) now" in ran.err
    assert f"from {address}" in ran.err
    assert "--endpoint" not in tashika("build", "tempripple", "--help").out
    monkeypatch.setenv("TASHIKA_ENDPOINT", address)
    assert f"from {address}" in tashika(*command).err
    newer = tashika(*command, "--sparql-url", "http://127.0.0.1:8/query").err
    assert "from http://127.0.0.1:8/query" in newer
    assert "is called" not in newer


def test_the_endpoint_of_a_build_by_an_earlier_version_is_known_by_its_new_name(tmp_path: Path, tashika: Run) -> None:
    built = {"built": {"endpoint": {"address": "http://127.0.0.1:9/query", "incomplete": False}}}
    write_text(tmp_path / "tempripple" / "inputs.json", json.dumps(built))
    ran = tashika("build", "tempripple", "--work", tmp_path, "--dry-run")
    assert ran.code == 0, ran.err
    assert "sparql url: http://127.0.0.1:9/query, as in the build before (--sparql-url)" in ran.err


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--window", "2025"], "expected two days such as"),
        (["--history-from", "2025-06-01"], "lies after the start of the window"),
        (["--sparql-url", "localhost:1"], "expected an address"),
        (["--sparql-url", "http://localhost:1", "--snapshot", "x.ttl"], "expected one of them"),
        (["--snapshot", "missing.ttl"], "there is no such file"),
        (["--window", "1901-01-01..1901-12-31", "--history-from", "1900-01-01"], "no history was accepted"),
    ],
)
def test_what_makes_no_sense_is_told(given: list[str], told: str, tmp_path: Path, tashika: Run) -> None:
    ran = tashika("build", "tempripple", "--work", tmp_path, *given)
    assert ran.code == 2
    assert told in ran.err


def test_an_endpoint_that_is_down_is_a_failure_outside(tmp_path: Path, tashika: Run) -> None:
    ran = tashika("build", "tempripple", "--work", tmp_path, "--sparql-url", "http://127.0.0.1:9/query")
    assert ran.code == 1
    assert "the endpoint is down" in ran.err


ONE_PLAYER = """
@prefix wd: <http://www.wikidata.org/entity/> .
@prefix wds: <http://www.wikidata.org/entity/statement/> .
@prefix wdt: <http://www.wikidata.org/prop/direct/> .
@prefix p: <http://www.wikidata.org/prop/> .
@prefix ps: <http://www.wikidata.org/prop/statement/> .
@prefix pq: <http://www.wikidata.org/prop/qualifier/> .
@prefix wikibase: <http://wikiba.se/ontology#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .

wd:Q1 p:P54 wds:a, wds:b, wds:c ; rdfs:label "Player"@en .
wds:a ps:P54 wd:Q11 ; wikibase:rank wikibase:NormalRank ; pq:P580 "2014-07-01T00:00:00Z"^^xsd:dateTime ;
  pq:P582 "2025-06-30T00:00:00Z"^^xsd:dateTime .
wds:b ps:P54 wd:Q12 ; wikibase:rank wikibase:NormalRank ; pq:P580 "2025-07-01T00:00:00Z"^^xsd:dateTime .
wds:c ps:P54 wd:Q13 ; wikibase:rank wikibase:NormalRank ; pq:P580 "2016-09-01T00:00:00Z"^^xsd:dateTime .
wd:Q11 rdfs:label "Old Club"@mul . wd:Q12 rdfs:label "New Club"@en .
wd:Q13 rdfs:label "Country"@en ; wdt:P31 wd:Q6979593 .
wd:Q2 p:P54 wds:d, wds:e ; rdfs:label "Other"@en .
wds:d ps:P54 wd:Q99 ; wikibase:rank wikibase:NormalRank ; pq:P580 "2014-07-01T00:00:00Z"^^xsd:dateTime ;
  pq:P582 "2025-06-30T00:00:00Z"^^xsd:dateTime .
wds:e ps:P54 wd:Q11 ; wikibase:rank wikibase:NormalRank ; pq:P580 "2025-07-01T00:00:00Z"^^xsd:dateTime .
"""


def test_national_teams_count_unless_clubs_only_is_set_and_no_label_rejects(tmp_path: Path, tashika: Run) -> None:
    snapshot, config = tmp_path / "one.ttl", tmp_path / "clubs.toml"
    snapshot.write_text(ONE_PLAYER, encoding="utf-8")
    given = ["build", "tempripple", "--snapshot", snapshot, "--work", tmp_path / "work"]
    plain = tashika(*given)
    assert plain.code == 2
    assert "rejected: 1 no-label, 1 overlap" in plain.err
    config.write_text("[build]\nclubs_only = true\nrelations = ['P54']\nhops = 1\n", encoding="utf-8")
    clubs = tashika(*given, "--config", config)
    assert "facts 1, tenures 2, rejected 1" in clubs.err
    assert clubs.code == 2  # one fact alone has no wrong options
    assert "no question could be asked" in clubs.err
    (rejected,) = tsv(tmp_path / "work" / "tempripple" / "items" / "rejected.tsv")
    assert (rejected["subject"], rejected["reasons"]) == ("Q2", "no-label")
    (refused, _) = tsv(tmp_path / "work" / "tempripple" / "items" / "refused-questions.tsv")
    assert (refused["subject"], refused["reason"]) == ("Q1", "too-few-options")


def test_the_other_side_counted_by_naive_loops(built_once: Path) -> None:
    """Which questions have the same answer for the new object and the old one; by pandas, from the related facts."""
    related = {row["item_id"]: row for row in rows(built_once, "related")}
    tenures = {row["item_id"]: row for row in rows(built_once, "history")}
    answers = pd.DataFrame(
        {
            "fact": tenures[row["parents"][0]]["parents"][0],
            "place": tenures[row["parents"][0]]["place"],
            "way": " ".join(step["relation"] for step in row["path"][1:]),
            "labels": "|".join(row["object_labels"]),
        }
        for row in related.values()
    )
    seen = {"same": 0, "differs": 0, "none": 0}
    for row in rows(built_once, "question"):
        if row["hop"] == 0:
            continue
        way = " ".join(step["relation"] for step in related[row["parents"][-1]]["path"][1:])
        alike = answers[(answers["fact"] == row["parents"][0]) & (answers["way"] == way)]
        old = alike[alike["place"] > 1].sort_values("place").head(1)
        other = alike[alike["place"] == 1] if row["task"] == "related_old" else old
        texts = {text.casefold() for labels in other["labels"] for text in labels.split("|")}
        right = row["options"][row["answer"]].casefold()
        expected = "none" if not texts else "same" if right in texts else "differs"
        assert row["counterpart"] == expected, row["text"]
        lures = [place for place, option in enumerate(row["options"]) if option.casefold() in texts]
        wrong = [place for place in lures if row["options"][place] not in row["answers"]]
        assert row["lure"] == (wrong[0] if wrong else None)
        seen[expected] += 1
    assert min(seen.values()) > 300  # 1,133, 745 and 393 of 2,271


def test_the_least_certain_step_decides(built_once: Path) -> None:
    related = {row["item_id"]: row for row in rows(built_once, "related")}
    for row in related.values():
        before = [related[parent]["certainty"] for parent in row["parents"][1:]]
        order = ["certain", "likely", "unknown"]
        assert all(order.index(one) <= order.index(row["certainty"]) for one in before)
    for row in rows(built_once, "question"):
        way = row["parents"][2:]
        assert row["certainty"] == (related[way[-1]]["certainty"] if way else "certain")


@pytest.mark.parametrize("option_set", ["same-history", "mixed"])
def test_the_new_object_can_be_offered(option_set: str, built: Path, tmp_path: Path, tashika: Run) -> None:
    """With other facts alone it is an option of old questions only where it is right."""
    new = {row["subject"] + row["relation"]: row["object_label"] for row in rows(built, "fact")}

    def lures(work: Path) -> tuple[int, int]:
        old = [row for row in rows(work, "question") if row["task"] == "old"]
        for row in old:
            offered = new[row["subject"] + row["relation"]] in row["options"]
            if row["lure"] is not None:
                assert row["options"][row["lure"]] == new[row["subject"] + row["relation"]]
                assert row["lure"] != row["answer"]
            else:
                assert not offered or row["counterpart"] == "same"
        return len(old), sum(row["lure"] is not None for row in old)

    assert lures(built)[1] == 0
    config = tmp_path / "own.toml"
    config.write_text(f'suite = "tempripple"\n[build]\noption_set = "{option_set}"\n')
    assert tashika("build", "tempripple", "--work", built, "--config", config).code == 0
    asked, offered = lures(built)
    assert offered > 0.9 * asked
