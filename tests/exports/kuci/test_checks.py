"""Every check on a release of KUCI that fails just this one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.core.files import hash_file, read_json
from tashika.exports.checks import GENERIC, ReleaseFiles
from tashika.exports.kuci.checks import KUCI, clause_key, place_p
from tashika.exports.parquet import write_table
from tashika.exports.schema import configs_of, features
from tests.exports.kuci import samples

"""The helper module beside this file, which conftest.py loads."""


class Draft:
    """A release to break: rows by file that are written back, with a record that fits them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.record = read_json(folder / "release.json")
        self.rows = {path: pq.read_table(folder / path).to_pylist() for path in self.record["files"]}

    def pair(self, number: int) -> dict[str, Any]:
        return self._row("pairs/train.parquet", "item_id", number)

    def question(self, number: int, config: str = "questions") -> dict[str, Any]:
        return self._row(f"{config}/{samples.split_of(number)}.parquet", "pair", number)

    def _row(self, path: str, column: str, number: int) -> dict[str, Any]:
        return next(row for row in self.rows[path] if row[column] == samples.pair_id(number))

    def failing(self) -> list[str]:
        for path, rows in self.rows.items():
            config = path.split("/")[0]
            table = pa.Table.from_pylist(rows, schema=features("kuci", config).arrow_schema)
            write_table(self.folder / path, table, "kuci", config)
            self.record["files"][path] = {"rows": len(rows), "sha256": hash_file(self.folder / path)}
        for name, config in configs_of("kuci").items():
            counted = sum(len(rows) for path, rows in self.rows.items() if path.startswith(f"{name}/"))
            self.record["counts"][config.count] = counted
        found = ReleaseFiles(self.folder, self.record)
        return [check.__name__ for check in (*GENERIC, *KUCI) if list(check(found))]


@pytest.fixture
def draft(kuci_release: Path) -> Draft:
    return Draft(kuci_release)


def test_a_sound_release_passes(draft: Draft) -> None:
    assert draft.failing() == []


def another_relation(draft: Draft) -> None:
    draft.pair(3)["relation"] = "contrast"
    for config in ("questions", "questions_without_similarity", "questions_without_length"):
        draft.question(3, config)["relation"] = "contrast"


def a_pair_twice(draft: Draft) -> None:
    draft.rows["pairs/train.parquet"].append({**draft.pair(3), "item_id": "0" * 32})


def a_similarity_too_few(draft: Draft) -> None:
    draft.question(0)["similarities"].pop()


def an_answer_out_of_range(draft: Draft) -> None:
    draft.question(0)["answer"] = 4


def another_context(draft: Draft) -> None:
    draft.question(0)["context"] = "腹が減ったので"


def another_option(draft: Draft) -> None:
    draft.question(0)["options"][1] = "傘をたたむ"


def another_place(draft: Draft) -> None:
    row = draft.question(0)
    row["answer"] = 1
    row["similarities"] = [0.5, 1.0, 0.5, 0.5]


def a_right_wrong_option(draft: Draft) -> None:
    # pair 1 follows from the context of question 0 as well
    draft.pair(1)["antecedent"] = f"{draft.pair(0)['antecedent']} "
    for config in ("questions", "questions_without_similarity", "questions_without_length"):
        draft.question(1, config)["context"] = draft.pair(1)["antecedent"]


def a_context_in_two_splits(draft: Draft) -> None:
    draft.pair(29)["antecedent_words"] = draft.pair(0)["antecedent_words"]


def a_question_twice(draft: Draft) -> None:
    draft.rows["questions/train.parquet"].append({**draft.question(0), "item_id": "1" * 32})


def a_question_in_one_set_alone(draft: Draft) -> None:
    draft.rows["questions_without_length/train.parquet"].remove(draft.question(0, "questions_without_length"))


def too_similar_an_option(draft: Draft) -> None:
    draft.question(0)["similarities"][1] = 0.7
    draft.question(0, "questions_without_similarity")["similarities"][1] = 0.9  # its right


def too_long_an_option(draft: Draft) -> None:
    draft.pair(29)["consequent_words"] = ["貯", "金", "を", "す", "る", "の", "だ"]
    # in the set without Length it may be


def answers_in_one_place(draft: Draft) -> None:
    for path, rows in draft.rows.items():
        if path.startswith("questions/"):
            for row in rows:
                for name in ("options", "similarities", "option_pairs"):
                    row[name].insert(0, row[name].pop(row["answer"]))
                row["answer"] = 0


@pytest.mark.parametrize(
    ("harm", "check"),
    [
        (another_relation, "pairs_are_sound"),
        (a_pair_twice, "pairs_are_sound"),
        (a_similarity_too_few, "options_are_four"),
        (an_answer_out_of_range, "options_are_four"),
        (another_context, "questions_fit_their_pairs"),
        (another_option, "questions_fit_their_pairs"),
        (another_place, "questions_fit_their_pairs"),
        (a_right_wrong_option, "wrong_options_are_wrong"),
        (a_context_in_two_splits, "splits_are_apart"),
        (a_question_twice, "questions_differ"),
        (a_question_in_one_set_alone, "sets_have_the_same_questions"),
        (too_similar_an_option, "similarity_holds"),
        (too_long_an_option, "length_holds"),
        (answers_in_one_place, "answers_are_spread"),
    ],
)
def test_harm_is_found_by_the_check_that_is_for_it(draft: Draft, harm: Callable[[Draft], None], check: str) -> None:
    harm(draft)
    assert draft.failing() == [check]


def test_an_option_that_reads_like_another_is_found(draft: Draft) -> None:
    row = draft.question(0)
    row["options"][2] = f" {row['options'][1]}"
    assert draft.failing() == ["options_are_four", "questions_fit_their_pairs"]


def test_a_file_of_another_name_is_found(draft: Draft) -> None:
    old, new = "questions/validation.parquet", "questions/dev.parquet"
    (draft.folder / old).rename(draft.folder / new)
    draft.rows[new] = draft.rows.pop(old)
    draft.record["files"].pop(old)
    assert "files_are_splits" in draft.failing()


def test_ranges_of_its_own_are_taken(draft: Draft) -> None:
    draft.question(0)["similarities"][1] = 0.7
    draft.record["built_with"]["similarity"] = [0.3, 0.7]
    assert draft.failing() == []


def test_the_chi_square_test_tells_even_from_uneven() -> None:
    assert place_p([0, 1, 2, 3] * 10) == 1.0
    assert place_p([0] * 19) == 1.0  # too few to tell
    # 20, 10, 10, 0 against 10 each: chi-square 20 with three degrees of freedom.
    assert place_p([0] * 20 + [1] * 10 + [2] * 10) == pytest.approx(0.0001697, rel=1e-3)


@given(st.lists(st.sampled_from(["腹", "ＡＢＣ", "abc", "ｶﾞ"]), max_size=5))
def test_width_and_case_are_no_difference_between_clauses(words: list[str]) -> None:
    assert clause_key(words) == clause_key(["".join(words).upper()])
