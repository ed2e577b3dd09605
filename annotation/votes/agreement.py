"""How far people agree: coefficients over counts, without a loop over items.

Most take a matrix of counts, items by categories: how many people put the item into the category. A coefficient
that is not defined for its input (everybody always gives the same answer, nobody judged twice) is NaN.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Counts = NDArray[np.int64]
Weights = NDArray[np.int64]
"""How often each item counts in each of several resamples; shape (resamples, items)."""


def _counts(counts: ArrayLike) -> Counts:
    matrix = np.asarray(counts, dtype=np.int64)
    if matrix.ndim != 2 or (matrix < 0).any():
        raise ValueError(f"expected a matrix of counts, items by categories; found the shape {matrix.shape}")
    return matrix


def count_matrix(units: ArrayLike, categories: ArrayLike, n_units: int, n_categories: int) -> Counts:
    """Counts judgments into the matrix that the coefficients take.

    Args:
        units: The item of each judgment, as a number below `n_units`; shape (judgments,).
        categories: The category of each judgment, as a number below `n_categories`; shape (judgments,).
        n_units: The number of items.
        n_categories: The number of categories.

    Returns:
        Counts, shape (n_units, n_categories).
    """
    flat = np.asarray(units, dtype=np.int64) * n_categories + np.asarray(categories, dtype=np.int64)
    return np.bincount(flat, minlength=n_units * n_categories).reshape(n_units, n_categories).astype(np.int64)


def krippendorff_alpha(counts: ArrayLike) -> float:
    """Krippendorff's alpha for nominal data; items may have different numbers of judgments.

    Source: K. Krippendorff, Computing Krippendorff's Alpha-Reliability, 2011, section C.

    Args:
        counts: Items by categories; items with fewer than two judgments do not count.

    Returns:
        1 for perfect agreement, 0 for what chance gives; NaN if fewer than two categories occur.
    """
    matrix = _counts(counts)
    return float(nominal_alphas(matrix, _once(matrix))[0])


def nominal_alphas(matrix: Counts, weights: Weights) -> NDArray[np.float64]:
    """`krippendorff_alpha` of several resamples of the items.

    Args:
        matrix: Items by categories.
        weights: How often each item counts; shape (resamples, items).

    Returns:
        The coefficients; shape (resamples,).
    """
    per_item = matrix.sum(axis=1)
    matrix, per_item, weights = matrix[per_item >= 2], per_item[per_item >= 2], weights[:, per_item >= 2]
    total, per_category = (weights @ per_item).astype(np.float64), (weights @ matrix).astype(np.float64)
    observed = weights @ ((per_item**2 - (matrix**2).sum(axis=1)) / np.maximum(per_item - 1, 1))
    expected = (total**2 - (per_category**2).sum(axis=1)) / np.maximum(total - 1, 1.0)
    return _one_minus(observed, expected)


def _once(matrix: Counts) -> Weights:
    """Each item as it is."""
    return np.ones((1, len(matrix)), dtype=np.int64)


def _one_minus(observed: NDArray[np.float64], expected: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 - observed / expected disagreement; NaN where chance gives none."""
    shares = np.divide(observed, expected, out=np.full(len(expected), np.nan), where=expected > 0)
    return np.asarray(1.0 - shares, dtype=np.float64)


def ordinal_alpha(counts: ArrayLike) -> float:
    """Krippendorff's alpha for ordinal data; items may have different numbers of judgments.

    Source: K. Krippendorff, Computing Krippendorff's Alpha-Reliability, 2011, section D. The distance of two points is
    the number of judgments that lie between them and half of those on them, squared.

    Args:
        counts: Items by points, from least to most; items with fewer than two judgments do not count.

    Returns:
        1 for perfect agreement, 0 for what chance gives; NaN if fewer than two points occur.
    """
    matrix = _counts(counts)
    return float(ordinal_alphas(matrix, _once(matrix))[0])


def ordinal_alphas(matrix: Counts, weights: Weights) -> NDArray[np.float64]:
    """`ordinal_alpha` of several resamples of the items; see `nominal_alphas`."""
    per_item = matrix.sum(axis=1)
    points, weights = matrix[per_item >= 2].astype(np.float64), weights[:, per_item >= 2]
    size = points.shape[1]
    pairs = points[:, :, None] * points[:, None, :] / np.maximum(points.sum(axis=1) - 1, 1)[:, None, None]
    coincidences = (weights @ pairs.reshape(len(points), size**2)).reshape(-1, size, size)  # diagonals do not matter
    per_point = weights @ points
    middle = per_point.cumsum(axis=1) - per_point / 2
    distances = (middle[:, :, None] - middle[:, None, :]) ** 2
    expected = (per_point[:, :, None] * per_point[:, None, :] * distances).sum(axis=(1, 2))
    observed = (coincidences * distances).sum(axis=(1, 2))
    return _one_minus(observed, expected / np.maximum(per_point.sum(axis=1) - 1, 1.0))


def fleiss_kappa(counts: ArrayLike) -> float:
    """Fleiss' kappa; every item has the same number of judgments, two or more.

    Source: J. L. Fleiss, Measuring nominal scale agreement among many raters, 1971.

    Args:
        counts: Items by categories.

    Returns:
        The coefficient; NaN if there are no items, or only one category occurs.

    Raises:
        ValueError: The items have different numbers of judgments, or fewer than two.
    """
    matrix = _counts(counts)
    if len(matrix) == 0:
        return float("nan")
    raters = matrix[0].sum()
    if raters < 2 or (matrix.sum(axis=1) != raters).any():
        raise ValueError("Fleiss' kappa needs the same number of judgments for every item, two or more")
    expected = float(((matrix.sum(axis=0) / matrix.sum()) ** 2).sum())
    return (percent_agreement(matrix) - expected) / (1.0 - expected) if expected < 1.0 else float("nan")


def percent_agreement(counts: ArrayLike) -> float:
    """The share of pairs of judgments that agree, in each item with two or more, averaged over items.

    Args:
        counts: Items by categories.

    Returns:
        A share in [0, 1]; NaN if no item has two judgments.
    """
    matrix = _counts(counts)
    per_item = matrix.sum(axis=1)
    matrix, per_item = matrix[per_item >= 2], per_item[per_item >= 2]
    if len(matrix) == 0:
        return float("nan")
    return float(((matrix * (matrix - 1)).sum(axis=1) / (per_item * (per_item - 1))).mean())


def cohen_kappa(confusion: ArrayLike) -> float:
    """Cohen's kappa of two people.

    Source: J. Cohen, A coefficient of agreement for nominal scales, 1960.

    Args:
        confusion: Counts of items, square: the first person's categories by the second's.

    Returns:
        The coefficient; NaN if there are no items, or both always say the same.

    Raises:
        ValueError: The matrix is not square.
    """
    matrix = _counts(confusion)
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"expected a square matrix, found the shape {matrix.shape}")
    total = float(matrix.sum())
    if total == 0:
        return float("nan")
    observed = float(np.trace(matrix)) / total
    expected = float(matrix.sum(axis=0) @ matrix.sum(axis=1)) / total**2
    return (observed - expected) / (1.0 - expected) if expected < 1.0 else float("nan")


def kappas(pairs: Counts, weights: Weights, *, ordinal: bool = False) -> NDArray[np.float64]:
    """Cohen's kappa of two people in several resamples of the items: 1 - observed disagreement / that of chance.

    Source: J. Cohen, Weighted kappa, 1968. Nominal disagreements all weigh 1, ordinal ones their squared distance.

    Args:
        pairs: The categories that the first and the second person gave each item; shape (items, 2).
        weights: How often each item counts; shape (resamples, items).
        ordinal: Whether the categories are points of a scale, in order.

    Returns:
        The coefficients, shape (resamples,); NaN where chance gives no disagreement.
    """
    places = np.arange(int(pairs.max(initial=0)) + 1)
    apart = (places[:, None] - places[None, :]) ** 2
    distance = (apart if ordinal else apart > 0).astype(np.float64)
    given = (pairs[:, :, None] == places).astype(np.float64)
    total = np.maximum(weights.sum(axis=1), 1).astype(np.float64)
    observed = weights @ distance[pairs[:, 0], pairs[:, 1]] / total
    chance = ((weights @ given[:, 0] @ distance) * (weights @ given[:, 1])).sum(axis=1) / total**2
    return _one_minus(observed, chance)


def wilson_interval(successes: int, trials: int, z: float = 1.959963984540054) -> tuple[float, float]:
    """Wilson's score interval of a share, 95 % by default.

    Source: E. B. Wilson, Probable inference, the law of succession, and statistical inference, 1927.

    Args:
        successes: How many.
        trials: Of how many; without trials the interval is (0, 1).
        z: The normal quantile of the level.

    Raises:
        ValueError: There are more successes than trials, or either is negative.
    """
    if not 0 <= successes <= trials:
        raise ValueError(f"found {successes} successes in {trials} trials")
    if trials == 0:
        return 0.0, 1.0
    share = successes / trials
    centre = share + z**2 / (2 * trials)
    half = z * np.sqrt(share * (1 - share) / trials + z**2 / (4 * trials**2))
    scale: Any = 1 + z**2 / trials
    low, high = (centre - half) / scale, (centre + half) / scale
    # At the ends the formula gives exactly 0 or 1, and rounding must not spoil it.
    return (0.0 if successes == 0 else float(low)), (1.0 if successes == trials else float(high))
