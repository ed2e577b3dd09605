from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path as FilePath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.builders.sources.serving import wikidata_snapshot
from tashika.builders.sources.sparql import SparqlEndpoint
from tashika.builders.tempripple.properties import Properties, Stable
from tashika.builders.tempripple.records import Datatype, Path, Period, Value
from tashika.builders.tempripple.ripples import Ripples, ripples
from tashika.builders.tempripple.stable_facts import AnsweredFact

SPOUSE, LANGUAGE, AWARD, CODE, GENDER = "P26", "P103", "P166", "P218", "P21"


def stable(pid: str, types: str, datatype: Datatype = "item", noun: str = "the thing of {subject}") -> Stable:
    return Stable(pid, pid, "What is the thing of {subject}?", noun, frozenset(types.split()), datatype)


PROPERTIES = {
    SPOUSE: stable(SPOUSE, "person"),
    LANGUAGE: stable(LANGUAGE, "person"),
    AWARD: stable(AWARD, "person"),
    CODE: stable(CODE, "language", "string", ""),
    GENDER: stable(GENDER, "person", noun=""),
}


def fact(subject: str, relation: str, *objects: str, unique: bool = True) -> AnsweredFact:
    kind = PROPERTIES[relation].datatype
    return AnsweredFact(subject, relation, tuple(Value(text, kind) for text in objects), unique=unique)


def graph(*facts: AnsweredFact, hops: int = 3) -> Ripples:
    by_subject: dict[str, list[AnsweredFact]] = {}
    for one in sorted(facts, key=lambda one: (one.subject, int(one.relation[1:]))):
        by_subject.setdefault(one.subject, []).append(one)
    return Ripples({subject: tuple(several) for subject, several in by_subject.items()}, PROPERTIES, hops)


def written(paths: Iterator[Path]) -> list[str]:
    def step(one: AnsweredFact) -> str:
        return f"{one.relation} {'|'.join(value.text for value in one.objects)}"

    return [" > ".join(step(one) for one in path.steps if isinstance(one, AnsweredFact)) for path in paths]


# The United States (Q30), whose president is Q1: the spouse Q2, her language Q9, its code.
PRESIDENT = [
    fact("Q1", SPOUSE, "Q2"),
    fact("Q1", LANGUAGE, "Q8"),
    fact("Q2", LANGUAGE, "Q9"),
    fact("Q2", SPOUSE, "Q1"),
    fact("Q9", CODE, "sl"),
    fact("Q8", CODE, "en"),
]


def test_a_path_comes_before_those_that_go_on_from_it() -> None:
    paths = list(graph(*PRESIDENT).paths("Q30", "Q1"))
    assert written(iter(paths)) == [
        "P26 Q2",
        "P26 Q2 > P103 Q9",
        "P26 Q2 > P103 Q9 > P218 sl",
        "P103 Q8",
        "P103 Q8 > P218 en",
    ]
    assert [path.hop for path in paths] == [1, 2, 3, 1, 2]


@pytest.mark.parametrize(("hops", "count"), [(0, 0), (1, 2), (2, 4), (3, 5)])
def test_a_path_has_no_more_steps_than_wanted(hops: int, count: int) -> None:
    assert len(list(graph(*PRESIDENT, hops=hops).paths("Q30", "Q1"))) == count


def test_the_changing_fact_does_not_appear_again() -> None:
    assert written(graph(fact("Q1", SPOUSE, "Q30")).paths("Q30", "Q1")) == []
    assert written(graph(fact("Q1", SPOUSE, "Q2"), fact("Q2", AWARD, "Q30")).paths("Q30", "Q1")) == ["P26 Q2"]


def test_what_is_its_own_object_is_left_out() -> None:
    assert written(graph(fact("Q1", SPOUSE, "Q2"), fact("Q2", SPOUSE, "Q2")).paths("Q30", "Q1")) == ["P26 Q2"]


def test_an_answer_set_that_meets_the_path_again_is_left_out_as_a_whole() -> None:
    found = graph(fact("Q1", SPOUSE, "Q2"), fact("Q2", AWARD, "Q5", "Q1")).paths("Q30", "Q1")
    assert written(found) == ["P26 Q2"]


def test_a_path_ends_at_several_answers() -> None:
    found = graph(fact("Q1", AWARD, "Q2", "Q3"), fact("Q2", LANGUAGE, "Q9")).paths("Q30", "Q1")
    assert written(found) == ["P166 Q2|Q3"]


def test_a_path_ends_where_another_object_was_true_in_between() -> None:
    found = graph(fact("Q1", AWARD, "Q2", unique=False), fact("Q2", LANGUAGE, "Q9")).paths("Q30", "Q1")
    assert written(found) == ["P166 Q2"]


def test_a_path_ends_where_nothing_can_be_asked_of_the_object() -> None:
    found = graph(fact("Q1", GENDER, "Q2"), fact("Q2", LANGUAGE, "Q9")).paths("Q30", "Q1")
    assert written(found) == ["P21 Q2"]


def test_equal_literals_may_appear_again() -> None:
    facts = [fact("Q1", CODE, "Q9"), fact("Q1", LANGUAGE, "Q8"), fact("Q8", CODE, "Q9")]
    assert "P103 Q8 > P218 Q9" in written(graph(*facts).paths("Q30", "Q1"))
    assert written(graph(fact("Q1", CODE, "Q30")).paths("Q30", "Q1")) == ["P218 Q30"]


def test_an_object_without_a_label_is_no_answer() -> None:
    facts = [
        fact("Q1", AWARD, "Q2", "Q3"),
        fact("Q1", LANGUAGE, "Q7"),
        fact("Q3", LANGUAGE, "Q9"),
        fact("Q1", CODE, "x"),
    ]
    found = written(graph(*facts).paths("Q30", "Q1", {"Q3", "Q9"}.__contains__))
    assert found == ["P166 Q3", "P218 x"]  # one of two is left, and is no step to go on from


def test_all_items_are_known_for_their_labels() -> None:
    found = graph(*PRESIDENT, replace(fact("Q8", AWARD, "Q40"), also_true=(Value("Q41", "item"), Value("7", "string"))))
    assert found.entities() == {"Q1", "Q2", "Q8", "Q9", "Q40", "Q41"}


# --- against the naive way: all sequences of facts, and then those that keep the rules


def sequences(facts: list[AnsweredFact], hops: int) -> Iterator[tuple[AnsweredFact, ...]]:
    def longer(so_far: tuple[AnsweredFact, ...]) -> Iterator[tuple[AnsweredFact, ...]]:
        yield so_far
        if len(so_far) < hops:
            for one in facts:
                yield from longer((*so_far, one))

    return (several for several in longer(()) if several)


def keeps_the_rules(subject: str, object: str, steps: tuple[AnsweredFact, ...]) -> bool:
    ways = [one.objects[0] for one in steps[:-1]]
    entities = [subject, object, *(value.text for one in steps for value in one.objects if value.datatype == "item")]
    return (
        [one.subject for one in steps] == [object, *(value.text for value in ways)]
        and all(value.datatype == "item" for value in ways)
        and all(len(one.objects) == 1 and one.unique and PROPERTIES[one.relation].noun for one in steps[:-1])
        and len(set(entities)) == len(entities)
    )


@st.composite
def random_facts(draw: st.DrawFn) -> list[AnsweredFact]:
    nodes = st.sampled_from([f"Q{number}" for number in range(1, 6)])
    keys = draw(st.lists(st.tuples(nodes, st.sampled_from(sorted(PROPERTIES))), max_size=8, unique=True))
    return [
        fact(subject, relation, *draw(st.lists(nodes, min_size=1, max_size=2, unique=True)), unique=draw(st.booleans()))
        for subject, relation in keys
    ]


@given(facts=random_facts(), hops=st.integers(0, 3))
def test_paths_are_those_that_keep_the_rules(facts: list[AnsweredFact], hops: int) -> None:
    found = [path.steps for path in graph(*facts, hops=hops).paths("Q1", "Q2")]
    expected = {steps for steps in sequences(facts, hops) if keeps_the_rules("Q1", "Q2", steps)}
    assert set(found) == expected
    assert len(found) == len(expected)
    assert all(steps[:-1] in found[:place] for place, steps in enumerate(found) if len(steps) > 1)


# --- in a real store

STATEMENTS = """
@prefix wd: <http://www.wikidata.org/entity/> .
@prefix wdt: <http://www.wikidata.org/prop/direct/> .
@prefix p: <http://www.wikidata.org/prop/> .
@prefix ps: <http://www.wikidata.org/prop/statement/> .
@prefix wikibase: <http://wikiba.se/ontology#> .

wd:Q1 wdt:P31 wd:Q5 ; p:P26 wd:a ; p:P103 wd:b ; p:P21 wd:c .
wd:Q2 wdt:P31 wd:Q5 ; p:P26 wd:d ; p:P103 wd:e .
wd:Q8 wdt:P31 wd:Q34770 ; p:P218 wd:f .
wd:Q9 wdt:P31 wd:Q34770 ; p:P218 wd:g .
wd:a ps:P26 wd:Q2 . wd:b ps:P103 wd:Q8 . wd:c ps:P21 wd:Q50 . wd:d ps:P26 wd:Q1 . wd:e ps:P103 wd:Q9 .
wd:f ps:P218 "en" . wd:g ps:P218 "sl" .
wd:a wikibase:rank wikibase:NormalRank . wd:b wikibase:rank wikibase:NormalRank .
wd:c wikibase:rank wikibase:NormalRank . wd:d wikibase:rank wikibase:NormalRank .
wd:e wikibase:rank wikibase:NormalRank . wd:f wikibase:rank wikibase:NormalRank .
wd:g wikibase:rank wikibase:NormalRank .
"""
ALL = Properties({}, PROPERTIES, {"Q5": "person", "Q34770": "language"})
PERIOD = Period(16436, 20089, 20453)
ROOTS = [("Q30", "Q1"), ("Q31", "Q2")]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("ripples")
    (folder / "facts.ttl").write_text(STATEMENTS, encoding="utf-8")
    with wikidata_snapshot(folder, [folder / "facts.ttl"]) as url:
        yield url


@pytest.fixture
def endpoint(store: str, tmp_path: FilePath) -> SparqlEndpoint:
    return SparqlEndpoint(store, cache=tmp_path, identity="ripples")


def test_the_facts_of_three_hops_are_gathered(endpoint: SparqlEndpoint) -> None:
    found = ripples(endpoint, ALL, ROOTS[:1], PERIOD, 3)
    assert written(found.paths("Q30", "Q1")) == [
        "P21 Q50",
        "P26 Q2",
        "P26 Q2 > P103 Q9",
        "P26 Q2 > P103 Q9 > P218 sl",
        "P103 Q8",
        "P103 Q8 > P218 en",
    ]


def test_an_entity_is_asked_for_once_and_only_where_a_path_goes_on(endpoint: SparqlEndpoint) -> None:
    # Types and facts of Q1 and Q2, then of the languages; the gender has no noun, the codes are no items.
    ripples(endpoint, ALL, ROOTS, PERIOD, 3)
    assert endpoint.cache.misses == 4


@pytest.mark.parametrize("batch", [1, 2])
def test_the_batch_does_not_matter(endpoint: SparqlEndpoint, batch: int) -> None:
    assert ripples(endpoint, ALL, ROOTS, PERIOD, 3, batch) == ripples(endpoint, ALL, ROOTS, PERIOD, 3)


def test_no_hops_ask_nothing(endpoint: SparqlEndpoint) -> None:
    found = ripples(endpoint, ALL, ROOTS, PERIOD, 0)
    assert found.facts == {}
    assert list(found.paths("Q30", "Q1")) == []
    assert endpoint.cache.misses == 0


def test_it_says_that_nothing_has_a_type(endpoint: SparqlEndpoint, capfd: pytest.CaptureFixture[str]) -> None:
    found = ripples(endpoint, ALL, [("Q30", "Q70"), ("Q31", "Q71")], PERIOD, 2)
    assert found.facts == {}
    told = capfd.readouterr().err
    assert "None of the 2 objects has a type" in told
    assert "P31" in told
    ripples(endpoint, ALL, [("Q30", "Q70"), ("Q31", "Q1")], PERIOD, 2)
    assert "has a type" not in capfd.readouterr().err


def test_it_says_how_far_it_is(endpoint: SparqlEndpoint, capfd: pytest.CaptureFixture[str]) -> None:
    ripples(endpoint, ALL, ROOTS[:1], PERIOD, 2)
    told = capfd.readouterr().err
    assert "hop 1: 1 entities, 3 facts of 1 of them" in told
    assert "hop 2: 2 entities, 3 facts of 2 of them" in told
