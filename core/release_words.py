"""The keys of `[export]` that only a person can fill in: who made a release, and what a program cannot know of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Literal

from pydantic import Field, field_validator

from tashika.core.settings import Section

NAME: Final = r"^[^\n,]+(, [^\n,]+)?$"
DATE: Final = r"^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$"
ORCID: Final = r"^\d{4}-\d{4}-\d{4}-\d{3}[\dX]$"
URL: Final = r"^https?://[^\s<>\"]+$"
DOI: Final = r"^10\.\d{4,9}/[^\s<>\"]+$"


class Author(Section):
    """One of the release's authors: `{ name = "Lovelace, Ada", orcid = "0000-0002-1825-0097" }`.

    Attributes:
        name: A person as "Family name, given names"; a group by its name without a comma.
        orcid: The person's identifier at orcid.org, such as `0000-0002-1825-0097`.
        affiliation: Where the person works.
    """

    name: str = Field(min_length=1, pattern=NAME)
    orcid: str | None = Field(None, pattern=ORCID)
    affiliation: str = ""

    @property
    def family_and_given(self) -> tuple[str, str] | None:
        """The two parts of a person's name; None for a group."""
        family, comma, given = self.name.partition(", ")
        return (family, given) if comma else None


class ReleaseWords(Section):
    """What a release says of itself in a person's words.

    Attributes:
        authors: Who made the release; for its citation.
        date: When the release was made, such as `2026-11-23`; for its citation.
        url: Where the release is to be found; the repository on the Hub where `repo` is given.
        doi: The release's DOI, such as `10.57967/hf/0000`.
        license_name: What the licence is called, where `license` is `other`.
        license_link: Where its text is to be found, as an address or a file in the release.
        judgments: Whether single judgments are released, under new pseudonyms and without free text, so that others
            can count them in their own way.
        annotations_creators: What the people were who judged, in the Hub's words; programs are added by themselves.
        language_creators: How its texts came to be, in the Hub's words; without it, what the sources say.
        use_cases: What the release is meant for, one sentence each.
        biases: Whose view it has and what it has too much or too little of, one sentence each.
        personal_information: What it holds of living people, one sentence each; `None.` where it holds nothing.
        social_impact: What good or harm may come of its use.
        annotator_demographics: Who the annotators were, as far as they agreed to publish it, one sentence each.
        maintenance: Who corrects it, and how.
    """

    authors: tuple[Author, ...] = ()
    date: str | None = Field(None, pattern=DATE)
    url: str | None = Field(None, pattern=URL)
    doi: str | None = Field(None, pattern=DOI)
    license_name: str = ""
    license_link: str = ""
    judgments: bool = True
    annotations_creators: tuple[Literal["crowdsourced", "expert-generated", "found", "other"], ...] = ()
    language_creators: tuple[
        Literal["crowdsourced", "expert-generated", "found", "machine-generated", "other"], ...
    ] = ()
    use_cases: tuple[str, ...] = ()
    biases: tuple[str, ...] = ()
    personal_information: tuple[str, ...] = ()
    social_impact: str = ""
    annotator_demographics: tuple[str, ...] = ()
    maintenance: str = ""

    @field_validator("date", mode="before")
    @classmethod
    def _date_as_text(cls, value: Any) -> Any:
        """TOML has dates of its own."""
        return value.isoformat() if hasattr(value, "isoformat") else value

    def words(self) -> Iterator[tuple[str, Any]]:
        """Yields these keys with their values."""
        for name in ReleaseWords.model_fields:
            yield name, getattr(self, name)
