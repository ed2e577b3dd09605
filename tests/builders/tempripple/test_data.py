"""data/tempripple holds together: what must be accepted and rejected, why, and the facts that hang on it."""

import re
from collections import Counter

import pyoxigraph
import pytest

from tashika.builders.sources import snapshot as module
from tashika.builders.sources.snapshot import (
    NOTHING,
    UNKNOWN,
    Fact,
    Snapshot,
    compile_turtle,
    read_snapshot,
    read_table,
)

FOLDER = module.DATA / "tempripple"
COLUMNS = ("subject", "relation", "expected", "reason", "history_from", "remark", "subject_label")
NUMBERS = (35, 6, 488, 169, 54, 286, 551, 102, 108, 69, 937, 36, 159, 27, 140, 17)
CHANGING = tuple(f"P{number}" for number in NUMBERS)


@pytest.fixture(scope="module")
def snapshot() -> Snapshot:
    return read_snapshot(FOLDER)


@pytest.fixture(scope="module")
def expected() -> list[dict[str, str]]:
    return [cells for _, cells in read_table(FOLDER / "expected.tsv", COLUMNS)]


def facts_of(snapshot: Snapshot, row: dict[str, str]) -> list[Fact]:
    return [
        fact for fact in snapshot.facts if fact[:2] == (row["subject"], row["relation"]) and fact.rank != "deprecated"
    ]


def test_the_turtle_is_what_the_tables_compile_to(snapshot: Snapshot) -> None:
    turtle = (FOLDER / module.TURTLE).read_bytes()
    assert turtle == compile_turtle(snapshot).encode()
    store = pyoxigraph.Store()
    store.load(turtle, format=pyoxigraph.RdfFormat.TURTLE)
    assert len(store) == module.counts(snapshot)["triples"]


def test_tables_are_sorted() -> None:
    for path in (FOLDER / "facts").glob("*.tsv"):
        rows = [cells for _, cells in read_table(path, module.FACT_COLUMNS)]
        keys = [(int(row["subject"][1:]), row["start"] or "0") for row in rows]
        assert keys == sorted(keys), path.name


def test_the_histories_that_are_wanted(expected: list[dict[str, str]]) -> None:
    accepted = [row for row in expected if row["expected"] == "accepted"]
    rejected = [row for row in expected if row["expected"] == "rejected"]
    assert len(accepted) + len(rejected) == len(expected)
    assert len(accepted) >= 60
    assert len({row["relation"] for row in accepted}) >= 8
    assert len({(row["relation"], row["reason"]) for row in rejected}) >= 30
    assert {row["relation"] for row in expected} == set(CHANGING)
    pairs = Counter((row["subject"], row["relation"]) for row in expected)
    assert max(pairs.values()) == 1


def test_every_expectation_is_about_facts_that_are_there(snapshot: Snapshot, expected: list[dict[str, str]]) -> None:
    names = {entity.id: entity.name for entity in snapshot.entities}
    for row in expected:
        assert facts_of(snapshot, row), row
        assert row["subject_label"] == names[row["subject"]]


def test_no_changing_history_is_without_an_expectation(snapshot: Snapshot, expected: list[dict[str, str]]) -> None:
    judged = {(row["subject"], row["relation"]) for row in expected}
    for fact in snapshot.facts:
        if fact.relation in CHANGING and fact[:2] not in judged:
            assert fact.relation in {"P17", "P27", "P36", "P69"}, "README: only these may be missing"
            assert "2025" not in fact.start + fact.end


def test_reasons_are_those_of_the_readme(expected: list[dict[str, str]]) -> None:
    readme = (FOLDER / "README.md").read_text("utf-8")
    steps = {
        reason: int(row[1])
        for row in re.finditer(r"^\| (\d) \| ([^|]+) \|", readme, re.MULTILINE)
        for reason in re.findall(r"`([a-z-]+)`", row[2])
    }
    found: set[str] = set()
    for row in expected:
        reasons = row["reason"].split("|") if row["reason"] else []
        assert bool(reasons) == (row["expected"] == "rejected"), row
        assert len({steps[reason] for reason in reasons}) <= 1, "all reasons are of one step"
        found |= set(reasons)
    assert found <= set(steps)


def test_accepted_histories_are_dated_and_start_in_the_window(
    snapshot: Snapshot, expected: list[dict[str, str]]
) -> None:
    for row in (row for row in expected if row["expected"] == "accepted"):
        facts = facts_of(snapshot, row)
        assert all(re.match(r"\d{4}", fact.start) and "|" not in fact.start for fact in facts), row
        assert all(fact.end != UNKNOWN and fact.object not in {UNKNOWN, NOTHING} for fact in facts), row
        assert min(fact.start for fact in facts) < "2016", row
        newest = max(facts, key=lambda fact: fact.start)
        assert newest.start.startswith("2025")
        assert len({fact.object for fact in facts}) > 1


def test_every_accepted_history_has_related_facts(snapshot: Snapshot, expected: list[dict[str, str]]) -> None:
    judged = {(row["subject"], row["relation"]) for row in expected}
    known = {fact.subject for fact in snapshot.facts if fact.relation != "P31" and fact[:2] not in judged}
    for row in (row for row in expected if row["expected"] == "accepted"):
        facts = facts_of(snapshot, row)
        assert max(facts, key=lambda fact: fact.start).object in known, row


def test_every_entity_is_used_and_has_a_class(snapshot: Snapshot) -> None:
    used = {part for fact in snapshot.facts for part in (fact.subject, fact.object)}
    assert {entity.id for entity in snapshot.entities} <= used
    classes = {fact.object for fact in snapshot.facts if fact.relation == "P31"}
    classed = {fact.subject for fact in snapshot.facts if fact.relation == "P31"}
    assert {entity.id for entity in snapshot.entities} - classes - classed == {"Q159583"}, "the Holy See alone"


def test_what_is_rare_in_wikidata_is_here(snapshot: Snapshot) -> None:
    facts = snapshot.facts
    assert any(fact.rank == "deprecated" for fact in facts)
    assert any(fact.object == UNKNOWN for fact in facts)
    assert any(fact.object == NOTHING for fact in facts)
    assert any(fact.start == UNKNOWN for fact in facts)
    assert any(fact.end == NOTHING for fact in facts)
    assert any("|" in fact.start for fact in facts)
    assert any(fact.start.endswith("s") for fact in facts)
    assert set(snapshot.datatypes.values()) == set(module.DATATYPES)


@pytest.mark.parametrize("number", range(len(module.SHIPPED)))
def test_the_readme_counts_right(number: int) -> None:
    readme = (module.DATA / "README.md").read_text("utf-8")
    rows = re.findall(r"^\| (\w+) \| ([\d,]+) \| ([\d,]+) \|$", readme, re.MULTILINE)
    counts = module.counts(read_snapshot(module.SHIPPED[number]))
    assert {row[0]: row[1 + number] for row in rows} == {what: f"{count:,}" for what, count in counts.items()}
