"""The properties of TempRIPPLE: how each is asked, and which entities it fits (the paper's tables 4 and 5).

Every property has a noun phrase with a slot, so that questions nest: "the spouse of {the most recent head of state of
France}". The packaged file `configs/tempripple_properties.toml` has 16 changing and 53 stable ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator

from tashika.builders.tempripple.records import Certainty, Datatype
from tashika.core.errors import ConfigError
from tashika.core.settings import Section, read_toml, validated

StartRule = Literal["free", "death", "start", "birth of object", "point or start"]
"""What shows when a stable fact without a start began: nothing (it passes), the subject's death, only a stated start,
the object's birth, or a stated point in time or start."""

SLOT = "{subject}"
"""Stands in a question and a noun phrase for a name or another noun phrase."""


@dataclass(frozen=True)
class Changing:
    """A property whose object changes.

    Attributes:
        id: Such as P35.
        label: Such as "head of state".
        ask: The question's beginning: Who, What, Which sports team.
        noun: Such as "head of state of {subject}"; an ordinal phrase goes before it.
    """

    id: str
    label: str
    ask: str
    noun: str


@dataclass(frozen=True)
class Stable:
    """A property whose object stays.

    Attributes:
        id: Such as P26.
        label: Such as "spouse".
        question: Such as "Who is the spouse of {subject}?".
        noun: Such as "the spouse of {subject}"; empty where nothing is asked of the object.
        types: Types of subjects that it fits, such as person or country.
        datatype: Of its objects.
        start: See `StartRule`.
        enabled: Whether it is used by default; what is sensitive about living people is not.
        undated: How certain it is that a fact without dates did not change, where the start rule is "free".
    """

    id: str
    label: str
    question: str
    noun: str
    types: frozenset[str]
    datatype: Datatype = "item"
    start: StartRule = "free"
    enabled: bool = True
    undated: Certainty = "unknown"


@dataclass(frozen=True)
class Articles:
    """Which names have "the" before them in a sentence.

    A name's head is its last word before "of", "for" or "in", or of all: Party in "Labour Party of Malta".

    Attributes:
        names: These, word for word.
        heads: Those with one of these heads.
        heads_of: Those with one of these heads and "of" after it.
        never: These not, whatever the others say.
    """

    names: frozenset[str] = frozenset()
    heads: frozenset[str] = frozenset()
    heads_of: frozenset[str] = frozenset()
    never: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Properties:
    """The content of the properties' file.

    Attributes:
        changing: By property id.
        stable: By property id.
        classes: Class (of P31) -> type, such as Q5 -> person.
        articles: Which names have "the" before them.
    """

    changing: dict[str, Changing]
    stable: dict[str, Stable]
    classes: dict[str, str] = field(default_factory=dict)
    articles: Articles = field(default_factory=Articles)


def read_properties(path: Path) -> Properties:
    """Reads a properties' file; the packaged one describes its format in its first lines.

    Raises:
        ConfigError: It is not TOML, a key is unknown or missing, a slot or a question mark is missing, an id is none
            or stands twice, or a type, a start rule or a datatype is unknown.
    """
    file = validated(_File, read_toml(path), str(path))
    classes = _classes(file.classes, path)
    changing = {
        pid: Changing(id=pid, **vars(validated(_Changing, entry, _place(path, "changing", pid))))
        for pid, entry in file.changing.items()
    }
    stable = {
        pid: Stable(id=pid, **vars(validated(_Stable, entry, _place(path, "stable", pid))))
        for pid, entry in file.stable.items()
    }
    known = frozenset(file.classes)
    if not changing:
        raise ConfigError("[changing] has no property", where=str(path), hint="There is nothing to build without one.")
    for pid, fact in stable.items():
        _require_types(fact.types, known, f"{_place(path, 'stable', pid)} types")
    articles = validated(_Articles, file.articles, f"{path} [articles]")
    return Properties(changing, stable, classes, Articles(**vars(articles)))


def _place(path: Path, table: str, pid: str) -> str:
    """Where a property stands, for an error.

    Raises:
        ConfigError: It has no property's id.
    """
    if not re.fullmatch(r"P[1-9][0-9]*", pid):
        raise ConfigError(f"found {pid!r}, expected a property id such as P35", where=f"{path} [{table}]")
    return f"{path} [{table}] {pid}"


def _classes(types: dict[str, dict[str, str]], path: Path) -> dict[str, str]:
    """Class -> type.

    Raises:
        ConfigError: A class is no item id, or has two types.
    """
    type_of: dict[str, str] = {}
    for name, classes in types.items():
        where = f"{path} [classes.{name}]"
        for cls in classes:
            if not re.fullmatch(r"Q[1-9][0-9]*", cls):
                raise ConfigError(f"found {cls!r}, expected an item id such as Q5", where=where)
            if cls in type_of:
                raise ConfigError(f"{cls} stands under {type_of[cls]} as well", where=where, hint="Keep one of them.")
            type_of[cls] = name
    return type_of


def _require_types(types: Iterable[str], known: frozenset[str], where: str) -> None:
    """Raises a ConfigError if a type has no classes."""
    strangers = sorted(set(types) - known)
    if strangers:
        raise ConfigError(
            f"the type {strangers[0]!r} has no table under [classes]",
            where=where,
            hint=f"Known types: {', '.join(sorted(known))}.",
        )


def _phrase(text: str) -> str:
    """A text with one slot, which nothing clings to: "'s" after a long noun phrase is hard to read."""
    if text.count(SLOT) != 1 or re.search(r"[{}]", text.replace(SLOT, "")):
        raise ValueError(f"expected {SLOT} once and no other braces")
    if re.search(r"[^\s]\{|\}[^\s?]", text):
        raise ValueError(f"something clings to {SLOT}; expected a blank, or a question mark after it")
    return _written(text)


def _written(text: str) -> str:
    if not text or text != " ".join(text.split()) or not text.isprintable():
        raise ValueError("expected a text without blanks at its ends, two in a row, or control characters")
    return text


def _asked(text: str) -> str:
    if not text.endswith("?") or not text[:1].isupper():
        raise ValueError("expected a capital letter at the beginning and ? at the end")
    return _phrase(text)


def _ordinal_noun(text: str) -> str:
    if text.startswith(("the ", "a ", "an ")):
        raise ValueError('expected no article: "the most recent" or another ordinal comes before it')
    return _phrase(text)


def _begins(text: str) -> str:
    if not text[:1].isupper():
        raise ValueError("expected a capital letter at the beginning")
    return _written(text)


Written = Annotated[str, AfterValidator(_written)]


class _Changing(Section):
    label: Written
    ask: Annotated[str, AfterValidator(_begins)]
    noun: Annotated[str, AfterValidator(_ordinal_noun)]


class _Stable(Section):
    label: Written
    question: Annotated[str, AfterValidator(_asked)]
    noun: Annotated[str, AfterValidator(lambda text: text and _phrase(text))]
    types: frozenset[str]
    datatype: Datatype = "item"
    start: StartRule = "free"
    enabled: bool = True
    undated: Certainty = "unknown"


class _Articles(Section):
    names: frozenset[Written] = frozenset()
    heads: frozenset[Written] = frozenset()
    heads_of: frozenset[Written] = frozenset()
    never: frozenset[Written] = frozenset()


class _File(Section):
    changing: dict[str, Any]
    stable: dict[str, Any]
    classes: dict[str, dict[str, str]]
    articles: dict[str, Any] = {}  # noqa: RUF012 - pydantic copies it
