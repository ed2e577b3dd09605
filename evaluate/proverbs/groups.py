"""Results by what the release says of a pair: direction, change, form, maker, origin; and origins by region.

The page says that models are weak on proverbs that are not Western. That is read off the Western and the other proverbs
beside each other, and off pairs whose variant is another region's own proverb.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from tashika.core.suites.proverbs.words import CONSISTENCIES
from tashika.evaluate.proverbs.differences import LEAST, mean_of, plain, proverb_of
from tashika.evaluate.proverbs.pair_tests import TestSettings
from tashika.evaluate.statistics.inference import percentile_interval, wilson_interval

COLUMNS: Final = ("direction", "change", "form", "maker", "region", "origin")
"""In the order of the page."""
NOT_NAMED: Final = "not named"

Row = Mapping[str, Any]


def count_groups(rows: Sequence[Row], how: TestSettings, seed: int) -> dict[str, dict[str, dict[str, Any]]]:
    """Column -> value -> consistency -> `metrics_more.GroupCounts`, most frequent values first.

    Args:
        rows: Rows of `records.TESTS` without controls.
        how: How they were made, and which origins are Western.
        seed: Of the bootstrap.
    """
    groups: dict[str, dict[str, dict[str, Any]]] = {}
    for column in COLUMNS:
        by_value: dict[str, list[Row]] = {}
        for row in rows:
            if column != "direction" or row["topic"] == "gender":
                value = region_of(row, how) if column == "region" else row[column]
                by_value.setdefault(str(value or NOT_NAMED), []).append(row)
        order = sorted(by_value, key=lambda value: (-len(by_value[value]), value))
        groups[column] = {value: _by_consistency(by_value[value], how, seed) for value in order}
    return groups


def region_of(row: Row, how: TestSettings) -> str:
    """`Western` or `other`; where the variant is another culture's own proverb, both sides' regions."""
    named = [_region(row["origin"], how)]
    if row["variant_origin"]:
        named.append(f"variant {_region(row['variant_origin'], how)}")
    return ", ".join(named)


def _region(origin: str | None, how: TestSettings) -> str:
    if not origin:
        return NOT_NAMED
    return "Western" if origin in how.western else "other"


def _by_consistency(rows: Sequence[Row], how: TestSettings, seed: int) -> dict[str, Any]:
    return {kind: _counts([row for row in rows if row["consistency"] == kind], how, seed) for kind in CONSISTENCIES}


def _counts(rows: Sequence[Row], how: TestSettings, seed: int) -> dict[str, Any]:
    tested = [row for row in rows if row["p"] is not None]
    errors = sum(row["error"] for row in tested)
    known = [row for row in rows if row["median"] is not None]
    return {
        "pairs": len(rows),
        "tested": len(tested),
        "errors": errors,
        "share": errors / len(tested) if tested else None,
        "interval": plain(wilson_interval(errors, len(tested))),
        "no_spread": sum(row["constant"] == "both" for row in tested),
        "either": sum(row["both_p"] < how.level for row in tested),
        "level": mean_of(known, [row["median"] for row in known], how, seed),
        "distance": mean_of(tested, [abs(row["mean_effect"]) for row in tested], how, seed),
    }


def regions_apart(rows: Sequence[Row], how: TestSettings, seed: int) -> dict[str, Any]:
    """Consistency -> `metrics_more.RegionContrast`, of the pairs whose origin is named."""
    contrasts: dict[str, Any] = {}
    for kind in CONSISTENCIES:
        tested = [row for row in rows if row["consistency"] == kind and row["p"] is not None and row["origin"]]
        sides = [[row for row in tested if (row["origin"] in how.western) == western] for western in (True, False)]
        contrasts[kind] = {
            "western": len({proverb_of(row) for row in sides[0]}),
            "other": len({proverb_of(row) for row in sides[1]}),
            "errors": _apart(sides, lambda row: float(row["error"]), how, seed),
            "level": _apart(sides, lambda row: float(row["median"]), how, seed),
            "distance": _apart(sides, lambda row: abs(float(row["mean_effect"])), how, seed),
        }
    return contrasts


def _apart(
    sides: Sequence[Sequence[Row]], read: Callable[[Row], float], how: TestSettings, seed: int
) -> dict[str, Any] | None:
    """The second side's mean less the first's; each side is drawn by itself."""
    if not all(sides):
        return None
    values = [np.array([read(row) for row in side]) for side in sides]
    random = np.random.default_rng(seed)
    drawn = [own[random.integers(0, len(own), (how.resamples, len(own)))].mean(axis=1) for own in values]
    interval = percentile_interval(drawn[1] - drawn[0]) if min(map(len, values)) >= LEAST else None
    units = len({proverb_of(row) for side in sides for row in side})
    return {"value": float(values[1].mean() - values[0].mean()), "interval": plain(interval), "units": units}
