"""The command line. Rooms are imported when one of their commands is called.

`core` must not know the rooms, since they all stand on it; so this module knows their commands by name only.
"""

from __future__ import annotations

import errno
import sys
from importlib import import_module
from importlib.metadata import version
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from tashika.core.errors import TashikaError
from tashika.core.progress import console
from tashika.core.services import ended_politely
from tashika.core.threads import set_thread_defaults

COMMANDS = {
    "build": "tashika.builders.command",
    "annotate": "tashika.annotation.command",
    "export": "tashika.exports.command:export",
    "publish": "tashika.exports.command:publish",
    "evaluate": "tashika.evaluate.command",
    "report": "tashika.evaluate.command:report",
    "models": "tashika.evaluate.models_command",
    "serve": "tashika.builders.serving",
    "demo": "tashika.core.demo",
    "status": "tashika.core.status",
}
"""Command -> the module that holds it, and the name of its Typer app where that is not `app`."""


_WRONG_PLACE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.EISDIR})
"""What is wrong with a path that the user gave; anything else of the kind is a failure outside."""

_COMPLETION = frozenset({"install_completion", "show_completion"})


class RoomGroup(TyperGroup):
    """A group whose commands live in the rooms, imported on demand."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The commands in the order of the work."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Imports the command's module; None for a name that nobody has."""
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name].partition(":")
        command = get_command(getattr(import_module(module), attribute or "app"))
        command.name = cmd_name
        command.params = [option for option in command.params if option.name not in _COMPLETION]  # the root has them
        return command


app = typer.Typer(
    cls=RoomGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"auto_envvar_prefix": "TASHIKA", "help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tashika {version('tashika')}")
        raise typer.Exit


@app.callback()
def tashika(
    show_version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Turns generated candidates into validated, published knowledge datasets, and scores language models on them.

    The order of the work: build, annotate (push, people answer, pull, vote), export, publish, evaluate, report.
    `tashika demo` does all of it on this machine. Every option of COMMAND can be given as TASHIKA_COMMAND_OPTION.
    """


def main() -> None:
    """Runs the command line; errors that were foreseen leave without a traceback."""
    # OpenMP's runtime reads its variables when it is loaded, which torch does: no room may have been imported before.
    set_thread_defaults()
    try:
        with ended_politely():
            app()
    except TashikaError as error:
        console.print(f"error: {error}", style="red", markup=False)
        sys.exit(error.exit_code)
    except OSError as error:
        if error.strerror is None:
            raise
        place = f"{error.filename}: " if error.filename else ""
        console.print(f"error: {place}{error.strerror}", style="red", markup=False)
        if error.errno in _WRONG_PLACE:
            sys.exit(2)
        console.print("  What was finished before is kept; run the same command again.", markup=False)
        sys.exit(1)


if __name__ == "__main__":
    main()
