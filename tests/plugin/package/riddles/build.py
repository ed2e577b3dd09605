"""The builder: a table that comes with the package."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import Any

from riddles import SUITE
from tashika.builders.suite import Build
from tashika.core.files import write_rows
from tashika.core.options import WORK, WorkOption
from tashika.core.records import item_row, item_schema
from tashika.core.stages import Stage
from tashika.core.suites.suite import packaged_file
from tashika.core.workspace import Workspace

TABLE = packaged_file("riddles:riddles.csv")


def rows() -> Iterator[dict[str, Any]]:
    """The riddles as items."""
    with TABLE.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            payload = {"text": row["text"], "options": row["options"].split("|"), "answer": int(row["answer"])}
            sources = [("riddles.csv", None)]
            yield item_row("riddles", "riddle", [row["text"]], payload, builder="riddles", version="1", sources=sources)


def command(work: WorkOption = WORK) -> None:
    """Build riddles from the packaged table."""
    workspace = Workspace(work, SUITE.name)
    target = workspace.item_file("riddle")
    stage = Stage("build-riddles", workspace.items, [TABLE], {}, [target])
    stage.run(lambda: {"riddles": write_rows(target, rows(), item_schema("riddles", "riddle"))}, what="riddles")


BUILD = Build(command)
