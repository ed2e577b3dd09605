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
from rich.filesize import decimal
from rich.progress import (
    BarColumn,
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


_BAR_WIDTH: Final = 20
"""Characters, so that a terminal of 80 columns has room for the numbers beside it."""

_SPANS: Final = ((1, "s"), (60, "min"), (3600, "h"))
"""Times that rates are given for, in seconds."""

_THREAD: Final = "tashika-progress"


class CountColumn(ProgressColumn):
    """How many steps are done, and of how many where that is known."""

    def __init__(self, unit: progress.Unit) -> None:
        super().__init__()
        self._unit = unit

    def render(self, task: Task) -> Text:
        """The numbers of a task."""
        done = amount(task.completed, self._unit)
        return Text(done if task.total is None else f"{done}/{amount(task.total, self._unit)}", "progress.download")


class RateColumn(ProgressColumn):
    """How fast the work is, since it began: the last steps alone would jump where steps differ."""

    def __init__(self, unit: progress.Unit) -> None:
        super().__init__()
        self._unit = unit

    def render(self, task: Task) -> Text:
        """The rate of a task; nothing before its first step."""
        return Text(rate(task.completed, task.elapsed or 0.0, self._unit), "progress.data.speed")


def amount(steps: float, unit: progress.Unit) -> str:
    """A number of steps, as people read it."""
    return decimal(int(steps)) if unit == "bytes" else f"{steps:,.0f}"


def rate(steps: float, seconds: float, unit: progress.Unit) -> str:
    """Steps by the time that they took, for the shortest time that has a whole step in it; nothing before the first."""
    if not steps or not seconds:
        return ""
    a_second = steps / seconds
    if unit == "bytes":
        return f"{decimal(int(a_second))}/s"
    span, name = next((span for span in _SPANS if a_second * span[0] >= 1), _SPANS[-1])
    return f"{a_second * span:,.{0 if a_second * span >= 10 else 1}f}/{name}"


@contextmanager
def shown_bar(
    description: str, total: progress.Total, note: Callable[[], str], unit: progress.Unit
) -> Iterator[Callable[[int], None]]:
    """The bar of `progress.bar`."""
    columns: list[ProgressColumn] = [TextColumn("{task.description}"), BarColumn(_BAR_WIDTH), CountColumn(unit)]
    columns += [TimeElapsedColumn()]
    columns += [] if callable(total) else [RateColumn(unit)]
    columns += [TimeRemainingColumn()] if isinstance(total, int) else []
    known = total if callable(total) else None
    with NotedProgress(*columns, console=progress.console, note=note, total=known) as shown:
        number = shown.add_task(description, total=None if callable(total) else total)
        with _lines(shown, note, unit):
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

    @property
    def counts_itself(self) -> bool:
        """Whether the total is learned meanwhile; then the note says how long the rest takes."""
        return self._total is not None

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
def _lines(shown: NotedProgress, note: Callable[[], str], unit: progress.Unit) -> Iterator[None]:
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
            progress.say(_line(shown.tasks[0], time.monotonic() - begin, note(), unit, paced=shown.counts_itself))

    reporter = threading.Thread(target=report, name=_THREAD, daemon=True)
    reporter.start()
    try:
        yield
    finally:
        ended.set()
        reporter.join()


def _line(task: Task, seconds: float, note: str, unit: progress.Unit, *, paced: bool) -> str:
    """How far a task is, as a line of a log; with its rate and what is left unless `paced`: the note has these."""
    steps = amount(task.completed, unit)
    steps = steps if task.total is None else f"{steps} of {amount(task.total, unit)}"
    line = f"{task.description}: {steps} after {timedelta(seconds=int(seconds))}"
    if task.completed and not paced:
        line += f", {rate(task.completed, seconds, unit)}"
        if task.total is not None:
            left = (task.total - task.completed) * seconds / task.completed
            line += f", about {timedelta(seconds=round(left))} left"
    return f"{line}; {note}" if note else line
