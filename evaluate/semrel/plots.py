"""Figure 1: confusability matrices as heat maps that share one colour scale.

They are written as SVG by hand, since they are nothing but squares and words: a page has many, and a drawing library
takes half a second for each. The colours are the page's, as in `evaluate.reporting.plots`.
"""

from __future__ import annotations

from html import escape
from typing import Final

from tashika.core.suites.semrel.words import RELATIONS, SHORT
from tashika.evaluate.semrel.cells import Matrix

_DARKEST: Final = 0.62
"""Opacity of the colour for 1: the page's ink stays readable on it in the light theme and in the dark one."""

_INK, _FAINT, _GRID, _MAIN = (
    "var(--ink, #1c2128)",
    "var(--faint, #667080)",
    "var(--grid, #d8dde4)",
    "var(--main, #0072b2)",
)
_CELL, _GAP, _LEFT, _TOP = 48, 2, 56, 42
"""In units of the drawing, about a pixel each on a wide screen: a cell, what parts two, the space for the names."""


def heat_map(matrix: Matrix, name: str) -> str:
    """A row is what was asked, a column what it was taken as. The diagonal, 1 by definition, is left grey.

    Args:
        matrix: Probe relation -> answer relation -> confusability; None (no colour, a dash) where it is not defined.
        name: The system.

    Returns:
        SVG for a page.
    """
    size = _CELL * len(RELATIONS)
    parts = [_text(_LEFT + size / 2, 12, "taken as", small=True), _text(10, _TOP + size / 2, "asked for", turned=True)]
    for place, relation in enumerate(RELATIONS):
        middle = (place + 0.5) * _CELL
        parts.append(_text(_LEFT + middle, _TOP - 10, SHORT[relation]))
        parts.append(_text(_LEFT - 20, _TOP + middle, SHORT[relation]))
    for row, asked in enumerate(RELATIONS):
        for column, taken in enumerate(RELATIONS):
            parts += _cell(row, column, matrix[asked][taken])
    label = f"Confusability of {name}: rows are what was asked, columns what it was taken as"
    return _drawing(_LEFT + size, _TOP + size, label, parts)


def colour_scale() -> str:
    """The scale of all heat maps."""
    steps, width = 20, 16
    parts = [_square(_LEFT / 2 + step * width, 0, width, width, _filled((step + 0.5) / steps)) for step in range(steps)]
    marks = {0: "0", 0.25: ".25", 0.5: ".50", 0.75: ".75", 1: "1"}
    parts += [_text(_LEFT / 2 + at * steps * width, 28, words) for at, words in marks.items()]
    return _drawing(_LEFT + steps * width, 36, "Colour scale of confusability, from 0 to 1", parts)


def _cell(row: int, column: int, value: float | None) -> list[str]:
    x, y, side = _LEFT + column * _CELL, _TOP + row * _CELL, _CELL - _GAP
    if value is None:
        looks = f"fill: none; stroke: {_GRID}"
    elif row == column:
        looks = f"fill: {_GRID}; fill-opacity: .55"
    else:
        looks = _filled(value)
    colour = _FAINT if row == column or value is None else _INK
    return [
        _square(x + _GAP / 2, y + _GAP / 2, side, side, looks),
        _text(x + _CELL / 2, y + _CELL / 2, _words(value), colour),
    ]


def _filled(value: float) -> str:
    return f"fill: {_MAIN}; fill-opacity: {_DARKEST * value:.4f}"


def _words(value: float | None) -> str:
    if value is None:
        return "–"
    return "1" if value >= 0.995 else f"{value:.2f}".removeprefix("0")


def _square(x: float, y: float, width: float, height: float, looks: str) -> str:
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" style="{looks}"/>'


def _text(x: float, y: float, words: str, colour: str = _INK, *, small: bool = False, turned: bool = False) -> str:
    """Words with their middle at a place; read upwards where they are turned."""
    turn = f' transform="rotate(-90 {x:g} {y:g})"' if turned else ""
    size = 12 if small or turned else 14
    looks = f"fill: {colour}; font: {size}px sans-serif; text-anchor: middle; dominant-baseline: central"
    return f'<text x="{x:g}" y="{y:g}"{turn} style="{looks}">{escape(words)}</text>'


def _drawing(width: float, height: float, label: str, parts: list[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img"'
    return f'{head} aria-label="{escape(label)}">\n{chr(10).join(parts)}\n</svg>'
