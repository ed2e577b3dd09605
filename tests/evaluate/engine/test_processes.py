"""A scorer in another process: its results, its words, its errors and its death come here."""

from __future__ import annotations

import os

import psutil
import pytest
import torch

from tashika.core.errors import InputError, OutsideError
from tashika.evaluate.engine.processes import ProcessScorer
from tests.evaluate.engine.counting import CountingRecipe

RECIPE = CountingRecipe("counter", "causal", "cpu", "fp32")


def test_results_and_words_come_here_and_threads_go_there(capsys: pytest.CaptureFixture[str]) -> None:
    advanced: list[int] = []
    with ProcessScorer(RECIPE, "cpu") as scorer:
        for start in (0, 4):
            prepared = scorer.prepare(start, start + 2)
            rows = scorer.table(prepared, scorer.run(prepared, advanced.append)).to_pylist()
            assert [row["number"] for row in rows] == [start, start + 1]
            assert {row["threads"] for row in rows} == {torch.get_num_threads()}
        [process] = {row["process"] for row in rows}
        assert process != os.getpid()
    assert not psutil.pid_exists(process)
    assert sum(advanced) == 4
    assert "counted to 1 on cpu\ncounted to 5 on cpu\n" in capsys.readouterr().err


def test_errors_come_here_with_what_they_say() -> None:
    with ProcessScorer(CountingRecipe("counter", "causal", "cpu", "fp32", refused=3, broken=5), "cpu") as scorer:
        with pytest.raises(InputError, match="nobody wants") as refused:
            scorer.run((2, 4))
        assert (refused.value.where, refused.value.hint) == ("3", "Take another.")
        with pytest.raises(ZeroDivisionError) as broken:
            scorer.run((4, 6))
        assert "in run" in broken.value.__notes__[0]
        assert scorer.run((0, 2)).num_rows == 2


def test_a_process_that_dies_is_said() -> None:
    with ProcessScorer(CountingRecipe("counter", "causal", "cpu", "fp32", deadly=1), "cpu") as scorer:
        with pytest.raises(OutsideError, match="died with exit code -9") as dead:
            scorer.run((0, 2))
        assert "--device" in (dead.value.hint or "")


def test_a_run_that_was_told_to_end_does_not_wait() -> None:
    class EndedError(Exception):
        pass

    def ended(_steps: int) -> None:
        raise EndedError

    with ProcessScorer(RECIPE, "cpu") as scorer, pytest.raises(EndedError):
        scorer.run((0, 2), ended)
