from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tashika.core.custom.lines import Loc, line_numbers


def test_tables_and_keys_have_their_lines() -> None:
    text = """\
# a = 1
top = 1
[build.kinds."big one"]   # [not.a.table]
file = 'x.csv'
dotted . inner = 2

[[rows]]
"quoted \\"key\\"" = { inline = 1 }
"""
    assert line_numbers(text) == {
        ("top",): 2,
        ("build",): 3,
        ("build", "kinds"): 3,
        ("build", "kinds", "big one"): 3,
        ("build", "kinds", "big one", "file"): 4,
        ("build", "kinds", "big one", "dotted"): 5,
        ("build", "kinds", "big one", "dotted", "inner"): 5,
        ("rows",): 7,
        ("rows", 'quoted "key"'): 8,
    }


def test_what_looks_like_a_key_inside_a_value_is_none() -> None:
    text = '''\
prompt = """
[table]
key = 1 \\""" and ""quotes""
"""""
comment = "'\\"" # """
literal = \'\'\'
other = """
\'\'\'
list = [
  "]", # ]
  "in = 1",
  [1, 2],
]
last = 1
'''
    keys = {("prompt",): 1, ("comment",): 5, ("literal",): 6, ("list",): 9, ("last",): 14}
    assert set(tomllib.loads(text)) == {key for (key,) in keys}
    assert line_numbers(text) == keys


def test_a_table_has_the_line_of_its_own_header() -> None:
    assert line_numbers("[a.b]\nx = 1\n[a]\ny = 1\n")[("a",)] == 3


_KEYS = st.one_of(st.from_regex(r"[A-Za-z0-9_-]{1,6}", fullmatch=True), st.text(max_size=6))
_TEXTS = st.one_of(
    st.text(max_size=12), st.sampled_from(["[a]", "a = 1", '"""', "'''", "#", "]", "}", "\\", "\n[x]\n"])
)
_PLAIN = st.one_of(st.integers(), st.booleans(), _TEXTS, st.lists(_TEXTS, max_size=3))
_TABLES: st.SearchStrategy[Any] = st.recursive(
    st.dictionaries(_KEYS, _PLAIN, max_size=3),
    lambda inner: st.dictionaries(_KEYS, _PLAIN | inner, max_size=3),
    max_leaves=6,
)


@given(_TABLES, st.data())
def test_every_key_of_a_text_has_its_line(table: Mapping[str, Any], data: st.DataObject) -> None:
    lines: list[str] = []
    expected: dict[Loc, int] = {}
    for loc, value in _entries(table):
        if data.draw(st.booleans()):
            lines += data.draw(st.sampled_from([[""], ["# key = 1"], ["  # [table] '''"], ["\t", ""]]))
        expected[loc] = len(lines) + 1
        key = ".".join(map(_basic, loc)) if isinstance(value, dict) else _basic(loc[-1])
        written = f"[ {key} ] # [x]" if isinstance(value, dict) else f"  {key} = {_written(value, data)} # 'x' = 1"
        lines += written.split("\n")
    text = "\n".join(lines)
    assert tomllib.loads(text) == table
    assert {loc: line for loc, line in line_numbers(text).items() if loc in expected} == expected
    assert set(line_numbers(text)) == set(expected)


def _entries(table: Mapping[str, Any], above: Loc = ()) -> Iterator[tuple[Loc, Any]]:
    """The keys of a table before the tables in it, as TOML wants them."""
    for key, value in table.items():
        if not isinstance(value, dict):
            yield (*above, key), value
    for key, value in table.items():
        if isinstance(value, dict):
            yield (*above, key), value
            yield from _entries(value, (*above, key))


def _basic(text: str) -> str:
    return '"' + "".join(f"\\U{ord(letter):08x}" if not letter.isalnum() else letter for letter in text) + '"'


def _written(value: Any, data: st.DataObject) -> str:
    if isinstance(value, list):
        return "[\n" + "".join(f"  {_written(entry, data)}, # ]\n" for entry in value) + "]"
    if not isinstance(value, str):
        return str(value).lower()
    ways = [_basic(value)]
    plain = all(letter.isprintable() or letter == "\n" for letter in value)
    if plain and "'''" not in value and not value.endswith("'"):
        ways.append(f"'''\n{value}'''")
    if plain and '"' not in value and "\\" not in value:
        ways.append(f'"""\n{value}"""')
    if plain and "'" not in value and "\n" not in value:
        ways.append(f"'{value}'")
    return data.draw(st.sampled_from(ways))
