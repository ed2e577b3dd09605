"""Is a model's confusability matrix another than people's? A permutation test that swaps their answers by target.

If the two answered alike, it would not matter whose answers to a target's probes are whose. So both are compared over
the probes that both answered, and in each permutation a fair coin for each target says whether all their answers to it
are swapped. A p is two-sided: the share of permutations whose difference is at least as large as the real one, the real
one counted among them, so that it is never 0 (B. Phipson and G. K. Smyth, Permutation p-values should never be zero,
2010). A permutation in which a number is not defined counts as one that is as large: the p is rather too large.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tashika.core.suites.semrel.words import RELATIONS
from tashika.evaluate.semrel.confusability import SIZE, Floats, Probe, confusability_matrix, target_sums
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
) -> dict[str, Any]:
    """Tests each cell, the mean absolute difference of the cells, and means of cells.

    Args:
        system: The model's probes.
        people: Those of people.
        means: Flags (r, s) of the cells that a mean is over, such as the antonymy bias's column and row.
        permutations: How many; the smallest possible p is 1 / (permutations + 1).
        seed: Of the permutations.

    Returns:
        Plain values for JSON, over the probes that both answered: `n_probes`, `n_targets`, `permutations`;
        `cells`, of every two different relations: `probe_relation`, `answer_relation`, `difference` (model less
        people), `p`, `p_holm` (over all cells tested); `distance`, the mean absolute difference of these cells, with
        `p`; `means`: by name `difference`, `p`, `p_holm` (over the means). None where a number is not defined.

    Raises:
        ValueError: There are no permutations.
    """
    if permutations < 1:
        raise ValueError(f"found {permutations} permutations, expected 1 or more")
    first, second, probes = _shared(system, people)
    total, counts = first.sum(axis=0), probes.sum(axis=0)
    both, other = total + second.sum(axis=0), (second - first).reshape(-1, SIZE * SIZE)
    real_cells = _difference(total, both - total, counts)
    off = ~np.eye(SIZE, dtype=np.bool_) & ~np.isnan(real_cells)
    chosen = {name: cells & off for name, cells in means.items() if (cells & off).any()}
    real = _statistics(real_cells, off, chosen)
    extreme, random = np.zeros(len(real)), np.random.default_rng(seed)
    for start in range(0, permutations, _AT_ONCE):
        coins = random.integers(0, 2, size=(min(_AT_ONCE, permutations - start), len(first))).astype(float)
        swapped = total + (coins @ other).reshape(-1, SIZE, SIZE)
        drawn = _statistics(_difference(swapped, both - swapped, counts), off, chosen)
        extreme += (np.isnan(drawn) | (np.abs(drawn) >= np.abs(real) - _SAME)).sum(axis=0)
    found = _told(real, (extreme + 1) / (permutations + 1), off, chosen)
    found["means"] = {name: found["means"].get(name, dict(_UNKNOWN)) for name in means}
    size = {"n_probes": len(set(system.ids) & set(people.ids)), "n_targets": len(first), "permutations": permutations}
    return {**size, **found}


_UNKNOWN: Final = {"difference": None, "p": None, "p_holm": None}


def _shared(system: Scored, people: Scored) -> tuple[Floats, Floats, Floats]:
    """Each target's sums of alphas over the probes that both answered, of system and people, and how many these are.

    The number is the same for both: whether a probe has an alpha depends on its target alone.
    """
    places = {each: place for place, each in enumerate(people.ids)}
    pairs = [(mine, places[each]) for mine, each in enumerate(system.ids) if each in places]
    mine, theirs = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    probes: list[Probe] = [system.probes[row] for row in mine]
    first, second = target_sums(probes, system.alphas[mine]), target_sums(probes, people.alphas[theirs])
    return first.alpha, second.alpha, first.probes


def _difference(system: Floats, people: Floats, counts: Floats) -> Floats:
    """Confusability of the system less that of people, from sums of alphas: (..., r, s)."""
    first, second = (
        np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0) for sums in (system, people)
    )
    return confusability_matrix(first) - confusability_matrix(second)


def _statistics(cells: Floats, off: Flags, means: Mapping[str, Flags]) -> Floats:
    """What is tested, a column each: the cells, the mean absolute difference of them, the means."""
    found = cells[..., off]
    columns = [found, _mean(np.abs(found))[..., None]]
    columns += [_mean(cells[..., flags])[..., None] for flags in means.values()]
    return np.concatenate(columns, axis=-1)


def _mean(values: Floats) -> Floats:
    """Over the last axis; NaN, without a warning, where there is nothing."""
    size = values.shape[-1]
    means: Floats = values.sum(axis=-1) / size if size else np.full(values.shape[:-1], np.nan)
    return means


def _told(real: Floats, p: Floats, off: Flags, means: Mapping[str, Flags]) -> dict[str, Any]:
    """The statistics by name."""
    places = {(int(i), int(j)): place for place, (i, j) in enumerate(np.argwhere(off))}
    tested = [float(each) for each in p[: len(places)]]
    cells = []
    for i, j in np.argwhere(~np.eye(SIZE, dtype=np.bool_)):
        place = places.get((int(i), int(j)))
        row = dict(_UNKNOWN) if place is None else {"difference": float(real[place]), "p": tested[place]}
        cells.append({"probe_relation": RELATIONS[i], "answer_relation": RELATIONS[j], **row})
    for cell, adjusted in zip(cells, holm([cell["p"] for cell in cells]), strict=True):
        cell["p_holm"] = adjusted
    rest = [(float(value), float(each)) for value, each in zip(real[len(places) :], p[len(places) :], strict=True)]
    distance = {"value": rest[0][0], "p": rest[0][1]} if places else {"value": None, "p": None}
    corrected = holm([each for _, each in rest[1:]])
    named = {
        name: {"difference": value, "p": each, "p_holm": adjusted}
        for name, (value, each), adjusted in zip(means, rest[1:], corrected, strict=True)
    }
    return {"cells": cells, "distance": distance, "means": named}
