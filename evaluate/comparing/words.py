"""What a comparison comes to in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tashika.core.counts import counted
from tashika.core.reporting.rendering import DASH
from tashika.evaluate.comparing.side_by_side import Compared, SideBySide
from tashika.evaluate.statistics.paired import SURE, Contest
from tashika.evaluate.suite import Measure

NOT_TOLD_APART: Final = "not told apart"


def value_words(value: float | None, measure: Measure) -> str:
    """A number of a measure, such as 61.3 %."""
    if value is None:
        return DASH
    return f"{value:.1%}" if measure.scale == "share" else f"{value:.3f}".replace("-", "−")


def difference_words(value: float | None, measure: Measure, *, unit: bool = True) -> str:
    """A difference with its sign, such as +3.1 points.

    Args:
        value: The difference.
        measure: Of what.
        unit: Whether points are called so.
    """
    if value is None:
        return DASH
    number = f"{100 * value:+.1f}" if measure.scale == "share" else f"{value:+.3f}"
    shown = number if number.strip("+-0.") else number[1:]  # nothing has no sign
    return f"{shown}{' points' if unit and measure.scale == 'share' else ''}".replace("-", "−")


def interval_words(contest: Contest, measure: Measure) -> str:
    """The ends of the interval of a difference; empty where there is none."""
    if contest.interval is None:
        return ""
    low, high = (difference_words(end, measure, unit=False) for end in contest.interval)
    return f"{low} to {high}"


def verdict(contest: Contest, measure: Measure, names: Sequence[str], side: SideBySide) -> str:
    """Which of the two is better, or that they are not told apart, and why where it could not be otherwise."""
    if contest.common == 0:
        return f"no {side.items} in common"
    if contest.p is None:
        cluster = (side.clusters or side.items).removesuffix("s")
        return f"not tested: all of one {cluster}" if contest.clusters == 1 else "not tested"
    if contest.told_apart:
        assert contest.delta is not None
        more, less = (contest.first, contest.second) if contest.delta > 0 else (contest.second, contest.first)
        if measure.better is None:
            return f"{names[more]} is higher"
        return f"{names[more if measure.better == 'higher' else less]} is better"
    if contest.smallest_p is not None and contest.smallest_p >= SURE:
        differing = "no" if contest.smallest_p == 1 and contest.delta == 0 else "too few"
        return f"{NOT_TOLD_APART}: {differing} {side.clusters or side.items} differ"
    return NOT_TOLD_APART


def summary(side: SideBySide) -> list[str]:
    """What to know beside the numbers: the tests, the common items, what was left out."""
    lines = []
    if side.measures:
        lines += [_tests(side), *_items(side)]
    lines += [f"{name} is left out: {reason}." for name, reason in side.left_out]
    return [*lines, *side.remarks]


def _tests(side: SideBySide) -> str:
    tests = {contest.test for compared in side.measures for contest in compared.whole.contests if contest.test}
    drawn = side.clusters or side.items
    parts = {
        "McNemar": "McNemar's exact test of right and wrong",
        "bootstrap": f"a paired bootstrap over {drawn}",
        "permutation": f"a permutation test that swaps the two systems' answers by {drawn}",
    }
    named = " and ".join(words for test, words in parts.items() if test in tests) or "none"
    return (
        f"Intervals of 95 % are of a paired bootstrap over {drawn} ({side.resamples:,} draws, seed {side.seed}). p: "
        f"{named}, corrected for {counted(side.tests, 'test')} (Holm)."
    )


def _items(side: SideBySide) -> list[str]:
    """How many items are common, and what was left out of each system; measures alike are named together."""
    alike: dict[str, list[str]] = {}
    for compared in side.measures:
        alike.setdefault(_common(compared, side), []).append(compared.measure.title)
    if len(alike) == 1:
        return list(alike)
    return [f"{', '.join(titles)}: {words}" for words, titles in alike.items()]


def _counted(count: int, plural: str) -> str:
    return counted(count, plural.removesuffix("s"), plural)


def _common(compared: Compared, side: SideBySide) -> str:
    whole = compared.whole
    of = f" of {_counted(whole.clusters, side.clusters)}" if side.clusters else ""
    verb = "counts" if whole.items == 1 else "count"
    text = f"{_counted(whole.items, compared.measure.items or side.items)}{of} {verb} for all systems"
    gone = [f"{name} {count:,}" for name, count in zip(side.names, compared.left_out, strict=True) if count]
    what = f" of their {side.items}" if compared.measure.items else ""
    return (
        f"{text}; left out{what}, since another was not asked them or has no answer: {', '.join(gone)}."
        if gone
        else f"{text}."
    )
