"""The judgments that were pulled: append-only Parquet shards, whole or absent.

An answer that is deleted on the server is withdrawn: its last version is written once more, with the problem
`WITHDRAWN`. Nothing is taken out of the shards. Whoever reads the judgments finds all versions of such an answer with
that problem, so that it is not voted; if the answer comes back, it is written once more and stands again. So is an
answer that was held (`validation.HELD`) and accepted later: its last row counts.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from tashika.annotation.judging.columns import compute, strings
from tashika.annotation.judging.same import read_same
from tashika.annotation.judging.validation import HELD
from tashika.core.errors import InputError, MissingStageError
from tashika.core.files import read_table, refuse_other_columns, write_rows
from tashika.core.records import JUDGMENT
from tashika.core.workspace import Workspace

WITHDRAWN = "deleted on the server"
"""The problem of answers that a later pull did not meet any more on a task that is still there."""

Key = tuple[str, int, int]
"""Server, annotation, and microsecond of its last change: one version of one answer."""


def number_of(key: Key) -> int:
    """A number of 63 bits for a version of an answer, by which it is known after a move to another server."""
    text = "/".join(map(str, key))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


def number_of_answer(server: str, annotation_id: int) -> int:
    """The same for an answer in all its versions."""
    return number_of((server, annotation_id, 0))


def shards(workspace: Workspace) -> list[Path]:
    """The shards, oldest first; none before the first pull.

    Raises:
        InputError: There is something that cannot be read: judgments that are out of reach are not none.
    """
    folder = workspace.judgments
    try:
        names = os.listdir(folder)
    except OSError as error:
        if isinstance(error, FileNotFoundError) and not folder.is_symlink():
            return []
        hint = "Is its disk there, and may you read it? Nothing was changed."
        raise InputError(f"the judgments cannot be read: {error.strerror}", where=str(folder), hint=hint) from error
    return sorted(folder / name for name in names if fnmatch(name, "part-*.parquet"))


def read_judgments(workspace: Workspace) -> pa.Table:
    """All judgments that were ever pulled; those that were withdrawn have the problem `WITHDRAWN`.

    Who is the same person on several servers has one name, see `same`.

    Raises:
        MissingStageError: Nothing was pulled yet.
    """
    paths = shards(workspace)
    if not paths:
        raise MissingStageError(
            "there are no judgments yet",
            where=str(workspace.judgments),
            hint=f"Let people answer, then run `tashika annotate pull {workspace.argument}`.",
        )
    judgments = marked(pa.concat_tables([read_shard(path) for path in paths]))
    return read_same(workspace.annotation).in_judgments(judgments)


def marked(judgments: pa.Table) -> pa.Table:
    """Gives withdrawn answers their problem, and leaves out the rows that only say that one left or came back.

    Args:
        judgments: Rows of `records.JUDGMENT` in the order in which they were written.
    """
    judgments = _without_released(judgments)
    notices = compute.fill_null(compute.equal(judgments["problem"], WITHDRAWN), False)
    if not compute.any(notices).as_py():
        return judgments
    numbers = compute.cast(judgments["annotation_id"], pa.string())
    names = compute.binary_join_element_wise(judgments["server"], numbers, "/")
    touched = compute.is_in(names, value_set=compute.unique(names.filter(notices)))
    places = np.flatnonzero(touched.to_numpy(zero_copy_only=False))
    times = compute.cast(judgments["created_at"], pa.int64()).to_numpy()
    versions = [(names[place].as_py(), int(times[place])) for place in places]
    first: dict[tuple[str, int], int] = {}
    gone_until: dict[str, int] = {}
    for place, (name, time) in zip(places, versions, strict=True):
        if notices[place].as_py():
            gone_until[name] = time
        elif (name, time) in first:
            gone_until.pop(name, None)
        else:
            first[name, time] = int(place)
    gone = [place for (name, time), place in first.items() if time <= gone_until.get(name, time - 1)]
    kept = np.ones(judgments.num_rows, dtype=bool)
    kept[places] = False
    kept[list(first.values())] = True
    is_gone = np.zeros(judgments.num_rows, dtype=bool)
    is_gone[gone] = True
    column = judgments.schema.get_field_index("problem")
    problems = compute.if_else(pa.array(is_gone), WITHDRAWN, judgments["problem"])
    return judgments.set_column(column, judgments.schema.field(column), problems).filter(pa.array(kept))


def _without_released(judgments: pa.Table) -> pa.Table:
    """Leaves out the rows of answers that were held and are accepted since."""
    held = compute.is_in(judgments["problem"], value_set=pa.array(list(HELD), pa.string()))
    if not compute.any(held).as_py():
        return judgments
    keys = keys_of(judgments)
    last = {key: place for place, key in enumerate(keys)}
    superseded = [place < last[key] for place, key in enumerate(keys)]
    return judgments.filter(compute.invert(compute.and_(held, pa.array(superseded, pa.bool_()))))


def read_shard(path: Path) -> pa.Table:
    """The judgments of a shard; notes, which earlier versions did not keep, are null in theirs.

    Raises:
        InputError: It is no such shard.
    """
    table = read_table(path)
    if table.schema.names == JUDGMENT.names[:-1]:
        table = table.append_column(JUDGMENT.field(-1), pa.nulls(table.num_rows, JUDGMENT.field(-1).type))
    refuse_other_columns(path, table, JUDGMENT)
    return table


@dataclass(frozen=True)
class Stored:
    """What was pulled before.

    Attributes:
        judgments: Rows of `records.JUDGMENT`.
        keys: Every version of every answer.
        standing: The latest version of each answer that is sound and was not withdrawn: rows of `records.JUDGMENT`.
        withdrawn: The same of those that were withdrawn.
        held: The problem of every version that counts once it is accepted.
    """

    judgments: pa.Table
    keys: frozenset[Key]
    standing: pa.Table
    withdrawn: pa.Table
    held: Mapping[Key, str]

    @property
    def left(self) -> frozenset[tuple[str, int]]:
        """Server and number of each answer that was withdrawn."""
        return frozenset(key[:2] for key in keys_of(self.withdrawn))


def read_stored(workspace: Workspace) -> Stored:
    """What was pulled before; nothing before the first pull."""
    judgments = read_judgments(workspace) if shards(workspace) else JUDGMENT.empty_table()
    problem = judgments["problem"]
    sound, gone = compute.is_null(problem), compute.fill_null(compute.equal(problem, WITHDRAWN), False)
    waiting = judgments.filter(compute.is_in(problem, value_set=pa.array(list(HELD), pa.string())))
    return Stored(
        judgments,
        frozenset(keys_of(judgments)),
        _latest(judgments.filter(sound)),
        _latest(judgments.filter(gone)),
        dict(zip(keys_of(waiting), strings(waiting, "problem"), strict=True)),
    )


def keys_of(judgments: pa.Table) -> list[Key]:
    """The key of each row."""
    times: list[int] = compute.cast(judgments["created_at"], pa.int64()).to_pylist()
    numbers: list[int] = compute.cast(judgments["annotation_id"], pa.int64()).to_pylist()
    return list(zip(strings(judgments, "server"), numbers, times, strict=True))


def _latest(judgments: pa.Table) -> pa.Table:
    """The latest version of each answer."""
    places = {key[:2]: place for place, key in sorted(enumerate(keys_of(judgments)), key=lambda pair: pair[1][2])
              }  # fmt: skip
    return judgments.take(pa.array(sorted(places.values()), pa.int64()))


def append_judgments(workspace: Workspace, rows: Iterable[Mapping[str, Any]]) -> int:
    """Writes one more shard, unless there is nothing to write; returns the number of rows."""
    rows = iter(rows)
    first = next(rows, None)
    if first is None:
        return 0
    number = 1 + max((int(path.stem.removeprefix("part-")) for path in shards(workspace)), default=0)
    path = workspace.judgments / f"part-{number:06d}.parquet"
    return write_rows(path, chain([first], rows), JUDGMENT)
