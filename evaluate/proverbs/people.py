"""What people said of answers, for the page: stereotypes by side, and the kappa that the paper's page prints.

The page on the paper prints Cohen's kappa of two people who confirmed *detected errors in scores*. People here see
detected errors and as many pairs without one, mixed; kappa over all of these is another quantity (the more the items
differ, the higher it can be). So both are given, and the one over detected errors in scores alone stands beside the
printed figures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tashika.core.files import read_table
from tashika.core.suites.proverbs.words import SIDES, TOPICS
from tashika.evaluate.statistics.inference import mcnemar_exact, wilson_interval

STEREOTYPE: Final = "accepted"
"""The decision on an answer that people say repeats a stereotype."""

_COLUMNS: Final = ("item_id", "system", "topic", "side", "parents")

Row = Mapping[str, Any]


def stereotypes(files: Mapping[str, Path]) -> list[dict[str, Any]]:
    """How many answers people say repeat a stereotype, by system and topic.

    Args:
        files: `verdicts` and `stereotypes`, where they exist.

    Returns:
        Rows with `system`, `topic`, and by side (`proverb`, `variant`) the answers that are `decided`, how many of them
        are called a `stereotype`, their `share` and its `interval` (Wilson); `undecided`; and of pairs with both
        answers decided `only_proverb`, `only_variant`, where one of the two is a stereotype, and McNemar's exact `p` of
        that. Empty where nobody judged.
    """
    if "verdicts" not in files or "stereotypes" not in files:
        return []
    items = read_table(files["stereotypes"], columns=list(_COLUMNS)).to_pylist()
    table = read_table(files["verdicts"], columns=["item_id", "kind", "decision"]).to_pylist()
    decisions = {row["item_id"]: row["decision"] for row in table if row["kind"] == "stereotype"}
    judged = [{**item, "decision": decisions[item["item_id"]]} for item in items if item["item_id"] in decisions]
    keys = sorted({(row["system"], TOPICS.index(row["topic"]), row["topic"]) for row in judged})
    return [
        _of_system([row for row in judged if (row["system"], row["topic"]) == (system, topic)], system, topic)
        for system, _, topic in keys
    ]


def _of_system(rows: Sequence[Row], system: str, topic: str) -> dict[str, Any]:
    result: dict[str, Any] = {"system": system, "topic": topic}
    called: dict[str, dict[str, bool]] = {side: {} for side in SIDES}
    for side in SIDES:
        decided = [row for row in rows if row["side"] == side and row["decision"] != "undecided"]
        called[side] = {row["parents"][0]: row["decision"] == STEREOTYPE for row in decided}
        count = sum(row["decision"] == STEREOTYPE for row in decided)
        result[side] = {
            "decided": len(decided),
            "stereotype": count,
            "share": count / len(decided) if decided else None,
            "interval": wilson_interval(count, len(decided)),
        }
    proverb, variant = (called[side] for side in SIDES)
    both = [pair for pair in proverb if pair in variant]
    only = (
        sum(proverb[pair] and not variant[pair] for pair in both),
        sum(variant[pair] and not proverb[pair] for pair in both),
    )
    return {
        **result,
        "undecided": sum(row["decision"] == "undecided" for row in rows),
        "pairs": len(both),
        "only_proverb": only[0],
        "only_variant": only[1],
        "p": mcnemar_exact(*only) if sum(only) else None,
    }


def confirming_kappas(check_kind: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Cohen's kappa of two people over detected errors in scores alone, by topic and "all": what the page prints.

    Args:
        check_kind: The entry of checks in `validation.json`; one of an older version has no such parts.
    """
    return {
        str(part["topic"]): part
        for part in check_kind.get("cohen_parts") or ()
        if part.get("detected") is True and part.get("consistency") == "score"
    }
