"""Options and labels: by the likelihood of their words or letters, or read from a reply."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pyarrow as pa

from tashika.core.custom.release_form import EvaluateForm
from tashika.core.errors import InputError
from tashika.core.prompting import LETTERS
from tashika.evaluate.custom.predictions import chosen, prediction_table
from tashika.evaluate.custom.prompts import Asked, read_by
from tashika.evaluate.engine.causal import CausalModel
from tashika.evaluate.engine.likelihoods import Case, score_cases
from tashika.evaluate.engine.recipe import Advance
from tashika.evaluate.ways.generation import Answer, Unparsable
from tashika.evaluate.ways.letter_answers import read_choice
from tashika.evaluate.ways.options import Choice, OptionScore, letter_prompt, pick, score_letters

Stretch = Sequence[Asked]


@dataclass(frozen=True)
class ChoiceScorer:
    """A causal model that is ready for questions with options; see `engine.recipe.Scorer`."""

    model: CausalModel
    rows: Sequence[Asked]
    form: EvaluateForm

    def prepare(self, start: int, stop: int) -> Stretch:
        """The questions of a stretch."""
        return self.rows[start:stop]

    def run(self, prepared: Stretch, advance: Advance = lambda _: None) -> list[list[OptionScore]]:
        """Scores every option of a stretch."""
        by_letter = self.form.task == "multiple_choice" and self.form.way == "letter"
        tokenizer = self.model.blank.loaded.tokenizer
        chat = self.form.chat and bool(tokenizer.chat_template)
        if not by_letter:
            return self._scored([(row.text, row.options) for row in prepared], advance)
        require_letters(prepared)
        choices = [Choice("", row.text, row.options) for row in prepared]
        if not chat:
            context = self.form.system
            choices = [Choice(context, choice.question, choice.options) for choice in choices]
            return score_letters(self.model, choices, cue=self.form.cue, between="\n\n", advance=advance)
        texts = [letter_prompt(choice, cue=self.form.cue) for choice in choices]
        letters = [tuple(LETTERS[: len(choice.options)]) for choice in choices]
        return self._scored(list(zip(texts, letters, strict=True)), advance)

    def _scored(self, asked: Sequence[tuple[str, Sequence[str]]], advance: Advance) -> list[list[OptionScore]]:
        tokenizer = self.model.blank.loaded.tokenizer
        cases = []
        for text, options in asked:
            read, joint = read_by(tokenizer, text, self.form.system, chat=self.form.chat)
            cases.append(Case(read, tuple(joint + option for option in options)))
        return [
            [
                OptionScore(one.value, one.tokens, len(option), one.greedy, one.problem)
                for one, option in zip(row, options, strict=True)
            ]
            for row, (_, options) in zip(score_cases(self.model, cases, advance), asked, strict=True)
        ]

    def table(self, prepared: Stretch, result: Sequence[Sequence[OptionScore]]) -> pa.Table:
        """The predictions of a stretch."""
        found = [self._columns(row, scores) for row, scores in zip(prepared, result, strict=True)]
        return prediction_table(prepared, found)

    def _columns(self, row: Asked, scores: Sequence[OptionScore]) -> dict[str, Any]:
        problem = next((score.problem for score in scores if score.problem is not None), None)
        letter = self.form.task == "multiple_choice" and self.form.way == "letter"
        place = None if problem else pick(scores, "none" if letter else self.form.norm)
        values = None if problem else [score.log_likelihood for score in scores]
        return chosen(row, place, problem, scores=values)


def require_letters(rows: Sequence[Asked]) -> None:
    """Refuses questions with more options than there are letters.

    Raises:
        InputError: There is one.
    """
    wrong = next((row for row in rows if not row.lettered), None)
    if wrong is not None:
        raise InputError(
            f"{len(wrong.options)} options, and letters for {len(LETTERS)}",
            where=wrong.item_id,
            hint='Set way = "likelihood" in [evaluate] and score a model on this machine.',
        )


# --- in words ---


def reader(form: EvaluateForm, row: Asked) -> Callable[[str], int]:
    """What reads the place of an option from a reply."""
    read = read_choice if form.task == "multiple_choice" else read_label
    return partial(read, options=row.options)


def read_label(text: str, options: Sequence[str]) -> int:
    """The place of the label that a reply consists of, but for case, quotes and a closing sign.

    Raises:
        Unparsable: It is none of them.
    """
    if not text.strip():
        raise Unparsable("empty")
    plain = _plain(text)
    found = [place for place, option in enumerate(options) if _plain(option) == plain]
    if len(found) != 1:
        raise Unparsable("fits two labels" if found else "none of the labels")
    return found[0]


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).strip("*_`\"'.。!「」 ")


def columns(row: Asked, answer: Answer[int]) -> dict[str, Any]:
    """What came of a question that was answered in words: a reply that names no option is wrong."""
    found = chosen(row, answer.value, answer.problem, reply=answer.reply)
    given = answer.value is None and answer.reply is not None and not answer.silent
    return {**found, "correct": False} if given else found
