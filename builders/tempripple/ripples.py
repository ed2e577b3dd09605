"""Related facts of one to three hops: what is true of a changing fact's object, of that fact's object, and so on.

Source: the paper's section 2.1 and appendix A. Facts are gathered breadth-first, for all changing facts at once, so an
entity is asked for once. Paths are made from them one at a time: there are many times more of them than facts.

A step is left out if one of its objects stands on the path already: the changing fact's subject or object, an earlier
object, or the step's own subject. A path continues from a fact with one object, which is an item and which no other
best-rank object joined at any time of the period, by a property that can be asked of an object (it has a noun).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

from tashika.builders.sources.sparql import SparqlEndpoint
from tashika.builders.sources.wikidata import BATCH, item_number
from tashika.builders.tempripple.entity_types import EntityTypes
from tashika.builders.tempripple.properties import Properties, Stable
from tashika.builders.tempripple.records import Path, Period
from tashika.builders.tempripple.stable_facts import AnsweredFact, stable_facts
from tashika.core.progress import bar, say

Usable = Callable[[str], bool]
"""Whether an item can be shown: it has a label."""


@dataclass(frozen=True)
class Ripples:
    """The stable facts around the objects of changing facts.

    Attributes:
        facts: Subject -> its facts, by property's number.
        properties: The stable properties by id.
        hops: The most steps of a path.
    """

    facts: Mapping[str, tuple[AnsweredFact, ...]]
    properties: Mapping[str, Stable]
    hops: int

    def paths(self, subject: str, object: str, usable: Usable = lambda _: True) -> Iterator[Path]:
        """Yields the paths that start at the object of a changing fact; each path before those that continue it.

        Facts come by property's number, so the order is always the same.

        Args:
            subject: The changing fact's subject.
            object: Its object.
            usable: Objects that are not usable are left out of the answers, and so is a fact without a usable object.
        """
        if self.hops > 0:
            yield from self._onwards((), {subject, object}, object, usable)

    def entities(self) -> frozenset[str]:
        """All items of the facts: subjects, objects, and what else was said of the subjects."""
        values = (v for several in self.facts.values() for fact in several for v in (*fact.objects, *fact.also_true))
        return frozenset(self.facts) | {value.text for value in values if value.datatype == "item"}

    def _onwards(self, steps: tuple[AnsweredFact, ...], met: set[str], last: str, usable: Usable) -> Iterator[Path]:
        """The paths that continue from `last`.

        Args:
            steps: The path so far.
            met: Its entities.
            last: Its last object.
            usable: See `paths`.
        """
        for fact in self.facts.get(last, ()):
            items = {value.text for value in fact.objects if value.datatype == "item"}
            step = _shown(fact, usable)
            if step is None or items & met:
                continue
            yield Path((*steps, step))
            entity = next_entity(step, self.properties)
            if entity and len(steps) + 1 < self.hops:
                yield from self._onwards((*steps, step), met | items, entity, usable)


def next_entity(fact: AnsweredFact, properties: Mapping[str, Stable]) -> str | None:
    """The item that a path leads to from a fact; None where it ends."""
    if len(fact.objects) > 1 or not fact.unique or not properties[fact.relation].noun:
        return None
    return fact.objects[0].text if fact.objects[0].datatype == "item" else None


def _shown(fact: AnsweredFact, usable: Usable) -> AnsweredFact | None:
    """The fact with its usable objects; None if there is none. What is left of several is not unique."""
    objects = tuple(value for value in fact.objects if value.datatype != "item" or usable(value.text))
    if len(objects) == len(fact.objects):
        return fact
    return replace(fact, objects=objects, unique=False) if objects else None


def ripples(
    endpoint: SparqlEndpoint,
    properties: Properties,
    roots: Iterable[tuple[str, str]],
    period: Period,
    hops: int,
    batch: int = BATCH,
    *,
    only_older: bool = True,
) -> Ripples:
    """Gathers the facts around the objects of changing facts, one hop after the other.

    Args:
        endpoint: Where to ask.
        properties: The stable properties, and the classes that give an entity its type.
        roots: (subject, object) of each tenure.
        period: Through which the facts must have held.
        hops: The most steps of a path.
        batch: Entities a request.
        only_older: See `stable_facts`.
    """
    types = EntityTypes(endpoint, properties.classes, batch=batch)
    ask = partial(stable_facts, endpoint, properties.stable, period=period, batch=batch, only_older=only_older)
    facts: dict[str, tuple[AnsweredFact, ...]] = {}
    expanded: set[str] = set()
    frontier = {object for _, object in roots}
    for hop in range(1, hops + 1):
        expanded |= frontier
        typed = types.types_of(frontier)
        if hop == 1 and typed and not any(typed.values()):
            say(
                f"None of the {len(typed)} objects has a type, so no related facts are found. Expected classes (P31) "
                "that lead to one named in the properties' file: check that the store has the objects' own statements."
            )
        facts_of_hop = _hop(typed, ask, batch, f"Related facts, hop {hop}")
        facts.update(facts_of_hop)
        count = sum(len(several) for several in facts_of_hop.values())
        say(f"Related facts, hop {hop}: {len(frontier)} entities, {count} facts of {len(facts_of_hop)} of them")
        onwards = (next_entity(fact, properties.stable) for several in facts_of_hop.values() for fact in several)
        frontier = {entity for entity in onwards if entity} - expanded
    return Ripples(facts, properties.stable, hops)


def _hop(
    types: Mapping[str, frozenset[str]],
    ask: Callable[[Mapping[str, frozenset[str]]], Iterable[AnsweredFact]],
    batch: int,
    description: str,
) -> dict[str, tuple[AnsweredFact, ...]]:
    """The facts of the entities of one hop, by entity."""
    facts: dict[str, list[AnsweredFact]] = {}
    entities = sorted(types, key=item_number)
    with bar(description, len(entities)) as advance:
        for start in range(0, len(entities), batch):
            some = entities[start : start + batch]
            for fact in ask({entity: types[entity] for entity in some}):
                facts.setdefault(fact.subject, []).append(fact)
            advance(len(some))
    return {subject: tuple(several) for subject, several in facts.items()}
