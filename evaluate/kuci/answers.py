"""A chat model's answers: it is asked for the letter of an option, and its reply is read strictly."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from tashika.core.llm import Cost, Question
from tashika.evaluate.kuci.questions import KuciQuestion
from tashika.evaluate.kuci.settings import EvaluateSettings
from tashika.evaluate.systems import System
from tashika.evaluate.ways.generation import Answer, Endpoint, Unparsable, ask_all, cost, require_replies
from tashika.evaluate.ways.letter_answers import read_choice

_CUE: Final = re.compile(r"\**(答え|回答|解答|正解)\**\s*(は|:)\s*:?\s*")
_STOP: Final = re.compile(r"(?<=[A-Da-d)\]*])\s*(です)?。?$")


def ask(
    system: System, settings: EvaluateSettings, cache: Path, questions: Sequence[KuciQuestion], title: str
) -> list[Answer[int]]:
    """Asks an endpoint. Replies are kept as they come, so an interrupted run asks for what is missing alone.

    Args:
        system: The model at its endpoint.
        settings: How it is asked.
        cache: The workspace's, which holds the replies.
        questions: What is asked.
        title: For the progress bar.

    Returns:
        For each question the place of the option that the reply names, or why it names none.

    Raises:
        OutsideError: The endpoint gave no reply to some questions, and the settings do not allow that.
    """
    replies = ask_all(
        _endpoint(system, settings, cache),
        _prompts(settings, questions),
        _readers(questions),
        attempts=settings.attempts,
        title=title,
    )
    require_replies(replies, may_be_missing=settings.missing_replies, where=system.endpoint)
    return replies


def announced_cost(system: System, settings: EvaluateSettings, cache: Path, questions: Sequence[KuciQuestion]) -> Cost:
    """What asking an endpoint will cost at most, after what has arrived before."""
    endpoint, prompts = _endpoint(system, settings, cache), _prompts(settings, questions)
    return cost(endpoint, prompts, _readers(questions), attempts=settings.attempts)


def _prompts(settings: EvaluateSettings, questions: Sequence[KuciQuestion]) -> list[Question]:
    texts = [settings.format.lettered(question) for question in questions]
    return [Question(text, settings.max_tokens, settings.system) for text in texts]


def _readers(questions: Sequence[KuciQuestion]) -> list[Callable[[str], int]]:
    return [partial(read_reply, options=question.options) for question in questions]


def _endpoint(system: System, settings: EvaluateSettings, cache: Path) -> Endpoint:
    return Endpoint(system.client(settings.llm, cache / "answers"))


def read_reply(text: str, options: Sequence[str]) -> int:
    """The option that a reply names, see `letter_answers`; a Japanese cue and full stop around it are passed over.

    Raises:
        Unparsable: It names none, or two.
    """
    try:
        return read_choice(text, options)
    except Unparsable:
        folded = unicodedata.normalize("NFKC", text).strip()
        cue = _CUE.match(folded)
        plain = _STOP.sub("", folded[cue.end() :] if cue else folded)
        if plain == folded or not plain:
            raise
        return read_choice(plain, options)
