"""`LICENSE`: under what terms the release may be used, with every notice that must go along."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from tashika.exports.metadata.about import About
from tashika.exports.metadata.licences import OTHER, licence_of, licence_text

if TYPE_CHECKING:
    from tashika.exports.documents import Draft

FILE: Final = "LICENSE"
_RULE: Final = "-" * 80


def licence_file(draft: Draft) -> dict[str, str]:
    """The document `LICENSE`."""
    return {FILE: "\n".join(_lines(About.of(draft))) + "\n"}


def _lines(about: About) -> Iterator[str]:
    settings, licence = about.settings, licence_of(about.settings)
    yield f"{settings.pretty_name}, version {settings.version}"
    yield ""
    if settings.license == OTHER and not settings.license_name:
        yield "No one licence covers this release: each part is under the terms of its source, see below."
    else:
        spdx = f" (SPDX: {licence.spdx})" if licence.spdx else ""
        yield f"Licence: {licence.name}{spdx}"
    if licence.link:
        yield f"Its text: {licence.link}"
    if about.provenance.sources:
        yield ""
        yield "Sources; where the terms of a source are stricter, they hold for what comes from it:"
    for source in about.provenance.sources:
        revision = f", {source.revision}" if source.revision else ""
        yield f"- {source.name}{revision}: {source.licence or 'see the source'}"
    for part in filter(None, (about.text.notice, licence_text(settings.license))):
        yield ""
        yield _RULE
        yield ""
        yield part.rstrip("\n")
