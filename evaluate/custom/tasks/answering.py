"""Answers in words, and when one is right: by the whole text, a part of it, a pattern or a number."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from typing import Any, Final

from tashika.core.custom.release_form import EvaluateForm
from tashika.core.prompting import NUMBER
from tashika.evaluate.custom.prompts import Asked
from tashika.evaluate.ways.generation import Answer

_NUMBER: Final = re.compile(NUMBER)
_NOT_WORD: Final = re.compile(r"[\W_]+")
_CLOSE: Final = 1e-6
"""How far a number may be off, relative to the right one: what writing it down rounds."""


def as_it_is(text: str) -> str:
    """Takes any reply."""
    return text


def columns(form: EvaluateForm, row: Asked, answer: Answer[str]) -> dict[str, Any]:
    """What came of a question that was answered in words."""
    if answer.value is None:
        return {"problem": answer.problem, "reply": answer.reply}
    found = extracted(form, answer.value)
    if found is None:
        return {"problem": _UNFOUND[form.match], "reply": answer.reply, "correct": False}
    return {"answer": found, "reply": answer.reply, "correct": is_right(form, found, row.answers)}


_UNFOUND: Final = {"pattern": "the pattern is not in the reply", "number": "no number in the reply"}


def extracted(form: EvaluateForm, reply: str) -> str | None:
    """What is compared of a reply: all of it, what the pattern's group holds, or its last number; None without it."""
    if form.match == "pattern":
        found = re.search(str(form.pattern), reply)
        return None if found is None or found[1] is None else found[1].strip()
    if form.match == "number":
        numbers = _NUMBER.findall(unicodedata.normalize("NFKC", reply))
        return str(numbers[-1]) if numbers else None
    return reply.strip()


def is_right(form: EvaluateForm, found: str, answers: Sequence[str]) -> bool:
    """Whether any of the right answers will take it."""
    if form.match == "number":
        return any(_same_number(found, answer) for answer in answers)
    if form.match == "contains":
        return any(_contains(folded(found), folded(answer)) for answer in answers)
    if form.match == "exact":
        return found in {answer.strip() for answer in answers}
    return folded(found) in {folded(answer) for answer in answers}


def folded(text: str) -> str:
    """A text without case, punctuation and spacing; one of signs alone stays what it is."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return _NOT_WORD.sub(" ", plain).strip() or plain.strip()


def _contains(text: str, part: str) -> bool:
    """Whether a text has a part between the borders of words; scripts without spaces have none."""
    if part.isascii():
        return f" {part} " in f" {text} "
    return part in text


def _same_number(found: str, answer: str) -> bool:
    one, other = _number(found), _number(answer)
    return one is not None and other is not None and math.isclose(one, other, rel_tol=_CLOSE, abs_tol=_CLOSE)


def _number(text: str) -> float | None:
    try:
        return float(unicodedata.normalize("NFKC", text).strip().replace("−", "-").replace(",", ""))
    except ValueError:
        return None
