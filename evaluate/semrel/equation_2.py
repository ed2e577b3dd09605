"""Three readings of equation 2 of the paper, which differ in what an alpha is the mean of, and is measured by.

The paper divides the sum of alpha(s, x) over the probes x of relation r by their number, and leaves open what is added
for a target without s-relata, for which equation 1 divides by nothing. Only few targets of another relation have an
antonym, so this decides the antonymy column.

- `with_relata`: the mean over the probes whose target has s-relata.
- `printed`: the mean over all probes of r; those without s-relata add nothing.
- `attainable`: as `with_relata`, of alphas that are divided by the largest that the list could give: with a list of
  length L and m relata, those in the first places, (1/m) * sum over i = 1..min(L, m) of (L - i + 1) / (L + 1). A list
  of three words cannot find twenty hyponyms, nor one antonym score more than 3/4, so plain alphas of relations with
  large and with small sets of relata are not on one scale, and their ratio (equation 3) is no share.

A probe whose target has no relata of the probe's own relation takes part in none of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal, get_args

import numpy as np

from tashika.core.suites.semrel.words import RELATIONS
from tashika.evaluate.semrel.confusability import SIZE, Floats, Probe, Relata, score

Equation2 = Literal["with_relata", "printed", "attainable"]
EQUATION_2: Final[tuple[Equation2, ...]] = get_args(Equation2)

NAMES: Final[Mapping[Equation2, str]] = {
    "with_relata": "probes with relata",
    "printed": "as printed",
    "attainable": "share of the attainable",
}
"""In words, for tables."""


def read_alphas(
    equation_2: Equation2, alphas: Floats, probes: Sequence[Probe], lengths: Sequence[int], relata: Relata
) -> Floats:
    """The alphas of probes as a reading takes them into its mean.

    Args:
        equation_2: The reading.
        alphas: (probes, relations), from `confusability.probe_alphas`.
        probes: What was asked.
        lengths: Of the lists of answers.
        relata: The relata of the targets.

    Returns:
        (probes, relations); NaN where a probe does not count.
    """
    if equation_2 == "with_relata":
        return alphas
    if equation_2 == "printed":
        takes_part = ~np.isnan(alphas).all(axis=1, keepdims=True)
        return np.where(np.isnan(alphas) & takes_part, 0.0, alphas)
    most = attainable(probes, lengths, relata)
    shares: Floats = np.divide(alphas, most, out=np.zeros_like(alphas), where=most > 0)
    return np.where(np.isnan(alphas), np.nan, shares)  # an empty list can give nothing, and has given nothing


def attainable(probes: Sequence[Probe], lengths: Sequence[int], relata: Relata) -> Floats:
    """(probes, relations) the largest alpha that a list of this length can have; 0 without relata, or of no length."""
    targets = {probe.target for probe in probes}
    sizes = {target: [len(set(relata.get((target, relation), ()))) for relation in RELATIONS] for target in targets}
    known: dict[tuple[int, int], float] = {}
    most = np.zeros((len(probes), SIZE))
    for row, (probe, length) in enumerate(zip(probes, lengths, strict=True)):
        for column, size in enumerate(sizes[probe.target]):
            if (length, size) not in known:
                known[length, size] = _largest(length, size)
            most[row, column] = known[length, size]
    return most


def _largest(length: int, size: int) -> float:
    return sum(score(rank, length) for rank in range(1, min(length, size) + 1)) / size if size else 0.0
