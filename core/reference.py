"""The text of `docs/commands.md`: every command's `--help`, so that the two cannot differ."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from typer.main import get_command

from tashika.core.cli import app
from tashika.core.custom.command import SCHEMA_FILE, schema_text
from tashika.core.custom.reference import keys_reference
from tashika.core.lazy import LazyGroup

_HEADING = """# Commands

Made by `make docs` from what `--help` says; a test compares the two. An option can also be given as the environment
variable beside it, or as TASHIKA_COMMAND_OPTION where none is shown.
"""


def reference() -> str:
    """All commands in Markdown, in the order of the work."""
    root: Any = get_command(app)
    return _HEADING + "".join(f"\n{section}" for section in _sections(root, "tashika"))


def _sections(command: Any, path: str) -> Iterator[str]:
    yield f"## `{path}`\n\n{_paragraphs(command.help)}{_options(command)}"
    names = command.list_commands(None) if hasattr(command, "list_commands") else []
    for name in names:
        inner = command.whole(name) if isinstance(command, LazyGroup) else command.get_command(None, name)
        yield from _sections(inner, f"{path} {name}")


def _paragraphs(text: str | None) -> str:
    paragraphs = [" ".join(paragraph.split()) for paragraph in (text or "").split("\n\n")]
    return "\n\n".join(paragraphs) + "\n"


def _options(command: Any) -> str:
    rows = [_row(option) for option in command.params if option.name != "help" and not getattr(option, "hidden", False)]
    rows = [row for row in rows if "completion" not in row]
    return "\n| option | what it does |\n|---|---|\n" + "".join(rows) if rows else ""


def _row(option: Any) -> str:
    names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    help_text = " ".join((getattr(option, "help", None) or "").replace("|", "\\|").split())
    variable = f" (`{option.envvar}`)" if getattr(option, "envvar", None) else ""
    default = option.default
    shown = f" Default: `{default}`." if default not in (None, False, "", (), []) and not callable(default) else ""
    return f"| {names}{variable} | {help_text}{shown} |\n"


DOCUMENTS: Mapping[str, Callable[[], str]] = {
    "commands.md": reference,
    "suite-file.md": keys_reference,
    SCHEMA_FILE: schema_text,
}
"""The documents under `docs/` that are made, each by its name."""


if __name__ == "__main__":
    for name, text in DOCUMENTS.items():
        Path(sys.argv[1]).with_name(name).write_text(text(), encoding="utf-8")
