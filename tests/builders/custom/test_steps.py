"""From rows to items: what is left out is counted by reason, and the rest is what a reader expects."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.builders.custom.rows import RawRow, Source
from tashika.builders.custom.steps import LeftOut, items_of
from tashika.core.custom.build_form import KindForm
from tashika.core.errors import InputError
from tashika.core.records import item_id


def form(**changes: Any) -> KindForm:
    columns = {"text": "string", "answer": "int32"}
    return KindForm.model_validate({"file": "t.csv", "key": ["text"], "columns": columns, **changes})


def source(rows: Iterable[Mapping[str, Any]], *, lenient: bool = False) -> Source:
    raw = (RawRow(f"t.csv:{line}", row) for line, row in enumerate(rows, start=2))
    return Source(raw, "t.csv", "abc", texts=True, lenient=lenient)


def build(rows: Iterable[Mapping[str, Any]], **changes: Any) -> tuple[list[dict[str, Any]], LeftOut]:
    left_out = LeftOut(io.StringIO())
    return list(items_of("riddles", "question", form(**changes), source(rows), left_out)), left_out


GOOD = [{"text": f"Riddle {number}?", "answer": str(number)} for number in range(5)]


def test_an_item_knows_its_source_and_its_id_hangs_on_the_key_alone() -> None:
    (item, *_), _ = build(GOOD)
    assert item["item_id"] == item_id("riddles", "question", "Riddle 0?")
    assert item["sources"] == [{"name": "t.csv", "revision": "abc"}]
    assert (item["text"], item["answer"], item["generation"]) == ("Riddle 0?", 0, None)


def test_a_bad_row_is_an_error_or_counted_by_the_suite_file() -> None:
    rows = [*GOOD[:2], {"text": "Riddle 9?", "answer": "nine"}, {"text": "", "answer": "3"}]
    with pytest.raises(InputError, match="column answer: found 'nine', expected int32") as error:
        build(rows)
    assert error.value.where == "t.csv:4"
    items, left_out = build(rows, bad="refuse")
    assert len(items) == 2
    assert left_out.counts == {
        "column answer: found another value, expected int32": 1,
        "column text: found another value, expected string": 1,
    }
    assert isinstance(left_out.lines, io.StringIO)
    assert left_out.lines.getvalue().splitlines()[0] == "t.csv:4\tcolumn answer: found 'nine', expected int32"


def test_what_a_model_wrote_is_refused_and_never_an_error() -> None:
    left_out = LeftOut()
    rows = source([{"text": "Riddle?", "answer": "x"}], lenient=True)
    assert list(items_of("riddles", "question", form(), rows, left_out)) == []
    assert sum(left_out.counts.values()) == 1


def test_a_key_stands_once() -> None:
    with pytest.raises(InputError, match="an earlier row has the same key: text 'Riddle 0"):
        build([*GOOD, {"text": "Riddle 0?", "answer": "7"}])
    items, left_out = build([*GOOD, {"text": "Riddle 0?", "answer": "7"}], duplicates="refuse")
    assert [item["answer"] for item in items] == [0, 1, 2, 3, 4]
    assert left_out.counts == {"an earlier row has the same key": 1}
    both, _ = build([*GOOD, {"text": "Riddle 0?", "answer": "7"}], key=["text", "answer"])
    assert len(both) == 6


def test_a_condition_over_the_columns() -> None:
    items, left_out = build(GOOD, where="answer > 2 and 'Riddle' in text")
    assert [item["answer"] for item in items] == [3, 4]
    assert left_out.counts == {"`where` is false": 3}


@pytest.mark.parametrize("where", ["answer / 0 > 1", "text + answer"])
def test_a_condition_that_fails_names_the_row(where: str) -> None:
    with pytest.raises(InputError, match=r"the condition fails on a row: .*Riddle 0"):
        build(GOOD, where=where)


def test_code_cannot_be_reached_from_a_condition() -> None:
    with pytest.raises(InputError, match="fails on a row"):
        build(GOOD, where="text.__class__.__mro__[1].__subclasses__() | length > 0")


NEAR = [
    {"text": "What has keys and opens no door at all?", "answer": "1"},
    {"text": "what has keys and opens  no door at all", "answer": "2"},
    {"text": "What gets wetter the more it dries?", "answer": "3"},
]


def test_near_duplicates_are_dropped_or_counted() -> None:
    near = {"columns": ["text"], "threshold": 0.7}
    items, left_out = build(NEAR, near_duplicates=near)
    assert [item["answer"] for item in items] == [1, 3]
    assert left_out.counts == {"nearly the same as another: is left out": 1}
    items, left_out = build(NEAR, near_duplicates={**near, "action": "count"})
    assert [item["answer"] for item in items] == [1, 2, 3]
    assert left_out.counts == {"nearly the same as another: stays": 1}


@given(st.permutations(GOOD), st.integers(1, 6))
def test_a_sample_does_not_depend_on_the_order_of_the_rows(rows: list[dict[str, str]], size: int) -> None:
    expected, _ = build(GOOD, sample=size)
    items, left_out = build(rows, sample=size)
    assert {item["text"] for item in items} == {item["text"] for item in expected}
    assert len(items) == min(size, 5)
    assert left_out.counts["not in the sample"] == max(5 - size, 0)


def test_a_larger_sample_holds_the_smaller_one() -> None:
    smaller, larger = ({item["text"] for item in build(GOOD, sample=size)[0]} for size in (2, 4))
    assert smaller < larger
