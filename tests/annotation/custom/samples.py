"""A suite file with a page of each form, and items for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tashika.annotation.labelling import Page
from tashika.annotation.settings import AnnotateSettings
from tashika.core.custom.suite import CustomSuite
from tashika.core.files import write_rows
from tashika.core.records import item_row, item_schema
from tashika.core.settings import load_section
from tashika.core.suites.discovery import open_suite
from tashika.core.workspace import Workspace

KINDS = ("riddle", "pair", "topic", "quality", "duel", "saying")

HEAD = """
[suite]
name = "{name}"
title = "Riddles & <i>answers</i>"
"""
KIND = """
[build.kinds.{kind}]
file = "items.csv"
key = ["text"]
columns = {{ {columns} }}
"""
COLUMNS = 'text = "string", options = "strings", gold = {type = "string", optional = true}, truth = "string"'
SIX = {
    "riddle": (
        COLUMNS,
        'choices = { sound = "for", unsound = "against", odd = "neither" }\ncorrect = "text"\nnote = true',
    ),
    "pair": (
        COLUMNS,
        'form = "label"\nlabels = { entails = "It follows", neutral = "Neither", contradicts = "It contradicts" }',
    ),
    "topic": (COLUMNS, 'form = "labels"\nlabels = ["sport", "science", "art"]'),
    "quality": (COLUMNS, 'form = "rating"\nscale = 5'),
    "duel": (
        'text = "string", left_text = "string", other = "string", gold = {type = "string", optional = true}, '
        'truth = "string", by_one = "string", by_other = "string"',
        'form = "preference"\nbetween = ["left_text", "other"]\nsystems = ["by_one", "by_other"]\nsame = true',
    ),
    "saying": (COLUMNS, 'form = "text"'),
}
"""By kind: its columns, and what people are asked."""

SIMULATION = """
[annotate]
seed = 3

[annotate.simulation]
error_rates = [0.0, 0.0, 1.0]
skip_rate = 0.0
"""


def suite_text(kinds: Mapping[str, tuple[str, str]], name: str = "riddles", rest: str = SIMULATION) -> str:
    """A suite file with these kinds."""
    parts = [HEAD.format(name=name), rest]
    for kind, (columns, page) in kinds.items():
        parts.append(KIND.format(kind=kind, columns=columns))
        parts.append(f"[annotate.kinds.{kind}]\n{page}\n")
    return "\n".join(parts)


def open_text(folder: Path, text: str, **files: str) -> CustomSuite:
    """Writes a suite file and the files beside it, and opens it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "items.csv").write_text("text\n")
    for name, content in files.items():
        (folder / name.replace("__", ".")).write_text(content, encoding="utf-8")
    (folder / "suite.toml").write_text(text, encoding="utf-8")
    suite = open_suite(str(folder / "suite.toml"))
    assert isinstance(suite, CustomSuite)
    return suite


def one_kind(folder: Path, page: str, columns: str = COLUMNS, **files: str) -> CustomSuite:
    """A suite with the kind `riddle` alone."""
    return open_text(folder, suite_text({"riddle": (columns, page)}), **files)


def item(kind: str, text: str, suite: str = "riddles", **values: Any) -> dict[str, Any]:
    payload: dict[str, Any] = {"text": text, "options": ["a", "b"], "gold": None, "truth": ""}
    if kind == "duel":
        payload = {
            "text": text,
            "left_text": "one",
            "other": "two",
            "gold": None,
            "truth": "",
            "by_one": "S",
            "by_other": "T",
        }
    return item_row(suite, kind, (text,), {**payload, **values}, builder="custom", version="1")


def write(workspace: Workspace, kind: str, rows: Iterable[Mapping[str, Any]]) -> None:
    ordered = sorted(rows, key=lambda row: str(row["item_id"]))
    write_rows(workspace.item_file(kind), ordered, item_schema(workspace.suite, kind))


def page_of(suite: CustomSuite, kind: str) -> Page:
    (page,) = (page for page in suite.load("annotation") if page.kind == kind)
    return page  # type: ignore[no-any-return]


def settings_of(suite: CustomSuite) -> AnnotateSettings:
    return load_section(suite.name, "annotate", AnnotateSettings)
