from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from tashika.core.cli import app
from tashika.core.hints import completed, remember, takes
from tashika.core.lazy import LazyGroup

Run = Callable[..., tuple[int, str, str]]


def commands(command: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every command that is no group, by its words."""
    names = command.list_commands(None) if hasattr(command, "list_commands") else []
    for name in names:
        inner = command.whole(name) if isinstance(command, LazyGroup) else command.get_command(None, name)
        yield from commands(inner, f"{path} {name}".strip())
    if not names:
        yield path, command


@pytest.mark.parametrize(("words", "command"), list(commands(get_command(app))))
def test_a_command_gets_the_options_that_it_has(words: str, command: Any) -> None:
    options = {name for parameter in command.params for name in parameter.opts}
    assert takes(words) == options & {"--work", "--config"}


GIVEN = ["evaluate", "kuci", "--work", "my work", "--config=own.toml", "--model", "m"]


@pytest.mark.parametrize(
    ("given", "text", "expected"),
    [
        (
            GIVEN,
            "Run `tashika export kuci` first.",
            "Run `tashika export kuci --work 'my work' --config own.toml` first.",
        ),
        (GIVEN, "`tashika report kuci`", "`tashika report kuci --work 'my work'`"),
        (GIVEN, "`tashika annotate serve`, or wait", "`tashika annotate serve --work 'my work'`, or wait"),
        (GIVEN, "`tashika report kuci --work w`", "`tashika report kuci --work w`"),
        (GIVEN, "`tashika new NAME`", "`tashika new NAME`"),
        (GIVEN, "`tashika annotate gold --help` explains it", "`tashika annotate gold --help` explains it"),
        (GIVEN, "`pip install tashika`", "`pip install tashika`"),
        (["build", "kuci"], "`tashika annotate push kuci`", "`tashika annotate push kuci`"),
        (["build", "kuci", "--work"], "`tashika annotate push kuci`", "`tashika annotate push kuci`"),
    ],
)
def test_what_a_command_line_was_given_stands_in_its_hints(given: list[str], text: str, expected: str) -> None:
    remember(given)
    assert completed(text) == expected
    assert completed(expected) == expected


def test_an_error_names_a_command_that_can_be_copied(tashika: Run, tmp_path: Path) -> None:
    code, _, err = tashika("export", "kuci", "--work", tmp_path)
    assert code == 2
    hint = err.split("`")[1]
    assert hint.endswith(f"--work {tmp_path}")
    copied, _, err = tashika(*hint.split()[1:], "--help")
    assert copied == 0, err
