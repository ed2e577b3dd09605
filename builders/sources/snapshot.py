"""Compiles the tables of `data/wikidata/` and `data/tempripple/`, each to one Turtle file in Wikidata's own RDF form.

The tables are for people to read and to edit, the Turtle is for a SPARQL engine. The same tables give the same bytes:
rows are sorted, statement ids are derived from the content, and nothing carries the time of the run.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import uuid
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Final, NamedTuple

from tashika.core.errors import InputError, TashikaError

# The layout is the same in a checkout and in an installed package.
DATA: Final = Path(__file__).resolve().parents[2] / "data"
SHIPPED: Final = (DATA / "wikidata", DATA / "tempripple")
TURTLE: Final = "snapshot.ttl"
RELATION_COLUMNS: Final = ("relation", "label_en", "label_ja", "subject_type", "object_type")
DATATYPES: Final = ("item", "time", "quantity", "string")  # the last column of relations.tsv, which may be left out
FACT_COLUMNS: Final = ("subject", "object", "rank", "start", "end", "subject_label", "object_label")
ENTITY_COLUMNS: Final = ("entity", "label_en", "label_mul", "label_ja", "aliases_en", "aliases_mul", "aliases_ja")
LANGUAGES: Final = ("en", "mul", "ja")  # as a reader takes them; `mul` is Wikidata's default for all languages
RANKS: Final[Mapping[str, str]] = {
    "normal": "wikibase:NormalRank",
    "preferred": "wikibase:PreferredRank",
    "deprecated": "wikibase:DeprecatedRank",
}
UNKNOWN, NOTHING = "somevalue", "novalue"  # Wikidata's words: there is one, nobody knows which; there is none
_QID, _PID = re.compile(r"Q[1-9]\d*", re.ASCII), re.compile(r"P[1-9]\d*", re.ASCII)
_DATE = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?", re.ASCII)
_DECADE = re.compile(r"\d{3}0s", re.ASCII)
_QUANTITY = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?", re.ASCII)
_MUST_ESCAPE = re.compile(r'["\\\x00-\x1f\x7f]')
_STATEMENTS: Final = uuid.uuid5(uuid.NAMESPACE_URL, "http://www.wikidata.org/entity/statement/")
_PROPERTY_PATHS: Final = {"wdt": "direct/", "p": "", "ps": "statement/", "pq": "qualifier/", "pqv": "qualifier/value/"}
_PREFIXES: Final = {
    "wd": "http://www.wikidata.org/entity/",
    "wds": "http://www.wikidata.org/entity/statement/",
    "wdv": "http://www.wikidata.org/value/",
    **{name: f"http://www.wikidata.org/prop/{path}" for name, path in _PROPERTY_PATHS.items()},
    "wikibase": "http://wikiba.se/ontology#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "schema": "http://schema.org/",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
_RARE_PREFIXES: Final = {  # only in a file that needs them
    "psv": "http://www.wikidata.org/prop/statement/value/",
    "wdno": "http://www.wikidata.org/prop/novalue/",
}

Pair = tuple[str, str]  # a predicate and an object, written as Turtle
Block = tuple[str, list[Pair]]  # a subject with its pairs


class Entity(NamedTuple):
    """An item or property of Wikidata; labels and aliases by language, only where there are any."""

    id: str
    labels: Mapping[str, str]
    aliases: Mapping[str, tuple[str, ...]]

    @property
    def name(self) -> str:
        """The label that a reader takes: English before the default of all languages before Japanese."""
        return next(self.labels[language] for language in LANGUAGES if language in self.labels)


class Fact(NamedTuple):
    """One statement.

    Attributes:
        subject: An item id.
        relation: A property id.
        object: An item id, or a literal of the relation's datatype, or somevalue or novalue.
        start: Empty, or ISO dates, perhaps of reduced precision (a decade is 2000s), somevalue or novalue; a repeated
            qualifier has `|` between its values.
        end: As `start`.
        rank: One of `RANKS`.
    """

    subject: str
    relation: str
    object: str
    start: str
    end: str
    rank: str


class Snapshot(NamedTuple):
    """The tables after validation, sorted by number."""

    relations: list[Entity]
    entities: list[Entity]
    facts: list[Fact]
    datatypes: Mapping[str, str]  # of the relations' objects


def read_table(path: Path, columns: Sequence[str], more: str = "") -> Iterator[tuple[str, dict[str, str]]]:
    """Yields (file:line, cells by column) of a tab-separated table with a header; `more` is a column it may have.

    Raises:
        InputError: The file is missing, not UTF-8, or a line has not the columns that it should have.
    """
    try:
        lines = path.read_bytes().decode("utf-8").removesuffix("\n").split("\n")
    except FileNotFoundError:
        raise _broken_table(str(path), "no such file", "a table", "restore it, or take its relation out") from None
    except UnicodeDecodeError as error:
        raise _broken_table(str(path), f"other bytes ({error})", "UTF-8", "save the file as UTF-8") from error
    if more and lines[0].split("\t") == [*columns, more]:
        columns = [*columns, more]
    if lines[0].split("\t") != list(columns):
        raise _broken_table(
            f"{path}:1", f"the header {lines[0]!r}", "\\t".join(columns), "correct the header; lines end in LF"
        )
    for number, line in enumerate(lines[1:], start=2):
        cells = line.split("\t")
        if len(cells) != len(columns) or "\r" in line:
            hint = f"write {', '.join(columns)}, with tabs between them and LF at the end"
            raise _broken_table(f"{path}:{number}", f"{len(cells)} cells in {line!r}", f"{len(columns)} cells", hint)
        yield f"{path}:{number}", dict(zip(columns, cells, strict=True))


def read_names(path: Path, columns: Sequence[str], pattern: re.Pattern[str], more: str = "") -> dict[str, Entity]:
    """Reads and checks relations.tsv or entities.tsv: ids, labels, and aliases where the table has them."""
    entities: dict[str, Entity] = {}
    for where, cells in read_table(path, columns, more):
        identifier = cells[columns[0]]
        _check_id(where, identifier, pattern)
        if identifier in entities:
            raise _broken_table(where, f"{identifier} a second time", "one row for it", "join the two rows")
        labels = {tag: cells[f"label_{tag}"] for tag in LANGUAGES if cells.get(f"label_{tag}")}
        if not labels:
            raise _broken_table(
                where, f"no label of {identifier}", "one in some language", "fill in label_en or label_mul"
            )
        aliases = {tag: tuple(cells[f"aliases_{tag}"].split("|")) for tag in LANGUAGES if cells.get(f"aliases_{tag}")}
        for names in aliases.values():
            if "" in names or len(set(names)) < len(names):
                raise _broken_table(
                    where, f"the aliases {names}", "different names", "delete the empty or repeated one"
                )
        entities[identifier] = Entity(identifier, labels, aliases)
    return entities


def read_datatypes(path: Path) -> dict[str, str]:
    """Reads what the relations' objects are; items where relations.tsv does not say it."""
    datatypes: dict[str, str] = {}
    for where, cells in read_table(path, RELATION_COLUMNS, "datatype"):
        datatype = cells.get("datatype", "item")
        if datatype not in DATATYPES:
            raise _broken_table(where, f"the datatype {datatype!r}", " or ".join(DATATYPES), "write what an object is")
        datatypes[cells["relation"]] = datatype
    return datatypes


def read_facts(path: Path, entities: Mapping[str, Entity], datatype: str = "item") -> list[Fact]:
    """Reads and checks the facts of one relation, whose id is the file's name."""
    facts: dict[tuple[str, str, str], tuple[str, Fact]] = {}
    for where, cells in read_table(path, FACT_COLUMNS):
        _check_fact(where, cells, entities, datatype)
        fact = Fact(cells["subject"], path.stem, cells["object"], cells["start"], cells["end"], cells["rank"])
        key = (fact.subject, fact.object, fact.start)
        if key in facts:
            raise _broken_table(
                where, f"the fact of {facts[key][0]} again", "it once", "delete a row, or give another start"
            )
        facts[key] = (where, fact)
    return [fact for _, fact in facts.values()]


def read_snapshot(folder: Path = SHIPPED[0]) -> Snapshot:
    """Reads and validates all tables of a folder.

    Raises:
        InputError: A table is missing or a row is wrong; it names the file and line, and what to do.
    """
    relations = read_names(folder / "relations.tsv", RELATION_COLUMNS, _PID, "datatype")
    datatypes = read_datatypes(folder / "relations.tsv")
    entities = read_names(folder / "entities.tsv", ENTITY_COLUMNS, _QID)
    for path in sorted((folder / "facts").glob("*.tsv")):
        if path.stem not in relations:
            raise _broken_table(str(path), f"facts of {path.stem}", "a relation of relations.tsv", "add it there")
    facts = [
        fact for pid in relations for fact in read_facts(folder / "facts" / f"{pid}.tsv", entities, datatypes[pid])
    ]
    return Snapshot(
        sorted(relations.values(), key=lambda relation: _number(relation.id)),
        sorted(entities.values(), key=lambda entity: _number(entity.id)),
        sorted(facts, key=lambda fact: ([_number(part) for part in fact[:3]], fact)),
        datatypes,
    )


def best_facts(facts: Sequence[Fact]) -> frozenset[Fact]:
    """Picks what `wdt:` shows: of each subject and relation the preferred statements if any, else all normal ones."""
    preferred = {fact[:2] for fact in facts if fact.rank == "preferred"}
    return frozenset(fact for fact in facts if fact.rank == ("preferred" if fact[:2] in preferred else "normal"))


def literal(text: str, tag: str) -> str:
    """Writes a language-tagged string as Turtle."""
    return f"{_quoted(text)}@{tag}"


def _quoted(text: str) -> str:
    escaped = _MUST_ESCAPE.sub(lambda match: f"\\u{ord(match[0]):04X}", text)
    return f'"{escaped}"'


def turtle_blocks(snapshot: Snapshot) -> Iterator[Block]:
    """Yields the blocks of the Turtle file: properties, then each item with its statements, then the time values."""
    best = best_facts(snapshot.facts)
    kinds = snapshot.datatypes
    by_subject: dict[str, list[Fact]] = defaultdict(list)
    for fact in snapshot.facts:
        by_subject[fact.subject].append(fact)
    for relation in snapshot.relations:
        yield f"wd:{relation.id}", [("a", "wikibase:Property"), *_names(relation)]
    for entity in snapshot.entities:
        facts = by_subject[entity.id]
        direct = dict.fromkeys(_object(fact, kinds[fact.relation], "wdt") for fact in facts if fact in best)
        statements = [(f"p:{fact.relation}", _statement_id(fact)) for fact in facts]
        yield f"wd:{entity.id}", [("a", "wikibase:Item"), *_names(entity), *direct, *statements]
        yield from (_statement(fact, kinds[fact.relation], fact in best) for fact in facts)
    moments = {moment for fact in snapshot.facts for cell in (fact.start, fact.end) for moment in cell.split("|")}
    moments |= {fact.object for fact in snapshot.facts if kinds[fact.relation] == "time"}
    yield from (_time_value(moment) for moment in sorted(moments - {"", UNKNOWN, NOTHING}))


def compile_turtle(snapshot: Snapshot) -> str:
    """Writes a snapshot as Turtle, always the same text for the same facts."""
    body = "".join(
        f"\n{subject} " + " ;\n\t".join(f"{predicate} {value}" for predicate, value in pairs) + " .\n"
        for subject, pairs in turtle_blocks(snapshot)
    )
    prefixes = _PREFIXES | {name: iri for name, iri in _RARE_PREFIXES.items() if f"{name}:" in body}
    return "".join(f"@prefix {name}: <{iri}> .\n" for name, iri in prefixes.items()) + body


def counts(snapshot: Snapshot) -> dict[str, int]:
    """Counts what a snapshot holds."""
    return {
        "relations": len(snapshot.relations),
        "facts": len(snapshot.facts),
        "subjects": len({fact.subject for fact in snapshot.facts}),
        "entities": len(snapshot.entities),
        "aliases": sum(len(names) for entity in snapshot.entities for names in entity.aliases.values()),
        "triples": sum(len(pairs) for _, pairs in turtle_blocks(snapshot)),
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Recompiles the Turtle files of folders of tables, or checks that they are what the tables compile to."""
    parser = argparse.ArgumentParser(prog="python -m tashika.builders.sources.snapshot", description=main.__doc__)
    parser.add_argument("--dir", type=Path, help="one folder of tables (default: all that come with it)")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a Turtle file is out of date")
    options = parser.parse_args(argv)
    try:
        for folder in [options.dir] if options.dir else SHIPPED:
            snapshot = read_snapshot(folder)
            _update(folder / TURTLE, compile_turtle(snapshot).encode(), check=options.check)
            summary = ", ".join(f"{number} {what}" for what, number in counts(snapshot).items())
            print(f"{folder.name}: {summary}")
    except TashikaError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


def _update(path: Path, content: bytes, *, check: bool) -> None:
    if path.is_file() and path.read_bytes() == content:
        return
    if check:
        raise _broken_table(str(path), "other bytes", "what the tables compile to", "run `make data`")
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        temporary.write_bytes(content)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def _broken_table(where: str, actual: str, expected: str, hint: str) -> InputError:
    return InputError(f"found {actual}, expected {expected}", where=where, hint=hint)


def _check_id(where: str, identifier: str, pattern: re.Pattern[str]) -> None:
    if not pattern.fullmatch(identifier):
        raise _broken_table(where, repr(identifier), f"an id like {pattern.pattern}", "look it up on wikidata.org")


def _number(identifier: str) -> int:
    """What ids are sorted by; literals come first, in the order of their text."""
    return int(identifier[1:]) if _QID.fullmatch(identifier) or _PID.fullmatch(identifier) else 0


def _check_fact(where: str, cells: Mapping[str, str], entities: Mapping[str, Entity], datatype: str) -> None:
    _check_item(where, cells["subject"], cells["subject_label"], entities)
    value, label = cells["object"], cells["object_label"]
    if datatype == "item" and value not in {UNKNOWN, NOTHING}:
        _check_item(where, value, label, entities)
    else:
        if label:
            raise _broken_table(where, f"the label {label!r} of {value!r}", "none", "leave object_label empty")
        _check_literal(where, value, datatype)
    if cells["rank"] not in RANKS:
        raise _broken_table(
            where, f"the rank {cells['rank']!r}", " or ".join(RANKS), "mark only the current values preferred"
        )
    for column in ("start", "end"):
        for moment in cells[column].split("|") if cells[column] else ():
            if not _is_moment(moment):
                expected = "a date such as 2025, 2025-03 or 2025-03-01"
                hint = f"write as much as is known, 2000s for a decade, {UNKNOWN}, {NOTHING}, or leave it empty"
                raise _broken_table(where, f"{column} {moment!r}", expected, hint)


def _check_item(where: str, qid: str, label: str, entities: Mapping[str, Entity]) -> None:
    _check_id(where, qid, _QID)
    if qid not in entities:
        raise _broken_table(where, qid, "an entity of entities.tsv", f"add a row for {qid} there")
    if label != entities[qid].name:
        raise _broken_table(
            where, f"the label {label!r} of {qid}", repr(entities[qid].name), "correct the id or the label"
        )


def _check_literal(where: str, value: str, datatype: str) -> None:
    if datatype == "time" and not _is_moment(value):
        raise _broken_table(where, f"the object {value!r}", "a date such as 1946, 1946-06 or 1946-06-14", "write it so")
    if datatype == "quantity" and not (_QUANTITY.fullmatch(value) or value in {UNKNOWN, NOTHING}):
        raise _broken_table(where, f"the object {value!r}", "a number such as 5", "write it in digits, without a unit")
    if not value:
        raise _broken_table(where, "no object", f"a {datatype}", f"fill it in; what nobody knows is {UNKNOWN}")


def _is_moment(text: str) -> bool:
    return text in {UNKNOWN, NOTHING} or bool(_DECADE.fullmatch(text)) or _is_date(text)


def _is_date(text: str) -> bool:
    match = _DATE.fullmatch(text)
    try:
        return bool(match and date(*(int(part or 1) for part in match.groups())))
    except ValueError:
        return False


def _names(entity: Entity) -> list[Pair]:
    labels = [("rdfs:label", literal(text, tag)) for tag, text in entity.labels.items()]
    return labels + [("skos:altLabel", literal(name, tag)) for tag, names in entity.aliases.items() for name in names]


def _statement_id(fact: Fact) -> str:
    # Rank and end stay out: a statement keeps its id when it is over or a newer one is preferred, as on Wikidata.
    return f"wds:{fact.subject}-{uuid.uuid5(_STATEMENTS, '|'.join(fact[:4]))}"


def _statement(fact: Fact, datatype: str, is_best: bool) -> Block:
    pairs = [("a", kind) for kind in ("wikibase:Statement", "wikibase:BestRank")[: 1 + is_best]]
    pairs += [("wikibase:rank", RANKS[fact.rank]), _object(fact, datatype, "ps")]
    if datatype == "time" and fact.object not in {UNKNOWN, NOTHING}:
        pairs.append((f"psv:{fact.relation}", f"wdv:{fact.object}"))
    for pid, cell in (("P580", fact.start), ("P582", fact.end)):
        for moment in cell.split("|") if cell else ():
            pairs += _qualifier(fact, pid, moment)
    return _statement_id(fact), pairs


def _object(fact: Fact, datatype: str, prefix: str) -> Pair:
    predicate, value = f"{prefix}:{fact.relation}", fact.object
    if value == NOTHING:
        return "a", f"wdno:{fact.relation}"  # of the statement, or of the item itself in place of wdt:
    if value == UNKNOWN:
        return predicate, _unknown(fact, fact.relation)
    if datatype == "item":
        return predicate, f"wd:{value}"
    if datatype == "time":
        return predicate, _date_time(value)
    if datatype == "quantity":
        return predicate, f'"{value if value.startswith("-") else f"+{value}"}"^^xsd:decimal'
    return predicate, _quoted(value)


def _qualifier(fact: Fact, pid: str, moment: str) -> list[Pair]:
    if moment == NOTHING:
        return [("a", f"wdno:{pid}")]
    if moment == UNKNOWN:
        return [(f"pq:{pid}", _unknown(fact, pid))]
    return [(f"pq:{pid}", _date_time(moment)), (f"pqv:{pid}", f"wdv:{moment}")]


def _unknown(fact: Fact, pid: str) -> str:
    # A blank node, as in Wikidata's exports; its query service has an IRI under /.well-known/genid/ in its place.
    return f"_:unknown-{uuid.uuid5(_STATEMENTS, '|'.join((*fact[:4], pid)))}"


def _time_value(moment: str) -> Block:
    precision = (
        8 if _DECADE.fullmatch(moment) else 9 + moment.count("-")
    )  # Wikibase: 8 decade, 9 year, 10 month, 11 day
    pairs = [("a", "wikibase:TimeValue"), ("wikibase:timeValue", _date_time(moment))]
    pairs += [("wikibase:timePrecision", f'"{precision}"^^xsd:integer'), ("wikibase:timeTimezone", '"0"^^xsd:integer')]
    return f"wdv:{moment}", [*pairs, ("wikibase:timeCalendarModel", "wd:Q1985727")]  # proleptic Gregorian


def _date_time(moment: str) -> str:
    # What is not known is written as 01, as Wikidata does; the precision distinguishes it from a real first.
    day = moment.removesuffix("s")
    return f'"{day}{"-01" * (2 - day.count("-"))}T00:00:00Z"^^xsd:dateTime'


if __name__ == "__main__":
    sys.exit(main())
