"""Checks of questions and labels: what gives the answer away, and what can be had without understanding anything."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np

from tashika.core.draws import chance
from tashika.core.texts import has_words, shingles, text_key
from tashika.exports.checking.examined import Examined, shown
from tashika.exports.checking.shape import Choice, Shape
from tashika.exports.checks import Problem

_DENSE: Final = re.compile(r"[぀-ヿ㐀-鿿가-힣]")
_LEAST: Final = 20  # questions or items, below which no share says anything


@dataclass(frozen=True)
class Question:
    """A question with its options.

    Attributes:
        path: Its file.
        item: Its id.
        text: What is read before the options.
        options: Their words.
        answer: The place of the right one, from 0.
    """

    path: str
    item: str
    text: str
    options: tuple[str, ...]
    answer: int


def questions_of(examined: Examined, config: str, choice: Choice) -> Iterator[Question]:
    """The questions of a configuration that have an answer among two options or more."""
    columns = [*choice.question, *choice.options, choice.answer]
    for row in examined.rows(config, columns):
        *texts, answer = row.values
        text = "\n".join(str(value or "") for value in texts[: len(choice.question)])
        given = texts[len(choice.question) :]
        options = tuple(
            map(str, given[0] or ()) if isinstance(given[0], list) else (str(value or "") for value in given)
        )
        place = _place(answer, options)
        if place is not None and len(options) > 1:
            yield Question(row.path, row.item, text, options, place)


def _place(answer: Any, options: Sequence[str]) -> int | None:
    """The place of the right option, which is given by its place or its words."""
    if isinstance(answer, int):
        return answer if 0 <= answer < len(options) else None
    keys = [text_key(option) for option in options]
    return keys.index(text_key(str(answer))) if text_key(str(answer)) in keys else None


# --- the answer in the question


def questions_hide_their_answers(examined: Examined) -> Iterator[Problem]:
    """No question has the words of its right answer, unless it has those of a wrong option as well."""
    for config, shape in examined.shapes():
        if shape.choice:
            for question in questions_of(examined, config, shape.choice):
                options = list(question.options)
                right = options.pop(question.answer)
                if shows(question.text, right) and not any(shows(question.text, option) for option in options):
                    yield Problem(question.path, question.item, f"{shown(right)} in {shown(question.text)}")
        elif shape.question and shape.answers:
            yield from _shown_answers(examined, config, shape)


def _shown_answers(examined: Examined, config: str, shape: Shape) -> Iterator[Problem]:
    for row in examined.rows(config, [*shape.question, *shape.answers]):
        text = "\n".join(str(value or "") for value in row.values[: len(shape.question)])
        for value in row.values[len(shape.question) :]:
            for answer in value if isinstance(value, list) else [value]:
                if answer and shows(text, str(answer)):
                    yield Problem(row.path, row.item, f"{shown(str(answer))} in {shown(text)}")


def shows(text: str, words: str) -> bool:
    """Whether a text has these words, whole; in scripts without spaces, two characters or more of them in a row.

    One or two letters, such as the code of a country, stand in a text by accident.
    """
    if _DENSE.search(words):
        return len(text_key(words)) > 1 and text_key(words) in text_key(text)
    return len(text_key(words)) > 2 and has_words(text, words)


# --- what needs no understanding


@dataclass(frozen=True)
class Baseline:
    """How often a rule that understands nothing is right.

    Attributes:
        config: The configuration.
        name: The rule.
        right: Questions that it answers right.
        questions: Of so many.
        chance: The share that drawing gives, 0 to 1.
        p: Of so many right answers or more by drawing: exact, one-sided.
    """

    config: str
    name: str
    right: int
    questions: int
    chance: float
    p: float

    @property
    def share(self) -> float:
        """Right answers among all, 0 to 1."""
        return self.right / self.questions


def baselines_are_at_chance(examined: Examined) -> Iterator[Problem]:
    """No rule that understands nothing (place, length, common words, frequency) is right more often than chance."""
    tried = [
        baseline
        for config, shape in examined.shapes()
        if shape.choice
        for baseline in baselines(config, list(questions_of(examined, config, shape.choice)))
    ]
    settings = examined.checks
    for baseline in tried:
        p = min(1.0, baseline.p * len(tried))  # Bonferroni
        if p < settings.significance and baseline.share >= baseline.chance + settings.above_chance:
            found = f"{baseline.name} right in {baseline.share:.1%} of {baseline.questions:,} questions"
            drawn = f"where drawing is in {baseline.chance:.1%} (p = {p:.2g}, corrected for {len(tried)} rules)"
            yield Problem(examined.release.configs[baseline.config].folder, None, f"{found}, {drawn}")


def baselines(config: str, questions: Sequence[Question]) -> Iterator[Baseline]:
    """How often each rule is right; none for too few questions."""
    if len(questions) < _LEAST:
        return
    places = max(len(question.options) for question in questions)
    for place in range(places):
        asked = [question for question in questions if len(question.options) > place]
        if len(asked) >= _LEAST:
            yield _tried(config, f"option {place + 1}", asked, partial(_at, place))
    yield _tried(config, "the longest option", questions, lambda question, at: len(question.options[at]))
    yield _tried(config, "the shortest option", questions, lambda question, at: -len(question.options[at]))
    yield _tried(config, "the option that has most in common with the question", questions, _in_common)
    yield _tried(config, "the option that has least in common with the question", questions, _apart)
    often = _answers_elsewhere(questions)
    yield _tried(config, "the option that is most often an answer elsewhere", questions, often)


Score = Callable[[Question, int], float]
"""How strongly a rule takes an option of a question, which is given by its place."""


def _tried(config: str, name: str, questions: Sequence[Question], score: Score) -> Baseline:
    """The rule that takes the option with the highest score, and draws among several; the draw is by the ids alone."""
    right = 0
    for question in questions:
        scores = [score(question, place) for place in range(len(question.options))]
        most = max(scores)
        best = [place for place, value in enumerate(scores) if value == most]
        taken = best[int(chance(0, name, question.item) * len(best))]
        right += taken == question.answer
    counts = Counter(len(question.options) for question in questions)
    expected = sum(number / options for options, number in counts.items()) / len(questions)
    return Baseline(config, name, right, len(questions), expected, upper_tail(right, counts))


def upper_tail(right: int, counts: Counter[int]) -> float:
    """The probability that drawing gives so many right answers or more, exactly.

    Args:
        right: Right answers.
        counts: Questions by their number of options; for a single number this is the binomial test.
    """
    from scipy.stats import binom

    spread: Any = np.ones(1)
    for options, number in sorted(counts.items()):
        spread = np.convolve(spread, binom.pmf(np.arange(number + 1), number, 1 / options))
    return min(1.0, float(spread[right:].sum()))


def _at(wanted: int, _question: Question, place: int) -> float:
    return float(place == wanted)


def _in_common(question: Question, place: int) -> float:
    option, text = set(shingles(question.options[place], 2)), set(shingles(question.text, 2))
    return len(option & text) / len(option)


def _apart(question: Question, place: int) -> float:
    return -_in_common(question, place)


def _answers_elsewhere(questions: Sequence[Question]) -> Score:
    """How often an option is an answer in the other half, which is drawn, so that no question sees its own."""
    counts: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
    for question in questions:
        counts[_half(question)][text_key(question.options[question.answer])] += 1
    return lambda question, place: counts[1 - _half(question)][text_key(question.options[place])]


def _half(question: Question) -> int:
    return int(chance(0, "half", question.item) < 0.5)


# --- labels


def labels_are_balanced(examined: Examined) -> Iterator[Problem]:
    """No label is that of nearly all items, and none is of no item."""
    for config, shape in examined.shapes():
        if shape.label is None:
            continue
        names = examined.release.configs[config].columns[shape.label].names
        counts = Counter(_label(row.values[0], names) for row in examined.rows(config, [shape.label]))
        counts.pop(None, None)
        total, folder = sum(counts.values()), examined.release.configs[config].folder
        if total < _LEAST:
            continue
        [(label, most)] = counts.most_common(1)
        if most > examined.checks.most_of_a_label * total:
            yield Problem(folder, None, f"{label!r} of {most / total:.1%} of {total:,} items in `{shape.label}`")
        for name in names:
            if not counts[name]:
                yield Problem(folder, None, f"{name!r} of no item of {total:,} in `{shape.label}`")


def _label(value: Any, names: Sequence[str]) -> str | None:
    if value is None or not names:
        return None if value is None else str(value)
    return names[value] if 0 <= value < len(names) else None
