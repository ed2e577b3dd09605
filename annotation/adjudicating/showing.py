"""An item as plain text, for terminals, tables and reports: whatever its suite, what its page shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tashika.annotation.adjudicating.pages import BECAUSE
from tashika.annotation.adjudicating.panel import PANEL
from tashika.annotation.labelling import SIDES_SEED, Page, PreferencePage, Row
from tashika.annotation.markup import plain

_HTML: Final = "_html"
_NOT_SHOWN: Final = frozenset({"item_id", "suite", "kind", SIDES_SEED, PANEL, BECAUSE})


def shown_parts(page: Page, row: Row, parents: Sequence[Row] = ()) -> dict[str, str]:
    """What the page shows of an item: the plain text of each column, by its name.

    A task has a column as plain text, as HTML, or as both; of what there is as HTML alone the tags are left out. The
    sides of a preference bear the names of their columns, by which it is counted.

    Args:
        page: The page.
        row: The item.
        parents: Those of its parents that are of the same kind.
    """
    data = page.task_data(row, parents)
    names = page.sides(row["item_id"]) if isinstance(page, PreferencePage) else {}
    parts: dict[str, str] = {}
    for name, value in data.items():
        column = name.removesuffix(_HTML)
        shown = names.get(column, column).replace("_", " ")
        if name in _NOT_SHOWN or shown in parts:
            continue
        as_text = _as_text(data[column]) if column in data else plain(str(value), page.look.language)
        text = " ".join(as_text.split())
        if text:
            parts[shown] = text
    return parts


def shown_text(page: Page, row: Row, parents: Sequence[Row] = ()) -> str:
    """What the page shows of an item in one line; see `shown_parts`."""
    return in_one_line(shown_parts(page, row, parents))


def in_one_line(parts: Mapping[str, str]) -> str:
    """Columns in one line with their names; a single one without."""
    if len(parts) == 1:
        return next(iter(parts.values()))
    return " · ".join(f"{name}: {text}" for name, text in parts.items())


def _as_text(value: Any) -> str:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "; ".join(str(part) for part in value)
    return "" if value is None else str(value)


def shortened(text: str, longest: int) -> str:
    """A text of at most so many characters."""
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"
