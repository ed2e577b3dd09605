"""The settings of the builder of semantic relations."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal

from pydantic import Field

from tashika.core.inputs import BuildInputs
from tashika.core.settings import Section
from tashika.core.suites.semrel.probes import ArticleSetting
from tashika.core.suites.semrel.relata import RelataSettings
from tashika.core.suites.semrel.vocabulary import lexicon_revision
from tashika.core.suites.semrel.words import Relation

PUBLISHED_TARGETS: Final[Mapping[Relation, int]] = {
    "hypernymy": 718,
    "hyponymy": 319,
    "holonymy": 195,
    "meronymy": 146,
    "antonymy": 105,
    "synonymy": 218,
}
"""Targets of each relation in the paper (table 1)."""


class BuildSettings(Section):
    """The section [build] of semrel.

    Attributes:
        targets: Where targets come from: "lists" are HyperLex and the category norms, "wordnet" is every noun of the
            vocabulary, "auto" the lists and, where they give a relation fewer targets than `enough`, nouns of WordNet.
        enough: Targets of each relation up to which "auto" fills up; the paper's numbers.
        most: Targets of a relation at most, for a rehearsal: those that have relata of the most relations come first.
            0: all.
        models: Models under test, by folder or name, `tokenizer.json` files, and text files with one word a line; a
            target is one token in all of them. "smollm2" is the packaged model. Empty: WordNet's one-word nouns.
        shortest: Letters of a target, at least: WordNet knows "he" as helium and "in" as an inch.
        wordnet: WordNet's folder; empty: where `make setup` put it.
        prompts: A TOML file of prompts; empty: the packaged one.
        mass_nouns: A text file of words that take no article; empty: the packaged one.
        articles: What [DET] in a prompt becomes: "by_sound", a or an before the target and nothing before the blank;
            "the", before both, as the people of the published responses read it; "auto", the latter for a response
            file's prompts and the former for all others.
        controls: A table of control questions with their answers; empty: the packaged one.
        control_share: Of the questions of a questionnaire.
        questionnaire_size: Probes in a questionnaire, at most.
        seed: Of the order in which probes are dealt.
        relata: Where relata come from, and how far away they may be.
    """

    targets: Literal["auto", "lists", "wordnet"] = "auto"
    enough: dict[Relation, int] = Field(default_factory=lambda: dict(PUBLISHED_TARGETS))
    most: int = Field(0, ge=0)
    models: tuple[str, ...] = ("smollm2",)
    shortest: int = Field(3, ge=1)
    wordnet: str = ""
    prompts: str = ""
    mass_nouns: str = ""
    articles: ArticleSetting = "auto"
    controls: str = ""
    control_share: float = Field(0.1, ge=0.0, lt=0.5)
    questionnaire_size: int = Field(1500, ge=1)
    seed: int = 0
    relata: RelataSettings = Field(default_factory=RelataSettings)


class Inputs(BuildInputs):
    """The options of `tashika build semrel` that change what is built.

    Attributes:
        responses: A response file.
        model: Models under test: files and folders as paths, other names as they are.
        targets: Where targets come from.
    """

    responses: Path | None = None
    model: tuple[Path | str, ...] = ()
    targets: str | None = None

    @classmethod
    def digest(cls, path: Path) -> str:
        """A digest of a file, or of the tokenizer in a model's folder: its weights are not read."""
        return lexicon_revision(str(path)) if path.is_dir() else super().digest(path)
