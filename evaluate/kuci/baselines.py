"""What can be answered without understanding: the check for annotation artefacts, and trivial rules.

If the wrong options gave themselves away, a model that never sees the context would be above chance
(Gururangan et al. 2018, which the paper names). Two such models are asked: the fine-tuned one with an empty context
(`fine_tuning.fine_tune` with `show="options"`), and here a softmax regression on the options' character n-grams, which
needs no analyser and no vectors. The rules cost nothing: the longest option, the place that is most often right, the
option that training shows least, and the one that shares the most with the context.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt
from pydantic import Field

from tashika.core.settings import Section
from tashika.core.suites.kuci.words import OPTIONS
from tashika.evaluate.ways.questions import Doubles, Logits, Question, check_questions, log_softmax


class Answered(Protocol):
    """A question whose answer is known: `Question`, or one of a suite with more columns."""

    @property
    def answer(self) -> int:
        """The right option's place."""


_ORDER: Final = 2
"""Characters before a character that its likelihood depends on."""
_GAP: Final = "\0"

Places = npt.NDArray[np.int64]


class BagSettings(Section):
    """How the bag of words is fitted.

    Attributes:
        longest: Characters of an n-gram, at most.
        least: Training options in which an n-gram stands, at least.
        penalties: Weights of the squared norm, of which the one with the best validation accuracy is taken, of equal
            ones the largest.
        rounds: Of the optimiser, at most.
    """

    longest: int = Field(3, ge=1, le=5)
    least: int = Field(2, ge=1)
    penalties: tuple[float, ...] = Field((100.0, 10.0, 1.0, 0.1, 0.01), min_length=1)
    rounds: int = Field(300, ge=1)


@dataclass(frozen=True)
class Bag:
    """A fitted bag of words.

    Attributes:
        place_of: The feature of each n-gram.
        weights: Of each feature.
        penalty: The one that was chosen.
        validation_accuracy: By which it was.
        settings: How it was fitted.
    """

    place_of: Mapping[str, int]
    weights: Doubles
    penalty: float
    validation_accuracy: float
    settings: BagSettings


def fit_bag(train: Sequence[Question], validation: Sequence[Question], settings: BagSettings | None = None) -> Bag:
    """Fits the bag of words: each option's logit is the sum of its n-grams' weights, the softmax is over the options.

    There is no constant: it would be the same for all options of a question. The loss is the sum of the
    cross-entropies plus half of the penalty times the squared norm of the weights.

    Args:
        train: Questions to learn from.
        validation: Questions by which the penalty is chosen.
        settings: How.

    Raises:
        InputError: There are no questions, or their options differ in number.
    """
    chosen = settings or BagSettings()
    check_questions(train, validation)
    place_of = _features(train, chosen)
    matrix = _matrix(train, place_of, chosen.longest)
    answers = answers_of(train)
    best: Bag | None = None
    weights: Doubles = np.zeros(len(place_of))
    for penalty in sorted(chosen.penalties, reverse=True):  # each starts from the one before
        weights = fitted(matrix, answers, penalty, weights, chosen.rounds)
        bag = Bag(place_of, weights, penalty, 0.0, chosen)
        accuracy = float((highest(bag_scores(bag, validation)) == answers_of(validation)).mean())
        if best is None or accuracy > best.validation_accuracy:
            best = Bag(place_of, weights, penalty, accuracy, chosen)
    assert best is not None
    return best


def bag_scores(bag: Bag, questions: Sequence[Question]) -> Logits:
    """The logits that a bag of words gives the options, (questions, options); the context is not looked at."""
    scores = _matrix(questions, bag.place_of, bag.settings.longest) @ bag.weights
    return np.asarray(scores, dtype=np.float32).reshape(len(questions), -1)


def answers_of(questions: Sequence[Answered]) -> Places:
    """The place of each question's answer."""
    return np.asarray([question.answer for question in questions], dtype=np.int64)


def n_grams(text: str, longest: int) -> Counter[str]:
    """How often each sequence of 1 to `longest` characters stands in a text; its ends count as a character each."""
    marked = f"^{text}$"
    return Counter(
        marked[start : start + size] for size in range(1, longest + 1) for start in range(len(marked) - size + 1)
    )


def _features(questions: Sequence[Question], settings: BagSettings) -> dict[str, int]:
    stands = Counter(
        gram for question in questions for option in question.options for gram in n_grams(option, settings.longest)
    )
    return {gram: place for place, gram in enumerate(sorted(gram for gram in stands if stands[gram] >= settings.least))}


def _matrix(questions: Sequence[Question], place_of: Mapping[str, int], longest: int) -> Any:
    """(questions x options, features) of whether an n-gram stands in an option, sparse."""
    from scipy import sparse

    texts = [option for question in questions for option in question.options]
    places = [[place_of[gram] for gram in n_grams(text, longest) if gram in place_of] for text in texts]
    columns = np.asarray([place for row in places for place in row], dtype=np.int64)
    ends = np.cumsum([0, *(len(row) for row in places)])
    return sparse.csr_matrix((np.ones(len(columns)), columns, ends), (len(texts), len(place_of)))


def fitted(matrix: Any, answers: Places, penalty: float, start: Doubles, rounds: int) -> Doubles:
    """The weights of a softmax regression over each question's options.

    Args:
        matrix: Of shape (questions x options, features), dense or sparse.
        answers: The right option of each question.
        penalty: Half of it weighs the squared norm of the weights.
        start: Weights to begin with.
        rounds: Of the optimiser, at most.
    """
    from scipy.optimize import minimize

    target = np.zeros((len(answers), matrix.shape[0] // len(answers)))
    target[np.arange(len(answers)), answers] = 1

    def loss(weights: Doubles) -> tuple[float, Doubles]:
        likely = log_softmax((matrix @ weights).reshape(target.shape))
        slope = matrix.T @ (np.exp(likely) - target).ravel() + penalty * weights
        return float(-(likely * target).sum() + penalty / 2 * weights @ weights), slope

    optimum = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": rounds})
    return np.asarray(optimum.x, dtype=np.float64)


def highest(scores: npt.NDArray[np.floating[Any]]) -> Places:
    """The option with the highest score of each question, of equal ones the first."""
    return np.asarray(scores.argmax(axis=1), dtype=np.int64)


def longest_scores(questions: Sequence[Question]) -> Logits:
    """Scores by which the longest option wins, in characters."""
    return np.asarray([[len(option) for option in question.options] for question in questions], dtype=np.float32)


def shortest_scores(questions: Sequence[Question]) -> Logits:
    """Scores by which the shortest option wins."""
    return -longest_scores(questions)


def place_scores(train: Sequence[Question], questions: Sequence[Question]) -> Logits:
    """Scores by which the place wins that is most often right in training."""
    counts = np.bincount(answers_of(train), minlength=OPTIONS).astype(np.float32)
    return np.tile(counts, (len(questions), 1))


def unseen_scores(train: Sequence[Question], questions: Sequence[Question]) -> Logits:
    """Scores by which the option wins that stands least often in the training questions.

    Wrong options are the consequents of other pairs, and those of training pairs are never the answer elsewhere: where
    they stand beside the answers of another part, to be new is a trace of being right.
    """
    seen = Counter(option for question in train for option in question.options)
    return np.asarray([[-seen[option] for option in question.options] for question in questions], dtype=np.float32)


def uses(options: Iterable[Sequence[str]]) -> list[list[int]]:
    """How often each option of some questions stands in them all."""
    rows = list(options)
    counts = Counter(option for row in rows for option in row)
    return [[counts[option] for option in row] for row in rows]


def least_used_scores(questions: Sequence[Question]) -> Logits:
    """Scores by which the option wins that the questions show least.

    Whoever is asked all of them sees it: drawn at random, a wrong option is rather one that is drawn often.
    """
    return -np.asarray(uses(question.options for question in questions), dtype=np.float32).reshape(-1, OPTIONS)


def text_likelihoods(options: Iterable[Sequence[str]]) -> list[list[float]]:
    """The log-likelihood of each option's characters by a trigram model of all options, in nats a character.

    A trigram's share among its beginning's continuations is mixed with the bigram's, as if that were one more sight of
    the beginning, and so on down to equal shares. No label is looked at.
    """
    rows = list(options)
    counts: Counter[str] = Counter()
    for text in {text for row in rows for text in row}:
        marked = f"^^{text}$"
        for place in range(2, len(marked)):
            for size in range(_ORDER + 1):
                counts[marked[place - size : place] + _GAP] += 1
                counts[marked[place - size : place] + _GAP + marked[place]] += 1
    letters = sum(key.startswith(_GAP) for key in counts) - 1  # one key is that of all letters

    def share(before: str, letter: str) -> float:
        lower = share(before[1:], letter) if before else 1 / letters
        return (counts[before + _GAP + letter] + lower) / (counts[before + _GAP] + 1)

    def likelihood(text: str) -> float:
        marked = f"^^{text}$"
        nats = [math.log(share(marked[place - _ORDER : place], marked[place])) for place in range(2, len(marked))]
        return sum(nats) / len(nats)

    known = {text: likelihood(text) for row in rows for text in row}
    return [[known[text] for text in row] for row in rows]


def likeliest_scores(questions: Sequence[Question]) -> Logits:
    """Scores by which the option wins that is the likeliest text, whatever stands before it."""
    rows = text_likelihoods(question.options for question in questions)
    return np.asarray(rows, dtype=np.float32).reshape(-1, OPTIONS)


def overlap_scores(questions: Sequence[Question], longest: int = 2) -> Logits:
    """Scores by which the option wins whose n-grams are most like the context's (cosine of the counts).

    This rule sees the context: above chance it shows that some questions are answered by shared words alone.
    """

    def cosine(one: Counter[str], two: Counter[str]) -> float:
        dot = sum(count * two[gram] for gram, count in one.items())
        norms = [sum(count**2 for count in each.values()) for each in (one, two)]
        return dot / float(np.sqrt(norms[0] * norms[1])) if min(norms) else 0.0

    rows = []
    for question in questions:
        context = _inner(question.context, longest)
        rows.append([cosine(_inner(option, longest), context) for option in question.options])
    return np.asarray(rows, dtype=np.float32)


def _inner(text: str, longest: int) -> Counter[str]:
    """N-grams without those at the ends."""
    return Counter({gram: count for gram, count in n_grams(text, longest).items() if not set(gram) & set("^$")})


RULES: Final[Mapping[str, Callable[[Sequence[Question], Sequence[Question]], Logits]]] = {
    "longest option": lambda _, questions: longest_scores(questions),
    "shortest option": lambda _, questions: shortest_scores(questions),
    "most frequent place": place_scores,
    "least seen in training": unseen_scores,
    "least used": lambda _, questions: least_used_scores(questions),
    "likeliest text": lambda _, questions: likeliest_scores(questions),
    "most like the context": lambda _, questions: overlap_scores(questions),
}
"""Rules by name: they take the training questions and the questions that are asked, and give scores."""

UNTRAINED: Final = frozenset(RULES) - {"most frequent place", "least seen in training"}
"""Rules that look at no training question, so that all parts of a release can be asked and not its test part alone."""
