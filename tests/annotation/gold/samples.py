"""A suite file with a page of each form, items for it, and a file of gold questions."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from tashika.core.custom.suite import CustomSuite
from tashika.core.workspace import Workspace
from tests.annotation.custom import samples

ANSWERS: Mapping[str, str] = {
    "riddle": "sound",
    "pair": "It follows",
    "topic": "art|sport",
    "quality": "4",
    "duel": "other",
    "saying": "a stitch in time",
}
"""A known answer by kind, as a curator writes it."""

KNOWN: Mapping[str, str] = {**ANSWERS, "pair": "entails", "topic": "sport\nart"}
"""The same in the form of a judgment."""

SETTINGS = """
[annotate]
annotators = 2
seed = 3

[annotate.gold]
file = "gold.csv"
training = 1
most_missed = 0.4

[annotate.simulation]
error_rates = [0.0, 0.0, 1.0]
skip_rate = 0.0
"""


def gold_suite(folder: Path, rest: str = SETTINGS) -> CustomSuite:
    """A suite whose settings name a file of gold questions."""
    return samples.open_text(folder, samples.suite_text(samples.SIX, rest=rest))


def item_ids(kind: str, count: int = 6) -> list[str]:
    """The ids of a kind's items, in the order in which they were made."""
    return [str(samples.item(kind, f"{kind} {number}")["item_id"]) for number in range(count)]


def write_items(workspace: Workspace, count: int = 6) -> None:
    for kind in samples.KINDS:
        samples.write(workspace, kind, [samples.item(kind, f"{kind} {number}") for number in range(count)])


def write_gold(path: Path, lines: Iterable[Sequence[str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["item_id", "answer", "explanation"], *lines])
    return path


def gold_lines_of(kinds: Iterable[str] = samples.KINDS) -> list[list[str]]:
    """Three lines a kind: two with an explanation, of which the settings take one for training, and one without."""
    return [
        [item_id, ANSWERS[kind], why]
        for kind in kinds
        for item_id, why in zip(item_ids(kind), ("since <b>", "because", ""), strict=False)
    ]
