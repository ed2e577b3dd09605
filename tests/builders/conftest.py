"""What the tests here share, one each a test run: a real Oxigraph server over a handful of statements, and GiNZA."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tashika.builders.kuci.analysis.ginza.analyzer import Ginza
from tashika.builders.sources.serving import program
from tashika.builders.sources.sparql import SparqlEndpoint
from tashika.core.services import LOOPBACK, free_port, running

STATEMENTS = """
@prefix wd: <http://www.wikidata.org/entity/> .
@prefix wds: <http://www.wikidata.org/entity/statement/> .
@prefix wdt: <http://www.wikidata.org/prop/direct/> .
@prefix p: <http://www.wikidata.org/prop/> .
@prefix ps: <http://www.wikidata.org/prop/statement/> .
@prefix wikibase: <http://wikiba.se/ontology#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .

# Germany: the capital is Berlin (preferred), it was Bonn (normal) and, wrongly, Paris (deprecated).
wd:Q183 wdt:P36 wd:Q64 ; p:P36 wds:a, wds:b, wds:c .
wds:a ps:P36 wd:Q64 ; wikibase:rank wikibase:PreferredRank .
wds:b ps:P36 wd:Q586 ; wikibase:rank wikibase:NormalRank .
wds:c ps:P36 wd:Q90 ; wikibase:rank wikibase:DeprecatedRank .
# France: Paris. A country whose capital is unknown, one whose capital has no name.
wd:Q142 wdt:P36 wd:Q90 ; p:P36 wds:d .
wds:d ps:P36 wd:Q90 ; wikibase:rank wikibase:NormalRank .
wd:Q999 wdt:P36 _:unknown ; rdfs:label "Nowhere"@en .
wd:Q998 wdt:P36 wd:Q99999 ; rdfs:label "Somewhere"@en .

wd:Q183 rdfs:label "Germany"@en, "ドイツ"@ja ; skos:altLabel "Federal Republic of Germany"@en, "germany"@en, "BRD"@mul .
wd:Q142 rdfs:label "France"@en .
wd:Q64 rdfs:label "Berlin"@mul, "Berlin"@de .
wd:Q586 rdfs:label "Bonn"@mul .
wd:Q90 rdfs:label "Paris"@en, "Paris (France)"@mul .
wd:Q42 rdfs:label "Douglas Adams"@mul ; skos:altLabel "Douglas N. Adams"@mul, "DNA"@en .
"""


@pytest.fixture(scope="session")
def sparql_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("oxigraph")
    source = folder / "statements.ttl"
    source.write_text(STATEMENTS, encoding="utf-8")
    store, port = folder / "store", free_port()
    oxigraph = program("oxigraph")
    subprocess.run([oxigraph, "load", "--location", str(store), "--file", str(source)], check=True, capture_output=True)
    url = f"http://{LOOPBACK}:{port}"
    command = [oxigraph, "serve-read-only", "--location", str(store), "--bind", f"{LOOPBACK}:{port}"]
    with running(command, name="Oxigraph", health=f"{url}/", log=folder / "log"):
        yield f"{url}/query"


@pytest.fixture
def endpoint(sparql_url: str, tmp_path: Path) -> SparqlEndpoint:
    return SparqlEndpoint(sparql_url, cache=tmp_path / "sparql-cache", identity="test statements")


@pytest.fixture(scope="session")
def ginza() -> Ginza:
    return Ginza()
