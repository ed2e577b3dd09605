"""What the server cannot send as a whole, read in parts, round the tasks for which it fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from tashika.core.errors import OutsideError

Page = TypeVar("Page")

MOST_UNREADABLE = 20
"""Of more tasks the fault is not theirs."""


class ServerFailedError(OutsideError):
    """The server answered with status 500: what was asked for is beyond it, whatever else it can do."""


def halved(
    numbers: Sequence[int], read: Callable[[Sequence[int]], Page]
) -> Iterator[tuple[Sequence[int], Page | ServerFailedError]]:
    """Reads things by their numbers at once, and where the server fails for one of them, round it.

    Args:
        numbers: Which.
        read: Asks the server for some of them.

    Yields:
        Some of the numbers, and what was read; of one number alone the error where the server fails for it.
    """
    try:
        yield numbers, read(numbers)
    except ServerFailedError as error:
        if len(numbers) == 1:
            yield numbers, error
            return
        half = len(numbers) // 2
        yield from halved(numbers[:half], read)
        yield from halved(numbers[half:], read)
