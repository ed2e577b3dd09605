from __future__ import annotations

import json
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from tashika.builders.sources.serving import wikidata_snapshot
from tashika.builders.sources.sparql import SparqlEndpoint
from tashika.builders.tempripple.data_date import data_date

PREFIXES = """\
@prefix schema: <http://schema.org/> .
@prefix wikibase: <http://wikiba.se/ontology#> .
@prefix wd: <http://www.wikidata.org/entity/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
wd:Q42 schema:dateModified "2030-01-01T00:00:00Z"^^xsd:dateTime .
"""


@pytest.mark.parametrize(
    ("statements", "date"),
    [
        ("", None),
        ('<http://www.wikidata.org> schema:dateModified "2025-12-12T08:30:11Z"^^xsd:dateTime .', "2025-12-12"),
        (
            'wikibase:Dump schema:dateModified "2025-10-01T23:00:00Z"^^xsd:dateTime, '
            '"2025-10-02T01:00:00Z"^^xsd:dateTime .',
            "2025-10-02",
        ),
        ('wikibase:Dump schema:dateModified "yesterday", [] .', None),
    ],
    ids=["nothing", "public", "dump", "nonsense"],
)
def test_a_store_tells_as_of_when_it_is(tmp_path: Path, statements: str, date: str | None) -> None:
    (tmp_path / "store.ttl").write_text(PREFIXES + statements, encoding="utf-8")
    with wikidata_snapshot(tmp_path, [tmp_path / "store.ttl"]) as url:
        assert data_date(SparqlEndpoint(url, cache=tmp_path / "cache", identity="store")) == date


def test_the_date_stays_that_of_the_first_question(httpserver: HTTPServer, tmp_path: Path) -> None:
    row = {"date": {"type": "literal", "value": "2025-12-12T08:30:11Z"}}
    reply = json.dumps({"results": {"bindings": [row]}})
    httpserver.expect_oneshot_request("/query").respond_with_data(reply, content_type="application/sparql-results+json")
    endpoint = SparqlEndpoint(httpserver.url_for("/query"), cache=tmp_path, identity="public")
    assert [data_date(endpoint), data_date(endpoint)] == ["2025-12-12", "2025-12-12"]
