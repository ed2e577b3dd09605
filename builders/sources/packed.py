"""Files as people have them: plain, or packed with gzip, bzip2, xz or zstd, whatever their names end in.

What a file is shows in its first bytes. So do pictures, archives and other things that are no text, which are named in
the error.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from bz2 import BZ2File
from gzip import GzipFile
from io import BufferedReader
from lzma import LZMAFile
from pathlib import Path
from typing import Any, Final

from tashika.core.errors import InputError

DAMAGED: Final = (EOFError, zlib.error, lzma.LZMAError, OSError)
"""What a packed file raises that is cut short or damaged, in the middle of being read."""

PACKED: Final = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
"""The first bytes of a packed file, and the program that unpacks it."""

PACKING_SUFFIXES: Final = (".gz", ".bz2", ".xz", ".zst", ".zstd")
"""What the names of packed files usually end in."""

PackedFile = BufferedReader | GzipFile | BZ2File | LZMAFile
"""A file that is unpacked while it is read."""

PARQUET: Final = b"PAR1"
ARROW: Final = b"ARROW1"
_STREAM: Final = b"\xff\xff\xff\xff"
"""How the Arrow files of `datasets` begin."""

_OTHERS: Final = {
    b"PK\x03\x04": "a zip archive, or a document of Office",
    b"PK\x05\x06": "an empty zip archive",
    b"%PDF": "a PDF",
    b"SQLite format 3": "an SQLite database",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"Rar!": "a RAR archive",
    b"\x04\x22\x4d\x18": "packed with lz4",
    b"\x1f\x9d": "packed with compress (.Z)",
    b"\x89PNG": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"GIF8": "a GIF picture",
    b"\xd0\xcf\x11\xe0": "an old document of Office",
    b"\x7fELF": "a program",
    b"\x89HDF": "an HDF5 file",
    b"\x93NUMPY": "a NumPy array",
    b"\x80\x03": "a Python pickle",
    b"\x80\x04": "a Python pickle",
    b"\x80\x05": "a Python pickle",
    PARQUET: "a Parquet file",
    ARROW: "an Arrow file",
    _STREAM: "an Arrow file",
}
_TAR: Final = (257, b"ustar")


def open_packed(path: Path) -> PackedFile:
    """Opens a file to read its bytes, unpacked.

    Of a file that is cut short `read1` gives what comes before the cut; `read` loses some of it.

    Args:
        path: The file.

    Raises:
        InputError: The path is missing, or is not a file.
    """
    try:
        with path.open("rb") as file:
            packing = _packing(file.read(8))
        if packing == "gzip":
            return gzip.open(path)
        if packing == "bzip2":
            return bz2.open(path)
        if packing == "xz":
            return lzma.open(path)
        return _open_zstd(path) if packing == "zstd" else path.open("rb")
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=str(path)) from error


def first_bytes(path: Path, size: int) -> bytes:
    """The first bytes of a file, unpacked; what a damaged one still gives.

    Raises:
        InputError: The path is missing, or is not a file.
    """
    head = bytearray()
    with open_packed(path) as file:
        try:
            while len(head) < size and (block := file.read1(size - len(head))):
                head += block
        except DAMAGED:
            return bytes(head)
    return bytes(head)


def content_name(head: bytes) -> str | None:
    """What a file is that is no text, by its first bytes; None for what may be text."""
    if head[_TAR[0] :].startswith(_TAR[1]):
        return "a tar archive"
    packing = _packing(head)
    if packing is not None:
        return f"packed with {packing}"
    return next((name for start, name in _OTHERS.items() if head.startswith(start)), None)


def is_arrow(head: bytes) -> bool:
    """Whether a file that begins so is Arrow's, as a stream or as a file."""
    return head.startswith((ARROW, _STREAM))


def _packing(head: bytes) -> str | None:
    return next((name for start, name in PACKED.items() if head.startswith(start)), None)


def _open_zstd(path: Path) -> PackedFile:
    import pyarrow as pa

    stream: Any = pa.CompressedInputStream(pa.OSFile(str(path), "rb"), "zstd")
    return BufferedReader(stream, buffer_size=1 << 17)
