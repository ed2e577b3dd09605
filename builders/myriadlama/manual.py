"""Which manual templates a build has: those of the packaged file of its language, of the user's, or of mLAMA."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tashika.builders.myriadlama.facts import id_order
from tashika.builders.myriadlama.mlama import TEMPLATES_FILE, MLama
from tashika.builders.myriadlama.own_facts import OwnFacts
from tashika.builders.myriadlama.settings import BuildSettings
from tashika.builders.paraphrase import Wording
from tashika.builders.templates import ManualTemplates, Relation, read_templates
from tashika.core.errors import ConfigError
from tashika.core.files import hash_file
from tashika.core.settings import packaged, read_toml, validated
from tashika.core.suites.myriadlama import ENGLISH_TEMPLATES
from tashika.core.writing import writing_of

_PACKAGED: Final = {"en": ENGLISH_TEMPLATES, "ja": "myriadlama_templates_ja.toml"}
_WORDINGS: Final = "myriadlama_wording.toml"


@dataclass(frozen=True)
class Manual:
    """The manual templates of a build.

    Attributes:
        relations: The relations, with their templates.
        files: What these come from.
        translated: Templates that are mLAMA's, by relation.
    """

    relations: dict[str, Relation]
    files: list[Path]
    translated: dict[str, str] = field(default_factory=dict)

    def source(self, relation: str, template: str) -> tuple[str, str | None]:
        """The name and the revision of the file that a template comes from, for its provenance."""
        if self.translated.get(relation) == template:
            return "mLAMA files, templates.jsonl", hash_file(self.files[-1])[:16]
        return self.files[0].name, hash_file(self.files[0])[:16]


def manual_templates(settings: BuildSettings, own: OwnFacts | None, mlama: MLama | None) -> Manual:
    """Finds the manual templates.

    Args:
        settings: The language, the user's file, the relations wanted.
        own: The user's own facts, whose relations are known by name.
        mlama: The files of mLAMA, which have a template of each relation.

    Raises:
        ConfigError: There are none in the language, or a file does not fit.
        InputError: A relation that is wanted has none.
    """
    file = None if mlama and settings.lama_templates == "only" else _file(settings, mlama)
    if own and file:
        return Manual(own.with_templates(file, settings.relations, settings.language), [file])
    relations = read_templates(file, settings.language).relations if file else {}
    if mlama is None or (file and settings.lama_templates == "missing"):
        return Manual(_wanted(relations, settings, file), [file] if file else [])
    translated = mlama.relations(read_templates(packaged(_PACKAGED["en"])).relations)
    theirs: dict[str, str] = {}
    for name, relation in translated.items():
        [template] = relation.manual
        ours = relations.get(name)
        relations[name] = ours.with_more([template]) if ours else relation
        if ours is None or template not in ours.manual:
            theirs[name] = template
    path = mlama.folder / TEMPLATES_FILE
    return Manual(_wanted(relations, settings, path), [file, path] if file else [path], theirs)


def packaged_wordings() -> dict[str, Wording]:
    """What the paraphrasing model reads in languages other than English, by code."""
    path = packaged(_WORDINGS)
    return {code: validated(Wording, table, f"{path} [{code}]") for code, table in read_toml(path).items()}


def _wanted(relations: dict[str, Relation], settings: BuildSettings, path: Path | None) -> dict[str, Relation]:
    ordered = dict(sorted(relations.items(), key=lambda entry: id_order(entry[0])))
    return ManualTemplates(path or Path(), ordered).select(settings.relations)


def _file(settings: BuildSettings, mlama: MLama | None) -> Path | None:
    """The user's file or the packaged one; None where mLAMA's templates have to do."""
    if settings.templates:
        return Path(settings.templates)
    writing = writing_of(settings.language)
    if writing.code in _PACKAGED:
        return packaged(_PACKAGED[writing.code])
    if mlama:
        return None
    known = " and ".join(writing_of(code).name for code in _PACKAGED)
    raise ConfigError(
        f"there are no packaged templates in {writing.name}, the first of the build's languages; found {known}",
        where="languages",
        hint="Give a file with --templates, with a table a relation as in configs/myriadlama_templates.toml.",
    )
