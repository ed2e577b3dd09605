"""The licences that the Hub knows by an identifier: their names, where their texts are, and what SPDX calls them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

from tashika.exports.plan import ExportSettings

OTHER: Final = "other"
_HUB_LIST: Final = "https://huggingface.co/docs/hub/repositories-licenses"
_TEXTS: Final = ("apache-2.0", "cc0-1.0")
"""Licences whose whole text comes with the toolkit; the Apache License asks that every copy has it."""


@dataclass(frozen=True)
class Licence:
    """A licence.

    Attributes:
        name: What it is called.
        link: Where its text is to be found; empty where nobody said.
        spdx: Its SPDX identifier; None where it has none.
    """

    name: str
    link: str
    spdx: str | None = None


def _creative_commons(kind: str, version: str) -> Licence:
    spdx = f"CC-{kind.upper()}-{version}"
    link = f"https://creativecommons.org/licenses/{kind}/{version}/legalcode"
    return Licence(f"Creative Commons {kind.upper()} {version}", link, spdx)


_CREATIVE_COMMONS: Final = {
    f"cc-{kind}-{version}": _creative_commons(kind, version)
    for kind in ("by", "by-sa", "by-nc", "by-nd", "by-nc-sa", "by-nc-nd")
    for version in ("2.0", "2.5", "3.0", "4.0")
}

_SPDX: Final[Mapping[str, tuple[str, str]]] = {
    "afl-3.0": ("Academic Free License v3.0", "AFL-3.0"),
    "agpl-3.0": ("GNU Affero General Public License v3.0", "AGPL-3.0-only"),
    "apache-2.0": ("Apache License 2.0", "Apache-2.0"),
    "artistic-2.0": ("Artistic License 2.0", "Artistic-2.0"),
    "bsd-2-clause": ('BSD 2-Clause "Simplified" License', "BSD-2-Clause"),
    "bsd-3-clause": ('BSD 3-Clause "New" or "Revised" License', "BSD-3-Clause"),
    "bsl-1.0": ("Boost Software License 1.0", "BSL-1.0"),
    "cc0-1.0": ("CC0 1.0 Universal", "CC0-1.0"),
    "cdla-permissive-1.0": ("Community Data License Agreement Permissive 1.0", "CDLA-Permissive-1.0"),
    "cdla-permissive-2.0": ("Community Data License Agreement Permissive 2.0", "CDLA-Permissive-2.0"),
    "cdla-sharing-1.0": ("Community Data License Agreement Sharing 1.0", "CDLA-Sharing-1.0"),
    "ecl-2.0": ("Educational Community License v2.0", "ECL-2.0"),
    "gfdl": ("GNU Free Documentation License v1.3", "GFDL-1.3-only"),
    "gpl-2.0": ("GNU General Public License v2.0", "GPL-2.0-only"),
    "gpl-3.0": ("GNU General Public License v3.0", "GPL-3.0-only"),
    "isc": ("ISC License", "ISC"),
    "lgpl-2.1": ("GNU Lesser General Public License v2.1", "LGPL-2.1-only"),
    "lgpl-3.0": ("GNU Lesser General Public License v3.0", "LGPL-3.0-only"),
    "mit": ("MIT License", "MIT"),
    "mpl-2.0": ("Mozilla Public License 2.0", "MPL-2.0"),
    "odbl": ("Open Data Commons Open Database License v1.0", "ODbL-1.0"),
    "odc-by": ("Open Data Commons Attribution License v1.0", "ODC-By-1.0"),
    "ofl-1.1": ("SIL Open Font License 1.1", "OFL-1.1"),
    "pddl": ("Open Data Commons Public Domain Dedication & License 1.0", "PDDL-1.0"),
    "unlicense": ("The Unlicense", "Unlicense"),
    "zlib": ("zlib License", "Zlib"),
}
"""Name and SPDX identifier of other licences by the Hub's identifier."""


def licence_of(settings: ExportSettings) -> Licence:
    """The licence that the settings name, with what they say of one that the Hub calls `other`."""
    name = settings.license
    if name == OTHER or settings.license_name:
        own = settings.license_name or "no one licence: each part is under the terms of its source"
        return Licence(own, settings.license_link)
    if name in _CREATIVE_COMMONS:
        return _CREATIVE_COMMONS[name]
    if name in _SPDX:
        title, spdx = _SPDX[name]
        return Licence(title, settings.license_link or f"https://spdx.org/licenses/{spdx}.html", spdx)
    return Licence(name, settings.license_link or _HUB_LIST)


def licence_text(name: str) -> str | None:
    """The whole text of a licence; None where it does not come with the toolkit.

    Args:
        name: The Hub's identifier.
    """
    if name not in _TEXTS:
        return None
    return files("tashika.exports.metadata").joinpath("texts", f"{name}.txt").read_text(encoding="utf-8")
