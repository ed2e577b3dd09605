"""Answers that leave the server and come back, as the judgments show them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import ModuleType
from typing import Any

import pytest

from tashika.annotation.judging.judgments import WITHDRAWN, marked, number_of


@pytest.fixture
def version(samples: ModuleType) -> Any:
    def make(number: int, second: int, problem: str | None = None, **fields: Any) -> dict[str, Any]:
        time = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=second)
        return dict(samples.judgment("i", "ada", annotation_id=number, created_at=time, problem=problem, **fields))

    return make


def problems(samples: ModuleType, *rows: dict[str, Any]) -> list[tuple[int, int, str | None]]:
    table = marked(samples.judgment_table(*rows)).to_pylist()
    return [(row["annotation_id"], row["created_at"].second, row["problem"]) for row in table]


def test_all_versions_of_a_withdrawn_answer_are_and_no_other(samples: ModuleType, version: Any) -> None:
    rows = [version(1, 1), version(2, 1), version(1, 2), version(1, 2, WITHDRAWN)]
    assert problems(samples, *rows) == [(1, 1, WITHDRAWN), (2, 1, None), (1, 2, WITHDRAWN)]


def test_the_same_number_on_another_server_is_another_answer(samples: ModuleType, version: Any) -> None:
    rows = [version(1, 1), version(1, 1, server="other"), version(1, 1, WITHDRAWN)]
    assert problems(samples, *rows) == [(1, 1, WITHDRAWN), (1, 1, None)]


def test_an_answer_that_is_back_counts_again(samples: ModuleType, version: Any) -> None:
    rows = [version(1, 1), version(1, 1, WITHDRAWN), version(1, 1)]
    assert problems(samples, *rows) == [(1, 1, None)]
    assert problems(samples, *rows, version(1, 1, WITHDRAWN)) == [(1, 1, WITHDRAWN)]


def test_a_later_answer_under_a_number_that_was_free_again_does_not_bring_the_first_back(
    samples: ModuleType, version: Any
) -> None:
    rows = [version(1, 1), version(1, 1, WITHDRAWN), version(1, 5)]
    assert problems(samples, *rows) == [(1, 1, WITHDRAWN), (1, 5, None)]


def test_a_version_has_its_own_number_of_63_bits() -> None:
    numbers = {number_of((server, answer, time)) for server in "ab" for answer in range(20) for time in range(20)}
    assert len(numbers) == 800
    assert all(0 <= number < 1 << 63 for number in numbers)
