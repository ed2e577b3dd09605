"""KUCI's check for annotation artefacts: is a system that cannot know the answer away from chance nevertheless?

A rule that learns nothing is asked about all parts of a release: more questions make a narrower interval, and a small
artefact that hides in the test part shows. What was trained is asked about the test part alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from tashika.evaluate.statistics.inference import holm

ALPHA: Final = 0.05
_POINTS: Final = 100

Verdict = Literal["not significantly away from chance", "significantly above chance", "significantly below chance"]


class Check(NamedTuple):
    """What a baseline says about the questions of the published set.

    Attributes:
        name: The baseline.
        test: Its numbers on the test part, see `kuci_metrics.score`.
        whole: Those over all parts, see `kuci_metrics.against_chance`; None where it learned from one of them.
        p_holm: The p of the widest numbers, corrected for the number of baselines.
        verdict: By their raw p: to overlook an artefact is the worse mistake.
        told: The verdict with its numbers.
    """

    name: str
    test: Mapping[str, Any]
    whole: Mapping[str, Any] | None
    p_holm: float
    verdict: Verdict
    told: str

    @property
    def away(self) -> bool:
        """Whether it is significantly away from chance."""
        return self.verdict != "not significantly away from chance"


def checks_of(systems: Sequence[tuple[str, Mapping[str, Any]]]) -> list[Check]:
    """The checks of those systems that see no whole question and answered something.

    Args:
        systems: Their names and the contents of their `metrics.json`.
    """
    asked = [
        (name, metrics["sets"]["both"], (metrics.get("all_parts") or {}).get("both"), float(metrics["chance"]))
        for name, metrics in systems
        if is_baseline(metrics) and (metrics["sets"].get("both") or {}).get("accuracy") is not None
    ]
    adjusted = holm([(whole or test)["p_chance"] for _, test, whole, _ in asked])
    return [
        Check(name, test, whole, float(p or 0.0), *_verdict(whole or test, chance, whole=whole is not None))
        for (name, test, whole, chance), p in zip(asked, adjusted, strict=True)
    ]


def is_baseline(metrics: Mapping[str, Any]) -> bool:
    """Whether a system is there for the check: a rule, the bag of words, or a model that sees the options alone."""
    scoring = metrics["scoring"]
    return bool(scoring["how"] == "baseline" or scoring["show"] != "both")


def _verdict(found: Mapping[str, Any], chance: float, *, whole: bool) -> tuple[Verdict, str]:
    wilson, p = found["wilson"], found["p_chance"]
    away = _POINTS * (found["accuracy"] - chance)
    where = f"{found['questions']:,} questions of {'all parts' if whole else 'the test part'}"
    share = f"{found['accuracy']:.1%} of {where}, 95 % interval {wilson['low']:.1%} to {wilson['high']:.1%}, p {p:.2g}"
    if p >= ALPHA:
        return "not significantly away from chance", share
    if away > 0:
        return (
            "significantly above chance",
            f"{share}; {away:.1f} points above: something it sees tells right options from wrong ones",
        )
    return "significantly below chance", f"{share}; {-away:.1f} points below: what it goes by marks wrong options"


def summary(checks: Sequence[Check]) -> str:
    """One sentence on all baselines."""
    away = [each for each in checks if each.away]
    if not away:
        return f"None of the {len(checks)} baselines is significantly away from chance (p below {ALPHA})."
    names = "; ".join(f"{each.name}, {each.verdict.removeprefix('significantly ')}" for each in away)
    left = sum(each.p_holm < ALPHA for each in away)
    verb = "is" if len(away) == 1 else "are"
    return (
        f"{len(away)} of the {len(checks)} baselines {verb} significantly away from chance (p below {ALPHA}): {names}. "
        f"After Holm's correction for {len(checks)} tests, {left} of them {'is' if left == 1 else 'are'} so still."
    )
