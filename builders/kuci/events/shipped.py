"""The counts of the packaged frames' events, shipped so that a new folder does not analyse them again.

`python -m tashika.builders.kuci.count_frames` makes the file anew. It vouches for a frames file by a digest of its
lines and by everything that its analysis depends on; where either is another one, events are counted as in any text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from tashika.builders.kuci.events.basic_events import EVENT
from tashika.builders.kuci.text.files import TextFile
from tashika.builders.kuci.text.sentences import text_digest
from tashika.core.errors import InputError
from tashika.core.files import replacing
from tashika.core.settings import packaged_data

COUNTS: Final = "kuci/frames-counts.tsv"
"""Under `data/`: a line of JSON with what it was made of, a line with the names of the columns, then the counts."""

_COLUMNS: Final = ("file", *EVENT.names)

Analysis = Mapping[str, Any]
"""What the analysis of a file depends on, beside the file; plain values."""


def write_counts(path: Path, counted: Iterable[tuple[Path, Analysis, pa.Table]]) -> int:
    """Writes the counts of files; returns how many events there are.

    Args:
        path: Where to.
        counted: The files, what their analysis depended on, and what was counted in them, in `EVENT`.
    """
    made, lines = {}, []
    for file, analysis, table in counted:
        made[file.name] = {"lines": _digest(file), "analysis": analysis}
        for row in table.to_pylist():
            lines.append(
                "\t".join((file.name, *(str(row[name]) for name in EVENT.names[:-1]), f"{row['frequency']:g}"))
            )
    head = json.dumps(made, ensure_ascii=False, sort_keys=True)
    with replacing(path) as temporary:
        temporary.write_text("\n".join((head, "\t".join(_COLUMNS), *lines)) + "\n", encoding="utf-8")
    return len(lines)


def shipped_counts(files: Sequence[tuple[Path, Analysis]], path: Path | None = None) -> list[pa.Table] | None:
    """The shipped counts of files, a table each; None unless they are there for every one of them.

    Args:
        files: The files, and what their analysis depends on here.
        path: The file of counts; the shipped one if None.

    Raises:
        InputError: The file of counts is damaged.
    """
    source = path or packaged_data(COUNTS)
    if not source.is_file():
        return None
    try:
        head, _, *lines = source.read_text(encoding="utf-8").splitlines()
        made = json.loads(head)
        if not all(made.get(file.name) == {"lines": _digest(file), "analysis": as_json(of)} for file, of in files):
            return None
        rows = [line.split("\t") for line in lines]
        return [_table(row for row in rows if row[0] == file.name) for file, _ in files]
    except (ValueError, AttributeError) as error:
        hint = "Install the toolkit again, or make the file anew: python -m tashika.builders.kuci.count_frames"
        raise InputError("not a file of counted events", where=str(source), hint=hint) from error


def as_json(analysis: Analysis) -> Any:
    """Plain values as they are after a way through JSON, where tuples are lists."""
    return json.loads(json.dumps(analysis, ensure_ascii=False))


def _digest(file: Path) -> str:
    return text_digest(TextFile(file, file.name))


def _table(rows: Iterable[Sequence[str]]) -> pa.Table:
    """Raises a ValueError where a row has other columns."""
    plain = [dict(zip(_COLUMNS, row, strict=True)) for row in rows]
    return pa.Table.from_pylist([{**one, "frequency": float(one["frequency"])} for one in plain], schema=EVENT)
