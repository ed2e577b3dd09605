"""Questions with options, as a causal model answers them: by the likelihood of each option, or of its letter.

Choices with one context, and one question with and without its context, need nothing special: what their prompts begin
with alike is computed once (`likelihoods`, `trees`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from tashika.core.errors import InputError
from tashika.core.models import LoadedModel, load_tokenizer
from tashika.core.prompting import LETTERS
from tashika.evaluate.engine.causal import CausalModel
from tashika.evaluate.engine.likelihoods import Case, Likelihood, score_cases
from tashika.evaluate.engine.recipe import Advance
from tashika.evaluate.ways.local_generation import chat_prefix
from tashika.evaluate.ways.names import NORMS
from tashika.evaluate.ways.names import Norm as Norm  # noqa: PLC0414 - suites take it from here

Reader = Callable[[str], str]
"""Makes of a prompt the text that a model reads."""


@dataclass(frozen=True)
class Choice:
    """A question and what may answer it.

    Attributes:
        context: What is read before the question, such as a fact, a passage or solved examples; may be empty.
        question: The question, to the last word before the answer.
        options: The answers, in words.
    """

    context: str
    question: str
    options: Sequence[str]

    def prompt(self, between: str = "\n") -> str:
        """What stands before the answer.

        Args:
            between: Parts the context from the question, where there is a context.
        """
        return f"{self.context}{between}{self.question}" if self.context else self.question


class OptionScore(NamedTuple):
    """How likely a model finds an option.

    Attributes:
        log_likelihood: In nats, the sum over the option's tokens; not a number where there is a problem.
        tokens: How many tokens that is.
        characters: How many characters the option has.
        greedy: Whether each token is the likeliest one at its place: whether the model, asked to write on, writes it.
        problem: Why there is no likelihood: too long (nothing is ever cut), or another reason in words.
    """

    log_likelihood: float
    tokens: int
    characters: int
    greedy: bool
    problem: str | None


def score_options(
    model: LoadedModel | CausalModel,
    choices: Sequence[Choice],
    *,
    between: str = "\n",
    before_option: str = " ",
    read: Reader = str,
    advance: Advance = lambda _: None,
) -> list[list[OptionScore]]:
    """The log-likelihood of every option behind its context and question.

    Args:
        model: A causal model; a `CausalModel` where this is called again and again.
        choices: What to ask, in any order.
        between: Parts a context from its question.
        before_option: Parts a question from its answer: a space, or nothing in a language without spaces and behind a
            chat template.
        read: Makes of a prompt what the model reads, see `chat_reader`.
        advance: Told how many choices are done.

    Returns:
        For each choice a score for each option.

    Raises:
        InputError: The model is a masked one, or a choice has no options or an empty one.
    """
    _check(choices)
    cases = [
        Case(read(choice.prompt(between)), tuple(before_option + option for option in choice.options))
        for choice in choices
    ]
    likelihoods = score_cases(model, cases, advance)
    return [
        [
            OptionScore(one.value, one.tokens, len(option), one.greedy, one.problem)
            for one, option in zip(row, choice.options, strict=True)
        ]
        for row, choice in zip(likelihoods, choices, strict=True)
    ]


def score_letters(
    model: LoadedModel | CausalModel,
    choices: Sequence[Choice],
    *,
    cue: str = "Answer:",
    letters: str = LETTERS,
    between: str = "\n",
    read: Reader = str,
    advance: Advance = lambda _: None,
) -> list[list[OptionScore]]:
    """The log-probability of each option's letter behind a prompt that lists all options.

    A letter may come with a space before it or without one; both are the same answer, so their probabilities are
    added. Only what follows the prompt is asked for, so the head runs at its last token alone.

    Args:
        model: A causal model.
        choices: What to ask, in any order.
        cue: The prompt's last line, which asks for the letter.
        letters: The names of options, in order.
        between: Parts a context from its question.
        read: Makes of a prompt what the model reads, see `chat_reader`.
        advance: Told how many choices are done.

    Returns:
        For each choice a score for each option's letter.

    Raises:
        InputError: The model is a masked one; a choice has no options, an empty one, or more than there are letters.
    """
    _check(choices, len(letters))
    before = ("", " ") if _tells_spaces(model, cue) else ("",)
    cases = [
        Case(
            read(letter_prompt(choice, cue=cue, letters=letters, between=between)),
            tuple(space + letter for letter in letters[: len(choice.options)] for space in before),
        )
        for choice in choices
    ]
    likelihoods = score_cases(model, cases, advance)
    return [[_either(row[at : at + len(before)]) for at in range(0, len(row), len(before))] for row in likelihoods]


def letter_prompt(choice: Choice, *, cue: str = "Answer:", letters: str = LETTERS, between: str = "\n") -> str:
    """A prompt that lists the options by letter, a line each, and ends with the cue."""
    listed = [f"{letter}. {option}" for letter, option in zip(letters, choice.options, strict=False)]
    return "\n".join([choice.prompt(between), *listed, cue])


def has_chat_template(name: str) -> bool:
    """Whether a model on this machine is asked in the format of a chat; loads its tokenizer alone."""
    return bool(load_tokenizer(name).chat_template)


def chat_reader(model: LoadedModel | CausalModel, system: str) -> Reader:
    """Puts prompts into the format of the model's chat template, up to where its reply begins.

    Args:
        model: One with a chat template.
        system: What it is told before; may be empty.
    """
    loaded = model if isinstance(model, LoadedModel) else model.blank.loaded
    return partial(chat_prefix, loaded.tokenizer, system)


def pick(scores: Sequence[OptionScore], norm: Norm = "none") -> int | None:
    """The option that a model chooses: the likeliest, the first of equals; None where any has no likelihood.

    Args:
        scores: Of one choice.
        norm: What the log-likelihood is divided by: nothing, the number of tokens, or the number of characters.
            A sum favours short options, and characters are the same for all models.

    Raises:
        InputError: The norm is unknown.
    """
    values = [normalised(score, norm) for score in scores]
    if not values or not all(np.isfinite(values)):
        return None
    return int(np.argmax(values))


def normalised(score: OptionScore, norm: Norm) -> float:
    """The log-likelihood of an option, a token or a character of it; not a number where there is a problem.

    Raises:
        InputError: The norm is unknown.
    """
    by = {"none": 1, "token": score.tokens, "character": score.characters}.get(norm)
    if by is None:
        raise InputError(f"unknown normalisation {norm!r}", hint=f"Use one of {', '.join(NORMS)}.")
    return score.log_likelihood / max(by, 1)


def _tells_spaces(model: LoadedModel | CausalModel, cue: str) -> bool:
    """Whether a letter behind a space is another token than one without; else both would be counted."""
    loaded = model if isinstance(model, LoadedModel) else model.blank.loaded
    one, other = (loaded.tokenizer(text, add_special_tokens=False).input_ids for text in (f"{cue} A", f"{cue}A"))
    return bool(one != other)


def _either(likelihoods: Sequence[Likelihood]) -> OptionScore:
    """One form of a letter or the other."""
    forms = [form for form in likelihoods if form.problem is None]
    if not forms:
        return OptionScore(np.nan, likelihoods[0].tokens, 1, False, likelihoods[0].problem)
    value = float(np.logaddexp.reduce([form.value for form in forms]))
    return OptionScore(value, likelihoods[0].tokens, 1, any(form.greedy for form in forms), None)


def _check(choices: Sequence[Choice], most: int | None = None) -> None:
    for number, choice in enumerate(choices):
        where = f"choice {number + 1}, {choice.question[:40]!r}"
        if isinstance(choice.options, str) or not choice.options:
            raise InputError("a choice needs a list of options", where=where)
        if not all(option.strip() for option in choice.options):
            raise InputError("an option is empty", where=where, hint="Leave it out, or leave the choice out.")
        if most is not None and len(choice.options) > most:
            raise InputError(f"{len(choice.options)} options, and letters for {most}", where=where)
