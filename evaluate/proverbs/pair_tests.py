"""What the tests say of the values of a pair's two questions: spread and place beside each other.

The page's hypothesis is about both: equal spread and equal medians. Its test ranks place and spread into one number, so
that two constant sets (five times 8, five times 9) count as a difference of spread, and a large shift hides one. So
beside the page's test stand the same after centring on the medians, two other tests of spread, one of place, one of
both at once, and how large the differences are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal

import numpy as np
from pydantic import Field

from tashika.core.settings import Section
from tashika.evaluate.statistics.dispersion import SiegelTukeyMethod
from tashika.evaluate.statistics.effects import (
    Effect,
    brown_forsythe,
    centred_siegel_tukey,
    cliffs_delta,
    lepage,
    mean_difference,
    mean_width,
    width_difference,
)
from tashika.evaluate.statistics.inference import ansari_bradley, rank_sum, siegel_tukey, signed_rank, smallest_p

SpreadTest = Literal["siegel-tukey", "siegel-tukey-centred", "ansari-bradley", "brown-forsythe"]
Constant = Literal["neither", "proverb", "variant", "both"]
Verdict = Literal["alike", "spread", "location", "both", "same constant", "two constants"]

SPREAD_TESTS: Final[Mapping[SpreadTest, str]] = {
    "siegel-tukey": "Siegel-Tukey",
    "siegel-tukey-centred": "Siegel-Tukey, centred on the medians",
    "ansari-bradley": "Ansari-Bradley",
    "brown-forsythe": "Brown-Forsythe",
}

Row = dict[str, Any]


class TestSettings(Section):
    """The section [evaluate.tests]: when a pair's two sets of values count as unlike.

    Attributes:
        level: Below which p an error is detected.
        spread: The test whose p decides on errors.
        method: How Siegel and Tukey's p is found; see `dispersion.siegel_tukey`.
        constant: Two sets without any spread are counted "apart" and are no errors, or "count" as the test has it.
        resamples: Draws of proverbs for an interval.
        western: Origins that count as Western where the others are compared with them.
    """

    __test__ = False  # for pytest, which would take it for tests

    level: float = Field(0.05, gt=0, lt=1)
    spread: SpreadTest = "siegel-tukey"
    method: SiegelTukeyMethod = "auto"
    constant: Literal["apart", "count"] = "apart"
    resamples: int = Field(2000, ge=100)
    western: tuple[str, ...] = (
        "Dutch", "English", "French", "German", "Greek", "Irish", "Italian", "Latin", "Polish", "Portuguese",
        "Scottish", "Spanish", "Welsh",
    )  # fmt: skip

    @property
    def test_name(self) -> str:
        """The deciding test, in words."""
        return SPREAD_TESTS[self.spread]


def compared(first: Sequence[float | None], second: Sequence[float | None], how: TestSettings) -> Row:
    """What the tests say of two questions' values.

    Args:
        first: The proverb's, by place, None where there is none.
        second: The variant's.
        how: When they count as unlike.

    Returns:
        The columns of `records.TESTS` from `n` on, except `holm_p`. Without values enough for a p below the level there
        are no tests, and `problem` says so.
    """
    x, y = ([value for value in values if value is not None] for values in (first, second))
    row: Row = {"n": len(x), "variant_n": len(y)}
    row |= {"median": _median(x), "variant_median": _median(y)}
    row |= {"deviation": _deviation(x), "variant_deviation": _deviation(y)}
    if min(len(x), len(y)) < 2 or smallest_p(len(x), len(y)) >= how.level:
        few = f"{len(x)} and {len(y)} of {len(first)} and {len(second)} values"
        return {**row, "p": None, "problem": f"{few} can give no p below {how.level:g}"}
    row["wilcoxon_p"] = signed_rank(x, y) if len(x) == len(first) and len(y) == len(second) else None
    return {**row, **_tested(x, y, how), **_effects(x, y)}


def _tested(x: list[float], y: list[float], how: TestSettings) -> Row:
    plain = siegel_tukey(x, y, how.method)
    place = rank_sum(x, y).p
    of_spread: Mapping[SpreadTest, Callable[[], float]] = {
        "siegel-tukey": lambda: plain.p,
        "siegel-tukey-centred": lambda: centred_siegel_tukey(x, y).p,
        "ansari-bradley": lambda: ansari_bradley(x, y).p,
        "brown-forsythe": lambda: brown_forsythe(x, y),
    }
    p = {name: test() for name, test in of_spread.items()}
    constant = _constant(x, y)
    decided = p[how.spread] < how.level and not (constant == "both" and how.constant == "apart")
    return {
        "statistic": plain.statistic,
        "p": p[how.spread],
        "method": plain.method if how.spread == "siegel-tukey" else how.spread,
        "error": decided,
        "ranksum_p": place,
        "ansari_p": p["ansari-bradley"],
        "constant": constant,
        "paper_error": plain.p < how.level,
        "centred_p": p["siegel-tukey-centred"],
        "brown_forsythe_p": p["brown-forsythe"],
        "both_p": lepage(x, y).p,
        "verdict": _verdict(constant, x[0] == y[0], spread=decided, place=place < how.level),
    }


def _constant(x: Sequence[float], y: Sequence[float]) -> Constant:
    """Which of two samples have no spread at all."""
    sides = min(x) == max(x), min(y) == max(y)
    return {(True, True): "both", (True, False): "proverb", (False, True): "variant", (False, False): "neither"}[sides]  # type: ignore[return-value]


def _verdict(constant: Constant, equal: bool, *, spread: bool, place: bool) -> Verdict:
    if constant == "both":
        return "same constant" if equal else "two constants"
    if spread:
        return "both" if place else "spread"
    return "location" if place else "alike"


def _effects(x: list[float], y: list[float]) -> Row:
    effects = {"mean": mean_difference(x, y), "delta": cliffs_delta(x, y), "width": width_difference(x, y)}
    columns = {key: value for name, effect in effects.items() for key, value in _columns(name, effect).items()}
    return {**columns, "width": mean_width(x), "variant_width": mean_width(y)}


def _columns(name: str, effect: Effect) -> Row:
    low, high = effect.interval or (None, None)
    return {f"{name}_effect": effect.value, f"{name}_low": low, f"{name}_high": high}


def _median(values: Sequence[float]) -> float | None:
    return float(np.median(values)) if values else None


def _deviation(values: Sequence[float]) -> float | None:
    return float(np.std(values, ddof=1)) if len(values) > 1 else None
