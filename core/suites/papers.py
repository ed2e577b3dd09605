"""The papers that suites follow: one place for what cards, citation files and pages say of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

_UNKNOWN: Final = "Venue and year are not stated in the copy that this suite follows"


@dataclass(frozen=True)
class Paper:
    """A publication.

    Attributes:
        key: Of its BibTeX entry.
        title: As published.
        authors: As BibTeX has them, "Family name, Given names".
        entry: The kind of its BibTeX entry.
        year: None where it is not known.
        venue: Where it was published, as published; empty where that is not known.
        url: Where it is to be found; empty where it is not known.
        english: Authors, title and venue in English, where they are published in another language.
        fields: Other BibTeX fields, such as pages, in their order.
        followed: Whether the suite follows it, or only names it beside the one that it follows.
    """

    key: str
    title: str
    authors: tuple[str, ...]
    entry: Literal["inproceedings", "article", "misc"] = "misc"
    year: int | None = None
    venue: str = ""
    url: str = ""
    english: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    followed: bool = True

    @property
    def names(self) -> str:
        """The authors in a line: given names first in Latin letters, family names first in others."""
        names = []
        for author in self.authors:
            family, _, given = author.partition(", ")
            names.append(f"{given} {family}".strip() if author.isascii() else f"{family}{given}")
        return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"

    @property
    def published(self) -> str:
        """Venue, pages and year in a line, as far as they are known."""
        pages = self.fields.get("pages", "").replace("--", "–")
        parts = [self.venue, f"pages {pages}" if pages else "", str(self.year or "")]
        return ", ".join(part for part in parts if part) or _UNKNOWN

    @property
    def reference(self) -> str:
        """The whole reference in plain text, without the address."""
        title = self.title.replace("{", "").replace("}", "")
        english = f" ({self.english})" if self.english else ""
        return f"{self.names}: {title}{english}. {self.published}."

    @property
    def bibtex(self) -> str:
        """Its BibTeX entry."""
        place = {"inproceedings": "booktitle", "article": "journal", "misc": "howpublished"}[self.entry]
        known = {
            "title": self.title,
            "author": " and ".join(self.authors),
            place: self.venue,
            "year": str(self.year or ""),
            **self.fields,
            "url": self.url,
            "note": self.fields.get("note", self.english),
        }
        values = {name: value for name, value in known.items() if value}
        width = max(map(len, values))
        lines = [f"  {name:<{width}} = {{{value}}}," for name, value in values.items()]
        return "\n".join([f"@{self.entry}{{{self.key},", *lines, "}"])


def bibtex_of(papers: Sequence[Paper]) -> str:
    """The BibTeX entries of some papers; empty where there are none."""
    return "\n\n".join(paper.bibtex for paper in papers)
