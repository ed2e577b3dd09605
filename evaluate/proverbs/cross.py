"""Consistency between the two sides: does what a model answers to a question follow from its answers to the other one?

Text consistency (TC) compares the answers to one question with each other. A model may answer each question with five
statements that say one thing, and say another thing to the variant: TC finds nothing. So here each answer is the
hypothesis once more, and the premises are all answers to the pair's other question. The mean over both sides is the
pair's cross-entailment. It stands beside the mean TC of the same pairs: what the change of the question costs is the
difference, since answers that merely say several things do so on both sides.

Not in the paper, which compares how TC is spread on both sides.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tashika.core.suites.proverbs.words import CONTROL, SIDES, TOPICS
from tashika.evaluate.metrics import Numbers
from tashika.evaluate.proverbs.answers import Outcome
from tashika.evaluate.proverbs.questions import AskedQuestion
from tashika.evaluate.statistics.inference import cluster_bootstrap
from tashika.evaluate.ways.entailment import Judge, RunJudge, entailment

EVERYTHING: Final = "all"
Statements = Sequence[str | None]
Values = npt.NDArray[np.float64]

_CROSS: Final[tuple[pa.Field[Any], ...]] = (
    pa.field("item_id", pa.string(), nullable=False),  # the pair's
    pa.field("topic", pa.string(), nullable=False),
    pa.field("side", pa.string(), nullable=False),  # "proverb" or "variant"
    pa.field("place", pa.int32(), nullable=False),  # of the answer, from 1
    pa.field("cross", pa.float64()),  # how far the answers to the pair's other question entail this one
    pa.field("cross_problem", pa.string()),  # why there is no number
)
CROSSES: Final = pa.schema(_CROSS)
"""`crosses.parquet`: a row an answer, by item_id, side and place, as in `answers.parquet`."""


class Estimate(Numbers):
    """A mean over pairs, and its 95 % interval by resampling proverbs; None where there is none."""

    mean: float | None
    low: float | None
    high: float | None


class CrossNumbers(Numbers):
    """Consistency between the two sides beside that within each, over the pairs that have both.

    Attributes:
        pairs: How many.
        of: Of how many.
        within: Mean TC of both sides' answers.
        cross: Mean cross-entailment of both sides' answers.
        to_proverb: Of the proverb's answers alone, from the variant's.
        to_variant: Of the variant's answers alone, from the proverb's.
        difference: Cross minus within, pair by pair.
        lower: Pairs where cross is below within.
    """

    pairs: int
    of: int
    within: Estimate
    cross: Estimate
    to_proverb: Estimate
    to_variant: Estimate
    difference: Estimate
    lower: int


def cross_consistencies(
    judge: Judge, groups: Sequence[Statements], *, batch_tokens: int, run: RunJudge | None = None
) -> list[Outcome]:
    """How far each statement follows from those of the pair's other question: the mean of P(entailment).

    Args:
        judge: The judge; its outline where `run` is given.
        groups: Each question's statements, the two questions of a pair one after the other; None where there is none.
        batch_tokens: Tokens in a batch, at most.
        run: See `ways.entailment.entailment`.

    Returns:
        An outcome a place, question by question. A pair that lacks a statement has none.
    """
    pairs = list(zip(groups[::2], groups[1::2], strict=True))
    complete = [(one, other) for one, other in pairs if not _lacking(one, other)]
    asked = [
        (str(premise), str(hypothesis))
        for one, other in complete
        for hypotheses, premises in ((one, other), (other, one))
        for hypothesis in hypotheses
        for premise in premises
    ]
    judged = entailment(judge, asked, batch_tokens=batch_tokens, run=run)
    start, outcomes = 0, list[Outcome]()
    for one, other in pairs:
        lacking = _lacking(one, other)
        for hypotheses, premises in ((one, other), (other, one)):
            for _ in hypotheses:
                if lacking:
                    outcomes.append(Outcome(None, lacking, 0, None))
                    continue
                stop = start + len(premises)
                outcomes.append(_mean_of(judged.value[start:stop].tolist(), judged.problem[start:stop]))
                start = stop
    return outcomes


def _lacking(one: Statements, other: Statements) -> str | None:
    """Why a pair cannot be judged."""
    there = sum(text is not None for text in (*one, *other))
    wanted = len(one) + len(other)
    return None if there == wanted else f"too few statements ({there} of {wanted} of the pair)"


def _mean_of(values: Sequence[float], problems: Sequence[str | None]) -> Outcome:
    bad = [problem for problem in problems if problem]
    if bad:
        return Outcome(None, f"{len(bad)} of {len(problems)} pairs: {bad[0]}", 0, None)
    return Outcome(math.fsum(values) / len(values), None, 0, None)


def cross_table(questions: Sequence[AskedQuestion], outcomes: Sequence[Outcome]) -> pa.Table:
    """The outcomes as `CROSSES`."""
    count = len(outcomes) // max(1, len(questions))
    rows = [
        {
            "item_id": question.pair.item_id,
            "topic": question.pair.topic,
            "side": question.side,
            "place": place % count + 1,
            "cross": outcomes[place].value,
            "cross_problem": outcomes[place].problem,
        }
        for place, question in enumerate(question for question in questions for _ in range(count))
    ]
    table = pa.Table.from_pylist(rows, schema=CROSSES)
    return table.sort_by([(name, "ascending") for name in ("item_id", "side", "place")])


# --- the numbers ---


def pair_values(answers: pa.Table, crosses: pa.Table) -> dict[str, dict[str, Any]]:
    """Each pair's own numbers.

    Args:
        answers: A model's `ANSWERS`.
        crosses: Its `CROSSES`.

    Returns:
        By pair its `topic`, its `change`, its proverb's `question`, and `within`, `proverb` and `variant` (the mean
        cross-entailment of that side's answers) and `cross`, each None where an answer has no number.
    """
    sides: dict[str, dict[str, list[float | None]]] = {}
    pairs: dict[str, dict[str, Any]] = {}
    for row in answers.to_pylist():
        pair = pairs.setdefault(row["item_id"], {name: row[name] for name in ("topic", "change", "question")})
        if row["side"] == "proverb":
            pair["question"] = row["question"]
        sides.setdefault(row["item_id"], {}).setdefault("within", []).append(row["consistency"])
    for row in crosses.to_pylist():
        sides.setdefault(row["item_id"], {}).setdefault(row["side"], []).append(row["cross"])
    for item, pair in pairs.items():
        pair |= {name: _mean(sides[item].get(name, [])) for name in ("within", *SIDES)}
        pair["cross"] = _mean([pair[side] for side in SIDES])
    return pairs


def _mean(values: Sequence[float | None]) -> float | None:
    """The mean, if there is any value and none is missing."""
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known and len(known) == len(values) else None


def cross_numbers(answers: pa.Table, crosses: pa.Table, *, seed: int = 0) -> dict[str, CrossNumbers]:
    """Topic -> the numbers of its pairs; "all" for all of them, and the change of controls ("neutral") for those.

    Args:
        answers: A model's `ANSWERS`.
        crosses: Its `CROSSES`.
        seed: Of the resamples.
    """
    every = list(pair_values(answers, crosses).values())
    pairs = [pair for pair in every if pair["change"] != CONTROL]
    controls = [pair for pair in every if pair["change"] == CONTROL]
    here = {str(pair["topic"]) for pair in pairs}
    topics = [*(topic for topic in TOPICS if topic in here), *sorted(here - set(TOPICS)), EVERYTHING]
    parts = {topic: [pair for pair in pairs if topic in (EVERYTHING, pair["topic"])] for topic in topics}
    if controls:
        parts[CONTROL] = controls
    return {name: _numbers(part, seed) for name, part in parts.items()}


def _numbers(pairs: Sequence[Mapping[str, Any]], seed: int) -> CrossNumbers:
    known = [pair for pair in pairs if pair["within"] is not None and pair["cross"] is not None]
    clusters = [str(pair["question"]) for pair in known]
    columns = {name: [float(pair[name]) for pair in known] for name in ("within", "cross", *SIDES)}
    differences = [cross - within for cross, within in zip(columns["cross"], columns["within"], strict=True)]
    return CrossNumbers(
        pairs=len(known),
        of=len(pairs),
        within=_estimate(columns["within"], clusters, seed),
        cross=_estimate(columns["cross"], clusters, seed),
        to_proverb=_estimate(columns["proverb"], clusters, seed),
        to_variant=_estimate(columns["variant"], clusters, seed),
        difference=_estimate(differences, clusters, seed),
        lower=sum(difference < 0 for difference in differences),
    )


def _estimate(values: Sequence[float], clusters: Sequence[str], seed: int) -> Estimate:
    interval = cluster_bootstrap(clusters, values, np.ones(len(values)), seed=seed) if values else None
    return Estimate(
        mean=math.fsum(values) / len(values) if values else None,
        low=None if interval is None else interval.low,
        high=None if interval is None else interval.high,
    )
