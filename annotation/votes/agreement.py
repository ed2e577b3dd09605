"""How far people agree: coefficients over counts, without a loop over items.

Most take a matrix of counts, items by categories: how many people put the item into the category. A coefficient
that is not defined for its input (everybody always gives the same answer, nobody judged twice) is NaN.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Counts = NDArray[np.int64]


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
    matrix = matrix[matrix.sum(axis=1) >= 2]
    per_item = matrix.sum(axis=1)
    total, per_category = per_item.sum(), matrix.sum(axis=0)
    observed = ((per_item**2 - (matrix**2).sum(axis=1)) / (per_item - 1)).sum()
    expected = float(total**2 - (per_category**2).sum()) / max(float(total - 1), 1.0)
    return float(1.0 - observed / expected) if expected > 0 else float("nan")


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
    matrix = matrix[matrix.sum(axis=1) >= 2].astype(np.float64)
    weighted = matrix / (matrix.sum(axis=1, keepdims=True) - 1)
    coincidences = matrix.T @ weighted  # but for the diagonal, whose distances are 0
    per_point = matrix.sum(axis=0)
    middle = per_point.cumsum() - per_point / 2
    distances = (middle[:, None] - middle[None, :]) ** 2
    expected = float((np.outer(per_point, per_point) * distances).sum()) / max(float(per_point.sum()) - 1, 1.0)
    return float(1.0 - (coincidences * distances).sum() / expected) if expected > 0 else float("nan")


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
