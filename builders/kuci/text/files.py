"""Files of text with their formats, encodings and fields, from a look at the first bytes of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tashika.builders.kuci.text.encodings import AUTO, UTF_8, check_encoding, check_head, recognise
from tashika.builders.kuci.text.fields import Format, column, is_object, json_field
from tashika.builders.kuci.text.places import names_of
from tashika.builders.kuci.text.tables import text_field
from tashika.builders.sources.packed import PACKING_SUFFIXES, PARQUET, content_name, first_bytes, is_arrow
from tashika.core.errors import InputError

HEAD: Final = 1 << 18
"""Bytes by which a file's format and encoding are recognised."""

_JSON: Final = (".jsonl", ".ndjson", ".json")
_TABLES: Final[Mapping[str, Format]] = {".tsv": "columns", ".csv": "csv"}


@dataclass(frozen=True)
class TextFile:
    """A file of text.

    Attributes:
        path: Where it lies.
        name: What its sentences' ids begin with.
        format: Lines of text, columns between tabs, CSV, JSON Lines, Parquet or Arrow.
        encoding: Of the text; that of Parquet and Arrow is theirs.
        field: The field or column; empty for lines. Of columns the number, from 1, where they have no names.
    """

    path: Path
    name: str
    format: Format = "lines"
    encoding: str = UTF_8
    field: str = ""


def text_files(
    paths: Sequence[Path], encoding: str = AUTO, encodings: Mapping[str, str] | None = None, field: str = ""
) -> tuple[TextFile, ...]:
    """Files of text with format, encoding and field, from a look at the beginning of each.

    Args:
        paths: The files.
        encoding: Of all of them; "auto": recognised for each.
        encodings: File name -> encoding, for those that have another.
        field: The field or column of the sentence; empty: `text`, where a file has fields.

    Raises:
        InputError: A file is missing, named twice, or no text; its encoding is unknown, or not the given one; or it
            has no such field.
    """
    given = dict(encodings or {})
    for name in (encoding, *given.values()):
        if name != AUTO:
            check_encoding(name)
    names = names_of(paths)
    return tuple(_examined(path, name, given.get(path.name, encoding), field) for path, name in names.items())


def _examined(path: Path, name: str, encoding: str, field: str) -> TextFile:
    head = first_bytes(path, HEAD)
    if head.startswith(PARQUET) or is_arrow(head):
        form: Format = "parquet" if head.startswith(PARQUET) else "arrow"
        return TextFile(path, name, form, UTF_8, text_field(path, form, field))
    other = content_name(head)
    if other is not None:
        raise InputError(f"no text: this is {other}", where=str(path), hint=_hint(other))
    if encoding == AUTO:
        encoding = _recognised(head, path)
    else:
        check_head(head, encoding, str(path))
    lines = _first_lines(head, encoding)
    suffix = next((end.lower() for end in reversed(path.suffixes) if end.lower() not in PACKING_SUFFIXES), "")
    if suffix in _JSON or is_object(lines[:1]):
        return TextFile(path, name, "json", encoding, json_field(lines, field, str(path)))
    if suffix in _TABLES or (field and any("\t" in line for line in lines)):
        form = _TABLES.get(suffix, "columns")
        chosen = column(lines, field, form, str(path))
        return TextFile(path, name, form if chosen else "lines", encoding, chosen)
    return TextFile(path, name, "lines", encoding)


def _hint(other: str) -> str:
    if other.startswith("packed with"):
        return "It is packed twice, or with a program that is not known here: unpack it first."
    return "Expected text, JSON Lines, TSV, CSV, Parquet or Arrow; plain, or packed with gzip, bzip2, xz or zstd."


def _recognised(head: bytes, path: Path) -> str:
    encoding = recognise(head)
    if encoding is None:
        raise InputError(
            "no text in an encoding that Japanese is written in",
            where=str(path),
            hint="Name the encoding with --encoding, if it is text.",
        )
    return encoding


def _first_lines(head: bytes, encoding: str) -> list[str]:
    """The first lines that are not blank; the last one may be cut."""
    text = head.decode(encoding, errors="replace").lstrip("\ufeff")
    return [line for line in text.replace("\r", "\n").split("\n") if line.strip()]
