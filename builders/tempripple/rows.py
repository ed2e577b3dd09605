"""TempRIPPLE's items as rows, and back: each stage reads what the one before has written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, cast

from tashika.builders.tempripple.dates import day_text, years_between
from tashika.builders.tempripple.properties import Properties
from tashika.builders.tempripple.records import (
    Age,
    History,
    Moment,
    Path,
    Period,
    StableFact,
    Tenure,
    Value,
    weakest,
)
from tashika.builders.tempripple.wording import display_text
from tashika.core.records import item_id, item_row

SUITE: Final = "tempripple"
VERSION: Final = "2"
"""Of the builder; a new one makes its stages run again."""

Row = Mapping[str, Any]
Near = Mapping[str, frozenset[str]]
Sources = Sequence[tuple[str, str | None]]


@dataclass(frozen=True)
class PlacedTenure:
    """A tenure that is asked about, as the history items have it.

    Attributes:
        item_id: Of the history item.
        fact_id: Of the fact that it belongs to.
        subject: The changing fact's subject.
        relation: The changing property.
        object: The tenure's object.
        age: New or old.
        place: 1 is the most recent.
    """

    item_id: str
    fact_id: str
    subject: str
    relation: str
    object: str
    age: Age
    place: int


def fact_id(history: History) -> str:
    """The id of a changing fact: its subject, property, newest object and that one's start."""
    return item_id(SUITE, "fact", *_fact_key(history))


def _fact_key(history: History) -> tuple[str, ...]:
    newest = history.tenures[-1]
    return history.subject, history.relation, newest.object, newest.start.text


def fact_row(
    history: History, labels: Mapping[str, str], wording: tuple[str, str], period: Period, sources: Sources
) -> dict[str, Any]:
    """The row of a changing fact, with all its tenures for the people to see.

    Args:
        history: All tenures.
        labels: Of items.
        wording: The property's label, and the new fact as a sentence.
        period: The window, and from when on the history is complete.
        sources: Where the facts come from.
    """
    relation_label, statement = wording
    newest = history.tenures[-1]
    payload = {
        "subject": history.subject,
        "relation": history.relation,
        "object": newest.object,
        "subject_label": labels[history.subject],
        "relation_label": relation_label,
        "object_label": labels[newest.object],
        "start": newest.start.text,
        "statement": statement,
        "history": [
            {"object_label": labels[tenure.object], "start": tenure.start.text, "end": _text(tenure.end)}
            for tenure in reversed(history.tenures)
        ],
        "window": f"{day_text(period.window_from)}..{day_text(period.window_to)}",
        "history_from": day_text(period.history_from),
    }
    return item_row(SUITE, "fact", _fact_key(history), payload, builder=SUITE, version=VERSION, sources=sources)


def placed_tenures(history: History) -> Iterator[tuple[int, Age, Tenure]]:
    """Yields place, age and tenure of those that are asked about, the newest first.

    A tenure that began in the window and was over within it is neither new nor old: nothing is asked of it, but it
    keeps its place, since "the previous" counts it.
    """
    newest_first = list(reversed(history.tenures))
    for place, tenure in enumerate(newest_first, start=1):
        if place == 1 or place > history.new:
            yield place, "new" if place == 1 else "old", tenure


def history_rows(
    history: History, labels: Mapping[str, str], near: Near, period: Period, sources: Sources
) -> Iterator[dict[str, Any]]:
    """The rows of a history's tenures, the newest first.

    Args:
        history: All tenures.
        labels: Of items.
        near: What contains what, see `containment`.
        period: A tenure that has not ended is counted up to the end of its window.
        sources: Where the facts come from.
    """
    window_end = Moment(period.window_to, period.window_to, "")
    for place, age, tenure in placed_tenures(history):
        over = tenure.end is not None and tenure.end.latest <= period.window_to
        others = {*history.earlier, *near.get(tenure.object, ())} - {tenure.object}
        payload = {
            "subject": history.subject,
            "relation": history.relation,
            "object": tenure.object,
            "subject_label": labels[history.subject],
            "object_label": labels[tenure.object],
            "age": age,
            "place": place,
            "start": tenure.start.text,
            "end": _text(tenure.end),
            "years": years_between(tenure.start, tenure.end if over and tenure.end else window_end),
            "also_true": sorted(labels[item] for item in others if item in labels),
        }
        # A person's two tenures of one year differ in nothing but their statements.
        key = (history.subject, history.relation, tenure.object, tenure.start.text, *tenure.statements[:1])
        parents = [fact_id(history)]
        yield item_row(SUITE, "history", key, payload, builder=SUITE, version=VERSION, sources=sources, parents=parents)


def _text(moment: Moment | None) -> str | None:
    return moment.text if moment else None


def read_tenures(rows: Sequence[Row]) -> list[PlacedTenure]:
    """The tenures of the history items, in their order."""
    return [
        PlacedTenure(
            row["item_id"],
            row["parents"][0],
            row["subject"],
            row["relation"],
            row["object"],
            cast(Age, row["age"]),
            row["place"],
        )
        for row in rows
    ]


def related_id(tenure: PlacedTenure, path: Path) -> str:
    """The id of a related fact: its tenure, and the subjects and properties on the way."""
    return item_id(SUITE, "related", *_related_key(tenure, path))


def _related_key(tenure: PlacedTenure, path: Path) -> tuple[str, ...]:
    return tenure.item_id, *(part for step in path.steps for part in (step.subject, step.relation))


def related_row(
    tenure: PlacedTenure,
    path: Path,
    labels: Mapping[str, str],
    near: Near,
    properties: Properties,
    sources: Sources,
) -> dict[str, Any]:
    """The row of a related fact.

    Args:
        tenure: What the path starts from.
        path: The facts on the way, the related one last.
        labels: Of items.
        near: What contains what, see `containment`.
        properties: For the properties' labels.
        sources: Where the facts come from.
    """
    last = path.steps[-1]
    steps = [{"relation": tenure.relation, "subject": tenure.subject, "subject_label": labels[tenure.subject]}]
    steps += [
        {"relation": step.relation, "subject": step.subject, "subject_label": labels[step.subject]}
        for step in path.steps
    ]
    payload = {
        "age": tenure.age,
        "hop": path.hop,
        "subject": last.subject,
        "relation": last.relation,
        "objects": [value.text for value in last.objects],
        "subject_label": labels[last.subject],
        "relation_label": properties.stable[last.relation].label,
        "object_labels": _texts(last.objects, labels),
        "also_true": sorted({*_texts(getattr(last, "also_true", ()), labels), *_labels_near(last, near, labels)}),
        "certainty": weakest(step.certainty for step in path.steps),
        "path": steps,
    }
    before = Path(path.steps[:-1])
    parents = [tenure.item_id, *([related_id(tenure, before)] if before.steps else [])]
    key = _related_key(tenure, path)
    return item_row(SUITE, "related", key, payload, builder=SUITE, version=VERSION, sources=sources, parents=parents)


def _labels_near(fact: StableFact, near: Near, labels: Mapping[str, str]) -> set[str]:
    """The labels of what contains an object of the fact, or is contained in it, but for the objects themselves."""
    objects = {value.text for value in fact.objects}
    return {labels[item] for one in objects for item in near.get(one, ()) if item in labels and item not in objects}


def _texts(values: Iterable[Value], labels: Mapping[str, str]) -> list[str]:
    """Values as readers see them; items without a label are left out."""
    return [text for value in values if (text := display_text(value, labels))]


def read_path(row: Row, properties: Properties) -> Path:
    """The path that a related item was made from."""
    steps: list[Row] = row["path"][1:]
    facts = [
        StableFact(step["subject"], step["relation"], (Value(after["subject"], "item"),))
        for step, after in pairwise(steps)
    ]
    datatype = properties.stable[row["relation"]].datatype
    last = StableFact(row["subject"], row["relation"], tuple(Value(text, datatype) for text in row["objects"]))
    return Path((*facts, last))
