"""Table 1 of TempRIPPLE: what a build holds, by changing property and by hop, beside the paper's figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Final

import pyarrow as pa

PUBLISHED: Final[Mapping[str, tuple[int, int, float, int]]] = {
    "P6": (77, 192, 6.7, 31),
    "P35": (11, 23, 7.5, 25),
    "P54": (138, 762, 2.3, 15),
    "P108": (66, 161, 9.3, 55),
    "P169": (18, 41, 6.7, 20),
    "P286": (42, 205, 2.2, 16),
    "P488": (92, 248, 5.4, 23),
}
"""Table 1 of the paper, an extract: facts, instances, mean and longest duration in years."""

PUBLISHED_TOTAL: Final = (464, 1_680)
PUBLISHED_MEAN: Final = 4.3
PUBLISHED_RELATED: Final = {1: 9_338, 2: 16_370, 3: 9_490}


@dataclass(frozen=True)
class PropertyCounts:
    """A line of Table 1.

    Attributes:
        relation: The changing property.
        facts: Subjects whose history was accepted.
        tenures: New and old facts together, the paper's instances.
        mean_years: The tenures' mean duration.
        longest_years: The longest.
    """

    relation: str
    facts: int
    tenures: int
    mean_years: float
    longest_years: float


def by_property(history: pa.Table) -> list[PropertyCounts]:
    """Table 1: one line a changing property, most facts first.

    Args:
        history: The history items.
    """
    groups = history.group_by("relation").aggregate(
        [("subject", "count_distinct"), ("subject", "count"), ("years", "mean"), ("years", "max")]
    )
    lines = [
        PropertyCounts(
            row["relation"], row["subject_count_distinct"], row["subject_count"], row["years_mean"], row["years_max"]
        )
        for row in groups.to_pylist()
    ]
    return sorted(lines, key=lambda line: (-line.facts, line.relation))


def by_hop(related: pa.Table) -> dict[int, int]:
    """How many related facts there are at each distance."""
    hops: list[Any] = related["hop"].to_pylist()
    return dict(sorted(Counter(hops).items()))


def by_task(question: pa.Table) -> dict[tuple[str, int], int]:
    """How many questions there are of each task and hop."""
    tasks: list[Any] = question["task"].to_pylist()
    hops: list[Any] = question["hop"].to_pylist()
    return dict(sorted(Counter(zip(tasks, hops, strict=True)).items()))


def statistics(history: pa.Table, related: pa.Table, question: pa.Table) -> dict[str, Any]:
    """All of the above as plain values, for `items/statistics.json`."""
    years: list[Any] = history["years"].to_pylist()
    return {
        "properties": {
            line.relation: {
                "facts": line.facts,
                "tenures": line.tenures,
                "mean_years": round(line.mean_years, 3),
                "longest_years": round(line.longest_years, 3),
            }
            for line in by_property(history)
        },
        "facts": len({*zip(history["subject"].to_pylist(), history["relation"].to_pylist(), strict=True)}),
        "tenures": history.num_rows,
        "mean_years": round(fmean(years), 3) if years else None,
        "related": {str(hop): count for hop, count in by_hop(related).items()},
        "questions": {f"{task}/{hop}": count for (task, hop), count in by_task(question).items()},
    }


def table_1(numbers: Mapping[str, Any], labels: Mapping[str, str]) -> Any:
    """Table 1 for a terminal, with the paper's figures where it prints them.

    Args:
        numbers: What `statistics` returns.
        labels: Of the changing properties.
    """
    from rich.table import Table

    table = Table("ID", "property", "facts", "tenures", "mean years", "longest", "paper")
    most_first = sorted(numbers["properties"].items(), key=lambda entry: (-entry[1]["facts"], entry[0]))
    for relation, line in most_first:
        paper = PUBLISHED.get(relation)
        shown = f"{paper[0]:,} {paper[1]:,} {paper[2]:.1f} {paper[3]}" if paper else ""
        mean, longest = f"{line['mean_years']:.1f}", f"{line['longest_years']:.0f}"
        table.add_row(
            relation, labels.get(relation, ""), f"{line['facts']:,}", f"{line['tenures']:,}", mean, longest, shown
        )
    total = f"{PUBLISHED_TOTAL[0]:,} {PUBLISHED_TOTAL[1]:,} {PUBLISHED_MEAN}"
    mean = f"{numbers['mean_years']:.1f}"
    table.add_row("", "all", f"{numbers['facts']:,}", f"{numbers['tenures']:,}", mean, "", total, style="bold")
    for hop, count in numbers["related"].items():
        table.add_row("", f"related, hop {hop}", f"{count:,}", "", "", "", f"{PUBLISHED_RELATED[int(hop)]:,}")
    questions = sum(numbers["questions"].values())
    table.add_row("", "questions", f"{questions:,}", "", "", "", "c. 37,000")
    return table
