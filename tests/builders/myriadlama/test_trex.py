from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tashika.builders.myriadlama.facts import Fact
from tashika.builders.myriadlama.trex import widened_by_trex
from tashika.core.errors import InputError

LENNON = Fact("P1303", "Q1203", "Q6607", "John Lennon", "guitar")
WD = "http://www.wikidata.org/entity/"


def triple(value: str, annotator: str, relation: str = "P1303", subject: str = "Q1203", name: str | None = "x") -> Any:
    return {
        "predicate": {"uri": f"http://www.wikidata.org/prop/direct/{relation}", "surfaceform": None},
        "subject": {"uri": WD + subject, "surfaceform": "Lennon"},
        "object": {"uri": value if ":" in value else WD + value, "surfaceform": name},
        "annotator": annotator,
    }


def trex(tmp_path: Path, triples: list[Any]) -> Path:
    path = tmp_path / "re-nlg_0-10000.json"
    path.write_text(json.dumps([{"docid": WD + "Q1", "triples": triples[:1]}, {"docid": "x", "triples": triples[1:]}]))
    return path


def test_objects_of_known_pairs_are_added_whatever_the_annotator(tmp_path: Path) -> None:
    path = trex(
        tmp_path,
        [
            triple("Q5994", "Simple-Aligner", name="piano"),
            triple("Q5994", "NoSubject-Triple-aligner", name="the piano"),  # the first one is the origin
            triple("Q6607", "SPOAligner"),  # there already
            triple("Q46185", "SPOAligner", name="harmonica"),
            triple("Q17172850", "SPOAligner", subject="Q42"),  # of no pair of ours
            triple("1940-10-09T00:00:00Z^^http://www.w3.org/2001/XMLSchema#dateTime", "SPOAligner"),  # a literal
        ],
    )
    assert widened_by_trex([LENNON], [path]) == [
        Fact("P1303", "Q1203", "Q5994", "John Lennon", "piano", "trex:AllEnt"),
        LENNON,
        Fact("P1303", "Q1203", "Q46185", "John Lennon", "harmonica", "trex:SPO"),
    ]


def test_annotators_can_be_chosen(tmp_path: Path) -> None:
    path = trex(tmp_path, [triple("Q5994", "Simple-Aligner"), triple("Q46185", "NoSubject-Triple-aligner")])
    added = widened_by_trex([LENNON], [path], ["NoSub"])
    assert [fact.object for fact in added] == ["Q6607", "Q46185"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not whole JSON"),
        ("[" * 100_000, "not whole JSON: nested more than 200 levels deep"),
        ("[]", "no documents in it"),
        ('[{"docid": "x"}]', r"document 1: a document has no list `triples`"),
        ('[{"docid": "x", "triples": []}, {"docid"', r"after document 1: not whole JSON"),
        ('[{"docid": "x", "triples": [{"annotator": "SPOAligner"}]}]', "a triple lacks 'predicate'"),
    ],
)
def test_a_broken_file_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "broken.json"
    path.write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        widened_by_trex([LENNON], [path])
    assert str(path) in str(caught.value)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        widened_by_trex([LENNON], [tmp_path / "none.json"])


@pytest.mark.parametrize("name", [5, True, ["x"], {"a": 1}])
def test_a_name_that_is_no_text_is_refused(tmp_path: Path, name: Any) -> None:
    path = trex(tmp_path, [triple("Q5994", "SPOAligner", name=name)])
    with pytest.raises(InputError, match=r"found the surfaceform .*, expected a text"):
        widened_by_trex([LENNON], [path])
