from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tashika.builders.myriadlama.facts import Fact, named_by_wikidata, read_lama, read_wikidata, widened_by_wikidata
from tashika.builders.sources.sparql import SparqlEndpoint
from tashika.core.errors import InputError

LINE = {"sub_uri": "Q1339", "obj_uri": "Q7070", "sub_label": "Johann Sebastian Bach", "obj_label": "Eisenach"}


def lama(folder: Path, lines: list[Any], relation: str = "P19") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "relations.jsonl").write_text('{"relation": "P19"}\n{"relation": "P20"}\n{"relation": "date_of_birth"}\n')
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    (folder / f"{relation}.jsonl").write_text(text)
    return folder


def test_lama_is_read_in_its_published_form(tmp_path: Path) -> None:
    other = {**LINE, "sub_uri": "Q254", "sub_label": "Mozart", "obj_uri": "Q34713", "obj_label": "Salzburg"}
    facts = read_lama(lama(tmp_path, [LINE, other, LINE]))
    assert facts == [
        Fact("P19", "Q254", "Q34713", "Mozart", "Salzburg"),
        Fact("P19", "Q1339", "Q7070", "Johann Sebastian Bach", "Eisenach"),
    ]


def test_relations_may_lie_beside_the_folder_as_in_lamas_archive(tmp_path: Path) -> None:
    folder = lama(tmp_path / "TREx", [LINE])
    (folder / "relations.jsonl").rename(tmp_path / "relations.jsonl")
    assert len(read_lama(folder)) == 1


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([LINE, "{broken"], r"P19\.jsonl:2: not valid JSON"),
        ([LINE, '{"a": ' + "[" * 100_000], r"P19\.jsonl:2: not valid JSON: nested too deeply"),
        ([{**LINE, "sub_label": "Ad\ud800a"}], r"P19\.jsonl:1: not valid JSON: half a character"),
        ([LINE, '["a list"]'], r"P19\.jsonl:2: found a JSON list"),
        ([{**LINE, "obj_uri": "P7070"}], r"P19\.jsonl:1: found 'P7070', expected an item id"),
        (
            [{name: LINE[name] for name in LINE if name != "obj_label"}],
            r"P19\.jsonl:1: the field 'obj_label' is missing",
        ),
        ([{**LINE, "sub_label": " "}], "a label is empty"),
        ([{**LINE, "sub_label": None}], "a label is empty or no text: None"),
        ([{**LINE, "sub_uri": None}], "found nothing, expected an item id"),
        ([{**LINE, "sub_uri": 1339}], "found 1339, expected an item id"),
        ([{**LINE, "predicate_id": "P20"}], "found a fact of P20, expected P19"),
        ([], "the file is empty"),
        (["", ""], "the file is empty"),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, lines: list[Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_lama(lama(tmp_path, lines))


def test_unknown_relations_are_refused(tmp_path: Path) -> None:
    folder = lama(tmp_path, [LINE])
    with pytest.raises(InputError, match=r"relations\.jsonl does not name P47"):
        read_lama(folder, ["P47"])
    (folder / "P47.jsonl").write_text(json.dumps(LINE))
    with pytest.raises(InputError, match=r"P47\.jsonl is of a relation that relations\.jsonl does not name"):
        read_lama(folder)


def test_a_folder_without_anything(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"relations\.jsonl: there is no such file"):
        read_lama(tmp_path)


def test_wikidata_gives_facts_between_named_entities(endpoint: SparqlEndpoint) -> None:
    assert read_wikidata(endpoint, ["P36"], ("en", "mul")) == [
        Fact("P36", "Q142", "Q90", "France", "Paris"),
        Fact("P36", "Q183", "Q64", "Germany", "Berlin"),
    ]


def test_a_wideners_object_gets_wikidatas_name_or_goes(endpoint: SparqlEndpoint) -> None:
    kept = Fact("P36", "Q183", "Q64", "Deutschland", "Berlin")
    facts = [
        kept,
        Fact("P36", "Q183", "Q586", "Deutschland", "his", origin="trex:SPO"),
        Fact("P36", "Q183", "Q99999", "Deutschland", "Q99999", origin="trex:SPO"),
    ]
    assert named_by_wikidata(facts, endpoint, ("en", "mul")) == [kept, replace(facts[1], object_label="Bonn")]


def test_widening_adds_the_former_capital(endpoint: SparqlEndpoint) -> None:
    facts = [Fact("P36", "Q183", "Q64", "Deutschland", "Berlin")]
    assert widened_by_wikidata(facts, endpoint, ("en", "mul")) == [
        Fact("P36", "Q183", "Q64", "Deutschland", "Berlin"),
        Fact("P36", "Q183", "Q586", "Deutschland", "Bonn", origin="wikidata"),
    ]
