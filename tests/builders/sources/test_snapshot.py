"""The shipped snapshot meets what the suites ask of it, and every kind of broken table is refused with a way out."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path

import pyoxigraph
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.builders.sources import snapshot as module
from tashika.builders.sources.snapshot import (
    Entity,
    Fact,
    Snapshot,
    best_facts,
    compile_turtle,
    literal,
    main,
    read_snapshot,
)
from tashika.core.errors import InputError

PREFIXES = """
PREFIX wd: <http://www.wikidata.org/entity/>
PREFIX wdt: <http://www.wikidata.org/prop/direct/>
PREFIX p: <http://www.wikidata.org/prop/>
PREFIX ps: <http://www.wikidata.org/prop/statement/>
PREFIX pq: <http://www.wikidata.org/prop/qualifier/>
PREFIX pqv: <http://www.wikidata.org/prop/qualifier/value/>
PREFIX psv: <http://www.wikidata.org/prop/statement/value/>
PREFIX wdno: <http://www.wikidata.org/prop/novalue/>
PREFIX wikibase: <http://wikiba.se/ontology#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
"""
WIKIDATA = module.DATA / "wikidata"
LAMA_NUMBERS = (
    *(
        17,
        19,
        20,
        27,
        30,
        31,
        36,
        37,
        39,
        47,
        101,
        103,
        106,
        108,
        127,
        131,
        136,
        138,
        140,
        159,
        176,
        178,
        190,
        264,
        276,
    ),
    *(279, 361, 364, 407, 413, 449, 463, 495, 527, 530, 740, 937, 1001, 1303, 1376, 1412),
)


@pytest.fixture(scope="module")
def shipped() -> Snapshot:
    return read_snapshot()


@pytest.fixture(scope="module")
def store() -> pyoxigraph.Store:
    return load((WIKIDATA / module.TURTLE).read_bytes())


def load(turtle: bytes) -> pyoxigraph.Store:
    store = pyoxigraph.Store()
    store.load(turtle, format=pyoxigraph.RdfFormat.TURTLE)
    return store


def select(store: pyoxigraph.Store, query: str) -> pyoxigraph.QuerySolutions:
    """Runs a SELECT."""
    rows = store.query(PREFIXES + query)
    assert isinstance(rows, pyoxigraph.QuerySolutions)
    return rows


def ask(store: pyoxigraph.Store, query: str) -> set[tuple[str, ...]]:
    """Runs a SELECT; of an IRI only what stands after the last slash."""
    return {tuple(term.value.rsplit("/", 1)[-1] for term in row) for row in select(store, query)}


# The shipped tables


def test_all_lama_relations_with_enough_facts_and_subjects(shipped: Snapshot) -> None:
    subjects = defaultdict(set)
    for fact in shipped.facts:
        subjects[fact.relation].add(fact.subject)
    assert {relation.id for relation in shipped.relations} == {f"P{number}" for number in LAMA_NUMBERS} == set(subjects)
    assert len(shipped.facts) >= 2000
    assert min(map(len, subjects.values())) >= 40


def test_no_fact_stands_twice(shipped: Snapshot) -> None:
    assert len({fact[:4] for fact in shipped.facts}) == len(shipped.facts)


def test_every_entity_is_used_and_most_have_aliases(shipped: Snapshot) -> None:
    used = {qid for fact in shipped.facts for qid in (fact.subject, fact.object)}
    assert used == {entity.id for entity in shipped.entities}
    assert sum(bool(entity.aliases) for entity in shipped.entities) >= 900
    assert sum("en" not in entity.labels and "mul" in entity.labels for entity in shipped.entities) >= 100


def test_preferred_ranks_make_the_best_view_smaller(shipped: Snapshot) -> None:
    every = Counter(fact[:2] for fact in shipped.facts)
    best = Counter(fact[:2] for fact in best_facts(shipped.facts))
    assert sum(best[pair] < number for pair, number in every.items()) >= 40
    assert set(best) == set(every)


def test_many_pairs_have_several_objects(shipped: Snapshot) -> None:
    assert sum(number > 1 for number in Counter(fact[:2] for fact in shipped.facts).values()) >= 150


def test_tables_are_sorted_by_number() -> None:
    for path in (WIKIDATA / "facts").glob("*.tsv"):
        ids = [
            tuple(int(cell[1:]) for cell in line.split("\t")[:2]) for line in path.read_text("utf-8").splitlines()[1:]
        ]
        assert ids == sorted(ids), path.name


# The Turtle file


def test_turtle_is_what_the_tables_compile_to(shipped: Snapshot) -> None:
    assert (WIKIDATA / module.TURTLE).read_bytes() == compile_turtle(shipped).encode()


def test_counted_triples_are_loaded(shipped: Snapshot, store: pyoxigraph.Store) -> None:
    assert len(store) == module.counts(shipped)["triples"]


def test_best_rank_view_leaves_former_capitals_out(store: pyoxigraph.Store) -> None:
    assert ask(store, "SELECT ?o { wd:Q17 wdt:P36 ?o }") == {("Q1490",)}
    assert ask(store, "SELECT ?o { wd:Q17 p:P36/ps:P36 ?o }") == {("Q1490",), ("Q34600",)}
    ranks = ask(store, "SELECT ?o ?r { wd:Q17 p:P36 ?st . ?st ps:P36 ?o ; wikibase:rank ?r }")
    assert ranks == {("Q1490", "ontology#PreferredRank"), ("Q34600", "ontology#NormalRank")}
    assert ask(store, "SELECT ?o { wd:Q17 p:P36 ?st . ?st ps:P36 ?o ; a wikibase:BestRank }") == {("Q1490",)}


def test_label_is_english_before_default(store: pyoxigraph.Store) -> None:
    query = """SELECT (COALESCE(?en, ?mul) AS ?label) { VALUES ?e { %s }
        OPTIONAL { ?e rdfs:label ?en FILTER(LANG(?en) = "en") }
        OPTIONAL { ?e rdfs:label ?mul FILTER(LANG(?mul) = "mul") } }"""
    assert ask(store, query % "wd:Q42") == {("Douglas Adams",)}
    assert ask(store, query % "wd:Q90") == {("Paris",)}
    assert ask(store, "SELECT ?l { wd:Q42 rdfs:label ?l FILTER(LANG(?l) = 'en') }") == set()


def test_known_names(store: pyoxigraph.Store) -> None:
    assert ("USA",) in ask(store, "SELECT ?a { wd:Q30 skos:altLabel ?a }")
    assert ask(store, "SELECT ?l { wd:P19 a wikibase:Property ; rdfs:label ?l FILTER(LANG(?l) = 'en') }") == {
        ("place of birth",)
    }
    assert ask(store, "SELECT ?l { wd:Q1490 a wikibase:Item ; rdfs:label ?l FILTER(LANG(?l) = 'ja') }") == {("東京都",)}


def small(facts: list[Fact], text: str = "x") -> Snapshot:
    names = [Entity(qid, {"en": text}, {}) for qid in ("Q1", "Q2", "Q3")]
    return Snapshot([Entity("P19", {"en": "place of birth"}, {})], names, facts, {"P19": "item"})


def one_fact(value: str, datatype: str = "item", start: str = "", end: str = "", rank: str = "normal") -> Snapshot:
    return small([Fact("Q1", "P19", value, start, end, rank)])._replace(datatypes={"P19": datatype})


def terms(snapshot: Snapshot, query: str) -> list[tuple[object, ...]]:
    return [tuple(row) for row in select(load(compile_turtle(snapshot).encode()), query)]


DATE_TIME = pyoxigraph.NamedNode("http://www.w3.org/2001/XMLSchema#dateTime")


@pytest.mark.parametrize(
    ("text", "written", "precision"),
    [
        ("1946-06-14", "1946-06-14", 11),
        ("1946-06", "1946-06-01", 10),
        ("1946", "1946-01-01", 9),
        ("1940s", "1940-01-01", 8),
    ],
)
def test_a_date_as_object_has_a_value_node_with_its_precision(text: str, written: str, precision: int) -> None:
    query = """SELECT ?direct ?o ?v ?precision { wd:Q1 wdt:P19 ?direct ; p:P19 ?st .
        ?st ps:P19 ?o ; psv:P19 [ wikibase:timeValue ?v ; wikibase:timePrecision ?precision ] }"""
    moment = pyoxigraph.Literal(f"{written}T00:00:00Z", datatype=DATE_TIME)
    ((direct, statement, value, found),) = terms(one_fact(text, "time"), query)
    assert direct == statement == value == moment
    assert found == pyoxigraph.Literal(precision)


@pytest.mark.parametrize(("text", "written"), [("5", "+5"), ("0", "+0"), ("-1.5", "-1.5")])
def test_quantities_are_written_as_wikidata_does(text: str, written: str) -> None:
    assert f'ps:P19 "{written}"^^xsd:decimal' in compile_turtle(one_fact(text, "quantity"))


def test_strings_have_no_language() -> None:
    ((value,),) = terms(one_fact('s"l', "string"), "SELECT ?o { wd:Q1 wdt:P19 ?o }")
    assert value == pyoxigraph.Literal('s"l')


def test_an_unknown_object_is_a_blank_node_in_both_views() -> None:
    ((direct, statement),) = terms(one_fact("somevalue"), "SELECT ?d ?o { wd:Q1 wdt:P19 ?d ; p:P19/ps:P19 ?o }")
    assert isinstance(direct, pyoxigraph.BlankNode)
    assert direct == statement


def test_two_unknown_values_are_two_nodes() -> None:
    facts = [Fact("Q1", "P19", "somevalue", start, "", "normal") for start in ("2019", "2020")]
    assert len(ask(load(compile_turtle(small(facts)).encode()), "SELECT ?o { wd:Q1 wdt:P19 ?o }")) == 2


def test_no_value_is_a_class_and_no_triple() -> None:
    store = load(compile_turtle(one_fact("novalue", start="2020")).encode())
    assert len(ask(store, "SELECT ?st { wd:Q1 p:P19 ?st . ?st a wdno:P19, wikibase:BestRank ; pq:P580 ?t }")) == 1
    assert ask(store, "SELECT ?c { wd:Q1 a ?c . FILTER(?c = wdno:P19) }") == {("P19",)}
    assert ask(store, "SELECT ?o { { ?s ps:P19 ?o } UNION { ?s wdt:P19 ?o } }") == set()


def test_qualifiers_without_a_date() -> None:
    store = load(compile_turtle(one_fact("Q2", start="somevalue", end="novalue")).encode())
    (row,) = select(store, "SELECT ?t { ?st pq:P580 ?t ; a wdno:P582 }")
    assert isinstance(row["t"], pyoxigraph.BlankNode)
    assert ask(store, "SELECT ?v { { ?st pqv:P580 ?v } UNION { ?st pqv:P582 ?v } UNION { ?st pq:P582 ?v } }") == set()


def test_repeated_qualifiers_are_kept_in_one_statement() -> None:
    store = load(compile_turtle(one_fact("Q2", start="1994-07-20|2025-03-25")).encode())
    assert len(ask(store, "SELECT ?t { wd:Q1 p:P19 ?st . ?st pq:P580 ?t }")) == 2
    assert ask(store, "SELECT ?v { ?st pqv:P580/wikibase:timeValue ?v }") == {
        ("1994-07-20T00:00:00Z",),
        ("2025-03-25T00:00:00Z",),
    }


def test_deprecated_statements_are_never_best() -> None:
    store = load(compile_turtle(one_fact("Q2", rank="deprecated")).encode())
    assert ask(store, "SELECT ?r { wd:Q1 p:P19/wikibase:rank ?r }") == {("ontology#DeprecatedRank",)}
    assert ask(store, "SELECT ?o { { wd:Q1 wdt:P19 ?o } UNION { ?o a wikibase:BestRank } }") == set()


def test_dates_become_qualifiers_with_their_precision() -> None:
    facts = [
        Fact("Q1", "P19", "Q2", "2020", "2025-03", "normal"),
        Fact("Q1", "P19", "Q3", "2025-03-01", "", "preferred"),
    ]
    store = load(compile_turtle(small(facts)).encode())
    rows = ask(
        store,
        """SELECT ?o ?raw ?value ?precision { wd:Q1 p:P19 ?st . ?st ps:P19 ?o ; pq:P580 ?raw ; pqv:P580 ?v .
        ?v wikibase:timeValue ?value ; wikibase:timePrecision ?precision }""",
    )
    year, day = "2020-01-01T00:00:00Z", "2025-03-01T00:00:00Z"
    assert rows == {("Q2", year, year, "9"), ("Q3", day, day, "11")}
    ends = ask(store, "SELECT ?raw ?p { ?st pq:P582 ?raw ; pqv:P582 ?v . ?v wikibase:timePrecision ?p }")
    assert ends == {("2025-03-01T00:00:00Z", "10")}
    assert ask(store, "SELECT ?o { wd:Q1 wdt:P19 ?o }") == {("Q3",)}


def test_a_statement_keeps_its_id_when_it_ends() -> None:
    before = compile_turtle(small([Fact("Q1", "P19", "Q2", "2020", "", "preferred")]))
    after = compile_turtle(small([Fact("Q1", "P19", "Q2", "2020", "2025", "normal")]))
    assert before != after
    assert re.findall(r"p:P19 (\S+)", before) == re.findall(r"p:P19 (\S+)", after) != []


def test_a_return_to_the_same_object_is_one_direct_triple() -> None:
    facts = [Fact("Q1", "P19", "Q2", start, "", "normal") for start in ("2017", "2025")]
    store = load(compile_turtle(small(facts)).encode())
    assert len(ask(store, "SELECT ?st { wd:Q1 p:P19 ?st }")) == 2
    assert len(store) == module.counts(small(facts))["triples"]


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_label_comes_back(text: str) -> None:
    turtle = f"<urn:s> <urn:p> {literal(text, 'mul')} ."
    (triple,) = pyoxigraph.parse(turtle.encode(), format=pyoxigraph.RdfFormat.TURTLE)
    assert triple.object == pyoxigraph.Literal(text, language="mul")


@pytest.mark.parametrize(
    "text", ['say "hi"', "back\\slash", "two\nlines", "tab\there", "\\u0041", "\x00\x1f\x7f", "日本 😀"]
)
def test_labels_with_special_characters_come_back(text: str) -> None:
    store = load(compile_turtle(small([], text)).encode())
    assert {row["l"].value for row in select(store, "SELECT ?l { ?e a wikibase:Item ; rdfs:label ?l }")} == {text}


# Broken tables


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A whole small folder of tables."""
    tables: dict[str, list[tuple[str, ...]]] = {
        "relations.tsv": [module.RELATION_COLUMNS, ("P19", "place of birth", "出生地", "person", "city")],
        "entities.tsv": [
            module.ENTITY_COLUMNS,
            ("Q1", "", "Ada", "", "", "A|Ada L.", ""),
            ("Q2", "London", "", "ロンドン", "", "", ""),
        ],
        "facts/P19.tsv": [module.FACT_COLUMNS, ("Q1", "Q2", "normal", "1815", "", "Ada", "London")],
    }
    (tmp_path / "facts").mkdir()
    for name, rows in tables.items():
        (tmp_path / name).write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    return tmp_path


def replaced(old: str, new: str) -> Callable[[bytes], bytes]:
    def edit(content: bytes) -> bytes:
        assert old.encode() in content
        return content.replace(old.encode(), new.encode())

    return edit


def appended(line: str) -> Callable[[bytes], bytes]:
    return lambda content: content + line.encode() + b"\n"


FACT = "Q1\tQ2\tnormal\t1815\t\tAda\tLondon"
BROKEN = {
    "item id": ("facts/P19.tsv", replaced("Q1\t", "Q01\t"), 2, "'Q01'"),
    "subject id": ("facts/P19.tsv", replaced("Q1\t", "ada\t"), 2, "'ada'"),
    "property id": ("relations.tsv", replaced("P19", "19"), 2, "'19'"),
    "entity id": ("entities.tsv", replaced("Q2", "Q2x"), 3, "'Q2x'"),
    "unknown entity": ("facts/P19.tsv", replaced("Q2", "Q3"), 2, "Q3"),
    "fact twice": ("facts/P19.tsv", appended(FACT.replace("normal", "preferred")), 3, "P19.tsv:2 again"),
    "missing column": ("facts/P19.tsv", replaced("\tstart", ""), 1, "expected subject"),
    "missing cell": ("facts/P19.tsv", appended("Q1\tQ2\tnormal"), 3, "3 cells"),
    "carriage return": ("facts/P19.tsv", replaced("London\n", "London\r\n"), 2, "London"),
    "blank line": ("entities.tsv", appended(""), 4, "1 cells"),
    "subject's label": ("facts/P19.tsv", replaced("Ada", "Eva"), 2, "'Eva'"),
    "object's label": ("facts/P19.tsv", replaced("London", "Paris"), 2, "'Paris'"),
    "no label": ("entities.tsv", replaced("London\t\tロンドン", "\t\t"), 3, "no label of Q2"),
    "relation without a label": ("relations.tsv", replaced("place of birth\t出生地", "\t"), 2, "no label of P19"),
    "entity twice": ("entities.tsv", appended("Q2\tLondon\t\t\t\t\t"), 4, "Q2 a second time"),
    "relation twice": ("relations.tsv", appended("P19\tbirth place\t\t\t"), 3, "P19 a second time"),
    "empty alias": ("entities.tsv", replaced("A|", "A||"), 2, "aliases"),
    "alias twice": ("entities.tsv", replaced("A|", "A|A|"), 2, "aliases"),
    "rank": ("facts/P19.tsv", replaced("normal", "best"), 2, "'best'"),
    "start that is no date": ("facts/P19.tsv", replaced("1815", "c. 1815"), 2, "'c. 1815'"),
    "day that is not": ("facts/P19.tsv", replaced("1815", "2025-02-30"), 2, "'2025-02-30'"),
    "no decade": ("facts/P19.tsv", replaced("1815\t", "1815s\t"), 2, "start '1815s'"),
    "empty among several": ("facts/P19.tsv", replaced("1815\t", "1815|\t"), 2, "start ''"),
    "month alone": ("facts/P19.tsv", replaced("1815\t", "\t2025-3"), 2, "end '2025-3'"),
    "bytes": ("entities.tsv", lambda content: content + b"\xff", None, "UTF-8"),
    "empty table": ("entities.tsv", lambda content: b"", 1, "the header ''"),
}


def with_datatype(datatype: str) -> Callable[[Path], None]:
    def edit(folder: Path) -> None:
        path = folder / "relations.tsv"
        lines = path.read_text("utf-8").splitlines()
        path.write_text(f"{lines[0]}\tdatatype\n{lines[1]}\t{datatype}\n", encoding="utf-8")

    return edit


@pytest.mark.parametrize(
    ("datatype", "value", "found"),
    [
        ("time", "June 1946", "'June 1946'"),
        ("time", "1946-13", "'1946-13'"),
        ("time", "1945s", "'1945s'"),
        ("quantity", "five", "'five'"),
        ("quantity", "05", "'05'"),
        ("quantity", "+5", "'+5'"),
        ("string", "", "no object"),
        ("text", "x", "datatype 'text'"),
        ("", "x", "datatype ''"),
    ],
)
def test_a_literal_of_another_kind_is_refused(folder: Path, datatype: str, value: str, found: str) -> None:
    with_datatype(datatype)(folder)
    (folder / "facts" / "P19.tsv").write_text("\t".join(module.FACT_COLUMNS) + f"\nQ1\t{value}\tnormal\t\t\tAda\t\n")
    with pytest.raises(InputError) as caught:
        read_snapshot(folder)
    assert found in caught.value.message
    assert caught.value.where is not None
    assert caught.value.where.endswith(":2")


@pytest.mark.parametrize(("datatype", "value"), [("string", "sl"), ("time", "1940s"), ("item", "novalue")])
def test_only_items_have_a_label(folder: Path, datatype: str, value: str) -> None:
    with_datatype(datatype)(folder)
    path = folder / "facts" / "P19.tsv"
    path.write_text("\t".join(module.FACT_COLUMNS) + f"\nQ1\t{value}\tnormal\t\t\tAda\t\n")
    assert [fact.object for fact in read_snapshot(folder).facts] == [value]
    path.write_text("\t".join(module.FACT_COLUMNS) + f"\nQ1\t{value}\tnormal\t\t\tAda\tLondon\n")
    with pytest.raises(InputError, match="expected none"):
        read_snapshot(folder)


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_table_is_refused(folder: Path, case: str) -> None:
    name, edit, line, found = BROKEN[case]
    path = folder / name
    path.write_bytes(edit(path.read_bytes()))
    with pytest.raises(InputError) as caught:
        read_snapshot(folder)
    assert caught.value.where == (f"{path}:{line}" if line else str(path))
    assert found in caught.value.message
    assert "expected" in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize("name", ["relations.tsv", "entities.tsv", "facts/P19.tsv"])
def test_a_missing_table_is_refused(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(InputError, match="no such file") as caught:
        read_snapshot(folder)
    assert caught.value.where == str(folder / name)


def test_facts_of_an_unknown_relation_are_refused(folder: Path) -> None:
    (folder / "facts" / "P20.tsv").write_text("\t".join(module.FACT_COLUMNS) + "\n")
    with pytest.raises(InputError, match="facts of P20"):
        read_snapshot(folder)


# The command


def test_command_writes_once_and_checks(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = folder / module.TURTLE
    assert main(["--dir", str(folder), "--check"]) == 2
    assert "make data" in capsys.readouterr().err
    assert not target.exists()
    assert main(["--dir", str(folder)]) == 0
    assert capsys.readouterr().out.startswith(
        f"{folder.name}: 1 relations, 1 facts, 1 subjects, 2 entities, 2 aliases, "
    )
    written = target.stat()
    assert main(["--dir", str(folder)]) == 0
    assert target.stat().st_mtime_ns == written.st_mtime_ns, "the same bytes were written again"
    assert main(["--dir", str(folder), "--check"]) == 0
    assert sorted(path.name for path in folder.iterdir()) == ["entities.tsv", "facts", "relations.tsv", "snapshot.ttl"]


def test_command_checks_all_that_is_shipped(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--check"]) == 0
    assert [line.split(":")[0] for line in capsys.readouterr().out.splitlines()] == ["wikidata", "tempripple"]


def test_row_order_does_not_matter(folder: Path) -> None:
    first = compile_turtle(read_snapshot(folder))
    path = folder / "entities.tsv"
    head, *rows = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join([head, *reversed(rows)]), encoding="utf-8")
    assert compile_turtle(read_snapshot(folder)) == first


def test_command_tells_the_error_without_a_traceback(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "entities.tsv").unlink()
    assert main(["--dir", str(folder)]) == 2
    assert capsys.readouterr().err.startswith(f"{folder / 'entities.tsv'}: found no such file")
