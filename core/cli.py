"""The command line. Rooms are imported when one of their commands is called.

`core` must not know the rooms, since they all stand on it; so this module knows their commands by name only.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

import typer

from tashika.core.completing import is_completing, shows_help
from tashika.core.errors import InputError, TashikaError
from tashika.core.help_pages import asks_for_help, import_help
from tashika.core.hints import completed, remember
from tashika.core.lazy import LazyGroup, loaded_command
from tashika.core.progress import console, say
from tashika.core.services import CALLED, ended_politely
from tashika.core.threads import set_thread_defaults

COMMANDS = {
    "new": ("tashika.core.custom.new:app", "Begin a dataset of your own: write a folder that works at once."),
    "check": (
        "tashika.exports.checking.command:app",
        "Say what is wrong with a suite file, and with the release before it is written.",
    ),
    "build": ("tashika.builders.command:app", "Make the candidates of a suite: what people will then judge."),
    "annotate": (
        "tashika.annotation.command:app",
        "Let several people judge every candidate in Label Studio, and count their votes.",
    ),
    "export": (
        "tashika.exports.command:export",
        "Write the validated items as a dataset that `datasets.load_dataset` opens, with its card.",
    ),
    "publish": (
        "tashika.exports.command:publish",
        "Upload a release to the Hugging Face Hub: private unless --public, with a tag.",
    ),
    "diff": (
        "tashika.exports.versions.command:diff",
        "Say what differs between two versions of a release: items added, dropped and changed, by kind and reason.",
    ),
    "evaluate": ("tashika.evaluate.command:app", "Score language models on a release."),
    "report": (
        "tashika.evaluate.command:report",
        "Write one HTML page with the scores of a suite, or without a suite one over all, and print where it is.",
    ),
    "show": (
        "tashika.evaluate.show_command:app",
        "Read what a scored model answered beside the prompt and what is right: here, or as CSV or JSON lines.",
    ),
    "compare": (
        "tashika.evaluate.compare_command:app",
        "Compare scored models item by item: differences, intervals, tests; logs of lm-eval and inspect too.",
    ),
    "models": ("tashika.evaluate.models_command:app", "Make small models ready that need no download."),
    "serve": (
        "tashika.builders.sources.serving:app",
        "Run a Wikidata snapshot or the small LLM on this machine.",
    ),
    "demo": (
        "tashika.core.demo:app",
        "Run the whole main job on this machine: build, annotate, export, evaluate, report.",
    ),
    "audit": (
        "tashika.core.audit_command:app",
        "Show who has done what in a suite's folder, and whether the log is whole.",
    ),
    "status": (
        "tashika.core.status:app",
        "Show for every suite what is done, what is stale, and the command for what is next.",
    ),
}
"""Command -> the Typer app that it is, as MODULE:ATTRIBUTE, and its line in a list of commands."""


_WRONG_PLACE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.EISDIR})
"""What is wrong with a path that the user gave; anything else of the kind is a failure outside."""


_SIGNALLED: Final = 128
"""Exit codes above this name a signal."""


def _say_interrupted(how: str) -> None:
    """Says how to continue, but where another command of ours has called this one and says it itself."""
    if CALLED not in os.environ:
        say(f"{how}; run the same command to continue")


class RoomGroup(LazyGroup):
    """The commands live in the rooms, in the order of the work."""

    def entries(self) -> Mapping[str, str]:
        """The commands and what each does."""
        return {name: text for name, (_, text) in COMMANDS.items()}

    def whole(self, name: str) -> Any:
        """Imports a room's command."""
        return loaded_command(name, COMMANDS[name][0])

    def invoke(self, ctx: Any) -> Any:
        """Runs the command; who ends it early learns that nothing finished is lost."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            _say_interrupted("interrupted")
            raise
        except SystemExit as end:
            if isinstance(end.code, int) and end.code > _SIGNALLED:
                _say_interrupted(f"ended by {signal.Signals(end.code - _SIGNALLED).name}")
            raise

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuses what the command's own parser would take the last of; notes what hints need to be copied."""
        require_one_config(args)
        remember(args)
        return super().parse_args(ctx, args)


def require_one_config(args: Sequence[str]) -> None:
    """Refuses a second settings file: which of two wins is not to be guessed.

    Args:
        args: The words of a command line.

    Raises:
        InputError: `--config` stands there twice or more.
    """
    given = [
        args[place + 1] if word == "--config" else word.removeprefix("--config=")
        for place, word in enumerate(args)
        if word.startswith("--config=") or (word == "--config" and place + 1 < len(args))
    ]
    if len(given) > 1:
        raise InputError(
            f"found --config {len(given)} times ({', '.join(given)}); expected one settings file",
            hint="Put what differs from the published settings into one file: it is laid over them by itself.",
        )


app = typer.Typer(
    cls=RoomGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"auto_envvar_prefix": "TASHIKA", "help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"tashika {version('tashika')}")
        raise typer.Exit


@app.callback()
def tashika(
    show_version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Turns generated candidates into validated, published knowledge datasets, and scores language models on them.

    The order of the work: build, annotate (push, people answer, pull, vote), export, publish, evaluate, report,
    compare. `tashika demo` does all but the last on this machine. Every option of COMMAND can be given as
    TASHIKA_COMMAND_OPTION.
    """


def main() -> None:
    """Runs the command line; errors that were foreseen leave without a traceback."""
    # OpenMP's runtime reads its variables when it is loaded, which torch does: no room may have been imported before.
    set_thread_defaults()
    if shows_help() if is_completing() else asks_for_help(sys.argv[1:]):
        import_help()
    try:
        with ended_politely():
            app(prog_name="tashika")  # also when it runs as a module: completion goes by the name
    except TashikaError as error:
        if is_completing():
            sys.exit(0)  # nothing fits what stands there; the line is the user's to finish
        console.print(completed(f"error: {error}"), style="red", markup=False)
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
