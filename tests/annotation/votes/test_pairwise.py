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
from tashika.annotation.votes.pairwise import ALL_THE_SAME, NO_PAIRS, cohen_by, first_votes, kappa_table
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
    return cohen_by(first_votes(ballot, table, 2), pa.array(list(groups or "x" * len(said))))


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
    kappa_by_group = cohen_by(first_votes(ballot, table, 2), pa.array(["x", "x", "y"]))
    third: Any = pytest.approx(1 / 3, abs=1e-6)
    assert kappa_by_group["all"] == entry(third, 3, 3, symmetric=True, reason=None)
    assert kappa_by_group["x"]["symmetric"]  # one rule for all groups
    # Other names change nothing.
    swapped = samples.judgment_table(
        *({**row, "annotator": {"a": "z", "b": "b", "c": "a"}[row["annotator"]]} for row in rows)
    )
    ballot = collect(pa.array(["1", "2", "3"]), swapped, CHOICES)
    assert cohen_by(first_votes(ballot, swapped, 2), pa.array(["x", "x", "y"])) == kappa_by_group


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
