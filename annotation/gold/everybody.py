"""Gold questions are for everybody: the server offers them to whoever has not answered them, however many have."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from tashika.annotation.labelstudio.client import Server, Task

EVERYBODY = 1_000
"""People that the server is to ask; more than any team has."""


def open_to_everybody(server: Server, tasks: Iterable[Task], item_ids: Collection[str]) -> int:
    """Has the server ask everybody about some items.

    Args:
        server: Where the tasks are.
        tasks: Of a project.
        item_ids: The items.

    Returns:
        How many tasks it asked fewer people about before.
    """
    narrow = [task for task in tasks if task.item_id in item_ids and task.wanted < EVERYBODY]
    for task in narrow:
        server.ask_more(task.task_id, EVERYBODY)
    return len(narrow)
