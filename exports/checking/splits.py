"""Checks across the parts of a configuration: what must not stand in two of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from tashika.core.texts import text_key
from tashika.exports.checking.examined import Examined, Row, shown
from tashika.exports.checking.shape import Shape
from tashika.exports.checks import Problem


def groups_are_in_one_split(examined: Examined) -> Iterator[Problem]:
    """Items that must stay together are in one part."""
    for config, shape in examined.shapes():
        for column in shape.groups:
            yield from _in_two(examined, config, [column], lambda row: repr(row.values[0]))


def items_are_in_one_split(examined: Examined) -> Iterator[Problem]:
    """No item stands in two parts, case, width and spacing aside."""
    yield from _each(examined, lambda shape: [[*shape.within, *shape.compared]] if shape.compared else [])


def contexts_are_in_one_split(examined: Examined) -> Iterator[Problem]:
    """No context stands in two parts, case, width and spacing aside."""
    yield from _each(examined, lambda shape: [[column] for column in shape.contexts])


def _each(examined: Examined, columns_of: Callable[[Shape], Sequence[Sequence[str]]]) -> Iterator[Problem]:
    for config, shape in examined.shapes():
        for columns in columns_of(shape):
            yield from _in_two(examined, config, columns, lambda row: text_key(row.words()))


def _in_two(examined: Examined, config: str, columns: Sequence[str], key_of: Callable[[Row], str]) -> Iterator[Problem]:
    """Problems for rows whose key an earlier row of another part has."""
    if len(examined.release.configs[config].splits) < 2:
        return
    first: dict[str, tuple[str, str]] = {}
    for row in examined.rows(config, columns):
        split, item = first.setdefault(key_of(row), (row.split, row.item))
        if split != row.split:
            found = f"{shown(row.words())} in {row.split}, and in {split} as item {item}"
            yield Problem(row.path, row.item, found)
