"""How to cite a release: `CITATION.cff`, and the same as BibTeX for the card.

The format is https://citation-file-format.github.io, version 1.2.0. Who made the release stands in `[export] authors`;
where nobody said, the file says that, since the format wants an author.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from tashika.core.release_words import Author
from tashika.exports.metadata.about import About, plain
from tashika.exports.metadata.licences import licence_of

if TYPE_CHECKING:
    from tashika.exports.documents import Draft

FILE: Final = "CITATION.cff"
NOBODY_SAID: Final = "authors not stated"
_YOUNGER: Final = ("CDLA-Permissive-2.0",)
"""Licences of ours that version 1.2.0 of the format does not list."""

_KEY = re.compile(r"[^A-Za-z0-9]+")
_TEX = re.compile(r"([&%$#_{}])")


def citation(draft: Draft) -> dict[str, str]:
    """The document `CITATION.cff`."""
    about = About.of(draft)
    return {FILE: _yaml(citation_fields(about))}


def citation_fields(about: About) -> dict[str, Any]:
    """The keys of `CITATION.cff`."""
    settings = about.settings
    known = {
        "version": settings.version,
        "date-released": settings.date,
        "doi": settings.doi,
        "url": about.url,
        **_licence(about),
        "keywords": list(about.text.tags),
        "identifiers": [
            {"type": "other", "value": about.record["digest"], "description": "SHA-256 of the released content"}
        ],
    }
    return {
        "cff-version": "1.2.0",
        "message": "Please cite this dataset by these metadata, and the papers that its card names beside it.",
        "type": "dataset",
        "title": settings.pretty_name,
        "abstract": plain(about.text.summary),
        "authors": [_agent(author) for author in about.authors] or [{"name": NOBODY_SAID}],
        **{name: value for name, value in known.items() if value},
    }


def _licence(about: About) -> dict[str, str]:
    """The licence by its identifier, where the format knows it, or by the address of its text."""
    licence = licence_of(about.settings)
    if licence.spdx and licence.spdx not in _YOUNGER:
        return {"license": licence.spdx}
    return {"license-url": licence.link} if licence.link.startswith("http") else {}


def _agent(author: Author) -> dict[str, str]:
    parts = author.family_and_given
    named = {"family-names": parts[0], "given-names": parts[1]} if parts else {"name": author.name}
    orcid = {"orcid": f"https://orcid.org/{author.orcid}"} if author.orcid else {}
    return {**named, **({"affiliation": author.affiliation} if parts and author.affiliation else {}), **orcid}


def bibtex(about: About) -> str:
    """The release as a BibTeX entry; what nobody has said is left out."""
    settings = about.settings
    year = settings.date[:4] if settings.date else ""
    stem = _KEY.sub("-", settings.pretty_name).strip("-").lower() or about.record["suite"]
    fields = {
        "title": f"{{{_escaped(settings.pretty_name)}}}",
        "author": " and ".join(_escaped(_in_bibtex(author)) for author in about.authors),
        "year": year,
        "version": settings.version,
        "url": about.url or "",
        "doi": settings.doi or "",
        "note": _note(about),
    }
    lines = [f"  {name:<7} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@misc{{{stem}-{settings.version},", *lines, "}"])


def _in_bibtex(author: Author) -> str:
    return author.name if author.family_and_given else f"{{{author.name}}}"


def _note(about: About) -> str:
    simulated = "; judged by simulated annotators, all of it or a part" if about.record["simulated"] else ""
    return f"Dataset, content digest {about.record['digest'][:16]}{simulated}"


def _escaped(text: str) -> str:
    """Signs that TeX reads otherwise; braces around a group's name stay."""
    inner = text[1:-1] if text.startswith("{") and text.endswith("}") else text
    escaped = _TEX.sub(r"\\\1", inner)
    return f"{{{escaped}}}" if inner != text else escaped


def _yaml(fields: dict[str, Any]) -> str:
    """As YAML; versions and dates in quotes, as text."""
    text: str = import_module("yaml").safe_dump(fields, allow_unicode=True, sort_keys=False, width=10_000)
    return text
