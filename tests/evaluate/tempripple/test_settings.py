"""What a model reads."""

from __future__ import annotations

from tashika.evaluate.tempripple.questions import Asked, RippleQuestion
from tashika.evaluate.tempripple.settings import PromptFormat

QUESTION = RippleQuestion(
    "q", "new", 0, 1, "Q17", "P6", "P6", "Who leads {Japan}?", "Sanae Takaichi leads {context}.", ("Eve", "Bob"), 0
)


def test_a_prompt_has_the_new_fact_or_not() -> None:
    form = PromptFormat()
    without, given = (form.choice(Asked(QUESTION, one), cue=True) for one in (False, True))
    assert without.prompt() == "Question: Who leads {Japan}?\nAnswer:"
    assert given.prompt() == "Sanae Takaichi leads {context}.\nQuestion: Who leads {Japan}?\nAnswer:"
    assert form.lettered(Asked(QUESTION, True)) == (
        "Sanae Takaichi leads {context}.\nQuestion: Who leads {Japan}?\nA. Eve\nB. Bob\nAnswer:"
    )
    other = PromptFormat(context="News: {context}", question="Q: {question}", between=" ", cue="A:")
    assert other.lettered(Asked(QUESTION, True)).startswith("News: Sanae Takaichi leads {context}. Q: Who leads")
