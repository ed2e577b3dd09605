"""Each rule on facts that pass it and facts that do not, in a real store; the period is 2015 to 2025."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from tashika.builders.sources.serving import wikidata_snapshot
from tashika.builders.sources.sparql import PREFIXES, SparqlEndpoint
from tashika.builders.tempripple.properties import Stable
from tashika.builders.tempripple.records import Datatype, Period, Value
from tashika.builders.tempripple.stable_facts import AnsweredFact, stable_facts


def day(text: str) -> int:
    return (date.fromisoformat(text) - date(1970, 1, 1)).days


PERIOD = Period(day("2015-01-01"), day("2025-01-01"), day("2025-12-31"))
QUALIFIERS = {"start": "P580", "end": "P582", "point": "P585"}


def stable(pid: str, datatype: Datatype = "item", **more: object) -> Stable:
    return replace(Stable(pid, pid, "", "", frozenset({"person"}), datatype), **more)  # type: ignore[arg-type]


PROPERTIES = {
    one.id: one
    for one in (
        stable("P19"),
        stable("P20", start="death"),
        stable("P26", start="start"),
        stable("P36", types=frozenset({"country"})),
        stable("P39", start="point or start"),
        stable("P40", start="birth of object"),
        stable("P91", enabled=False),
        stable("P106"),
        stable("P218", "string"),
        stable("P569", "time"),
        stable("P570", "time", start="death"),
        stable("P571", "time"),
        stable("P1971", "quantity"),
    )
}


class Turtle:
    """Statements as Wikidata exports them. A date is written value/precision; "unknown" is somevalue."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def add(self, subject: str, pid: str, value: str = "Q900", rank: str = "Normal", **qualifiers: str) -> None:
        statement = f"<http://www.wikidata.org/entity/statement/{subject}-{len(self.lines)}>"
        self.lines.append(f"wd:{subject} p:{pid} {statement} . {statement} wikibase:rank wikibase:{rank}Rank .")
        if value == "novalue":
            self.lines.append(f"{statement} a wdno:{pid} .")
        elif "/" in value:
            self._date(statement, f"ps:{pid}", f"psv:{pid}", value)
        else:
            text = f"wd:{value}" if value.startswith("Q") else "[]" if value == "unknown" else value
            self.lines.append(f"{statement} ps:{pid} {text} .")
        for name, dates in qualifiers.items():
            for one in dates.split("|"):
                self._date(statement, f"pq:{QUALIFIERS[name]}", f"pqv:{QUALIFIERS[name]}", one)

    def _date(self, statement: str, simple: str, full: str, text: str) -> None:
        if text == "unknown":
            self.lines.append(f"{statement} {simple} [] .")
            return
        value, precision = text.split("/")
        moment = f'"{value}T00:00:00Z"^^xsd:dateTime'
        node = f"[ wikibase:timeValue {moment} ; wikibase:timePrecision {precision} ]"
        self.lines.append(f"{statement} {simple} {moment} ; {full} {node} .")

    def text(self) -> str:
        return "\n".join(f"@{line.lower()[:6]}{line[6:]} ." for line in PREFIXES.splitlines()) + "\n".join(self.lines)


STORE = Turtle()
CASES: list[tuple[str, str, bool, str]] = []
"""Subject, property, whether the fact is kept, and what the case shows."""


def case(shows: str, pid: str, kept: bool, value: str = "Q900", **qualifiers: str) -> str:
    subject = f"Q{len(CASES) + 1}"
    STORE.add(subject, pid, value, **qualifiers)
    CASES.append((subject, pid, kept, shows))
    return subject


case("no dates: it passes", "P19", True)
case("of another type of subject", "P36", False)
case("not enabled", "P91", False)
case("started on the first day", "P19", True, start="2015-01-01/11")
case("started a day later", "P19", False, start="2015-01-02/11")
case("started in the first year, perhaps after the first day", "P19", False, start="2015-01-01/9")
case("started in the year before", "P19", True, start="2014-01-01/9")
case("the start is unknown", "P19", False, start="unknown")
case("one of two starts is unknown", "P19", False, start="2001-01-01/9|unknown")
case("one of two starts lies in the period", "P19", False, start="2001-01-01/9|2016-01-01/9")
case("started in a decade long ago", "P19", True, start="1990-01-01/8")
case("started in a decade that may touch", "P19", False, start="2010-01-01/8")
case("ends on the last day", "P19", True, end="2025-12-31/11")
case("ends a day before", "P19", False, end="2025-12-30/11")
case("ends in the last year, perhaps before the last day", "P19", False, end="2025-01-01/9")
case("ends later", "P19", True, end="2026-01-01/9")
case("ended, nobody knows when", "P19", False, end="unknown")
case("a spouse without a start", "P26", False)
case("a spouse with a start", "P26", True, start="1992-10-03/11")
case("a spouse with a point in time alone", "P26", False, point="1992-10-03/11")
case("a spouse who was divorced", "P26", False, start="1992-10-03/11", end="2017-05-01/10")
case("an office without a date", "P39", False)
case("an office with a point in time", "P39", True, point="2003-01-01/9")
case("an office entered later", "P39", False, point="2019-01-01/9")
case("a number that nobody dated", "P1971", True, '"+5"^^xsd:decimal')
case("a number that was counted some day", "P1971", False, '"+5"^^xsd:decimal', point="2003-01-01/9")
case("no value", "P19", False, "novalue")
case("an unknown value", "P19", False, "unknown")
case("an unknown value of a literal", "P218", False, "unknown")
case("a literal where an item belongs", "P19", False, '"Paris"')
case("an item where a literal belongs", "P218", False, "Q900")
case("a birth in a decade is no answer", "P569", False, "1940-01-01/8")
STORE.add(case("died before the period", "P20", True), "P570", "2014-12-31/11")
STORE.add(case("died in the period", "P20", False), "P570", "2020-06-01/11")
STORE.add(case("died at an unknown time", "P20", False), "P570", "unknown")
case("died, and no date is stated", "P20", False)
case("the date of a death long ago", "P570", True, "1995-11-07/11")
case("the date of a death in the period", "P570", False, "2016-11-07/11")
STORE.add("Q901", "P569", "1971-12-25/11")
STORE.add("Q902", "P569", "2016-02-02/11")
case("a child born before the period", "P40", True, "Q901")
case("a child born in the period", "P40", False, "Q902")
case("a child born at an unknown time", "P40", False, "Q903")
case("a child with a stated start", "P40", True, "Q903", start="1980-01-01/9")
STORE.add(case("a subject born in the period", "P19", False), "P569", "2016-01-01/9")
STORE.add(case("a subject founded in the period", "P19", False), "P571", "2015-01-01/9")
STORE.add(case("a subject founded before", "P19", True), "P571", "2014-01-01/9")
STORE.add(case("a subject founded in a century before", "P19", True), "P571", "1200-01-01/7")
STORE.add(case("a subject founded in this century", "P19", False), "P571", "2001-01-01/7")
STORE.add(case("a subject born at an unknown time", "P19", True), "P569", "unknown")

# Values and ranks.
STORE.add("Q800", "P569", "1946-06-14/11")
STORE.add("Q801", "P569", "1946-06-01/10")
STORE.add("Q802", "P569", "1946-01-01/9")
STORE.add("Q803", "P571", "-0043-03-15/11")
STORE.add("Q804", "P571", "-12000-01-01/9")
STORE.add("Q805", "P218", '"sl"')
STORE.add("Q806", "P1971", '"+0"^^xsd:decimal')
# A preferred object, a normal and a deprecated one.
STORE.add("Q810", "P19", "Q1", rank="Preferred")
STORE.add("Q810", "P19", "Q2")
STORE.add("Q810", "P19", "Q3", rank="Deprecated")
# The preferred one changed, so there is no stable answer.
STORE.add("Q811", "P19", "Q1", rank="Preferred", start="2020-01-01/9")
STORE.add("Q811", "P19", "Q2")
# The preferred statement says that there is none.
STORE.add("Q812", "P19", "novalue", rank="Preferred")
STORE.add("Q812", "P19", "Q2")
# Three spouses: two before the period, one all the time.
STORE.add("Q813", "P26", "Q20", start="1977-01-01/9", end="1990-01-01/9")
STORE.add("Q813", "P26", "Q3", start="1993-01-01/9", end="1999-01-01/9")
STORE.add("Q813", "P26", "Q11", start="2005-01-22/11")
# Two citizenships, one of them only since 2018; and one that comes after the period.
STORE.add("Q814", "P106", "Q1")
STORE.add("Q814", "P106", "Q2", start="2018-01-01/9")
STORE.add("Q815", "P106", "Q1", end="2025-12-31/11")
STORE.add("Q815", "P106", "Q2", start="2026-01-01/11")
# An answer set, out of order; one object twice; and one object with an unknown one beside it.
STORE.add("Q816", "P106", "Q10")
STORE.add("Q816", "P106", "Q9")
STORE.add("Q816", "P106", "Q9", start="2019-01-01/9")
STORE.add("Q817", "P106", "Q9")
STORE.add("Q817", "P106", "unknown")
# Dates without a value node.
STORE.lines.append("wd:Q818 p:P19 wd:Q818-a . wd:Q818-a wikibase:rank wikibase:NormalRank ; ps:P19 wd:Q1 .")
STORE.lines.append('wd:Q818-a pq:P580 "2016-05-05T00:00:00Z"^^xsd:dateTime .')
STORE.lines.append("wd:Q819 p:P569 wd:Q819-a . wd:Q819-a wikibase:rank wikibase:NormalRank .")
STORE.lines.append('wd:Q819-a ps:P569 "1946-06-14T00:00:00Z"^^xsd:dateTime .')
# An unknown value as the public endpoint writes it.
STORE.lines.append("wd:Q820 p:P19 wd:Q820-a . wd:Q820-a wikibase:rank wikibase:NormalRank .")
STORE.lines.append("wd:Q820-a ps:P19 <http://www.wikidata.org/.well-known/genid/0c5b> .")
# Statements with two values, which is a mistake of the store: nobody can know which is meant.
TWO = [
    ("P569", '"1946-06-14T00:00:00Z"^^xsd:dateTime, "1947-06-14T00:00:00Z"^^xsd:dateTime'),
    ("P19", "wd:Q1, wd:Q2"),
    ("P218", '"en", "sl"'),
    ("P218", '"en"@en, "en"@de'),
]
for number, (pid, values) in enumerate(TWO):
    STORE.lines.append(
        f"wd:Q83{number} p:{pid} wd:Q83{number}-a . wd:Q83{number}-a wikibase:rank wikibase:NormalRank ."
    )
    STORE.lines.append(f"wd:Q83{number}-a ps:{pid} {values} .")
STORE.lines.append("wd:Q834 p:P569 wd:Q834-a . wd:Q834-a wikibase:rank wikibase:NormalRank .")
STORE.lines.append('wd:Q834-a ps:P569 "1946-06-14T00:00:00Z"^^xsd:dateTime .')
for moment in ("1946-06-14T00:00:00Z", "1947-06-14T00:00:00Z"):
    node = f'wikibase:timeValue "{moment}"^^xsd:dateTime ; wikibase:timePrecision 11'
    STORE.lines.append(f"wd:Q834-a psv:P569 [ {node} ] .")
# Precisions that are no numbers: the form of the date tells.
STORE.add("Q840", "P569", '1946-06-14/"day"')
STORE.add("Q841", "P19", "Q1", start='1946-06-14/""')
STORE.add("Q842", "P569", "1946-06-14/-1")
for number in range(40):
    STORE.add("Q821", "P106", f"Q{1000 + number}")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("stable")
    (folder / "facts.ttl").write_text(STORE.text(), encoding="utf-8")
    with wikidata_snapshot(folder, [folder / "facts.ttl"]) as url:
        yield url


Ask = Callable[..., dict[tuple[str, str], AnsweredFact]]


@pytest.fixture
def endpoint(store: str, tmp_path: Path) -> SparqlEndpoint:
    return SparqlEndpoint(store, cache=tmp_path, identity="stable facts")


@pytest.fixture
def ask(endpoint: SparqlEndpoint) -> Ask:
    def facts(*subjects: str, **options: bool) -> dict[tuple[str, str], AnsweredFact]:
        people = {subject: frozenset({"person"}) for subject in subjects}
        found = stable_facts(endpoint, PROPERTIES, people, PERIOD, **options)
        return {(fact.subject, fact.relation): fact for fact in found}

    return facts


@pytest.mark.parametrize("subject", ["Q830", "Q831", "Q832", "Q833", "Q834"])
def test_a_statement_with_two_values_has_no_answer(ask: Ask, subject: str) -> None:
    assert ask(subject) == {}


@pytest.mark.parametrize(("subject", "relation"), [("Q840", "P569"), ("Q841", "P19"), ("Q842", "P569")])
def test_a_precision_that_is_no_number_is_none(ask: Ask, subject: str, relation: str) -> None:
    text = "Q1" if relation == "P19" else "1946-06-14"
    assert [value.text for value in ask(subject)[subject, relation].objects] == [text]


def items(*ids: str) -> tuple[Value, ...]:
    return tuple(Value(one, "item") for one in ids)


def test_a_fact_is_kept_if_it_certainly_did_not_change(ask: Ask) -> None:
    found = ask(*(subject for subject, _, _, _ in CASES))
    wrong = [shows for subject, pid, kept, shows in CASES if ((subject, pid) in found) != kept]
    assert wrong == []


def test_who_is_young_may_be_asked_about_as_well(ask: Ask) -> None:
    young = next(subject for subject, _, _, shows in CASES if shows == "a subject born in the period")
    assert (young, "P19") in ask(young, only_older=False)


@pytest.mark.parametrize(
    ("subject", "relation", "value"),
    [
        ("Q800", "P569", Value("1946-06-14", "time")),
        ("Q801", "P569", Value("1946-06", "time")),
        ("Q802", "P569", Value("1946", "time")),
        ("Q803", "P571", Value("-0043-03-15", "time")),
        ("Q804", "P571", Value("-12000", "time")),
        ("Q805", "P218", Value("sl", "string")),
        ("Q806", "P1971", Value("0", "quantity")),
        ("Q819", "P569", Value("1946-06-14", "time")),
    ],
)
def test_a_literal_is_as_precise_as_it_is_known(ask: Ask, subject: str, relation: str, value: Value) -> None:
    assert ask(subject)[subject, relation].objects == (value,)


@pytest.mark.parametrize(
    ("subject", "relation", "objects", "also_true", "unique"),
    [
        ("Q810", "P19", items("Q1"), items("Q2"), True),
        ("Q813", "P26", items("Q11"), items("Q3", "Q20"), True),
        ("Q814", "P106", items("Q1"), items("Q2"), False),
        ("Q815", "P106", items("Q1"), items("Q2"), True),
        ("Q816", "P106", items("Q9", "Q10"), (), False),
        ("Q817", "P106", items("Q9"), (), False),
    ],
)
def test_the_best_rank_answers_and_the_rest_is_kept_apart(
    ask: Ask, subject: str, relation: str, objects: tuple[Value, ...], also_true: tuple[Value, ...], unique: bool
) -> None:
    found = replace(ask(subject)[subject, relation], certainty="certain")  # see the end of this file
    assert found == AnsweredFact(subject, relation, objects, also_true=also_true, unique=unique)


@pytest.mark.parametrize("subject", ["Q811", "Q812", "Q818", "Q820"])
def test_where_the_best_rank_has_no_stable_object_there_is_no_fact(ask: Ask, subject: str) -> None:
    assert ask(subject) == {}


def test_a_batch_is_one_request_and_one_more_for_births_of_children(endpoint: SparqlEndpoint) -> None:
    subjects = {subject: frozenset({"person"}) for subject, _, _, _ in CASES}
    found = list(stable_facts(endpoint, PROPERTIES, subjects, PERIOD, batch=len(subjects)))
    assert endpoint.cache.misses == 2
    assert sorted(found, key=str) == sorted(stable_facts(endpoint, PROPERTIES, subjects, PERIOD, batch=3), key=str)


def test_an_entity_that_no_property_fits_is_not_asked_about(endpoint: SparqlEndpoint) -> None:
    assert list(stable_facts(endpoint, PROPERTIES, {"Q1": frozenset(), "Q2": frozenset({"film"})}, PERIOD)) == []
    assert endpoint.cache.misses == 0


def test_facts_come_in_the_order_of_numbers(endpoint: SparqlEndpoint) -> None:
    subjects = {subject: frozenset({"person"}) for subject in ("Q821", "Q800", "Q33")}
    order = [(fact.subject, fact.relation) for fact in stable_facts(endpoint, PROPERTIES, subjects, PERIOD)]
    assert order == [("Q33", "P20"), ("Q33", "P570"), ("Q800", "P569"), ("Q821", "P106")]


# --- how certain it is

UNDATED = {
    "P19": stable("P19", undated="certain"),
    "P39": stable("P39", start="point or start"),
    "P106": stable("P106"),
    "P69": stable("P69", undated="likely"),
}
STORE.add("Q850", "P19")
STORE.add("Q850", "P69")
STORE.add("Q850", "P106")
STORE.add("Q850", "P39", point="2003-01-01/9")
STORE.add("Q851", "P106", start="2001-01-01/9")
STORE.add("Q851", "P106")
STORE.add("Q852", "P106", start="2001-01-01/9")
STORE.add("Q852", "P106", "Q901")


def test_dates_or_the_property_say_how_certain_it_is(endpoint: SparqlEndpoint) -> None:
    """Of several objects the least certain one counts, and of one object's statements the best."""
    subjects = {f"Q{number}": frozenset({"person"}) for number in (850, 851, 852)}
    found = {
        (fact.subject, fact.relation): fact.certainty for fact in stable_facts(endpoint, UNDATED, subjects, PERIOD)
    }
    assert found == {
        ("Q850", "P19"): "certain",
        ("Q850", "P39"): "certain",
        ("Q850", "P69"): "likely",
        ("Q850", "P106"): "unknown",
        ("Q851", "P106"): "certain",
        ("Q852", "P106"): "unknown",
    }
