"""The tables and figures of a page, taken from its HTML: what a reader sees is what is exported."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import accumulate, count
from typing import Final

_TITLES: Final = ("h1", "h2", "h3", "summary")
"""What names a table, from the widest to the nearest."""
_SMALL: Final = frozenset({"interval", "small", "right"})
"""Classes of what stands in a cell in small print."""


@dataclass(frozen=True)
class Cell:
    """A cell of a table; one that spans several places stands in each of them.

    Attributes:
        text: Its words, in a line.
        note: Its words in small print, such as an interval.
        is_first: Whether this is the first of its places.
        is_first_row: Whether this is in the first of its rows.
    """

    text: str
    note: str = ""
    is_first: bool = True
    is_first_row: bool = True


Row = tuple[Cell, ...]


@dataclass(frozen=True)
class TablePart:
    """A table.

    Attributes:
        titles: The headings above it, the nearest last.
        head: Rows of the head, all of the same length.
        body: The other rows.
        end: Where it ends in the page, in characters.
        inside: Where its content begins, behind its first tag, in characters.
        caption: Its own title in the page; empty where it has none.
    """

    titles: tuple[str, ...]
    head: tuple[Row, ...]
    body: tuple[Row, ...]
    end: int
    inside: int = 0
    caption: str = ""


@dataclass(frozen=True)
class FigurePart:
    """A figure.

    Attributes:
        title: What it shows, as those hear who hear the page.
        svg: Its text in the page.
        end: Where it ends in the page, in characters.
    """

    title: str
    svg: str
    end: int


def parts_of(page: str) -> tuple[list[TablePart], list[FigurePart]]:
    """The tables and figures of a page in their order."""
    parser = _Parser(page)
    parser.feed(page)
    parser.close()
    return parser.tables, parser.figures


@dataclass
class _Draft:
    """A table that is being read: rows of (is in the head, cells)."""

    inside: int
    rows: list[tuple[bool, list[_Spanning]]] = field(default_factory=list)
    caption: list[str] | None = None
    """The parts of its title; None before there is one."""
    in_caption: bool = False
    in_head: bool = False
    cell: _Spanning | None = None
    small: int = 0
    """How deep in small print the place is, in spans."""


@dataclass
class _Spanning:
    """A cell that is being read: the parts of its text and of its small print, the columns and rows that it spans."""

    across: int
    down: int
    parts: list[str] = field(default_factory=list)
    small: list[str] = field(default_factory=list)


class _Parser(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.tables: list[TablePart] = []
        self.figures: list[FigurePart] = []
        self._page = page
        self._lines = list(accumulate((len(line) + 1 for line in page.split("\n")), initial=0))
        self._titles: dict[str, str] = {}
        self._title: list[str] | None = None
        self._table: _Draft | None = None
        self._figure: tuple[int, str] | None = None

    def _place(self) -> int:
        line, column = self.getpos()
        return self._lines[line - 1] + column

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "svg" and self._figure is None:
            self._figure = (self._place(), given.get("aria-label") or "figure")
        elif tag in _TITLES:
            self._title = []
            for narrower in _TITLES[_TITLES.index(tag) :]:
                self._titles.pop(narrower, None)
        elif tag == "table":
            start = self.get_starttag_text() or ""
            self._table = _Draft(self._place() + len(start))
        elif self._table is not None:
            self._start_in_table(self._table, tag, given)

    def _start_in_table(self, table: _Draft, tag: str, given: dict[str, str | None]) -> None:
        if tag in {"thead", "tbody"}:
            table.in_head = tag == "thead"
        elif tag == "caption":
            table.caption, table.in_caption = [], True
        elif tag == "tr":
            table.rows.append((table.in_head, []))
        elif tag in {"th", "td"}:
            table.cell = _Spanning(int(given.get("colspan") or 1), int(given.get("rowspan") or 1))
            table.small = 0
        elif tag == "span" and (table.small or _SMALL & set((given.get("class") or "").split())):
            if table.cell is not None and table.cell.small and not table.small:
                table.cell.small.append("; ")
            table.small += 1
        elif tag in {"br", "p", "div", "li"}:
            self.handle_data(" ")

    def handle_endtag(self, tag: str) -> None:
        table = self._table
        if tag == "svg" and self._figure is not None:
            start, title = self._figure
            end = self._place() + len("</svg>")
            self.figures.append(FigurePart(title, self._page[start:end], end))
            self._figure = None
        elif tag in _TITLES and self._title is not None:
            self._titles[tag] = _line(self._title)
            self._title = None
        elif tag == "details":
            self._titles.pop("summary", None)
        elif table is not None and tag == "caption":
            table.in_caption = False
        elif table is not None and tag in {"th", "td"} and table.cell is not None:
            table.rows[-1][1].append(table.cell)
            table.cell = None
        elif table is not None and tag == "span" and table.small:
            table.small -= 1
        elif table is not None and tag == "table":
            self._end_table(table)

    def _end_table(self, table: _Draft) -> None:
        titles = tuple(self._titles[name] for name in _TITLES if name in self._titles)
        grid = _grid([cells for _, cells in table.rows])
        heads = [in_head for in_head, _ in table.rows]
        end = self._place() + len("</table>")
        self.tables.append(
            TablePart(
                titles,
                tuple(row for row, in_head in zip(grid, heads, strict=True) if in_head),
                tuple(row for row, in_head in zip(grid, heads, strict=True) if not in_head),
                end,
                table.inside,
                _line(table.caption or ()),
            )
        )
        self._table = None

    def handle_data(self, data: str) -> None:
        if self._figure is not None:
            return
        if self._title is not None:
            self._title.append(data)
        if self._table is not None and self._table.in_caption and self._table.caption is not None:
            self._table.caption.append(data)
        elif self._table is not None and self._table.cell is not None:
            cell = self._table.cell
            (cell.small if self._table.small else cell.parts).append(data)


def _line(parts: Sequence[str]) -> str:
    return " ".join("".join(parts).split()).replace(" ;", ";")


def _grid(rows: Sequence[Sequence[_Spanning]]) -> list[Row]:
    """Rows of the same length, in which a cell that spans several places stands in each."""
    taken: dict[tuple[int, int], Cell] = {}
    for number, cells in enumerate(rows):
        column = 0
        for cell in cells:
            while (number, column) in taken:
                column += 1
            for row in range(number, number + cell.down):
                for place in range(column, column + cell.across):
                    taken[row, place] = Cell(_line(cell.parts), _line(cell.small), place == column, row == number)
            column += cell.across
    width = 1 + max((column for _, column in taken), default=-1)
    return [tuple(taken.get((row, column), Cell("")) for column in range(width)) for row in range(len(rows))]


def names_of(parts: Sequence[str]) -> Iterator[str]:
    """Names for files, from titles: what is alike gets a number."""
    seen: set[str] = set()
    for part in parts:
        name = re.sub(r"\W+", "-", part.casefold()).strip("-_")[:_LONGEST].strip("-") or "untitled"
        numbered = (name if number == 1 else f"{name}-{number}" for number in count(1))
        free = next(candidate for candidate in numbered if candidate not in seen)
        seen.add(free)
        yield free


_LONGEST: Final = 80
"""Characters of a file's name; a system allows 255 bytes."""
