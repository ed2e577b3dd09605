from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.builders.tempripple.distractors import Pool, Source, form
from tashika.builders.tempripple.records import Value
from tashika.core.draws import Draw
from tashika.core.texts import text_key

ITEM = "item"
Entry = tuple[str, int, str, str]  # relation, hop, fact, text


def pool_of(entries: list[Entry], kind: str = ITEM) -> Pool:
    pool = Pool()
    for relation, hop, fact, text in entries:
        pool.add(Source(relation, hop, fact), text, kind)
    return pool


TEXTS = st.sampled_from([*"abcdefgh", "A", "B", "ａ", "b "])
ENTRIES = st.lists(st.tuples(st.sampled_from(["P1", "P2"]), st.integers(0, 2), st.sampled_from("xyz"), TEXTS))


@given(ENTRIES, TEXTS, st.sets(TEXTS), st.integers(0, 2), st.integers(), st.text())
def test_options_are_distinct_true_elsewhere_and_never_right(
    entries: list[Entry], answer: str, never: set[str], hop: int, seed: int, name: str
) -> None:
    source = Source("P1", hop, "x")
    options = pool_of(entries).options(answer, ITEM, source, never, Draw(seed, name))
    keys = {text_key(text) for relation, _, fact, text in entries if relation == "P1" and fact != "x"}
    usable = keys - {text_key(answer)} - {text_key(text) for text in never}
    if options is None:
        assert len(usable) < 3
        return
    assert len(options.texts) == len({text_key(text) for text in options.texts}) == 4
    assert options.texts[options.answer] == answer
    assert {text_key(text) for text in options.texts} - {text_key(answer)} <= usable
    here = {text_key(text) for relation, at, fact, text in entries if (relation, at) == ("P1", hop) and fact != "x"}
    assert options.widening == ("" if len(here & usable) >= 3 else "hop")


@given(ENTRIES, st.randoms(use_true_random=False), st.integers(0, 5))
def test_options_do_not_depend_on_the_order_or_on_other_questions(
    entries: list[Entry], random: object, seed: int
) -> None:
    source, never = Source("P1", 1, "x"), ("h",)
    first = pool_of(entries).options("b", ITEM, source, never, Draw(seed, "q"))
    mixed = [*entries, *entries[:3]]
    random.shuffle(mixed)  # type: ignore[attr-defined]
    pool = pool_of(mixed[:2])
    pool.options("a", ITEM, source, (), Draw(seed, "other"))
    for relation, hop, fact, text in mixed[2:]:
        pool.add(Source(relation, hop, fact), text, ITEM)
    assert pool.options("b", ITEM, source, never, Draw(seed, "q")) == first


def test_every_option_and_every_place_is_as_likely_as_another() -> None:
    pool = pool_of([("P1", 1, "x", "answer"), *(("P1", 1, "y", text) for text in "abcdef")])
    drawn = [pool.options("answer", ITEM, Source("P1", 1, "x"), (), Draw(0, str(n))) for n in range(4000)]
    places = Counter(one.answer for one in drawn if one)
    wrong = Counter(text for one in drawn if one for text in one.texts if text != "answer")
    assert all(abs(places[place] - 1000) < 120 for place in range(4))  # four standard deviations are 110
    assert all(abs(wrong[text] - 2000) < 130 for text in "abcdef")
    assert places.total() == 4000


def test_another_seed_draws_others() -> None:
    pool = pool_of([("P1", 1, "y", str(number)) for number in range(1000)])
    draws = {pool.options("answer", ITEM, Source("P1", 1, "x"), (), Draw(seed, "q")) for seed in range(20)}
    assert len(draws) == 20


def test_an_object_of_the_same_fact_is_drawn_if_another_fact_has_it_too() -> None:
    pool = pool_of([("P1", 1, "x", text) for text in "abc"])
    source = Source("P1", 1, "x")
    assert pool.options("d", ITEM, source, (), Draw(0, "q")) is None
    for text in "abc":
        pool.add(Source("P1", 1, "y"), text, ITEM)
    options = pool.options("d", ITEM, source, (), Draw(0, "q"))
    assert options
    assert set(options.texts) == set("abcd")


def test_dates_of_the_same_precision_come_first_from_other_hops_too() -> None:
    pool = pool_of([("P569", 1, "y", f"{day} May 1950") for day in (1, 2)], "time-2")
    pool.add(Source("P569", 3, "y"), "3 May 1950", "time-2")
    for year in range(1900, 1950):
        pool.add(Source("P569", 1, "y"), str(year), "time-0")
    source = Source("P569", 1, "x")
    options = pool.options("4 May 1950", "time-2", source, (), Draw(0, "q"))
    assert options
    assert set(options.texts) == {f"{day} May 1950" for day in (1, 2, 3, 4)}
    assert options.widening == "hop"
    assert pool.options("4 May 1950", "time-2", source, (), Draw(0, "q"), count=6) is None  # years are of no use


def test_a_right_date_told_with_another_precision_is_no_wrong_option() -> None:
    pool, source = Pool(), Source("P569", 1, "x")
    for text in ("1 May 1952", "1 May 1953", "1 May 1954", "2 May 1951", "1950", "May 1950"):
        pool.add(Source("P569", 1, "y"), text, f"time-{text.count(' ')}")
    options = pool.options("1 May 1950", "time-2", source, ["1952"], Draw(0, "q"))
    assert options
    assert set(options.texts) == {"1 May 1950", "1 May 1953", "1 May 1954", "2 May 1951"}


def test_the_nearest_hop_comes_first() -> None:
    pool = pool_of([("P1", hop, "y", f"{hop}{text}") for hop in (0, 2, 3) for text in "ab"])
    options = pool.options("answer", ITEM, Source("P1", 3, "x"), (), Draw(0, "q"))
    assert options
    assert {"3a", "3b", "answer"} < set(options.texts)
    assert set(options.texts) & {"2a", "2b"}


@pytest.mark.parametrize(("count", "enough"), [(2, True), (4, True), (5, False)])
def test_too_few_are_none(count: int, enough: bool) -> None:
    pool = pool_of([("P21", 1, "y", text) for text in ("male", "female", "non-binary", "Male")])
    options = pool.options("other", ITEM, Source("P21", 1, "x"), (), Draw(0, "q"), count)
    assert (options is not None) == enough
    assert Pool().options("other", ITEM, Source("P21", 1, "x"), (), Draw(0, "q"), count) is None


@given(st.integers(0, 50), st.integers(), st.text())
def test_shuffling_yields_each_value_once(size: int, seed: int, name: str) -> None:
    assert sorted(Draw(seed, name).shuffled(range(size))) == list(range(size))


def test_three_of_ten_million_do_not_copy_them() -> None:
    found = Draw(0, "q").shuffled(range(10_000_000))
    assert len({next(found) for _ in range(3)}) == 3


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Value("Q1", "item"), "item"),
        (Value("5", "quantity"), "quantity"),
        (Value("zh-Hant", "string"), "string"),
        (Value("1946", "time"), "time-0"),
        (Value("-0043", "time"), "time-0"),
        (Value("-0043-03", "time"), "time-1"),
        (Value("1946-06-14", "time"), "time-2"),
    ],
)
def test_forms(value: Value, expected: str) -> None:
    assert form(value) == expected
