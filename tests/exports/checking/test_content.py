"""Each check of a release's content finds what it is there for, and no other check does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tashika.core.release_checks import ChecksForm
from tashika.exports.checking.run import CONTENT, ContentCheck, name_of
from tashika.exports.checking.shape import Choice, Shape
from tashika.exports.checks import message_of
from tests.exports.checking.toys import SHAPE, Damage, Toy, found, question


@pytest.fixture
def toy(tmp_path: Path) -> Toy:
    return Toy(tmp_path)


def a_released_item_without_a_verdict(toy: Toy) -> str:
    toy.verdicts = {row["item_id"]: 2 for row in toy.all()[1:]}
    return str(toy.all()[0]["item_id"])


def an_item_with_one_vote(toy: Toy) -> str:
    toy.verdicts = {row["item_id"]: 2 for row in toy.all()}
    toy.verdicts[toy.all()[3]["item_id"]] = 1
    return str(toy.all()[3]["item_id"])


def a_topic_in_two_parts(toy: Toy) -> str:
    row = toy.rows["validation"][2]
    row["topic"] = toy.rows["test"][0]["topic"]
    return _id_of(row)  # the part `test` is read first


def _id_of(row: dict[str, object]) -> str:
    return str(row["item_id"])


def a_question_in_two_parts(toy: Toy) -> str:
    first = toy.rows["validation"][0]
    toy.rows["test"].append({**first, "item_id": "a" * 32, "text": f"{first['text']} ", "topic": "test 9"})
    toy.shape = replace(SHAPE, contexts=())
    return _id_of(first)


def a_context_in_two_parts(toy: Toy) -> str:
    first = toy.rows["validation"][0]
    options = ("Seine", "Tiber", "Thames", "Spree")
    toy.rows["test"].append({**question(first["text"].upper(), options, "Seine", "test 9"), "item_id": "b" * 32})
    return _id_of(first)


def nearly_the_same_in_two_parts(toy: Toy) -> str:
    first = toy.rows["validation"][0]
    row = {**first, "item_id": "c" * 32, "text": "Which river runs through Viena?", "topic": "test 9"}
    toy.rows["test"].append(row)
    return _id_of(first)


def nearly_the_same_in_a_part(toy: Toy) -> str:
    first = toy.rows["test"][0]
    toy.rows["test"].append({**first, "item_id": "d" * 32, "text": first["text"].replace("the ", "")})
    return "d" * 32


def the_answer_in_the_question(toy: Toy) -> str:
    row = toy.rows["test"][4]
    row["text"] += f" Was it {row['answer']}?"
    return _id_of(row)


def every_answer_in_the_first_place(toy: Toy) -> None:
    for row in toy.all():
        options = [option for option in row["options"] if option != row["answer"]]
        row["options"] = [row["answer"], *options]


def one_topic_of_nearly_all(toy: Toy) -> None:
    toy.shape = replace(SHAPE, label="topic", groups=())
    for row in toy.all()[1:]:
        row["topic"] = "all"


def an_empty_option(toy: Toy) -> str:
    row = toy.rows["test"][7]
    wrong = next(place for place, option in enumerate(row["options"]) if option != row["answer"])
    row["options"][wrong] = "\u3000"
    return _id_of(row)


def an_overlong_question(toy: Toy) -> str:
    row = toy.rows["test"][7]
    row["text"] = " ".join(f"{row['text']} ({number})" for number in range(40))
    return _id_of(row)


def a_question_in_japanese(toy: Toy) -> str:
    row = toy.rows["test"][8]
    row["text"] = "ウィーンを流れる川はどれですか。"
    return _id_of(row)


def a_space_without_width(toy: Toy) -> str:
    row = toy.rows["test"][8]
    row["text"] = row["text"].replace(" ", " \u200b", 1)
    return _id_of(row)


def an_address_of_mail(toy: Toy) -> str:
    row = toy.rows["test"][8]
    row["text"] += " Write to hanako.yamada@mail.kyoto-school.ac.jp."
    return _id_of(row)


def a_source_that_limits_the_licence(toy: Toy) -> None:
    toy.licences = {"questions.csv": "CC BY-SA 4.0, by others"}


def a_source_that_asks_for_its_name(toy: Toy) -> None:
    toy.licences = {"questions.csv": "CC BY 4.0"}


def a_source_without_a_licence(toy: Toy) -> None:
    toy.licences = {}


BREAKS: dict[str, Damage] = {
    "items_have_a_verdict": a_released_item_without_a_verdict,
    "items_have_enough_votes": an_item_with_one_vote,
    "groups_are_in_one_split": a_topic_in_two_parts,
    "items_are_in_one_split": a_question_in_two_parts,
    "contexts_are_in_one_split": a_context_in_two_parts,
    "no_near_duplicates_across_splits": nearly_the_same_in_two_parts,
    "no_near_duplicates": nearly_the_same_in_a_part,
    "questions_hide_their_answers": the_answer_in_the_question,
    "baselines_are_at_chance": every_answer_in_the_first_place,
    "labels_are_balanced": one_topic_of_nearly_all,
    "texts_are_not_empty": an_empty_option,
    "texts_are_not_overlong": an_overlong_question,
    "texts_are_in_the_language": a_question_in_japanese,
    "characters_print": a_space_without_width,
    "no_personal_data": an_address_of_mail,
    "licences_allow_the_release": a_source_that_limits_the_licence,
    "notices_are_kept": a_source_that_asks_for_its_name,
    "licences_are_known": a_source_without_a_licence,
}


def test_a_sound_release_passes_all(toy: Toy) -> None:
    assert found(toy) == {}


@pytest.mark.parametrize("check", CONTENT, ids=name_of)
def test_a_break_is_found_by_its_own_check_alone(check: ContentCheck, toy: Toy) -> None:
    item = BREAKS[name_of(check)](toy)
    results = found(toy)
    assert list(results) == [name_of(check)]
    [problem, *_] = results[name_of(check)].problems
    assert problem.item == item
    severity = getattr(ChecksForm(), name_of(check))
    assert results[name_of(check)].outcome == {"warn": "warning", "error": "error"}[severity]


def test_terms_of_ones_own_are_left_to_a_person(toy: Toy) -> None:
    a_source_that_limits_the_licence(toy)
    toy.settings = {"license": "other"}
    results = found(toy)
    assert list(results) == ["licences_are_known"]
    assert "under 'other'" in results["licences_are_known"].problems[0].found
    assert "'questions.csv'" in results["licences_are_known"].problems[0].found


def test_every_check_has_a_message_and_a_severity() -> None:
    assert all(message_of(check).endswith(".") for check in CONTENT)
    names = {name for name, value in ChecksForm().model_dump().items() if value in {"error", "warn", "off"}}
    assert {name_of(check) for check in CONTENT} == names == set(BREAKS)


def test_the_settings_say_how_severe_a_check_is(toy: Toy) -> None:
    a_source_without_a_licence(toy)
    toy.settings = {"checks": {"licences_are_known": "error"}}
    assert found(toy)["licences_are_known"].outcome == "error"
    toy.settings = {"checks": {"licences_are_known": "off"}}
    assert found(toy) == {}


def test_a_result_never_quotes_personal_data(toy: Toy) -> None:
    an_address_of_mail(toy)
    assert "yamada" not in found(toy)["no_personal_data"].problems[0].found


def test_a_rule_that_is_right_at_every_place_is_named_with_its_share(toy: Toy) -> None:
    every_answer_in_the_first_place(toy)
    [problem] = found(toy)["baselines_are_at_chance"].problems
    # 9 rules are tried: 4 places, long, short, much and little in common, often an answer.
    p = 9 * 0.25**24
    assert problem.found == (
        f"option 1 right in 100.0% of 24 questions, where drawing is in 25.0% (p = {p:.2g}, corrected for 9 rules)"
    )


def test_a_label_that_nothing_has_is_found(toy: Toy) -> None:
    toy.shape = Shape(texts=("text",), choice=Choice(("text",), ("options",), "answer"), label="topic")
    assert found(toy) == {}  # a column of texts names no labels beyond those that items have


def test_all_problems_are_counted_and_the_first_are_kept(toy: Toy) -> None:
    for row in toy.all()[:8]:
        row["text"] += "\u0007"
    result = found(toy)["characters_print"]
    assert (result.count, len(result.problems)) == (8, 5)
    assert "U+0007" in result.problems[0].found
