"""Labels beside the ids of questions and tenures, and days beside their dates in text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date

import pyarrow as pa

from tashika.exports.arrow import values
from tashika.exports.tempripple.schema import CONFIGS, DERIVED


def with_derived(tables: Mapping[str, pa.Table]) -> dict[str, pa.Table]:
    """The tables of a release with the columns of `DERIVED`, in the order of their configurations.

    Args:
        tables: By configuration, without them.
    """
    facts, related = tables["facts"], tables["related"]
    names = {**_labels(related, "relation"), **_labels(facts, "relation")}
    subjects = _labels(facts, "subject")
    columns: dict[str, dict[str, Iterable[str | date | None]]] = {name: {} for name in tables}
    for config in ("questions", "history"):
        columns[config]["relation_label"] = _looked_up(tables[config], "relation", names)
    columns["questions"]["subject_label"] = _looked_up(tables["questions"], "subject", subjects)
    columns["questions"]["last_relation_label"] = _looked_up(tables["questions"], "last_relation", names)
    for config, dates in (("facts", ("start",)), ("history", ("start", "end"))):
        for name in dates:
            columns[config][f"{name}_day"] = [first_day(text) for text in values(tables[config], name)]
    return {config: _completed(config, table, columns[config]) for config, table in tables.items()}


def _completed(config: str, table: pa.Table, columns: Mapping[str, Iterable[str | date | None]]) -> pa.Table:
    for name, about in DERIVED[config].items():
        kind = pa.string() if about.type == "string" else pa.date32()
        table = table.append_column(name, pa.array(list(columns[name]), kind))
    return table.select(list(CONFIGS[config].columns))


def _labels(table: pa.Table, name: str) -> dict[str, str]:
    return dict(zip(values(table, name), values(table, f"{name}_label"), strict=True))


def _looked_up(table: pa.Table, name: str, labels: Mapping[str, str]) -> list[str]:
    """The label of each id; the id itself where no released fact says its label."""
    return [labels.get(entity, entity) for entity in values(table, name)]


def first_day(text: str | None) -> date | None:
    """The first day of a year, a month or a day; None where nothing is stated, or a date cannot say it.

    Args:
        text: Such as 2025, 2025-03 or 2025-03-01.
    """
    parts = (text or "").split("-")
    if not 1 <= len(parts) <= len(("year", "month", "day")):
        return None
    try:
        year, month, day = (*map(int, parts), 1, 1)[:3]
        return date(year, month, day)
    except ValueError:  # none, or before the year 1
        return None
