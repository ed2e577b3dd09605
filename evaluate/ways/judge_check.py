"""Whether a judge of entailment can judge: hand-written pairs that it goes through before its numbers are used.

What is used of a judge is how P(entailment) ranks pairs of texts. So the check is that of a ranking: do pairs whose
hypothesis follows get more of it than the others (Mann-Whitney's U, one-sided)? A classifier whose label "entailment"
does not rank them so, while another of its labels does, has its labels turned round; one of which no label does is at
chance. What share it classifies right, and what it takes for what, is counted beside it.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from tashika.core.errors import InputError
from tashika.core.settings import packaged_data
from tashika.evaluate.metrics import Numbers
from tashika.evaluate.statistics.inference import wilson_interval
from tashika.evaluate.ways.entailment import ENTAILMENT_NAMES, Classifier, Judge, Pair, entailment

Label = Literal["entailment", "neutral", "contradiction"]
Verdict = Literal["passed", "at chance", "turned round"]
Probabilities = npt.NDArray[np.float64]

LABELS: Final[tuple[Label, ...]] = ("entailment", "neutral", "contradiction")
LEVEL: Final = 0.01
"""Below which p a label ranks pairs as entailment should."""

CHECK_VERSION: Final = 1
"""Part of what a check depends on: raise it when pairs or numbers change."""

_NAMES: Final[Mapping[str, Label]] = {
    **dict.fromkeys((*ENTAILMENT_NAMES,), "entailment"),
    **dict.fromkeys(("neutral", "neither", "中立"), "neutral"),
    **dict.fromkeys(
        ("contradiction", "contradict", "contradicts", "contradictory", "contradicted", "矛盾"), "contradiction"
    ),
}


class LabelledPair(NamedTuple):
    """A hand-written pair; see `data/entailment/README.md`."""

    language: str
    premise: str
    hypothesis: str
    label: Label

    @property
    def pair(self) -> Pair:
        """What a judge reads."""
        return self.premise, self.hypothesis


class JudgeCheck(Numbers):
    """How a judge did on the hand-written pairs.

    Attributes:
        language: Of the pairs.
        pairs: How many it was asked about.
        verdict: "passed", "at chance" or "turned round".
        area: The share of (pair that follows, pair that does not) where the first gets more P(entailment), ties half:
            the area under the curve; .5 is chance.
        p: One-sided, of that share being no more than chance.
        right: Pairs that it classifies right; of a judge without three labels, into follows and does not.
        accuracy: Their share.
        low: Of the accuracy's 95 % interval (Wilson).
        high: Likewise.
        chance: What accuracy one answer to all pairs has, at best.
        confusion: True label -> label that the judge gives -> how many pairs.
        takes_for_entailment: The label that ranks the pairs as entailment should, where the named one does not.
        went_on: Whether the judge was used though it did not pass.
    """

    language: str
    pairs: int
    verdict: Verdict
    area: float
    p: float
    right: int
    accuracy: float
    low: float
    high: float
    chance: float
    confusion: dict[str, dict[str, int]]
    takes_for_entailment: str | None = None
    went_on: bool = False


@dataclass(frozen=True)
class Given:
    """What a judge gives the pairs.

    Attributes:
        labels: Its labels; of a causal model "yes" and "no".
        place: Of entailment among them.
        shares: (pairs, labels) the probability of each.
    """

    labels: tuple[str, ...]
    place: int
    shares: Probabilities


def labelled_pairs(language: str) -> list[LabelledPair]:
    """The packaged pairs of a language.

    Raises:
        InputError: There are none.
    """
    file = packaged_data("entailment/pairs.csv")
    with file.open(encoding="utf-8", newline="") as lines:
        rows = [
            LabelledPair(row["language"], row["premise"], row["hypothesis"], _NAMES[row["label"]])
            for row in csv.DictReader(lines)
        ]
    pairs = [row for row in rows if row.language == language]
    if not pairs:
        known = ", ".join(sorted({row.language for row in rows}))
        raise InputError(f"found no pairs in {language!r}; there are some in {known}", where=str(file))
    return pairs


def check_judge(judge: Judge, language: str, *, batch_tokens: int = 8192) -> JudgeCheck:
    """Has a judge go through the hand-written pairs of a language.

    Args:
        judge: With its weights.
        language: Of the texts that it shall judge.
        batch_tokens: Tokens in a batch, at most.

    Raises:
        InputError: There are no pairs in that language, or the judge gives one no number.
    """
    pairs = labelled_pairs(language)
    given = _given(judge, [pair.pair for pair in pairs], batch_tokens)
    if not np.isfinite(given.shares).all():
        name = str(judge.describe().get("model", ""))
        raise InputError("the judge gives a hand-written pair no number", where=name, hint="Give another judge.")
    return measured(language, [pair.label for pair in pairs], given)


def _given(judge: Judge, pairs: Sequence[Pair], batch_tokens: int) -> Given:
    if isinstance(judge, Classifier):
        shares = np.stack([judge.shares([inputs])[0] for inputs in judge.encode(pairs)])
        return Given(judge.labels, judge.label, shares)
    yes = entailment(judge, pairs, batch_tokens=batch_tokens).value
    return Given(("yes", "no"), 0, np.stack([yes, 1 - yes], axis=1))


def measured(language: str, gold: Sequence[Label], given: Given) -> JudgeCheck:
    """The numbers and the verdict of what a judge gives labelled pairs."""
    follows = np.asarray([label == "entailment" for label in gold])
    ranked = [_ranking(given.shares[:, place], follows) for place in range(len(given.labels))]
    area, p = ranked[given.place]
    others = [place for place, (_, other) in enumerate(ranked) if place != given.place and other < LEVEL]
    better = min(others, key=lambda place: ranked[place][1], default=None)
    verdict: Verdict = "passed" if p < LEVEL else "at chance" if better is None else "turned round"
    named = [_NAMES.get(label.strip().casefold(), label) for label in given.labels]
    named[given.place] = "entailment"
    whole = set(named) == set(LABELS)
    said = [named[place] for place in given.shares.argmax(axis=1)]
    right = sum(
        one == other if whole else (one == "entailment") == (other == "entailment")
        for one, other in zip(gold, said, strict=True)
    )
    interval = wilson_interval(right, len(gold))
    assert interval is not None
    return JudgeCheck(
        language=language,
        pairs=len(gold),
        verdict=verdict,
        area=area,
        p=p,
        right=right,
        accuracy=right / len(gold),
        low=interval.low,
        high=interval.high,
        chance=max(Counter(gold if whole else follows.tolist()).values()) / len(gold),
        confusion={
            label: {name: sum(g == label and s == name for g, s in zip(gold, said, strict=True)) for name in named}
            for label in LABELS
        },
        takes_for_entailment=given.labels[better] if verdict == "turned round" and better is not None else None,
    )


def _ranking(shares: Probabilities, follows: npt.NDArray[np.bool_]) -> tuple[float, float]:
    """The area under the curve of a label's probability, and its one-sided p."""
    from scipy.stats import mannwhitneyu

    test: Any = mannwhitneyu(shares[follows], shares[~follows], alternative="greater")
    p = float(test.pvalue)
    # Where all are equal there is no ranking, and the normal has no deviation.
    return float(test.statistic) / float(follows.sum() * (~follows).sum()), p if np.isfinite(p) else 1.0


def require_fit(check: JudgeCheck, name: str, *, may_fail: bool) -> JudgeCheck:
    """The check of a classifier, if it may judge.

    Args:
        check: Its numbers.
        name: The judge, for the message.
        may_fail: Whether it is used all the same.

    Returns:
        The check, with `went_on` where it did not pass.

    Raises:
        InputError: It did not pass, and must.
    """
    if check.verdict == "passed" or may_fail:
        return check.model_copy(update={"went_on": check.verdict != "passed"})
    numbers = (
        f"{check.right} of {check.pairs} hand-written pairs right ({check.language}), and P(entailment) is higher for "
        f"what follows in {check.area:.0%} of comparisons (p {check.p:.2g})"
    )
    go_on = "To use it all the same: weak_judge = true under [evaluate], or --weak-judge; the report then says so."
    if check.verdict == "turned round":
        raise InputError(
            f"the judge's labels are turned round: {numbers}, while its label {check.takes_for_entailment!r} ranks "
            "them as entailment should",
            where=name,
            hint=f"Correct id2label and label2id in a copy's config.json by the order of its training. {go_on}",
        )
    raise InputError(
        f"the judge is no better than chance: {numbers}",
        where=name,
        hint=f"Give a classifier that was trained on natural language inference in this language. {go_on}",
    )
