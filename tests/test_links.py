"""Relative links and anchors of the documents: each leads to a file, and to a heading of it."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parent.parent
ELSEWHERE = ("tests/exports/gold/",)  # cards as the Hub gets them: their links are relative to a release
MARKDOWN = MarkdownIt("commonmark").enable("table")


def documents() -> list[str]:
    """All Markdown files of the project, relative to its root."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "*.md"], cwd=ROOT, capture_output=True, check=True, text=True
    )
    names = [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]
    return [name for name in names if not name.startswith(ELSEWHERE)]


def links(text: str) -> Iterator[tuple[int, str]]:
    """The targets of links and images with the first line of their block, from 1; those in code are none."""
    for block in MARKDOWN.parse(text):
        for token in block.children or []:
            target = token.attrGet("href") or token.attrGet("src")
            if isinstance(target, str):
                yield (block.map or [0])[0] + 1, target


def anchors(text: str) -> set[str]:
    """What headings are called in addresses, as GitHub does it: a heading that stands twice gets a number."""
    names: list[str] = []
    tokens = MARKDOWN.parse(text)
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open":
            name = re.sub(r"[^\w\- ]", "", _words(inline).strip().lower()).replace(" ", "-")
            repeats = sum(re.fullmatch(rf"{re.escape(name)}(-\d+)?", earlier) is not None for earlier in names)
            names.append(f"{name}-{repeats}" if repeats else name)
    return set(names)


def _words(inline: Token) -> str:
    return "".join(child.content for child in inline.children or [] if child.type in ("text", "code_inline"))


@cache
def _anchors_of(path: Path) -> set[str]:
    return anchors(path.read_text(encoding="utf-8"))


def broken(document: Path) -> list[str]:
    """The links of a document that lead nowhere, each with its line and the reason."""
    faults = []
    for line, target in links(document.read_text(encoding="utf-8")):
        parts = urlsplit(target)
        if parts.scheme or parts.netloc:
            continue
        place = (document.parent / unquote(parts.path)).resolve() if parts.path else document
        if not place.exists():
            faults.append(f"line {line}: {target}: there is no such file")
        elif parts.fragment and unquote(parts.fragment) not in _anchors_of(place):
            faults.append(f"line {line}: {target}: the file has no such heading")
    return faults


@pytest.mark.parametrize("document", documents())
def test_every_link_of_a_document_leads_somewhere(document: str) -> None:
    assert broken(ROOT / document) == []


def test_a_wrong_link_is_named_with_its_line(tmp_path: Path) -> None:
    headings = "# Two words\n\n## `[a.b]` (c)\n\n## Two words\n\n## 確かな語\n"
    (tmp_path / "other.md").write_text(headings, encoding="utf-8")
    document = tmp_path / "page.md"
    document.write_text(
        "# Page\n\n[a](other.md#two-words) [b](other.md#ab-c) [c](other.md#two-words-1) [d](#page) [e](https://e.org/x)\n"
        "[確](other.md#確かな語)\n\n    [code](none.md)\n\n| a |\n|---|\n| ![f](none.png) |\n\n[g](other.md#two)\n",
        encoding="utf-8",
    )
    assert broken(document) == [
        "line 10: none.png: there is no such file",
        "line 12: other.md#two: the file has no such heading",
    ]
