from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.builders.kuci.questions.splits import clause_key, sizes, split
from tashika.core.suites.kuci.words import SPLITS


def pair(identity: str, antecedent: str, events: tuple[str, str] = ("", "")) -> dict[str, Any]:
    return {
        "item_id": identity,
        "antecedent_words": antecedent.split(),
        "antecedent_event": events[0],
        "consequent_event": events[1],
    }


def singles(count: int) -> list[dict[str, Any]]:
    return [pair(f"i{number}", f"雨{number} が 降っ た ので") for number in range(count)]


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (0, (0, 0, 0)),
        (1, (1, 0, 0)),
        (3, (3, 0, 0)),  # 2.4, 0.3, 0.3: one is left, and 0.4 is the largest remainder
        (5, (4, 1, 0)),  # 4, 0.5, 0.5: of equal remainders the first
        (10, (8, 1, 1)),
        (34_132, (27_306, 3_413, 3_413)),  # 27305.6, 3413.2, 3413.2
    ],
)
def test_sizes(count: int, expected: tuple[int, ...]) -> None:
    assert sizes(count) == expected


@given(st.integers(0, 10_000), st.lists(st.integers(0, 50), min_size=3, max_size=3).filter(any))
def test_sizes_add_up_and_are_off_by_less_than_one(count: int, shares: list[int]) -> None:
    found = sizes(count, shares)
    assert sum(found) == count
    assert all(abs(one - count * share / sum(shares)) < 1 for one, share in zip(found, shares, strict=True))


def test_pairs_of_their_own_are_divided_exactly() -> None:
    parts = Counter(split(singles(200), 0).values())
    assert parts == {"train": 160, "validation": 20, "test": 20}


def test_another_seed_is_another_split() -> None:
    assert split(singles(200), 0) != split(singles(200), 1)


def test_width_and_signs_make_no_other_antecedent() -> None:
    assert clause_key(["ＰＣ", "が", "壊れ", "た"]) == clause_key(["pc", "が", "壊れた"])


def test_an_antecedent_and_a_pair_of_events_stay_together() -> None:
    several = [
        pair("a", "雨 が 降っ た ので", ("雨:ガ:降る", "傘:ヲ:差す")),
        pair("b", "雨 が 降っ た ので", ("雨:ガ:降る", "家:ニ:帰る")),
        pair("c", "雨 が 降れ ば", ("雨:ガ:降る", "家:ニ:帰る")),  # with b by its events, so with a
    ]
    for seed in range(30):
        parts = split([*several, *singles(17)], seed)
        assert len({parts[one] for one in "abc"}) == 1


def test_one_event_without_the_other_connects_nothing() -> None:
    several = [pair(f"i{number}", f"雨{number} が 降る と", ("雨:ガ:降る", "")) for number in range(20)]
    assert Counter(split(several, 0).values()) == {"train": 16, "validation": 2, "test": 2}


pairs = st.lists(
    st.builds(
        lambda antecedent, first, second: (f"前{antecedent} と", (first, second)),
        st.integers(0, 20),
        st.sampled_from(["", "あ", "い", "う"]),
        st.sampled_from(["", "か", "き", "く"]),
    ),
    max_size=60,
).map(lambda made: [pair(f"i{place}", *one) for place, one in enumerate(made)])


@given(pairs, st.integers(0, 5), st.randoms())
def test_nothing_is_in_two_parts_and_parts_overflow_by_less_than_a_group(
    made: list[dict[str, Any]], seed: int, random: Any
) -> None:
    parts = split(made, seed)
    assert set(parts) == {one["item_id"] for one in made}

    def alike(one: dict[str, Any], two: dict[str, Any]) -> bool:
        events = [(each["antecedent_event"], each["consequent_event"]) for each in (one, two)]
        return one["antecedent_words"] == two["antecedent_words"] or (events[0] == events[1] and all(events[0]))

    for one in made:
        for two in made:
            assert parts[one["item_id"]] == parts[two["item_id"]] or not alike(one, two)
    groups = [{one["item_id"]} for one in made]
    for one in made:  # groups by repeated merging
        near = [group for group in groups if any(alike(one, made[int(two[1:])]) for two in group)]
        merged = {one["item_id"]}.union(*near)
        groups = [group for group in groups if group not in near] + [merged]
    largest = max(map(len, groups), default=0)
    counted = Counter(parts.values())
    for part, size in zip(SPLITS, sizes(len(made)), strict=True):
        assert counted[part] <= max(size, size + largest - 1)

    shuffled = list(made)
    random.shuffle(shuffled)
    assert split(shuffled, seed) == parts
