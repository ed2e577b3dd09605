"""Spread and place of the pairs beside each other, and how large the differences are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from tashika.evaluate.proverbs.pair_tests import TestSettings
from tashika.evaluate.statistics.effects import bootstrap_mean
from tashika.evaluate.statistics.inference import cluster_bootstrap

LEAST: Final = 5
"""Proverbs of which a bootstrap's interval is worth showing; that of two is hardly ever wide enough."""

Row = Mapping[str, Any]


def count_differences(rows: Sequence[Row], how: TestSettings, seed: int) -> dict[str, Any]:
    """The numbers of `metrics_more.Differences`.

    Args:
        rows: Rows of `records.TESTS` of one consistency.
        how: How they were made.
        seed: Of the bootstrap.
    """
    tested = [row for row in rows if row["p"] is not None]
    paper = [row for row in tested if row["paper_error"]]

    def below(name: str) -> int:
        return sum(row[name] < how.level for row in tested)

    def verdicts(name: str) -> int:
        return sum(row["verdict"] == name for row in tested)

    return {
        "tested": len(tested),
        "errors": sum(row["error"] for row in tested),
        "paper_errors": len(paper),
        "paper_without_spread": sum(row["constant"] == "both" for row in paper),
        "no_spread": sum(row["constant"] == "both" for row in tested),
        "two_constants": verdicts("two constants"),
        "one_side": sum(row["constant"] in ("proverb", "variant") for row in tested),
        "centred": below("centred_p"),
        "ansari": below("ansari_p"),
        "brown_forsythe": below("brown_forsythe_p"),
        "location": below("ranksum_p"),
        "spread_only": verdicts("spread"),
        "location_only": verdicts("location"),
        "spread_and_location": verdicts("both"),
        "either": below("both_p"),
        "mean": mean_of(tested, [row["mean_effect"] for row in tested], how, seed),
        "mean_distance": mean_of(tested, [abs(row["mean_effect"]) for row in tested], how, seed),
        "delta": mean_of(tested, [row["delta_effect"] for row in tested], how, seed),
        "width": mean_of(tested, [row["width_effect"] for row in tested], how, seed),
        "width_ratio": _ratio(tested, how, seed),
    }


def proverb_of(row: Row) -> str:
    """What rows of one proverb have in common; in tables of earlier versions each pair stands for itself."""
    return str(row["proverb"] or row["item_id"])


def mean_of(rows: Sequence[Row], values: Sequence[float], how: TestSettings, seed: int) -> dict[str, Any] | None:
    """A mean over proverbs as plain values of `metrics_more.Estimate`; a proverb's rows count once.

    Args:
        rows: One a value.
        values: The numbers.
        how: How many draws.
        seed: Of them.
    """
    by_proverb: dict[str, list[float]] = {}
    for row, value in zip(rows, values, strict=True):
        by_proverb.setdefault(proverb_of(row), []).append(value)
    means = [float(np.mean(by_proverb[name])) for name in sorted(by_proverb)]
    effect = bootstrap_mean(means, resamples=how.resamples, seed=seed)
    if effect is None:
        return None
    interval = plain(effect.interval) if len(means) >= LEAST else None
    return {"value": effect.value, "interval": interval, "units": len(means)}


def plain(interval: Any) -> dict[str, float] | None:
    """An interval as plain values."""
    return None if interval is None else interval._asdict()


def _ratio(rows: Sequence[Row], how: TestSettings, seed: int) -> dict[str, Any] | None:
    """The variants' width over the proverbs'; None where the proverbs have none at all."""
    own, others = ([row[name] for row in rows] for name in ("width", "variant_width"))
    if not sum(own):
        return None
    names = [proverb_of(row) for row in rows]
    interval = cluster_bootstrap(names, others, own, resamples=how.resamples, seed=seed)
    enough = len(set(names)) >= LEAST
    return {"value": sum(others) / sum(own), "interval": plain(interval) if enough else None, "units": len(set(names))}
