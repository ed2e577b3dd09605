"""KUCI's numbers from a prediction table (Omura, Kawahara and Kurohashi 2020, section 4): pure functions.

An accuracy is over the questions with a choice; those without one (`problem` says why) are counted apart, and
`accuracy_all` counts them as wrong. A model that was trained several times, each with a seed of its own, has the mean
of its runs. Wilson's interval takes the questions as drawn anew and the runs as one: more runs do not make it narrower.
Differences come from a bootstrap over contexts, since questions with one context hang together, with the same draws on
both sides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Final, NamedTuple

import numpy as np
import pyarrow as pa

from tashika.core.errors import InputError
from tashika.core.suites.kuci.words import OPTIONS, Conditions
from tashika.evaluate.kuci.fits import SUBSETS, is_judged
from tashika.evaluate.kuci.metrics_model import (
    AgainstChance,
    Comparison,
    Difference,
    Ends,
    GroupShare,
    Measured,
    Places,
    RunShare,
    SetScore,
    Share,
    Statistics,
)
from tashika.evaluate.kuci.questions import KuciQuestion
from tashika.evaluate.statistics.inference import (
    Interval,
    cluster_replicates,
    holm,
    mcnemar_exact,
    percentile_interval,
    wilson_interval,
)

CHANCE: Final = 1 / OPTIONS
BINS: Final = ("close", "middle", "far")
"""The wrong options of a question, by their similarity with the right one."""


@dataclass(frozen=True)
class MeasureSettings:
    """What the numbers depend on beside the predictions.

    Attributes:
        resamples: Draws of the bootstrap.
        seed: Of the bootstrap.
    """

    resamples: int = 2000
    seed: int = 0


class Row(NamedTuple):
    """A prediction with the question that it is on.

    Attributes:
        question: What was asked.
        seed: Of the training run; 0 where nothing was trained.
        choice: The chosen option's place; None where there is none.
        problem: Why there is none.
    """

    question: KuciQuestion
    seed: int
    choice: int | None
    problem: str | None

    @property
    def right(self) -> bool:
        """Whether the choice is the answer."""
        return self.choice == self.question.answer


Questions = Mapping[Conditions, Sequence[KuciQuestion]]


def rows_of(table: pa.Table, questions: Questions) -> dict[Conditions, list[Row]]:
    """The predictions by set, in the questions' order, those of one seed together.

    Args:
        table: `predictions.PREDICTIONS`.
        questions: What was asked, by set.

    Raises:
        InputError: The table is empty, a question is unknown, was asked twice in a run, or not in all runs of a set, or
            a choice is no option.
    """
    known = {(name, question.item_id): question for name, asked in questions.items() for question in asked}
    by_conditions: dict[Conditions, dict[tuple[int, str], Row]] = {}
    for row in table.select(["set", "item_id", "seed", "choice", "problem"]).to_pylist():
        question = known.get((row["set"], row["item_id"]))
        _require(question is not None, f"the question {row['item_id']} of the set {row['set']} is not in the release")
        assert question is not None
        choice = row["choice"]
        _require(choice is None or 0 <= choice < OPTIONS, f"the choice {choice} of {row['item_id']} is no option")
        of_set, key = by_conditions.setdefault(row["set"], {}), (row["seed"], row["item_id"])
        _require(key not in of_set, f"the question {row['item_id']} was answered twice")
        of_set[key] = Row(question, row["seed"], choice, row["problem"])
    _require(bool(by_conditions), "there are none")
    for name, rows in by_conditions.items():
        runs = Counter(seed for seed, _ in rows)
        _require(set(runs.values()) == {len(questions[name])}, f"a run lacks questions of the set {name}")
    return {
        name: [
            by_conditions[name][seed, question.item_id]
            for seed in sorted({seed for seed, _ in by_conditions[name]})
            for question in asked
        ]
        for name, asked in questions.items()
        if name in by_conditions
    }


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise InputError(f"the predictions are not sound: {message}", hint="Evaluate the model again.")


def measure(
    table: pa.Table,
    questions: Questions,
    markers: Mapping[str, str] | None = None,
    settings: MeasureSettings = MeasureSettings(),
) -> Measured:
    """All numbers of one system that come from its predictions.

    Args:
        table: `predictions.PREDICTIONS`, in any order.
        questions: What was asked, by set.
        markers: Pair -> the word that marks its relation.
        settings: See `MeasureSettings`.

    Raises:
        InputError: See `rows_of`.
    """
    rows = rows_of(table, questions)
    ablations = [name for name in rows if name != "both" and "both" in rows]
    compared = adjusted([compare(rows["both"], rows[name], settings) for name in ablations])
    return Measured(
        chance=CHANCE,
        sets={name: score(asked, markers or {}, settings) for name, asked in rows.items()},
        differences=[Difference(**dict(row), set=name) for name, row in zip(ablations, compared, strict=True)],
        statistics=Statistics(**asdict(settings), level=0.95),
    )


def adjusted(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Comparisons that stand side by side, with their p corrected for their number (Holm)."""
    corrected = holm([row.p for row in comparisons])
    return [row.model_copy(update={"p_holm": p}) for row, p in zip(comparisons, corrected, strict=True)]


def score(rows: Sequence[Row], markers: Mapping[str, str], settings: MeasureSettings) -> SetScore:
    """The numbers of one set.

    Args:
        rows: Its predictions, all runs.
        markers: Pair -> marker.
        settings: See `MeasureSettings`.
    """
    seeds = sorted({row.seed for row in rows})
    runs = [_run_share(seed, [row for row in rows if row.seed == seed]) for seed in seeds]
    accuracies = [run.accuracy for run in runs if run.accuracy is not None]
    return SetScore(
        questions=len(rows) // len(seeds),
        contexts=len({row.question.context for row in rows}),
        runs=len(seeds),
        **dict(_share(rows, len(seeds))),
        bootstrap=_accuracy_bootstrap(rows, settings),
        by_seed=runs,
        p_chance=max((run.p_chance for run in runs if run.p_chance is not None), default=None),
        sd=float(np.std(accuracies, ddof=1)) if len(accuracies) > 1 else None,
        by_relation=_by(rows, lambda row: row.question.relation or None, len(seeds)),
        by_agreement=_by(rows, lambda row: str(row.question.agreement or "") or None, len(seeds)),
        by_marker=_by(rows, lambda row: markers.get(row.question.pair), len(seeds)),
        by_fit=_by_fit(rows, len(seeds)),
        wrong=_wrong_options_by_bin(rows),
        places=Places(
            right=_count(row.question.answer for row in rows if row.seed == seeds[0]),
            chosen=_count(row.choice for row in rows if row.choice is not None),
        ),
        problems=dict(sorted(Counter(str(row.problem) for row in rows if row.choice is None).items())),
    )


def _run_share(seed: int, rows: Sequence[Row]) -> RunShare:
    answered, correct = _answered(rows), _correct(rows)
    return RunShare(
        seed=seed,
        answered=answered,
        correct=correct,
        accuracy=correct / answered if answered else None,
        p_chance=binomial_p(correct, answered, CHANCE) if answered else None,
    )


def _answered(rows: Sequence[Row]) -> int:
    return sum(row.choice is not None for row in rows)


def _correct(rows: Sequence[Row]) -> int:
    return sum(row.right for row in rows)


def _share(rows: Sequence[Row], runs: int) -> Share:
    """Counts and accuracy over all runs, with Wilson's interval over the questions of one."""
    answered, correct = _answered(rows), _correct(rows)
    accuracy = correct / answered if answered else None
    return Share(
        n=len(rows),
        answered=answered,
        correct=correct,
        accuracy=accuracy,
        accuracy_all=correct / len(rows) if rows else None,
        wilson=_wilson(accuracy * answered / runs, answered / runs) if accuracy is not None else None,
    )


def against_chance(correct: int, questions: int) -> AgainstChance:
    """An accuracy over questions that all have a choice, with Wilson's interval and the exact test against chance.

    Args:
        correct: Right choices.
        questions: At least one.
    """
    return AgainstChance(
        questions=questions,
        correct=correct,
        accuracy=correct / questions,
        wilson=_wilson(correct, questions),
        p_chance=binomial_p(correct, questions, CHANCE),
    )


def _wilson(correct: float, n: float) -> Ends | None:
    return _ends(wilson_interval(correct, n))


def _ends(interval: Interval | None) -> Ends | None:
    return Ends(low=interval.low, high=interval.high) if interval else None


def binomial_p(correct: int, n: int, chance: float) -> float:
    """The exact binomial test of a share against chance, two-sided: all counts that are at most as probable.

    Args:
        correct: Right answers.
        n: Answers, at least 1.
        chance: The share of guessing.
    """
    from scipy.stats import binomtest

    return float(binomtest(correct, n, chance).pvalue)


def _by(rows: Sequence[Row], name_of: Callable[[Row], str | None], runs: int) -> dict[str, GroupShare]:
    """Accuracy by a name, the most questions first; rows without one are left out."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        name = name_of(row)
        if name is not None:
            groups.setdefault(name, []).append(row)
    order = sorted(groups, key=lambda name: (-len(groups[name]), name))
    return {name: GroupShare(questions=len(groups[name]) // runs, **dict(_share(groups[name], runs))) for name in order}


def _by_fit(rows: Sequence[Row], runs: int) -> dict[str, GroupShare]:
    """Accuracy by what people find of the options; nothing where nobody judged them, or a part has no question."""
    if not is_judged([row.question for row in rows]):
        return {}
    parts = {name: [row for row in rows if belongs(row.question)] for name, belongs in SUBSETS.items()}
    return {
        name: GroupShare(questions=len(part) // runs, **dict(_share(part, runs)))
        for name, part in parts.items()
        if part
    }


def _wrong_options_by_bin(rows: Sequence[Row]) -> dict[str, int]:
    """How often each kind of wrong option was chosen: the one most alike the answer, the middle one, the least alike.

    A question has one of each bin of similarity (section 3.4), so a guess falls on each alike often. Empty where the
    questions have no similarities.
    """
    if not any(row.question.similarities for row in rows):
        return {}
    counts: Counter[str] = Counter()
    for row in rows:
        question = row.question
        if row.choice is None or row.right:
            continue
        others = [place for place in range(OPTIONS) if place != question.answer]
        others.sort(key=lambda place: (-question.similarities[place], place))
        counts[BINS[others.index(row.choice)]] += 1
    return {name: counts[name] for name in BINS}


def _count(places: Iterable[int]) -> list[int]:
    counts = Counter(places)
    return [counts[place] for place in range(OPTIONS)]


# --- two sides of a comparison ---


def compare(first: Sequence[Row], second: Sequence[Row], settings: MeasureSettings) -> Comparison:
    """The second side's accuracy less the first's: two systems on one set, or one system on two sets.

    Args:
        first: Predictions, all runs.
        second: Predictions, all runs.
        settings: See `MeasureSettings`.
    """
    sides = [_sums(first), _sums(second)]
    contexts = sorted(set(sides[0]) | set(sides[1]))
    sums = np.array([[side.get(context, (0, 0)) for side in sides] for context in contexts], dtype=float)
    drawn = cluster_replicates(sums[:, :, 0], sums[:, :, 1], resamples=settings.resamples, seed=settings.seed)
    whole = sums.sum(axis=0)
    known = bool((whole[:, 1] > 0).all())
    right_before, right_after = _first_run(first), _first_run(second)
    common = set(right_before) & set(right_after)
    lost = sum(right_before[pair] and not right_after[pair] for pair in common)
    gained = sum(right_after[pair] and not right_before[pair] for pair in common)
    return Comparison(
        delta=float(whole[1, 0] / whole[1, 1] - whole[0, 0] / whole[0, 1]) if known else None,
        interval=_ends(percentile_interval(drawn[:, 1] - drawn[:, 0])) if known and len(contexts) > 1 else None,
        common=len(common),
        lost=lost,
        gained=gained,
        p=mcnemar_exact(lost, gained) if common else None,
    )


def _accuracy_bootstrap(rows: Sequence[Row], settings: MeasureSettings) -> Ends | None:
    sums = _sums(rows)
    counts = np.array([sums[context] for context in sorted(sums)], dtype=float)
    if np.count_nonzero(counts[:, 1]) < 2:
        return None
    drawn = cluster_replicates(counts[:, :1], counts[:, 1:], resamples=settings.resamples, seed=settings.seed)
    return _ends(percentile_interval(drawn[:, 0]))


def _sums(rows: Iterable[Row]) -> dict[str, tuple[int, int]]:
    """Right and answered by context, or by pair of core events where the release names them."""
    sums: dict[str, tuple[int, int]] = {}
    for row in rows:
        right, answered = sums.get(row.question.cluster, (0, 0))
        sums[row.question.cluster] = (right + row.right, answered + (row.choice is not None))
    return sums


def _first_run(rows: Sequence[Row]) -> dict[str, bool]:
    """Whether each answered pair was right, in the run with the lowest seed."""
    seed = min(row.seed for row in rows)
    return {row.question.pair: row.right for row in rows if row.seed == seed and row.choice is not None}
