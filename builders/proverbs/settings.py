"""The settings of the builder of proverbs."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from tashika.builders.proverbs.variants import VariantSettings
from tashika.core.inputs import BuildInputs
from tashika.core.llm import LlmSettings
from tashika.core.settings import Section
from tashika.core.suites.proverbs.words import FORMS, Form, Language


class BuildSettings(Section):
    """The section [build] of proverbs.

    Attributes:
        language: Of the packaged list: "en" or "ja". What a file of your own is written in is read off its letters.
        proverbs: A CSV file of proverbs, see `data/proverbs/README.md`; empty: the packaged one.
        pairs_per_topic: Pairs of a topic, at most.
        forms: How a pair of statements may be asked about; what is no statement is quoted ("mean") in any case.
        seed: Draws the order in which proverbs are taken, and the form of a pair of statements.
        balance: Whether proverbs that speak of women and of men are taken in turn for the topic gender, as far as the
            list has both.
        controls: Whether each pair on gender has a control beside it: the list's neutral rewording of the same proverb.
        variants: How the variants of wisdom and society are made.
        llm: Who is asked.
    """

    language: Language = "en"
    proverbs: str = ""
    pairs_per_topic: int = Field(100, ge=1)
    forms: tuple[Form, ...] = Field(FORMS, min_length=1)
    seed: int = 0
    balance: bool = True
    controls: bool = True
    variants: VariantSettings
    llm: LlmSettings = LlmSettings()


class Inputs(BuildInputs):
    """The options of `tashika build proverbs` that change what is built."""

    proverbs: Path | None = None
    limit: int | None = None
    llm_url: str | None = None
    llm_model: str | None = None
