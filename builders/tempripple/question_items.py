"""TempRIPPLE's question items, made from the items of facts, tenures and related facts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tashika.builders.tempripple.distractors import OptionSet, Pool
from tashika.builders.tempripple.properties import Properties
from tashika.builders.tempripple.questions import (
    Asked,
    Context,
    Material,
    Other,
    Question,
    Refused,
    add_path,
    add_tenure,
    related_question,
    tenure_question,
)
from tashika.builders.tempripple.records import Certainty, Path, Value
from tashika.builders.tempripple.rows import SUITE, VERSION, Row, read_path
from tashika.core.records import item_id, item_row

Way = tuple[str, tuple[str, ...]]


class Topic(NamedTuple):
    """What a question is about.

    Attributes:
        item_id: Of the tenure or the related fact.
        parents: The ids of the fact, the tenure, and the related facts on the way, the last included.
        asked: The tenure.
        path: The facts on the way; without one it is the tenure's own object that is asked for.
        also_true: What is no wrong option: other objects of the same subject, and what contains the answer.
        certainty: Whether what is asked for did not change.
    """

    item_id: str
    parents: tuple[str, ...]
    asked: Asked
    path: Path
    also_true: tuple[Value, ...]
    certainty: Certainty = "certain"

    @property
    def way(self) -> Way:
        """The changing fact and the properties that lead on from its object: what its tenures have in common."""
        return self.asked.fact, tuple(step.relation for step in self.path.steps)


def topics(facts: Iterable[Row], tenures: Sequence[Row], related: Sequence[Row], properties: Properties) -> list[Topic]:
    """What is asked about, tenure by tenure, and the near hops first.

    Args:
        facts: The fact items.
        tenures: The history items.
        related: The related items; a path stands after those that it continues.
        properties: Their wording.
    """
    fact = {row["item_id"]: row for row in facts}
    of_tenure: dict[str, list[Row]] = defaultdict(list)
    for row in related:
        of_tenure[row["parents"][0]].append(row)
    listed = []
    for row in tenures:
        parents = (row["parents"][0], row["item_id"])
        asked = _asked(row, fact[parents[0]])
        listed.append(Topic(row["item_id"], parents, asked, Path(()), _as_shown(row)))
        on_the_way: dict[str, tuple[str, ...]] = {row["item_id"]: parents}
        for one in of_tenure[row["item_id"]]:
            on_the_way[one["item_id"]] = (*on_the_way[one["parents"][-1]], one["item_id"])
        for one in sorted(of_tenure[row["item_id"]], key=lambda one: one["hop"]):
            path = read_path(one, properties)
            way = on_the_way[one["item_id"]]
            listed.append(Topic(one["item_id"], way, asked, path, _as_shown(one), one["certainty"]))
    return listed


def _as_shown(row: Row) -> tuple[Value, ...]:
    """What is no wrong option; labels, handed on as texts that are shown as they stand."""
    return tuple(Value(text, "string") for text in row["also_true"])


def _asked(tenure: Row, fact: Row) -> Asked:
    return Asked(
        tenure["subject"],
        tenure["relation"],
        tenure["object"],
        tenure["place"],
        fact["statement"],
        tuple(one["object_label"] for one in fact["history"]),
    )


def labels_in(tenures: Iterable[Row], related: Iterable[Row]) -> dict[str, str]:
    """The labels of all items that the rows name."""
    labels: dict[str, str] = {}
    for row in tenures:
        labels |= {row["subject"]: row["subject_label"], row["object"]: row["object_label"]}
    for row in related:
        labels |= {step["subject"]: step["subject_label"] for step in row["path"]}
        labels |= dict(zip(row["objects"], row["object_labels"], strict=True))  # literals among them do no harm
    return labels


def questions(
    about: Sequence[Topic],
    properties: Properties,
    labels: Mapping[str, str],
    seed: int,
    options: int,
    option_set: OptionSet = "other-facts",
) -> Iterator[tuple[Topic, Question | Refused]]:
    """Yields each topic with its question, or why there is none.

    Args:
        about: All topics: their objects are the wrong options of each other.
        properties: The wording.
        labels: Of items.
        seed: Of the options.
        options: Of each question.
        option_set: Where wrong options come from.
    """
    pool = Pool()
    for topic in about:
        if topic.path.steps:
            add_path(pool, topic.asked, topic.path, labels)
        else:
            add_tenure(pool, topic.asked, labels)
    material = Material(properties, labels, pool, seed, options, option_set)
    answers = _answers(about)
    asked = {(topic.asked.fact, topic.asked.place) for topic in about}
    for topic in about:
        name, known = question_id(topic), _known(topic, answers[topic.way], asked)
        if topic.path.steps:
            yield topic, related_question(material, topic.asked, topic.path, name, known)
        else:
            yield topic, tenure_question(material, topic.asked, name, known)


def _answers(about: Sequence[Topic]) -> dict[Way, dict[int, tuple[Value, ...]]]:
    """What each way leads to, by the place of the tenure that it starts from.

    At hop 0 the tenures that nobody is asked about count too. Two branches of a path may have the same properties
    only where a fact has several objects, at which paths end; so a way leads to one fact from a tenure.
    """
    answers: dict[Way, dict[int, tuple[Value, ...]]] = defaultdict(dict)
    for topic in about:
        steps = topic.path.steps
        if not steps:
            shown = enumerate(topic.asked.history, start=1)
            answers[topic.way] |= {place: (Value(label, "string"),) for place, label in shown}
        else:
            answers[topic.way][topic.asked.place] = steps[-1].objects
    return answers


def _known(topic: Topic, answers: Mapping[int, tuple[Value, ...]], asked: Collection[tuple[str, int]]) -> Context:
    """What a topic's question needs to know; the side before the newest is the latest old tenure with an answer."""
    fact, place = topic.asked.fact, topic.asked.place
    others = [Other(other, values) for other, values in answers.items() if other != place]
    old = [other.place for other in others if other.place > 1 and (fact, other.place) in asked]
    return Context(topic.also_true, others, min(old, default=None) if place == 1 else 1, topic.certainty)


def question_id(topic: Topic) -> str:
    """The id of the question on a topic."""
    return item_id(SUITE, "question", topic.item_id)


def question_row(topic: Topic, made: Question) -> dict[str, Any]:
    """The row of a question."""
    key = (topic.item_id,)
    return item_row(SUITE, "question", key, made.payload(), builder=SUITE, version=VERSION, parents=topic.parents)


def refusals(refused: Iterable[tuple[Topic, Refused]]) -> str:
    """The table of questions that are not asked: what each would be about, and why it is not."""
    lines = ["item_id\tsubject\trelation\tplace\tlast_relation\thop\treason\tdetail"]
    for topic, one in refused:
        about, steps = topic.asked, topic.path.steps
        last = steps[-1].relation if steps else about.relation
        cells = (topic.item_id, about.subject, about.relation, about.place, last, len(steps), one.reason, one.detail)
        lines.append("\t".join(map(str, cells)))
    return "\n".join(lines) + "\n"
