"""The export of a project page by page: as long as it takes, and round what the server cannot export.

Asked for everything at once, Label Studio sends nothing until it has made all of it, which no client waits for. A page
takes it some seconds. It fails for a whole page (status 500) where one answer of it cannot be written, such as one with
half a surrogate; then the page is halved until the task is known. Answers that come in meanwhile are of the next pull.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tashika.annotation.labelstudio.client import Server
from tashika.annotation.labelstudio.halving import MOST_UNREADABLE, ServerFailedError, halved
from tashika.core.errors import OutsideError
from tashika.core.progress import bar

_TASKS_A_PAGE = 500
"""Twice as many are more than the server takes of one request."""

_NO_TASK = 0


@dataclass
class Export:
    """The export of a project, as one JSON array.

    Attributes:
        server: Where the project is.
        project_id: The project.
        name: What it is called in the progress.
        unreadable: The tasks that the server could not export; complete once all chunks were read.
    """

    server: Server
    project_id: int
    name: str
    unreadable: list[int] = field(default_factory=list)

    def chunks(self) -> Iterator[bytes]:
        """Yields the export, a page at a time.

        Raises:
            OutsideError: The server failed, or what it sent is no list of tasks.
        """
        last, separator = 0, b"["
        numbers, total = self.server.task_numbers(self.project_id, last, _TASKS_A_PAGE)
        with bar(f"pulling {self.name} answers (tasks)", total) as advance:
            while numbers:
                for content in self._pages(numbers):
                    if content:
                        yield separator + content
                        separator = b","
                advance(len(numbers))
                last = numbers[-1]
                numbers, _ = self.server.task_numbers(self.project_id, last, _TASKS_A_PAGE)
        yield b"[]" if separator == b"[" else b"]"

    def _pages(self, numbers: Sequence[int]) -> Iterator[bytes]:
        """Yields the tasks as they are in a JSON array, without its brackets and without those that are unreadable."""
        for part, content in halved(numbers, self._page):
            if not isinstance(content, ServerFailedError):
                yield content
                continue
            self._page([_NO_TASK])  # which fails too where the fault is not the task's
            self.unreadable.append(part[0])
            if len(self.unreadable) > MOST_UNREADABLE:
                raise content

    def _page(self, numbers: Sequence[int]) -> bytes:
        content = b"".join(self.server.export(self.project_id, numbers)).strip()
        try:
            tasks = json.loads(content)
        except ValueError as error:
            raise _no_export(
                f"the export is broken off or no JSON: {error}; found {content[:60]!r}", self.server
            ) from error
        if not isinstance(tasks, list):
            raise _no_export(f"expected a JSON array, found {content[:60]!r}", self.server)
        return content[1:-1].strip()


def _no_export(message: str, server: Server) -> OutsideError:
    hint = "Nothing was taken over. Pull again; if it stays so, look at the server's log."
    return OutsideError(message, where=server.url, hint=hint)
