"""Texts in Parquet and Arrow files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from tashika.builders.kuci.text.fields import Format, chosen_field
from tashika.builders.sources.packed import ARROW
from tashika.core.errors import InputError

_ROWS: Final = 10_000
"""Rows that are held at a time."""


def text_field(path: Path, form: Format, field: str) -> str:
    """The field that holds the text.

    Args:
        path: A Parquet or Arrow file.
        form: Which of them.
        field: The field that was named; empty: `text`, or the only one with text.

    Raises:
        InputError: The file is damaged, has no such field, or it holds no text.
    """
    import pyarrow as pa

    schema = table_schema(path, form)
    texts = [entry.name for entry in schema if pa.types.is_string(entry.type) or pa.types.is_large_string(entry.type)]
    chosen = chosen_field(texts, schema.names, field, str(path))
    if chosen not in texts:
        raise InputError(
            f"the field {chosen!r} holds {schema.field(chosen).type}, expected text",
            where=str(path),
            hint=f"Fields with text: {', '.join(texts) or 'none'}.",
        )
    return chosen


def table_schema(path: Path, form: Format) -> Any:
    """The columns of a Parquet or Arrow file.

    Raises:
        InputError: It is cut short or damaged.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        if form == "parquet":
            return pq.read_schema(path)
        with pa.memory_map(str(path)) as source:
            return _arrow(source).schema
    except (pa.ArrowInvalid, OSError) as error:
        shown = "a Parquet" if form == "parquet" else "an Arrow"
        raise InputError(f"not {shown} file that can be read: {error}", where=str(path)) from error


def columns_of(path: Path, form: Format, field: str) -> Iterator[list[Any]]:
    """The values of one field, some thousands at a time.

    Raises:
        pyarrow.ArrowException, OSError: The file is cut short or damaged.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    if form == "parquet":
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(_ROWS, columns=[field]):
                yield batch.column(0).to_pylist()
        return
    with pa.memory_map(str(path)) as source:
        for batch in _batches(_arrow(source)):
            yield batch.column(field).to_pylist()


def row_count(path: Path, form: Format) -> int:
    """The number of rows; of a file that is damaged behind its beginning those that can be read."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if form == "parquet":
        count: int = pq.read_metadata(path).num_rows
        return count
    count = 0
    with pa.memory_map(str(path)) as source, suppress(pa.ArrowException, OSError):
        for batch in _batches(_arrow(source)):
            count += batch.num_rows
    return count


def _batches(reader: Any) -> Iterator[Any]:
    if hasattr(reader, "num_record_batches"):
        return (reader.get_batch(number) for number in range(reader.num_record_batches))
    return iter(reader)


def _arrow(source: Any) -> Any:
    """A reader of a file or a stream, which begin with other bytes."""
    import pyarrow as pa

    start = source.read(len(ARROW))
    source.seek(0)
    return pa.ipc.open_file(source) if start == ARROW else pa.ipc.open_stream(source)
