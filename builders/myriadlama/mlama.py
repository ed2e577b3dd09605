"""The files of mLAMA: LAMA's facts in other languages, with a template of each relation (Kassner and others, 2021).

The archive (`mlama1.1`) has a folder a language, and in it `templates.jsonl` (`relation`, `template`) and `P*.jsonl`,
one a relation, whose lines have `sub_uri`, `sub_label`, `obj_uri`, `obj_label`, `uuid` and `lineid`, the number of the
fact that is the same in all languages. Templates and many labels were translated by a machine. Not every relation has a
file in every language. The files of Google-RE (`place_of_birth.jsonl`) are not read, as those of LAMA are not.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tashika.builders.myriadlama.facts import Fact, lama_facts, relations_file
from tashika.builders.templates import Relation, problem_of, tidied
from tashika.core.errors import InputError
from tashika.core.files import read_json_lines
from tashika.core.writing import writing_of

TEMPLATES_FILE = "templates.jsonl"
_SHOWN = 8


@dataclass(frozen=True)
class MLama:
    """The files of one language.

    Attributes:
        folder: Where they lie.
        language: The code that the build has for it.
        templates: Sound templates by property id, one each.
        unsound: Why the template of a relation cannot be used, by property id.
    """

    folder: Path
    language: str
    templates: dict[str, str] = field(default_factory=dict)
    unsound: dict[str, str] = field(default_factory=dict)

    @property
    def files(self) -> list[Path]:
        """What is read."""
        return [self.folder / TEMPLATES_FILE, *sorted(self.folder.glob("P*.jsonl"))]

    def read_facts(self, relations: Sequence[str]) -> list[Fact]:
        """The facts of these relations, each once; a relation without a file has none.

        Raises:
            InputError: A file is broken, a field is missing or an id is malformed, or there are no facts.
        """
        facts: dict[tuple[str, str, str], Fact] = {}
        for relation in relations:
            path = self.folder / f"{relation}.jsonl"
            if path.exists():
                facts.update((fact.key, _composed(fact)) for fact in lama_facts(path, relation))
        if not facts:
            raise InputError("no facts found", where=str(self.folder), hint="Expected P*.jsonl beside templates.jsonl.")
        return sorted(facts.values(), key=lambda fact: fact.order)

    def relations(self, known: dict[str, Relation]) -> dict[str, Relation]:
        """The relations that have a sound template of mLAMA's, with it alone.

        Args:
            known: Relations whose labels and descriptions are taken, by property id.
        """
        return {
            name: Relation(
                language=self.language,
                label=known[name].label if name in known else name,
                description=known[name].description if name in known else f"[X] has the relation {name} to [Y].",
                manual=(template,),
            )
            for name, template in self.templates.items()
        }

    def summary(self, relations: Sequence[str]) -> str:
        """What was found and what is missing for these relations, in one line."""
        facts = {path.stem for path in self.folder.glob("P*.jsonl")}
        others = sorted(path.stem for path in self.folder.glob("*.jsonl") if path.stem not in {*facts, "templates"})
        parts = [
            f"mLAMA, {writing_of(self.language).name}: files of facts for {len(facts & set(relations))} of "
            f"{len(relations)} relations, {len(self.templates)} templates"
        ]
        missing = [name for name in relations if name not in facts]
        parts += [f"no facts of {_listed(missing)}"] if missing else []
        parts += (
            [f"not used, since there are no templates: {_listed(left)}"]
            if (left := sorted(facts - set(relations)))
            else []
        )
        parts += [f"unsound template of {name}, {problem}" for name, problem in list(self.unsound.items())[:_SHOWN]]
        parts += [f"and {len(self.unsound) - _SHOWN} more"] if len(self.unsound) > _SHOWN else []
        parts += [f"not read: {_listed(others)}"] if others else []
        return "; ".join(parts)


def find_mlama(folder: Path, language: str) -> MLama | None:
    """Finds the files of a language, where the folder is mLAMA's or that of one of its languages; None for LAMA's.

    Raises:
        InputError: The folder is neither's, has other languages, or its templates are broken.
    """
    if relations_file(folder).is_file():
        return None  # LAMA itself
    code = writing_of(language).code
    languages = sorted(path.parent.name for path in folder.glob(f"*/{TEMPLATES_FILE}"))
    if (folder / TEMPLATES_FILE).is_file():
        name = folder.resolve().name
        if name != code and writing_of(name).name != name:
            raise InputError(
                f"found mLAMA's files in {writing_of(name).name}, expected {writing_of(language).name}, the first of "
                "the build's languages",
                where=str(folder),
                hint=f'Set languages = ["{name}"] in [build], or give the folder of the language.',
            )
        return _read(folder, language)
    if not languages:
        raise InputError(
            "found neither LAMA's relations.jsonl nor mLAMA's templates.jsonl",
            where=str(folder),
            hint="Give LAMA's folder TREx, mLAMA's folder mlama1.1, or that of one of its languages.",
        )
    if code not in languages:
        raise InputError(
            f"mLAMA has no folder {code} here; found {_listed(languages)}",
            where=str(folder),
            hint='Name the language in [build]: languages = ["ja"].',
        )
    return _read(folder / code, language)


def _read(folder: Path, language: str) -> MLama:
    files = MLama(folder, language)
    for number, row in read_json_lines(folder / TEMPLATES_FILE, required=("relation", "template")):
        relation, template = row["relation"], row["template"]
        where = f"{folder / TEMPLATES_FILE}:{number}"
        if not isinstance(relation, str) or not isinstance(template, str):
            raise InputError("a relation or a template is no text", where=where)
        if not relation.startswith("P"):
            continue  # Google-RE
        if relation in files.templates or relation in files.unsound:
            raise InputError(f"a second template of {relation}", where=where)
        text = tidied(" ".join(template.split()))
        problem = problem_of(text, language)
        if problem:
            files.unsound[relation] = f"{template!r}: {problem}"
        else:
            files.templates[relation] = text
    return files


def _composed(fact: Fact) -> Fact:
    """The fact with labels in composed characters, as templates and the names of one's own are."""
    subject, value = (unicodedata.normalize("NFC", label) for label in (fact.subject_label, fact.object_label))
    return replace(fact, subject_label=subject, object_label=value)


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
