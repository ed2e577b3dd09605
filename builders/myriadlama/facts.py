"""Facts: who stands in which relation to what, read from LAMA's files or over SPARQL."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tashika.builders.sources.sparql import SparqlEndpoint
from tashika.builders.sources.wikidata import (
    facts_of,
    is_wikidata_id,
    item_number,
    names_of,
    objects_of,
    require_item,
    require_property,
)
from tashika.core.cloze import OBJECT_SLOT, SUBJECT_SLOT
from tashika.core.errors import InputError
from tashika.core.files import read_json_lines


@dataclass(frozen=True)
class Fact:
    """A unique triple (paper, section 2): entities, not their names.

    Attributes:
        relation: A property id; of own facts what the relation is known by.
        subject: An item id, or one of our making.
        object: An item id, or one of our making.
        subject_label: What the source calls the subject.
        object_label: What the source calls the object.
        origin: "facts" for a fact of the source, else the widener that found the object.
    """

    relation: str
    subject: str
    object: str
    subject_label: str
    object_label: str
    origin: str = "facts"

    @property
    def key(self) -> tuple[str, str, str]:
        """What makes the fact this one: relation, subject, object."""
        return self.relation, self.subject, self.object

    @property
    def pair(self) -> tuple[str, str]:
        """The subject-relation pair."""
        return self.relation, self.subject

    @property
    def order(self) -> tuple[tuple[int, str], ...]:
        """Sorts by the numbers in the ids, and by the ids where they have none."""
        return id_order(self.relation), id_order(self.subject), id_order(self.object)


def id_order(identifier: str) -> tuple[int, str]:
    """Sorts Wikidata's ids by their numbers, others by themselves."""
    return (item_number(identifier), "") if is_wikidata_id(identifier) else (0, identifier)


def read_lama(folder: Path, relations: Sequence[str] = ()) -> list[Fact]:
    """Reads facts in LAMA's published form: `relations.jsonl` and one `P*.jsonl` a relation.

    Lines need `sub_uri, obj_uri, sub_label, obj_label`. A fact that stands twice counts once. A relation that
    `relations.jsonl` names and that has no file has no facts, as in LAMA itself.

    Args:
        folder: The directory, in LAMA's archive `TREx/` with `relations.jsonl` in it or beside it.
        relations: Relations to read; all that `relations.jsonl` names if empty.

    Raises:
        InputError: A file is missing, empty or broken, an id is malformed, or a relation is unknown.
    """
    known = _lama_relations(folder)
    unknown = [relation for relation in relations if relation not in known]
    if unknown:
        raise InputError(f"relations.jsonl does not name {unknown[0]}", where=str(folder))
    strangers = sorted(path.name for path in folder.glob("P*.jsonl") if path.stem not in known)
    if strangers:
        raise InputError(f"{strangers[0]} is of a relation that relations.jsonl does not name", where=str(folder))
    facts: dict[tuple[str, str, str], Fact] = {}
    for relation in relations or known:
        path = folder / f"{relation}.jsonl"
        if path.exists():
            facts.update((fact.key, fact) for fact in lama_facts(path, relation))
    if not facts:
        raise InputError("no facts found", where=str(folder), hint="Expected P*.jsonl files beside relations.jsonl.")
    return sorted(facts.values(), key=lambda fact: fact.order)


def relations_file(folder: Path) -> Path:
    """LAMA's list of relations: in the folder, or beside it, where LAMA's own archive has it."""
    inside, beside = folder / "relations.jsonl", folder.parent / "relations.jsonl"
    return beside if beside.exists() and not inside.exists() else inside


def _lama_relations(folder: Path) -> tuple[str, ...]:
    rows = read_json_lines(relations_file(folder), required=("relation",))
    # LAMA's file also names relations of its other parts (Google-RE), whose ids are no PIDs.
    return tuple(str(row["relation"]) for _, row in rows if str(row["relation"]).startswith("P"))


def read_lama_templates(folder: Path) -> dict[str, str]:
    """LAMA's own template of each relation, from `relations.jsonl`; relations without one are left out.

    Raises:
        InputError: The file is missing or broken, or a template lacks a slot.
    """
    file = relations_file(folder)
    templates = {}
    for number, row in read_json_lines(file, required=("relation",)):
        text = row.get("template")
        if not str(row["relation"]).startswith("P") or not text:
            continue
        if not isinstance(text, str) or text.count(SUBJECT_SLOT) != 1 or text.count(OBJECT_SLOT) != 1:
            raise InputError(
                f"found the template {text!r}; expected {SUBJECT_SLOT} and {OBJECT_SLOT} exactly once each",
                where=f"{file}:{number}",
            )
        templates[str(row["relation"])] = text.strip()
    return templates


def lama_facts(path: Path, relation: str) -> Iterator[Fact]:
    """Yields the facts of one file of LAMA's, as `read_lama` reads them.

    Raises:
        InputError: The file is missing, empty or broken, or an id or a label is no such thing.
    """
    for number, row in read_json_lines(path, required=("sub_uri", "obj_uri", "sub_label", "obj_label")):
        where = f"{path}:{number}"
        if row.get("predicate_id", relation) != relation:
            raise InputError(f"found a fact of {row['predicate_id']}, expected {relation}", where=where)
        labels = _label(row["sub_label"], where), _label(row["obj_label"], where)
        yield Fact(require_property(relation, where), require_item(row["sub_uri"], where),
                   require_item(row["obj_uri"], where), *labels)  # fmt: skip


def _label(value: object, where: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"a label is empty or no text: {value!r}", where=where)
    return value.strip()


def read_wikidata(
    endpoint: SparqlEndpoint,
    relations: Iterable[str],
    languages: Sequence[str],
    limit: int | None = None,
    seen: Callable[[str, int], None] = lambda relation, count: None,
) -> list[Fact]:
    """Reads facts over SPARQL, in the best-rank view.

    A fact one of whose entities has no label in the languages is left out: nobody could ask for it.

    Args:
        endpoint: Where to ask.
        relations: Property ids.
        languages: Languages of the labels, in order of preference.
        limit: The most facts of a relation; None for all.
        seen: Called after each relation with the number of its facts.
    """
    triples: list[tuple[str, str, str]] = []
    for relation in relations:
        pairs = facts_of(endpoint, relation, limit)
        triples += [(relation, *pair) for pair in pairs]
        seen(relation, len(pairs))
    return _labelled(endpoint, triples, languages, origin="facts")


def _labelled(
    endpoint: SparqlEndpoint, triples: Iterable[tuple[str, str, str]], languages: Sequence[str], origin: str
) -> list[Fact]:
    triples = list(triples)
    names = names_of(endpoint, {entity for _, *pair in triples for entity in pair}, languages)
    return sorted(
        (
            Fact(relation, subject, value, names[subject][0].text, names[value][0].text, origin)
            for relation, subject, value in triples
            if subject in names and value in names
        ),
        key=lambda fact: fact.order,
    )


def named_by_wikidata(facts: Sequence[Fact], endpoint: SparqlEndpoint, languages: Sequence[str]) -> list[Fact]:
    """The facts, those of a widener with Wikidata's own label for the object; what Wikidata cannot name is left out.

    T-REx gives the words of a sentence for an object, which may be "his".
    """
    added = {fact.object for fact in facts if fact.origin != "facts"}
    names = names_of(endpoint, added, languages)
    return [
        fact if fact.origin == "facts" else replace(fact, object_label=names[fact.object][0].text)
        for fact in facts
        if fact.origin == "facts" or fact.object in names
    ]


def widened_by_wikidata(facts: Sequence[Fact], endpoint: SparqlEndpoint, languages: Sequence[str]) -> list[Fact]:
    """The facts and every further object that Wikidata states, at any rank but deprecated, for one of their pairs."""
    known = {fact.key for fact in facts}
    by_relation: dict[str, set[str]] = {}
    for fact in facts:
        by_relation.setdefault(fact.relation, set()).add(fact.subject)
    new = {
        (relation, subject, value)
        for relation, subjects in by_relation.items()
        for subject, value in objects_of(endpoint, relation, sorted(subjects, key=item_number))
    }
    added = _labelled(endpoint, sorted(new - known), languages, origin="wikidata")
    labels = {fact.subject: fact.subject_label for fact in facts}  # the source's own label stays
    added = [replace(fact, subject_label=labels[fact.subject]) for fact in added]
    return sorted([*facts, *added], key=lambda fact: fact.order)
