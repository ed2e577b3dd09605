"""Questions that people answer: their most frequent answer against the right one.

Here people are measured, not the items: a question that most of them get wrong may be a hard one. So the verdict
"rejected" means that they were wrong, and no release leaves the question out for it.

Source: Omura, Kawahara and Kurohashi (2020), section 3.4: five people's answers to each of 100 questions; the answer of
most of them counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tashika.annotation.judging.columns import Column, compute
from tashika.annotation.labelling import Row
from tashika.annotation.votes.agreement import wilson_interval
from tashika.annotation.votes.rules import MAJORITY, Rule, decide_votes, rounded_posterior
from tashika.annotation.votes.vote import ACCEPTED, REJECTED, UNDECIDED, Ballot, annotators_of
from tashika.core.annotators import Annotators
from tashika.core.records import VERDICT

RULE: Final = "the most frequent answer"


@dataclass(frozen=True)
class Outcome:
    """What people's answers to each question come to; every array has the shape (questions,).

    Attributes:
        cast: Answers.
        right: Those that are right.
        tie: Whether two choices or more share the first place.
        enough: Whether there are as many answers as it takes.
        decided: Whether there is an answer of all together: by the majority the most frequent one, without a tie, and
            with enough answers.
        correct: Whether it is the right one.
        posterior: Its probability by a rule that has any, else NaN.
    """

    cast: NDArray[np.int64]
    right: NDArray[np.int64]
    tie: NDArray[np.bool_]
    enough: NDArray[np.bool_]
    decided: NDArray[np.bool_]
    correct: NDArray[np.bool_]
    posterior: NDArray[np.float64]


def right_labels(table: pa.Table, right_choice: Callable[[Row], str]) -> Column:
    """The right choice of each item."""
    return pa.array([right_choice(row) for row in table.to_pylist()], pa.string())


def count_answers(ballot: Ballot, right: Column, minimum_votes: int, rule: Rule = MAJORITY) -> Outcome:
    """Sets people's answers against the right ones.

    Args:
        ballot: The answers.
        right: The right choice of each of `ballot.item_ids`.
        minimum_votes: With fewer answers nothing is decided.
        rule: How the answers decide; the majority here is the most frequent answer.

    Raises:
        ValueError: A right choice is none of the page's.
    """
    counts = ballot.counts()
    places = compute.index_in(right, value_set=pa.array(list(ballot.choices), pa.string()))
    if places.null_count:
        raise ValueError(f"a right choice is none of {', '.join(ballot.choices)}")
    known = places.to_numpy().astype(np.int64)
    right_votes = counts[np.arange(len(counts)), known]
    cast = counts.sum(axis=1)
    enough = cast >= minimum_votes
    ruling = decide_votes(ballot.answers(), rule, plurality=True)
    decided = enough & (ruling.winner >= 0)
    return Outcome(cast, right_votes, ruling.tie, enough, decided, decided & (ruling.winner == known), ruling.posterior)


def decide_answers(ballot: Ballot, kind: str, minimum_votes: int, right: Column, rule: Rule = MAJORITY) -> pa.Table:
    """Verdicts with the columns of `vote.decide`.

    "Accepted" means that the most frequent answer is the right one, "rejected" that it is another, "undecided" that two
    answers are equally frequent or that there are too few. Votes for are right answers, votes against all others. By
    another rule than the majority its answer stands in the place of the most frequent one.

    Returns:
        Rows of `records.VERDICT`, sorted by item.
    """
    outcome = count_answers(ballot, right, minimum_votes, rule)
    wrong = outcome.decided & ~outcome.correct
    decisions = np.select([outcome.correct, wrong], [ACCEPTED, REJECTED], UNDECIDED)
    count = len(outcome.cast)
    columns = {
        "item_id": ballot.item_ids,
        "kind": pa.array([kind] * count, pa.string()),
        "decision": pa.array(decisions.tolist(), pa.string()),
        "text": pa.nulls(count, pa.string()),
        "votes_for": pa.array(outcome.right, pa.int32()),
        "votes_against": pa.array(outcome.cast - outcome.right, pa.int32()),
        "votes_cast": pa.array(outcome.cast, pa.int32()),
        "rule": pa.array([f"{rule.in_words(RULE)}, minimum {minimum_votes}"] * count, pa.string()),
        "tie": pa.array(outcome.tie, pa.bool_()),
        "adjudicator": pa.nulls(count, pa.string()),
        "posterior": pa.array(rounded_posterior(outcome.posterior), pa.float64()),
    }
    return pa.table([columns[name] for name in VERDICT.names], schema=VERDICT)


def human_accuracy(ballot: Ballot, right: Column, minimum_votes: int, rule: Rule = MAJORITY) -> dict[str, Any]:
    """How often people are right.

    Ties and questions with too few answers count as not right. Questions that nobody has answered do not count.

    Args:
        ballot: The answers.
        right: The right choice of each of `ballot.item_ids`.
        minimum_votes: With fewer answers a question is undecided.
        rule: How answers decide, see `count_answers`.

    Returns:
        `questions`, with an answer; `annotators`, who answered, and `people`, those of them that are no programs;
        `accuracy` of their answer by the `rule`, 0 to 1, with its `interval` (Wilson, 95 %); `single`, that of single
        answers; `ties` and `undecided` questions (too few answers); `unanswered` ones; and whether programs are among
        the annotators (`simulated`). Both accuracies are None without an answer.
    """
    outcome = count_answers(ballot, right, minimum_votes, rule)
    answered = outcome.cast > 0
    questions, correct = int(answered.sum()), int(outcome.correct.sum())
    answers = int(outcome.cast.sum())
    annotators = annotators_of(ballot.votes)
    return {
        "rule": rule.in_words(RULE),
        "questions": questions,
        "annotators": annotators.total,
        "people": annotators.people,
        "accuracy": round(correct / questions, 6) if questions else None,
        "interval": [round(end, 6) for end in wilson_interval(correct, questions)],
        "single": round(int(outcome.right.sum()) / answers, 6) if answers else None,
        "ties": int((outcome.tie & outcome.enough).sum()),
        "undecided": int((answered & ~outcome.enough).sum()),
        "unanswered": len(outcome.cast) - questions,
        "simulated": annotators.simulated,
    }


def accuracy_lines(summary: Mapping[str, Any], kinds: Sequence[str]) -> Iterator[str]:
    """Yields how often people are right, a line a kind that they answer.

    Args:
        summary: The content of `validation.json`.
        kinds: The kinds to describe.
    """
    for kind in kinds:
        accuracy = summary.get(kind, {}).get("human")
        if accuracy and accuracy["questions"]:
            low, high = accuracy["interval"]
            who = Annotators.of(accuracy).description
            by = accuracy.get("rule", RULE)
            by = "their most frequent answer" if by == RULE else by
            yield (
                f"{kind}: {who} are right on {accuracy['accuracy']:.1%} of {accuracy['questions']:,} by "
                f"{by} ({low:.1%} to {high:.1%}), on {accuracy['single']:.1%} in single answers"
            )
