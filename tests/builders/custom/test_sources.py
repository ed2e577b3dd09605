"""A query page by page against a real endpoint, and a function of the user's."""

from __future__ import annotations

from pathlib import Path

import pytest

from tashika.builders.custom.function import function_source
from tashika.builders.custom.query import paged_query, query_source
from tashika.builders.sources.sparql import SparqlEndpoint
from tashika.core.custom.build_form import Sparql
from tashika.core.errors import ConfigError, InputError

CAPITALS = """
SELECT ?country ?capital WHERE { ?c wdt:P36 ?k . ?c rdfs:label ?country . ?k rdfs:label ?capital }
"""


@pytest.mark.parametrize("size", [1, 2, 3, 1000])
def test_pages_give_every_row_once(sparql_url: str, tmp_path: Path, size: int) -> None:
    endpoint = SparqlEndpoint(sparql_url, cache=tmp_path, identity="handful")
    form = Sparql(query=CAPITALS, page_size=size)
    rows = list(query_source(form, CAPITALS, endpoint, ["country", "capital"], "SPARQL, test").rows)
    # Berlin has its name in two languages and Germany too; Paris has two names; two countries have no named capital.
    berlin = [("Germany", "Berlin"), ("ドイツ", "Berlin")] * 2
    found = [(row.values["country"], row.values["capital"]) for row in rows]
    assert sorted(found) == sorted([*berlin, ("France", "Paris"), ("France", "Paris (France)")])
    assert rows[0].where == "query row 1"
    asked = endpoint.requests
    list(query_source(form, CAPITALS, endpoint, ["country", "capital"], "SPARQL, test").rows)
    assert endpoint.requests == asked  # replies are kept


def test_a_query_keeps_its_own_prefixes_limit_and_order() -> None:
    own = "PREFIX wd: <http://example.org/>\nSELECT ?x WHERE { ?x ?p ?o } ORDER BY ?x LIMIT 3"
    paged = paged_query(own, ["x"], 10, 20)
    assert paged.count("PREFIX wd:") == 1
    assert "PREFIX wdt:" in paged
    assert paged.endswith("ORDER BY ?x\nLIMIT 10\nOFFSET 20")
    with pytest.raises(ConfigError, match=r"found 'DELETE WHERE \{ \?s \?p', expected a SELECT query"):
        paged_query("DELETE WHERE { ?s ?p ?o }", ["s"], 1, 0)


def module(folder: Path, name: str, text: str) -> str:
    (folder / f"{name}.py").write_text(text)
    return f"{name}:rows"


def test_rows_of_a_function(tmp_path: Path) -> None:
    place = module(tmp_path, "own_rows", "def rows():\n    yield {'text': 'Why?'}\n    yield 7\n")
    source = function_source(place, tmp_path)
    one, other = source.rows
    assert (one.where, dict(one.values)) == ("own_rows:rows row 1", {"text": "Why?"})
    assert other.refused == "found a int, expected a mapping by column"
    assert source.revision


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("own_broken", "1/0\n", "cannot be imported: ZeroDivisionError"),
        ("own_other", "def lines(): ...\n", "cannot be imported: AttributeError"),
        ("own_value", "rows = 7\n", "found a int, expected a function"),
        ("own_text", "def rows(): return 'abc'\n", "found a str, expected rows"),
        ("own_fails", "def rows():\n    yield {}\n    raise OSError('gone')\n", "fails after 1 rows: OSError: gone"),
    ],
)
def test_a_broken_function_is_the_users_to_mend(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        list(function_source(module(tmp_path, name, text), tmp_path).rows)


def test_a_module_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nowhere:rows: cannot be imported: ModuleNotFoundError"):
        function_source("nowhere:rows", tmp_path)
