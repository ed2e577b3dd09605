"""The published response file, and how answers are read and ranked."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.core.answers import answers_by_person, people_with, read_answer, sound_answers, split_answers
from tashika.core.errors import InputError
from tashika.core.suites.semrel.responses import PublishedResponse, describe_dropped, read_response_file

KIND, PART = "[DET] [W] is a kind of [V]", "[DET] [W] has [DET] [V]"


def written(path: Path, content: Any) -> Path:
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def lemma(word: str) -> str:
    return {"dogs": "dog", "children": "child", "members": "member"}.get(word, word)


def test_a_file_is_read_in_its_order(tmp_path: Path) -> None:
    content = {
        "dog": {"hyp": {KIND: [["Animal", "pet"], ["animal"], ["mammal"], ["pet", "animal"]]}},
        "hand": {"mero": {PART: [["finger"]]}, "rhyp": {"[V]": [["x"]], "a kind of [W] is [DET] [V]": [["fist"]]}},
    }
    found = read_response_file(written(tmp_path / "responses.json", content))
    assert found.responses[0] == PublishedResponse("dog", "hypernymy", KIND, 1, ("Animal", "pet"))
    assert [response.person for response in found.responses] == [1, 2, 3, 4, 1, 1]
    assert list(found.by_probe()) == [
        ("dog", "hypernymy", KIND),
        ("hand", "meronymy", PART),
        ("hand", "hyponymy", "a kind of [W] is [DET] [V]"),
    ]
    assert found.by_probe()["dog", "hypernymy", KIND][3] == ("pet", "animal")
    assert found.dropped == {"probes without [W] once and [V] at the end (or, as of old, {0} and {1})": 1}


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("the {0} is a kind of {1}", "[DET] [W] is a kind of [V]"),
        ("the {0} is the {1}", "[DET] [W] is [DET] [V]"),
        ("my favorite {0} is the {1}", "my favorite [W] is [DET] [V]"),
        ("the word {0} has a vaguer sense than the word {1}", "the word [W] has a vaguer sense than the word [V]"),
        ("it is not likely to be both the {0} and the {1}", "it is not likely to be both [DET] [W] and [DET] [V]"),
        ("if you bathe {0} it is {1}", "if you bathe [W] it is [V]"),
        ("the [W] is the [V]", "the [W] is the [V]"),
    ],
)
def test_the_older_version_of_the_file_has_the_same_probes(tmp_path: Path, older: str, newer: str) -> None:
    found = read_response_file(written(tmp_path / "r.json", {"dog": {"hyp": {older: [["animal"], ["pet"]]}}}))
    assert found.by_probe() == {("dog", "hypernymy", newer): [("animal",), ("pet",)]}
    assert found.dropped == {}


GOOD = [["animal"]]


@pytest.mark.parametrize(
    ("relations", "dropped"),
    [
        ({"hyp": {KIND: GOOD}, "cohyp": {KIND: GOOD, PART: GOOD}}, {"probes of the unknown relation 'cohyp'": 2}),
        ({"hyp": {KIND: [["animal", "", " "]]}}, {"answers that are empty": 2}),
        ({"hyp": {KIND: [["animal", "word " * 500]]}}, {"answers of more than 10 words or 200 characters": 1}),
        ({"hyp": {KIND: [["animal", "w" * 201]]}}, {"answers of more than 10 words or 200 characters": 1}),
        ({"hyp": {KIND: [["animal"], ["word"] * 500]}}, {"people with more than 20 answers to a probe": 1}),
        ({"hyp": {KIND: [["animal"], ["word, " * 500]]}}, {"people with more than 20 answers to a probe": 1}),
        ({"hyp": {KIND: [["animal", 3, None, ["pet"]]]}}, {"answers that are no text": 3}),
        ({"hyp": {KIND: [["animal", "?!"]]}}, {"answers without a letter": 1}),
        ({"hyp": {KIND: [["animal"], []]}}, {"people without an answer": 1}),
        ({"hyp": {KIND: [["animal"], "pet"]}}, {"people whose answers are no list": 1}),
        ({"hyp": {KIND: GOOD, PART: {}}}, {"probes without a list of people": 1}),
        ({"hyp": {KIND: GOOD}, "ant": []}, {"relations of a target that are no object of prompts": 1}),
    ],
)
def test_what_is_no_answer_is_dropped_and_counted(
    tmp_path: Path, relations: dict[str, Any], dropped: dict[str, int]
) -> None:
    found = read_response_file(written(tmp_path / "r.json", {"dog": relations, " ": {}, "cat": 3}))
    assert [response.answers for response in found.responses] == [("animal",)]
    assert found.dropped == dropped | {"targets that are blank or have no object of relations": 2}
    for what in dropped:
        assert what in describe_dropped(found.dropped)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ([], "found a JSON list, expected an object"),
        (3, "found a JSON int"),
        ({}, "it has no answers"),
        ({"name": "tashika", "version": "1"}, "2 targets that are blank or have no object of relations"),
        ({"dog": {"cohyp": {KIND: GOOD}}}, "1 probes of the unknown relation 'cohyp'"),
        ({"dog": {"hyp": {KIND: [[""], [" "]]}}}, "2 answers that are empty"),
    ],
)
def test_a_file_that_is_none_or_of_which_nothing_is_left_is_refused(tmp_path: Path, content: Any, words: str) -> None:
    with pytest.raises(InputError, match=words) as error:
        read_response_file(written(tmp_path / "r.json", content))
    assert "target -> relation" in str(error.value)


def test_a_missing_file_and_one_that_is_not_json_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_response_file(tmp_path / "none.json")
    (tmp_path / "r.json").write_text("{")
    with pytest.raises(InputError, match="not valid JSON"):
        read_response_file(tmp_path / "r.json")


@pytest.mark.parametrize(
    ("raw", "answer"),
    [
        ("Dogs", "dog"),
        (" the Children. ", "child"),
        ('"A dog"', "dog"),
        ('a "dog"', "dog"),
        ("ＤＯＧＳ", "dog"),  # full width
        ("family  members", "family member"),
        ("dogs house", "dogs house"),  # only the head
        ("another", "another"),
        ("an", "an"),
        ("half-brother", "half-brother"),
        ("24", "24"),
        ("...", ""),
        ("", ""),
    ],
)
def test_an_answer_is_read_by_the_rule(raw: str, answer: str) -> None:
    assert read_answer(raw, lemma) == answer


@given(st.text(max_size=30))
def test_what_is_read_has_no_ends_to_strip(raw: str) -> None:
    answer = read_answer(raw, lambda word: word)
    assert answer == " ".join(answer.split())
    assert not answer or (answer[0].isalnum() and answer[-1].isalnum())
    assert bool(answer) or not any(character.isalnum() for character in raw)


def test_lines_commas_and_semicolons_part_answers() -> None:
    assert split_answers("big dog\n\ncat, cow ; fox、hen\r\n") == ["big dog", "cat", "cow", "fox", "hen"]
    assert split_answers(" \n,;") == []
    dropped: Counter[str] = Counter()
    assert sound_answers(["dog", "--", "a " * 11], dropped) == ["dog"]
    assert sound_answers(["dog"] * 20, dropped) == ["dog"] * 20
    assert sound_answers(["dog"] * 21, dropped) == []
    assert set(dropped.values()) == {1}


def test_answers_are_ranked_by_people_and_then_by_who_mentioned_them_first() -> None:
    people = [["pet", "animal", "pet", "pet"], ["animal"], ["mammal", ""], ["cat", "mammal"]]
    assert people_with(people) == {"animal": 2, "mammal": 2, "pet": 1, "cat": 1}
    assert list(people_with(people)) == ["animal", "mammal", "pet", "cat"]
    assert people_with([]) == {}


def test_the_order_of_ties_is_that_of_the_papers_table_2() -> None:
    """Two people each gave "kin" and "family"; the table has "relative, kin", which the alphabet has not."""
    people = [["relation"], ["child", "relative", "kin", "family"], ["relative"], ["relative", "kin", "family"]]
    assert list(people_with(people))[:3] == ["relative", "kin", "family"]


@given(st.lists(st.lists(st.sampled_from("abcd"), max_size=4), max_size=5), st.randoms())
def test_the_order_of_people_decides_ties_alone(people: list[list[str]], random: Any) -> None:
    shuffled = [random.sample(answers, len(answers)) for answers in random.sample(people, len(people))]
    assert people_with(shuffled) == people_with(people)  # mappings are equal in any order
    counts = list(people_with(people).values())
    assert counts == sorted(counts, reverse=True)


def test_rows_come_back_as_persons_in_the_order_of_their_turns() -> None:
    rows: list[dict[str, Any]] = [
        {"annotator": "a", "place": 2, "answer": "pet", "turn": 2},
        {"annotator": "a", "place": 1, "answer": "animal", "turn": 2},
        {"annotator": "b", "place": 1, "answer": "cat", "turn": 1},
    ]
    assert list(answers_by_person(rows).items()) == [("b", ["cat"]), ("a", ["animal", "pet"])]
    for row in rows:  # as older files have it
        row["turn"] = None
    assert list(answers_by_person(rows).items()) == [("a", ["animal", "pet"]), ("b", ["cat"])]
