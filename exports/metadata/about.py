"""What is known of a release that no row of it says: from its settings, its suite, and the items' provenance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from tashika.core.release_words import Author
from tashika.exports.plan import CardText, ExportSettings
from tashika.exports.provenance import Provenance, provenance
from tashika.exports.validation import KindValidation

if TYPE_CHECKING:
    from tashika.exports.documents import Draft

ASKED_OF_PEOPLE: Final[Mapping[str, str]] = {
    "authors": "who made it",
    "date": "when it was made",
    "url": "where it is to be found",
    "use_cases": "what it is meant for",
    "biases": "its biases",
    "personal_information": "what it holds of living people",
    "social_impact": "its social impact",
    "annotator_demographics": "who the annotators were",
    "maintenance": "who corrects it",
}
"""Keys of `[export]` that no program can fill in, and what they say."""


@dataclass(frozen=True)
class About:
    """What is known of a release.

    Attributes:
        settings: Its `[export]` section.
        text: Its text for the card.
        record: The content of `release.json`.
        provenance: Where the released items came from.
        validation: Who validated, by kind.
    """

    settings: ExportSettings
    text: CardText
    record: Mapping[str, Any]
    provenance: Provenance
    validation: Mapping[str, KindValidation]

    @classmethod
    def of(cls, draft: Draft) -> About:
        """What is known of a release that is being written."""
        text = draft.plan.card or draft.suite.card
        return cls(
            draft.settings, text, draft.record, provenance(draft.plan.items, text.licences), draft.plan.validation
        )

    @property
    def authors(self) -> tuple[Author, ...]:
        """Who made it, as far as somebody said."""
        return self.settings.authors

    @property
    def url(self) -> str | None:
        """Where it is to be found: its own address, or its repository on the Hub."""
        hub = f"https://huggingface.co/datasets/{self.settings.repo}" if self.settings.repo else None
        return self.settings.url or hub

    @property
    def use_cases(self) -> Sequence[str]:
        """What it is meant for."""
        return self.settings.use_cases or self.text.use_cases

    @property
    def biases(self) -> Sequence[str]:
        """Whose view it has."""
        return self.settings.biases or self.text.biases

    @property
    def personal_information(self) -> Sequence[str]:
        """What it holds of living people."""
        return self.settings.personal_information or self.text.personal_information

    @property
    def social_impact(self) -> str:
        """What good or harm may come of it."""
        return self.settings.social_impact or self.text.social_impact

    @property
    def judged(self) -> bool:
        """Whether anybody, person or program, judged its items."""
        return any(entry.annotators for entry in self.validation.values())

    @property
    def judged_by_people(self) -> bool:
        """Whether people judged, programs among them or not."""
        return any(entry.annotators and not entry.judges.only_simulated for entry in self.validation.values())

    @property
    def synthetic(self) -> bool:
        """Whether a program wrote texts of it, or judged in the place of people."""
        return bool(self.provenance.generations) or bool(self.record["simulated"])

    @cached_property
    def missing(self) -> tuple[str, ...]:
        """The keys of `[export]` that only a person can fill in, and nobody has."""
        known = {
            "authors": self.authors,
            "date": self.settings.date,
            "url": self.url,
            "use_cases": self.use_cases,
            "biases": self.biases,
            "personal_information": self.personal_information,
            "social_impact": self.social_impact,
            "annotator_demographics": self.settings.annotator_demographics or not self.judged_by_people,
            "maintenance": self.settings.maintenance,
        }
        return tuple(name for name in ASKED_OF_PEOPLE if not known[name])

    @property
    def not_stated(self) -> list[str]:
        """What these keys would say."""
        return [ASKED_OF_PEOPLE[name] for name in self.missing]

    @property
    def stated(self) -> dict[str, Sequence[str]]:
        """What is stated of its use and of people, by heading."""
        known = {
            "Meant for": self.use_cases,
            "Biases": self.biases,
            "Living people": self.personal_information,
            "Social impact": (self.social_impact,) if self.social_impact else (),
            "Annotators": self.settings.annotator_demographics,
            "Maintenance": (self.settings.maintenance,) if self.settings.maintenance else (),
        }
        return {name: sentences for name, sentences in known.items() if sentences}


def plain(markdown: str) -> str:
    """Text of a card on one line: what wraps there is one sentence here."""
    return " ".join(markdown.split())
