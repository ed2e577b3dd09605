"""A comparison as a table in the terminal, as CSV, and as JSON."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from tashika.core.files import write_json, write_text
from tashika.core.reporting.rendering import FILTERS
from tashika.evaluate.comparing.side_by_side import Compared, Part, SideBySide
from tashika.evaluate.comparing.words import difference_words, interval_words, summary, value_words, verdict
from tashika.evaluate.statistics.paired import Contest

COLUMNS: Final = (
    *("measure", "group", "items", "clusters", "first", "second", "first_value", "second_value"),
    *("difference", "low", "high", "first_more", "second_more", "test", "p", "p_holm", "p_items", "verdict"),
)
"""Of the CSV, and the keys of a row of the JSON; `group` is empty in the rows over all items."""


def print_tables(side: SideBySide) -> None:
    """Prints every measure of every two systems, and what to know beside it."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console, shown = Console(), FILTERS["p"]
    pairs = [(one.first, one.second) for one in side.measures[0].whole.contests] if side.measures else []
    for place, (first, second) in enumerate(pairs):
        console.print(f"{side.names[first]} against {side.names[second]}", markup=False, highlight=False)
        table = Table("measure", "first", "second", "difference\n95 % interval", "p\nHolm", "in words")
        for column in table.columns[1:5]:
            column.justify = "right"
            column.no_wrap = True
        for compared in side.measures:
            one, measure = compared.whole.contests[place], compared.measure
            table.add_row(
                Text(measure.title),
                *(value_words(value, measure) for value in one.values),
                f"{difference_words(one.delta, measure)}\n{interval_words(one, measure)}".rstrip(),
                f"{shown(one.p)}\n{shown(one.p_holm)}",
                Text(verdict(one, measure, side.names, side)),
            )
        console.print(table)
    for line in summary(side):
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def write_csv(path: Path, side: SideBySide) -> None:
    """Writes a row a measure, group and two systems; numbers as they are, shares from 0 to 1."""
    text = io.StringIO()
    rows = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    rows.writeheader()
    rows.writerows(_rows(side))
    write_text(path, text.getvalue())


def write_comparison_json(path: Path, side: SideBySide) -> None:
    """Writes the same with what to know beside it."""
    left_out = {
        compared.measure.key: dict(zip(side.names, compared.left_out, strict=True)) for compared in side.measures
    }
    content = {
        "systems": list(side.names),
        "rows": list(_rows(side)),
        "tests": side.tests,
        "tests_by_group": side.group_tests,
        "resamples": side.resamples,
        "seed": side.seed,
        "left_out_items": left_out,
        "left_out_systems": dict(side.left_out),
        "remarks": summary(side),
    }
    write_json(path, content)


def _rows(side: SideBySide) -> Iterator[dict[str, Any]]:
    for compared in side.measures:
        for part in (compared.whole, *compared.groups):
            for one in part.contests:
                yield _row(one, part, compared, side)


def _row(one: Contest, part: Part, compared: Compared, side: SideBySide) -> dict[str, Any]:
    return {
        "measure": compared.measure.key,
        "group": part.name or "",
        "items": one.common,
        "clusters": one.clusters,
        "first": side.names[one.first],
        "second": side.names[one.second],
        "first_value": one.values[0],
        "second_value": one.values[1],
        "difference": one.delta,
        "low": one.interval.low if one.interval else None,
        "high": one.interval.high if one.interval else None,
        "first_more": one.gained,
        "second_more": one.lost,
        "test": one.test,
        "p": one.p,
        "p_holm": one.p_holm,
        "p_items": one.p_items,
        "verdict": verdict(one, compared.measure, side.names, side),
    }
