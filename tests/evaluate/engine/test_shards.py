"""Shards that are scored without a file of their own: order, several scorers, errors."""

from __future__ import annotations

from pathlib import Path
from threading import Barrier
from typing import Any

import pyarrow as pa
import pytest

from tashika.evaluate.engine.recipe import Advance
from tashika.evaluate.engine.shards import Shard, score_in_parts


class Doubling:
    """Doubles each place of a stretch; with a barrier it waits for the other scorers to begin."""

    def __init__(self, together: Barrier | None = None, broken: int | None = None) -> None:
        self.together, self.broken = together, broken
        self.seen: list[int] = []

    def prepare(self, start: int, stop: int) -> range:
        return range(start, stop)

    def run(self, prepared: range, advance: Advance = lambda _: None) -> list[int]:
        if self.together is not None and not self.seen:
            self.together.wait(30)
        self.seen.append(prepared.start)
        if prepared.start == self.broken:
            raise ZeroDivisionError
        return [2 * place for place in prepared]

    def table(self, prepared: Any, result: list[int]) -> pa.Table:
        return pa.table({"doubled": result})


SHARDS = [Shard(Path("unused"), start, start + 2) for start in range(0, 8, 2)]
EXPECTED = [[0, 2], [4, 6], [8, 10], [12, 14]]


def test_one_scorer_gives_the_parts_in_order() -> None:
    parts = [(number, table["doubled"].to_pylist()) for number, table in score_in_parts([Doubling()], SHARDS)]
    assert parts == list(enumerate(EXPECTED))


def test_several_scorers_share_the_parts() -> None:
    scorers = [Doubling(Barrier(2))]
    scorers.append(Doubling(scorers[0].together))
    parts = {number: table["doubled"].to_pylist() for number, table in score_in_parts(scorers, SHARDS)}
    assert [parts[number] for number in range(4)] == EXPECTED
    assert sorted(scorers[0].seen + scorers[1].seen) == [0, 2, 4, 6]
    assert min(len(scorer.seen) for scorer in scorers) >= 1


def test_an_error_of_one_scorer_ends_the_run() -> None:
    with pytest.raises(ZeroDivisionError):
        list(score_in_parts([Doubling(broken=2), Doubling(broken=2)], SHARDS))
