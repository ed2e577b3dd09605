"""The votes on an item as the adjudication page shows them: what people said, and not who."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from typing import Final
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from tashika.annotation.adjudicating.statements import Statement, Statements, correction_of, shown_words
from tashika.annotation.labelling import Page, TextPage
from tashika.core.draws import order_key

PANEL: Final = "tashika_votes_html"
"""The name that a task has for the panel."""

_WORDS: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {
        "heading": "What people said, in random order",
        "counts": "Votes",
        "nobody": "Nobody has voted.",
        "skipped": "skipped",
        "answer": "Answer",
        "correction": "Correction",
        "note": "Note",
        "simulated": "Simulated annotators (programs) are among the voters.",
    },
    "ja": {
        "heading": "これまでの回答（順不同）",
        "counts": "票数",
        "nobody": "まだ票がありません。",
        "skipped": "スキップ",
        "answer": "回答",
        "correction": "修正案",
        "note": "メモ",
        "simulated": "シミュレーション（プログラム）による回答を含みます。",
    },
}
_CELL: Final = "border:1px solid #d1d5db;padding:4px 10px;text-align:left;vertical-align:top;overflow-wrap:anywhere"
_TEXT: Final = "white-space:pre-wrap;overflow-wrap:anywhere"


def with_panel(xml: str, control: tuple[str, str], language: str = "en") -> str:
    """A page with the votes above what it asks.

    Args:
        xml: The page in Label Studio's markup.
        control: The tag and the name of the control that every answer must use.
        language: Of the heading; English where there are no words for it.

    Raises:
        ValueError: The page has no such control.
    """
    root = ElementTree.fromstring(xml)
    tag, name = control
    place = next((at for at, child in enumerate(root) if any(e.get("name") == name for e in child.iter(tag))), None)
    if place is None:
        raise ValueError(f"the page has no {tag} named {name!r}")
    if place and root[place - 1].tag == "Header":
        place -= 1  # the question stays with its choices
    panel = Element("View", style="border:2px solid #d97706;border-radius:8px;padding:6px 18px 12px;margin:12px 0")
    SubElement(panel, "Header", value=_words(language)["heading"], size="6")
    SubElement(panel, "HyperText", name="tashika_votes", value=f"${PANEL}", inline="true")
    root.insert(place, panel)
    return ElementTree.tostring(root, encoding="unicode")


def panel(page: Page, item_id: str, statements: Statements, seed: int, language: str = "en") -> str:
    """What people said of an item as HTML, escaped; their order is drawn anew for each item.

    Args:
        page: The page on which they said it.
        item_id: The item.
        statements: What they said.
        seed: Of the draw.
        language: Of the headings; English where there are no words for it.
    """
    words = _words(language)
    votes = sorted(statements.votes, key=lambda vote: order_key(seed, "panel", item_id, vote.annotator))
    parts = [f"<div>{_counts(page, item_id, votes, statements.skipped, words)}</div>"]
    if any(vote.note or correction_of(page, vote) for vote in votes) or isinstance(page, TextPage):
        parts.append(_table(page, item_id, votes, words))
    if statements.simulated:
        parts.append(f'<div style="color:#6b7280;font-size:14px">{escape(words["simulated"])}</div>')
    return f'<div style="font-size:15px;line-height:1.6">{"".join(parts)}</div>'


def _counts(page: Page, item_id: str, votes: Sequence[Statement], skipped: int, words: Mapping[str, str]) -> str:
    counts: Counter[str] = Counter()
    if not isinstance(page, TextPage):
        counts.update(shown_words(page, vote, item_id) for vote in votes)
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    shown = [f"<b>{escape(answer)}</b> {count}" for answer, count in ranked]
    if isinstance(page, TextPage) and votes:
        shown = [str(len(votes))]
    shown += [f"{escape(words['skipped'])} {skipped}"] if skipped else []
    return f"{escape(words['counts'])}: {' · '.join(shown)}" if votes or skipped else escape(words["nobody"])


def _table(page: Page, item_id: str, votes: Sequence[Statement], words: Mapping[str, str]) -> str:
    corrected = any(correction_of(page, vote) for vote in votes)
    columns = ["answer", *(["correction"] if corrected else []), "note"]
    head = "".join(f'<th style="{_CELL}">{escape(words[column])}</th>' for column in columns)
    rows = []
    for vote in votes:
        said = {"answer": shown_words(page, vote, item_id), "correction": correction_of(page, vote), "note": vote.note}
        cells = "".join(f'<td style="{_CELL};{_TEXT}">{escape(said[column] or "–")}</td>' for column in columns)
        rows.append(f"<tr>{cells}</tr>")
    return f'<table style="border-collapse:collapse;margin:6px 0">{f"<tr>{head}</tr>"}{"".join(rows)}</table>'


def _words(language: str) -> Mapping[str, str]:
    return _WORDS.get(language, _WORDS["en"])
