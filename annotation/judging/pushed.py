"""What is on the server: which item is which task."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from tashika.annotation.labelstudio.client import Task
from tashika.core.errors import MissingStageError
from tashika.core.files import read_grown_table, write_rows
from tashika.core.workspace import Workspace

_FIELDS: tuple[pa.Field[Any], ...] = (
    pa.field("item_id", pa.string(), nullable=False),
    pa.field("server", pa.string(), nullable=False),
    pa.field("project_id", pa.int64(), nullable=False),
    pa.field("task_id", pa.int64(), nullable=False),
    pa.field("shown", pa.string()),  # the digest of what the task shows; null where an earlier version pushed
    pa.field("page", pa.string()),  # the digest of the project's page, the same for all of its tasks
)
PUSHED = pa.schema(_FIELDS)
"""One row a task."""

_GROWN = 2
"""How many columns files of earlier versions lack."""

_PART = re.compile(r".+-[1-9][0-9]*")


def pushed_file(workspace: Workspace, kind: str) -> Path:
    """Where it is written down what was pushed of a kind."""
    return workspace.pushed / f"{kind}.parquet"


def write_pushed(
    workspace: Workspace,
    kind: str,
    server: str,
    project_id: int,
    tasks: Iterable[Task],
    elsewhere: Iterable[Mapping[str, Any]] = (),
    page: str | None = None,
) -> None:
    """Writes down what is on the server, sorted by item and task; tasks without an item id are left out.

    Args:
        workspace: Where to.
        kind: The project's name in files.
        server: The server's identity.
        project_id: The project there.
        tasks: Its tasks, each with the digest of what it showed when it was pushed.
        elsewhere: Rows on items that need no task here, since they were judged on another server.
        page: The digest of the project's page; None where that is not known.
    """
    rows = [
        {
            "item_id": task.item_id,
            "server": server,
            "project_id": project_id,
            "task_id": task.task_id,
            "shown": task.shown or None,
            "page": page,
        }
        for task in sorted(tasks, key=lambda task: (task.item_id, task.task_id))
        if task.item_id
    ]
    rows = sorted(
        [*rows, *({"shown": None, "page": None, **row} for row in elsewhere)],
        key=lambda row: (row["item_id"], row["task_id"]),
    )
    write_rows(pushed_file(workspace, kind), rows, PUSHED)


def read_pushed_file(path: Path) -> pa.Table:
    """What was pushed to one project; nothing where there is no such file.

    Raises:
        InputError: The file is broken, or no list of tasks.
    """
    return read_grown_table(path, PUSHED, _GROWN) if path.exists() else PUSHED.empty_table()


def pushed_files(workspace: Workspace, kind: str) -> list[Path]:
    """Where it is written down what was pushed of a kind in all of its projects, by name; one at least.

    It counts what was pushed, whatever the settings say of parts today.
    """
    parts = [path for path in workspace.pushed.glob(f"{kind}-*.parquet") if _PART.fullmatch(path.stem)]
    whole = pushed_file(workspace, kind)
    return sorted([*([whole] if whole.exists() else []), *parts]) or [whole]


def read_pushed(workspace: Workspace, kind: str) -> pa.Table:
    """What was pushed of a kind, in all of its projects.

    Raises:
        MissingStageError: Nothing was.
    """
    paths = pushed_files(workspace, kind)
    if not paths[0].exists():
        raise MissingStageError(
            f"no {kind} items have been pushed yet",
            where=str(paths[0]),
            hint=f"Run `tashika annotate push {workspace.argument}` first.",
        )
    return pa.concat_tables([read_pushed_file(path) for path in paths])
