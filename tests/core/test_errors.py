from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tashika.core.errors import shown

ROOT = Path(__file__).parents[2]
ROOMS = ("core", "builders", "annotation", "exports", "evaluate")
CONTAINERS = frozenset({"dict", "frozenset", "list", "set", "sorted", "tuple"})
DISPLAYS = (ast.Dict, ast.DictComp, ast.GeneratorExp, ast.List, ast.ListComp, ast.Set, ast.SetComp, ast.Tuple)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, "nothing"),
        (True, "true"),
        (3, "3"),
        ("it's", '"it\'s"'),
        ("名", "'名'"),
        ([1, "a", None], '[1, "a", null]'),
        ((), "[]"),
        ({"b": 1, "a": {}}, "a table with b, a"),
        ({}, "an empty table"),
        ("x" * 100, f"'{'x' * 76}..."),
    ],
)
def test_values_are_shown_as_people_write_them(value: Any, expected: str) -> None:
    assert shown(value) == expected


def containers(tree: ast.AST) -> Iterator[ast.FormattedValue]:
    """What stands in an f-string and prints with Python's brackets: lists, dictionaries and the like."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.FormattedValue):
            continue
        value = node.value
        called = isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in CONTAINERS
        if called or isinstance(value, DISPLAYS):
            yield node


@pytest.mark.parametrize("room", ROOMS)
def test_no_message_shows_a_list_or_a_dictionary_of_python(room: str) -> None:
    written = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {ast.unparse(node.value)}"
        for path in sorted((ROOT / room).rglob("*.py"))
        for node in containers(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert written == []
