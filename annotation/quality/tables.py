"""Rules, agreement and annotators of a summary, for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from rich.box import SIMPLE
from rich.table import Table

from tashika.annotation.quality.changes import describe_changes
from tashika.annotation.votes.rules import IN_WORDS
from tashika.core.annotators import SIMULATED
from tashika.core.counts import counted

_NOTHING: Final[Mapping[str, int]] = {"items": 0}
SHOWN: Final = 8
"""Groups and pairs that the table of agreement shows of a kind: those that agree least."""


def choice_lines(summary: Mapping[str, Any], kinds: Sequence[str]) -> Iterator[str]:
    """Yields what the choice of a rule and of people changes, of the kinds where it was another than the default.

    Args:
        summary: The content of `validation.json`.
        kinds: The kinds to describe.
    """
    for kind in kinds:
        entry = summary.get(kind, {})
        if entry.get("differs_from_majority", _NOTHING)["items"]:
            changes = describe_changes(entry["differs_from_majority"])
            yield f"{kind}: by {IN_WORDS[entry['rule_name']]} {changes} differ from those of a strict majority"
        for caveat in entry.get("caveats", ()):
            yield f"{kind}: {caveat}"
        if "without" in entry:
            without = entry["without"]
            changes = describe_changes(without["changes"])
            before, after = (_number(without[name]) for name in ("alpha_with", "alpha_without"))
            yield (
                f"{kind}: without {', '.join(without['annotators'])}, {changes} differ; Krippendorff's alpha is "
                f"{after}, with them {before}"
            )


def agreement_table(summary: Mapping[str, Any], kinds: Sequence[str]) -> Table | None:
    """Agreement of each kind, and of the groups and pairs that agree least, with intervals; None where there is none.

    Args:
        summary: The content of `validation.json`.
        kinds: The kinds to show.
    """
    shown = [kind for kind in kinds if _measured(summary.get(kind, {}))]
    if not shown:
        return None
    resamples = summary[shown[0]]["agreement"]["resamples"]
    title = f"Agreement, with 95 % intervals over items ({resamples:,} resamples)"
    table = Table(title=title, box=SIMPLE, padding=0)
    for column in ("kind", "among", "coefficient"):
        table.add_column(column, no_wrap=True)
    for column in ("items", "value", "interval"):
        table.add_column(column, justify="right", no_wrap=True)
    for kind in shown:
        for row in _agreement_rows(summary[kind]["agreement"]):
            table.add_row(kind, *row)
    return table


def _measured(entry: Mapping[str, Any]) -> bool:
    return "pairs" in entry.get("agreement", {}) and entry["agreement"]["items_with_two_votes"] > 0


def _agreement_rows(agreement: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    first = agreement["first_votes"]
    everything = "all" if first is None else f"all (first {counted(first, 'vote')})"
    items = f"{agreement['items_with_two_votes']:,}"
    yield everything, "alpha", items, _number(agreement["krippendorff_alpha"]), _interval(agreement["interval"])
    groups = [(name, entry, entry["krippendorff_alpha"]) for name, entry in agreement.get("groups", {}).items()]
    pairs = [(" – ".join(entry["annotators"]), entry, entry["kappa"]) for entry in agreement["pairs"]]
    for coefficient, entries in (("alpha", groups), ("kappa", pairs)):
        least = sorted(entries, key=lambda row: (row[2] is None, row[2] or 0.0, row[0]))
        for name, entry, value in least[:SHOWN]:
            yield name, coefficient, f"{entry['items']:,}", _number(value), _interval(entry["interval"])
        if len(entries) > SHOWN:
            yield f"{counted(len(entries) - SHOWN, 'other')} in validation.json", coefficient, "", "", ""


def annotator_table(summary: Mapping[str, Any], kinds: Sequence[str]) -> Table | None:
    """What is known of each annotator, by kind and in all; None where nobody has judged anything.

    Args:
        summary: The content of `validation.json`.
        kinds: The kinds to show.
    """
    measured = {kind: summary.get(kind, {}).get("by_annotator", {}) for kind in kinds}
    names = sorted({name for entries in measured.values() for name in entries})
    if not names:
        return None
    table = Table(title="Each annotator", box=SIMPLE, padding=0)
    for column in ("annotator", "kind"):
        table.add_column(column, no_wrap=True)
    for column in ("touched", "as the others", "median s", "pre-filled", "skipped", "gold missed", "too fast"):
        table.add_column(column, justify="right", no_wrap=True)
    for name in names:
        entries = {kind: people[name] for kind, people in measured.items() if name in people}
        called = name + _remarks(name, list(entries.values()))
        for kind, entry in entries.items():
            table.add_row(called, kind, *_measures(entry))
            called = ""
        if len(entries) > 1:
            table.add_row("", "in all", *_measures(in_all(list(entries.values()))))
    return table


def _remarks(name: str, entries: Sequence[Mapping[str, Any]]) -> str:
    simulated = any(entry["simulated"] for entry in entries) and not name.startswith(SIMULATED)
    remarks = [word for word, holds in (("simulated", simulated), ("left out", _left_out(entries))) if holds]
    return f" ({', '.join(remarks)})" if remarks else ""


def _left_out(entries: Sequence[Mapping[str, Any]]) -> bool:
    return any(entry["left_out"] for entry in entries)


def in_all(entries: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """One person's measures over several kinds; the median time is left out, since kinds take different times."""
    touched = sum(entry["touched"] for entry in entries)
    compared = sum(entry["compared"] for entry in entries)
    answered = [entry["touched"] * (1 - (entry["skipped"] or 0.0)) for entry in entries]
    return {
        "touched": touched,
        "compared": compared,
        "agreement": _mean([(entry["agreement"], entry["compared"]) for entry in entries]),
        "median_seconds": None,
        "prefilled": _mean([(entry["prefilled"], count) for entry, count in zip(entries, answered, strict=True)]),
        "skipped": _mean([(entry["skipped"], entry["touched"]) for entry in entries]),
        **{name: sum(entry[name] for entry in entries) for name in ("gold_answered", "gold_missed", "too_fast")},
    }


def _mean(shares: Sequence[tuple[float | None, float]]) -> float | None:
    total = sum(weight for _, weight in shares)
    return sum((share or 0.0) * weight for share, weight in shares) / total if total else None


def _measures(entry: Mapping[str, Any]) -> tuple[str, ...]:
    agreed = "–" if entry["agreement"] is None else f"{entry['agreement']:.0%} of {entry['compared']:,}"
    seconds = "–" if entry["median_seconds"] is None else f"{entry['median_seconds']:.1f}"
    gold = f"{entry['gold_missed']:,} of {entry['gold_answered']:,}" if entry["gold_answered"] else "–"
    return (
        f"{entry['touched']:,}",
        agreed,
        seconds,
        _percent(entry["prefilled"]),
        _percent(entry["skipped"]),
        gold,
        f"{entry['too_fast']:,}",
    )


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.0%}"


def _number(value: float | None) -> str:
    return "not defined" if value is None else f"{value:.3f}"


def _interval(ends: Sequence[float] | None) -> str:
    return "–" if ends is None else f"{ends[0]:.3f} to {ends[1]:.3f}"
