"""The rules by which votes decide, by name: what each makes of the votes on a question with several answers.

Whether an item is for or against, which label it has and whether it has one of several labels are all such questions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tashika.annotation.judging.columns import compute
from tashika.annotation.options import RuleName
from tashika.annotation.votes.agreement import Counts, count_matrix
from tashika.annotation.votes.dawid_skene import dawid_skene
from tashika.core.errors import InputError

EVEN: Final = 1e-9
"""Probabilities that differ by less are equal: what is left of rounding decides nothing."""

IN_WORDS: Final[Mapping[RuleName, str]] = {
    "majority": "strict majority",
    "unanimous": "unanimous votes",
    "weighted": "votes weighted by accuracy on gold questions",
    "dawid-skene": "the model of Dawid and Skene",
}

WITH_POSTERIOR: Final[Sequence[RuleName]] = ("weighted", "dawid-skene")
"""The rules that give the probability of their decisions."""


@dataclass(frozen=True)
class Accuracy:
    """How often people are right on gold questions, as far as the weights of their votes need it.

    Attributes:
        right: How many each got right, of how many; by pseudonym.
    """

    right: Mapping[str, tuple[int, int]]

    @property
    def pooled(self) -> float:
        """That of all people together, by Laplace's rule; who met no gold question is taken to be as they are."""
        right, answered = (sum(pair[place] for pair in self.right.values()) for place in (0, 1))
        return (right + 1) / (answered + 2)

    def of(self, name: str) -> float:
        """The share that a person gets right, by Laplace's rule of succession: (right + 1) / (answered + 2)."""
        right, answered = self.right.get(name, (0, 0))
        return (right + 1) / (answered + 2) if answered else self.pooled


@dataclass(frozen=True)
class Rule:
    """A rule, with what it needs besides the votes.

    Attributes:
        name: Its name in the settings.
        accuracy: Of the people, for `weighted`.
    """

    name: RuleName = "majority"
    accuracy: Accuracy = field(default_factory=lambda: Accuracy({}))

    @property
    def has_posterior(self) -> bool:
        """Whether it gives the probability of its decisions."""
        return self.name in WITH_POSTERIOR

    def in_words(self, majority: str) -> str:
        """What a verdict, a card and a report call it; the words of a page for its majority are the page's own."""
        return majority if self.name == "majority" else IN_WORDS[self.name]

    def caveats(self, votes: Votes) -> list[str]:
        """What it cannot know from such votes, in words."""
        if self.name != "dawid-skene" or not len(votes.items):
            return []
        voters = len(np.unique(votes.people))
        if voters == 1:
            return ["one annotator alone has voted, whose errors cannot be known: every vote is taken for right"]
        groups = _unconnected(votes)
        apart = f"the annotators fall into {groups} groups that share no item: their errors cannot be compared"
        return [apart] if groups > 1 else []

    @property
    def can_weigh(self) -> bool:
        """Whether there is what it needs: to weigh votes, somebody must have answered a gold question."""
        return self.name != "weighted" or any(answered for _, answered in self.accuracy.right.values())

    def check(self, kind: str) -> None:
        """Whether there is what it needs.

        Raises:
            InputError: Votes are to be weighted, and nobody has answered a gold question.
        """
        if not self.can_weigh:
            hint = f'Choose another rule for this kind ("majority"), or give {kind} items gold questions.'
            message = "votes weigh by people's accuracy on gold questions, and nobody has answered one"
            raise InputError(message, where=f"[annotate.kinds.{kind}] rule", hint=hint)


MAJORITY: Final = Rule()


@dataclass(frozen=True)
class Votes:
    """The votes on one question about items, as numbers.

    Attributes:
        items: The item of each vote; shape (votes,).
        people: Who cast each, as a position in `names`; shape (votes,).
        labels: The answer of each vote; shape (votes,).
        names: The people, by pseudonym.
        n_items: How many items there are, with or without votes.
        n_labels: How many answers there are.
    """

    items: NDArray[np.int64]
    people: NDArray[np.int64]
    labels: NDArray[np.int64]
    names: Sequence[str]
    n_items: int
    n_labels: int

    def counts(self) -> Counts:
        """How many people gave each item each answer; shape (items, answers)."""
        return count_matrix(self.items, self.labels, self.n_items, self.n_labels)


@dataclass(frozen=True)
class Ruling:
    """What a rule makes of votes; every array has the shape (items,).

    Attributes:
        winner: The answer that is decided, -1 where none is.
        tie: Whether there are votes and two answers or more are equally good, by the rule's own measure.
        posterior: The probability of the winner, or where there is none of the likeliest answer, given the votes; NaN
            where the rule has no probabilities, and without votes.
    """

    winner: NDArray[np.int64]
    tie: NDArray[np.bool_]
    posterior: NDArray[np.float64]


def decide_votes(votes: Votes, rule: Rule, *, plurality: bool = False) -> Ruling:
    """Decides every item that has votes; how many it takes at least is the caller's to ask.

    `majority` decides for the answer of more than half of the votes; `unanimous` for that of all; `weighted` and
    `dawid-skene` for the answer that is likelier than all others together.

    Args:
        votes: The votes.
        rule: How they decide.
        plurality: Whether the most frequent or likeliest answer suffices, if it is the only such; `unanimous` is not
            changed by it.
    """
    counts = votes.counts()
    cast = counts.sum(axis=1)
    if rule.has_posterior:
        good, threshold = _POSTERIORS[rule.name](votes, rule), np.full(votes.n_items, 0.5 + EVEN)
    else:
        good = counts.astype(np.float64)
        threshold = cast.astype(np.float64) if rule.name == "unanimous" else cast / 2 + EVEN
    if plurality and rule.name != "unanimous":
        threshold = np.zeros(votes.n_items)
    best = good.max(axis=1, initial=0.0)
    tie = (cast > 0) & (np.count_nonzero(good >= best[:, None] - EVEN, axis=1) > 1)
    decided = (cast > 0) & ~tie & (best >= threshold)
    winner = np.where(decided, good.argmax(axis=1) if votes.n_labels else -1, -1).astype(np.int64)
    likely = np.where(cast > 0, best, np.nan) if rule.has_posterior else np.full(votes.n_items, np.nan)
    return Ruling(winner, tie, likely)


def _unconnected(votes: Votes) -> int:
    """Into how many groups the people fall who are not linked by items that both of two voted on."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    size = votes.n_items + len(votes.names)
    links = coo_array((np.ones(len(votes.items)), (votes.items, votes.people + votes.n_items)), shape=(size, size))
    _, group = connected_components(links, directed=False)
    return len(np.unique(group[votes.n_items + np.unique(votes.people)]))


def _by_weights(votes: Votes, rule: Rule) -> NDArray[np.float64]:
    """The probability of each answer, shape (items, answers), if all are equally likely before the votes.

    A vote of a person who is right with the probability p, and else gives each of the K - 1 other answers alike,
    weighs log((K - 1) p / (1 - p)); the sum of the weights for an answer is its log probability but for a constant.
    With K = 2 this is the log odds of S. Nitzan and J. Paroush, Optimal decision rules in uncertain dichotomous choice
    situations, International Economic Review 23(2), 1982, theorem 1; in general the weight of H. Li and B. Yu, Error
    rate bounds and iterative weighted majority voting for crowdsourcing, 2014 (https://arxiv.org/abs/1411.4086).
    """
    rates = np.array([rule.accuracy.of(name) for name in votes.names], dtype=np.float64)
    weights = np.log(max(votes.n_labels - 1, 1) * rates / (1 - rates))
    cells = votes.items * votes.n_labels + votes.labels
    sums = np.bincount(cells, weights[votes.people], minlength=votes.n_items * votes.n_labels)
    scores = sums.astype(np.float64).reshape(votes.n_items, votes.n_labels)  # without votes bincount counts
    relative = np.exp(scores - scores.max(axis=1, keepdims=True))
    probabilities: NDArray[np.float64] = relative / relative.sum(axis=1, keepdims=True)
    return probabilities


def _by_errors(votes: Votes, _rule: Rule) -> NDArray[np.float64]:
    """The probability of each answer by the model of Dawid and Skene, shape (items, answers); 0 without votes."""
    shape = (votes.n_items, len(votes.names), votes.n_labels)
    return np.nan_to_num(dawid_skene(votes.items, votes.people, votes.labels, shape).posterior)


_POSTERIORS: Final[Mapping[str, Callable[[Votes, Rule], Any]]] = {
    "weighted": _by_weights,
    "dawid-skene": _by_errors,
}


def numbered_people(votes: pa.Table) -> tuple[list[str], NDArray[np.int64]]:
    """The people of some votes, sorted, and the place of each vote's person among them."""
    names = compute.unique(votes["annotator"])
    names = names.take(compute.sort_indices(names))
    places = compute.index_in(votes["annotator"], value_set=names).to_numpy()
    return [str(name) for name in names.to_pylist()], places.astype(np.int64)


def rounded_posterior(posterior: NDArray[np.float64]) -> list[float | None]:
    """A column of posteriors for a verdict, to six digits: what lies beyond is no more than rounding."""
    return [None if np.isnan(value) else round(float(value), 6) for value in posterior]
