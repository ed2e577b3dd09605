"""Table 1 of the paper: targets, relata, prompts and probes of each relation, beside the paper's figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from statistics import fmean, pstdev
from typing import Any, Final

import pyarrow as pa

from tashika.core.suites.semrel.words import RELATIONS, SHORT, Relation

PUBLISHED: Final[Mapping[Relation, str]] = {
    "hypernymy": "718 9.0±7.1 7 5,026",
    "hyponymy": "319 20.7±43.5 7 2,233",
    "holonymy": "195 2.6±2.1 7 1,365",
    "meronymy": "146 3.0±4.4 6 876",
    "antonymy": "105 1.1±0.4 9 945",
    "synonymy": "218 3.0±2.7 7 1,526",
}
"""Targets, relata a target (mean and standard deviation), prompts, probes."""

PUBLISHED_PROBES: Final = 11_971


def statistics(probe: pa.Table, relatum: pa.Table) -> dict[str, Any]:
    """Table 1 as plain values, for `items/statistics.json`.

    The standard deviation is that of the targets at hand, not an estimate (divided by n); the paper does not say which.

    Args:
        probe: The probe items; control questions are counted apart.
        relatum: The relatum items; those of pairs that no probe asks for do not count.
    """
    rows = probe.select(["target", "relation", "prompt", "known_answers", "questionnaire"]).to_pylist()
    asked = [row for row in rows if row["known_answers"] is None]
    sizes: Counter[tuple[str, str]] = Counter(
        zip(map(str, relatum["target"].to_pylist()), map(str, relatum["relation"].to_pylist()), strict=True)
    )
    relations = {}
    for relation in RELATIONS:
        own = [row for row in asked if row["relation"] == relation]
        targets = sorted({row["target"] for row in own})
        relata = [sizes[target, relation] for target in targets]
        relations[relation] = {
            "targets": len(targets),
            "relata_mean": round(fmean(relata), 3) if relata else None,
            "relata_sd": round(pstdev(relata), 3) if relata else None,
            "prompts": len({row["prompt"] for row in own}),
            "probes": len(own),
        }
    questionnaires = Counter(row["questionnaire"] for row in rows)
    return {
        "relations": relations,
        "targets": len({row["target"] for row in asked}),
        "probes": len(asked),
        "relata": relatum.num_rows,
        "controls": len(rows) - len(asked),
        "questionnaires": len(questionnaires),
        "fewest_questions": min(questionnaires.values(), default=0),
        "most_questions": max(questionnaires.values(), default=0),
    }


def table_1(numbers: Mapping[str, Any]) -> Any:
    """Table 1 for a terminal, with the paper's figures.

    Args:
        numbers: What `statistics` returns.
    """
    from rich.table import Table

    table = Table(
        "",
        "relation",
        "targets",
        "relata",
        "prompts",
        "probes",
        "paper",
        title="Table 1",
        caption="targets: where the lists give fewer, as many as the paper has (`enough`)",
    )
    for relation in RELATIONS:
        line = numbers["relations"][relation]
        relata = "–" if line["relata_mean"] is None else f"{line['relata_mean']:.1f}±{line['relata_sd']:.1f}"
        table.add_row(
            SHORT[relation],
            relation,
            f"{line['targets']:,}",
            relata,
            str(line["prompts"]),
            f"{line['probes']:,}",
            PUBLISHED[relation],
        )
    table.add_row(
        "", "all", f"{numbers['targets']:,}", "", "", f"{numbers['probes']:,}", f"{PUBLISHED_PROBES:,}", style="bold"
    )
    return table


def table_of_steps(content: Mapping[str, Any]) -> Any:
    """How many words fall away at each step, for a terminal.

    Args:
        content: The content of `items/targets.json`.
    """
    from rich.table import Table

    table = Table("candidates from", "step", "left", "fell away", title="Targets")
    for source, steps in content["steps"].items():
        before = None
        for place, (name, count) in enumerate(steps):
            away = "" if before is None else f"{before - count:,}"
            table.add_row("" if place else source, name, f"{count:,}", away)
            before = count
    for relation in RELATIONS:
        count, filled = len(content["pairs"][relation]), content["filled"][relation]
        table.add_row(
            "" if relation != RELATIONS[0] else "targets", relation, f"{count:,}", _origin(content, relation, filled)
        )
    return table


def _origin(content: Mapping[str, Any], relation: Relation, filled: int) -> str:
    """Where the targets of a relation come from, and how many of WordNet's were not needed."""
    spare = content["available"][relation] - filled
    if not filled:
        return ""
    return f"{filled:,} of them from WordNet" + (f", {spare:,} more not needed" if spare else "")
