"""Pieces of HTML that labelling pages share; every one takes plain text and escapes it."""

from __future__ import annotations

import html
import re

_TAG = re.compile(r"<[^<>]*>")
_BLOCK_ENDS = re.compile(r"</(?:td|th|tr|p|div|li|h\d)>|<br\s*/?>", re.IGNORECASE)
_NO_TEXT = re.compile(r"<(?:script|style)\b.*?</(?:script|style)>", re.DOTALL)
_SAID = {language: re.compile(rf'<span class="said-{language}"[^<>]*>[^<>]*</span>') for language in ("en", "ja")}
_WIKIDATA_ID = re.compile(r"(?:Property:)?[QP][1-9]\d*", re.ASCII)


def wikidata_link(page: str) -> str:
    """A link to a page on Wikidata, such as Q17 or Property:P6; the bare text where it is no such page's name."""
    text = html.escape(page)
    if not _WIKIDATA_ID.fullmatch(page):
        return text
    shown = text.removeprefix("Property:")
    return f'<a href="https://www.wikidata.org/wiki/{text}" target="_blank" rel="noreferrer">{shown} (Wikidata)</a>'


def said(english: str, japanese: str) -> str:
    """Words of ours inside a task, in both languages: the page shows those of its own.

    So a project can change its language, and its tasks stay as they are. Without the style of our pages the English
    ones are shown.
    """
    hidden = f'<span class="said-ja" style="display:none">{html.escape(japanese)}</span>'
    return f'<span class="said-en">{html.escape(english)}</span>{hidden}'


def plain(markup: str, language: str = "en") -> str:
    """What a piece of HTML shows, as text in one line.

    Args:
        markup: The HTML.
        language: Of our own words in it; see `said`.
    """
    shown = _NO_TEXT.sub(" ", _SAID["en" if language == "ja" else "ja"].sub("", markup))
    return " ".join(html.unescape(_TAG.sub("", _BLOCK_ENDS.sub(" ", shown))).split())


def large(text: str) -> str:
    """The text that a page is about."""
    return f'<span style="font-size:22px;line-height:1.6">{html.escape(text)}</span>'
