"""Files of KNP's output, plain or gzip, read a sentence at a time: KNP writes about 10 kB a sentence.

A file may have Windows' line ends and no comments, and may be cut anywhere: what cannot be read is a `Failure` in its
place.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Final, TextIO

from tashika.builders.kuci.analysis.knp.sentence import KEYS, load_pyknp, read_block, surfaces_of
from tashika.builders.kuci.analysis.records import Backend, Failure, Sentence
from tashika.core.errors import InputError

LINES: Final = 20_000
"""Lines of a sentence, at most: a file that is no KNP output has no EOS, and must not fill the memory."""

GZIP: Final = b"\x1f\x8b"
CUT: Final = "# the gz file is cut short or damaged here"
"""Stands where no more of a file can be read: a comment, in a sentence that has no EOS."""
SID: Final = re.compile(r"# S-ID: ?(\S+)")


def read_blocks(path: Path, name: str = "") -> Iterator[tuple[str, str]]:
    """Reads the sentences of a file of KNP's output.

    Args:
        path: The file; it is gzip if it begins like one.
        name: Goes before each S-ID, with a colon: two files may have the same ones.

    Yields:
        The sentence's id (its S-ID, or else the file's name and the line that it begins at) and its lines up to EOS.
        A sentence that the file's end cuts off lacks EOS, and `KnpFile` reports it.

    Raises:
        InputError: There is no such file.
    """
    lines: list[str] = []
    begin = 1
    for number, line in enumerate(_lines(path), start=1):
        if lines and SID.match(line) and any(not one.startswith("#") for one in lines):
            # The sentence before has lost its EOS; read as one, the two would give a pair that nobody wrote.
            yield _block((path.name, name), begin, lines, ended=False)
            lines = []
        if not lines:
            begin = number
        if line == "EOS":
            yield _block((path.name, name), begin, lines, ended=len(lines) < LINES)
            lines = []
        elif len(lines) < LINES and (line.strip() or lines):
            lines.append(line)
    if lines:
        yield _block((path.name, name), begin, lines, ended=False)


def _block(names: tuple[str, str], begin: int, lines: list[str], *, ended: bool) -> tuple[str, str]:
    """A sentence's id and lines; `names` are the file's own, and the one that S-IDs get."""
    own, name = names
    match = next((match for line in lines if (match := SID.match(line))), None)
    sid = f"{name}:{match.group(1)}" if match and name else match.group(1) if match else f"{name or own}:{begin}"
    return sid, "\n".join([*lines, "EOS"] if ended else lines)


def _lines(path: Path) -> Iterator[str]:
    """The lines without their ends. Bytes that are not UTF-8 become U+FFFD, which `KnpFile` finds."""
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == GZIP
        with _open(path, packed=packed) as text:
            for line in text:
                yield line.rstrip("\r\n")
    except FileNotFoundError as error:
        raise InputError("there is no such file", where=str(path), hint="Name files of KNP's output.") from error
    except IsADirectoryError as error:
        raise InputError("found a folder, expected a file of KNP's output", where=str(path)) from error
    except (EOFError, gzip.BadGzipFile, zlib.error):
        yield CUT  # what it held so far stays; the sentence that is open, or begins here, lacks its EOS


def _open(path: Path, *, packed: bool) -> TextIO:
    # Only \n ends a line here: a form feed or U+2028 may stand in a sentence.
    if packed:
        return gzip.open(path, "rt", encoding="utf-8-sig", errors="replace", newline="\n")
    return path.open(encoding="utf-8-sig", errors="replace", newline="\n")


class KnpFile:
    """Reads sentences that KNP has analysed before.

    Raises:
        OutsideError: pyknp is not installed.
    """

    backend: Backend = "knp-file"
    keys: str = KEYS

    def __init__(self) -> None:
        load_pyknp()

    def describe(self) -> dict[str, str]:
        """Name and versions, for provenance."""
        return {"analyzer": "knp-file", "pyknp": version("pyknp")}

    def analyze(self, sentences: Iterable[tuple[str, str]]) -> Iterator[Sentence | Failure]:
        """Reads (sid, block) pairs as `read_blocks` yields them, one result each, in their order."""
        for sid, block in sentences:
            reason = _refused(block)
            yield read_block(block, sid) if reason is None else Failure(sid, surfaces_of(block), reason)


def _refused(block: str) -> str | None:
    """Why a block need not be tried."""
    if block.rsplit("\n", 1)[-1] != "EOS":
        return "the sentence has no EOS: the file is cut short, or is no output of KNP"
    if "\ufffd" in block:
        return "the sentence is not UTF-8"
    return None
