"""A system's numbers under each reading of equation 2, and people's under each way to rank ties."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from tashika.core.suites.semrel.words import RELATIONS
from tashika.evaluate.semrel.cells import Matrix, Mean
from tashika.evaluate.semrel.confusability import (
    SIZE,
    Floats,
    Relata,
    alpha_matrix,
    confusability_matrix,
    target_sums,
)
from tashika.evaluate.semrel.equation_2 import Equation2, read_alphas
from tashika.evaluate.semrel.findings import FINDINGS, ROW, Flags
from tashika.evaluate.semrel.intervals import draw_alphas, interval_of, mean_of_cells
from tashika.evaluate.semrel.permutation import Scored, against_people
from tashika.evaluate.semrel.readings_model import MovedCell, ReadingNumbers, TieInfluence, TieNumbers
from tashika.evaluate.semrel.settings import MeasureSettings
from tashika.evaluate.semrel.ties import TieCounts, Ties

_DIAGONAL: Final[Flags] = np.eye(SIZE, dtype=np.bool_)
_CELLS: Final[Mapping[str, Flags]] = {finding.key: finding.flags for finding in FINDINGS}


def named(matrix: Floats) -> Matrix:
    """A matrix by full names, None for NaN."""
    return {
        r: {s: None if np.isnan(matrix[i, j]) else float(matrix[i, j]) for j, s in enumerate(RELATIONS)}
        for i, r in enumerate(RELATIONS)
    }


def read_as(scored: Scored, relata: Relata, equation_2: Equation2) -> Scored:
    """The probes with their alphas as a reading of equation 2 takes them into its mean.

    Args:
        scored: With the alphas of equation 1.
        relata: The relata of the targets.
        equation_2: The reading.
    """
    alphas = read_alphas(equation_2, scored.alphas, scored.probes, scored.lengths, relata)
    return scored._replace(alphas=alphas)


def reading_numbers(
    plain: Scored, people: Scored | None, relata: Relata, settings: MeasureSettings, equation_2: Equation2
) -> ReadingNumbers:
    """The numbers of a system under one reading.

    Args:
        plain: Its probes, with the alphas of equation 1.
        people: Those of people; None where there are none, or where the system is the people.
        relata: The relata of the targets.
        settings: Draws, permutations and the level; its reading is not used.
        equation_2: The reading.
    """
    scored = read_as(plain, relata, equation_2)
    sums = target_sums(scored.probes, scored.alphas)
    alpha = alpha_matrix(sums)
    matrix = confusability_matrix(alpha)
    drawn_alpha = draw_alphas(sums, settings)
    drawn = confusability_matrix(drawn_alpha)
    n_targets = (sums.probes > 0).sum(axis=0)
    tests = None
    if people is not None:
        others = read_as(people, relata, equation_2)
        tests = against_people(scored, others, _CELLS, permutations=settings.permutations, seed=settings.seed).means
    return ReadingNumbers(
        alpha=named(alpha),
        matrix=named(matrix),
        own=mean_of_cells(alpha, drawn_alpha, _DIAGONAL, n_targets, settings.level),
        means={key: mean_of_cells(matrix, drawn, cells, n_targets, settings.level) for key, cells in _CELLS.items()},
        row_less_rest=_row_less_rest(matrix, drawn, n_targets, settings.level),
        against_people=tests,
    )


def _row_less_rest(matrix: Floats, drawn: Floats, n_targets: Floats, level: float) -> Mean:
    """The mean of the antonymy row less that of all other cells, of cells that are defined."""
    defined = ~np.isnan(matrix) & ~_DIAGONAL
    row, rest = defined & _CELLS[ROW], defined & ~_CELLS[ROW]
    if not row.any() or not rest.any():
        return Mean(value=None, cells=0, interval=None)
    several = bool((n_targets[defined] > 1).all())
    draws = drawn[:, row].mean(axis=1) - drawn[:, rest].mean(axis=1)
    value = float(matrix[row].mean() - matrix[rest].mean())
    return Mean(value=value, cells=int(defined.sum()), interval=interval_of(draws, level) if several else None)


def tie_influence(matrices: Mapping[Ties, Floats], counts: TieCounts) -> TieInfluence:
    """How far ties matter.

    Args:
        matrices: (r, s) confusability by the way to rank them.
        counts: How many ties there are.
    """
    ways = {ties: TieNumbers(matrix=named(matrix), means=_means(matrix)) for ties, matrix in matrices.items()}
    all_of_them = np.stack(list(matrices.values()))
    low, high = all_of_them.min(axis=0), all_of_them.max(axis=0)  # NaN where one of them is not defined
    spread = np.where(np.isnan(high - low) | _DIAGONAL, -1.0, high - low)
    i, j = (int(place) for place in np.unravel_index(int(spread.argmax()), spread.shape))
    moved = None
    if spread[i, j] >= 0:
        ends = {"low": float(low[i, j]), "high": float(high[i, j])}
        moved = MovedCell(probe_relation=RELATIONS[i], answer_relation=RELATIONS[j], **ends)
    return TieInfluence(**counts._asdict(), ways=ways, most_moved=moved)


def _means(matrix: Floats) -> dict[str, float | None]:
    means = {}
    for key, cells in _CELLS.items():
        defined = cells & ~np.isnan(matrix)
        means[key] = float(matrix[defined].mean()) if defined.any() else None
    return means
