"""Another model reads each answer and gives it a number."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from tashika.core.custom.release_form import EvaluateForm
from tashika.core.custom.templating import renderer
from tashika.core.llm import Question
from tashika.evaluate.custom.questions import Item
from tashika.evaluate.ways.generation import Answer, Unparsable

READER_VERSION: Final = 1
"""Part of the settings of what depends on it: raise it when a judge's reply is read otherwise."""
JUDGE_TOKENS: Final = 256
"""Of a judge's reply, at most."""

_NUMBER: Final = re.compile(r"(?<![\w.])[-−]?\d+(?:\.\d+)?(?![\w]|\.\d)")
_OUT_OF: Final = re.compile(r"(?<=\d)\s*(?:/|out of)\s*(\d+(?:\.\d+)?)", re.IGNORECASE)


def judge_question(form: EvaluateForm) -> Callable[[Item, str], Question]:
    """What makes the judge's question of an item and the reply to it.

    Raises:
        ConfigError: The rubric is no template.
    """
    render = renderer(str(form.rubric), "[evaluate] rubric")
    return lambda item, reply: Question(render({**item.row, "reply": reply}), JUDGE_TOKENS)


def score_reader(form: EvaluateForm) -> Callable[[str], float]:
    """What reads the number from a judge's reply."""
    return partial(read_score, low=form.scale[0], high=form.scale[1])


def read_score(text: str, low: float, high: float) -> float:
    """The only number of a reply, which may be followed by the scale's greatest: `4`, `Score: 4`, `4/5`, `4 out of 5`.

    Raises:
        Unparsable: It has none, several, or one outside the scale.
    """
    plain = _OUT_OF.sub(lambda found: "" if float(found[1]) == high else found[0], unicodedata.normalize("NFKC", text))
    numbers = {float(number.replace("−", "-")) for number in _NUMBER.findall(plain)}
    if len(numbers) != 1:
        raise Unparsable("several numbers" if numbers else "no number")
    [score] = numbers
    if not low <= score <= high:
        raise Unparsable(f"outside the scale from {low:g} to {high:g}")
    return score


def columns(answer: Answer[str], judgement: Answer[float] | None) -> dict[str, Any]:
    """What came of a question and of the judge's reading of the answer."""
    if judgement is None:
        return {"problem": answer.problem, "reply": answer.reply}
    problem = None if judgement.problem is None else f"judge: {judgement.problem}"
    return {
        "answer": answer.value,
        "reply": answer.reply,
        "score": judgement.value,
        "judgement": judgement.reply,
        "problem": problem,
    }
