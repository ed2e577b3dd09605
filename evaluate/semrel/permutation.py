"""Is a model's confusability matrix another than people's? A permutation test that swaps their answers by target.

If the two answered alike, it would not matter whose answers to a target's probes are whose. So both are compared over
the probes that both answered, and in each permutation a fair coin for each target says whether all their answers to it
are swapped. A p is two-sided: the share of permutations whose difference is at least as large as the real one, the real
one counted among them, so that it is never 0 (B. Phipson and G. K. Smyth, Permutation p-values should never be zero,
2010). A permutation in which a number is not defined counts as one that is as large: the p is rather too large.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tashika.core.suites.semrel.words import RELATIONS
from tashika.evaluate.semrel.cells import Difference
from tashika.evaluate.semrel.confusability import SIZE, Floats, Probe, confusability_matrix, target_sums
from tashika.evaluate.semrel.metrics_model import AgainstPeople, CellDifference, Distance
from tashika.evaluate.statistics.inference import holm

Flags = NDArray[np.bool_]

_AT_ONCE: Final = 500
"""Permutations held at a time."""
_SAME: Final = 1e-12
"""Below which two differences are the same: sums in another order differ in their last digits."""


class Scored(NamedTuple):
    """The probes of one system that take part.

    Attributes:
        ids: Of the probes.
        prompts: Their prompts.
        probes: Their targets and relations.
        lengths: Of the lists of answers.
        alphas: (probes, relations), from `confusability.probe_alphas`.
    """

    ids: list[str]
    prompts: list[str]
    probes: list[Probe]
    lengths: list[int]
    alphas: Floats


def against_people(
    system: Scored, people: Scored, means: Mapping[str, Flags], *, permutations: int = 2000, seed: int = 0
) -> AgainstPeople:
    """Tests each cell, the mean absolute difference of the cells, and means of cells.

    Args:
        system: The model's probes.
        people: Those of people.
        means: Flags (r, s) of the cells that a mean is over, such as the antonymy bias's column and row.
        permutations: How many; the smallest possible p is 1 / (permutations + 1).
        seed: Of the permutations.

    Returns:
        Differences and their p, over the probes that both answered.

    Raises:
        ValueError: There are no permutations.
    """
    if permutations < 1:
        raise ValueError(f"found {permutations} permutations, expected 1 or more")
    first, second, probes = _shared(system, people)
    total = first.sum(axis=0)
    counts = probes.sum(axis=0)
    both = total + second.sum(axis=0)
    other = (second - first).reshape(-1, SIZE * SIZE)  # what swapping a target's answers adds
    real_cells = _difference(total, both - total, counts)
    off = ~np.eye(SIZE, dtype=np.bool_) & ~np.isnan(real_cells)
    chosen = {name: cells & off for name, cells in means.items() if (cells & off).any()}
    real = _statistics(real_cells, off, chosen)
    extreme = np.zeros(len(real))
    random = np.random.default_rng(seed)
    for start in range(0, permutations, _AT_ONCE):
        coins = random.integers(0, 2, size=(min(_AT_ONCE, permutations - start), len(first))).astype(float)
        swapped = total + (coins @ other).reshape(-1, SIZE, SIZE)
        drawn = _statistics(_difference(swapped, both - swapped, counts), off, chosen)
        extreme += (np.isnan(drawn) | (np.abs(drawn) >= np.abs(real) - _SAME)).sum(axis=0)
    p = (extreme + 1) / (permutations + 1)
    tested = int(off.sum())
    differences = _mean_differences(chosen, real[tested + 1 :], p[tested + 1 :])
    return AgainstPeople(
        n_probes=len(set(system.ids) & set(people.ids)),
        n_targets=len(first),
        permutations=permutations,
        cells=_cell_differences(off, real, p),
        distance=Distance(value=float(real[tested]), p=float(p[tested])) if tested else _NO_DISTANCE,
        means={name: differences.get(name, _UNDEFINED) for name in means},
    )


_UNDEFINED: Final = Difference(difference=None, p=None, p_holm=None)
_NO_DISTANCE: Final = Distance(value=None, p=None)


def _shared(system: Scored, people: Scored) -> tuple[Floats, Floats, Floats]:
    """Each target's sums of alphas over the probes that both answered, of system and people, and how many these are.

    The number is the same for both: whether a probe has an alpha depends on its target alone.
    """
    places = {item: place for place, item in enumerate(people.ids)}
    pairs = [(place, places[item]) for place, item in enumerate(system.ids) if item in places]
    of_system, of_people = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    probes: list[Probe] = [system.probes[row] for row in of_system]
    first = target_sums(probes, system.alphas[of_system])
    second = target_sums(probes, people.alphas[of_people])
    return first.alpha, second.alpha, first.probes


def _difference(system: Floats, people: Floats, counts: Floats) -> Floats:
    """Confusability of the system less that of people, from sums of alphas: (..., r, s)."""
    first, second = (
        np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0) for sums in (system, people)
    )
    return confusability_matrix(first) - confusability_matrix(second)


def _statistics(cells: Floats, off: Flags, means: Mapping[str, Flags]) -> Floats:
    """What is tested, a column each: the cells, the mean absolute difference of them, the means."""
    tested = cells[..., off]
    columns = [tested, _mean(np.abs(tested))[..., None]]
    columns += [_mean(cells[..., flags])[..., None] for flags in means.values()]
    return np.concatenate(columns, axis=-1)


def _mean(values: Floats) -> Floats:
    """Over the last axis; NaN, without a warning, where there is nothing."""
    size = values.shape[-1]
    means: Floats = values.sum(axis=-1) / size if size else np.full(values.shape[:-1], np.nan)
    return means


def _cell_differences(off: Flags, real: Floats, p: Floats) -> list[CellDifference]:
    """Every two different relations, in order.

    Args:
        off: (r, s) the cells that were tested.
        real: Their differences, in order; what follows is not used.
        p: Their p.
    """
    places = {(int(i), int(j)): place for place, (i, j) in enumerate(np.argwhere(off))}
    pairs = [(int(i), int(j)) for i, j in np.argwhere(~np.eye(SIZE, dtype=np.bool_))]
    values = [float(real[places[pair]]) if pair in places else None for pair in pairs]
    raw = [float(p[places[pair]]) if pair in places else None for pair in pairs]
    return [
        CellDifference(
            probe_relation=RELATIONS[i], answer_relation=RELATIONS[j], difference=value, p=each, p_holm=adjusted
        )
        for (i, j), value, each, adjusted in zip(pairs, values, raw, holm(raw), strict=True)
    ]


def _mean_differences(names: Iterable[str], real: Floats, p: Floats) -> dict[str, Difference]:
    """By name, corrected over the means alone."""
    raw = [float(each) for each in p]
    return {
        name: Difference(difference=float(value), p=each, p_holm=adjusted)
        for name, value, each, adjusted in zip(names, real, raw, holm(raw), strict=True)
    }
