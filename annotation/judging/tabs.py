"""The data manager's first tab, which is the first screen that annotators see: it shows texts.

Left to itself Label Studio shows every field of a task, and so the HTML that pages are made of, and who has answered.
The first tab hides both. Tabs that people have made or changed stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tashika.annotation.labelling import SIDES_SEED
from tashika.annotation.labelstudio.client import Server

TITLE = "Default"
"""As Label Studio calls the tab that it makes by itself."""

_WIDTH = 320
"""Pixels that a text gets, of 150 by default."""

_OURS = ("item_id", "suite", "kind", SIDES_SEED)
_HIDDEN_BY_DEFAULT = tuple(
    f"tasks:{name}"
    for name in (
        "inner_id",
        "annotations_results",
        "annotations_ids",
        "predictions_score",
        "predictions_model_versions",
        "predictions_results",
        "file_upload",
        "storage_filename",
        "created_at",
        "updated_at",
        "updated_by",
        "avg_lead_time",
        "draft_exists",
    )
)
"""What Label Studio 1.23 hides in the tab that it makes by itself."""

_ABOUT_OTHERS = tuple(
    f"tasks:{name}" for name in ("annotators", "completed_at", "cancelled_annotations", "total_predictions")
)


def first_tab(fields: Iterable[str], more_hidden: Iterable[str] = ()) -> dict[str, Any]:
    """The first tab of a project, in Label Studio's form.

    Args:
        fields: The names that the data of its tasks have.
        more_hidden: Those of them that people should not see there, beside HTML and what is ours.
    """
    fields, ours = sorted(fields), {*_OURS, *more_hidden}
    hidden = [f"tasks:data.{name}" for name in fields if name in ours or name.endswith("_html")]
    texts = [f"tasks:data.{name}" for name in fields if f"tasks:data.{name}" not in hidden]
    explore = [*_HIDDEN_BY_DEFAULT, *_ABOUT_OTHERS, *hidden]
    return {
        "title": TITLE,
        "type": "list",
        "target": "tasks",
        "hiddenColumns": {"explore": explore, "labeling": [*explore, "tasks:id"]},
        "columnsWidth": dict.fromkeys(texts, _WIDTH),
    }


def is_untouched(tab: dict[str, Any]) -> bool:
    """Whether Label Studio made the tab by itself, when somebody opened the project, and nobody has changed it."""
    hidden = tab.get("hiddenColumns")
    explore = hidden.get("explore", ()) if isinstance(hidden, dict) else ()
    filters = tab.get("filters")
    filtered = bool(filters.get("items")) if isinstance(filters, dict) else bool(filters)
    same = tab.get("title") == TITLE and set(explore) == set(_HIDDEN_BY_DEFAULT)
    return same and not filtered and not tab.get("ordering")


def show_texts(server: Server, project_id: int, fields: Iterable[str], hidden: Iterable[str] = ()) -> None:
    """Makes the project's first tab show texts, unless people have arranged their own.

    Args:
        server: Where the project is.
        project_id: The project.
        fields: The names that the data of its tasks have.
        hidden: Those of them that people should not see there, beside HTML and what is ours.

    Raises:
        OutsideError: The server failed.
    """
    tab_of_texts = first_tab(fields, hidden)
    tabs = server.tabs(project_id)
    if not tabs:
        server.create_tab(project_id, tab_of_texts)
        return
    number, tab = tabs[0]
    if len(tabs) == 1 and is_untouched(tab):
        server.update_tab(number, tab_of_texts)
