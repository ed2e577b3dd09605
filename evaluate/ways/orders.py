"""Questions that are asked in several orders of their options, so that no option has a letter's or a place's favour.

Order r has the options rotated by r places: over as many orders as options each stands under each letter once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from tashika.evaluate.ways.options import OptionScore

Option = TypeVar("Option")


def rotated(options: Sequence[Option], order: int) -> tuple[Option, ...]:
    """The options as they stand in an order, from 0.

    Args:
        options: As they stand in the first.
        order: Which.
    """
    by = order % len(options) if options else 0
    return (*options[by:], *options[:by])


def first_place(place: int, order: int, options: int) -> int:
    """Where the option at a place of an order stands in the first order; all from 0."""
    return (place + order) % options


def combined(by_order: Sequence[Sequence[OptionScore]]) -> list[OptionScore]:
    """The letters' scores of several orders as one score an option, in the first order.

    In each order the letters' probabilities are made to sum to one; an option's are averaged over the orders.

    Args:
        by_order: Scores of an order's letters, for each order.
    """
    options = len(by_order[0])
    if len(by_order) == 1:
        return list(by_order[0])
    problem = next((score.problem for scores in by_order for score in scores if score.problem is not None), None)
    if problem is not None:
        return [score._replace(log_likelihood=np.nan, problem=problem) for score in by_order[0]]
    values = np.array([[score.log_likelihood for score in scores] for scores in by_order])
    values -= np.logaddexp.reduce(values, axis=1, keepdims=True)
    home = np.array(
        [[first_place(place, order, options) for place in range(options)] for order in range(len(by_order))]
    )
    aligned = np.empty_like(values)
    np.put_along_axis(aligned, home, values, axis=1)
    means = np.logaddexp.reduce(aligned, axis=0) - np.log(len(by_order))
    return [
        score._replace(log_likelihood=float(value), greedy=False)
        for score, value in zip(by_order[0], means, strict=True)
    ]


def voted(choices: Sequence[int | None]) -> int | None:
    """What most orders chose, of equals the one that was chosen first; None where nothing was chosen at all.

    Args:
        choices: Of each order the option's place in the first order, None where there is no answer.
    """
    counts = Counter(choice for choice in choices if choice is not None)
    return max(counts, key=lambda choice: counts[choice], default=None)
