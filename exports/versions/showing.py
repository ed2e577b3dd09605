"""How differences between two versions read, on the terminal and in `CHANGES.md`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from tashika.exports.versions.comparison import WHAT, Changes, ConfigChanges, Example, Group

_LONGEST: Final = 120
_NOT_COMPARED: Final = ("–", "–", "–")


def headline(changes: Changes) -> str:
    """Whether anything differs, and who judged."""
    said = ["The rows are the same."] if changes.is_empty else []
    if changes.simulated[1]:
        said.append("Simulated annotators: programs judged items of the newer version, all or some of them.")
    if any(not config.compared for config in changes.configs):
        said.append("A dash: rows that follow from others are counted and not compared.")
    return " ".join(said)


def table_rows(changes: Changes) -> Iterator[tuple[str, ...]]:
    """A row for each configuration: its name, its rows before and after, and items added, dropped and changed."""
    for config in changes.configs:
        yield (config.name, f"{config.rows[0]:,}", f"{config.rows[1]:,}", *_numbers(config))


def _numbers(config: ConfigChanges) -> tuple[str, str, str]:
    if not config.compared:
        return _NOT_COMPARED
    changed = {item for group in config.changed.values() for item in group.ids}
    dropped = sum(len(group.ids) for group in config.dropped.values())
    return (f"{len(config.added.ids):,}", f"{dropped:,}", f"{len(changed):,}")


def detail_lines(changes: Changes) -> Iterator[str]:
    """What was left out, and the groups of items with their examples."""
    for reason, (first, second) in changes.left_out.items():
        yield f"not released, {reason.replace('_', ' ')}: {first:,}, now {second:,}"
    for config in changes.configs:
        for title, group in groups_of(config):
            yield f"{config.name}: {title}" + (f": {len(group.ids):,}" if group.ids else "")
            for example in group.examples:
                yield f"    {in_words(example)}"


def groups_of(config: ConfigChanges) -> Iterator[tuple[str, Group]]:
    """What happened to items of a configuration, in words, and the items; columns have no items."""
    for names, word in ((config.new_columns, "new columns"), (config.lost_columns, "lost columns")):
        if names:
            yield f"{word} {', '.join(names)}", Group((), ())
    if config.added.ids:
        yield "added", config.added
    for reason, group in config.dropped.items():
        yield (f"dropped, {reason}" if reason else "dropped"), group
    for what, group in config.changed.items():
        columns = ", ".join(f"{name} {count:,}" for name, count in group.columns.items())
        yield f"{WHAT[what]} ({columns})", group


def in_words(example: Example) -> str:
    """An example in a line."""
    text = f"{example.item[:8]} {short(example.text)}"
    if example.column is None:
        return text
    return f"{text}; {example.column}: {short(example.before)} → {short(example.after)}"


def short(value: Any) -> str:
    """A value in a line, cut where it is long."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    text = " ".join("".join(mark if mark.isprintable() else " " for mark in text).split())
    return (text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…") or "(empty)"
