"""Files that are whole or absent: written beside their place, flushed to the disk, and renamed."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, BinaryIO

from tashika.core import bounded
from tashika.core.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa  # takes a while, and a command's help can do without

ROWS_A_BATCH = 16_384

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")
"""What a character beyond Unicode's first plane is written with, and half a one too."""
_DEEPEST = 200
_DEEPER = {ord("{"): 1, ord("["): 1, ord("}"): -1, ord("]"): -1}
_NO_BRACKETS = bytes(byte for byte in range(256) if byte not in _DEEPER)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yields a temporary path; it takes the place of `path` when the block ends well and is removed when not."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.part")
    try:
        yield temporary
        with temporary.open("rb") as written:
            os.fsync(written.fileno())
        temporary.replace(path)
        sync_folder(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


def sync_folder(directory: Path) -> None:
    """Has the names of a folder's files outlast a loss of power: those that were made or renamed in it."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # some file systems of the network cannot
            raise
    finally:
        os.close(descriptor)


def remove_leftovers(path: Path) -> None:
    """Removes what processes left beside `path` that were killed while they wrote it."""
    for left in path.parent.glob(f".{path.name}.*.part"):
        process = left.name.removesuffix(".part").rpartition(".")[2].partition("-")[0]
        if process.isdigit() and not is_running(int(process)):
            left.unlink(missing_ok=True)


def remove_leftovers_in(directory: Path) -> int:
    """Removes what killed processes left anywhere in a folder; returns how many files. Nobody may be writing there."""
    left = [path for path in directory.rglob(".*.*-*.part") if path.is_file()]
    for path in left:
        remove_leftovers(path.with_name(path.name.removeprefix(".").removesuffix(".part").rpartition(".")[0]))
    return sum(not path.exists() for path in left)


def is_running(process: int) -> bool:
    """Whether there is a process with this number."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def write_text(path: Path, text: str) -> None:
    """Writes a text file, whole or not at all."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_json(path: Path, value: Any) -> None:
    """Writes JSON with sorted keys, whole or not at all."""
    write_text(path, json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True) + "\n")


def parse_json(text: str | bytes, *, mend: bool = False) -> Any:
    """Parses JSON of others.

    Of a key that stands twice the last value counts. NaN and Infinity, which are no JSON, are read, since other
    programs write them; what takes numbers from people checks them.

    Args:
        text: The JSON.
        mend: Whether half a character (a lone surrogate), which no file can hold, becomes U+FFFD. A model's reply is
            what it is: refused, it would be asked for again, and be the same.

    Raises:
        json.JSONDecodeError: It is no JSON, is nested too deeply, has a number of thousands of digits, or half a
            character and is not to be mended.
        UnicodeDecodeError: The bytes are no text.
    """
    try:
        value = json.loads(text)
    except RecursionError as error:
        raise json.JSONDecodeError("nested too deeply", "", 0) from error
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise
    except ValueError as error:  # Python reads no whole number of more than 4,300 digits
        raise json.JSONDecodeError("a number of thousands of digits", "", 0) from error
    if _SURROGATE.search(text if isinstance(text, str) else text.decode("utf-8", "ignore")):
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            if mend:
                return _mended(value)
            half = f"half a character ({error.object[error.start]!r}, a lone surrogate)"
            raise json.JSONDecodeError(half, "", 0) from error
    return value


def _mended(value: Any) -> Any:
    """The same with U+FFFD for each half of a character."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {_mended(name): _mended(part) for name, part in value.items()}
    return [_mended(part) for part in value] if isinstance(value, list) else value


def stream_json_list(file: BinaryIO) -> Iterator[Any]:
    """Yields the entries of a large JSON list, one after the other; raises as `stream_json` does."""
    yield from stream_json(file, "item")


def stream_json(file: BinaryIO, place: str) -> Iterator[Any]:
    """Yields the values at a place of large JSON, one after the other.

    Args:
        file: The file.
        place: Such as `status`, or `samples.item` for each entry of the list `samples`.

    Raises:
        ijson.JSONError: It is no whole JSON, or is nested too deeply: the memory grows with the square of the depth.
    """
    import ijson

    yield from ijson.items(_Shallow(file), place, use_float=True)


class _Shallow:
    """A file of JSON that is refused where it is nested too deeply, before the parser sees it.

    Counted in bytes, since a parser that hands on each of its events is four times slower.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._depth = 0
        self._in_string = False
        self._since = 0
        """Bytes since the last quotation mark."""
        self._backslash = b""
        """The one in which the bytes before have ended, if what it is about is still to come."""

    def read(self, size: int = -1) -> bytes:
        """As `BinaryIO.read`."""
        import ijson

        chunk = self._file.read(size)
        plain = (self._backslash + chunk).replace(rb"\\", b"")
        self._backslash = plain[-1:] if plain.endswith(b"\\") else b""
        parts = plain.replace(rb"\"", b"").split(b'"')  # by turns in a string and not
        self._since = len(parts[-1]) + (self._since if len(parts) == 1 else 0)
        if self._since > bounded.LONGEST_LINE:
            raise ijson.JSONError(f"a text or number of more than {bounded.LONGEST_LINE >> 20} MiB")
        bare = b"".join(parts[self._in_string :: 2])
        self._in_string ^= len(parts) % 2 == 0
        depth = self._depth
        for depth in accumulate(map(_DEEPER.__getitem__, bare.translate(None, _NO_BRACKETS)), initial=self._depth):
            if depth > _DEEPEST:
                raise ijson.JSONError(f"nested more than {_DEEPEST} levels deep")
        self._depth = depth
        return chunk


def read_json(path: Path) -> Any:
    """Reads a JSON file.

    Raises:
        InputError: The file is missing or not JSON.
    """
    try:
        return parse_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise InputError("there is no such file", where=str(path)) from error
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"not valid JSON: {error}", where=str(path)) from error


def read_object(path: Path, keys: Mapping[str, type] = MappingProxyType({}), hint: str | None = None) -> dict[str, Any]:
    """Reads a JSON file of the toolkit's own: an object with these keys.

    Files that are made again by a command are read here, so that a damaged one says which command that is.

    Args:
        path: The file.
        keys: What it must have, and the type of each value.
        hint: What to run again where the file is damaged.

    Raises:
        InputError: The file is missing, no JSON, no object, or lacks a key.
    """
    try:
        value = read_json(path)
    except InputError as error:
        error.hint = error.hint or hint
        raise
    if not isinstance(value, dict):
        raise InputError(f"found a JSON {type(value).__name__}, expected an object", where=str(path), hint=hint)
    for key, kind in keys.items():
        if key not in value:
            raise InputError(f"the key {key!r} is missing", where=str(path), hint=hint)
        if not isinstance(value[key], kind):
            problem = f"{key!r} is a {type(value[key]).__name__}, expected a {kind.__name__}"
            raise InputError(problem, where=str(path), hint=hint)
    return value


def read_json_lines(path: Path, required: Iterable[str] = ()) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yields (line number, object) of a JSON-lines file, blank lines left out.

    Args:
        path: The file.
        required: Fields that every line must have.

    Raises:
        InputError: The file is missing or empty, a line is too long or not a JSON object, or a field is missing.
    """
    needed = tuple(required)
    count = 0
    try:
        for number, line in bounded.text_lines(path):
            if line.strip():
                count += 1
                yield number, _json_object(line, f"{path}:{number}", needed)
    except FileNotFoundError as error:
        raise InputError("there is no such file", where=str(path)) from error
    if count == 0:
        raise InputError("the file is empty", where=str(path), hint="Expected one JSON object a line.")


def _json_object(line: str, where: str, required: tuple[str, ...]) -> dict[str, Any]:
    try:
        value = parse_json(line)
    except json.JSONDecodeError as error:
        raise InputError(f"not valid JSON: {error}", where=where, hint="Expected one JSON object a line.") from error
    if not isinstance(value, dict):
        raise InputError(f"found a JSON {type(value).__name__}, expected an object", where=where)
    missing = [name for name in required if name not in value]
    if missing:
        raise InputError(f"the field {missing[0]!r} is missing; found {', '.join(sorted(value))}", where=where)
    return value


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]], schema: pa.Schema) -> int:
    """Streams rows into a Parquet file, whole or not at all, in batches.

    Args:
        path: Where the file shall lie.
        rows: Mappings with the schema's columns.
        schema: The table's schema.

    Returns:
        The number of rows written.
    """
    import pyarrow as pa

    def batches() -> Iterator[pa.RecordBatch]:
        batch: list[Mapping[str, Any]] = []
        for row in rows:
            batch.append(row)
            if len(batch) == ROWS_A_BATCH:
                yield pa.RecordBatch.from_pylist(batch, schema=schema)
                batch = []
        if batch:
            yield pa.RecordBatch.from_pylist(batch, schema=schema)

    return write_batches(path, batches(), schema)


def write_batches(path: Path, batches: Iterable[pa.RecordBatch], schema: pa.Schema) -> int:
    """Streams record batches into a Parquet file, whole or not at all; returns the number of rows."""
    import pyarrow.parquet as pq

    count = 0
    with replacing(path) as temporary, pq.ParquetWriter(temporary, schema, compression="zstd") as writer:
        for batch in batches:
            writer.write_batch(batch)
            count += batch.num_rows
    return count


def read_table(path: Path, schema: pa.Schema | None = None, columns: list[str] | None = None) -> pa.Table:
    """Reads a Parquet table that fits in memory, or some columns of it.

    Raises:
        InputError: The file is missing, broken, or has other columns than the schema.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path, columns=columns)
    except FileNotFoundError as error:
        raise InputError("there is no such file", where=str(path)) from error
    except (pa.ArrowInvalid, OSError) as error:  # a damaged page is an OSError
        raise InputError(f"not a whole Parquet file: {error}", where=str(path)) from error
    if schema is not None:
        refuse_other_columns(path, table, schema)
    return table


def read_grown_table(path: Path, schema: pa.Schema, grown: int = 1) -> pa.Table:
    """As `read_table`, of a table whose last columns files of earlier versions lack: they are null in these.

    Args:
        path: The file.
        schema: Of the table today.
        grown: How many columns earlier versions may lack, all of them or the last of them.

    Raises:
        InputError: See `read_table`.
    """
    import pyarrow as pa

    table = read_table(path)
    known = len(table.schema.names)
    if len(schema.names) - grown <= known and table.schema.names == schema.names[:known]:
        for place in range(known, len(schema.names)):
            field = schema.field(place)
            table = table.append_column(field, pa.nulls(table.num_rows, field.type))
    refuse_other_columns(path, table, schema)
    return table


def refuse_other_columns(path: Path, table: pa.Table, schema: pa.Schema) -> None:
    """Refuses a table that was read from a file and has other columns than the schema.

    Raises:
        InputError: It has.
    """
    if table.schema.names != schema.names:
        found, expected = ", ".join(table.schema.names), ", ".join(schema.names)
        raise InputError(f"found the columns {found}; expected {expected}", where=str(path))


def hash_file(path: Path) -> str:
    """The SHA-256 of a file's bytes, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def hash_value(value: Any) -> str:
    """The SHA-256 of a value's canonical JSON, in hex; paths and models must be plain values by now."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
