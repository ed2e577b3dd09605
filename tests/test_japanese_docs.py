"""The Japanese documents have the headings and commands of the English ones, and links that lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md", ROOT / "README.ja.md")
PAGES = sorted((ROOT / "docs" / "ja").glob("*.md"))


def tokens(path: Path) -> list[Token]:
    return MarkdownIt().enable("table").parse(path.read_text(encoding="utf-8"))


def levels(path: Path) -> list[str]:
    """The level of each heading, in order."""
    return [token.tag for token in tokens(path) if token.type == "heading_open"]


def commands(path: Path) -> list[str]:
    """The lines of indented blocks that begin with a program, without the comments behind them."""
    blocks = [token.content for token in tokens(path) if token.type == "code_block"]
    lines = [re.sub(r"(^|\s+)# .*", "", line).strip() for block in blocks for line in block.splitlines()]
    return [line for line in lines if re.match(r"(\.venv/bin/)?(tashika|make|ssh) |--", line)]


def inline_code(path: Path) -> list[str]:
    """What stands between backticks in running text."""
    inside = [child for token in tokens(path) for child in token.children or []]
    return [child.content for child in inside if child.type == "code_inline"]


def links(path: Path) -> list[str]:
    """The relative links and images of a document."""
    inside = [child for token in tokens(path) for child in token.children or []]
    targets = [str(child.attrs.get("href") or child.attrs.get("src") or "") for child in inside]
    return [target for target in targets if target and "://" not in target]


def anchors(path: Path) -> set[str]:
    """The names that the headings of a document have as places to link to."""
    pages = tokens(path)
    titles = [pages[i + 1].content for i, token in enumerate(pages) if token.type == "heading_open"]
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_the_readmes_have_the_same_headings_and_commands() -> None:
    english, japanese = README
    assert levels(english) == levels(japanese)
    assert commands(english)
    assert commands(english) == commands(japanese)


def test_the_readmes_name_the_same_suites_and_each_other() -> None:
    english, japanese = README
    suites = [[link for link in links(path) if link.startswith("core/suites/")] for path in README]
    assert suites[0] == suites[1]
    assert japanese.name in links(english)[:1]
    assert english.name in links(japanese)[:1]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_japanese_page_has_commands_of_the_english_one(page: Path) -> None:
    """It may be shorter; what it has is there too, and it names the page that has all."""
    english = page.parent.parent / page.name
    assert f"../{page.name}" in links(page)[:1]
    known = [*commands(english), *inline_code(english)]
    assert commands(page)
    assert [line for line in commands(page) if line not in known] == []


@pytest.mark.parametrize("page", [*README, ROOT / "docs" / "your-own.md", *PAGES], ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in links(page):
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


@pytest.mark.parametrize("page", [README[1], *PAGES], ids=lambda page: page.name)
def test_a_japanese_paragraph_is_one_line(page: Path) -> None:
    """Browsers show a line break as a blank, and Japanese has none between its words."""
    broken = [token.content for token in tokens(page) if any(c.type == "softbreak" for c in token.children or [])]
    assert broken == []
