"""The mean distribution over the prompts of a pair, read pair by pair: memory does not grow with the prompts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow.parquet as pq

from tashika.evaluate.engine.arrays import Codes
from tashika.evaluate.myriadlama.candidate_numbers import Ensemble
from tashika.evaluate.myriadlama.pooling import RESAMPLES, ratios
from tashika.evaluate.statistics.inference import Floats

_READ_AT_ONCE = 5_000


class PairAnswer(NamedTuple):
    """What the prompts of one pair give together.

    Attributes:
        pair: Its number in the release.
        right: Whether the most probable object of their mean distribution is right; of equals the first.
        probability: Of the correct objects together, in that distribution.
        one_prompt: The share of prompts whose first answer is right.
        prompts: How many prompts.
        objects: How many candidates.
    """

    pair: int
    right: bool
    probability: float
    one_prompt: float
    prompts: int
    objects: int


def pair_answers(file: Path, correct: Mapping[int, Codes]) -> Iterator[PairAnswer]:
    """The answers of all pairs of a file of predictions, whose rows are in the order of pairs.

    Args:
        file: Of `candidate_scoring.CANDIDATE_PREDICTION`.
        correct: For each pair, by its number in the release, the places of its correct objects.
    """
    total: Floats = np.zeros(0)
    pair, prompts, hits = -1, 0, 0
    for other, rank, shares in _rows(file):
        if other != pair:
            if prompts:
                yield _answer(pair, total / prompts, correct[pair], hits, prompts)
            pair, prompts, hits, total = other, 0, 0, np.zeros(len(shares))
        total += shares
        prompts += 1
        hits += rank == 1
    if prompts:
        yield _answer(pair, total / prompts, correct[pair], hits, prompts)


def _answer(pair: int, mean: Floats, correct: Codes, hits: int, prompts: int) -> PairAnswer:
    right = bool(np.isin(int(mean.argmax()), correct))
    return PairAnswer(pair, right, float(mean[correct].sum()), hits / prompts, prompts, len(mean))


def _rows(file: Path) -> Iterator[tuple[int, int, Floats]]:
    """Pair, rank and distribution of every scored prompt."""
    with pq.ParquetFile(file) as table:
        for batch in table.iter_batches(batch_size=_READ_AT_ONCE, columns=["pair", "rank", "probabilities"]):
            lists: Any = batch.column("probabilities")
            values, offsets = lists.values.to_numpy(), lists.offsets.to_numpy()
            known = lists.is_valid().to_numpy(zero_copy_only=False)
            pairs, ranks = (batch.column(name).to_pylist() for name in ("pair", "rank"))
            for row in np.flatnonzero(known).tolist():
                yield pairs[row], ranks[row], values[offsets[row] : offsets[row + 1]].astype(np.float64)


def ensemble_of(answers: Sequence[PairAnswer], seed: int = 0, resamples: int = RESAMPLES) -> Ensemble:
    """The ensemble's numbers with intervals over draws of pairs."""
    columns = np.asarray(
        [[one.right, one.right - one.one_prompt, one.probability] for one in answers], dtype=np.float64
    )
    accuracy, gain, probability = ratios(columns, np.ones_like(columns), seed, resamples, differences=(1,))
    return Ensemble(accuracy=accuracy, gain=gain, mean_probability=probability)


def chance_of(answers: Sequence[PairAnswer], correct: Mapping[int, Codes]) -> float:
    """Acc@1 of a draw among the candidates, every prompt weighing the same."""
    prompts = np.asarray([one.prompts for one in answers])
    share = np.asarray([len(correct[one.pair]) / one.objects for one in answers])
    return float(prompts @ share / prompts.sum())
