"""How shares look on all pages: percent, and counts with Wilson's interval where there are few."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from tashika.core.reporting.rendering import DASH, is_number
from tashika.evaluate.statistics.inference import Interval, wilson_interval

FEW: Final = 30
"""Answers below which a share is given as a count: a percentage would look surer than it is."""
CONVENTION: Final = (
    "Shares and accuracies are percentages and their differences percentage points; measures that are no shares, such "
    "as MRR, kappa and p, are plain numbers. Intervals hold 95 %."
)
"""What the page says of its numbers, once."""


def is_few(trials: Any) -> bool:
    """Whether a share of so many is better given as a count."""
    return is_number(trials) and 0 < trials < FEW


def share_of(share: Any, trials: Any) -> str:
    """A share as a page writes it: `96.6%`, or of few `28 of 29`; a dash where there is none."""
    if not is_number(share) or not trials:
        return DASH
    return f"{round(share * trials):,} of {trials:,}" if is_few(trials) else f"{share:.1%}"


def with_interval(share: Any, trials: Any) -> str:
    """A share with Wilson's interval in words: `5 of 5 (57% to 100%)`, or of many `96.6% (95.2% to 97.6%)`."""
    interval = interval_of(share, trials)
    if interval is None:
        return DASH
    form = "{:.0%}" if is_few(trials) else "{:.1%}"
    return f"{share_of(share, trials)} ({form.format(interval.low)} to {form.format(interval.high)})"


def interval_of(share: Any, trials: Any, drawn: Any = None) -> Interval | None:
    """The interval of a share: the one that was drawn, or Wilson's where there is none or it has no width.

    Draws of answers that are all right, or all wrong, know no other value; that is no certainty.

    Args:
        share: From 0 to 1.
        trials: The answers that it is over.
        drawn: An interval of a bootstrap with `low` and `high`, or None.
    """
    if drawn is not None and drawn.low < drawn.high:
        return Interval(drawn.low, drawn.high)
    return wilson_interval(min(share * trials, trials), trials) if is_number(share) and trials else None


FILTERS: Final[Mapping[str, Callable[..., Any]]] = {
    "interval_of": interval_of,
    "share_of": share_of,
    "with_interval": with_interval,
}
"""For templates."""
