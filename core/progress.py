"""What a person sees of long work: plain words, and a bar for what takes longer than a glance.

Everything goes to standard error, so that standard output stays clean for results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from rich.console import Console

T = TypeVar("T")

console = Console(stderr=True, highlight=False, soft_wrap=True)


def say(text: str) -> None:
    """Prints a line of plain words."""
    console.print(text, markup=False)


@contextmanager
def bar(description: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Shows a progress bar; yields a function that adds to it.

    On a terminal the bar moves. Elsewhere (a log file, CI) one line is left when the work is over.

    Args:
        description: What is being done.
        total: How many steps there are, None if that is not known.
    """
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console) as progress:
        task = progress.add_task(description, total=total)
        yield lambda steps: progress.advance(task, steps)


def track(items: Iterable[T], description: str, total: int | None = None) -> Iterator[T]:
    """Yields the items, with a progress bar."""
    with bar(description, total) as advance:
        for item in items:
            yield item
            advance(1)
