"""A JSON array read element by element, so that an export of any size takes little memory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, TextIO

from tashika.core.errors import OutsideError

_CHUNK = 1 << 18
_BLANK = " \t\r\n"


def read_array(file: TextIO, where: str) -> Iterator[Any]:
    """Yields the elements of the JSON array that a file holds.

    Args:
        file: Positioned at its beginning.
        where: Named in errors.

    Raises:
        OutsideError: The file holds something else, or ends too early.
    """
    decoder = json.JSONDecoder()
    buffer = file.read(_CHUNK).lstrip(_BLANK)
    if not buffer.startswith("["):
        raise _broken(f"expected a JSON array, found {buffer[:60]!r}", where)
    buffer = buffer[1:]
    first = True
    while True:
        buffer = _filled(file, buffer.lstrip(_BLANK))
        if buffer.startswith("]"):
            return
        if not first:
            if not buffer.startswith(","):
                raise _broken(f"the JSON array breaks off or goes wrong at {buffer[:60]!r}", where)
            buffer = buffer[1:].lstrip(_BLANK)
        first = False
        value, buffer = _element(decoder, file, buffer, where)
        yield value


def _filled(file: TextIO, buffer: str) -> str:
    while not buffer:
        more = file.read(_CHUNK)
        if not more:
            return ""
        buffer = more.lstrip(_BLANK)
    return buffer


def _element(decoder: json.JSONDecoder, file: TextIO, buffer: str, where: str) -> tuple[Any, str]:
    wanted = _CHUNK
    while True:
        try:
            value, end = decoder.raw_decode(buffer.lstrip(_BLANK))
        except json.JSONDecodeError as error:
            more = file.read(wanted)
            if not more:
                raise _broken(f"the JSON breaks off or goes wrong: {error}", where) from error
            buffer, wanted = buffer.lstrip(_BLANK) + more, wanted * 2  # doubling: a huge element is not read n² times
            continue
        return value, buffer.lstrip(_BLANK)[end:]


def _broken(message: str, where: str) -> OutsideError:
    hint = "Nothing was taken over. Pull again; if it stays so, look at the server's log."
    return OutsideError(message, where=where, hint=hint)
