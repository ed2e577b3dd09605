"""What a task shows of an item: each column as a piece of HTML, and as the plain value for pages of the user's own."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any

from tashika.annotation.labelling import Row
from tashika.annotation.markup import said

LARGE = "font-size:18px;line-height:1.6;white-space:pre-wrap;overflow-wrap:anywhere"
_CELL = "border:1px solid #d1d5db;padding:6px 12px;vertical-align:baseline;font-size:17px;line-height:1.5"
_PLACE = f"{_CELL};width:1.5em;text-align:center;color:#6b7280;font-weight:600"
NOTHING = '<span style="color:#9ca3af">–</span>'
"""What stands for an empty value."""


def html_name(column: str) -> str:
    """The name that a task has for a column's HTML."""
    return f"{column}_html"


def shown(value: Any) -> str:
    """A column's value as HTML: texts escaped with their lines, lists as numbered lines, truths as yes and no."""
    if value is None or value in ("", []):
        return NOTHING
    if isinstance(value, bool):
        return f'<span style="{LARGE}">{said("yes", "はい") if value else said("no", "いいえ")}</span>'
    if isinstance(value, Sequence) and not isinstance(value, str):
        return _numbered([_plain(one) for one in value])
    return f'<span style="{LARGE}">{html.escape(_plain(value))}</span>'


def _plain(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _numbered(lines: Sequence[str]) -> str:
    rows = "".join(
        f'<tr><td style="{_PLACE}">{place}</td><td style="{_CELL}">{html.escape(line)}</td></tr>'
        for place, line in enumerate(lines, start=1)
    )
    return f'<table style="border-collapse:collapse;width:100%">{rows}</table>'


def task_columns(row: Row, columns: Sequence[str]) -> dict[str, Any]:
    """The task's entries for some columns of an item."""
    return named(columns, {column: row[column] for column in columns})


def named(names: Sequence[str], values: Mapping[str, Any]) -> dict[str, Any]:
    """The task's entries under some names: the plain values (empty ones as an empty text), and their HTML."""
    plain = {name: "" if values[name] is None else values[name] for name in names}
    return {**plain, **{html_name(name): shown(values[name]) for name in names}}
