"""MyriadLAMA's settings for its builders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, ClassVar, Final, Literal

from pydantic import Field

from tashika.builders.myriadlama.trex import Annotator
from tashika.builders.myriadlama.uhn import Level as UhnLevel
from tashika.builders.paraphrase import ParaphraseSettings
from tashika.builders.sources.wikidata import LANGUAGE_CODE
from tashika.core.inputs import BuildInputs
from tashika.core.llm import LlmSettings
from tashika.core.settings import Section

SUITE: Final = "myriadlama"


class BuildSettings(Section):
    """MyriadLAMA's section [build].

    Attributes:
        relations: Property ids, or names of relations of own facts; all that have templates if empty.
        facts_per_relation: The most facts of one relation; 0 for all.
        languages: Languages of labels and aliases, in order of preference, as Wikidata writes them: en, zh-hans. The
            first is the language of the build: its templates and paraphrases are in it.
        longest_alias: Characters; longer names are left out.
        uhn: Which of LAMA-UHN's two filters are applied.
        uhn_model: The masked model of the person-name filter.
        widen: Where further objects of a pair come from.
        trex_annotators: Whose alignments in T-REx count.
        templates: A file of manual templates; the packaged one of the language if empty.
        lama_templates: When the templates of mLAMA's files are manual templates: `missing` where there are no others,
            `beside` the others, or they `only`.
        llm: Who paraphrases.
        paraphrase: How.
    """

    relations: tuple[str, ...] = ()
    facts_per_relation: int = Field(0, ge=0)
    languages: tuple[Annotated[str, Field(pattern=LANGUAGE_CODE)], ...] = ("en", "mul")
    longest_alias: int = Field(60, ge=1)
    uhn: UhnLevel = "string"
    uhn_model: str = "bert-base-cased"
    widen: Literal["none", "wikidata", "trex"] = "wikidata"
    trex_annotators: tuple[Annotator, ...] = ("NoSub", "AllEnt", "SPO")
    templates: str = ""
    lama_templates: Literal["missing", "beside", "only"] = "missing"
    llm: LlmSettings = LlmSettings()
    paraphrase: ParaphraseSettings

    @property
    def language(self) -> str:
        """The language of the build: the first that is one, which `mul` (for all) is not; English if none is named."""
        return next((language for language in self.languages if language != "mul"), "en")


class Inputs(BuildInputs):
    """The options of `tashika build myriadlama` that change what is built."""

    ALTERNATIVES = (("facts", "lama"), ("facts", "trex"))
    BESIDE: ClassVar[Mapping[str, Sequence[str]]] = {"facts": ("templates",)}
    FORMER: ClassVar[Mapping[str, str]] = {"endpoint": "sparql_url"}

    facts: Path | None = None
    templates: Path | None = None
    lama: Path | None = None
    trex: tuple[Path, ...] = ()
    uhn: str | None = None
    sparql_url: str | None = None
    llm_url: str | None = None
    llm_model: str | None = None
    limit: int | None = None
