"""Groups of commands that import a command when it is called, and not to list it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import typer
from typer._click.shell_completion import CompletionItem
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from tashika.core.suites.suite import Room, Suite, load_object


class LazyGroup(TyperGroup):
    """A group that knows the help of its commands without importing them."""

    def entries(self) -> Mapping[str, str]:
        """The commands and one sentence on each, in the order of a list."""
        raise NotImplementedError

    def whole(self, name: str) -> Any:
        """Imports a command with its options."""
        raise NotImplementedError

    def list_commands(self, ctx: Any) -> list[str]:
        """The commands' names."""
        return list(self.entries())

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """What a list shows of a command; None for a name that none has."""
        known = self.entries()
        return TyperCommand(cmd_name, help=known[cmd_name]) if cmd_name in known else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The whole command that is asked for."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, command if command is None or name is None else self.whole(name), rest


class SuiteGroup(LazyGroup):
    """One command for each suite, from the object that a room takes from it.

    Attributes:
        room: The room; each has a class of its own.
    """

    room: ClassVar[Room]

    def entries(self) -> Mapping[str, str]:
        """The suites and their titles."""
        from tashika.core.suites.discovery import known_suites  # reads what is installed; lists of rooms do without

        return {name: suite.title for name, suite in known_suites().items()}

    def list_commands(self, ctx: Any) -> list[str]:
        """The suites that are installed; one of the user's own is no command of the toolkit."""
        from tashika.core.suites.discovery import all_suites

        return list(all_suites())

    def whole(self, name: str) -> Any:
        """The suite's command."""
        return function_command(name, _suite(name).load(self.room).command)

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """The suites that are installed, those of the user's own in this folder, and options."""
        from tashika.core.completing import complete_suite

        offers = [CompletionItem(name, help=meaning) for name, meaning in complete_suite(incomplete)]
        return offers or super().shell_complete(ctx, incomplete)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command of a suite by its name, or by the file of one of the user's own."""
        named = [_suite(args[0]).name, *args[1:]] if args and not args[0].startswith("-") else args
        return super().resolve_command(ctx, named)


def _suite(reference: str) -> Suite:
    from tashika.core.suites.discovery import open_suite

    return open_suite(reference)


def function_command(name: str, function: Any, help_text: str | None = None) -> Any:
    """A function with annotated arguments as a command."""
    app = typer.Typer(add_completion=False)
    app.command(name, help=help_text)(function)
    return get_command(app)


def loaded_command(name: str, place: str) -> Any:
    """A Typer app, named as MODULE:ATTRIBUTE, as a command without the options for completion: the root has them."""
    command = get_command(load_object(place))
    command.name = name
    command.params = [option for option in command.params if option.name not in _COMPLETION]
    return command


_COMPLETION = frozenset({"install_completion", "show_completion"})
