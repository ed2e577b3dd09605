"""TempRIPPLE's questions: on a tenure (hop 0) or at the end of a path (hops 1 to 3), with options; or why not.

Source: the paper's sections 2.1 (the four tasks), 2.2 (templates and ordinals) and 3.1 (four options).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

from tashika.builders.tempripple.distractors import Pool, Source, Widening, form
from tashika.builders.tempripple.properties import Properties
from tashika.builders.tempripple.records import Path, Value
from tashika.builders.tempripple.wording import (
    display_text,
    names_on,
    reasoning,
    related_text,
    tenure_phrase,
    tenure_text,
)
from tashika.core.draws import Draw
from tashika.core.texts import has_words, text_key

Task = Literal["new", "old", "related_new", "related_old"]
Reason = Literal["no-label", "nothing-asked", "answer-in-question", "too-few-options"]


@dataclass(frozen=True)
class Asked:
    """A tenure that is asked about.

    Attributes:
        subject: An item id.
        relation: A changing property's id.
        object: An item id.
        place: 1 is the most recent.
        context: The new fact as a sentence.
        history: The labels of all objects that the subject ever had: none of them is a wrong option at hop 0, where
            sources that count tenures differently would make it right.
    """

    subject: str
    relation: str
    object: str
    place: int
    context: str
    history: frozenset[str]

    @property
    def fact(self) -> str:
        """The changing fact that it belongs to."""
        return f"{self.subject} {self.relation}"


@dataclass(frozen=True)
class Material:
    """What all questions are made from.

    Attributes:
        properties: Their wording.
        labels: Of items.
        pool: The objects of all tenures and paths, see `add_tenure` and `add_path`.
        seed: Of the options.
        options: Of each question.
    """

    properties: Properties
    labels: Mapping[str, str]
    pool: Pool
    seed: int = 0
    options: int = 4


@dataclass(frozen=True)
class Question:
    """A question; its fields but the last are the item's payload (`core.records`).

    Attributes:
        task: Which of the four.
        hop: 0 for the tenure's own object.
        place: The tenure's, 1 is the most recent.
        subject: Of the changing fact.
        relation: Of the changing fact.
        last_relation: What is asked for.
        text: The question.
        context: The new fact as a sentence.
        options: The answer and wrong ones.
        answer: The right option's place, from 0.
        answers: All that would be right.
        reasoning: The path in words.
        widening: How far the wrong options were looked for; empty if the same property and hop had enough.
    """

    task: Task
    hop: int
    place: int
    subject: str
    relation: str
    last_relation: str
    text: str
    context: str
    options: tuple[str, ...]
    answer: int
    answers: tuple[str, ...]
    reasoning: str
    widening: Widening = ""

    def payload(self) -> dict[str, Any]:
        """The columns of its item, as plain values."""
        values = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "widening"}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


@dataclass(frozen=True)
class Refused:
    """A question that is not asked.

    Attributes:
        reason: no-label: an item on the way has none; nothing-asked: a property on the way has no noun phrase;
            answer-in-question: who reads it knows the answer; too-few-options: the pool has not enough wrong ones.
        detail: The item's id, the property's id, the answer.
    """

    reason: Reason
    detail: str


def add_tenure(pool: Pool, asked: Asked, labels: Mapping[str, str]) -> None:
    """Adds a tenure's object to what other questions may have as a wrong option."""
    value = Value(asked.object, "item")
    text = display_text(value, labels)
    if text:
        pool.add(Source(asked.relation, 0, asked.fact), text, form(value))


def add_path(pool: Pool, asked: Asked, path: Path, labels: Mapping[str, str]) -> None:
    """Adds the objects at the end of a path to what other questions may have as wrong options."""
    last = path.steps[-1]
    for value in last.objects:
        text = display_text(value, labels)
        if text:
            pool.add(Source(last.relation, path.hop, asked.fact), text, form(value))


def tenure_question(
    material: Material, asked: Asked, question_id: str, also_true: Collection[Value] = ()
) -> Question | Refused:
    """The question for a tenure's object: "Who was the previous head of state of Japan?".

    Where an object came back, each of its tenures has a question of its own, and its other tenures' object, which is
    the same, is no wrong option.

    Args:
        material: What all questions are made from.
        asked: The tenure.
        question_id: Decides with the seed which options are drawn.
        also_true: What is no wrong option beside the objects of the history.
    """
    return _question(material, asked, Path(()), also_true, question_id)


def related_question(
    material: Material, asked: Asked, path: Path, question_id: str, also_true: Collection[Value] = ()
) -> Question | Refused:
    """The question for the last object of a path: "Who is the spouse of the previous head of state of Japan?".

    Args:
        material: What all questions are made from.
        asked: The tenure that the path starts from.
        path: One to three facts; all objects of the last are right.
        question_id: Decides with the seed which options are drawn, and which of several right answers is one.
        also_true: Other objects that the last fact's subject has or had: no answers, and no wrong options.
    """
    return _question(material, asked, path, also_true, question_id)


def _question(
    material: Material, asked: Asked, path: Path, also_true: Collection[Value], question_id: str
) -> Question | Refused:
    labels, changing = material.labels, material.properties.changing[asked.relation]
    steps = [material.properties.stable[step.relation] for step in path.steps]
    names = names_on(asked.subject, asked.object, path.steps, labels)
    if names is None:
        items = (asked.subject, asked.object, *(step.subject for step in path.steps))
        return Refused("no-label", next(item for item in items if not labels.get(item, "").strip()))
    phrase = tenure_phrase(changing, names[0], asked.place, material.properties.articles)
    text = related_text(phrase, steps) if steps else tenure_text(changing, phrase, asked.place)
    if text is None:
        return Refused("nothing-asked", next(stable.id for stable in steps if not stable.noun))
    objects = path.steps[-1].objects if path.steps else (Value(asked.object, "item"),)
    right = _texts(objects, labels)
    if not right:
        return Refused("no-label", objects[0].text)
    draw = Draw(material.seed, question_id)
    hidden = [name for name, value in right.items() if not _given_away(name, value, text)]
    if not hidden:
        return Refused("answer-in-question", next(iter(right)))
    chosen = hidden[draw.below(len(hidden))]
    # At hop 0 an object of the same history, on a path a name that is on it.
    never = {*right, *names, *_texts(also_true, labels), *(() if steps else asked.history)}
    last = steps[-1].id if steps else asked.relation
    source = Source(last, path.hop, asked.fact)
    drawn = material.pool.options(chosen, form(right[chosen]), source, never, draw, material.options)
    if drawn is None:
        return Refused("too-few-options", chosen)
    return Question(
        task=_task(asked.place, path.hop),
        hop=path.hop,
        place=asked.place,
        subject=asked.subject,
        relation=asked.relation,
        last_relation=last,
        text=text,
        context=asked.context,
        options=drawn.texts,
        answer=drawn.answer,
        answers=tuple(right),
        reasoning=reasoning(changing, asked.place, names, steps, tuple(right)),
        widening=drawn.widening,
    )


def _task(place: int, hop: int) -> Task:
    if hop:
        return "related_new" if place == 1 else "related_old"
    return "new" if place == 1 else "old"


def _texts(values: Collection[Value], labels: Mapping[str, str]) -> dict[str, Value]:
    """What readers see of values, in their order, each text once; values without a label are left out."""
    by_key: dict[str, tuple[str, Value]] = {}
    for value in values:
        text = display_text(value, labels)
        if text:
            by_key.setdefault(text_key(text), (text, value))
    return dict(by_key.values())


def _given_away(answer: str, value: Value, text: str) -> bool:
    """Whether the answer stands in the question, as whole words: "the occupation of the head coach of ...".

    A code or a number may do so by chance and gives nothing away: "is" (Icelandic), "de" (Kevin De Bruyne), "1".
    """
    return value.datatype in {"item", "time"} and has_words(text, answer)
