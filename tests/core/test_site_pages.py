from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from tashika.core.cli import app
from tashika.core.lazy import LazyGroup
from tashika.core.site_pages import INTERFACE, entries, llms_text, moved, pages, read_project

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


@pytest.mark.parametrize("document", ["index.md", "faq.md"])
def test_commands_of_the_pages_exist(document: str) -> None:
    text = (ROOT / "docs" / document).read_text(encoding="utf-8")
    for line in re.findall(r"^    tashika (.*)$", text, re.MULTILINE):
        command: Any = get_command(app)
        words = line.split()
        for word in words:
            names = command.list_commands(None) if hasattr(command, "list_commands") else []
            if word in names:
                command = command.whole(word) if isinstance(command, LazyGroup) else command.get_command(None, word)
        if hasattr(command, "list_commands"):  # the name of a suite stands for any
            command = next(iter(_inner(command)))
        known = {name for option in command.params for name in (*option.opts, *option.secondary_opts)}
        assert {word for word in words if word.startswith("--")} <= known, line


def _inner(command: Any) -> list[Any]:
    return [
        command.whole(name) if isinstance(command, LazyGroup) else command.get_command(None, name)
        for name in command.list_commands(None)
    ]
