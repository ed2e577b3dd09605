"""How far answers to probes of one relation are relata of another: alpha and confusability, pure functions.

Source: Cao, Yamada and Tokunaga, section 2, equations 1 to 3. What it leaves open, and what is done here:

- #x_ij^r of equation 2 counts the probes of relation r whose target has s-relata: for the others equation 1 divides by
  none, so they have no alpha and take no part. `equation_2` has the other readings.
- A probe whose target has no relata of the probe's own relation has no right answer. The paper has no such targets;
  here they take no part at all.
- |l| is the length of the list as it is: at most k, and less where people or a small vocabulary give fewer words.
- A word that stands twice in a list has its better rank.
- Matrices are (probe's relation r, answers' relation s), in the order of `core.suites.semrel.words.RELATIONS`: rows
  are what was asked, columns what it was taken as, as in the paper's figure 1.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tashika.core.suites.semrel.words import RELATIONS

Floats = NDArray[np.float64]
Relata = Mapping[tuple[str, str], Collection[str]]
"""(target, relation) -> the words that have this relation to the target."""

SIZE: Final = len(RELATIONS)
_PLACE: Final[Mapping[str, int]] = {relation: place for place, relation in enumerate(RELATIONS)}


class Probe(NamedTuple):
    """What is asked: a target and a relation (by its full name). Prompts of one target and relation count alike."""

    target: str
    relation: str


class TargetSums(NamedTuple):
    """Each target's part of equation 2, from which sums over any choice of targets follow.

    Attributes:
        targets: In alphabetical order.
        alpha: (targets, r, s), the sum of alpha(s, x) over the target's probes x of relation r.
        probes: (targets, r, s), how many probes these are.
    """

    targets: list[str]
    alpha: Floats
    probes: Floats


def score(rank: float, length: int) -> float:
    """The score of the word at a rank (from 1) of a list: (|l| - rank + 1) / (|l| + 1), so the last has more than 0."""
    return (length - rank + 1) / (length + 1)


def probe_alphas(
    probes: Sequence[Probe],
    answers: Sequence[Sequence[str]],
    relata: Relata,
    ranks: Sequence[Sequence[float]] | None = None,
) -> Floats:
    """Equation 1: the mean score of the target's s-relata in the answers to each probe, 0 for those not among them.

    Args:
        probes: What was asked.
        answers: Of each probe the ranked words, best first, cut at the probe's k. An empty list gives alpha 0.
        relata: The relata of the targets; a relation that is missing or empty has none.
        ranks: Of each word of `answers`; None where they are 1, 2, 3 and so on.

    Returns:
        (probes, relations): alpha(s, x); NaN where the target has no s-relata, and in the whole row where it has
        none of the probe's own relation.

    Raises:
        ValueError: The lengths differ, or a probe's relation is unknown.
    """
    if len(probes) != len(answers):
        raise ValueError(f"found {len(probes)} probes and {len(answers)} lists of answers, expected one a probe")
    own = np.array([_place(probe.relation) for probe in probes], dtype=np.int64)
    sizes, relations_of = _by_target(probes, relata)
    rows, columns, scores = _hits(probes, answers, relations_of, ranks)
    size = np.array([sizes[probe.target] for probe in probes], dtype=np.float64).reshape(-1, SIZE)
    sums = np.bincount(rows * SIZE + columns, scores, len(probes) * SIZE).reshape(-1, SIZE)
    known = (size > 0) & (size[np.arange(len(probes)), own] > 0)[:, None]
    alphas: Floats = np.divide(sums, size, out=np.full(size.shape, np.nan), where=known)
    return alphas


def _place(relation: str) -> int:
    if relation not in _PLACE:
        raise ValueError(f"found the relation {relation!r}, expected one of {', '.join(RELATIONS)}")
    return _PLACE[relation]


def _by_target(probes: Sequence[Probe], relata: Relata) -> tuple[dict[str, list[int]], dict[str, dict[str, list[int]]]]:
    """By target: how many relata of each relation it has, and the relations of each word that is one."""
    sizes: dict[str, list[int]] = {}
    relations_of: dict[str, dict[str, list[int]]] = {}
    for target in {probe.target for probe in probes}:
        words = [frozenset(relata.get((target, relation), ())) for relation in RELATIONS]
        sizes[target] = [len(each) for each in words]
        relations = relations_of.setdefault(target, {})
        for place, relata_of_one in enumerate(words):
            for word in relata_of_one:
                relations.setdefault(word, []).append(place)
    return sizes, relations_of


def _hits(
    probes: Sequence[Probe],
    answers: Sequence[Sequence[str]],
    relations_of: Mapping[str, Mapping[str, list[int]]],
    ranks: Sequence[Sequence[float]] | None,
) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]:
    """Where a relatum stands among the answers: the probe, the relation, the score."""
    rows: list[int] = []
    columns: list[int] = []
    scores: list[float] = []
    for row, (probe, words) in enumerate(zip(probes, answers, strict=True)):
        known = relations_of[probe.target]
        places = range(1, len(words) + 1) if ranks is None else ranks[row]
        hits = [(rank, word) for rank, word in zip(places, words, strict=True) if word in known]
        best = {word: rank for rank, word in reversed(hits)}
        for word, rank in best.items():
            for place in known[word]:
                rows.append(row)
                columns.append(place)
                scores.append(score(rank, len(words)))
    return np.array(rows, dtype=np.int64), np.array(columns, dtype=np.int64), np.array(scores, dtype=np.float64)


def target_sums(probes: Sequence[Probe], alphas: Floats) -> TargetSums:
    """Adds the alphas of `probe_alphas` by target and relation of the probe.

    Args:
        probes: What was asked.
        alphas: (probes, relations), from `probe_alphas`.
    """
    targets = sorted({probe.target for probe in probes})
    number = {target: place for place, target in enumerate(targets)}
    cell = np.array([number[probe.target] * SIZE + _place(probe.relation) for probe in probes], dtype=np.int64)
    places = (cell[:, None] * SIZE + np.arange(SIZE)).ravel()
    known = ~np.isnan(alphas).ravel()
    shape, length = (len(targets), SIZE, SIZE), len(targets) * SIZE * SIZE
    sums = np.bincount(places[known], alphas.ravel()[known], length).astype(np.float64)
    counts = np.bincount(places[known], minlength=length).astype(np.float64)
    return TargetSums(targets, sums.reshape(shape), counts.reshape(shape))


def alpha_matrix(sums: TargetSums) -> Floats:
    """Equation 2: alpha(s, r), the mean over the probes of relation r whose target has s-relata.

    Returns:
        (r, s); NaN where there is no such probe.
    """
    probes = sums.probes.sum(axis=0)
    alpha: Floats = np.divide(sums.alpha.sum(axis=0), probes, out=np.full((SIZE, SIZE), np.nan), where=probes > 0)
    return alpha


def confusability_matrix(alpha: Floats) -> Floats:
    """Equation 3: Confusability(s, r) = min(alpha(s, r) / alpha(r, r), 1).

    Args:
        alpha: (..., r, s), such as from `alpha_matrix`.

    Returns:
        The same shape; NaN where alpha(s, r) is, and in the row of a relation whose alpha(r, r) is 0 or NaN.
    """
    own = np.diagonal(alpha, axis1=-2, axis2=-1)[..., None]
    # NaN > 0 is false, so an unknown alpha(r, r) leaves its row unknown.
    ratio = np.divide(alpha, own, out=np.full(alpha.shape, np.nan), where=own > 0)
    capped: Floats = np.minimum(ratio, 1.0)
    return capped
