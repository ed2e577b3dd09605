"""How releases of KUCI break, one check at a time."""

from __future__ import annotations

from typing import Any

from tashika.exports.kuci import checks
from tashika.exports.kuci.checks import SETS
from tests.exports.drafts import Draft, ReleaseToys, broken
from tests.exports.kuci import samples


def pair(draft: Draft, number: int) -> dict[str, Any]:
    return draft.row("pairs", item_id=samples.pair_id(number))


def question(draft: Draft, number: int, config: str = "questions") -> dict[str, Any]:
    return draft.row(config, pair=samples.pair_id(number))


def origins(draft: Draft, row: dict[str, Any]) -> dict[str, Any]:
    return draft.row("option_origins", item_id=row["item_id"])


def files_of_another_name(draft: Draft) -> None:
    for config in SETS.values():
        draft.files[f"{config}/dev.parquet"] = draft.files.pop(f"{config}/validation.parquet")


def another_relation(draft: Draft) -> None:
    pair(draft, 3)["relation"] = "contrast"
    for config in ("questions", "questions_without_similarity", "questions_without_length"):
        question(draft, 3, config)["relation"] = "contrast"


def a_pair_twice(draft: Draft) -> None:
    draft.files["pairs/train.parquet"].append({**pair(draft, 3), "item_id": "0" * 32})


def a_similarity_too_few(draft: Draft) -> None:
    origins(draft, question(draft, 0))["similarities"].pop()


def an_answer_out_of_range(draft: Draft) -> None:
    question(draft, 0)["answer"] = 4


def another_context(draft: Draft) -> None:
    question(draft, 0)["context"] = "腹が減ったので"


def another_option(draft: Draft) -> None:
    question(draft, 0)["options"][1] = "傘をたたむ"


def another_place(draft: Draft) -> None:
    row = question(draft, 0)
    row["answer"] = 1
    origins(draft, row)["similarities"] = [0.5, 1.0, 0.5, 0.5]


def a_right_wrong_option(draft: Draft) -> None:
    # pair 1 follows from the context of question 0 as well
    pair(draft, 1)["antecedent"] = f"{pair(draft, 0)['antecedent']} "
    for config in ("questions", "questions_without_similarity", "questions_without_length"):
        question(draft, 1, config)["context"] = pair(draft, 1)["antecedent"]


def a_context_in_two_splits(draft: Draft) -> None:
    pair(draft, 29)["antecedent_words"] = pair(draft, 0)["antecedent_words"]


def a_question_twice(draft: Draft) -> None:
    row = question(draft, 0)
    draft.files["questions/train.parquet"].append({**row, "item_id": "1" * 32})
    draft.rows("option_origins").append({**origins(draft, row), "item_id": "1" * 32})


def a_question_in_one_set_alone(draft: Draft) -> None:
    draft.files["questions_without_length/train.parquet"].remove(question(draft, 0, "questions_without_length"))


def too_similar_an_option(draft: Draft) -> None:
    origins(draft, question(draft, 0))["similarities"][1] = 0.7
    origins(draft, question(draft, 0, "questions_without_similarity"))["similarities"][1] = 0.9  # its right


def too_long_an_option(draft: Draft) -> None:
    pair(draft, 29)["consequent_words"] = ["貯", "金", "を", "す", "る", "の", "だ"]
    # in the set without Length it may be


def an_option_in_the_past(draft: Draft) -> None:
    draft.record["built_with"]["match"] = ["style", "tense"]
    question(draft, 0)["forms"][1] = "past plain statement"


def a_form_too_few(draft: Draft) -> None:
    question(draft, 0)["forms"].pop()


def an_option_that_is_used_too_often(draft: Draft) -> None:
    draft.record["built_with"]["balance"] = True  # over all parts: the numbers of wrong options go round
    row = question(draft, 0)
    row["options"][3], origins(draft, row)["option_pairs"][3] = samples.EFFECTS[10], samples.pair_id(10)


def answers_in_one_place(draft: Draft) -> None:
    for path, rows in draft.files.items():
        if path.startswith("questions/"):
            for row in rows:
                beside = origins(draft, row)
                lists = (row["options"], row["forms"], beside["similarities"], beside["option_pairs"])
                for entries in lists:
                    entries.insert(0, entries.pop(row["answer"]))
                row["answer"] = 0


def several_options_that_are_none(draft: Draft) -> None:
    question(draft, 0)["more_than_one"] = "yes"
    question(draft, 1)["fitting"] = [3, 4]


def another_word_of_people(draft: Draft) -> None:
    question(draft, 0)["people"] = "maybe"


BREAKS = [
    *broken(checks.files_are_splits, files_of_another_name),
    *broken(checks.pairs_are_sound, another_relation, a_pair_twice),
    *broken(checks.options_are_four, a_similarity_too_few, an_answer_out_of_range),
    *broken(checks.questions_fit_their_pairs, another_context, another_option, another_place),
    *broken(checks.wrong_options_are_wrong, a_right_wrong_option),
    *broken(checks.splits_are_apart, a_context_in_two_splits),
    *broken(checks.questions_differ, a_question_twice),
    *broken(checks.sets_have_the_same_questions, a_question_in_one_set_alone),
    *broken(checks.similarity_holds, too_similar_an_option),
    *broken(checks.length_holds, too_long_an_option),
    *broken(checks.forms_match, an_option_in_the_past, a_form_too_few),
    *broken(checks.texts_are_used_alike, an_option_that_is_used_too_often),
    *broken(checks.answers_are_spread, answers_in_one_place),
    *broken(checks.judgments_are_sound, several_options_that_are_none, another_word_of_people),
]
RELEASE = ReleaseToys("kuci", samples.fill, samples.write_config, BREAKS)
