"""How releases of semantic relations break, one check at a time."""

from __future__ import annotations

from tashika.exports.semrel import checks
from tests.exports.drafts import Draft, ReleaseToys, broken
from tests.exports.semrel import samples


def other_id(digit: str) -> str:
    return digit * 32


def a_probe_twice(draft: Draft) -> None:
    row = draft.row("probes", relation="antonymy")
    draft.rows("probes").append({**row, "item_id": other_id("a"), "questionnaire": 9})


def a_text_that_goes_on(draft: Draft) -> None:
    draft.rows("probes")[0]["text"] += " thing"


def a_text_without_its_target(draft: Draft) -> None:
    draft.row("probes", target="car")["text"] = "a boat is a kind of any"


def a_text_with_a_wrong_article(draft: Draft) -> None:
    draft.row("probes", target="car", prompt=samples.PROMPTS["hypernymy"][0])["text"] = "an car is a kind of any"


def a_blank_inside(draft: Draft) -> None:
    row = draft.row("probes", target="car", relation="hypernymy")
    row.update(prompt="a [V] is what [DET] [W] is", text="a [V] is what a car is")


def a_control(draft: Draft) -> None:
    draft.row("relata", word="kin")["relation"] = "control"


def one_questionnaire(draft: Draft) -> None:
    for row in draft.rows("probes"):
        row["questionnaire"] = 1


def no_relatum(draft: Draft) -> None:
    draft.keep("relata", lambda row: row["word"] != "nephew")


def a_stray_relatum(draft: Draft) -> None:
    draft.rows("relata").append({**draft.rows("relata")[0], "item_id": other_id("d"), "target": "boat"})


def a_relatum_twice(draft: Draft) -> None:
    draft.rows("relata").append({**draft.rows("relata")[0], "item_id": other_id("d")})


def a_relatum_that_is_its_target(draft: Draft) -> None:
    draft.row("relata", word="kin")["word"] = "Niece"


def an_answer_to_nothing(draft: Draft) -> None:
    row = draft.row("probes", target="car", relation="meronymy")
    row["item_id"] = other_id("e")


def an_answer_to_another_prompt(draft: Draft) -> None:
    draft.rows("responses")[0]["prompt"] = "another [W] [V]"


def answers_in_two_rows(draft: Draft) -> None:
    draft.rows("answers").append(dict(draft.rows("answers")[0]))


def two_words_at_one_place(draft: Draft) -> None:
    draft.rows("responses").append(dict(draft.rows("responses")[0]))


def counts_in_another_order(draft: Draft) -> None:
    draft.rows("answers")[0]["counts"] = [2, 2, 3]


def more_counts_than_people(draft: Draft) -> None:
    draft.rows("answers")[0]["counts"] = [5, 2, 2]


def counts_of_some(draft: Draft) -> None:
    draft.rows("answers")[0]["counts"] = [3, 2]


def a_missing_response(draft: Draft) -> None:
    draft.keep("responses", lambda row: row["answer"] != "engine")


def an_answer_that_nobody_gave(draft: Draft) -> None:
    row = draft.row("answers", relation="meronymy")
    row["answers"], row["counts"] = [*row["answers"], "zip"], [*row["counts"], 1]


def no_answers_of_responses(draft: Draft) -> None:
    draft.rows("answers").clear()


def an_address(draft: Draft) -> None:
    for row in draft.rows("responses"):
        row["annotator"] += "@example.org"


def simulated_in_secret(draft: Draft) -> None:
    draft.rows("responses")[0]["simulated"] = True


def a_word_twice(draft: Draft) -> None:
    draft.rows("vocabulary").append({"item_id": other_id("f"), "word": "car"})


BREAKS = [
    *broken(checks.probes_differ, a_probe_twice),
    *broken(
        checks.probes_end_at_the_blank,
        a_text_that_goes_on,
        a_text_without_its_target,
        a_text_with_a_wrong_article,
        a_blank_inside,
    ),
    *broken(checks.questionnaires_ask_once, one_questionnaire),
    *broken(checks.probes_have_relata, no_relatum),
    *broken(checks.relata_have_probes, a_stray_relatum),
    *broken(checks.relata_differ, a_relatum_twice),
    *broken(checks.relata_are_other_words, a_relatum_that_is_its_target),
    *broken(checks.answers_have_probes, an_answer_to_nothing, an_answer_to_another_prompt),
    *broken(checks.probes_are_answered_once, answers_in_two_rows, two_words_at_one_place),
    *broken(checks.answers_are_ranked, counts_in_another_order, more_counts_than_people, counts_of_some),
    *broken(
        checks.answers_are_those_of_people, a_missing_response, an_answer_that_nobody_gave, no_answers_of_responses
    ),
    *broken(checks.people_are_pseudonyms, an_address),
    *broken(checks.simulated_answers_are_told, simulated_in_secret),
    *broken(checks.vocabulary_differs, a_word_twice),
    *broken(checks.no_control_is_released, a_control),
]
RELEASE = ReleaseToys("semrel", samples.fill, samples.write_config, BREAKS)
