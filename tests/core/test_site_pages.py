from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt
from typer.main import get_command

from tashika.core.cli import app
from tashika.core.lazy import LazyGroup, SuiteGroup
from tashika.core.site_pages import INTERFACE, entries, llms_text, moved, pages, read_project
from tashika.core.suites.discovery import open_suite

ROOT = Path(__file__).parents[2]


def test_links_lead_to_the_pages_and_others_become_their_text() -> None:
    listed = {"docs/a.md": "a.md", "docs/ja/b.md": "ja/b.md", "core/suites/x/README.md": "suites/x.md"}
    code = "\n\n    [x](../core/)\n\n```\n[x](../core/)\n```\n"
    text = (
        "[x](../core/suites/x/README.md#run-it), ![p](../docs/a.md), [home](../README.md), [code](../core/),\n"
        "[`b`](ja/b.md) [web](https://e.org/a.md) [here](#here) [two\nlines](../data/x.md)"
    )
    assert (
        moved(text + code, "docs/a.md", listed)
        == (
            "[x](suites/x.md#run-it), ![p](a.md), [home](index.md), code,\n"
            "[`b`](ja/b.md) [web](https://e.org/a.md) [here](#here) two\nlines"
        )
        + code
    )
    assert moved("[a](../../../docs/a.md)", "core/suites/x/README.md", listed) == "[a](../a.md)"


def test_a_bar_in_code_of_a_table_needs_no_backslash_on_the_site() -> None:
    assert moved("| a |\n|---|\n| `x\\|y` `z` a\\|b |", "docs/a.md", {}) == "| a |\n|---|\n| `x|y` `z` a\\|b |"


def test_llms_text_lists_the_pages_by_section() -> None:
    project = {
        "site_name": "Name",
        "site_description": "What it is.",
        "nav": [{"Home": "index.md"}, {"More": [{"A": "a.md"}, {"Inner": [{"B": "b.md"}]}]}],
        "extra": {"summaries": {"index.md": "First.", "a.md": "An a.", "b.md": "A b."}},
    }
    assert llms_text(project) == (
        "# Name\n\n> What it is.\n\n## Start\n\n- [Home](index.md): First.\n\n"
        "## More\n\n- [A](a.md): An a.\n- [B](b.md): A b.\n"
    )


def test_every_page_is_in_the_navigation_once_and_has_a_summary() -> None:
    project = read_project(ROOT)
    listed = [path for _, _, path in entries(project["nav"])]
    made = [place for place in pages(ROOT).values() if place.endswith(".md")]
    assert sorted(listed) == sorted([*made, "interface.md"])
    assert set(project["extra"]["summaries"]) == set(listed)
    assert "python.md" in INTERFACE


DOCUMENTS = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted(ROOT.glob("core/suites/*/README.md")),
    *sorted(ROOT.glob("examples/*/README.md")),
]


def _commands(document: Path) -> Iterator[list[str]]:
    """The words behind `tashika` in the blocks of code of a document; placeholders stay as they are."""
    blocks = [
        token.content.replace("\\\n", " ")
        for token in MarkdownIt().parse(document.read_text(encoding="utf-8"))
        if token.type == "code_block" or (token.type == "fence" and token.info in {"bash", "console"})
    ]
    for line in "\n".join(blocks).splitlines():
        command = re.match(r"(?:\w+=\S+ )*(?:\.venv/bin/)?tashika (.*)$", line)
        if command:
            yield re.sub(r"(^|\s)#.*", "", command[1]).split()


def _known_options(words: list[str]) -> set[str]:
    """The options of the command that the words name; where a suite's name stands for any, those of all suites."""
    commands: list[Any] = [get_command(app)]
    for word in words:
        group = commands[0]
        if hasattr(group, "list_commands") and word in group.list_commands(None):
            commands = [group.whole(word) if isinstance(group, LazyGroup) else group.get_command(None, word)]
    if hasattr(commands[0], "list_commands"):
        commands = _inner(commands[0])
    options = (option for command in commands for option in command.params)
    return {"--help"} | {name for option in options for name in (*option.opts, *option.secondary_opts)}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_commands_of_the_documents_exist(document: Path) -> None:
    for words in _commands(document):
        given = {word.partition("=")[0] for word in words if word.startswith("--")}
        assert given <= _known_options(words), " ".join(words)


def test_a_command_with_an_option_that_is_none_is_seen(tmp_path: Path) -> None:
    document = tmp_path / "a.md"
    document.write_text(
        "    tashika build kuci --texts a  # --no\n\n```bash\nX=1 tashika report Y \\\n  --a=1\n```\n", "utf-8"
    )
    assert list(_commands(document)) == [["build", "kuci", "--texts", "a"], ["report", "Y", "--a=1"]]
    assert "--texts" not in _known_options(["build", "kuci"])
    assert "--judge-model" in _known_options(["evaluate", "riddles"])


def _inner(command: Any) -> list[Any]:
    """The commands of a group; where they are suites, that of a suite file among them."""
    names = command.list_commands(None)
    if isinstance(command, SuiteGroup):
        names = [*names, open_suite(str(ROOT / "examples" / "nli")).name]
    return [
        command.whole(name) if isinstance(command, LazyGroup) else command.get_command(None, name) for name in names
    ]
