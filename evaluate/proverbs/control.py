"""Gender, or mere rewording? Pairs on gender beside neutral rewordings of the same proverbs.

A swapped proverb is also a changed one, which nobody uses. A control changes as many words of the same proverb and
leaves the gender alone, so the difference in differences (what the pair does less what its control does) is the
gender's. Both share the question on the proverb, and so its answers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from tashika.core.suites.proverbs.words import CONSISTENCIES, CONTROL, DIRECTIONS
from tashika.evaluate.proverbs.differences import LEAST, mean_of, plain, proverb_of
from tashika.evaluate.proverbs.pair_tests import TestSettings
from tashika.evaluate.statistics.inference import mcnemar_exact, percentile_interval, signed_rank

EVERYTHING: Final = "all"
_TO_WOMEN: Final = {"man-first": 1, "woman-first": -1}
"""Which sign makes the variant less the proverb women less men."""

Row = Mapping[str, Any]


class Match(NamedTuple):
    """A tested pair on gender and the tested control of its proverb."""

    pair: Row
    control: Row


def compare_controls(rows: Sequence[Row], how: TestSettings, seed: int) -> dict[str, Any] | None:
    """The numbers of `metrics_more.ControlNumbers`; None where no pair is on gender.

    Args:
        rows: Rows of `records.TESTS`, controls among them.
        how: How they were made.
        seed: Of the bootstrap.
    """
    gender = [row for row in rows if row["topic"] == "gender"]
    if not gender:
        return None
    matches = {kind: matched([row for row in gender if row["consistency"] == kind]) for kind in CONSISTENCIES}
    directions = [way for way in DIRECTIONS if any(row["direction"] == way for row in gender)]
    return {
        "pairs": len({row["item_id"] for row in gender if row["change"] != CONTROL}),
        "controls": len({row["item_id"] for row in gender if row["change"] == CONTROL}),
        "cells": {
            way: {kind: _cell(_of(matches[kind], way), how, seed) for kind in CONSISTENCIES}
            for way in (*directions, EVERYTHING)
        },
        "crossover": {
            kind: _crossover([row for row in gender if row["consistency"] == kind], how, seed) for kind in CONSISTENCIES
        },
    }


def matched(rows: Sequence[Row]) -> list[Match]:
    """Tested pairs whose proverb has a tested control, by proverb.

    Args:
        rows: Rows of one consistency.
    """
    tested = [row for row in rows if row["p"] is not None and row["proverb"]]
    controls = {row["proverb"]: row for row in tested if row["change"] == CONTROL}
    pairs = {row["proverb"]: row for row in tested if row["change"] != CONTROL}
    return [Match(pairs[proverb], controls[proverb]) for proverb in sorted(pairs) if proverb in controls]


def _of(matches: Sequence[Match], way: str) -> list[Match]:
    return [match for match in matches if way in (EVERYTHING, match.pair["direction"])]


def _cell(matches: Sequence[Match], how: TestSettings, seed: int) -> dict[str, Any]:
    pairs = [match.pair for match in matches]

    def estimate(read: Callable[[Row], float]) -> dict[str, Any] | None:
        return mean_of(pairs, [read(match.pair) - read(match.control) for match in matches], how, seed)

    errors = [(bool(match.pair["error"]), bool(match.control["error"])) for match in matches]
    distances = [[_distance(row) for row in side] for side in zip(*matches, strict=True)] or [[], []]
    aimed = [match for match in matches if match.pair["direction"] in _TO_WOMEN]
    women = [
        _TO_WOMEN[match.pair["direction"]] * (match.pair["mean_effect"] - match.control["mean_effect"])
        for match in aimed
    ]
    return {
        "proverbs": len(matches),
        "errors": sum(pair for pair, _ in errors),
        "control_errors": sum(control for _, control in errors),
        "errors_apart": estimate(lambda row: float(row["error"])),
        "errors_p": mcnemar_exact(errors.count((True, False)), errors.count((False, True))) if errors else None,
        "unlike": estimate(lambda row: float(row["both_p"] < how.level)),
        "distance": mean_of(pairs, distances[0], how, seed),
        "control_distance": mean_of(pairs, distances[1], how, seed),
        "distance_apart": estimate(_distance),
        "distance_p": signed_rank(*distances) if matches else None,
        "women": mean_of([match.pair for match in aimed], women, how, seed),
        "women_p": signed_rank(women, [0.0] * len(women)) if women else None,
    }


def _distance(row: Row) -> float:
    return abs(float(row["mean_effect"]))


def _crossover(rows: Sequence[Row], how: TestSettings, seed: int) -> dict[str, Any]:
    """What the two directions say by themselves: a change that does the same both ways is taken out."""
    pairs = [row for row in rows if row["p"] is not None and row["change"] != CONTROL]
    sides = [[row for row in pairs if row["direction"] == way] for way in _TO_WOMEN]
    values = [np.array([float(row["mean_effect"]) for row in side]) for side in sides]
    result: dict[str, Any] = {
        f"{way.replace('-', '_')}": mean_of(side, own.tolist(), how, seed)
        for way, side, own in zip(_TO_WOMEN, sides, values, strict=True)
    }
    if not all(sides):
        return {**result, "women": None, "change": None}
    random = np.random.default_rng(seed)
    drawn = [own[random.integers(0, len(own), (how.resamples, len(own)))].mean(axis=1) for own in values]
    units = len({proverb_of(row) for side in sides for row in side})
    for name, sign in (("women", -1), ("change", 1)):
        interval = percentile_interval((drawn[0] + sign * drawn[1]) / 2) if min(map(len, values)) >= LEAST else None
        value = float(values[0].mean() + sign * values[1].mean()) / 2
        result[name] = {"value": value, "interval": plain(interval), "units": units}
    return result
