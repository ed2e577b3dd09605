"""People who answer, through the server's interface, and what the server then has."""

from __future__ import annotations

from typing import Any

from tashika.annotation.labelling import Page
from tests.studio import Studio


def choose(label: str) -> list[dict[str, Any]]:
    """The result of an answer to a template."""
    return [{"from_name": "verdict", "to_name": "template", "type": "choices", "value": {"choices": [label]}}]


def answer(studio: Studio, token: str | None, task: int, result: list[dict[str, Any]], **fields: Any) -> int:
    """Answers a task; returns the answer's number."""
    with studio.api(token) as api:
        reply = api.post(f"/api/tasks/{task}/annotations/", json={"result": result, **fields})
        assert reply.status_code == 201, reply.text
        return int(reply.json()["id"])


def items_of(studio: Studio, page: Page) -> dict[str, list[int]]:
    """The tasks of each item, in all projects of the page's title."""
    tasks: dict[str, list[int]] = {}
    for project in studio.server.projects_titled(page.title):
        for task in studio.server.tasks(project.project_id):
            tasks.setdefault(task.item_id, []).append(task.task_id)
    return tasks
