from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from tashika.builders.sources.packed import DAMAGED, PackedFile, content_name, first_bytes, open_packed
from tashika.core.errors import InputError


def zstd(content: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as file:
        file.write(content)
    return bytes(sink.getvalue().to_pybytes())


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstd,
}


@pytest.mark.parametrize("packing", PACKERS)
def test_a_file_is_unpacked_by_its_bytes_whatever_its_name(tmp_path: Path, packing: str) -> None:
    path = tmp_path / "text.dat"
    content = os.urandom(300_000) + "雨だ。\n".encode()
    path.write_bytes(PACKERS[packing](content))
    with open_packed(path) as file:
        assert file.read(7) + file.read() == content
    assert first_bytes(path, 1_000) == content[:1_000]


def read_into(read: bytearray, file: PackedFile) -> None:
    while block := file.read1(1 << 16):
        read += block


@pytest.mark.parametrize("packing", ["gzip", "bzip2", "xz", "zstd"])
def test_a_file_that_is_cut_short_says_so(tmp_path: Path, packing: str) -> None:
    path = tmp_path / "cut"
    content = os.urandom(300_000)
    path.write_bytes(PACKERS[packing](content)[:-1_000])
    read = bytearray()
    with open_packed(path) as file, pytest.raises(DAMAGED):
        read_into(read, file)
    assert content.startswith(read)
    assert read or packing == "bzip2"  # whose blocks are larger than this text


def test_two_packed_files_in_one_are_one_text(tmp_path: Path) -> None:
    for packing in ("gzip", "bzip2", "xz", "zstd"):
        path = tmp_path / packing
        path.write_bytes(PACKERS[packing](b"one\n") + PACKERS[packing](b"two\n"))
        with open_packed(path) as file:
            assert file.read() == b"one\ntwo\n"


def archive(kind: str) -> bytes:
    content = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(content, "w") as packed:
            packed.writestr("a.txt", "雨")
    else:
        with tarfile.open(fileobj=content, mode="w") as tar:
            tar.addfile(tarfile.TarInfo("a.txt"))
    return content.getvalue()


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (archive("zip"), "a zip archive, or a document of Office"),
        (archive("tar"), "a tar archive"),
        (zstd(b"x"), "packed with zstd"),
        (b"%PDF-1.7", "a PDF"),
        (b"\x80\x05\x95", "a Python pickle"),
        (b"SQLite format 3\0", "an SQLite database"),
        ("雨が降る。".encode(), None),
        (b"", None),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_no_text_is_named_by_its_first_bytes(head: bytes, name: str | None) -> None:
    assert content_name(head) == name


def test_what_is_not_there_or_a_folder_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "none", tmp_path):
        with pytest.raises(InputError, match="cannot be read"):
            open_packed(path)
