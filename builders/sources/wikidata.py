"""What is asked of Wikidata: facts, objects of known pairs, and names. Each query has one VALUES block."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tashika.builders.sources.sparql import ENTITY, SparqlEndpoint
from tashika.core.errors import InputError, shown

BATCH = 500
"""Entities a request: half a second on a local store of four million triples."""

LANGUAGE_CODE: Final = r"^[a-z]+(-[a-z0-9]+)*$"
"""A language as Wikidata writes it: en, zh-hans."""

_ITEM = re.compile(r"Q[1-9]\d*")
_PROPERTY = re.compile(r"P[1-9]\d*")


@dataclass(frozen=True, order=True)
class Name:
    """One name of an entity, in one language."""

    entity: str
    text: str
    language: str
    is_label: bool


def require_item(value: object, where: str) -> str:
    """Returns a well-formed QID.

    Raises:
        InputError: The value is no QID.
    """
    if not isinstance(value, str) or not _ITEM.fullmatch(value):
        raise InputError(f"found {shown(value)}, expected an item id such as Q42", where=where)
    return value


def require_property(value: str, where: str) -> str:
    """Returns a well-formed PID.

    Raises:
        InputError: The value is no property id.
    """
    if not _PROPERTY.fullmatch(value):
        raise InputError(f"found {value!r}, expected a property id such as P19", where=where)
    return value


def is_wikidata_id(identifier: str) -> bool:
    """Whether this is an item's or a property's id."""
    return bool(_ITEM.fullmatch(identifier) or _PROPERTY.fullmatch(identifier))


def item_or_none(iri: str) -> str | None:
    """The QID of an IRI; None for unknown values (blank nodes, genid IRIs), literals and properties."""
    identifier = iri.removeprefix(ENTITY)
    return identifier if identifier != iri and _ITEM.fullmatch(identifier) else None


def facts_of(endpoint: SparqlEndpoint, relation: str, limit: int | None = None) -> list[tuple[str, str]]:
    """The (subject, object) pairs of a relation in the best-rank view, sorted.

    Args:
        endpoint: Where to ask.
        relation: A property id.
        limit: The most facts to take, in the order of the subjects' ids as text; None for all.
    """
    property_id = require_property(relation, "relations")
    order = f" ORDER BY STR(?s) STR(?o) LIMIT {limit}" if limit is not None else ""
    rows = endpoint.select(f"SELECT ?s ?o WHERE {{ ?s wdt:{property_id} ?o }}{order}")
    pairs = ((item_or_none(row["s"][0]), item_or_none(row["o"][0])) for row in rows)
    return sorted({(s, o) for s, o in pairs if s and o}, key=lambda pair: (item_number(pair[0]), item_number(pair[1])))


def objects_of(endpoint: SparqlEndpoint, relation: str, subjects: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yields every (subject, object) of the relation whose statement is not deprecated.

    The best-rank view knows only the current capital; the statements know the former ones, too. That is the SPARQL
    counterpart of looking a pair up in T-REx (paper, appendix A.1.1.1).
    """

    def query(values: str) -> str:
        return (
            f"SELECT DISTINCT ?s ?o WHERE {{ VALUES ?s {{ {values} }} ?s p:{relation} ?st . ?st ps:{relation} ?o ; "
            "wikibase:rank ?rank . FILTER(?rank != wikibase:DeprecatedRank) }"
        )

    for rows in endpoint.select_batches(query, [f"wd:{subject}" for subject in subjects], BATCH):
        for row in rows:
            subject, value = item_or_none(row["s"][0]), item_or_none(row["o"][0])
            if subject and value:
                yield subject, value


def names_of(
    endpoint: SparqlEndpoint, entities: Iterable[str], languages: Sequence[str] = ("en", "mul")
) -> dict[str, list[Name]]:
    """Label and aliases of each entity that has any, the label first, then aliases in the order of languages and text.

    The label is that of the first language that has one: since 2025 many people have a label in `mul` alone.

    Args:
        endpoint: Where to ask.
        entities: Item ids.
        languages: Languages in order of preference.
    """
    wanted = ", ".join(f'"{language}"' for language in languages)

    def branch(predicate: str, kind: str, values: str) -> str:
        return f'{{ VALUES ?e {{ {values} }} ?e {predicate} ?x . FILTER(LANG(?x) IN ({wanted})) BIND("{kind}" AS ?k) }}'

    def query(values: str) -> str:  # everything inside each branch: an outer VALUES takes minutes
        label, alias = branch("rdfs:label", "label", values), branch("skos:altLabel", "alias", values)
        return f"SELECT ?e ?x ?k WHERE {{ {label} UNION {alias} }}"

    names_by_entity: dict[str, set[tuple[bool, int, str]]] = {}
    terms = [f"wd:{entity}" for entity in sorted(set(entities), key=item_number)]
    for rows in endpoint.select_batches(query, terms, BATCH):
        for row in rows:
            entity = row["e"][0].removeprefix(ENTITY)
            text, language = row["x"]
            order = languages.index(language) if language in languages else len(languages)
            names_by_entity.setdefault(entity, set()).add((row["k"][0] == "alias", order, " ".join(text.split())))
    return {entity: _ordered_names(entity, names, languages) for entity, names in names_by_entity.items()}


def labels_of(
    endpoint: SparqlEndpoint, entities: Iterable[str], languages: Sequence[str] = ("en", "mul")
) -> dict[str, str]:
    """The label of each entity that has one, in the first language that has it.

    Args:
        endpoint: Where to ask.
        entities: Item ids.
        languages: Languages in order of preference.
    """
    wanted = ", ".join(f'"{language}"' for language in languages)

    def query(values: str) -> str:
        return f"SELECT ?e ?x WHERE {{ VALUES ?e {{ {values} }} ?e rdfs:label ?x . FILTER(LANG(?x) IN ({wanted})) }}"

    best: dict[str, tuple[int, str]] = {}
    terms = [f"wd:{entity}" for entity in sorted(set(entities), key=item_number)]
    for rows in endpoint.select_batches(query, terms, BATCH):
        for row in rows:
            text, language = row["x"]
            order = languages.index(language) if language in languages else len(languages)
            entity, label = row["e"][0].removeprefix(ENTITY), " ".join(text.split())
            if label:
                best[entity] = min(best.get(entity, (order, label)), (order, label))
    return {entity: label for entity, (_, label) in best.items()}


def _ordered_names(entity: str, texts: set[tuple[bool, int, str]], languages: Sequence[str]) -> list[Name]:
    """The best label, then what else it is called, each text once; the labels of later languages are aliases."""
    names: list[Name] = []
    seen: set[str] = set()
    for is_alias, order, text in sorted(texts):
        if text and text.casefold() not in seen:
            seen.add(text.casefold())
            names.append(Name(entity, text, languages[order], is_label=not is_alias and not names))
    return names


def item_number(item: str) -> int:
    """The number in an id such as Q42, to sort by."""
    return int(item[1:])
