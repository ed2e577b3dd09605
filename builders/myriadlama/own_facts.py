"""Facts of the user's own: a table of names, whose ids are made here and can be taken for none of Wikidata's."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final, NamedTuple

from tashika.builders.myriadlama.facts import Fact
from tashika.builders.sources.packed import DAMAGED, PACKING_SUFFIXES, open_packed
from tashika.builders.templates import Relation, read_named_templates, relation_key
from tashika.core.bounded import bounded_text, csv_rows
from tashika.core.cloze import OBJECT_SLOT, SUBJECT_SLOT
from tashika.core.errors import InputError
from tashika.core.files import hash_file, hash_value

REQUIRED: Final = ("subject", "relation", "object")
COLUMNS: Final = (*REQUIRED, "aliases", "object_aliases")
ALIAS_SEPARATOR: Final = "|"

_DELIMITERS: Final = {".csv": ",", ".tsv": "\t"}
_LONGEST: Final = 300
_SHOWN: Final = 5
_SLUG: Final = 40
_DIGITS: Final = 12


@dataclass(frozen=True)
class OwnFacts:
    """A table of facts.

    Attributes:
        path: The file.
        facts: Its distinct facts, in the file's order.
        relations: Names of the relations by id, as the file first writes them.
        places: Where each relation stands first, by id.
        names: Other names of each entity, by id, each once.
        duplicates: Rows that state an earlier row's fact again.
    """

    path: Path
    facts: list[Fact] = field(default_factory=list)
    relations: dict[str, str] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    names: dict[str, list[str]] = field(default_factory=dict)
    duplicates: int = 0

    @property
    def source(self) -> tuple[str, str]:
        """The name and the revision that provenance has."""
        return f"own facts, {self.path.name}", hash_file(self.path)[:16]

    def with_templates(self, templates: Path, wanted: Sequence[str], language: str = "en") -> dict[str, Relation]:
        """The manual templates of the relations, by id in the order of the ids.

        Args:
            templates: The file of templates.
            wanted: Names of the relations to take; all if empty.
            language: What the templates must be in.

        Raises:
            InputError: A wanted relation has no facts, or one has no templates.
            ConfigError: The file of templates does not fit.
        """
        keys = [relation_key(name) for name in wanted] or list(self.relations)
        for name, key in zip(wanted, keys, strict=False):
            if key not in self.relations:
                known = ", ".join(map(repr, self.relations.values()))
                raise InputError(f"no facts of the relation {name!r}; found {known}", where=str(self.path))
        found = read_named_templates(templates, self.relations, language)
        missing = [key for key in keys if key not in found]
        if missing:
            tables = "\n".join(f'["{self.relations[key]}"]\nmanual = ["..."]' for key in missing[:_SHOWN])
            raise InputError(
                f"{templates.name} has no templates for the relation {self.relations[missing[0]]!r}"
                + (f" and {len(missing) - 1:,} more" if len(missing) > 1 else ""),
                where=self.places[missing[0]],
                hint=f"Write sentences with [X] for the subject and [Y] for the object to a TOML file, such as "
                f'"[X] was born in [Y].", and give it with --templates FILE:\n{tables}',
            )
        return {key: found[key] for key in sorted(keys)}


class _Row(NamedTuple):
    """A sound row."""

    subject: str
    relation: str
    object: str
    aliases: list[str]
    object_aliases: list[str]


class _MisfitError(ValueError):
    """A row states no fact; the message says why."""


def entity_id(name: str) -> str:
    """The id of an entity of one's own: readable, the same for the same name, and no Wikidata id."""
    slug = re.sub(r"[\W_]+", "-", name.casefold()).strip("-")[:_SLUG].strip("-")
    return f"{slug or 'name'}-{hash_value(name)[:_DIGITS]}"


def read_own_facts(path: Path) -> OwnFacts:
    """Reads a CSV or TSV file (plain or packed) with a header of `COLUMNS` in any order, the first three at least.

    Rows with one name speak of one entity; white space in a row is one space. Several objects of a subject and a
    relation are several answers. A fact that stands twice counts once.

    Raises:
        InputError: The file is missing, no table or without a fact; a column is missing or unknown; or a row has a name
            that is empty or no name, or an object that is the subject.
    """
    rows = _rows(path)
    where, header = next(rows, (f"{path}:1", []))
    columns = _columns(header, where)
    found = OwnFacts(path)
    seen: set[tuple[str, str, str]] = set()
    problems: list[str] = []
    count = 0
    for place, fields in rows:
        count += 1
        try:
            row = _row(fields, columns)
        except _MisfitError as error:
            problems.append(f"{place}: {error}")
            continue
        _take(found, seen, row, place)
    if problems:
        raise InputError(problems[0], hint=_more(problems[1:]))
    if not found.facts:
        raise InputError("no facts found", where=str(path), hint="Expected a fact a line below the header.")
    return OwnFacts(path, found.facts, found.relations, found.places, found.names, count - len(found.facts))


def _take(found: OwnFacts, seen: set[tuple[str, str, str]], row: _Row, place: str) -> None:
    relation, subject, value = relation_key(row.relation), entity_id(row.subject), entity_id(row.object)
    found.relations.setdefault(relation, row.relation)
    found.places.setdefault(relation, place)
    for entity, label, aliases in ((subject, row.subject, row.aliases), (value, row.object, row.object_aliases)):
        known = found.names.setdefault(entity, [])
        taken = {name.casefold() for name in (label, *known)}
        known += [alias for alias in dict.fromkeys(aliases) if alias.casefold() not in taken]
    fact = Fact(relation, subject, value, row.subject, row.object)
    if fact.key not in seen:
        seen.add(fact.key)
        found.facts.append(fact)


def _more(problems: Sequence[str]) -> str | None:
    if not problems:
        return None
    rest = len(problems) - _SHOWN
    return "\n".join(["Also:", *problems[:_SHOWN], *([f"and {rest:,} more rows"] if rest > 0 else [])])


def _columns(header: Sequence[str], where: str) -> tuple[str, ...]:
    names = tuple(name.strip().casefold() for name in header)
    hint = (
        "The first line names the columns: subject,relation,object, and aliases and object_aliases where there are any."
    )
    for name in names:
        if name not in COLUMNS:
            raise InputError(f"found the column {name!r}, expected {', '.join(COLUMNS)}", where=where, hint=hint)
        if names.count(name) > 1:
            raise InputError(f"the column {name!r} is named twice", where=where)
    missing = [name for name in REQUIRED if name not in names]
    if missing:
        found = ", ".join(names) or "nothing"
        raise InputError(f"the column {missing[0]!r} is missing; found {found}", where=where, hint=hint)
    return names


def _row(fields: Sequence[str], columns: Sequence[str]) -> _Row:
    if len(fields) != len(columns):
        advice = "; a name with a comma in it stands in quotation marks" if len(fields) > len(columns) else ""
        raise _MisfitError(f"found {len(fields)} fields, expected {len(columns)}{advice}")
    values = dict(zip(columns, fields, strict=True))
    subject, relation, value = (_name(values[column], column) for column in REQUIRED)
    if subject == value:
        raise _MisfitError(f"the object is the subject, {subject!r}")
    if not relation_key(relation):
        raise _MisfitError(f"the relation {relation!r} has no letter or digit in it")
    return _Row(subject, relation, value, _aliases(values, "aliases"), _aliases(values, "object_aliases"))


def _aliases(values: Mapping[str, str], column: str) -> list[str]:
    parts = values.get(column, "").split(ALIAS_SEPARATOR)
    return [_name(part, column) for part in parts if part.strip()]


def _name(text: str, column: str) -> str:
    name = " ".join(unicodedata.normalize("NFC", text).split())
    if not name:
        raise _MisfitError(f"the {column} is empty")
    if len(name) > _LONGEST:
        raise _MisfitError(
            f"{column}: longer than {_LONGEST} characters; a quotation mark may be open: {name[:40]!r}..."
        )
    if not name.isprintable():
        raise _MisfitError(f"{column}: found control characters in {name!r}")
    if SUBJECT_SLOT in name or OBJECT_SLOT in name:
        raise _MisfitError(f"{column}: found a template's slot in the name {name!r}")
    return name


def _rows(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Yields (place, fields) of each line that is not blank, the header first."""
    suffix = next((one.lower() for one in reversed(path.suffixes) if one.lower() not in PACKING_SUFFIXES), "")
    if suffix not in _DELIMITERS:
        raise InputError(
            f"found a file of the form {suffix or '(none)'}, expected .csv or .tsv, plain or packed", where=str(path)
        )
    with _opened(path) as lines:
        try:
            for start, fields in csv_rows(lines, str(path), _DELIMITERS[suffix]):
                if any(one.strip() for one in fields):
                    yield f"{path}:{start}", fields
        except UnicodeDecodeError as error:
            raise InputError(f"not UTF-8: {error}", where=str(path), hint="Save it as UTF-8.") from error
        except DAMAGED as error:
            raise InputError(f"cut short or damaged: {error}", where=str(path)) from error


@contextmanager
def _opened(path: Path) -> Iterator[IO[str]]:
    """A text file, packed or not, in UTF-8 with or without a byte order mark."""
    if not path.is_file():
        found = "found a folder, expected a file" if path.is_dir() else "there is no such file"
        raise InputError(found, where=str(path))
    with bounded_text(open_packed(path), str(path)) as lines:
        yield lines
