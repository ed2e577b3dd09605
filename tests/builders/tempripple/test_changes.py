"""Changing facts over SPARQL: a real Oxigraph with the packaged snapshot and with odd statements, and bad endpoints."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from tashika.builders.sources.serving import snapshot_files, wikidata_snapshot
from tashika.builders.sources.sparql import SparqlEndpoint
from tashika.builders.tempripple.changes import changed_subjects, histories, statements_of
from tashika.builders.tempripple.dates import day_number, day_text
from tashika.builders.tempripple.records import History, Period
from tashika.builders.tempripple.tenures import Rejection, Statement
from tashika.core.errors import InputError, OutsideError

EXPECTED = Path(__file__).parents[3] / "data" / "tempripple" / "expected.tsv"
MOST = ("P6", "P17", "P27", "P35", "P36", "P54", "P69", "P102", "P108", "P140", "P159", "P169", "P286", "P488")
CHANGING = (*MOST, "P551", "P937")
PERIOD = Period(day_number(2015, 1, 1), day_number(2025, 1, 1), day_number(2025, 12, 31), 365)
CAP, BATCH = 1_000_000, 500
MANY = 10_000
JSON_TYPE = "application/sparql-results+json"
GENID = "http://www.wikidata.org/.well-known/genid/3f2a"

PREFIXES = """\
@prefix wd: <http://www.wikidata.org/entity/> .
@prefix wds: <http://www.wikidata.org/entity/statement/> .
@prefix wdt: <http://www.wikidata.org/prop/direct/> .
@prefix p: <http://www.wikidata.org/prop/> .
@prefix ps: <http://www.wikidata.org/prop/statement/> .
@prefix pq: <http://www.wikidata.org/prop/qualifier/> .
@prefix pqv: <http://www.wikidata.org/prop/qualifier/value/> .
@prefix wdno: <http://www.wikidata.org/prop/novalue/> .
@prefix wikibase: <http://wikiba.se/ontology#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""

Rows = list[dict[str, dict[str, str]]]

# P1308 is none of the 16 properties, so these statements do not meet the packaged ones.
ODD = f"""{PREFIXES}
# An empire: years before Christ, a year 0, five digits with and without a plus.
wd:Q201 p:P1308 wds:a1, wds:a2, wds:a3, wds:a4, wds:a5 .
wds:a1 ps:P1308 wd:Q1 ; {{start:-0753-01-01/9}} ; {{end:-0044-03-15/11}} .
wds:a2 ps:P1308 wd:Q2 ; {{start:-13798-01-01/9}} ; {{end:0000-01-01/9}} .
wds:a3 ps:P1308 wd:Q3 ; {{start:2011-02-01/10}} ; {{end:2025-02-01/10}} .
wds:a4 ps:P1308 wd:Q4 ; {{start:2025-02-03/11}} ; {{end:+12025-01-01/9}} .
wds:a5 ps:P1308 wd:Q5 ; {{start:12026-01-01/9}} .
# Unknown values: as a blank node, and as the public endpoint writes it.
wd:Q202 p:P1308 wds:b1, wds:b2 .
wds:b1 ps:P1308 _:nobody ; {{start:2012-01-01/9}} ; {{end:2025-05-01/11}} .
wds:b2 ps:P1308 wd:Q2 ; {{start:2025-05-01/11}} .
wd:Q203 p:P1308 wds:c1, wds:c2 .
wds:c1 ps:P1308 wd:Q1 ; pq:P580 <{GENID}> ; {{end:2025-05-01/11}} .
wds:c2 ps:P1308 <{GENID}> ; {{start:2025-05-01/11}} ; pq:P582 _:sometime .
# No value: a vacancy, and an end that is known not to have come.
wd:Q204 p:P1308 wds:d1, wds:d2 .
wds:d1 a wdno:P1308 ; {{start:2025-01-01/11}} ; {{end:2025-02-01/11}} .
wds:d2 a wdno:P582 ; ps:P1308 wd:Q2 ; {{start:2025-02-01/11}} .
# Two starts, and two ends.
wd:Q205 p:P1308 wds:e1 .
wds:e1 ps:P1308 wd:Q1 ; {{start:2010-01-01/9}} ; {{start:2025-01-01/9}} ; {{end:2025-06-01/10}} ; {{end:2026-01-01/9}} .
# Dates without a node that has their precision: as they stand.
wd:Q206 p:P1308 wds:f1, wds:f2 .
wds:f1 ps:P1308 wd:Q1 ; pq:P580 "2010-01-01T00:00:00Z"^^xsd:dateTime ; pq:P582 "2025-04-05T00:00:00Z"^^xsd:dateTime .
wds:f2 ps:P1308 wd:Q2 ; pq:P580 "2025-04-05T00:00:00Z"^^xsd:dateTime .
# Deprecated, and no item.
wd:Q207 p:P1308 wds:g1 .
wds:g1 ps:P1308 wd:Q1 ; {{start:2025-01-01/11}} ; wikibase:rank wikibase:DeprecatedRank .
wd:L42 p:P1308 wds:h1 .
wds:h1 ps:P1308 wd:Q1 ; {{start:2025-01-01/11}} .
# Without a rank, which counts as normal; and with one that is none of the three.
wd:Q210 p:P1307 wds:l1, wds:l2, wds:l3 .
wds:l1 ps:P1307 wd:Q1 ; {{start:2012-01-01/9}} ; {{end:2020-05-01/11}} .
wds:l2 ps:P1307 wd:Q2 ; {{start:2020-05-01/11}} ; {{end:2025-05-01/11}} ; wikibase:rank wikibase:NoRank .
wds:l3 ps:P1307 wd:Q3 ; {{start:2025-05-01/11}} ; wikibase:rank wikibase:PreferredRank .
wd:Q211 p:P1307 wds:m1 .
wds:m1 ps:P1307 wd:Q1 ; {{start:2025-05-01/11}} .
# Just inside the window, and just outside.
wd:Q208 p:P1308 wds:i1 .
wds:i1 ps:P1308 wd:Q1 ; {{start:2025-12-31/11}} .
wd:Q209 p:P1308 wds:j1 .
wds:j1 ps:P1308 wd:Q1 ; {{start:2012-01-01/11}} ; {{end:2026-01-01/11}} .
"""


def odd_statements() -> str:
    """The statements above with Wikidata's two forms of each date, and a rank where none is written."""

    def qualifier(match: re.Match[str]) -> str:
        pid = "P580" if match[1] == "start" else "P582"
        literal = f'"{match[2]}T00:00:00Z"^^xsd:dateTime'
        node = f"[ wikibase:timeValue {literal} ; wikibase:timePrecision {match[3]} ]"
        return f"pq:{pid} {literal} ; pqv:{pid} {node}"

    lines = re.sub(r"\{(start|end):(\S+)/(\d+)\}", qualifier, ODD).splitlines()
    normal = " ; wikibase:rank wikibase:NormalRank ."
    return "\n".join(
        line.removesuffix(" .") + normal if line.startswith("wds:") and not re.search("Rank|ps:P1307", line) else line
        for line in lines
    )


def many_statements() -> str:
    """A subject with a new object every day, the last from 1 July 2025 on."""
    first = day_number(2025, 7, 1) - MANY + 1
    days = [f'"{day_text(first + n)}T00:00:00Z"^^xsd:dateTime' for n in range(MANY)]
    lines = [f"wd:Q300 p:P1344 {', '.join(f'wds:k{n}' for n in range(MANY))} ."]
    for n, day in enumerate(days):
        end = f" ; pq:P582 {days[n + 1]}" if n + 1 < MANY else ""
        lines.append(f"wds:k{n} wikibase:rank wikibase:NormalRank ; ps:P1344 wd:Q{n + 1000} ; pq:P580 {day}{end} .")
    return "\n".join(lines)


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("changes")
    odd = folder / "odd.ttl"
    odd.write_text(odd_statements() + "\n" + many_statements(), encoding="utf-8")
    with wikidata_snapshot(folder, (*snapshot_files("tempripple"), odd)) as address:
        yield address


@pytest.fixture
def endpoint(url: str, tmp_path: Path) -> SparqlEndpoint:
    return SparqlEndpoint(url, cache=tmp_path / "cache", identity="packaged and odd statements")


@pytest.fixture
def statements(endpoint: SparqlEndpoint) -> dict[str, list[Statement]]:
    return dict(statements_of(endpoint, "P1308", [f"Q{n}" for n in range(201, 210)], BATCH))


# --- the packaged snapshot


def test_packaged_histories_get_the_expected_verdicts(endpoint: SparqlEndpoint) -> None:
    found = {
        (one.subject, one.relation): "|".join(one.reasons) if isinstance(one, Rejection) else "accepted"
        for relation in CHANGING
        for one in histories(endpoint, relation, PERIOD, CAP, BATCH)
    }
    with EXPECTED.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    candidates = {
        (row["subject"], row["relation"]): row["reason"] or row["expected"]
        for row in rows
        if row["reason"] != "no-change"  # these are never asked for
    }
    assert found == candidates


def test_the_size_of_a_request_changes_nothing(endpoint: SparqlEndpoint) -> None:
    assert list(histories(endpoint, "P6", PERIOD, CAP, 3)) == list(histories(endpoint, "P6", PERIOD, CAP, BATCH))


def test_statements_can_be_left_out_by_their_objects(endpoint: SparqlEndpoint) -> None:
    player, national_team = "Q20830808", "Q676899"
    everything = {one.subject: one for one in histories(endpoint, "P54", PERIOD, CAP, BATCH)}
    clubs = {
        one.subject: one
        for one in histories(endpoint, "P54", PERIOD, CAP, BATCH, only_objects=lambda item: item != national_team)
    }
    rejection, history = everything.pop(player), clubs.pop(player)
    assert isinstance(rejection, Rejection)
    assert rejection.reasons == ("overlap",)
    assert isinstance(history, History)
    assert [tenure.object for tenure in history.tenures] == ["Q1543", "Q483020", "Q50602"]
    assert clubs == everything


# --- candidates


def test_subjects_with_a_start_or_an_end_in_the_window(
    endpoint: SparqlEndpoint, capsys: pytest.CaptureFixture[str]
) -> None:
    subjects = changed_subjects(endpoint, "P1308", PERIOD, CAP)
    assert subjects == ["Q201", "Q202", "Q203", "Q204", "Q205", "Q206", "Q208"]
    assert "1 subjects that are no items" in capsys.readouterr().err


def test_the_cap_takes_the_first_by_number_and_says_so(
    endpoint: SparqlEndpoint, capsys: pytest.CaptureFixture[str]
) -> None:
    assert changed_subjects(endpoint, "P1308", PERIOD, 2) == ["Q201", "Q202"]
    assert "7 subjects changed in the window; the first 2" in capsys.readouterr().err


def test_a_property_that_nothing_has(endpoint: SparqlEndpoint) -> None:
    assert list(histories(endpoint, "P99999", PERIOD, CAP, BATCH)) == []


def test_a_relation_that_is_no_property(endpoint: SparqlEndpoint) -> None:
    with pytest.raises(InputError, match="expected a property id"):
        changed_subjects(endpoint, "P6 . } #", PERIOD, CAP)


# --- odd statements


def test_years_before_christ_and_of_five_digits(endpoint: SparqlEndpoint) -> None:
    found = next(histories(endpoint, "P1308", PERIOD, CAP, BATCH))
    assert isinstance(found, History)
    assert [(t.object, t.start.text, t.end and t.end.text) for t in found.tenures] == [
        ("Q3", "2011-02", "2025-02"),
        ("Q4", "2025-02-03", "12025"),
    ]


def test_unknown_values_as_blank_nodes_and_as_the_public_endpoint_writes_them(
    endpoint: SparqlEndpoint, statements: dict[str, list[Statement]]
) -> None:
    blank, known = statements["Q202"]
    assert (blank.object, blank.vacant, known.object) == (None, False, "Q2")
    start, both = statements["Q203"]
    assert (start.object, start.starts) == ("Q1", ((None, None),))
    assert (both.object, both.vacant, both.ends) == (None, False, ((None, None),))
    found = {one.subject: one for one in histories(endpoint, "P1308", PERIOD, CAP, BATCH)}
    for subject in ("Q202", "Q203"):
        rejection = found[subject]
        assert isinstance(rejection, Rejection)
        assert rejection.reasons == ("unknown-value",)


def test_no_value_is_a_vacancy_and_an_end_that_has_not_come(statements: dict[str, list[Statement]]) -> None:
    vacancy, holder = statements["Q204"]
    assert (vacancy.object, vacancy.vacant, vacancy.known_open) == (None, True, False)
    assert (holder.object, holder.vacant, holder.known_open, holder.ends) == ("Q2", False, True, ())


def test_repeated_qualifiers_stay_apart(endpoint: SparqlEndpoint, statements: dict[str, list[Statement]]) -> None:
    (one,) = statements["Q205"]
    assert one.starts == (("2010-01-01T00:00:00Z", 9), ("2025-01-01T00:00:00Z", 9))
    assert one.ends == (("2025-06-01T00:00:00Z", 10), ("2026-01-01T00:00:00Z", 9))
    found = {one.subject: one for one in histories(endpoint, "P1308", PERIOD, CAP, BATCH)}["Q205"]
    assert found == Rejection("Q205", "P1308", ("repeated-qualifier",), (one,))


def test_dates_without_a_precision(endpoint: SparqlEndpoint, statements: dict[str, list[Statement]]) -> None:
    assert statements["Q206"][0].starts == (("2010-01-01T00:00:00Z", None),)
    found = {one.subject: one for one in histories(endpoint, "P1308", PERIOD, CAP, BATCH)}["Q206"]
    assert isinstance(found, History)
    assert [t.start.text for t in found.tenures] == ["2010", "2025-04-05"]


def test_deprecated_statements_are_not_read(statements: dict[str, list[Statement]]) -> None:
    assert "Q207" not in statements


def test_a_subject_with_ten_thousand_statements(endpoint: SparqlEndpoint) -> None:
    (found,) = histories(endpoint, "P1344", PERIOD, CAP, BATCH)
    assert isinstance(found, History)
    since_2015 = day_number(2025, 7, 1) - PERIOD.history_from + 2  # the first handed over on 1 January 2015
    assert len(found.tenures) == since_2015
    assert found.new == 182  # 1 January to 1 July
    assert found.tenures[-1].object == f"Q{1000 + MANY - 1}"


def test_a_statement_without_a_rank_is_normal(endpoint: SparqlEndpoint) -> None:
    history, other = histories(endpoint, "P1307", PERIOD, CAP, BATCH)
    assert isinstance(history, History)
    assert [tenure.object for tenure in history.tenures] == ["Q1", "Q2", "Q3"]
    ((_, statements), _) = statements_of(endpoint, "P1307", ["Q210", "Q211"], BATCH)
    assert [one.rank for one in statements] == ["normal", "normal", "preferred"]
    assert other.subject == "Q211"  # found by a statement that has no rank


# --- stores and endpoints that cannot tell


def _answer(rows: Rows) -> Response:
    return Response(json.dumps({"head": {"vars": []}, "results": {"bindings": rows}}), content_type=JSON_TYPE)


def _cut_short() -> Response:
    """What Oxigraph sends when its time is up in the middle: status 200 and half a JSON."""
    return Response('{"head": {"vars": ["s"]}, "results": {"bindings": [{"s"', content_type=JSON_TYPE)


def _simulated(httpserver: HTTPServer, folder: Path) -> SparqlEndpoint:
    return SparqlEndpoint(httpserver.url_for("/query"), cache=folder, identity="simulated", sleep=lambda _: None)


def _asked_days(request: Request) -> tuple[str, str]:
    first, end = re.findall(r'"(\S+)T00:00:00Z"', request.form["query"])
    return first, end


def test_a_store_of_present_values_alone(tmp_path: Path) -> None:
    truthy = tmp_path / "truthy.ttl"
    truthy.write_text(f"{PREFIXES}wd:Q142 wdt:P36 wd:Q90 .\n", encoding="utf-8")
    with wikidata_snapshot(tmp_path, [truthy]) as url:
        endpoint = SparqlEndpoint(url, cache=tmp_path / "cache", identity="truthy.ttl")
        with pytest.raises(InputError, match="found no statement with a rank") as caught:
            list(histories(endpoint, "P36", PERIOD, CAP, BATCH))
    assert "Load a full dump" in str(caught.value)


def test_a_store_of_statements_without_qualifiers(tmp_path: Path) -> None:
    plain = tmp_path / "plain.ttl"
    statement = "wds:a ps:P36 wd:Q90 ; wikibase:rank wikibase:NormalRank ."
    plain.write_text(f"{PREFIXES}wd:Q142 p:P36 wds:a .\n{statement}\n", encoding="utf-8")
    with wikidata_snapshot(tmp_path, [plain]) as url:
        endpoint = SparqlEndpoint(url, cache=tmp_path / "cache", identity="plain.ttl")
        with pytest.raises(InputError, match=r"no statement has a start or end .* expected a dump with qualifiers"):
            list(histories(endpoint, "P36", PERIOD, CAP, BATCH))


def test_a_store_without_ranks_is_good_enough(tmp_path: Path) -> None:
    plain = tmp_path / "plain.ttl"
    date = '"2001-01-01T00:00:00Z"^^xsd:dateTime'
    plain.write_text(f"{PREFIXES}wd:Q142 p:P36 wds:a .\nwds:a ps:P36 wd:Q90 ; pq:P580 {date} .\n", encoding="utf-8")
    with wikidata_snapshot(tmp_path, [plain]) as url:
        endpoint = SparqlEndpoint(url, cache=tmp_path / "cache", identity="plain.ttl")
        assert list(histories(endpoint, "P36", PERIOD, CAP, BATCH)) == []


def test_a_window_that_is_too_much_is_asked_in_halves(httpserver: HTTPServer, tmp_path: Path) -> None:
    """An engine that manages a hundred days: it says a subject a question, named by the first day."""
    asked = []

    def answer(request: Request) -> Response:
        first, end = (day_number(*map(int, day.split("-"))) for day in _asked_days(request))
        if end - first > 100:
            return _cut_short()
        asked.append((first, end))
        return _answer([{"s": {"type": "uri", "value": f"http://www.wikidata.org/entity/Q{first}"}}])

    httpserver.expect_request("/query").respond_with_handler(answer)
    subjects = changed_subjects(_simulated(httpserver, tmp_path), "P54", PERIOD, CAP)
    assert subjects == [f"Q{first}" for first, _ in asked]
    assert asked[0][0] == PERIOD.window_from
    assert asked[-1][1] == PERIOD.window_to + 1
    assert all(end == following for (_, end), (following, _) in pairwise(asked))


def test_a_day_that_is_too_much_is_told(httpserver: HTTPServer, tmp_path: Path) -> None:
    def answer(request: Request) -> Response:
        return _cut_short() if _asked_days(request)[0] <= "2025-03-03" < _asked_days(request)[1] else _answer([])

    httpserver.expect_request("/query").respond_with_handler(answer)
    with pytest.raises(OutsideError, match="cut short"):
        changed_subjects(_simulated(httpserver, tmp_path), "P54", PERIOD, CAP)


def _member_of(subject: str) -> Rows:
    def uri(name: str) -> dict[str, str]:
        return {"type": "uri", "value": f"http://www.wikidata.org/entity/{name}"}

    def date(text: str) -> dict[str, str]:
        return {"type": "literal", "value": f"{text}T00:00:00Z"}

    rank = {"type": "uri", "value": "http://wikiba.se/ontology#NormalRank"}
    first = {"s": uri(subject), "st": uri(f"{subject}-a"), "o": uri("Q1"), "rank": rank}
    second = {"s": uri(subject), "st": uri(f"{subject}-b"), "o": uri("Q2"), "rank": rank}
    return [
        {**first, "sraw": date("2012-02-03"), "eraw": date("2025-02-03")},
        {**second, "sraw": date("2025-02-03")},
    ]


def test_an_endpoint_that_times_out_half_way(httpserver: HTTPServer, tmp_path: Path) -> None:
    """It manages two subjects a question; then it dies, and the next run goes on from what is kept."""
    members: Sequence[str] = [f"Q{n}" for n in range(10, 17)]
    broken = "Q15"

    def answer(request: Request) -> Response:
        values = re.findall(r"wd:(Q\d+)", request.form["query"])
        if not values:
            return _answer([row for member in members for row in _member_of(member)])
        if len(values) > 2 or broken in values:
            return _cut_short()
        return _answer([row for member in values for row in _member_of(member)])

    httpserver.expect_request("/query").respond_with_handler(answer)
    found: list[str] = []
    with pytest.raises(OutsideError, match="cut short"):
        found.extend(one.subject for one in histories(_simulated(httpserver, tmp_path), "P54", PERIOD, CAP, BATCH))

    assert found == members[:5], "what came before the failure was handed on"
    broken = "none"
    before = len(httpserver.log)
    again = list(histories(_simulated(httpserver, tmp_path), "P54", PERIOD, CAP, BATCH))
    assert [one.subject for one in again] == members
    assert all(isinstance(one, History) for one in again)
    asked = [re.findall(r"wd:(Q\d+)", request.form["query"]) for request, _ in httpserver.log[before:]]
    assert not any("Q10" in values and len(values) < 3 for values in asked), "kept replies are not asked for again"
