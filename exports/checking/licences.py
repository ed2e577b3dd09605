"""Checks of licences: whether what the release was made from may stand under the release's own licence.

This is a table of what the licences say, not advice on law: facts alone may need no licence, and a rights holder may
allow more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from tashika.exports.checking.examined import Examined
from tashika.exports.checks import RECORD_FILE, Problem
from tashika.exports.provenance import Source, has_words

_CC_BY: Final = ("cc-by", "cc-by-nc", "cc-by-nc-nd", "cc-by-nc-sa", "cc-by-nd", "cc-by-sa")
_GPL: Final = ("gpl", "lgpl", "agpl")

FREE: Final = frozenset({"cc0", "pddl", "public domain", "unlicense", "wtfpl", "0bsd"})
"""What asks for nothing. CC0: creativecommons.org/publicdomain/zero/1.0/legalcode, section 2; PDDL 1.0, section 3."""

WITH_NOTICE: Final = frozenset(
    {"apache", "bsd", "mit", "isc", "wordnet", "cc-by", "odc-by", "etalab", "cdla-permissive", "ms-pl"}
)
"""What may go under any licence as long as its notice or the name of its author goes along: Apache-2.0, section 4; the
texts of MIT, BSD, ISC and of the WordNet License themselves; CC BY 4.0, section 3(a); ODC-By 1.0, section 4.2; CDLA
Permissive 2.0, section 2."""

ALLOWED: Final[Mapping[str, tuple[str, ...]]] = {
    "cc-by-sa": ("cc-by-sa", "gpl", "lal"),
    "cc-by-nc": ("cc-by-nc", "cc-by-nc-nd", "cc-by-nc-sa"),
    "cc-by-nc-sa": ("cc-by-nc-sa",),
    "cc-by-nd": (),
    "cc-by-nc-nd": (),
    "odbl": ("odbl",),
    "gfdl": ("gfdl",),
    "cdla-sharing": ("cdla-sharing",),
    "lgpl": ("lgpl", "gpl", "agpl"),
    "gpl": ("gpl", "agpl"),
    "agpl": ("agpl",),
}
"""What an adaptation may go under, where the licence limits it. Creative Commons: the chart of adapter's licences
(creativecommons.org/faq, "If I derive or adapt material offered under a Creative Commons license, which CC license(s)
can I use?"; its yellow fields, which CC does not recommend, are left out for NC and SA), ND 4.0, section 2(a)(1), and
creativecommons.org/share-your-work/licensing-considerations/compatible-licenses for BY-SA 4.0 (GPLv3, Free Art 1.3).
ODbL 1.0, section 4.4; GFDL 1.3, section 4; CDLA Sharing 1.0, section 3; GPL, LGPL and AGPL 3.0, sections 4 to 7 and 13.
"""

_UNDER_NOTICE: Final = frozenset(
    {*WITH_NOTICE, *_CC_BY, *_GPL, "odbl", "gfdl", "lal", "mpl", "cdla-sharing", "openrail"}
)
"""Licences of a release that ask its users to keep notices."""

_PATTERNS: Final[tuple[tuple[str, str], ...]] = (
    *((name, "[ -]".join(name.split("-"))) for name in sorted(_CC_BY, key=len, reverse=True)),
    ("cc0", r"cc[ -]?0|creative commons zero"),
    ("cdla-permissive", "cdla[ -]permissive"),
    ("cdla-sharing", "cdla[ -]sharing"),
    ("pddl", "pddl"),
    ("odc-by", "odc[ -]by"),
    ("odbl", "odbl"),
    ("agpl", "(?:gnu )?agpl"),
    ("lgpl", "(?:gnu )?lgpl"),
    ("gpl", "(?:gnu )?gpl"),
    ("gfdl", "(?:gnu )?gfdl|gnu free documentation"),
    ("apache", "apache"),
    ("0bsd", "0bsd"),
    ("bsd", "bsd"),
    ("mit", "mit"),
    ("isc", "isc"),
    ("mpl", "mpl"),
    ("ms-pl", "ms-pl"),
    ("lal", "lal|free art"),
    ("etalab", "etalab"),
    ("wordnet", "wordnet license"),
    ("unlicense", "unlicense"),
    ("wtfpl", "wtfpl"),
    ("public domain", "public domain"),
    ("openrail", r"[\w-]*openrail"),
)


def family_of(licence: str) -> str | None:
    """The family that a licence belongs to, versions aside: `cc-by-sa` of "CC BY-SA 4.0, share alike".

    Only the beginning counts, which names the licence; None where it names none that is known.
    """
    name = licence.strip().casefold()
    return next((family for family, pattern in _PATTERNS if re.match(rf"(?:{pattern})(?![a-z])", name)), None)


def licences_allow_the_release(examined: Examined) -> Iterator[Problem]:
    """No source has a licence that forbids that of the release."""
    own = examined.draft.settings.license
    if family_of(own) is None:
        return  # `other`, or terms of one's own: `licences_are_known` leaves them to a person
    for source, family in _sources(examined):
        allowed = ALLOWED.get(family or "")
        if allowed is not None and family_of(own) not in allowed:
            only = f"only {', '.join(allowed)}" if allowed else "no changed copies at all"
            yield Problem(RECORD_FILE, None, f"{_named(source)}, which allows {only}; the release is under {own}")


def notices_are_kept(examined: Examined) -> Iterator[Problem]:
    """No source asks for a notice that the licence of the release lets others leave out."""
    own = examined.draft.settings.license
    for source, family in _sources(examined):
        if family in WITH_NOTICE and family_of(own) in FREE:
            found = f"{_named(source)}, which asks for its notice; {own} lets others leave that out"
            yield Problem(RECORD_FILE, None, found)


def licences_are_known(examined: Examined) -> Iterator[Problem]:
    """The licences of the release and of every source are known."""
    own = examined.draft.settings.license
    if family_of(own) is None:
        limited = sorted({_named(source) for source, family in _sources(examined) if family in ALLOWED})
        made_from = f"; it is made from {', '.join(limited)}" if limited else ""
        found = f"the release under {own!r}: what may go under it is for a person to see{made_from}"
        yield Problem(RECORD_FILE, None, found)
    for source, family in _sources(examined):
        if family is None:
            found = f"{source.name!r} ({source.items:,} items): {source.licence or 'no licence is stated'}"
            yield Problem(RECORD_FILE, None, found)


def _sources(examined: Examined) -> Iterator[tuple[Source, str | None]]:
    """The sources whose text may be in the release, each name once, with the family of its licence."""
    seen: set[str] = set()
    tools = examined.draft.suite.tools
    for source in examined.provenance.sources:
        if source.name not in seen and not any(has_words(source.name, words) for words in tools):
            seen.add(source.name)
            yield source, family_of(source.licence) if source.licence else None


def _named(source: Source) -> str:
    return f"{source.name!r} ({source.items:,} items) under {(source.licence or '').split(';')[0]}"
