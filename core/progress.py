"""What a person sees of long work: plain words, and a bar for what takes longer than a glance.

Everything goes to standard error, so that standard output stays clean for results.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from itertools import chain, repeat
from typing import Final, TypeVar

from rich.console import Console, RenderableType
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

T = TypeVar("T")

_PAUSES: Final = (5.0, 10.0, 15.0, 30.0, 60.0, 180.0, 300.0)
"""Seconds between two lines about work under way where no bar can move; the last one again and again."""

console = Console(stderr=True, highlight=False, soft_wrap=True)


def say(text: str) -> None:
    """Prints a line of plain words."""
    console.print(text, markup=False)


def _no_note() -> str:
    return ""


@contextmanager
def bar(description: str, total: int | None, note: Callable[[], str] = _no_note) -> Iterator[Callable[[int], None]]:
    """Shows a progress bar; yields a function that adds to it.

    On a terminal the bar moves. Elsewhere (a log file, CI) a line says now and then how far the work is, beginning
    after five seconds, and the bar is left when the work is over.

    Args:
        description: What is being done.
        total: How many steps there are, None if that is not known.
        note: Gives what else shows that the work proceeds, such as the requests sent, where a step takes long. It is
            called some times a second, from several threads.
    """
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with _Noted(*columns, console=console, note=note) as progress:
        number = progress.add_task(description, total=total)
        with _lines(progress.tasks[0], note):
            yield lambda steps: progress.advance(number, steps)


def track(items: Iterable[T], description: str, total: int | None = None) -> Iterator[T]:
    """Yields the items, with a progress bar."""
    with bar(description, total) as advance:
        for item in items:
            yield item
            advance(1)


class _Noted(Progress):
    """A progress bar with a note on a line of its own: beside the bar a terminal has no room for it."""

    def __init__(self, *columns: ProgressColumn, console: Console, note: Callable[[], str]) -> None:
        self._note = note  # first: the bar is drawn once while it is made
        super().__init__(*columns, console=console)

    def get_renderables(self) -> Iterator[RenderableType]:
        """The bar and the note of now."""
        yield from super().get_renderables()
        if note := self._note():
            yield Text(f"  {note}")


@contextmanager
def _lines(task: Task, note: Callable[[], str]) -> Iterator[None]:
    """Says now and then how far a task is while the block runs, unless a bar moves."""
    if console.is_interactive:
        yield
        return
    begin, ended = time.monotonic(), threading.Event()

    def tell() -> None:
        for pause in chain(_PAUSES, repeat(_PAUSES[-1])):
            if ended.wait(pause):
                return
            say(_line(task, time.monotonic() - begin, note()))

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        ended.set()
        teller.join()


def _line(task: Task, seconds: float, note: str) -> str:
    """How far a task is, as a line of a log."""
    steps = f"{task.completed:,.0f}" if task.total is None else f"{task.completed:,.0f} of {task.total:,.0f}"
    line = f"{task.description}: {steps} after {timedelta(seconds=int(seconds))}"
    return f"{line}; {note}" if note else line
