"""What every scored system answered about one target: the paper's Table 2, for any target."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
from rich.console import Console
from rich.table import Table

from tashika.core.errors import InputError, MissingStageError
from tashika.core.files import read_json, read_table
from tashika.core.stages import is_manifest
from tashika.core.suites.semrel.words import RELATIONS, SHORT
from tashika.core.workspace import Workspace
from tashika.evaluate.semrel.published import prompt_order

TOP: Final = 5
"""Words of each list that are printed."""

_PEOPLE: Final = "people"
"""What the names of the people's folders begin with."""


def print_target(workspace: Workspace, target: str, relation: str | None = None) -> None:
    """Prints the first words of every scored system for each prompt with this target; people last, as in the paper.

    Args:
        workspace: Where the systems' answers lie.
        target: The target word.
        relation: One of `core.suites.semrel.words.RELATIONS`; None for all.

    Raises:
        MissingStageError: Nothing has been scored.
        InputError: The relation is unknown, or nobody was asked about the target.
    """
    if relation is not None and relation not in RELATIONS:
        raise InputError(f"found the relation {relation!r}, expected one of {', '.join(RELATIONS)}")
    answers, known = _answers(workspace, target)
    chosen = {probe: lists for probe, lists in answers.items() if relation in {None, probe[0]}}
    if not chosen:
        asked = f"{target!r}" if relation is None or not answers else f"the {relation} of {target!r}"
        near = get_close_matches(target, sorted(known), n=3)
        hint = f"Similar: {', '.join(near)}." if near and not answers else "It is no target of the probes."
        raise InputError(f"no system was asked about {asked}; {len(known):,} targets were asked", hint=hint)
    console = Console()
    for asked_for, prompt in sorted(chosen, key=lambda probe: (_place(probe[0]), prompt_order(probe[1]))):
        lists = chosen[asked_for, prompt]
        table = Table("system", *(f"top {number}" for number in range(1, TOP + 1)))
        for system in sorted(lists, key=lambda name: (name.startswith(_PEOPLE), name)):
            table.add_row(system, *_padded(lists[system]))
        console.print(f"{SHORT[RELATIONS[_place(asked_for)]]}: {prompt}", markup=False, highlight=False, soft_wrap=True)
        console.print(table)


def _place(relation: str) -> int:
    return RELATIONS.index(relation)


def _padded(row: Mapping[str, Any]) -> list[str]:
    """The first words, or why there are none."""
    words = [f"({row['problem']})"] if row["problem"] else list(row["words"])[:TOP]
    return [*words, *([""] * (TOP - len(words)))]


Lists = dict[str, Mapping[str, Any]]


def _answers(workspace: Workspace, target: str) -> tuple[dict[tuple[str, str], Lists], set[str]]:
    """By (relation, prompt) each system's row, and all targets that any system was asked about.

    Systems are named after their folder: one model may have been asked in several ways.
    """
    by_prompt: dict[tuple[str, str], Lists] = {}
    known: set[str] = set()
    files = [file for file in sorted(workspace.evaluate.glob("*/answers.parquet")) if _is_finished(file)]
    if not files:
        raise MissingStageError(
            "no system has been scored yet",
            where=str(workspace.evaluate),
            hint="Run `tashika evaluate semrel --model NAME`, or `--people-only`, first.",
        )
    for file in files:
        table = read_table(file)
        asked = [str(word) for word in table["target"].to_pylist()]
        known |= set(asked)
        rows = [place for place, word in enumerate(asked) if word == target]
        for row in table.take(pa.array(rows, pa.int64())).to_pylist():
            by_prompt.setdefault((row["relation"], row["prompt"]), {})[file.parent.name] = row
    return by_prompt, known


def _is_finished(file: Path) -> bool:
    """Whether the stage that writes the answers ended well."""
    manifest = file.parent / "answers.manifest.json"
    return manifest.is_file() and is_manifest(read_json(manifest))
