"""The numbers of the pairs: by topic, change, maker, origin and form; what was refused, and what the model cost."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from tashika.core.suites.proverbs.words import CHANGES, CONTROL, DIRECTIONS, FORMS, TOPICS

COLUMNS: Final = ("change", "maker", "origin", "form", "direction")
MAKERS: Final = ("swap", "written", "model")
_REASONS_SHOWN: Final = 12
_ORIGINS_SHOWN: Final = 12
_SAID: Final = re.compile(r"[\"'][^\"]*[\"']|: .*")


def statistics(rows: Sequence[Mapping[str, Any]], variants: Mapping[str, Any]) -> dict[str, Any]:
    """The numbers as plain values, for `items/statistics.json`.

    Args:
        rows: The pairs, controls among them, which are counted apart.
        variants: The content of `items/variants.json`.
    """
    topics = {}
    pairs = [row for row in rows if row["change"] != CONTROL]
    for topic in TOPICS:
        own = [row for row in pairs if row["topic"] == topic]
        topics[topic] = {
            "pairs": len(own),
            "controls": sum(row["topic"] == topic for row in rows) - len(own),
            "lacking": variants["lacking"][topic],
            "tagged": variants["tagged"][topic],
            **{column: dict(Counter(row[column] or "not named" for row in own).most_common()) for column in COLUMNS},
        }
    refused: dict[str, Counter[str]] = {maker: Counter() for maker in MAKERS}
    for _, _, maker, _, reason in variants["refused"]:
        refused[maker][_kind(reason)] += 1
    return {
        "pairs": len(pairs),
        "topics": topics,
        "refused": {maker: dict(counts.most_common()) for maker, counts in refused.items()},
        "cost": variants["cost"],
    }


def _kind(reason: str) -> str:
    """A reason without the words that it is about, so that like ones are counted together."""
    return " ".join(_SAID.sub(" ", reason).split())


def tables(numbers: Mapping[str, Any]) -> list[Any]:
    """The numbers as tables for a terminal.

    Args:
        numbers: What `statistics` returns.
    """
    from rich.table import Table

    pairs = Table("", "", *TOPICS, title="Pairs")
    lines = [numbers["topics"][topic] for topic in TOPICS]
    for name in ("pairs", "lacking", "controls", "tagged"):
        pairs.add_row("proverbs" if name == "tagged" else "pairs", name, *(str(line[name]) for line in lines))
    changes = [change for change in CHANGES if change != CONTROL]
    for column, names in (("change", changes), ("direction", DIRECTIONS), ("maker", MAKERS), ("form", FORMS)):
        for name in names:
            pairs.add_row(column, name, *(str(line[column].get(name, 0)) for line in lines))
    origins: Counter[str] = Counter()
    for line in lines:
        origins.update(line["origin"])
    pairs.caption = "origins: " + ", ".join(f"{name} {count}" for name, count in origins.most_common(_ORIGINS_SHOWN))
    reasons = Table("variant", "refused because it", "times", title="Refused")
    listed = ((count, maker, why) for maker, whys in numbers["refused"].items() for why, count in whys.items())
    for count, maker, why in sorted(listed, reverse=True)[:_REASONS_SHOWN]:
        reasons.add_row(maker, why, str(count))
    return [pairs, reasons] if reasons.row_count else [pairs]


def shortages(numbers: Mapping[str, Any]) -> list[str]:
    """A line for each topic that has fewer pairs than are wanted, with why variants were refused."""
    lines = []
    for topic in TOPICS:
        line = numbers["topics"][topic]
        if line["lacking"]:
            wanted = line["pairs"] + line["lacking"]
            makers = ("swap",) if topic == "gender" else ("written", "model")
            whys: Counter[str] = Counter()
            for maker in makers:
                whys.update(numbers["refused"][maker])
            refusals = "; ".join(f"{why} ({count})" for why, count in whys.most_common(3))
            why = f"; most were refused because: {refusals}" if refusals else ""
            lines.append(
                f"{topic}: {line['pairs']} pairs of {wanted}, from {line['tagged']} proverbs of the topic{why}"
            )
    return lines
