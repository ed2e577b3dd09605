"""Which items lie in which, on the endpoint of the folder's fixture."""

from __future__ import annotations

import pytest
from pytest_httpserver import HTTPServer

from tashika.builders.sources.sparql import SparqlEndpoint
from tashika.builders.tempripple.containment import containment

ENTITY = "http://www.wikidata.org/entity/"


def reply(*pairs: tuple[str, str]) -> dict[str, object]:
    rows = [
        {name: {"type": "uri", "value": ENTITY + item} for name, item in zip("ab", pair, strict=True)} for pair in pairs
    ]
    return {"head": {"vars": ["a", "b"]}, "results": {"bindings": rows}}


@pytest.fixture
def asked(httpserver: HTTPServer, tmp_path: object) -> SparqlEndpoint:
    answer = reply(("Q49122", "Q13371"), ("Q13371", "Q30"), ("Q13371", "Q13371"))
    httpserver.expect_request("/query").respond_with_json(answer)
    return SparqlEndpoint(httpserver.url_for("/query"), cache=tmp_path, identity="test")  # type: ignore[arg-type]


def test_each_is_told_of_the_other(asked: SparqlEndpoint) -> None:
    assert containment(asked, ["Q49122", "Q13371"]) == {
        "Q49122": frozenset({"Q13371"}),
        "Q13371": frozenset({"Q49122"}),  # not itself, and not Q30, which is not among the items
    }


def test_nothing_is_in_nothing(asked: SparqlEndpoint) -> None:
    assert containment(asked, []) == {}
    assert asked.requests == 0
