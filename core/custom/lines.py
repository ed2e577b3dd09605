"""Where the tables and keys of a TOML text stand, so that a problem can be shown at its line."""

from __future__ import annotations

import re
import tomllib

Loc = tuple[str, ...]

_BASIC, _LITERAL, _BARE = r'"(?:[^"\\\n]|\\.)*"', r"'[^'\n]*'", r"[A-Za-z0-9_-]+"
_PART = re.compile(f"{_BASIC}|{_LITERAL}|{_BARE}")
_KEY = re.compile(rf"(?:{_PART.pattern})(?:[ \t]*\.[ \t]*(?:{_PART.pattern}))*")
_SPACE = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_VALUE = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}'
    + r"|'''.*?'{3,5}"
    + rf"|{_BASIC}|{_LITERAL}"
    + r"|#[^\n]*|[\[{]|[\]}]|\n|[^\"'#\[\]{}\n]+",
    re.DOTALL,
)
"""A piece of a value: a text, a comment, a bracket, the end of a line, or anything else."""


def line_numbers(text: str) -> dict[Loc, int]:
    """The lines of the tables and keys of a TOML text.

    Args:
        text: Valid TOML.

    Returns:
        The line of each, from 1. What is inside an inline table or a list has none of its own; a table that only the
        names of others imply has the line of the first of them.
    """
    lines: dict[Loc, int] = {}
    implied: dict[Loc, int] = {}
    table: Loc = ()
    position = _end(_SPACE, text, 0)
    while position < len(text):
        header = text[position] == "["
        start = _end(re.compile(r"\[{1,2}[ \t]*"), text, position) if header else position
        key = _KEY.match(text, start)
        if key is None:
            break  # not TOML
        number = text.count("\n", 0, position) + 1
        loc = _parts(key[0]) if header else (*table, *_parts(key[0]))
        table = loc if header else table
        lines.setdefault(loc, number)
        for length in range(1, len(loc)):
            implied.setdefault(loc[:length], number)
        position = _end(_SPACE, text, _end_of_line(text, key.end()))
    return {**implied, **lines}


def _end(pattern: re.Pattern[str], text: str, position: int) -> int:
    found = pattern.match(text, position)
    return found.end() if found else position


def _end_of_line(text: str, position: int) -> int:
    """Where the line ends that a key or a header begins, after all lines of its value."""
    depth = 0
    for piece in _VALUE.finditer(text, position):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(piece[0], 0)
        if piece[0] == "\n" and depth <= 0:
            return piece.end()
    return len(text)


def _parts(dotted: str) -> Loc:
    return tuple(_plain(part) for part in _PART.findall(dotted))


def _plain(part: str) -> str:
    if part[0] == '"':
        return str(tomllib.loads(f"key = {part}")["key"])
    return part[1:-1] if part[0] == "'" else part
