"""The lines of a file, whatever ends them, none of them longer than fits into memory."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import Final, Protocol

from tashika.builders.kuci.text.encodings import UTF_8, is_wide

LONGEST: Final = 4 << 20
"""Bytes of a line that are kept, at most, and one more, by which a longer one is known."""

_BLOCK: Final = 1 << 16


class Readable(Protocol):
    """What gives bytes."""

    def read1(self, size: int, /) -> bytes:
        """Some of the next bytes, none at the end; of a file that is cut short what comes before the cut."""


def lines_of(file: Readable, encoding: str = UTF_8) -> Iterator[bytes]:
    """The lines without their ends: LF, CRLF or CR.

    Args:
        file: What is read.
        encoding: Of the text. One whose lines do not end as ASCII's do is made UTF-8, its broken characters U+FFFD.

    Yields:
        The bytes of a line; of a longer one `LONGEST` bytes and one more.
    """
    pending, skipping = b"", False
    for block in _blocks(file, encoding):
        *whole, pending = (pending + block).split(b"\n")
        if skipping and whole:
            whole, skipping = whole[1:], False
        for line in whole:
            yield line[: LONGEST + 1]
        if skipping:
            pending = b""
        elif len(pending) > LONGEST:
            yield pending[: LONGEST + 1]  # a line of gigabytes must not fill the memory
            pending, skipping = b"", True
    if pending:
        yield pending


def _blocks(file: Readable, encoding: str) -> Iterator[bytes]:
    """The text in blocks, each line's end an LF."""
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace") if is_wide(encoding) else None
    ended = False  # whether the block before ended in CR
    while block := file.read1(_BLOCK):  # of a file that is cut short `read` would lose what comes before
        if decoder is not None:
            block = decoder.decode(block).encode("utf-8", "replace")
        if not block:
            continue  # a part of a character
        begins = 1 if ended and block.startswith(b"\n") else 0
        ended = block.endswith(b"\r")
        block = block[begins:]
        if b"\r" in block:
            block = block.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        yield block
