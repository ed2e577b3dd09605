"""Files whose lines fit into memory: a few kilobytes of a packed file can unfold to one line of gigabytes.

What reads a file of others line by line, or entry by entry, reads it through `Bounded`: it passes the bytes on and ends
in an error where too many have come without an end of the line.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import BufferedIOBase, TextIOWrapper
from pathlib import Path
from typing import IO, Any, Final, Protocol

from tashika.core.errors import InputError

# A field of a million characters is more likely a quotation mark that is not closed; the default limit is lower still.
csv.field_size_limit(2_000_000)

LONGEST_LINE: Final = 64 << 20
"""Bytes of a line of a table or of JSON Lines, at most: more than any text that people or models are shown."""

_BLOCK: Final = 1 << 18


class Readable(Protocol):
    """What gives bytes."""

    def read1(self, size: int, /) -> bytes:
        """Some of the next bytes, none at the end; of a file that is cut short what comes before the cut."""

    def close(self) -> None:
        """Ends it."""


class Bounded(BufferedIOBase):
    """A file that ends in an error where a stretch of it is too long to be kept.

    Args:
        file: What is read; it is closed with this.
        where: Its path, for the error.
        longest: Bytes of a stretch, at most; `LONGEST_LINE` if None.
        ends: The bytes that end a stretch; none where `rest` alone does.
        what: A stretch in the error's words.
    """

    def __init__(
        self,
        file: Readable,
        where: str,
        *,
        longest: int | None = None,
        ends: bytes = b"\n\r",
        what: str = "a line",
    ) -> None:
        self._file = file
        self._where = where
        self._longest = LONGEST_LINE if longest is None else longest
        self._ends = ends
        self._what = what
        self._since = 0

    def readable(self) -> bool:
        """It is."""
        return True

    def read1(self, size: int = -1, /) -> bytes:
        """Some of the next bytes, none at the end.

        Raises:
            InputError: The stretch that they belong to is too long.
        """
        block = self._file.read1(_BLOCK if size < 0 else min(size, _BLOCK))
        end = max((block.rfind(bytes((one,))) for one in self._ends), default=-1)
        self._since = len(block) - end - 1 if end >= 0 else self._since + len(block)
        if self._since > self._longest:
            size_in_words = f"{self._longest >> 20} MiB" if self._longest >> 20 else f"{self._longest:,} bytes"
            raise InputError(
                f"found {self._what} of more than {size_in_words}",
                where=self._where,
                hint="Nothing that belongs here is as long: the file is broken, or made to fill the memory.",
            )
        return block

    def read(self, size: int | None = -1, /) -> bytes:
        """The next bytes, `size` of them unless the file ends; raises as `read1` does."""
        parts: list[bytes] = []
        left = -1 if size is None else size
        while left and (block := self.read1(left)):
            parts.append(block)
            left -= len(block) if left > 0 else 0
        return b"".join(parts)

    def rest(self) -> None:
        """Begins a new stretch: what was read is no longer kept."""
        self._since = 0

    def close(self) -> None:
        """Closes the file too."""
        self._file.close()
        super().close()


@contextmanager
def bounded_text(file: Readable, where: str) -> Iterator[IO[str]]:
    """A file as text in UTF-8, with or without a byte order mark, its line ends as they are; the file is closed.

    Raises:
        InputError: A line is too long.
    """
    with TextIOWrapper(_wrapped(Bounded(file, where)), encoding="utf-8-sig", newline="") as lines:
        yield lines


class RowLines(Iterator[str]):
    """The lines of a table, for a reader of CSV that calls `rest` after each row.

    Args:
        lines: With their ends.
        where: Its path, for the error.
    """

    def __init__(self, lines: Iterable[str], where: str) -> None:
        self.begin = 1
        """The number of the first line of the row."""
        self._lines = iter(lines)
        self._where = where
        self._count = 0
        self._length = 0

    def __next__(self) -> str:
        """The next line.

        Raises:
            InputError: The row is too long: in quotation marks it goes on over any number of lines.
        """
        line = next(self._lines)
        self._count += 1
        self._length += len(line)
        if self._length > LONGEST_LINE:
            problem = f"found a row of more than {LONGEST_LINE >> 20} million characters"
            raise InputError(problem, where=f"{self._where}:{self.begin}", hint="A quotation mark may be open.")
        return line

    def rest(self) -> None:
        """Begins a new row."""
        self.begin, self._length = self._count + 1, 0


def csv_rows(lines: Iterable[str], where: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """The rows of a table, each with the number of its first line, from 1.

    Args:
        lines: With their ends.
        where: Its path, for errors.
        delimiter: What parts the fields.

    Raises:
        InputError: It is no CSV, or a row is too long.
    """
    bounded = RowLines(lines, where)
    reader = csv.reader(bounded, delimiter=delimiter, strict=True)
    try:
        for fields in reader:
            yield bounded.begin, fields
            bounded.rest()
    except csv.Error as error:
        raise InputError(f"not CSV: {error}", where=f"{where}:{reader.line_num}") from error


def text_lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a file in UTF-8, with or without a byte order mark, each with its number from 1.

    Raises:
        FileNotFoundError: There is no such file.
        InputError: A line is too long, or not UTF-8.
    """
    try:
        with bounded_text(path.open("rb"), str(path)) as lines:
            yield from enumerate(lines, start=1)
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8: {error}", where=str(path)) from error


def _wrapped(file: Bounded) -> Any:
    """For typing alone: TextIOWrapper takes any buffered file, and its stub a longer list of methods."""
    return file
