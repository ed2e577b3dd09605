"""People's answers as ranked lists, from a response file and from the annotation room."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa

from tashika.core.annotators import Annotators
from tashika.core.records import RESPONSE
from tashika.core.suites.semrel.responses import read_response_file
from tashika.evaluate.semrel.answers import NOBODY, AskedProbe
from tashika.evaluate.semrel.people import people_of_file, people_of_table

PROMPT = "[DET] [W] is a kind of [V]"
KEY = ("niece", "hypernymy", PROMPT)
# "relative" is given by three people, "kin" and "girl" by two, "aunt" by one: repeated words of one person count once.
TYPED = [["Relatives", "kin", "a relative"], ["a relative", "girl"], ["the kin", "girl"], ["relative.", "aunt"]]
READ = [["relative", "kin", "relative"], ["relative", "girl"], ["kin", "girl"], ["relative", "aunt"]]
RANKED = ["relative", "kin", "girl", "aunt"]  # "kin" was mentioned before "girl"
VOTES = [3, 2, 2, 1]


def _response(item_id: str, annotator: str, place: int, answer: str, simulated: bool = False) -> dict[str, Any]:
    shared = {"item_id": item_id, "target": "niece", "relation": "hypernymy", "prompt": PROMPT, "raw": answer}
    return {**shared, "annotator": annotator, "place": place, "answer": answer, "simulated": simulated}


def _table(rows: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=RESPONSE)


def _responses() -> list[dict[str, Any]]:
    return [
        _response("p1", f"person {person}", place, answer)
        for person, answers in enumerate(READ)
        for place, answer in enumerate(answers, start=1)
    ]


def test_the_file_and_the_room_give_the_same_list(tmp_path: Path) -> None:
    file = tmp_path / "responses.json"
    file.write_text(json.dumps({"niece": {"hyp": {PROMPT: TYPED}}}))
    lemmas = {"relatives": "relative"}
    published = people_of_file(read_response_file(file), lambda word: lemmas.get(word, word), {KEY: "p1"})  # type: ignore[dict-item]
    pulled = people_of_table(_table(_responses()), ["p1"])
    assert published.lists == pulled.lists == {"p1": RANKED}
    assert published.answers == pulled.answers == 9
    assert (published.annotators, pulled.annotators) == (None, Annotators(4, 4))
    assert published.digest == pulled.digest


def test_probes_of_the_file_that_are_not_asked_are_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "responses.json"
    file.write_text(json.dumps({"niece": {"hyp": {PROMPT: TYPED}}}))
    assert people_of_file(read_response_file(file), str, {}).lists == {}


def test_answers_elsewhere_and_empty_ones_are_counted() -> None:
    rows = [*_responses(), _response("control", "person 1", 1, "x"), _response("p1", "person 1", 4, "")]
    people = people_of_table(_table(rows), ["p1", "p2"])
    assert people.lists == {"p1": RANKED}
    assert people.dropped == {
        "answers to control questions and to probes that are not here": 1,
        "answers that are empty": 1,
    }


def test_people_are_a_system_with_a_row_for_every_probe() -> None:
    people = people_of_table(_table(_responses()), ["p1"])
    first, second = people.table([AskedProbe("p1", *KEY, "x"), AskedProbe("p2", *KEY, "x")]).to_pylist()
    assert (first["words"], first["votes"], first["k"], first["problem"]) == (RANKED, VOTES, 4, None)
    assert (second["words"], second["votes"], second["k"], second["problem"]) == (None, None, 0, NOBODY)


def test_who_answered_first_decides_ties_and_models_are_not_asked_again_for_it() -> None:
    """Persons in the other order: "aunt" comes first, yet what a model is asked depends on the words alone."""
    rows = [{**row, "turn": 9 - int(row["annotator"].removeprefix("person "))} for row in _responses()]
    before, after = people_of_table(_table(_responses()), ["p1"]), people_of_table(_table(rows), ["p1"])
    assert after.lists == {"p1": ["relative", "kin", "girl", "aunt"]}
    reversed_places = [{**row, "place": 9 - row["place"]} for row in rows]
    other = people_of_table(_table(reversed_places), ["p1"])
    assert other.lists == {"p1": ["relative", "girl", "kin", "aunt"]}
    assert before.digest == after.digest == other.digest
    assert other.votes_digest != after.votes_digest


def test_responses_of_an_older_version_lack_the_turns() -> None:
    people = people_of_table(_table(_responses()).drop_columns("turn"), ["p1"])
    assert people.lists == {"p1": RANKED}


def test_programs_are_counted_apart() -> None:
    assert not people_of_table(_table(_responses()), ["p1"]).simulated
    rows = [*_responses(), _response("p1", "program", 1, "kin", simulated=True)]
    found = people_of_table(_table(rows), ["p1"])
    assert found.simulated
    assert found.annotators == Annotators(5, 4)
