"""Answers to probes beside their texts and the relata, for a person."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tashika.core.errors import InputError
from tashika.core.workspace import Workspace
from tashika.evaluate.metrics import read_metrics
from tashika.evaluate.semrel.metrics_model import SemRelMetrics
from tashika.evaluate.semrel.probes import Source, read_source
from tashika.evaluate.suite import Answered, Spell


def open_answers(workspace: Workspace, folder: Path) -> Spell:
    """The probes that a system was asked, to read its answers beside; of a published response file the file's words.

    Raises:
        InputError: The probes that it was asked do not lie here.
    """
    scored = read_metrics(folder / "metrics.json", SemRelMetrics).source
    if scored.origin == "responses":
        return lambda row: _spelled(row, f"{row['prompt']} ({row['target']})", frozenset())
    source = read_source(workspace)
    if source.revision != scored.revision:
        raise InputError(
            f"was scored on {scored.name or 'a build without a release'} ({str(scored.revision)[:12]}), and other "
            f"probes lie here ({str(source.revision)[:12]})",
            where=folder.name,
            hint="Evaluate it again, or bring that release back.",
        )
    return _of_source(source)


def _of_source(source: Source) -> Spell:
    texts = {probe.item_id: probe.text for probe in source.probes}

    def spell(row: Mapping[str, Any]) -> Answered:
        """An answer with its probe."""
        text = texts.get(str(row["item_id"]), f"{row['prompt']} ({row['target']})")
        return _spelled(row, f"{text} ____", source.relata.get((row["target"], row["relation"]), frozenset()))

    return spell


def _spelled(row: Mapping[str, Any], text: str, relata: frozenset[str]) -> Answered:
    """The first of the words is the answer, and right where it is a relatum."""
    words = row["words"] or []
    right = sum(word in relata for word in words)
    return Answered(
        str(row["item_id"]),
        text,
        (),
        sorted(relata),
        words[0] if words else None,
        right / len(words) if words and relata else None,
        words[0] in relata if words and relata else None,
        row["problem"],
        {"relation": row["relation"], "words": ", ".join(words) or None},
    )
