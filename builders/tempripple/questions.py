"""TempRIPPLE's questions: on a tenure (hop 0) or at the end of a path (hops 1 to 3), with options; or why not.

Source: the paper's sections 2.1 (the four tasks), 2.2 (templates and ordinals) and 3.1 (four options).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, Literal

from tashika.builders.tempripple.distractors import OptionSet, Pool, Source, Widening, form, same_time
from tashika.builders.tempripple.properties import Properties, Stable
from tashika.builders.tempripple.records import Certainty, Path, Value
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
Counterpart = Literal["same", "differs", "none"]
"""Whether the right option is right of the other side as well; none where nothing is known there."""
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
        history: The labels of all objects that the subject had, the newest first. At hop 0 none of them is a wrong
            option of other facts: sources that count tenures differently would make it right.
    """

    subject: str
    relation: str
    object: str
    place: int
    context: str
    history: tuple[str, ...]

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
        option_set: Where wrong options come from.
    """

    properties: Properties
    labels: Mapping[str, str]
    pool: Pool
    seed: int = 0
    options: int = 4
    option_set: OptionSet = "other-facts"


@dataclass(frozen=True)
class Other:
    """What the same question on another tenure of the history would have for an answer.

    Attributes:
        place: The other tenure's.
        values: The answers.
    """

    place: int
    values: tuple[Value, ...]


@dataclass(frozen=True)
class Context:
    """What is known of a question beside its tenure and path.

    Attributes:
        also_true: What is no wrong option beside the right ones.
        others: The answers at the other tenures, whatever their order.
        other_side: The tenure that a question would be mistaken for: the newest one for an old one's, the one before
            it for the newest; None where there is none.
        certainty: Whether what is asked for did not change.
    """

    also_true: Collection[Value] = ()
    others: Sequence[Other] = ()
    other_side: int | None = None
    certainty: Certainty = "certain"


NOTHING_KNOWN: Final = Context()


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
        option_set: Where wrong options come from.
        lure: The place of a wrong option that is right of the other side; None where there is none.
        counterpart: Whether the right option is right of the other side as well.
        certainty: Whether what is asked for did not change.
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
    option_set: OptionSet = "other-facts"
    lure: int | None = None
    counterpart: Counterpart = "none"
    certainty: Certainty = "certain"
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
    material: Material, asked: Asked, question_id: str, known: Context = NOTHING_KNOWN
) -> Question | Refused:
    """The question for a tenure's object: "Who was the previous head of state of Japan?".

    Where an object came back, each of its tenures has a question of its own, and its other tenures' object, which is
    the same, is no wrong option.

    Args:
        material: What all questions are made from.
        asked: The tenure.
        question_id: Decides with the seed which options are drawn.
        known: What is no wrong option, and what is right of other tenures.
    """
    return related_question(material, asked, Path(()), question_id, known)


def related_question(
    material: Material, asked: Asked, path: Path, question_id: str, known: Context = NOTHING_KNOWN
) -> Question | Refused:
    """The question for the last object of a path: "Who is the spouse of the previous head of state of Japan?".

    Args:
        material: What all questions are made from.
        asked: The tenure that the path starts from.
        path: Facts on the way, none to ask for the tenure's own object; all objects of the last are right.
        question_id: Decides with the seed which options are drawn, and which of several right answers is one.
        known: What is no wrong option, and what the same path leads to from other tenures.
    """
    labels, changing = material.labels, material.properties.changing[asked.relation]
    steps = [material.properties.stable[step.relation] for step in path.steps]
    said = _said(material, asked, path, steps)
    if isinstance(said, Refused):
        return said
    names, text = said
    objects = path.steps[-1].objects if path.steps else (Value(asked.object, "item"),)
    right = _texts(objects, labels)
    if not right:
        return Refused("no-label", objects[0].text)
    draw = Draw(material.seed, question_id)
    hidden = [name for name, value in right.items() if not _given_away(name, value, text)]
    if not hidden:
        return Refused("answer-in-question", next(iter(right)))
    chosen = hidden[draw.below(len(hidden))]
    never = {*right, *names, *_texts(known.also_true, labels)}  # on a path no name that is on it
    last = steps[-1].id if steps else asked.relation
    drawn = material.pool.options(
        chosen,
        form(right[chosen]),
        Source(last, path.hop, asked.fact),
        never if steps else {*never, *asked.history},
        draw,
        material.options,
        _tempting(material, asked.place, right[chosen] if steps else Value(chosen, "string"), known, never),
    )
    if drawn is None:
        return Refused("too-few-options", chosen)
    beside = _beside(known, labels)
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
        option_set=material.option_set,
        lure=_lure(drawn.texts, right, beside),
        counterpart=_counterpart(chosen, beside),
        certainty=known.certainty,
        widening=drawn.widening,
    )


def _said(material: Material, asked: Asked, path: Path, steps: Sequence[Stable]) -> tuple[Sequence[str], str] | Refused:
    """The names on the way to the answer, and the question."""
    labels, changing = material.labels, material.properties.changing[asked.relation]
    names = names_on(asked.subject, asked.object, path.steps, labels)
    if names is None:
        items = (asked.subject, asked.object, *(step.subject for step in path.steps))
        return Refused("no-label", next(item for item in items if not labels.get(item, "").strip()))
    phrase = tenure_phrase(changing, names[0], asked.place, material.properties.articles)
    text = related_text(phrase, steps) if steps else tenure_text(changing, phrase, asked.place)
    if text is None:
        return Refused("nothing-asked", next(stable.id for stable in steps if not stable.noun))
    return names, text


def _tempting(material: Material, place: int, right: Value, known: Context, never: Collection[str]) -> list[str]:
    """Wrong options of the same history, the most tempting first: the other side's, then those of near tenures.

    An answer of another form would give the right one away, and so would a right one in other words.
    """
    if material.option_set == "other-facts":
        return []
    keys = set(map(text_key, never))
    tempting: dict[str, str] = {}
    for text, value in _by_temptation(place, known, material.labels):
        name = text_key(text)
        alike = form(value) == form(right) and not (value.datatype == "time" and same_time(name, keys))
        if alike and name not in keys:
            tempting.setdefault(name, text)
    return list(tempting.values())[: 1 if material.option_set == "mixed" else material.options - 1]


def _by_temptation(place: int, known: Context, labels: Mapping[str, str]) -> Iterator[tuple[str, Value]]:
    order = sorted(
        known.others, key=lambda other: (other.place != known.other_side, abs(other.place - place), other.place)
    )
    for other in order:
        yield from _texts(other.values, labels).items()


def _beside(known: Context, labels: Mapping[str, str]) -> set[str] | None:
    """The keys of the answers of the other side; None where there are none."""
    answers = {
        text_key(text) for one in known.others if one.place == known.other_side for text in _texts(one.values, labels)
    }
    return answers or None


def _counterpart(chosen: str, beside: Collection[str] | None) -> Counterpart:
    if beside is None:
        return "none"
    return "same" if text_key(chosen) in beside else "differs"


def _lure(options: Sequence[str], right: Collection[str], beside: Collection[str] | None) -> int | None:
    """The place of the first option that is right of the other side and not of this one."""
    wrong = set(beside or ()) - set(map(text_key, right))
    return next((place for place, option in enumerate(options) if text_key(option) in wrong), None)


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
