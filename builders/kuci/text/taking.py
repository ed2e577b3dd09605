"""Text that is no file yet, made one: standard input, and datasets on the Hub.

Both are kept in the workspace, since a build reads its text more than once, and a later one must find the same.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple
from urllib.parse import parse_qs

from tashika.builders.kuci.text.fields import TEXT_FIELD, chosen_field
from tashika.builders.kuci.text.places import expand_patterns
from tashika.builders.sources.hub import HUB, stream_hub
from tashika.core.errors import InputError
from tashika.core.files import hash_value, replacing, write_rows
from tashika.core.progress import say, track

STANDARD_INPUT: Final = "-"
_KEYS: Final = ("config", "split", "revision")
_BLOCK: Final = 1 << 20
_DIGITS: Final = 12


class Dataset(NamedTuple):
    """A dataset on the Hub.

    Attributes:
        name: Such as `organisation/name`.
        config: None for the only one.
        split: None for `train`.
        revision: None for the newest.
    """

    name: str
    config: str | None = None
    split: str | None = None
    revision: str | None = None


def take_texts(given: Sequence[Path], folder: Path, field: str = "", stdin: BinaryIO | None = None) -> tuple[Path, ...]:
    """Files and folders for what a user names.

    Args:
        given: Files, folders, patterns, `-` for standard input, `hf:NAME?config=C&split=S&revision=R`.
        folder: Where text goes that is no file.
        field: The dataset's field; empty: `text`, or the only one with text.
        stdin: Standard input; None for the process's own.

    Raises:
        InputError: Standard input is empty or named twice, a dataset has no such field, or a pattern fits nothing.
        OutsideError: The Hub cannot be reached, or has no such dataset.
    """
    names = [str(path) for path in given]
    if names.count(STANDARD_INPUT) > 1:
        raise InputError("standard input is named twice", where=STANDARD_INPUT)
    taken: list[Path] = []
    for path, name in zip(given, names, strict=True):
        if name == STANDARD_INPUT:
            taken.append(_keep_stdin(stdin or sys.stdin.buffer, folder))
        elif name.startswith(HUB):
            taken.append(_keep_dataset(parse_dataset(name), folder, field))
        else:
            taken += expand_patterns([path])
    return tuple(taken)


def parse_dataset(name: str) -> Dataset:
    """What `hf:NAME?config=C&split=S&revision=R` names.

    Raises:
        InputError: It has no name, or something else behind the question mark.
    """
    own, _, query = name.removeprefix(HUB).partition("?")
    values = parse_qs(query, keep_blank_values=True)
    wrong = sorted(set(values) - set(_KEYS))
    if wrong or not own:
        problem = f"found {wrong[0]!r} behind the question mark" if wrong else "found no name of a dataset"
        raise InputError(problem, where=name, hint=f"Expected {HUB}NAME?config=C&split=S&revision=R.")
    return Dataset(own, **{key: value[-1] for key, value in values.items()})


def _keep_stdin(stdin: BinaryIO, folder: Path) -> Path:
    """Standard input as a file that is named by its content."""
    digest, size = hashlib.sha256(), 0
    folder.mkdir(parents=True, exist_ok=True)
    with replacing(folder / "stdin") as temporary:
        with temporary.open("wb") as file:
            while block := stdin.read(_BLOCK):
                digest.update(block)
                size += file.write(block)
        if not size:
            raise InputError("standard input is empty, expected text", where=STANDARD_INPUT)
    place = folder / f"stdin-{digest.hexdigest()[:_DIGITS]}"
    (folder / "stdin").replace(place)
    say(f"text from standard input: {size:,} bytes, kept in {place}")
    return place


def _keep_dataset(dataset: Dataset, folder: Path, field: str) -> Path:
    """The texts of a dataset as a Parquet file; one that was kept before is not fetched again."""
    import pyarrow as pa

    slug = dataset.name.replace("/", "-")
    place = folder / f"{slug}-{hash_value([*dataset, field])[:_DIGITS]}.parquet"
    if place.exists():
        say(f"text from {HUB}{dataset.name}: kept before in {place}; delete it to fetch the dataset again")
        return place
    rows = stream_hub(dataset.name, config=dataset.config, split=dataset.split, revision=dataset.revision)
    schema = pa.schema([pa.field(TEXT_FIELD, pa.string())])
    where = f"{HUB}{dataset.name}"
    count = write_rows(place, _texts(track(rows, where), field, where), schema)
    say(f"text from {HUB}{dataset.name}: {count:,} rows, kept in {place}")
    return place


def _texts(rows: Iterable[dict[str, Any]], field: str, where: str) -> Iterator[dict[str, str | None]]:
    chosen = ""
    for row in rows:
        if not chosen:
            texts = [name for name, value in row.items() if isinstance(value, str)]
            chosen = chosen_field(texts, list(row), field, where)
        value = row.get(chosen)
        yield {TEXT_FIELD: value if isinstance(value, str) else None}
