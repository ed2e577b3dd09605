"""What people say an item is: its label, its labels, its rating, which of two texts is better, or a text.

One statement a person, the latest, as everywhere. A label is decided by more than half of the votes cast, of several
labels each one by itself; a rating is the median; texts are collected. What is decided is "accepted", the rest is
"undecided": nobody votes against an item here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tashika.annotation.judging.columns import Column, compute, flat
from tashika.annotation.labelling import SEVERAL, FormPage, LabelsPage, RatingPage, TextPage
from tashika.annotation.votes.agreement import Counts
from tashika.annotation.votes.rules import (
    MAJORITY,
    Rule,
    Ruling,
    Votes,
    decide_votes,
    numbered_people,
    rounded_posterior,
)
from tashika.annotation.votes.vote import ACCEPTED, UNDECIDED, latest_votes
from tashika.core.records import ANSWER, VERDICT

RULES: Final[Mapping[str, str]] = {
    "label": "strict majority",
    "labels": "strict majority for each label",
    "rating": "median",
    "text": "none: texts are collected",
}


@dataclass(frozen=True)
class FormBallot:
    """What people said of the items of one kind.

    Attributes:
        page: The page.
        item_ids: The items, sorted.
        votes: One row a person and item, see `vote.latest_votes`.
        items: The item of each vote, as a position in `item_ids`; shape (votes,).
        taken: Whether each vote takes each label of the page; shape (votes, labels), without labels for texts.
    """

    page: FormPage | TextPage
    item_ids: Column
    votes: pa.Table
    items: NDArray[np.int64]
    taken: NDArray[np.bool_]

    @property
    def cast(self) -> NDArray[np.int64]:
        """How many votes each item has; shape (items,)."""
        return np.bincount(self.items, minlength=len(self.item_ids)).astype(np.int64)

    def counts(self) -> Counts:
        """How many people gave each item each label; shape (items, labels)."""
        counts = np.zeros((len(self.item_ids), self.taken.shape[1]), dtype=np.int64)
        np.add.at(counts, self.items, self.taken.astype(np.int64))
        return counts

    def answers(self) -> Votes:
        """The votes as what was said as a whole: of several labels every set that somebody took is an answer."""
        if not isinstance(self.page, LabelsPage):
            return self.question()
        sets, answers = np.unique(self.taken, axis=0, return_inverse=True)
        names, people = numbered_people(self.votes)
        places = answers.reshape(-1).astype(np.int64)
        return Votes(self.items, people, places, names, len(self.item_ids), len(sets))

    def question(self, label: int | None = None) -> Votes:
        """The votes as answers to a question: which label it is, or whether it has one of them (0 no, 1 yes)."""
        names, people = numbered_people(self.votes)
        answers = self.taken.argmax(axis=1) if label is None else self.taken[:, label]
        size = self.taken.shape[1] if label is None else 2
        return Votes(self.items, people, answers.astype(np.int64), names, len(self.item_ids), size)


@dataclass(frozen=True)
class Decided:
    """What the votes come to; every array has the items as its first axis.

    Attributes:
        decided: Whether there is an answer.
        tie: Whether it fails by votes that are equal.
        votes_for: Votes for the answer; where there is none, for the label that most people took.
        chosen: Which labels are the item's; shape (items, labels).
        posterior: The probability of the answer, or of the likeliest where none is decided; NaN where the rule has no
            probabilities. Of several labels the product over labels.
        median: Of a rating, from 1; NaN elsewhere and where nothing is decided.
        mean: As `median`.
        spread: As `median`: the standard deviation of the votes themselves.
    """

    decided: NDArray[np.bool_]
    tie: NDArray[np.bool_]
    votes_for: NDArray[np.int64]
    chosen: NDArray[np.bool_]
    posterior: NDArray[np.float64]
    median: NDArray[np.float64]
    mean: NDArray[np.float64]
    spread: NDArray[np.float64]


def rule_of(page: FormPage | TextPage, rule: Rule = MAJORITY) -> str:
    """How the votes on a page decide, in words."""
    if isinstance(page, TextPage):
        return RULES["text"]
    name = "labels" if isinstance(page, LabelsPage) else "rating" if isinstance(page, RatingPage) else "label"
    return rule.in_words(RULES[name]) + (" for each label" if name == "labels" and rule.name != "majority" else "")


def collect_form(page: FormPage | TextPage, item_ids: Column, judgments: pa.Table) -> FormBallot:
    """Gathers what people said of some items.

    Args:
        page: The page.
        item_ids: The items, without doubles.
        judgments: Rows of `records.JUDGMENT` of the page's kind; those of other items, and those with a label that the
            page does not have (any more), are left out.
    """
    item_ids = item_ids.take(compute.sort_indices(item_ids))
    votes = latest_votes(judgments)
    known = compute.is_in(votes["item_id"], value_set=item_ids)
    labels: Sequence[str] = ()
    if isinstance(page, FormPage):
        labels = page.labels
        said = compute.unique(compute.drop_null(votes["label"])).to_pylist()
        sound = [label for label in said if set(page.parts(label)) <= set(labels)]
        known = compute.and_(known, compute.is_in(votes["label"], value_set=pa.array(sound, pa.string())))
    else:
        known = compute.and_(known, compute.is_valid(votes["text"]))
    votes = votes.filter(known)
    items = compute.index_in(votes["item_id"], value_set=item_ids).to_numpy().astype(np.int64)
    return FormBallot(page, item_ids, votes, items, _taken(page, votes, labels))


def _taken(page: FormPage | TextPage, votes: pa.Table, labels: Sequence[str]) -> NDArray[np.bool_]:
    if not isinstance(page, FormPage):
        return np.zeros((votes.num_rows, 0), dtype=bool)
    said = compute.unique(votes["label"])
    parts = [set(page.parts(str(statement))) for statement in said.to_pylist()]
    rows = np.array([[label in part for label in labels] for part in parts], dtype=bool).reshape(-1, len(labels))
    taken: NDArray[np.bool_] = rows[compute.index_in(votes["label"], value_set=said).to_numpy().astype(np.int64)]
    return taken


def decide_form(ballot: FormBallot, minimum_votes: int, rule: Rule = MAJORITY) -> Decided:
    """Counts what people said.

    Args:
        ballot: What they said.
        minimum_votes: With fewer votes an item is undecided.
        rule: How labels and preferences are decided; ratings and texts have ways of their own.
    """
    if isinstance(ballot.page, TextPage):
        return _decide_texts(ballot, minimum_votes)
    if isinstance(ballot.page, LabelsPage):
        return _decide_labels(ballot, minimum_votes, rule)
    if isinstance(ballot.page, RatingPage):
        return _decide_ratings(ballot, minimum_votes)
    return _decide_label(ballot, minimum_votes, rule)


def _decide_texts(ballot: FormBallot, minimum_votes: int) -> Decided:
    cast = ballot.cast
    never = np.zeros(len(cast), dtype=bool)
    return Decided(cast >= minimum_votes, never, cast, never[:, None][:, :0], *_no_numbers(len(cast), 4))


def _decide_label(ballot: FormBallot, minimum_votes: int, rule: Rule) -> Decided:
    """One of several: by a majority that of more than half of the votes."""
    counts, cast = ballot.counts(), ballot.cast
    ruling = decide_votes(ballot.question(), rule)
    decided = (cast >= minimum_votes) & (ruling.winner >= 0)
    best = np.where(ruling.winner >= 0, ruling.winner, counts.argmax(axis=1))
    votes_for = counts[np.arange(len(cast)), best]
    chosen = decided[:, None] & (np.arange(counts.shape[1]) == best[:, None])
    return Decided(decided, ruling.tie, votes_for, chosen, ruling.posterior, *_no_numbers(len(cast)))


def _decide_labels(ballot: FormBallot, minimum_votes: int, rule: Rule) -> Decided:
    """Any of several: by a majority each label that more than half of the voters took.

    Undecided if that is so of a label (of which exactly half took it), and also if none is taken: nobody said that
    there is none.
    """
    cast = ballot.cast
    rulings: list[Ruling] = [decide_votes(ballot.question(label), rule) for label in range(ballot.taken.shape[1])]
    winners = np.stack([ruling.winner for ruling in rulings], axis=1)
    tie = np.asarray(np.stack([ruling.tie for ruling in rulings], axis=1).any(axis=1), dtype=bool)
    posterior = np.stack([ruling.posterior for ruling in rulings], axis=1).prod(axis=1)
    taken = winners == 1
    decided = (cast >= minimum_votes) & (winners >= 0).all(axis=1) & taken.any(axis=1)
    same = (ballot.taken == taken[ballot.items]).all(axis=1)
    votes_for = np.bincount(ballot.items[same], minlength=len(cast)).astype(np.int64)
    return Decided(decided, tie, votes_for, taken & decided[:, None], posterior, *_no_numbers(len(cast)))


def _decide_ratings(ballot: FormBallot, minimum_votes: int) -> Decided:
    """A point of a scale: the median, which lies between two points where the middle votes do."""
    counts, cast = ballot.counts(), ballot.cast
    decided = cast >= minimum_votes
    points = np.arange(1, counts.shape[1] + 1, dtype=np.float64)
    reached = counts.cumsum(axis=1)
    lower = (reached >= ((cast + 1) // 2)[:, None]).argmax(axis=1)
    upper = (reached >= (cast // 2 + 1)[:, None]).argmax(axis=1)
    votes_for = np.where(lower == upper, counts[np.arange(len(cast)), lower], 0)
    many = np.maximum(cast, 1)
    mean = counts @ points / many
    variance = np.maximum(counts @ points**2 / many - mean**2, 0.0)
    numbers = ((points[lower] + points[upper]) / 2, mean, np.sqrt(variance))
    median, mean, spread = (np.where(decided, number, np.nan) for number in numbers)
    never = np.zeros(len(cast), dtype=bool)
    (nothing,) = _no_numbers(len(cast), 1)
    return Decided(decided, never, votes_for, np.zeros_like(counts, dtype=bool), nothing, median, mean, spread)


def _no_numbers(items: int, count: int = 3) -> list[NDArray[np.float64]]:
    return [np.full(items, np.nan)] * count


def verdicts_of(ballot: FormBallot, outcome: Decided, minimum_votes: int, rule: Rule = MAJORITY) -> pa.Table:
    """Rows of `records.VERDICT`, sorted by item.

    The text is the label, the labels joined by `labelling.SEVERAL`, or the median; none for texts.
    """
    cast, count = ballot.cast, len(ballot.item_ids)
    columns = {
        "item_id": ballot.item_ids,
        "kind": pa.array([ballot.page.kind] * count, pa.string()),
        "decision": pa.array(np.where(outcome.decided, ACCEPTED, UNDECIDED).tolist(), pa.string()),
        "text": pa.array(_verdict_texts(ballot.page, outcome), pa.string()),
        "votes_for": pa.array(outcome.votes_for, pa.int32()),
        "votes_against": pa.array(cast - outcome.votes_for, pa.int32()),
        "votes_cast": pa.array(cast, pa.int32()),
        "rule": pa.array([f"{rule_of(ballot.page, rule)}, minimum {minimum_votes}"] * count, pa.string()),
        "tie": pa.array(outcome.tie, pa.bool_()),
        "adjudicator": pa.nulls(count, pa.string()),
        "posterior": pa.array(rounded_posterior(outcome.posterior), pa.float64()),
    }
    return pa.table([columns[name] for name in VERDICT.names], schema=VERDICT)


def _verdict_texts(page: FormPage | TextPage, outcome: Decided) -> list[str | None]:
    if isinstance(page, TextPage):
        return [None] * len(outcome.decided)
    if isinstance(page, RatingPage):
        return [None if np.isnan(median) else f"{median:g}" for median in outcome.median]
    labels = np.asarray(page.labels, dtype=object)
    return [SEVERAL.join(labels[row]) or None for row in outcome.chosen]


def answers_of(ballot: FormBallot, outcome: Decided) -> list[dict[str, Any]]:
    """Rows of `records.ANSWER`, sorted by item."""
    page = ballot.page
    several = isinstance(page, LabelsPage)
    texts = _texts(ballot) if isinstance(page, TextPage) else {}
    labels = np.asarray(page.labels if isinstance(page, FormPage) else (), dtype=object)
    rows = []
    for place, item_id in enumerate(ballot.item_ids.to_pylist()):
        chosen = list(labels[outcome.chosen[place]])
        rows.append(
            {
                "item_id": item_id,
                "kind": page.kind,
                "votes": [],
                "label": chosen[0] if chosen and not several else None,
                "labels": chosen if several else [],
                "median": _number(outcome.median[place]),
                "mean": _number(outcome.mean[place]),
                "spread": _number(outcome.spread[place]),
                "texts": texts.get(place, []),
            }
        )
    for row, votes in zip(rows, ballot.counts().tolist(), strict=True):
        row["votes"] = votes
    return rows


def _texts(ballot: FormBallot) -> dict[int, list[str]]:
    """What people wrote of each item, in the order of their names."""
    by_place: dict[int, list[str]] = {}
    for place, text in zip(ballot.items.tolist(), flat(ballot.votes, "text").to_pylist(), strict=True):
        by_place.setdefault(place, []).append(str(text))
    return by_place


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def put_in(
    answers: Iterable[Mapping[str, Any]],
    adjudications: Iterable[Mapping[str, Any]],
    pages: Mapping[str, FormPage | TextPage],
) -> pa.Table:
    """Puts the last adjudication of each item in the place of its answer; the votes stay visible.

    Args:
        answers: Rows of `records.ANSWER`.
        adjudications: Oldest first, of any kind; see `adjudicating.decisions.read_adjudications`.
        pages: The pages, by kind; adjudications of other kinds are left out.

    Returns:
        Rows of `records.ANSWER`, sorted by kind and item.
    """
    rows = {row["item_id"]: dict(row) for row in answers}
    last = {row["item_id"]: row for row in adjudications if row["kind"] in pages}
    for item_id, decision in last.items():
        page = pages[decision["kind"]]
        before = rows.get(item_id) or _blank(item_id, page)
        rows[item_id] = {**before, **_adjudicated(page, decision, before)}
    ordered = sorted(rows.values(), key=lambda row: (row["kind"], row["item_id"]))
    return pa.Table.from_pylist(ordered, schema=ANSWER)


def _blank(item_id: str, page: FormPage | TextPage) -> dict[str, Any]:
    votes = [0] * (len(page.labels) if isinstance(page, FormPage) else 0)
    return {"item_id": item_id, "kind": page.kind, "votes": votes, **_NOTHING, "texts": []}


_NOTHING: Final[Mapping[str, Any]] = {"label": None, "labels": [], "median": None, "mean": None, "spread": None}


def _adjudicated(page: FormPage | TextPage, decision: Mapping[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
    """What an adjudication says an item is; a rating keeps the mean and the spread of its votes."""
    text = decision["text"]
    if decision["decision"] != ACCEPTED:
        return dict(_NOTHING)
    if isinstance(page, TextPage):
        return {"texts": [text]} if text else {}
    if isinstance(page, RatingPage):
        return {**before, "median": float(text)}
    if isinstance(page, LabelsPage):
        return {**_NOTHING, "labels": text.split(SEVERAL)}
    return {**_NOTHING, "label": text}
