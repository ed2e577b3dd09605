"""Cohen's kappa of the first two people, by group."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from tashika.annotation.labelling import AGAINST, FOR
from tashika.annotation.votes.pairwise import ALL_THE_SAME, NO_PAIRS, cohen_by, cohen_parts, first_votes, kappa_table
from tashika.annotation.votes.vote import Ballot, collect

CHOICES = {"valid": FOR, "invalid": AGAINST}
WORDS = {"v": "valid", "i": "invalid"}


def ballot_of(
    samples: ModuleType, said: dict[str, str], people: str = "ab", programs: str = ""
) -> tuple[Ballot, pa.Table]:
    """A ballot of items and what people said of each in turn: v, i, or - for a skip; some of them are programs."""
    rows = [
        samples.judgment(
            item,
            person,
            WORDS.get(letter),
            skipped=letter == "-",
            annotation_id=100 * number + place,
            simulated=person in programs,
        )
        for number, (item, letters) in enumerate(said.items())
        for place, (person, letter) in enumerate(zip(people, letters, strict=False))
    ]
    table = samples.judgment_table(*rows)
    return collect(pa.array(sorted(said), pa.string()), table, CHOICES), table


def cohen(
    samples: ModuleType, said: dict[str, str], people: str = "ab", groups: str = "", programs: str = ""
) -> dict[str, Any]:
    ballot, table = ballot_of(samples, said, people, programs)
    return without_intervals(cohen_by(first_votes(ballot, table, 2), pa.array(list(groups or "x" * len(said)))))


def without_intervals(kappas: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The entries but for their intervals, which have tests of their own."""
    apart = {"interval", "constant"}
    return {group: {key: value for key, value in one.items() if key not in apart} for group, one in kappas.items()}


def entry(kappa: float | None, items: int, people: int, *, symmetric: bool, reason: str | None) -> dict[str, Any]:
    """What is written of a group that people judged."""
    who = {"annotators": people, "people": people, "simulated": False}
    return {"kappa": kappa, "items": items, **who, "symmetric": symmetric, "reason": reason}


def test_cohens_own_kappa_of_two_people_by_group(samples: ModuleType) -> None:
    # a says v, v, v, i and b says v, v, i, i: 3 of 4 agree; chance gives 3/4 · 1/2 + 1/4 · 1/2 = 1/2.
    said = {"1": "vv", "2": "vv", "3": "vi", "4": "ii"}
    kappa_by_group = cohen(samples, said, groups="xxyy")
    assert list(kappa_by_group) == ["all", "x", "y"]
    assert kappa_by_group["all"] == entry(0.5, 4, 2, symmetric=False, reason=None)
    # Both always say v of x. In y: 1 of 2 agree, chance gives 1/2 · 0 + 1/2 · 1 = 1/2.
    assert kappa_by_group["x"] == entry(None, 2, 2, symmetric=False, reason=ALL_THE_SAME)
    assert kappa_by_group["y"]["kappa"] == 0.0


def test_who_was_asked_because_the_first_were_split_does_not_count(samples: ModuleType) -> None:
    two = {"1": "vv", "2": "vv", "3": "vi", "4": "ii"}
    kappa_by_group = cohen(samples, {**two, "3": "viv"}, people="abc")
    assert kappa_by_group == cohen(samples, two)


def test_the_first_two_are_those_whose_answers_came_first_though_they_changed_them(samples: ModuleType) -> None:
    rows = [
        samples.judgment("1", "c", "valid", annotation_id=1),
        samples.judgment("1", "a", "valid", annotation_id=3),
        samples.judgment("1", "b", "valid", annotation_id=2),
    ]
    changed = samples.judgment("1", "c", "invalid", annotation_id=1)
    changed["created_at"] = rows[1]["created_at"].replace(year=2030)
    table = samples.judgment_table(*rows, changed)
    first = first_votes(collect(pa.array(["1"]), table, CHOICES), table, 2)
    assert list(zip(first.votes["annotator"].to_pylist(), first.votes["label"].to_pylist(), strict=True)) == [
        ("b", "valid"),
        ("c", "invalid"),
    ]


def test_items_without_two_votes_are_left_out(samples: ModuleType) -> None:
    kappa_by_group = cohen(samples, {"1": "v-", "2": "", "3": "vi"}, groups="xyz")
    assert [kappa_by_group[group]["items"] for group in ("all", "x", "y", "z")] == [1, 0, 0, 1]
    assert kappa_by_group["x"] == entry(None, 0, 0, symmetric=False, reason=NO_PAIRS)
    assert cohen(samples, {})["all"]["items"] == 0


def test_among_more_people_nobody_is_the_first_rater(samples: ModuleType) -> None:
    # Pairs (v, v), (i, i), (v, i) of three people. Each twice: pooled shares 1/2 and 1/2, so (2/3 - 1/2) / (1/2).
    rows = [
        samples.judgment(item, person, WORDS[letter], annotation_id=number)
        for number, (item, person, letter) in enumerate(
            [("1", "a", "v"), ("1", "b", "v"), ("2", "b", "i"), ("2", "c", "i"), ("3", "a", "v"), ("3", "c", "i")]
        )
    ]
    table = samples.judgment_table(*rows)
    ballot = collect(pa.array(["1", "2", "3"]), table, CHOICES)
    kappa_by_group = without_intervals(cohen_by(first_votes(ballot, table, 2), pa.array(["x", "x", "y"])))
    third: Any = pytest.approx(1 / 3, abs=1e-6)
    assert kappa_by_group["all"] == entry(third, 3, 3, symmetric=True, reason=None)
    assert kappa_by_group["x"]["symmetric"]  # one rule for all groups
    # Other names change nothing.
    swapped = samples.judgment_table(
        *({**row, "annotator": {"a": "z", "b": "b", "c": "a"}[row["annotator"]]} for row in rows)
    )
    ballot = collect(pa.array(["1", "2", "3"]), swapped, CHOICES)
    again = without_intervals(cohen_by(first_votes(ballot, swapped, 2), pa.array(["x", "x", "y"])))
    assert again == kappa_by_group


@given(st.lists(st.text("vi-", max_size=4), max_size=8), st.integers(1, 3))
def test_no_item_keeps_more_votes_than_wanted_and_none_is_invented(
    samples: ModuleType, letters: list[str], count: int
) -> None:
    said = {str(number): text for number, text in enumerate(letters)}
    ballot, table = ballot_of(samples, said, "abcd")
    kept = first_votes(ballot, table, count)
    expected = [[letter for letter in said[item] if letter != "-"][:count] for item in sorted(said)]
    assert kept.counts().sum(axis=1).tolist() == [len(votes) for votes in expected]
    assert kept.cast(FOR).tolist() == [votes.count("v") for votes in expected]


def test_more_than_two_votes_an_item_are_refused(samples: ModuleType) -> None:
    ballot, _ = ballot_of(samples, {"1": "vvi"}, "abc")
    with pytest.raises(ValueError, match="two people an item at most"):
        cohen_by(ballot, pa.array(["x"]))


def test_the_table_counts_programs_apart_and_says_why_there_is_no_kappa(
    samples: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    said = {"1": "vv", "2": "vi", "3": "ii"}
    older = {"kappa": 0.5, "items": 4, "people": 2, "symmetric": False, "reason": None}
    summary = {
        "pair": {"simulated": True, "cohen": cohen(samples, said, groups="xxy", programs="ab")},
        "check": {"simulated": True, "cohen": cohen(samples, said, programs="b")},
        "old": {"simulated": True, "cohen": {"all": older}},
        "other": {"simulated": False},
    }
    table = kappa_table(summary, ["pair", "check", "old", "other", "none"])
    assert table is not None
    Console(width=160).print(table)
    out = capsys.readouterr().out
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert "pair all 2 simulated annotators (programs) 3 0.400" in lines
    assert any(line.startswith("pair y 2 simulated annotators (programs) 1") and "same" in line for line in lines)
    assert "check all 1 person and 1 simulated annotator (program) 3 0.400" in lines
    assert "old all 2 annotators, simulated ones (programs) among them 4 0.500" in lines
    assert kappa_table(summary, ["other"]) is None


def naive_kappa(pairs: list[str]) -> float | None:
    """Cohen's kappa of two letters an item, by its definition."""
    n = len(pairs)
    observed = sum(int(pair[0] == pair[1]) for pair in pairs) / n
    shares = [[sum(int(pair[place] == choice) for pair in pairs) / n for choice in "vi"] for place in (0, 1)]
    chance = sum(first * second for first, second in zip(*shares, strict=True))
    return None if chance == 1 else (observed - chance) / (1 - chance)


@given(st.lists(st.sampled_from(["vv", "vi", "iv", "ii"]), min_size=2, max_size=12))
def test_kappa_against_naive_code(samples: ModuleType, letters: list[str]) -> None:
    ballot, table = ballot_of(samples, {f"{number:02}": text for number, text in enumerate(letters)})
    part = cohen_by(first_votes(ballot, table, 2), pa.array(["x"] * len(letters)))["all"]
    expected = naive_kappa(letters)
    assert part["kappa"] == (None if expected is None else pytest.approx(expected, abs=1e-6))
    if part["interval"] is not None:
        low, high = part["interval"]
        assert -1 <= low <= high <= 1


def test_kappa_has_an_interval_where_people_agree_as_where_they_do_not(samples: ModuleType) -> None:
    ballot, table = ballot_of(samples, {f"{number:02}": "vv" if number % 2 else "ii" for number in range(40)})
    assert cohen_by(first_votes(ballot, table, 2), pa.array(["x"] * 40))["all"]["interval"] == [1.0, 1.0]
    said = {f"{number:02}": ("vv", "ii", "vi", "ii")[number % 4] for number in range(40)}
    ballot, table = ballot_of(samples, said)
    entry = cohen_by(first_votes(ballot, table, 2), pa.array(["x"] * 40))["all"]
    assert entry["interval"][0] < entry["kappa"] < entry["interval"][1]
    # Of n items kappa's standard error is about sqrt(po (1 - po)) / (1 - pe) / sqrt(n) = sqrt(3/16) / .5 / sqrt(40).
    assert entry["interval"][1] - entry["interval"][0] == pytest.approx(2 * 1.96 * 0.137, rel=0.25)


def test_where_one_of_the_two_says_one_thing_only_kappa_is_nothing_and_has_no_interval(samples: ModuleType) -> None:
    ballot, table = ballot_of(samples, {"1": "vv", "2": "vv", "3": "vi", "4": "vv"})
    entry = cohen_by(first_votes(ballot, table, 2), pa.array(["x"] * 4))["all"]
    assert (entry["kappa"], entry["interval"], entry["constant"]) == (0.0, None, True)
    ballot, table = ballot_of(samples, {"1": "vv", "2": "iv", "3": "vi", "4": "vv"})
    assert not cohen_by(first_votes(ballot, table, 2), pa.array(["x"] * 4))["all"]["constant"]


def test_kappa_by_parts_takes_the_votes_of_each_part_alone(samples: ModuleType) -> None:
    # Detected errors of x: vv, vi, ii, ii; those of y and the others agree on everything.
    said = dict(zip("12345678", ("vv", "vi", "ii", "ii", "vv", "ii", "vv", "ii"), strict=True))
    ballot, table = ballot_of(samples, said)
    columns = {"detected": pa.array([True] * 6 + [False] * 2), "topic": pa.array([*"xxxxyy", *"xx"])}
    parts = cohen_parts(first_votes(ballot, table, 2), columns)
    found = {(part["detected"], part["topic"]): (part["kappa"], part["items"]) for part in parts}
    assert found[True, "x"] == (0.5, 4)
    assert found[True, "y"] == (1.0, 2)
    assert found[False, "all"] == found[False, "x"] == (1.0, 2)
    assert found[True, "all"] == (pytest.approx(naive_kappa(["vv", "vi", "ii", "ii", "vv", "ii"]), abs=1e-6), 6)
    assert cohen_parts(first_votes(*ballot_of(samples, {"1": "v"}), 2), {"topic": pa.array(["x"])}) == []
