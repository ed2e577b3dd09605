"""Texts of a file, one by one, each with its place; what cannot be read is a `Failure` in its place."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from tashika.builders.kuci.analysis.records import SHOWN, Failure
from tashika.builders.kuci.text.encodings import UTF_8, is_wide, recognise
from tashika.builders.kuci.text.fields import split_row
from tashika.builders.kuci.text.files import TextFile
from tashika.builders.kuci.text.lines import LONGEST, lines_of
from tashika.builders.kuci.text.tables import columns_of
from tashika.builders.sources.packed import DAMAGED, open_packed
from tashika.core.bounded import RowLines
from tashika.core.files import parse_json

_BOM: Final = "\ufeff"
_BROKEN: Final = "\ufffd"


class Text(NamedTuple):
    """A text of a file.

    Attributes:
        place: The number of its line or row, from 1.
        text: Of any length and number of lines.
    """

    place: int
    text: str


def texts_of(file: TextFile) -> Iterator[Text | Failure]:
    """Streams the texts of a file, in their order.

    Yields:
        Each text; a `Failure` for a line that is too long, not valid in the encoding, or without the field, and for a
        file that is cut short or damaged.
    """
    if file.format in ("parquet", "arrow"):
        yield from _rows(file)
    elif file.format == "json":
        yield from (_json_text(file, line) for line in _lines(file))
    elif file.format == "lines":
        yield from _lines(file)
    else:
        yield from _columns(file)


def _sid(file: TextFile, place: int) -> str:
    return f"{file.name}:{place}"


def _lines(file: TextFile) -> Iterator[Text | Failure]:
    """The lines that are read as text, the byte order mark left out."""
    place, encoding = 0, UTF_8 if is_wide(file.encoding) else file.encoding
    with open_packed(file.path) as stream:
        try:
            for place, line in enumerate(lines_of(stream, file.encoding), start=1):
                yield _decoded(file, place, line, encoding)
        except DAMAGED as error:
            reason = f"the file is cut short or damaged here ({error})"
            yield Failure(_sid(file, place + 1), "", reason)


def _decoded(file: TextFile, place: int, line: bytes, encoding: str) -> Text | Failure:
    sid = _sid(file, place)
    if len(line) > LONGEST:
        return Failure(sid, line[: 4 * SHOWN].decode(encoding, "replace")[:SHOWN], "a line of more than 4 MiB")
    try:
        text = line.decode(encoding)
    except UnicodeDecodeError:
        return Failure(sid, line.decode(encoding, "replace").strip()[:SHOWN], _not_valid(line, file.encoding))
    if encoding != file.encoding and _BROKEN in text:
        return Failure(sid, text[:SHOWN], f"not valid {file.encoding}")
    return Text(place, text.lstrip(_BOM) if place == 1 else text)


def _not_valid(line: bytes, encoding: str) -> str:
    """Why a line cannot be read, and which encoding it seems to be in."""
    other = recognise(line)
    if other is None or other == encoding:
        return f"not valid {encoding}"
    return f"not valid {encoding}, but valid {other} (give --encoding {other})"


def _json_text(file: TextFile, line: Text | Failure) -> Text | Failure:
    if isinstance(line, Failure) or not line.text.strip():
        return line
    try:
        row = parse_json(line.text)
    except ValueError:
        return Failure(_sid(file, line.place), line.text[:SHOWN], "not valid JSON")
    if not isinstance(row, dict):
        return Failure(
            _sid(file, line.place), line.text[:SHOWN], f"found a JSON {type(row).__name__}, expected an object"
        )
    return _field(file, line.place, row.get(file.field))


def _field(file: TextFile, place: int, value: Any) -> Text | Failure:
    if value is None or isinstance(value, str):
        return Text(place, value or "")
    return Failure(_sid(file, place), str(value)[:SHOWN], f"the field {file.field} holds no text")


def _columns(file: TextFile) -> Iterator[Text | Failure]:
    """The texts of one column; the first line names the columns unless the field is a number."""
    rows = _csv_rows(file) if file.format == "csv" else _tab_rows(file)
    number: int | None = None
    for row in rows:
        if isinstance(row, Failure):
            yield row
            continue
        place, fields = row
        if number is None:
            number, named = _number(fields, file.field)
            if named:
                continue
        if number < len(fields):
            yield Text(place, fields[number])
        elif any(fields):
            yield Failure(_sid(file, place), "\t".join(fields)[:SHOWN], f"the line has no column {file.field}")


def _number(first: list[str], field: str) -> tuple[int, bool]:
    """The place of a column among the fields, and whether the first line holds the columns' names."""
    return (first.index(field), True) if field in first else (int(field) - 1, False)


def _tab_rows(file: TextFile) -> Iterator[tuple[int, list[str]] | Failure]:
    for line in _lines(file):
        yield line if isinstance(line, Failure) else (line.place, split_row(line.text, "columns"))


def _csv_rows(file: TextFile) -> Iterator[tuple[int, list[str]] | Failure]:
    failures: list[Failure] = []
    lines = RowLines(_csv_lines(file, failures), str(file.path))
    reader = csv.reader(lines)
    while True:
        try:
            fields = next(reader)
        except StopIteration:
            break
        except csv.Error as error:
            yield Failure(_sid(file, lines.begin), "", f"not CSV: {error}")
            lines.rest()
            continue
        yield from failures
        failures.clear()
        place = lines.begin
        lines.rest()
        yield place, fields
    yield from failures


def _csv_lines(file: TextFile, failures: list[Failure]) -> Iterator[str]:
    """The lines for the reader of CSV, which takes no failures; a line that cannot be read is an empty one for it."""
    for line in _lines(file):
        if isinstance(line, Failure):
            failures.append(line)
            yield "\n"
        else:
            yield line.text + "\n"


def _rows(file: TextFile) -> Iterator[Text | Failure]:
    import pyarrow as pa

    place = 0
    try:
        for values in columns_of(file.path, file.format, file.field):
            for value in values:
                place += 1
                yield _field(file, place, value)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        yield Failure(_sid(file, place + 1), "", f"the file is cut short or damaged here ({error})")
