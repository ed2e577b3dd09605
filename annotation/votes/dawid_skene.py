"""Which answer is right, and how often each person errs, from the votes alone: the model of Dawid and Skene.

Every item has one true class, and every person a table of error rates: how often they answer `l` where the class is
`j`. Neither is known; expectation and maximisation in turn find the rates under which the votes are likeliest.

Source: A. P. Dawid and A. M. Skene, Maximum likelihood estimation of observer error-rates using the EM algorithm,
Applied Statistics 28(1), 1979, pages 20 to 28, equations 2.3 to 2.5. https://doi.org/10.2307/2346806
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

STEPS = 1_000
_DIGITS = 12
CLOSE = 1e-9
"""The log likelihood has risen by no more than this share of itself, or of 1: the estimate stands."""

Floats = NDArray[np.float64]
Places = NDArray[np.int64]


@dataclass(frozen=True)
class DawidSkene:
    """What the votes say of items and people.

    Attributes:
        posterior: The probability of each class; shape (items, classes). NaN for items without a vote.
        priors: The share of each class among the items; shape (classes,). NaN without votes.
        error_rates: How often a person answers `l` where the class is `j`; shape (people, classes j, classes l). NaN
            where a person voted on no item that may have the class.
        log_likelihood: After each step, the last one being that of the result; it never falls.
        converged: Whether it stopped rising before `STEPS` steps.
    """

    posterior: Floats
    priors: Floats
    error_rates: Floats
    log_likelihood: Floats
    converged: bool


def dawid_skene(items: Places, people: Places, labels: Places, shape: tuple[int, int, int]) -> DawidSkene:
    """Estimates the true classes by maximum likelihood, beginning with each item's shares of votes.

    There is no prior on the error rates, as in the paper: who cast few votes gets extreme ones. The result depends on
    the votes alone; several votes of a person on an item are several observations (the paper's first observer).

    Args:
        items: The item of each vote; shape (votes,).
        people: Who cast it; shape (votes,).
        labels: Which class it is for; shape (votes,).
        shape: How many items, people and classes there are.
    """
    n_items, n_people, n_classes = shape
    answers = people * n_classes + labels
    cast = np.bincount(items, minlength=n_items)
    voted = cast > 0
    posterior = np.full((n_items, n_classes), np.nan)
    if not voted.any():
        nothing = np.full((n_people, n_classes, n_classes), np.nan)
        return DawidSkene(posterior, np.full(n_classes, np.nan), nothing, np.zeros(0), True)
    places = (np.cumsum(voted) - 1)[items]  # items without a vote say nothing of the priors
    votes = _Votes(places, answers, int(voted.sum()), n_people, n_classes)
    belief = np.bincount(places * n_classes + labels, minlength=votes.items * n_classes).astype(np.float64)
    belief = belief.reshape(votes.items, n_classes) / cast[voted][:, None]
    likelihoods: list[float] = []
    converged = False
    while not converged and len(likelihoods) < STEPS:
        # Where the votes are even between two classes, what rounding leaves must not grow until it decides.
        priors, rates = votes.maximise(np.round(belief, _DIGITS))
        belief, likelihood = votes.expect(priors, rates)
        converged = bool(likelihoods) and likelihood - likelihoods[-1] <= CLOSE * max(abs(likelihood), 1.0)
        likelihoods.append(likelihood)
    posterior[voted] = belief
    return DawidSkene(posterior, priors, rates, np.array(likelihoods), converged)


@dataclass(frozen=True)
class _Votes:
    """The votes as numbers: the item of each, and who gave which answer as one number."""

    places: Places
    answers: Places
    items: int
    people: int
    classes: int

    def maximise(self, belief: Floats) -> tuple[Floats, Floats]:
        """The priors and error rates under which the votes are likeliest, given the classes (equations 2.3, 2.4)."""
        weights = np.stack(
            [
                np.bincount(self.answers, belief[self.places, j], minlength=self.people * self.classes)
                for j in range(self.classes)
            ],
            axis=1,
        )
        counts = weights.reshape(self.people, self.classes, self.classes).transpose(0, 2, 1)
        total = counts.sum(axis=2, keepdims=True)
        rates = np.divide(counts, total, out=np.full_like(counts, np.nan), where=total > 0)
        return belief.mean(axis=0), rates

    def expect(self, priors: Floats, rates: Floats) -> tuple[Floats, float]:
        """The probability of each class of each item, given the rates (equation 2.5), and the votes' log likelihood."""
        with np.errstate(divide="ignore"):
            logs = np.log(np.where(np.isnan(rates), 0.0, rates)).transpose(0, 2, 1).reshape(-1, self.classes)
            scores = np.stack(
                [
                    np.log(priors[j]) + np.bincount(self.places, logs[self.answers, j], minlength=self.items)
                    for j in range(self.classes)
                ],
                axis=1,
            )
        best = scores.max(axis=1, keepdims=True)
        relative = np.exp(scores - best)
        total = relative.sum(axis=1, keepdims=True)
        return relative / total, float((best + np.log(total)).sum())
