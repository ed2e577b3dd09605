"""How a progress bar looks, and what stands in for it where none can move; imported when work begins."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from itertools import chain, repeat
from typing import Final

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

from tashika.core import progress

_PAUSES: Final = (5.0, 10.0, 15.0, 30.0, 60.0, 180.0, 300.0)
"""Seconds between two lines about work under way where no bar can move; the last one again and again."""


_THREAD: Final = "tashika-progress"


@contextmanager
def shown_bar(description: str, total: progress.Total, note: Callable[[], str]) -> Iterator[Callable[[int], None]]:
    """The bar of `progress.bar`."""
    columns: list[ProgressColumn] = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()]
    columns += [TimeElapsedColumn()] if callable(total) else [TimeElapsedColumn(), TimeRemainingColumn()]
    known = total if callable(total) else None
    with NotedProgress(*columns, console=progress.console, note=note, total=known) as shown:
        number = shown.add_task(description, total=None if callable(total) else total)
        with _lines(shown, note):
            yield lambda steps: shown.advance(number, steps)


class NotedProgress(Progress):
    """A progress bar with a note on a line of its own: beside the bar a terminal has no room for it."""

    def __init__(
        self,
        *columns: ProgressColumn,
        console: Console,
        note: Callable[[], str],
        total: Callable[[], int | None] | None = None,
    ) -> None:
        self._note, self._total = note, total  # first: the bar is drawn once while it is made
        super().__init__(*columns, console=console)

    def learn_total(self) -> None:
        """Takes the number of steps that is known by now."""
        if self._total is not None:
            total = self._total()
            for task in self.tasks:
                task.total = total

    def get_renderables(self) -> Iterator[RenderableType]:
        """The bar and the note of now."""
        self.learn_total()
        yield from super().get_renderables()
        if note := self._note():
            yield Text(f"  {note}")


@contextmanager
def _lines(shown: NotedProgress, note: Callable[[], str]) -> Iterator[None]:
    """Says now and then how far the only task is while the block runs, unless a bar moves."""
    if progress.console.is_interactive:
        yield
        return
    begin, ended = time.monotonic(), threading.Event()

    def report() -> None:
        for pause in chain(_PAUSES, repeat(_PAUSES[-1])):
            if ended.wait(pause):
                return
            shown.learn_total()
            progress.say(_line(shown.tasks[0], time.monotonic() - begin, note()))

    reporter = threading.Thread(target=report, name=_THREAD, daemon=True)
    reporter.start()
    try:
        yield
    finally:
        ended.set()
        reporter.join()


def _line(task: Task, seconds: float, note: str) -> str:
    """How far a task is, as a line of a log."""
    steps = f"{task.completed:,.0f}" if task.total is None else f"{task.completed:,.0f} of {task.total:,.0f}"
    line = f"{task.description}: {steps} after {timedelta(seconds=int(seconds))}"
    return f"{line}; {note}" if note else line
