"""A table as CSV, LaTeX and Markdown."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from itertools import takewhile
from typing import Final

from tashika.evaluate.reporting.parts import Cell, Row, TablePart

_THOUSANDS: Final = re.compile(r"-?\d{1,3}(,\d{3})+(\.\d+)?")
_LATEX: Final = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", "−": "$-$", "–": "--", "—": "---", "×": r"$\times$", "→": r"$\rightarrow$", "≤": r"$\leq$",
    "≥": r"$\geq$", "±": r"$\pm$", "·": r"$\cdot$", "“": "``", "”": "''", "’": "'", "…": r"\dots{}", "†": r"\dag{}",
    "‡": r"\ddag{}", "κ": r"$\kappa$", "α": r"$\alpha$", "ρ": r"$\rho$", "τ": r"$\tau$", "Δ": r"$\Delta$",
    "χ": r"$\chi$", "²": "$^2$", "\u00a0": "~", "\u2009": r"\,", "\u202f": r"\,",
}  # fmt: skip
_MISSING: Final = "–"


def as_csv(table: TablePart) -> str:
    """A line a row: cells that span several rows repeated, plain digits in numbers, empty where the page has a dash.

    Rows of the head are made into one, with ` / ` between what stands above each other. Small print, such as an
    interval, has a column of its own, behind the one that it stands in.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    columns = [[row[place] for row in table.body] for place in range(_width(table))]
    with_notes = [any(cell.note and cell.is_first for cell in cells) for cells in columns]
    names = []
    for (name, note), has_notes in zip(_heads(table), with_notes, strict=True):
        names += [name, f"{name}: {note or 'interval or note'}"] if has_notes else [_joined(name, note)]
    writer.writerow(names)
    for row in table.body:
        cells = []
        for cell, has_notes in zip(row, with_notes, strict=True):
            cells += [_plain(cell, cell.text), _plain(cell, cell.note)] if has_notes else [_plain(cell, cell.text)]
        writer.writerow(cells)
    return text.getvalue()


def _width(table: TablePart) -> int:
    return len((table.head or table.body or ((),))[0])


def _heads(table: TablePart) -> list[tuple[str, str]]:
    """What stands above each column, and its small print, in a line."""
    columns = [[row[place] for row in table.head] for place in range(_width(table))]
    return [
        (_stacked(cell.text for cell in column), _stacked(cell.note for cell in column if cell.is_first))
        for column in columns
    ]


def _stacked(texts: Iterable[str]) -> str:
    return " / ".join(dict.fromkeys(filter(None, texts)))


def _joined(text: str, note: str) -> str:
    return f"{text} ({note})" if text and note else text or note


def _plain(cell: Cell, text: str) -> str:
    if not cell.is_first or text == _MISSING:  # a title across a row stands once
        return ""
    text = text.replace("−", "-")
    return text.replace(",", "") if _THOUSANDS.fullmatch(text) else text


def as_markdown(table: TablePart) -> str:
    """A table with pipes, which has one row as its head."""
    head = [_joined(*names) for names in _heads(table)]
    body = [[_joined(cell.text, cell.note) if _is_shown(cell) else "" for cell in row] for row in table.body]
    marks = ["---", *["--:"] * (len(head) - 1)][: len(head)]
    lines = [_escaped_cells(head), marks, *map(_escaped_cells, body)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _is_shown(cell: Cell) -> bool:
    return cell.is_first and cell.is_first_row


def _escaped_cells(cells: Iterable[str]) -> list[str]:
    return [re.sub(r"([\\|`*_<])", r"\\\1", cell) for cell in cells]


def as_latex(table: TablePart, caption: str, label: str) -> str:
    """A `tabular` with the rules of the package booktabs, in a `table` with a caption and a label.

    Cells that span several columns do so; those that span several rows stand in the first.
    """
    width = _width(table)
    lines = [
        "% Needs \\usepackage{booktabs}; text that is not Latin needs LuaLaTeX or XeLaTeX and a font that has it.",
        "\\begin{table}",
        "\\centering",
        f"\\caption{{{escape_latex(caption)}}}",
        f"\\label{{{label}}}",
        f"\\begin{{tabular}}{{l{'r' * (width - 1)}}}",
        "\\toprule",
        *(_latex_row(row) for row in table.head),
        *(["\\midrule"] if table.head else []),
        *(_latex_row(row) for row in table.body),
        "\\bottomrule",
        "\\end{tabular}",
        "\\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _latex_row(row: Row) -> str:
    cells = []
    for place, cell in enumerate(row):
        if not cell.is_first:
            continue
        text = escape_latex(_joined(cell.text, cell.note)) if cell.is_first_row else ""
        side = "l" if place == 0 else "c"
        across = 1 + len(list(takewhile(lambda other: not other.is_first, row[place + 1 :])))
        cells.append(f"\\multicolumn{{{across}}}{{{side}}}{{{text}}}" if across > 1 else text)
    return f"{' & '.join(cells)} \\\\"


def escape_latex(text: str) -> str:
    """Text in which nothing is a command of LaTeX."""
    return "".join(_LATEX.get(mark, mark) for mark in text)
