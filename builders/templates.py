"""Templates: cloze sentences with [X] for the subject and [Y] for the object (paper, appendix A.1.1.2)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationInfo, field_validator

from tashika.builders.sources.wikidata import item_number, require_property
from tashika.core.cloze import OBJECT_SLOT, SUBJECT_SLOT, normalised
from tashika.core.errors import ConfigError, InputError
from tashika.core.settings import Section, read_toml, validated
from tashika.core.writing import UNSPACED, Writing, script_of, without_idle_spaces, writing_of

LONGEST_TEMPLATE = 300
"""Characters; nobody asks for a fact in more."""


class Relation(Section):
    """The manual templates of one relation, with what a language model reads about it.

    Attributes:
        language: Of the templates.
        label: The relation's name, such as "place of birth".
        description: Of the relation, as Wikidata has it.
        hint: A category hint for the paraphrases, for the relations that need one.
        manual: Templates written by a person, as `tidied` gives them.
    """

    language: str = "en"
    label: str
    description: str
    hint: str | None = None
    manual: tuple[str, ...]

    @field_validator("manual")
    @classmethod
    def _sound(cls, templates: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        language = str(info.data.get("language", "en"))
        templates = tuple(tidied(template) for template in templates)
        seen: dict[str, int] = {}
        for place, template in enumerate(templates):
            problem = problem_of(template, language)
            if problem:
                raise ValueError(f"{template!r}: {problem}")
            twin = seen.setdefault(normalised(template), place)
            if twin != place:
                raise ValueError(f"{template!r} repeats {templates[twin]!r}")
        if not templates:
            raise ValueError("no template")
        _require_one_script(templates, writing_of(language))
        return templates

    def with_more(self, templates: Sequence[str]) -> Relation:
        """The relation with these templates after its own, but for those that repeat one."""
        known = {normalised(manual) for manual in self.manual}
        more = tuple(template for template in templates if normalised(template) not in known)
        return self.model_copy(update={"manual": (*self.manual, *more)})


def _require_one_script(templates: Sequence[str], writing: Writing) -> None:
    """Raises a ValueError if templates of one relation are in different languages, as far as letters show it."""
    scripts = [script_of(_beside_slots(template)) for template in templates]
    for template, script in zip(templates, scripts, strict=True):
        if not writing.scripts and script != scripts[0]:
            raise ValueError(f"{template!r} and {templates[0]!r} are in the letters of different languages")


@dataclass(frozen=True)
class ManualTemplates:
    """The manual templates by relation, in the order of the relations' numbers."""

    path: Path
    relations: dict[str, Relation]

    def select(self, wanted: tuple[str, ...]) -> dict[str, Relation]:
        """The relations wanted; all of them if `wanted` is empty.

        Raises:
            InputError: A wanted relation has no templates.
        """
        missing = [relation for relation in wanted if relation not in self.relations]
        if missing:
            raise InputError(f"no templates for {missing[0]}", where=str(self.path))
        return {name: relation for name, relation in self.relations.items() if not wanted or name in wanted}


def read_templates(path: Path, language: str = "en") -> ManualTemplates:
    """Reads manual templates: a TOML table a relation, see `Relation`; `language = "ja"` may stand above them.

    Args:
        path: The file.
        language: What the templates must be in.

    Raises:
        ConfigError: The file is not TOML, is in another language, a key is unknown or missing, or a template is
            unsound.
        InputError: A table's name is no property id, or there is no table.
    """
    content = _tables(path, language)
    for name in content:
        require_property(name, str(path))
    relations = {}
    for name, table in content.items():
        where = f"{path} [{name}]"
        relations[name] = validated(Relation, _in_language(table, language, where), where)
    return ManualTemplates(path, dict(sorted(relations.items(), key=lambda entry: item_number(entry[0]))))


def read_named_templates(path: Path, names: Mapping[str, str], language: str = "en") -> dict[str, Relation]:
    """Reads manual templates of relations that are known by name, by `relation_key`.

    A table is a relation's if its name or its label is the relation's name, in any case and spelling of spaces. Such a
    table needs `manual` alone.

    Args:
        path: The file.
        names: The relations' names by `relation_key`, which are labels where a table has none.
        language: What the templates must be in.

    Raises:
        ConfigError: The file is not TOML, is in another language, a key is unknown or missing, or a template is
            unsound.
        InputError: There is no table, or two are one relation's.
    """
    found: dict[str, Relation] = {}
    labelled: dict[str, Relation] = {}
    for name, table in _tables(path, language).items():
        key, where = relation_key(name), f"{path} [{name}]"
        if key in found:
            raise InputError(f"a second table of the relation {name!r}", where=where, hint="Put them into one.")
        label = names.get(key, name)
        given: Any = (
            {"label": label, "description": f"[X] has the relation “{label}” to [Y].", **table}
            if isinstance(table, dict)
            else table
        )
        found[key] = validated(Relation, _in_language(given, language, where), where)
        labelled.setdefault(relation_key(found[key].label), found[key])
    return {**labelled, **found}


def relation_key(name: str) -> str:
    """What a relation is known by that has a name alone: `place_of_birth` for "Place of birth"; never a property id."""
    return re.sub(r"[\W_]+", "_", unicodedata.normalize("NFKC", name).casefold()).strip("_")


def _tables(path: Path, language: str) -> dict[str, Any]:
    """The tables of a file, whose own `language` must be the one that is expected."""
    content = read_toml(path)
    written = content.get("language")
    if isinstance(written, str):
        del content["language"]
        if writing_of(written).code != writing_of(language).code:
            raise ConfigError(
                f"found templates in {writing_of(written).name} (language = {written!r}), expected "
                f"{writing_of(language).name}, the first of the build's languages",
                where=str(path),
                hint=f"Set languages = [{written!r}] in [build], or give templates in {writing_of(language).name}.",
            )
    if not content:
        raise InputError("the file is empty", where=str(path), hint="Expected a table a relation, such as [P19].")
    return content


def _in_language(table: Any, language: str, where: str) -> Any:
    """What a table says, with the language that it is in."""
    if not isinstance(table, dict):
        return table
    if "language" in table:
        found = f"found language = {table['language']!r} in the table of a relation; all tables are in one language"
        raise ConfigError(found, where=where, hint="Write it once, above the first table.")
    return {**table, "language": language}


def tidied(template: str) -> str:
    """The template in composed characters (NFC) and without the spaces that its language does not write."""
    return without_idle_spaces(unicodedata.normalize("NFC", template))


def problem_of(template: str, language: str = "en") -> str | None:
    """Why a text is no template, in a few words; None for a sound one.

    Args:
        template: The text, as `tidied` gives it.
        language: What it must be in, which decides what may touch a slot, and which letters and quotation marks it has.
    """
    rest = template.replace(SUBJECT_SLOT, "").replace(OBJECT_SLOT, "")
    writing = writing_of(language)
    checks = (
        (_WIDE_SLOT.search(template), "has full-width brackets or letters in a slot; write [X] and [Y]"),
        (
            template.count(SUBJECT_SLOT) != 1,
            f"{SUBJECT_SLOT} stands {template.count(SUBJECT_SLOT)} times, expected once",
        ),
        (template.count(OBJECT_SLOT) != 1, f"{OBJECT_SLOT} stands {template.count(OBJECT_SLOT)} times, expected once"),
        (len(template) > LONGEST_TEMPLATE, f"longer than {LONGEST_TEMPLATE} characters"),
        (re.search("[\ud800-\udfff]", template), "has half a character (a lone surrogate)"),
        (not template.translate(_JOINERS).isprintable(), "has line breaks or control characters"),
        (_glued(template, writing), _glue_problem(rest, writing)),
        (re.search(r"[\[\]]", rest), "has brackets beside [X] and [Y]"),
        (re.search(r"[<>{}|*#`]", rest), "has markup"),
        (_has_open_quotes(rest, writing), "has an open quotation mark"),
        (template.rstrip().endswith((":", "：")), "announces something and does not say it"),
        (not re.search(r"\w", rest), "says nothing beside [X] and [Y]"),
        (_is_foreign(rest, writing), f"is not written in {writing.name}"),
    )
    return next((problem for applies, problem in checks if applies), None)


_WIDE_SLOT: Final = re.compile(r"［\s*[XYＸＹxyｘｙ]\s*］|\[\s*[ＸＹ]\s*\]")
_JOINERS: Final = dict.fromkeys(map(ord, "\u200c\u200d\u200e\u200f\u00a0\u202f"), " ")
"""Joiners and marks of direction, which Persian, Hindi and others are written with, and spaces that do not break."""


def _has_open_quotes(rest: str, writing: Writing) -> bool:
    if rest.count('"') % 2 or any(rest.count(opens) != rest.count(ends) for opens, ends in ("「」", "『』")):
        return True
    if writing.code == "en":
        return rest.count("“") != rest.count("”")
    return len(re.findall("[“”„«»]", rest)) % 2 == 1  # the sign that closes in German opens in English


def _glued(template: str, writing: Writing) -> bool:
    """Whether a slot touches another one, or letters that belong to another word in this language."""
    if "][" in template:
        return True
    before, behind = re.findall(r"(.)\[", template), re.findall(r"\](.)", template)
    return any(_in_word(sign) and not writing.may_touch(sign, before=True) for sign in before) or any(
        _in_word(sign) and not writing.may_touch(sign, before=False) for sign in behind
    )


def _in_word(sign: str) -> bool:
    return sign.isalnum() or sign == "_" or unicodedata.category(sign).startswith("M")


def _glue_problem(rest: str, writing: Writing) -> str:
    """The problem in words: for a sentence without spaces, of a language that has them, the language is the reason."""
    script = script_of(rest)
    if script in UNSPACED and not writing.unspaced:
        where = f"`languages` in [build] begins with {writing.name}"
        return f"a slot is glued to a word, as in languages without spaces; {where}"
    return "a slot is glued to a word"


def _is_foreign(rest: str, writing: Writing) -> bool:
    """Whether most of a sentence is in letters that the language is not written with."""
    return bool(writing.scripts) and script_of(rest) not in writing.scripts


def _beside_slots(template: str) -> str:
    return template.replace(SUBJECT_SLOT, "").replace(OBJECT_SLOT, "")


def filled(template: str, subject: str, value: str) -> str:
    """The template with its slots filled; [X] in a label is not taken for a slot."""
    before, after = template.split(OBJECT_SLOT)
    return before.replace(SUBJECT_SLOT, subject) + value + after.replace(SUBJECT_SLOT, subject)
