"""The Japanese documents have the headings and commands of the English ones; `test_links` follows their links."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from tests.core.test_cli import Run
from tests.tutorials.reading import steps_of, write_file

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md", ROOT / "README.ja.md")
JAPANESE = ROOT / "docs" / "ja"
PAGES = sorted(JAPANESE.rglob("*.md"))
TUTORIALS = sorted((JAPANESE / "tutorials").glob("*.md"))


def tokens(path: Path) -> list[Token]:
    return MarkdownIt().enable("table").parse(path.read_text(encoding="utf-8"))


def levels(path: Path) -> list[str]:
    """The level of each heading, in order."""
    return [token.tag for token in tokens(path) if token.type == "heading_open"]


def english_page(page: Path) -> Path:
    """The page that a Japanese one stands beside."""
    return ROOT / "docs" / page.relative_to(JAPANESE)


def commands(path: Path) -> list[str]:
    """The lines of indented blocks and of a shell's that begin with a program, without the comments behind them."""
    shell = [token for token in tokens(path) if token.type == "code_block" or token.info == "bash"]
    blocks = [token.content for token in shell]
    lines = [re.sub(r"(^|\s+)# .*", "", line).strip() for block in blocks for line in block.splitlines()]
    return [line for line in lines if re.match(r"(\.venv/bin/)?(tashika|make|ssh|lm-eval|inspect) |--", line)]


def inline_code(path: Path) -> list[str]:
    """What stands between backticks in running text."""
    inside = [child for token in tokens(path) for child in token.children or []]
    return [child.content for child in inside if child.type == "code_inline"]


def links(path: Path) -> list[str]:
    """The relative links and images of a document."""
    inside = [child for token in tokens(path) for child in token.children or []]
    targets = [str(child.attrs.get("href") or child.attrs.get("src") or "") for child in inside]
    return [target for target in targets if target and "://" not in target]


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
    english = english_page(page)
    assert (page.parent / links(page)[0]).resolve() == english
    known = [*commands(english), *inline_code(english)]
    assert commands(page)
    assert [line for line in commands(page) if line not in known] == []


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.name)
def test_a_japanese_tutorial_has_the_headings_commands_and_files_of_the_english_one(page: Path) -> None:
    english = english_page(page)
    assert levels(page) == levels(english)
    assert commands(page) == commands(english)
    files = [[(step.language, step.file, step.part) for step in steps_of(path)] for path in (page, english)]
    assert files[0] == files[1]
    assert (english.parent / links(english)[0]).resolve() == page


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.name)
def test_the_files_of_a_japanese_tutorial_are_read_without_an_error(
    tashika: Run, page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of the English one go to the end; here the text is Japanese, so that the tables are others."""
    monkeypatch.chdir(tmp_path)
    written = [command for step in steps_of(page) if step.language == "bash" for command in step.commands]
    for command in (command for command in written if command[:2] == ["tashika", "new"]):
        assert tashika(*command[1:])[0] == 0
    for step in steps_of(page):
        if step.file is not None:
            write_file(step, tmp_path)
    for suite in tmp_path.glob("*/suite.toml"):
        code, _, err = tashika("build", suite, "--dry-run")
        assert code == 0, err


@pytest.mark.parametrize("page", [README[1], *PAGES], ids=lambda page: page.name)
def test_a_japanese_paragraph_is_one_line(page: Path) -> None:
    """Browsers show a line break as a blank, and Japanese has none between its words."""
    broken = [token.content for token in tokens(page) if any(c.type == "softbreak" for c in token.children or [])]
    assert broken == []
