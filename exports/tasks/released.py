"""The tasks that a release has rows for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tashika.exports.schema import Config
from tashika.exports.tasks.task import Task

if TYPE_CHECKING:
    from tashika.exports.documents import Draft


def tasks_of(draft: Draft) -> tuple[Task, ...]:
    """The tasks of a release whose part has rows; without examples of a part that has none."""
    tasks = []
    for task in draft.suite.tasks(draft.folder):
        config = draft.suite.configs[task.config]
        if _rows(draft.record, config, task.split):
            pool = (
                task.fewshot_split if task.fewshot_split and _rows(draft.record, config, task.fewshot_split) else None
            )
            tasks.append(replace(task, fewshot_split=pool))
    return tuple(tasks)


def _rows(record: Mapping[str, Any], config: Config, split: str) -> int:
    """How many rows a part has; of a configuration that is one part, all of them."""
    files = record["files"]
    if len(config.splits) > 1:
        return int(files.get(f"{config.folder}/{split}.parquet", {"rows": 0})["rows"])
    return sum(int(file["rows"]) for path, file in files.items() if path.startswith(f"{config.folder}/"))
