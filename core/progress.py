"""What a person sees of long work: plain words, and a bar for what takes longer than a glance.

Everything goes to standard error, so that standard output stays clean for results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Literal, TypeVar

from rich.console import Console

from tashika.core.hints import completed

T = TypeVar("T")

Total = int | None | Callable[[], int | None]
"""Steps of a work, or what gives them while they are still being counted."""

Unit = Literal["steps", "bytes"]

console = Console(stderr=True, highlight=False, soft_wrap=True)


def say(text: str) -> None:
    """Prints a line of plain words; the commands in it are completed so that they run when they are copied."""
    console.print(completed(text), markup=False)


@contextmanager
def unseen() -> Iterator[None]:
    """Shows neither lines nor bars while the block runs, for work that is repeated again and again."""
    before, console.quiet = console.quiet, True
    try:
        yield
    finally:
        console.quiet = before


def _no_note() -> str:
    return ""


@contextmanager
def bar(
    description: str, total: Total, note: Callable[[], str] = _no_note, unit: Unit = "steps"
) -> Iterator[Callable[[int], None]]:
    """Shows a progress bar; yields a function that adds to it.

    On a terminal the bar moves. Elsewhere (a log file, CI) a line reports now and then how far the work is, beginning
    after five seconds, and the bar is left when the work is over.

    Args:
        description: What is being done.
        total: How many steps there are, None if that is not known. A function gives what is known of it at the time; it
            is called as `note` is, which then says how long the rest takes.
        note: Gives what else shows that the work proceeds, such as the requests sent, where a step takes long. It is
            called some times a second, from several threads.
        unit: What the steps are; bytes are shown as kB, MB and so on.
    """
    from tashika.core.bars import shown_bar  # rich's bars take a while to import, and --help shows none

    with shown_bar(description, total, note, unit) as advance:
        yield advance


def track(items: Iterable[T], description: str, total: int | None = None) -> Iterator[T]:
    """Yields the items, with a progress bar."""
    with bar(description, total) as advance:
        for item in items:
            yield item
            advance(1)
