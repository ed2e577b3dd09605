"""`tashika new`: a folder with a suite file, ten rows and guidelines, which works at once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Final

import typer

from tashika.core.custom.command import SCHEMA_FILE, schema_text
from tashika.core.errors import InputError
from tashika.core.progress import say

app = typer.Typer(add_completion=False)

PATTERNS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "verdict": "Questions with four options from a table; people accept or reject them, models choose.",
        "llm": "Clues to words that a language model writes; people accept or reject them, models name the word.",
        "labels": "Pairs of sentences that people give one of three labels; models classify them.",
        "preference": "Two answers to each question; people choose between them, and so do models.",
        "cloze": "Facts by a SPARQL query over the packaged snapshot of Wikidata; models fill a blank.",
    }
)
"""The patterns of a new suite, the one by default first; their files lie in `patterns/NAME`."""

_NAME = re.compile(r"[a-z][a-z0-9_-]{1,39}")
_PLACEHOLDER = "@NAME@"


@app.command()
def new(
    name: Annotated[
        str, typer.Argument(help="The folder; its last part is the suite's name, such as riddles.", show_default=False)
    ] = "",
    pattern: Annotated[str, typer.Option("--pattern", help="What it begins with; --list shows which there are.")] = (
        "verdict"
    ),
    show_list: Annotated[bool, typer.Option("--list", help="Show the patterns, and exit.")] = False,
) -> None:
    """Write a folder that works at once: a suite file with comments, ten rows, guidelines, and what to run next."""
    if show_list:
        width = max(map(len, PATTERNS))
        typer.echo("\n".join(f"{known:{width}}  {text}" for known, text in PATTERNS.items()))
        return
    if not name:
        raise InputError("no name is given", hint="Run `tashika new NAME`, or `tashika new --list`.")
    folder = Path(name)
    write_suite(folder, pattern)
    say(f"{folder}: written; `suite.toml` describes all of it. Next:")
    typer.echo(next_commands(folder))


def write_suite(folder: Path, pattern: str) -> None:
    """Writes the folder of a new suite.

    Args:
        folder: Where; its name is the suite's.
        pattern: One of `PATTERNS`.

    Raises:
        InputError: There is no such pattern, the name does not fit or is taken, or the folder is there already.
    """
    if pattern not in PATTERNS:
        raise InputError(f"there is no pattern {pattern!r}", hint=f"Patterns: {', '.join(PATTERNS)}.")
    _require_name(folder)
    content = pattern_files(pattern)
    try:
        folder.mkdir(parents=True)
    except FileExistsError as error:
        hint = "Choose another name, or move what is there away."
        raise InputError("there is a file or folder of this name already", where=str(folder), hint=hint) from error
    for name, text in content.items():
        written = text.replace(_PLACEHOLDER, folder.name)
        if name == "README.md":
            written += f"\nWhat to run next, from the folder above:\n\n{_indented(next_commands(Path(folder.name)))}\n"
        (folder / name).write_text(written, encoding="utf-8")
    (folder / SCHEMA_FILE).write_text(schema_text(), encoding="utf-8")


def pattern_files(pattern: str) -> dict[str, str]:
    """The files of a pattern by name; `@NAME@` in them stands for the suite's name."""
    folder = files("tashika.core.custom").joinpath("patterns", pattern)
    return {file.name: file.read_text(encoding="utf-8") for file in sorted(folder.iterdir(), key=lambda one: one.name)}


def next_commands(folder: Path) -> str:
    """The four commands that follow, each with what it does."""
    steps = {
        f"tashika check {folder}": "what is wrong in suite.toml, if anything",
        f"tashika demo {folder} --work rehearsal": "all steps on this machine, with simulated people",
        f"tashika build {folder}": "the candidates",
        f"tashika annotate push {folder}": "to people, while `tashika annotate serve` runs in another terminal",
    }
    width = max(map(len, steps))
    return "\n".join(f"{step:{width}}  # {text}" for step, text in steps.items())


def _require_name(folder: Path) -> None:
    from tashika.core.suites.discovery import all_suites

    if not _NAME.fullmatch(folder.name):
        expected = "expected 2 to 40 small letters, digits, - and _, a letter first"
        raise InputError(f"found the name {folder.name!r}, {expected}", hint="Such as: tashika new riddles")
    if folder.name in all_suites():
        raise InputError(f"there is a suite {folder.name!r} already", hint="Choose another name.")


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())
