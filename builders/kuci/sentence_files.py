"""Sentences from text files, one a line, plain or gz; a line that cannot be read is a `Failure` in its place."""

from __future__ import annotations

import codecs
import gzip
import hashlib
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Final, cast

from tashika.builders.kuci.analysis.records import Failure
from tashika.core.errors import InputError

LONGEST: Final = 3_000
"""Characters of a line that can still be a sentence. Longer ones make the analysers slow, or silent."""

SHOWN: Final = 200
"""Characters of its text that a failure keeps."""

_GZIP: Final = b"\x1f\x8b"
_BYTES_A_CHARACTER: Final = 4
_SKIPPED_AT_ONCE: Final = 1 << 16
_BOM: Final = "\ufeff"

DAMAGED: Final = (EOFError, zlib.error, gzip.BadGzipFile)
"""What a gz file raises that is cut short or damaged, in the middle of being read."""


def read_sentences(
    paths: Sequence[Path], encoding: str = "utf-8", skipped: Counter[str] | None = None
) -> Iterator[tuple[str, str] | Failure]:
    """Streams the sentences of text files, in their order.

    White space around a sentence is no part of it. Ends of line may be LF or CRLF, a byte order mark is left out.

    Args:
        paths: The files; those that begin as gzip does are unpacked on the way.
        encoding: Of all of them.
        skipped: Where blank lines are counted, as "blank".

    Yields:
        (sid, text), the sid being the file's name, a colon and the line's number (files of the same name are told apart
        by their folders' names); a `Failure` for a line that is not valid in the encoding or longer than `LONGEST`
        characters, and for a gz file that is cut short.

    Raises:
        InputError: A file is missing, is named twice, or the encoding is not known.
    """
    check_encoding(encoding)
    for path, name in names_of(paths).items():
        yield from _sentences_of(path, name, encoding, Counter() if skipped is None else skipped)


def _sentences_of(path: Path, name: str, encoding: str, skipped: Counter[str]) -> Iterator[tuple[str, str] | Failure]:
    number = 0
    with open_binary(path) as file:
        try:
            for number, line in enumerate(bounded_lines(file, _BYTES_A_CHARACTER * LONGEST), start=1):
                sentence = _sentence(f"{name}:{number}", line, encoding)
                if sentence is None:
                    skipped["blank"] += 1
                else:
                    yield sentence
        except DAMAGED:
            yield Failure(f"{name}:{number + 1}", "", "the gz file is cut short or damaged here")


def _sentence(sid: str, line: bytes, encoding: str) -> tuple[str, str] | Failure | None:
    """What a line holds; None for a blank one."""
    if len(line) > _BYTES_A_CHARACTER * LONGEST:
        return Failure(sid, _shown(line, encoding), f"longer than {LONGEST:,} characters")
    try:
        text = line.decode(encoding).lstrip(_BOM).strip()
    except UnicodeDecodeError:
        return Failure(sid, _shown(line, encoding), _not_valid(line, encoding))
    if len(text) > LONGEST:
        return Failure(sid, text[:SHOWN], f"longer than {LONGEST:,} characters")
    return (sid, text) if text else None


def _shown(line: bytes, encoding: str) -> str:
    return line[: _BYTES_A_CHARACTER * SHOWN].decode(encoding, errors="replace").strip()[:SHOWN]


def _not_valid(line: bytes, encoding: str) -> str:
    """Why a line cannot be read, and which encoding it seems to be in."""
    for other in ("utf-8", "cp932"):
        try:
            line.decode(other)
        except UnicodeDecodeError:
            continue
        return f"not valid {encoding}, but valid {other} (give --encoding {other})"
    return f"not valid {encoding}"


def check_encoding(encoding: str) -> None:
    """Checks that text in the encoding can be read line by line.

    Raises:
        InputError: It cannot be read so, or the encoding is unknown.
    """
    try:
        codecs.lookup(encoding)
        splits = "\n".encode(encoding) == b"\n"
    except (LookupError, UnicodeEncodeError) as error:
        raise InputError(f"there is no encoding {encoding!r}", hint="Known ones are utf-8, cp932, euc-jp …") from error
    if not splits:
        raise InputError(f"files in {encoding} cannot be read line by line", hint="Convert them to UTF-8 first.")


def names_of(paths: Sequence[Path]) -> dict[Path, str]:
    """A name for each file that no other has: its own, with as many folders before it as make all of them differ.

    Raises:
        InputError: A file is named twice.
    """
    parts = {path: path.resolve().parts for path in paths}
    if len(set(parts.values())) < len(paths):
        twice = next(path for path, count in Counter(path.resolve() for path in paths).items() if count > 1)
        raise InputError("the file is named twice", where=str(twice))
    depth, alike = 1, Counter(path.name for path in paths)
    while any(count > 1 for count in alike.values()):
        depth += 1
        alike = Counter("/".join(one[-depth:]) for one in parts.values())
    return {path: path.name if depth == 1 else "/".join(parts[path][-depth:]) for path in paths}


def open_binary(path: Path) -> IO[bytes]:
    """Opens a file to read its bytes, unpacked if it begins as gzip does.

    Raises:
        InputError: The path is missing, or is not a file.
    """
    try:
        with path.open("rb") as file:
            packed = file.read(len(_GZIP)) == _GZIP
        return cast(IO[bytes], gzip.open(path)) if packed else path.open("rb")
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=str(path)) from error


def bounded_lines(file: IO[bytes], longest: int) -> Iterator[bytes]:
    """The lines of a file without their LF; of one that is longer than that, `longest` bytes and one more."""
    while line := file.readline(longest + 1):
        rest = line
        while rest and not rest.endswith(b"\n"):  # a line of gigabytes must not fill the memory
            rest = file.readline(_SKIPPED_AT_ONCE)
        yield line.removesuffix(b"\n")


def text_digest(path: Path) -> str:
    """A digest of a file's lines that are not blank, the same for a copy that is packed or has other ends of line."""
    digest = hashlib.sha256()
    with open_binary(path) as file:
        try:
            for line in bounded_lines(file, _SKIPPED_AT_ONCE):
                if stripped := line.removeprefix(codecs.BOM_UTF8).strip():
                    digest.update(stripped + b"\n")
        except DAMAGED:
            digest.update(b"damaged")
    return digest.hexdigest()
