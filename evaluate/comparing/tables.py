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
    pairs = [(contest.first, contest.second) for contest in side.measures[0].whole.contests] if side.measures else []
    for place, (first, second) in enumerate(pairs):
        console.print(f"{side.names[first]} against {side.names[second]}", markup=False, highlight=False)
        table = Table("measure", "first", "second", "difference\n95 % interval", "p\nHolm", "in words")
        for column in table.columns[1:5]:
            column.justify = "right"
            column.no_wrap = True
        for compared in side.measures:
            contest, measure = compared.whole.contests[place], compared.measure
            table.add_row(
                Text(measure.title),
                *(value_words(value, measure) for value in contest.values),
                f"{difference_words(contest.delta, measure)}\n{interval_words(contest, measure)}".rstrip(),
                f"{shown(contest.p)}\n{shown(contest.p_holm)}",
                Text(verdict(contest, measure, side.names, side)),
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
            for contest in part.contests:
                yield _row(contest, part, compared, side)


def _row(contest: Contest, part: Part, compared: Compared, side: SideBySide) -> dict[str, Any]:
    return {
        "measure": compared.measure.key,
        "group": part.name or "",
        "items": contest.common,
        "clusters": contest.clusters,
        "first": side.names[contest.first],
        "second": side.names[contest.second],
        "first_value": contest.values[0],
        "second_value": contest.values[1],
        "difference": contest.delta,
        "low": contest.interval.low if contest.interval else None,
        "high": contest.interval.high if contest.interval else None,
        "first_more": contest.gained,
        "second_more": contest.lost,
        "test": contest.test,
        "p": contest.p,
        "p_holm": contest.p_holm,
        "p_items": contest.p_items,
        "verdict": verdict(contest, compared.measure, side.names, side),
    }
