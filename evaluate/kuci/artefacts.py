"""KUCI's check for annotation artefacts: is a system that cannot know the answer away from chance nevertheless?

A baseline is asked about all parts of a release, having learned from others than the one that it is asked about: more
questions make a narrower interval, and a small artefact that hides in the test part shows. Models are asked about the
test part alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple

from tashika.core.suites.kuci.words import Split
from tashika.evaluate.kuci.metrics_model import AgainstChance, KuciMetrics, SetScore
from tashika.evaluate.statistics.inference import holm

ALPHA: Final = 0.05
_POINTS: Final = 100

Verdict = Literal["not significantly away from chance", "significantly above chance", "significantly below chance"]


class Check(NamedTuple):
    """What a baseline shows about the questions of the published set.

    Attributes:
        name: The baseline.
        test: Its numbers on the test part.
        parts: Those of each part, as far as it was asked about it; empty for a model.
        whole: Those over all of these; None for a model.
        p_holm: The p of the widest numbers, corrected for the number of baselines.
        verdict: By their raw p: to overlook an artefact is the worse mistake.
        numbers: What the verdict rests on, in words.
    """

    name: str
    test: SetScore
    parts: Mapping[Split, AgainstChance]
    whole: AgainstChance | None
    p_holm: float
    verdict: Verdict
    numbers: str

    @property
    def away(self) -> bool:
        """Whether it is significantly away from chance."""
        return self.verdict != "not significantly away from chance"


def checks_of(systems: Sequence[tuple[str, KuciMetrics]]) -> list[Check]:
    """The checks of those systems that see no whole question and answered something.

    Args:
        systems: Their names and scores.
    """
    asked = [
        (name, test, metrics.by_part.get("both", {}), metrics.all_parts.get("both"), metrics.chance)
        for name, metrics in systems
        if is_baseline(metrics) and (test := metrics.sets.get("both")) is not None and test.accuracy is not None
    ]
    corrected = holm([(whole or test).p_chance for _, test, _, whole, _ in asked])
    return [
        Check(name, test, parts, whole, float(p or 0.0), *_verdict(test, whole, chance))
        for (name, test, parts, whole, chance), p in zip(asked, corrected, strict=True)
    ]


def is_baseline(metrics: KuciMetrics) -> bool:
    """Whether a system is there for the check: a rule, the bag of words, or a model that sees the options alone."""
    return metrics.scoring.how == "baseline" or metrics.scoring.show != "both"


def _verdict(test: SetScore, whole: AgainstChance | None, chance: float) -> tuple[Verdict, str]:
    score = whole or test
    accuracy, wilson, p = score.accuracy, score.wilson, score.p_chance
    assert accuracy is not None  # something was answered
    assert wilson is not None
    assert p is not None
    where = f"{score.questions:,} questions of {'all parts' if whole else 'the test part'}"
    share = f"{accuracy:.1%} of {where}, 95 % interval {wilson.low:.1%} to {wilson.high:.1%}, p {p:.2g}"
    points = _POINTS * (accuracy - chance)
    if p >= ALPHA:
        return "not significantly away from chance", share
    if points > 0:
        return (
            "significantly above chance",
            f"{share}; {points:.1f} points above: something it sees tells right options from wrong ones",
        )
    return "significantly below chance", f"{share}; {-points:.1f} points below: what it goes by marks wrong options"


def summary(checks: Sequence[Check]) -> str:
    """One sentence on all baselines."""
    away = [check for check in checks if check.away]
    if not away:
        return f"None of the {len(checks)} baselines is significantly away from chance (p below {ALPHA})."
    names = "; ".join(f"{check.name}, {check.verdict.removeprefix('significantly ')}" for check in away)
    left = sum(check.p_holm < ALPHA for check in away)
    verb = "is" if len(away) == 1 else "are"
    return (
        f"{len(away)} of the {len(checks)} baselines {verb} significantly away from chance (p below {ALPHA}): {names}. "
        f"After Holm's correction for {len(checks)} tests, {left} of them {'is' if left == 1 else 'are'} so still."
    )
