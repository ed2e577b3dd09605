"""Baselines that go by one kind of clue each: form, length, style, reuse, likelihood of the text alone.

Each is a softmax regression over the features of a question's options, as the bag of words is (`baselines`), but on
features that are named for what they test; none sees what a text says. Above chance it has found that kind of artefact:

| clue | an option's features |
|---|---|
| form by marker | tense, style and act (`builders.kuci.forms`), each alone and together with the context's marker |
| length | characters, and the rank among the four |
| style | how it ends, its share of kanji, katakana, digits and Latin letters, signs inside |
| reuse | how often its part shows it, and the rank among the four |
| likelihood | by a trigram model of the characters of all options, and the rank among the four |

The context is not looked at, but for its marker in the first.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

import numpy as np

from tashika.core.errors import InputError
from tashika.core.suites.kuci.words import OPTIONS
from tashika.evaluate.kuci.baselines import answers_of, fitted, text_likelihoods, uses
from tashika.evaluate.kuci.questions import KuciQuestion
from tashika.evaluate.ways.questions import Doubles, Logits

Markers = Mapping[str, str]
"""Pair -> the word that marks its relation."""
Features = list[list[str]]
"""Of a question's options: the names of the features that each has."""

PENALTY: Final = 1.0
"""Half of it weighs the squared norm: there are tens of features and hundreds of questions."""
_ROUNDS: Final = 300
_CHARACTERS: Final = 3
"""Characters that are one step of length."""
_MOST: Final = 12

_KANJI: Final = re.compile(r"[一-鿿々]")
_SCRIPTS: Final = {
    "katakana": re.compile(r"[ァ-ヺー]"),
    "digits": re.compile(r"[0-9０-９]"),
    "latin": re.compile(r"[A-Za-zＡ-Ｚａ-ｚ]"),
    "signs": re.compile(r"[、。・「」『』（）()!?！？…ー〜]"),
}


def form_features(questions: Sequence[KuciQuestion], markers: Markers) -> list[Features]:
    """Tense, style and act of each option, alone and with the marker of the context.

    Raises:
        InputError: The release does not say what form its options have.
    """
    rows: list[Features] = []
    for question in questions:
        if len(question.forms) != OPTIONS:
            raise InputError(
                "the release does not say what form its options have",
                where=question.item_id,
                hint="Build and export it again.",
            )
        marker = f"{question.relation} {markers.get(question.pair, '')}"
        rows.append([[*(words := form.split(" ")), *(f"{marker} {word}" for word in words)] for form in question.forms])
    return rows


def length_features(questions: Sequence[KuciQuestion], _markers: Markers) -> list[Features]:
    """Characters in steps, and the rank."""
    lengths = [[len(option) for option in question.options] for question in questions]
    return [
        [[f"{min(length // _CHARACTERS, _MOST)} steps", rank] for length, rank in zip(row, _ranks(row), strict=True)]
        for row in lengths
    ]


def style_features(questions: Sequence[KuciQuestion], _markers: Markers) -> list[Features]:
    """The last characters, and which scripts and signs stand in it."""
    return [[_style(option) for option in question.options] for question in questions]


def _style(text: str) -> list[str]:
    kanji = round(4 * len(_KANJI.findall(text)) / max(len(text), 1))
    found = [name for name, pattern in _SCRIPTS.items() if pattern.search(text)]
    return [f"ends in {text[-1:]}", f"ends in {text[-2:]}", f"{kanji} quarters kanji", *found]


def reuse_features(questions: Sequence[KuciQuestion], _markers: Markers) -> list[Features]:
    """How often the questions that are asked together show it, and the rank."""
    return [
        [[f"{min(count, _MOST)} times", rank] for count, rank in zip(row, _ranks(row), strict=True)]
        for row in uses(question.options for question in questions)
    ]


def likelihood_features(questions: Sequence[KuciQuestion], _markers: Markers) -> list[Features]:
    """The likelihood of a character in steps of a quarter of a nat, and the rank."""
    return [
        [[f"{math.floor(4 * value)} quarters", rank] for value, rank in zip(row, _ranks(row), strict=True)]
        for row in text_likelihoods(question.options for question in questions)
    ]


def _ranks(values: Sequence[float]) -> list[str]:
    """Of each of a question's values, how many are above it and how many as high."""
    return [f"{sum(one > value for one in values)} above {values.count(value)}" for value in values]


CLUES: Final[Mapping[str, Callable[[Sequence[KuciQuestion], Markers], list[Features]]]] = {
    "form by marker": form_features,
    "length": length_features,
    "style": style_features,
    "reuse": reuse_features,
    "likelihood": likelihood_features,
}
"""By name, the features that a clue's baseline learns."""


def clue_scores(clue: str, train: Sequence[KuciQuestion], asked: Sequence[KuciQuestion], markers: Markers) -> Logits:
    """The logits that a clue's baseline gives the options, (questions, options).

    Args:
        clue: One of `CLUES`.
        train: Questions to learn from.
        asked: Questions to answer, of one part.
        markers: Pair -> marker.

    Raises:
        InputError: There is nothing to learn from, or the release lacks what the clue is read off.
    """
    if not train:
        raise InputError("there are no training questions", hint="Build more questions; the split is 8:1:1.")
    learned, given = (CLUES[clue](questions, markers) for questions in (train, asked))
    place_of = {
        name: place for place, name in enumerate(sorted({one for row in learned for own in row for one in own}))
    }
    matrix = _matrix(learned, place_of)
    weights = fitted(matrix, answers_of(train), PENALTY, np.zeros(len(place_of)), _ROUNDS)
    scores = _matrix(given, place_of) @ weights
    return np.asarray(scores, dtype=np.float32).reshape(len(asked), -1)


def _matrix(rows: Iterable[Features], place_of: Mapping[str, int]) -> Doubles:
    """(questions x options, features) of whether an option has a feature."""
    options = [own for row in rows for own in row]
    matrix = np.zeros((len(options), len(place_of)))
    for place, own in enumerate(options):
        matrix[place, [place_of[name] for name in own if name in place_of]] = 1
    return matrix
