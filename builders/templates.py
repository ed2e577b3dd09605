"""Templates: cloze sentences with [X] for the subject and [Y] for the object (paper, appendix A.1.1.2)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import field_validator

from tashika.builders.sources.wikidata import item_number, require_property
from tashika.core.cloze import OBJECT_SLOT, SUBJECT_SLOT, normalised
from tashika.core.errors import InputError
from tashika.core.settings import Section, read_toml, validated

LONGEST_TEMPLATE = 300
"""Characters; nobody asks for a fact in more."""


class Relation(Section):
    """The manual templates of one relation, with what a language model reads about it.

    Attributes:
        label: The relation's name, such as "place of birth".
        description: Of the relation, as Wikidata has it.
        hint: A category hint for the paraphrases, for the relations that need one.
        manual: Templates written by a person.
    """

    label: str
    description: str
    hint: str | None = None
    manual: tuple[str, ...]

    @field_validator("manual")
    @classmethod
    def _sound(cls, templates: tuple[str, ...]) -> tuple[str, ...]:
        seen: dict[str, str] = {}
        for template in templates:
            problem = problem_of(template)
            if problem:
                raise ValueError(f"{template!r}: {problem}")
            twin = seen.setdefault(normalised(template), template)
            if twin is not template:
                raise ValueError(f"{template!r} repeats {twin!r}")
        if not templates:
            raise ValueError("no template")
        return templates


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


def read_templates(path: Path) -> ManualTemplates:
    """Reads manual templates: a TOML table a relation, see `Relation`.

    Raises:
        ConfigError: The file is not TOML, a key is unknown or missing, or a template is unsound.
        InputError: A table's name is no property id, or there is no table.
    """
    content = _tables(path)
    for name in content:
        require_property(name, str(path))
    relations = {name: validated(Relation, content[name], f"{path} [{name}]") for name in content}
    return ManualTemplates(path, dict(sorted(relations.items(), key=lambda entry: item_number(entry[0]))))


def read_named_templates(path: Path, names: Mapping[str, str]) -> dict[str, Relation]:
    """Reads manual templates of relations that are known by name, by `relation_key`.

    A table is a relation's if its name or its label is the relation's name, in any case and spelling of spaces. Such a
    table needs `manual` alone.

    Args:
        path: The file.
        names: The relations' names by `relation_key`, which are labels where a table has none.

    Raises:
        ConfigError: The file is not TOML, a key is unknown or missing, or a template is unsound.
        InputError: There is no table, or two are one relation's.
    """
    found: dict[str, Relation] = {}
    labelled: dict[str, Relation] = {}
    for name, table in _tables(path).items():
        key, where = relation_key(name), f"{path} [{name}]"
        if key in found:
            raise InputError(f"a second table of the relation {name!r}", where=where, hint="Put them into one.")
        label = names.get(key, name)
        given: Any = (
            {"label": label, "description": f"[X] has the relation “{label}” to [Y].", **table}
            if isinstance(table, dict)
            else table
        )
        found[key] = validated(Relation, given, where)
        labelled.setdefault(relation_key(found[key].label), found[key])
    return {**labelled, **found}


def relation_key(name: str) -> str:
    """What a relation is known by that has a name alone: `place_of_birth` for "Place of birth"; never a property id."""
    return re.sub(r"[\W_]+", "_", unicodedata.normalize("NFKC", name).casefold()).strip("_")


def _tables(path: Path) -> dict[str, Any]:
    content = read_toml(path)
    if not content:
        raise InputError("the file is empty", where=str(path), hint="Expected a table a relation, such as [P19].")
    return content


def problem_of(template: str) -> str | None:
    """Why a text is no template, in a few words; None for a sound one."""
    rest = template.replace(SUBJECT_SLOT, "").replace(OBJECT_SLOT, "")
    checks = (
        (
            template.count(SUBJECT_SLOT) != 1,
            f"{SUBJECT_SLOT} stands {template.count(SUBJECT_SLOT)} times, expected once",
        ),
        (template.count(OBJECT_SLOT) != 1, f"{OBJECT_SLOT} stands {template.count(OBJECT_SLOT)} times, expected once"),
        (len(template) > LONGEST_TEMPLATE, f"longer than {LONGEST_TEMPLATE} characters"),
        (not template.isprintable(), "has line breaks or control characters"),
        (re.search(r"\][\w\[]|\w\[", template), "a slot is glued to a word"),
        (re.search(r"[\[\]]", rest), "has brackets beside [X] and [Y]"),
        (re.search(r"[<>{}|*#`]", rest), "has markup"),
        (rest.count('"') % 2 or rest.count("“") != rest.count("”"), "has an open quotation mark"),
        (template.rstrip().endswith(":"), "announces something and does not say it"),
        (not re.search(r"\w", rest), "says nothing beside [X] and [Y]"),
    )
    return next((problem for applies, problem in checks if applies), None)


def filled(template: str, subject: str, value: str) -> str:
    """The template with its slots filled; [X] in a label is not taken for a slot."""
    before, after = template.split(OBJECT_SLOT)
    return before.replace(SUBJECT_SLOT, subject) + value + after.replace(SUBJECT_SLOT, subject)
