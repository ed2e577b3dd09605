"""What early stopping, adaptive overlap and the order of items save, on a simulated crowd.

Usage: python bench/annotation.py [--items 1000] [--seeds 20]

Everything is simulated, and no server runs. Items have a known truth, a difficulty and a topic. Each person of the
crowd has an error rate, which holds on easy items; hard ones are hard for everybody. What a person says of an item is
drawn once: whatever the design and the order, the same person says the same. What stops an item is the toolkit's own.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tashika.annotation.judging.order import farthest_first, hashed_ngrams
from tashika.annotation.judging.overlap import VerdictTally, is_decided, is_uncontested
from tashika.annotation.votes.agreement import krippendorff_alpha, wilson_interval

CROWDS: Final = {"careful": (0.02, 0.05, 0.10), "mixed": (0.05, 0.10, 0.15, 0.20, 0.25)}
"""Error rates on easy items; three or five people judge an item, drawn from twelve with these rates in turn."""
PEOPLE: Final = 12
VALID: Final = 0.7
HARD: Final = 0.15
GUESSED: Final = 0.40
"""The error rate of everybody on a hard item."""
UNSURE: Final = 0.02
TOPICS: Final = 60
SIGNAL: Final = 1.0
"""How many standard deviations lie between a model's scores of valid and of invalid items; 1.0 is an AUC of 0.76."""
BUDGETS: Final = (0.10, 0.25, 0.50)


@dataclass(frozen=True)
class World:
    """Items and what people say of them.

    Attributes:
        truth: Whether each item is valid; shape (items,).
        said: What those who are asked say, in that order: 1 for, -1 against, 0 neither; shape (items, 5).
        entropy: How uncertain a model is of each item; shape (items,).
        topics: Of each item; shape (items,).
        texts: Of each item.
    """

    truth: NDArray[np.bool_]
    said: NDArray[np.int64]
    entropy: NDArray[np.float64]
    topics: NDArray[np.int64]
    texts: Sequence[str]


def make_world(count: int, rates: Sequence[float], seed: int) -> World:
    """Draws a world."""
    random = np.random.default_rng(seed)
    truth = random.random(count) < VALID
    hard = random.random(count) < HARD
    people = np.array([random.permutation(PEOPLE)[:5] for _ in range(count)])
    error = np.where(hard[:, None], GUESSED, np.asarray(rates)[people % len(rates)])
    wrong = random.random(error.shape) < error
    said = np.where(truth[:, None] != wrong, 1, -1)
    said[random.random(said.shape) < UNSURE] = 0
    score = random.normal(0.0, 1.0, count) + SIGNAL * truth
    chance = 1 / (1 + np.exp(-(score - SIGNAL / 2)))
    entropy = -(chance * np.log2(chance) + (1 - chance) * np.log2(1 - chance))
    topics = np.minimum(random.zipf(1.4, count) - 1, TOPICS - 1)
    words = ["".join(random.choice(list("abcdefghijklmnopqrstuvwxyz"), 7)) for _ in range(3 * TOPICS)]
    texts = [
        f"{words[3 * topic]} {words[3 * topic + random.integers(1, 3)]} {words[3 * topic + 1]} {number % 97}"
        for number, topic in enumerate(topics)
    ]
    return World(truth, said, entropy, topics, texts)


@dataclass(frozen=True)
class Design:
    """How many people judge an item."""

    name: str
    people: int
    minimum: int = 2
    stop: bool = False
    adaptive: bool = False

    def judge(self, said: Sequence[int]) -> tuple[int, int]:
        """How many answers an item gets, and the verdict on it: 1, -1, or 0 for undecided."""
        for answers in range(self.minimum if self.adaptive else 1, self.people + 1):
            given = list(said[:answers])
            tally = VerdictTally(given.count(1), given.count(-1))
            if (self.stop or self.adaptive) and is_decided(tally, answers, self.people, self.minimum):
                break
            if self.adaptive and is_uncontested(tally, self.minimum):
                break
        enough = tally.cast >= self.minimum
        return answers, int(np.sign(tally.votes_for - tally.votes_against)) if enough else 0


DESIGNS: Final = (
    Design("3 people", 3),
    Design("3, stop_early", 3, stop=True),
    Design("3, adaptive from 2", 3, adaptive=True),
    Design("5 people", 5, 3),
    Design("5, stop_early", 5, 3, stop=True),
    Design("5, adaptive from 3", 5, 3, adaptive=True),
    Design("5, adaptive from 2", 5, 2, adaptive=True),
)


def _head(*names: str) -> list[str]:
    return [f"| {' | '.join(names)} |", "|" + "---|" * len(names)]


def alpha_of(said: NDArray[np.int64], answers: Sequence[int]) -> float:
    """Krippendorff's alpha of the first answers of each item, those that are no vote left out."""
    counts = [[list(row[:many]).count(1), list(row[:many]).count(-1)] for row, many in zip(said, answers, strict=True)]
    return krippendorff_alpha(np.asarray(counts))


def compare_designs(rates: Sequence[float], items: int, seeds: int) -> list[str]:
    """A table: of each design the votes, the verdicts that are those of everybody asked, and their accuracy."""
    rows: dict[str, list[tuple[float, ...]]] = {design.name: [] for design in DESIGNS}
    for seed in range(seeds):
        world = make_world(items, rates, seed)
        whole: dict[int, list[int]] = {}
        for design in DESIGNS:
            judged = [design.judge(said.tolist()) for said in world.said]
            answers, verdicts = [many for many, _ in judged], [verdict for _, verdict in judged]
            reference = whole.setdefault(design.people, verdicts)
            decided = [(verdict > 0) == true for verdict, true in zip(verdicts, world.truth, strict=True) if verdict]
            same = np.mean(np.asarray(verdicts) == np.asarray(reference))
            first = [min(many, 3 if design.people == 5 and design.minimum == 3 else 2) for many in answers]
            rows[design.name].append(
                (
                    sum(answers) / items,
                    1 - sum(answers) / (items * design.people),
                    float(same),
                    float(np.mean(decided)),
                    verdicts.count(0) / items,
                    alpha_of(world.said, answers),
                    alpha_of(world.said, first),
                )
            )
    lines = _head(
        "design", "votes an item", "saved", "same verdict", "right of decided", "undecided", "alpha", "of first"
    )
    for name, found in rows.items():
        votes, saved, same, right, undecided, alpha, first_alpha = np.mean(found, axis=0)
        lines.append(
            f"| {name} | {votes:.2f} | {saved:.1%} | {same:.2%} | {right:.2%} | {undecided:.2%} "
            f"| {alpha:.3f} | {first_alpha:.3f} |"
        )
    return lines


Orderer = Callable[[World, int], Sequence[int]]

ORDERS: Final[dict[str, Orderer]] = {
    "listed": lambda world, _: range(len(world.truth)),
    "shuffled": lambda world, seed: np.random.default_rng(seed + 1_000).permutation(len(world.truth)).tolist(),
    "uncertain": lambda world, _: np.argsort(-world.entropy, kind="stable").tolist(),
    "diverse": lambda world, _: farthest_first(hashed_ngrams(world.texts), len(world.texts)),
}


def compare_orders(rates: Sequence[float], items: int, seeds: int) -> list[str]:
    """A table: of each order what a part of all votes has come to, with three people and adaptive overlap from two."""
    design = DESIGNS[2]
    rows: dict[tuple[str, float], list[tuple[float, ...]]] = {}
    totals: dict[str, set[int]] = {name: set() for name in ORDERS}
    for seed in range(seeds):
        world = make_world(items, rates, seed)
        judged = [design.judge(said.tolist()) for said in world.said]
        rejected = sum(verdict < 0 for _, verdict in judged)
        final = sum(verdict > 0 for _, verdict in judged) / sum(verdict != 0 for _, verdict in judged)
        for name, arrange in ORDERS.items():
            order = arrange(world, seed)
            spent = np.cumsum([judged[item][0] for item in order])
            totals[name].add(int(spent[-1]) - sum(many for many, _ in judged))
            for budget in BUDGETS:
                done = [order[place] for place in range(int(np.searchsorted(spent, budget * spent[-1])))]
                verdicts = [judged[item][1] for item in done]
                accepted, against = verdicts.count(1), verdicts.count(-1)
                low, high = wilson_interval(accepted, accepted + against)
                rows.setdefault((name, budget), []).append(
                    (
                        against / rejected,
                        abs(accepted / (accepted + against) - final),
                        (high - low) / 2,
                        float(low <= final <= high),
                        len({world.topics[item] for item in done}) / len(set(world.topics.tolist())),
                    )
                )
    assert all(differences == {0} for differences in totals.values())  # to the last verdict every order costs the same
    lines = _head("votes", "order", "rejected found", "error of rate", "half-width", "interval holds", "topics seen")
    for budget in BUDGETS:
        for name in ORDERS:
            against, error, width, holds, topics = np.mean(rows[name, budget], axis=0)
            lines.append(
                f"| {budget:.0%} | {name} | {against:.1%} | {error:.3f} | {width:.3f} | {holds:.0%} | {topics:.0%} |"
            )
    return lines


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=1_000)
    parser.add_argument("--seeds", type=int, default=20)
    options = parser.parse_args()
    for name, rates in CROWDS.items():
        told = ", ".join(f"{rate:.0%}" for rate in rates)
        hard = f"{HARD:.0%} hard items, {GUESSED:.0%} wrong"
        print(f"simulated crowd, {name}: error rates {told}; {hard}; {options.items:,} items, {options.seeds} seeds")
        print("\n".join(compare_designs(rates, options.items, options.seeds)), end="\n\n")
    signal = 0.5 * (1 + math.erf(SIGNAL / 2))
    print(f"by order, mixed crowd, three people adaptive from two; the model's scores have an AUC of {signal:.2f}")
    print("\n".join(compare_orders(CROWDS["mixed"], options.items, options.seeds)))


if __name__ == "__main__":
    main()
