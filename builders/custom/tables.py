"""Tables of candidates: CSV, TSV, JSONL and Parquet, plain or packed, a folder of `datasets`, or a name on the Hub.

Rows are streamed: a table of a million rows takes no more memory than one of a hundred.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final

from tashika.builders.custom.rows import RawRow, Source
from tashika.builders.sources.hub import HUB, stream_hub
from tashika.builders.sources.packed import DAMAGED, PACKING_SUFFIXES, open_packed
from tashika.core.bounded import bounded_text, csv_rows
from tashika.core.errors import ConfigError, InputError
from tashika.core.files import hash_file, parse_json

_DELIMITERS: Final = {".csv": ",", ".tsv": "\t"}
_JSON: Final = (".jsonl", ".ndjson")
_ROWS_A_BATCH: Final = 10_000
_SHOWN_DIGITS: Final = 12


def read_table(
    path: Path, *, config: str | None = None, split: str | None = None, revision: str | None = None
) -> Source:
    """A table in a file, or a dataset in a folder.

    Args:
        path: The file or folder.
        config: The dataset's configuration; files have none.
        split: The dataset's split; files have none.
        revision: Only for datasets on the Hub.

    Raises:
        InputError: It is not there, or of no known form.
        ConfigError: An option that this form does not have is given.
    """
    if not path.exists():
        raise InputError("there is no such file", where=str(path))
    if path.is_dir():
        return _dataset_folder(path, config, split)
    given = [name for name, value in (("config", config), ("split", split), ("revision", revision)) if value]
    if given:
        raise ConfigError(f"`{given[0]}` goes with a dataset; this is a file", where=str(path))
    suffix = _suffix(path)
    revision = hash_file(path)[:_SHOWN_DIGITS]
    if suffix in _DELIMITERS:
        return Source(_separated(path, _DELIMITERS[suffix]), path.name, revision, texts=True, known=_header(path))
    if suffix in _JSON:
        return Source(_json_lines(path), path.name, revision)
    if suffix == ".parquet":
        return Source(_parquet(path), path.name, revision, known=_parquet_columns(path))
    known = ", ".join([*_DELIMITERS, *_JSON, ".parquet"])
    raise InputError(
        f"found a file of the form {suffix or '(none)'}, expected {known}, plain or packed", where=str(path)
    )


def read_hub(name: str, *, config: str | None, split: str | None, revision: str | None) -> Source:
    """A dataset on the Hub, streamed.

    Raises:
        OutsideError: The Hub cannot be reached, or has no such dataset.
    """
    rows = stream_hub(name, config=config, split=split, revision=revision)
    return Source(_numbered(rows, f"{HUB}{name}"), f"{HUB}{name}", revision)


def _suffix(path: Path) -> str:
    """The form of a file, whatever packed it."""
    names = [suffix.lower() for suffix in path.suffixes]
    return next((suffix for suffix in reversed(names) if suffix not in PACKING_SUFFIXES), "")


@contextmanager
def _opened(path: Path) -> Iterator[IO[str]]:
    """A text file, packed or not, in UTF-8 with or without a byte order mark."""
    try:
        with bounded_text(open_packed(path), str(path)) as lines:
            yield lines
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8: {error}", where=str(path)) from error
    except DAMAGED as error:
        raise InputError(f"cut short or damaged: {error}", where=str(path)) from error


def _header(path: Path) -> tuple[str, ...]:
    with _opened(path) as lines:
        _, names = next(csv_rows(lines, str(path), _DELIMITERS[_suffix(path)]), (1, []))
    if not names:
        raise InputError("the file is empty", where=str(path), hint="Its first line names the columns.")
    names = [name.strip() for name in names]
    doubled = sorted({name for name in names if names.count(name) > 1})
    if doubled:
        raise InputError(f"the column {doubled[0]!r} is named twice", where=f"{path}:1")
    return tuple(names)


def _separated(path: Path, delimiter: str) -> Iterator[RawRow]:
    names = _header(path)
    with _opened(path) as lines:
        rows = csv_rows(lines, str(path), delimiter)
        next(rows)
        for number, fields in rows:
            where = f"{path.name}:{number}"
            if not any(fields):
                continue
            if len(fields) != len(names):
                found = f"found {len(fields)} fields, expected {len(names)}"
                yield RawRow(where, {}, refused=found)
                continue
            yield RawRow(where, dict(zip(names, fields, strict=True)))


def _json_lines(path: Path) -> Iterator[RawRow]:
    with _opened(path) as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            where = f"{path.name}:{number}"
            try:
                value = parse_json(line)
            except ValueError as error:
                yield RawRow(where, {}, refused=f"not valid JSON: {error}")
                continue
            if isinstance(value, dict):
                yield RawRow(where, value)
            else:
                yield RawRow(where, {}, refused=f"found a JSON {type(value).__name__}, expected an object")


def _parquet_columns(path: Path) -> tuple[str, ...]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return tuple(pq.read_schema(path).names)
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"not a Parquet file: {error}", where=str(path)) from error


def _parquet(path: Path) -> Iterator[RawRow]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    number = 0
    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=_ROWS_A_BATCH):
                for row in batch.to_pylist():
                    number += 1
                    yield RawRow(f"{path.name} row {number}", row)
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"the Parquet file breaks off: {error}", where=f"{path} row {number + 1}") from error


def _dataset_folder(path: Path, config: str | None, split: str | None) -> Source:
    """A dataset that `save_to_disk` wrote, or a folder that `load_dataset` opens, such as a release."""
    from datasets import DatasetDict, load_dataset, load_from_disk

    saved = (path / "dataset_info.json").exists() or (path / "dataset_dict.json").exists()
    try:
        found = load_from_disk(str(path)) if saved else load_dataset(str(path), config, split=split or "train")
    except Exception as error:  # whatever datasets and what it stands on raise
        hint = "Name its `config` and its `split`."
        raise InputError(f"{type(error).__name__}: {error}", where=str(path), hint=hint) from error
    if isinstance(found, DatasetDict):
        if split not in found:
            raise InputError(f"found the splits {', '.join(found)}; name one as `split`", where=str(path))
        found = found[split]
    return Source(_numbered(found, path.name), path.name, found._fingerprint, known=tuple(found.column_names))


def _numbered(rows: Any, name: str) -> Iterator[RawRow]:
    for number, row in enumerate(rows, start=1):
        yield RawRow(f"{name} row {number}", row)
