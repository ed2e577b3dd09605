"""Pieces of HTML that labelling pages share; every one takes plain text and escapes it."""

from __future__ import annotations

import html
import re

_WIKIDATA_ID = re.compile(r"(?:Property:)?[QP][1-9]\d*", re.ASCII)


def wikidata_link(page: str) -> str:
    """A link to a page on Wikidata, such as Q17 or Property:P6; the bare text where it is no such page's name."""
    text = html.escape(page)
    if not _WIKIDATA_ID.fullmatch(page):
        return text
    shown = text.removeprefix("Property:")
    return f'<a href="https://www.wikidata.org/wiki/{text}" target="_blank" rel="noreferrer">{shown} on Wikidata</a>'


def large(text: str) -> str:
    """The text that a page is about."""
    return f'<span style="font-size:22px;line-height:1.6">{html.escape(text)}</span>'
