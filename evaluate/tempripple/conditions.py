"""What may stand before a question beside nothing and its new fact: controls for what a sentence as such does.

- `unrelated`: the new fact of another subject and, where there is one, another property. Whatever changes against no
  context is not due to the new fact.
- `several`: the new fact among those of others, in a drawn order.
- `conflicting`: the new fact and a sentence that gives its subject another object, in a drawn order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from tashika.core.draws import order_key
from tashika.core.texts import text_key

if TYPE_CHECKING:
    from tashika.evaluate.tempripple.questions import RippleQuestion

Condition = Literal["unrelated", "several", "conflicting"]

MEANINGS: Final[Mapping[Condition, str]] = {
    "unrelated": "the new fact of another subject stands before the question",
    "several": "the new fact stands among new facts of others",
    "conflicting": "beside the new fact stands a sentence that names another object",
}

Fact = tuple[str, str]
"""A changing fact: its property and its subject."""


class Shown(NamedTuple):
    """What stands before the questions on a fact.

    Attributes:
        text: The sentences.
        named: The object that the conflicting sentence names; empty in other conditions.
    """

    text: str
    named: str = ""


def shown_before(
    questions: Sequence[RippleQuestion], condition: Condition, seed: int, several: int
) -> dict[Fact, Shown]:
    """What stands before the questions on each fact; facts for which nothing fits are left out.

    Args:
        questions: Of the whole release, so that a sample reads what the whole would.
        condition: Which of them.
        seed: Of the draws.
        several: Facts that `several` has in all.
    """
    by_fact: dict[Fact, list[RippleQuestion]] = {}
    for question in questions:
        by_fact.setdefault((question.relation, question.subject), []).append(question)
    sentences = {fact: of[0].context for fact, of in by_fact.items()}
    shown = {}
    for fact, of in sorted(by_fact.items()):
        if condition == "conflicting":
            found = _conflicting(of, sentences, seed)
        else:
            others = _others(fact, of, sentences, seed)
            own = [sentences[fact]] if condition == "several" else []
            wanted = several - 1 if condition == "several" else 1
            found = _joined([*own, *others[:wanted]], seed, fact) if len(others) >= wanted else None
        if found:
            shown[fact] = found
    return shown


def under(questions: Sequence[RippleQuestion], shown: Mapping[Fact, Shown]) -> tuple[RippleQuestion, ...]:
    """The questions with what stands before them in place of their new fact."""
    return tuple(
        question._replace(context=shown[question.relation, question.subject].text)
        for question in questions
        if (question.relation, question.subject) in shown
    )


def named_places(questions: Sequence[RippleQuestion], shown: Mapping[Fact, Shown]) -> dict[str, int]:
    """Of each question that offers the object which the conflicting sentence names, that option's place."""
    places: dict[str, int] = {}
    for question in questions:
        found = shown.get((question.relation, question.subject))
        keys = [text_key(option) for option in question.options]
        if found and found.named and text_key(found.named) in keys:
            place = keys.index(text_key(found.named))
            places |= {question.item_id: place} if place != question.answer else {}
    return places


def _others(fact: Fact, questions: Sequence[RippleQuestion], sentences: Mapping[Fact, str], seed: int) -> list[str]:
    """Sentences on other subjects: of other properties first, and none that names an option of the questions first."""
    options = {text_key(option) for question in questions for option in question.options}

    def order(other: Fact) -> tuple[bool, bool, bytes]:
        sentence = text_key(sentences[other])
        tells = any(sentence.endswith(f" {option}.") for option in options)
        return tells, other[0] == fact[0], order_key(seed, *fact, *other)

    return [sentences[other] for other in sorted(sentences, key=order) if other[1] != fact[1]]


def _joined(sentences: Sequence[str], seed: int, fact: Fact) -> Shown:
    return Shown(" ".join(sorted(sentences, key=lambda sentence: order_key(seed, *fact, sentence))))


def _conflicting(questions: Sequence[RippleQuestion], sentences: Mapping[Fact, str], seed: int) -> Shown | None:
    """The new fact and the same sentence with a wrong option of its own question in the object's place."""
    asked = next((question for question in questions if question.task == "new"), None)
    if asked is None:
        return None
    right = asked.options[asked.answer]
    before, found, _ = asked.context.rpartition(right)
    wrong = [option for place, option in enumerate(asked.options) if place != asked.answer]
    if not found:
        return None
    fact = (asked.relation, asked.subject)
    named = min(wrong, key=lambda option: order_key(seed, "conflicting", *fact, option))
    article = "the " if any(sentence.endswith(f" the {named}.") for sentence in sentences.values()) else ""
    other = f"{before.removesuffix('the ')}{article}{named.removesuffix('.')}."  # one full stop, also behind S.K.
    return _joined([asked.context, other], seed, fact)._replace(named=named)
