"""From judgments to verdicts: one vote a person, a rule that decides, and ties that stay ties.

Pure functions over Arrow tables, without a loop over rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tashika.annotation.judging.columns import Column, compute, flat
from tashika.annotation.labelling import AGAINST, FOR
from tashika.annotation.votes.agreement import Counts, count_matrix
from tashika.annotation.votes.rules import MAJORITY, Rule, Votes, decide_votes, numbered_people, rounded_posterior
from tashika.core.annotators import Annotators
from tashika.core.records import DECISIONS, VERDICT

ACCEPTED, REJECTED, UNDECIDED = DECISIONS
MAJORITY_RULE = "strict majority"
VOTERS_OF_A_TEXT = 2
"""People who must have typed the same correction before it is taken over."""


@dataclass(frozen=True)
class Ballot:
    """The votes on the items of one kind.

    Attributes:
        item_ids: The items, sorted.
        votes: One row a vote, see `latest_votes`.
        items: The item of each vote, as a position in `item_ids`.
        labels: The choice of each vote, as a position in `choices`.
        choices: The page's choices and how they count.
    """

    item_ids: Column
    votes: pa.Table
    items: NDArray[np.int64]
    labels: NDArray[np.int64]
    choices: Mapping[str, int]

    def counts(self) -> Counts:
        """How many people gave each item each choice: items by choices."""
        return count_matrix(self.items, self.labels, len(self.item_ids), len(self.choices))

    def cast(self, vote: int) -> NDArray[np.int64]:
        """How many votes each item has of the choices that count as `vote`."""
        columns = [position for position, counts in enumerate(self.choices.values()) if counts == vote]
        return np.asarray(self.counts()[:, columns].sum(axis=1), dtype=np.int64)

    def answers(self) -> Votes:
        """The votes as answers to a question, of which the choices are the answers."""
        names, people = numbered_people(self.votes)
        return Votes(self.items, people, self.labels, names, len(self.item_ids), len(self.choices))

    def for_or_against(self) -> Votes:
        """The votes as answers to the question whether the item is accepted: 0 is for it, 1 against."""
        names, people = numbered_people(self.votes)
        counts = np.array(list(self.choices.values()), dtype=np.int64)[self.labels]
        cast = (counts == FOR) | (counts == AGAINST)
        against = (counts[cast] == AGAINST).astype(np.int64)
        return Votes(self.items[cast], people[cast], against, names, len(self.item_ids), 2)


def latest_votes(judgments: pa.Table) -> pa.Table:
    """One row a person and item: the last thing that the person said of it, and only if it is a vote.

    What has a problem was never a statement and is set aside before. A skip is one: who votes and later skips has
    taken the vote back.

    Args:
        judgments: Rows of `records.JUDGMENT`, in any order.

    Returns:
        The columns item_id, annotator, label, text and simulated, sorted by item and annotator.
    """
    return latest_statements(judgments).select(["item_id", "annotator", "label", "text", "simulated"])


def latest_statements(judgments: pa.Table) -> pa.Table:
    """As `latest_votes`, with all columns: judgments with a choice or with words."""
    sound = last_statements(judgments)
    said = compute.or_(compute.is_valid(sound["label"]), compute.is_valid(sound["text"]))
    return sound.filter(compute.and_(compute.invert(sound["skipped"]), said))


def last_statements(judgments: pa.Table) -> pa.Table:
    """The last sound judgment of each person on each item, skips among them; sorted by item and annotator."""
    sound = judgments.filter(compute.is_null(judgments["problem"])).sort_by(
        [(name, "ascending") for name in ("item_id", "annotator", "created_at", "annotation_id")]
    )
    if sound.num_rows:
        last = compute.or_(_changes(flat(sound, "item_id")), _changes(flat(sound, "annotator")))
        sound = sound.filter(last)
    return sound


def annotators_of(votes: pa.Table) -> Annotators:
    """Who gave some votes, of which the columns annotator and simulated are read."""
    people = votes.filter(compute.invert(votes["simulated"]))
    return Annotators(len(compute.unique(votes["annotator"])), len(compute.unique(people["annotator"])))


def _changes(values: Column) -> Column:
    """Whether a value differs from the next one; true for the last."""
    return pa.concat_arrays([compute.not_equal(values[:-1], values[1:]), pa.array([True])])


def collect(item_ids: Column, judgments: pa.Table, choices: Mapping[str, int]) -> Ballot:
    """Gathers the votes on some items.

    Args:
        item_ids: The items, without doubles.
        judgments: Rows of `records.JUDGMENT`; those of other items are left out.
        choices: The page's choices and how they count; a label that is not among them is left out.
    """
    item_ids = item_ids.take(compute.sort_indices(item_ids))
    votes = latest_votes(judgments)
    known = compute.and_(
        compute.is_in(votes["item_id"], value_set=item_ids),
        compute.is_in(votes["label"], value_set=pa.array(list(choices), pa.string())),
    )
    votes = votes.filter(known)
    items = compute.index_in(votes["item_id"], value_set=item_ids)
    labels = compute.index_in(votes["label"], value_set=pa.array(list(choices), pa.string()))
    return Ballot(item_ids, votes, items.to_numpy().astype(np.int64), labels.to_numpy().astype(np.int64), choices)


def decide(
    ballot: Ballot, kind: str, minimum_votes: int, originals: Column | None = None, rule: Rule = MAJORITY
) -> pa.Table:
    """Counts the votes.

    By a strict majority an item is accepted if more than half of the votes cast are for it, rejected if more than half
    are against, and undecided otherwise; for the other rules see `rules.decide_votes`. With fewer than the minimum of
    votes it is undecided by any rule. A tie is never broken here.

    Args:
        ballot: The votes.
        kind: The kind of the items.
        minimum_votes: With fewer an item is undecided.
        originals: The text of each of `ballot.item_ids`; a correction that gives it again is none.
        rule: How the votes decide.

    Returns:
        Rows of `records.VERDICT`, sorted by item.
    """
    votes_for, votes_against = ballot.cast(FOR), ballot.cast(AGAINST)
    cast = votes_for + votes_against
    enough = cast >= minimum_votes
    ruling = decide_votes(ballot.for_or_against(), rule)
    codes = np.where(enough & (ruling.winner >= 0), ruling.winner, DECISIONS.index(UNDECIDED))
    decisions = pa.array(DECISIONS, pa.string()).take(pa.array(codes))
    texts = agreed_texts(ballot, votes_for, originals)
    refused = compute.not_equal(decisions, ACCEPTED)
    columns = {
        "item_id": ballot.item_ids,
        "kind": pa.array([kind] * len(cast), pa.string()),
        "decision": decisions,
        "text": without(texts, refused),
        "votes_for": pa.array(votes_for, pa.int32()),
        "votes_against": pa.array(votes_against, pa.int32()),
        "votes_cast": pa.array(cast, pa.int32()),
        "rule": pa.array([f"{rule.in_words(MAJORITY_RULE)}, minimum {minimum_votes}"] * len(cast), pa.string()),
        "tie": pa.array(ruling.tie, pa.bool_()),
        "adjudicator": pa.nulls(len(cast), pa.string()),
        "posterior": pa.array(rounded_posterior(ruling.posterior), pa.float64()),
    }
    return pa.table([columns[name] for name in VERDICT.names], schema=VERDICT)


def normalise(texts: Column) -> Column:
    """Texts in Unicode form C, white space collapsed and trimmed: what two people must have in common."""
    composed = compute.utf8_normalize(texts, form="NFC")
    spaced = compute.replace_substring_regex(composed, pattern=r"\s+", replacement=" ")
    trimmed: Column = compute.utf8_trim_whitespace(spaced)
    return trimmed


def agreed_texts(ballot: Ballot, votes_for: NDArray[np.int64], originals: Column | None) -> Column:
    """The correction of each item that most of its supporters gave, and at least two people; null elsewhere.

    Args:
        ballot: The votes.
        votes_for: The supporters of each item, shape (items,).
        originals: The text that each item has.

    Returns:
        Texts, normalised; one an item.
    """
    supports = np.array([vote == FOR for vote in ballot.choices.values()], dtype=bool)[ballot.labels]
    given = flat(ballot.votes, "text")
    chosen = supports & np.asarray(compute.is_valid(given).to_numpy(zero_copy_only=False), dtype=bool)
    table = pa.table(
        [pa.array(ballot.items[chosen]), normalise(given.filter(pa.array(chosen)))], names=["item", "text"]
    )
    table = table.group_by(["item", "text"]).aggregate([([], "count_all")])
    people = table["count_all"].to_numpy()
    wins = (people >= VOTERS_OF_A_TEXT) & (people * 2 > votes_for[table["item"].to_numpy()])
    winners = table.filter(pa.array(wins, pa.bool_()))
    positions = compute.index_in(pa.array(np.arange(len(votes_for))), value_set=flat(winners, "item"))
    texts = flat(winners, "text").take(positions)
    if originals is None:
        return texts
    same = compute.fill_null(compute.equal(texts, normalise(originals)), False)
    return without(texts, same)


def without(texts: Column, unwanted: Column) -> Column:
    """The texts, null where they are unwanted."""
    kept: Column = compute.if_else(unwanted, pa.scalar(None, pa.string()), texts)
    return kept
