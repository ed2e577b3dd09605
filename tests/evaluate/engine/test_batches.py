"""Batches, and what happens when the memory runs out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tashika.core.errors import OutsideError
from tashika.core.models import load_model
from tashika.evaluate.engine.batches import Budget, buckets, out_of_memory
from tashika.evaluate.myriadlama.prompts import read_release, work_list
from tashika.evaluate.myriadlama.scoring import Engine


@given(st.lists(st.integers(1, 9), max_size=40))
def test_buckets_hold_one_length_each_longest_first(lengths: list[int]) -> None:
    found = list(buckets(np.asarray(lengths, dtype=np.int64)))
    assert sorted(place for bucket in found for place in bucket.tolist()) == list(range(len(lengths)))
    assert [{lengths[place] for place in bucket.tolist()} for bucket in found] == [
        {length} for length in sorted(set(lengths), reverse=True)
    ]


def test_a_batch_is_bounded_by_its_tokens_and_by_its_logits() -> None:
    budget = Budget(tokens=100, logits=1_000)
    assert budget.texts(length=10, vocabulary=1) == 10
    assert budget.texts(length=10, vocabulary=200) == 5
    assert budget.texts(length=300, vocabulary=5_000) == 1


@pytest.mark.parametrize(
    ("error", "is_it"),
    [
        (torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB"), True),
        (RuntimeError("[enforce fail at alloc_cpu.cpp] DefaultCPUAllocator: can't allocate memory"), True),
        (RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"), True),
        (RuntimeError("could not create a memory object"), True),
        (MemoryError(), True),
        (RuntimeError("mat1 and mat2 shapes cannot be multiplied"), False),
        (ValueError("something else"), False),
    ],
)
def test_knows_an_error_of_memory(error: BaseException, is_it: bool) -> None:
    assert out_of_memory(error) is is_it


@pytest.mark.slow
def test_halves_until_it_fits_and_leaves_nothing_out(capsys: pytest.CaptureFixture[str]) -> None:
    budget, done, sizes = Budget(tokens=16), [], []

    def work(some: Any) -> None:
        sizes.append(len(some))
        if len(some) > 3:
            raise torch.OutOfMemoryError("CUDA out of memory")
        done.extend(some.tolist())

    budget.run(np.arange(10), lambda: budget.texts(length=1, vocabulary=1), work)
    assert done == list(range(10))
    assert sizes == [10, 8, 4, 2, 2, 2, 2, 2]
    assert budget.tokens == 2
    assert "out of memory: continuing with batches of 2 tokens" in capsys.readouterr().err


def test_says_so_when_a_single_text_does_not_fit() -> None:
    def work(_: Any) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory")

    with pytest.raises(OutsideError, match="does not hold the model and a single text"):
        Budget(tokens=4).run(np.arange(3), lambda: 1, work)


def test_other_errors_pass() -> None:
    def work(_: Any) -> None:
        raise RuntimeError("shapes")

    with pytest.raises(RuntimeError, match="shapes"):
        Budget(tokens=4).run(np.arange(3), lambda: 2, work)


@pytest.mark.slow
@pytest.mark.parametrize("family", ["bert", "llama"])
def test_a_run_that_meets_the_end_of_memory_gives_the_same(
    family: str, tiny_model: Callable[[str], str], release_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = work_list(read_release(release_folder))
    loaded = load_model(tiny_model(family), device="cpu")
    expected = Engine.of(loaded, work).score(0, len(work)).to_pylist()
    engine = Engine.of(loaded, work, batch_tokens=10_000)
    logits, failed = engine.model.blank.logits, []

    def small(ids: Any, *rest: Any, **more: Any) -> torch.Tensor:
        if ids.size > 60:
            failed.append(ids.shape)
            raise torch.OutOfMemoryError("CUDA out of memory")
        return logits(ids, *rest, **more)

    monkeypatch.setattr(engine.model.blank, "logits", small)
    found = engine.score(0, len(work)).to_pylist()
    assert failed
    for one, other in zip(found, expected, strict=True):
        assert (one["item_id"], one["rank"], one["top_token"]) == (other["item_id"], other["rank"], other["top_token"])
        assert one["probability"] == (other["probability"] and pytest.approx(other["probability"], rel=1e-4))
