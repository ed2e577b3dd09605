from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tashika.builders.sources.serving import wikidata_snapshot
from tashika.builders.sources.sparql import SparqlEndpoint
from tashika.builders.tempripple.entity_types import EntityTypes

STATEMENTS = """
@prefix wd: <http://www.wikidata.org/entity/> .
@prefix wdt: <http://www.wikidata.org/prop/direct/> .
wd:Q1 wdt:P31 wd:Q5 .                     # a person
wd:Q2 wdt:P31 wd:Q6256, wd:Q515 .         # Singapore: a country and a city
wd:Q3 wdt:P31 wd:Q101 .                   # one step below a city
wd:Q4 wdt:P31 wd:Q102 .                   # two ways up: one step to a club, three to an organisation
wd:Q6 wdt:P31 wd:Q105 .                   # in a circle that leads nowhere
wd:Q7 wdt:P31 [] .                        # of an unknown class
wd:Q9 wdt:P31 wd:Q201 .                   # three steps below a country
wd:Q10 wdt:P31 wd:Q201, wd:Q101 .
wd:Q11 wdt:P31 wd:Q202 .
wd:Q101 wdt:P279 wd:Q515 .
wd:Q102 wdt:P279 wd:Q476028, wd:Q103 .
wd:Q103 wdt:P279 wd:Q104 . wd:Q104 wdt:P279 wd:Q43229, wd:Q103 .
wd:Q105 wdt:P279 wd:Q106 . wd:Q106 wdt:P279 wd:Q105, [] .
wd:Q201 wdt:P279 wd:Q202 . wd:Q202 wdt:P279 wd:Q203 . wd:Q203 wdt:P279 wd:Q6256 .
wd:Q515 wdt:P279 wd:Q56061 .              # a city has a type of its own, so what is above it does not count
"""
CLASSES = {
    "Q5": "person",
    "Q6256": "country",
    "Q515": "city",
    "Q476028": "club",
    "Q43229": "organisation",
    "Q56061": "region",
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("types")
    (folder / "classes.ttl").write_text(STATEMENTS, encoding="utf-8")
    with wikidata_snapshot(folder, [folder / "classes.ttl"]) as url:
        yield url


@pytest.fixture
def endpoint(store: str, tmp_path: Path) -> SparqlEndpoint:
    return SparqlEndpoint(store, cache=tmp_path, identity="classes")


@pytest.mark.parametrize(
    ("entity", "types"),
    [
        ("Q1", {"person"}),
        ("Q2", {"country", "city"}),
        ("Q3", {"city"}),
        ("Q4", {"club", "organisation"}),
        ("Q6", set()),
        ("Q7", set()),
        ("Q8", set()),
        ("Q9", {"country"}),
        ("Q10", {"country", "city"}),
    ],
)
def test_an_entity_has_the_types_of_all_its_classes(endpoint: SparqlEndpoint, entity: str, types: set[str]) -> None:
    assert EntityTypes(endpoint, CLASSES).types_of([entity]) == {entity: types}


def test_many_at_once_are_as_one_by_one_whatever_the_batch(endpoint: SparqlEndpoint) -> None:
    everybody = [f"Q{number}" for number in range(1, 11)]
    found = EntityTypes(endpoint, CLASSES).types_of(everybody)
    assert found == EntityTypes(endpoint, CLASSES, batch=1).types_of(everybody)
    assert found == {entity: EntityTypes(endpoint, CLASSES).types_of([entity])[entity] for entity in everybody}


@pytest.mark.parametrize(("depth", "types"), [(2, set()), (3, {"country"})])
def test_a_class_too_far_up_tells_nothing(endpoint: SparqlEndpoint, depth: int, types: set[str]) -> None:
    assert EntityTypes(endpoint, CLASSES, depth=depth).types_of(["Q9"]) == {"Q9": types}


def test_a_class_between_is_asked_for_itself_later(endpoint: SparqlEndpoint) -> None:
    finder = EntityTypes(endpoint, CLASSES, depth=2)
    assert finder.types_of(["Q9"]) == {"Q9": set()}  # two steps above its class is Q203, and no type
    assert finder.types_of(["Q11"]) == {"Q11": {"country"}}  # its class is one step further up


def test_superclasses_are_asked_for_once(endpoint: SparqlEndpoint) -> None:
    finder = EntityTypes(endpoint, CLASSES)
    finder.types_of(["Q9", "Q3"])
    before = endpoint.cache.misses + endpoint.cache.hits
    finder.types_of(["Q10"])  # the same two classes
    assert endpoint.cache.misses + endpoint.cache.hits == before + 1
    assert before == 4  # the classes, and three levels


IN_FULL = """
@prefix wd: <http://www.wikidata.org/entity/> .
@prefix p: <http://www.wikidata.org/prop/> .
@prefix ps: <http://www.wikidata.org/prop/statement/> .
@prefix wikibase: <http://wikiba.se/ontology#> .
wd:Q1 p:P31 wd:a . wd:a ps:P31 wd:Q5 ; wikibase:rank wikibase:NormalRank .
wd:Q2 p:P31 wd:b, wd:c, wd:d .                            # a preferred class, a normal one, a deprecated one
wd:b ps:P31 wd:Q6256 ; wikibase:rank wikibase:PreferredRank .
wd:c ps:P31 wd:Q515 ; wikibase:rank wikibase:NormalRank .
wd:d ps:P31 wd:Q5 ; wikibase:rank wikibase:DeprecatedRank .
wd:Q3 p:P31 wd:e . wd:e ps:P31 wd:Q101 .                  # no rank; one step below a city
wd:Q101 p:P279 wd:f . wd:f ps:P279 wd:Q515 ; wikibase:rank wikibase:NormalRank .
wd:Q4 p:P31 wd:g . wd:g ps:P31 wd:Q5 ; wikibase:rank wikibase:DeprecatedRank .
wd:Q6 p:P31 wd:h . wd:h ps:P31 [] ; wikibase:rank wikibase:NormalRank .
"""


def test_a_store_without_the_best_rank_view_is_asked_for_statements(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "full.ttl").write_text(IN_FULL, encoding="utf-8")
    with wikidata_snapshot(tmp_path, [tmp_path / "full.ttl"]) as url:
        finder = EntityTypes(SparqlEndpoint(url, cache=tmp_path / "cache", identity="full"), CLASSES)
        expected = {"Q1": {"person"}, "Q2": {"country"}, "Q3": {"city"}, "Q4": set(), "Q6": set(), "Q9": set()}
        assert finder.types_of(expected) == expected
        assert finder.types_of(["Q1"]) == {"Q1": {"person"}}
    told = capfd.readouterr().err
    assert told.count("The store has no wdt:P31; p:P31 and ps:P31 are asked instead") == 1


def test_nobody_asks_about_nobody(endpoint: SparqlEndpoint) -> None:
    assert EntityTypes(endpoint, CLASSES).types_of([]) == {}
    assert endpoint.cache.misses == 0
