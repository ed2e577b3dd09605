"""What a table is called, and its text in each format: the same for the buttons of the page and for `--export`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tashika.evaluate.reporting.formats import as_csv, as_latex, as_markdown
from tashika.evaluate.reporting.parts import TablePart, names_of

FORMATS: Final = ("CSV", "LaTeX", "Markdown")
_AS_TABLE: Final = re.compile(r", (as a table|figure and table)$")


@dataclass(frozen=True)
class TableTexts:
    """A table in words.

    Attributes:
        name: For files and labels: words with hyphens, another one for each table of the page.
        title: What the table shows.
        texts: Its text by format, see `FORMATS`.
    """

    name: str
    title: str
    texts: dict[str, str]


def texts_of(tables: Sequence[TablePart]) -> list[TableTexts]:
    """The texts of all tables of a page, in their order."""
    nearest = [_AS_TABLE.sub("", (table.titles or ("table",))[-1]) for table in tables]
    return [
        TableTexts(name, title, dict(zip(FORMATS, _formats(table, name, title), strict=True)))
        for table, name, title in zip(tables, names_of(nearest), titles_of(tables), strict=True)
    ]


def _formats(table: TablePart, name: str, title: str) -> tuple[str, str, str]:
    return as_csv(table), as_latex(table, title, f"tab:{name}"), as_markdown(table)


def titles_of(tables: Sequence[TablePart]) -> list[str]:
    """What each table shows: its own caption, or the headings above it but the page's own, which is the same for all.

    Tables that stand under the same headings are distinguished by what stands above their first column.
    """
    under = [", ".join(table.titles[1:] or table.titles) or "Table" for table in tables]
    often = Counter(under)
    return [
        table.caption or (f"{title}: {first}" if often[title] > 1 and (first := _first_head(table)) else title)
        for table, title in zip(tables, under, strict=True)
    ]


def _first_head(table: TablePart) -> str:
    """What stands above the first column."""
    return next((row[0].text for row in table.head if row and row[0].text), "")
