"""Every check on a release of semantic relations that fails just this one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tashika.core.files import hash_file, read_json
from tashika.core.settings import load_section
from tashika.core.workspace import Workspace
from tashika.exports.checks import GENERIC, Check, ReleaseFiles, message_of
from tashika.exports.parquet import write_table
from tashika.exports.plan import ExportSettings, suite_export
from tashika.exports.release import Export
from tashika.exports.schema import configs_of, features
from tashika.exports.semrel import checks
from tashika.exports.semrel.checks import SEMREL
from tests.exports.semrel import samples

SUITE = "semrel"


class Draft:
    """A release to break: rows of each configuration that are written back, with a record that fits them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.record = read_json(folder / "release.json")
        self.rows: dict[str, list[dict[str, Any]]] = {
            name: pq.read_table(folder / name / f"{name}.parquet").to_pylist() for name in configs_of(SUITE)
        }

    def first(self, config: str, **values: str) -> dict[str, Any]:
        return next(row for row in self.rows[config] if all(row[key] == value for key, value in values.items()))

    def failing(self) -> list[str]:
        for name, rows in self.rows.items():
            path = self.folder / name / f"{name}.parquet"
            self.record["counts"][configs_of(SUITE)[name].count] = len(rows)
            if not rows:
                path.unlink(missing_ok=True)
                self.record["files"].pop(f"{name}/{name}.parquet", None)
                continue
            write_table(path, pa.Table.from_pylist(rows, schema=features(SUITE, name).arrow_schema), SUITE, name)
            self.record["files"][f"{name}/{name}.parquet"] = {"rows": len(rows), "sha256": hash_file(path)}
        found = ReleaseFiles(self.folder, self.record)
        return [check.__name__ for check in (*GENERIC, *SEMREL) if list(check(found))]


@pytest.fixture
def draft(tmp_path: Path) -> Draft:
    workspace = Workspace(tmp_path / "work", SUITE)
    samples.fill(workspace)
    settings = load_section(SUITE, "export", ExportSettings, samples.write_config(tmp_path / "semrel.toml"))
    suite = suite_export(SUITE)
    Export(workspace, settings, suite, suite.plan(workspace, settings)).run()
    return Draft(workspace.release)


def other_id(digit: str) -> str:
    return digit * 32


def a_probe_twice(draft: Draft) -> None:
    row = draft.first("probes", relation="antonymy")
    draft.rows["probes"].append({**row, "item_id": other_id("a"), "questionnaire": 9})


def a_text_that_goes_on(draft: Draft) -> None:
    draft.rows["probes"][0]["text"] += " thing"


def a_text_without_its_target(draft: Draft) -> None:
    draft.first("probes", target="car")["text"] = "a boat is a kind of any"


def a_text_with_a_wrong_article(draft: Draft) -> None:
    draft.first("probes", target="car", prompt=samples.PROMPTS["hypernymy"][0])["text"] = "an car is a kind of any"


def a_blank_inside(draft: Draft) -> None:
    row = draft.first("probes", target="car", relation="hypernymy")
    row.update(prompt="a [V] is what [DET] [W] is", text="a [V] is what a car is")


def a_control(draft: Draft) -> None:
    row = {"target": "", "relation": "control", "prompt": samples.CONTROL, "text": "one plus one is"}
    draft.rows["probes"].append({"item_id": other_id("b"), **row, "questionnaire": 1})


def one_questionnaire(draft: Draft) -> None:
    for row in draft.rows["probes"]:
        row["questionnaire"] = 1


def no_relatum(draft: Draft) -> None:
    draft.rows["relata"] = [row for row in draft.rows["relata"] if row["word"] != "nephew"]


def a_stray_relatum(draft: Draft) -> None:
    draft.rows["relata"].append({**draft.rows["relata"][0], "item_id": other_id("d"), "target": "boat"})


def a_relatum_twice(draft: Draft) -> None:
    draft.rows["relata"].append({**draft.rows["relata"][0], "item_id": other_id("d")})


def a_relatum_that_is_its_target(draft: Draft) -> None:
    draft.first("relata", word="kin")["word"] = "Niece"


def an_answer_to_nothing(draft: Draft) -> None:
    row = draft.first("probes", target="car", relation="meronymy")
    row["item_id"] = other_id("e")


def an_answer_to_another_prompt(draft: Draft) -> None:
    draft.rows["responses"][0]["prompt"] = "another [W] [V]"


def answers_in_two_rows(draft: Draft) -> None:
    draft.rows["answers"].append(dict(draft.rows["answers"][0]))


def two_words_at_one_place(draft: Draft) -> None:
    draft.rows["responses"].append(dict(draft.rows["responses"][0]))


def counts_in_another_order(draft: Draft) -> None:
    draft.rows["answers"][0]["counts"] = [2, 2, 3]


def more_counts_than_people(draft: Draft) -> None:
    draft.rows["answers"][0]["counts"] = [5, 2, 2]


def counts_of_some(draft: Draft) -> None:
    draft.rows["answers"][0]["counts"] = [3, 2]


def a_missing_response(draft: Draft) -> None:
    draft.rows["responses"] = [row for row in draft.rows["responses"] if row["answer"] != "engine"]


def an_answer_that_nobody_gave(draft: Draft) -> None:
    row = draft.first("answers", relation="meronymy")
    row["answers"], row["counts"] = [*row["answers"], "zip"], [*row["counts"], 1]


def no_answers_of_responses(draft: Draft) -> None:
    draft.rows["answers"] = []


def an_address(draft: Draft) -> None:
    for row in draft.rows["responses"]:
        row["annotator"] += "@example.org"


def simulated_in_secret(draft: Draft) -> None:
    draft.rows["responses"][0]["simulated"] = True


def a_word_twice(draft: Draft) -> None:
    draft.rows["vocabulary"].append({"item_id": other_id("f"), "word": "car"})


BREAKS: list[tuple[Callable[[Draft], None], Check]] = [
    (a_probe_twice, checks.probes_differ),
    (a_text_that_goes_on, checks.probes_end_at_the_blank),
    (a_text_without_its_target, checks.probes_end_at_the_blank),
    (a_text_with_a_wrong_article, checks.probes_end_at_the_blank),
    (a_blank_inside, checks.probes_end_at_the_blank),
    (one_questionnaire, checks.questionnaires_ask_once),
    (no_relatum, checks.probes_have_relata),
    (a_stray_relatum, checks.relata_have_probes),
    (a_relatum_twice, checks.relata_differ),
    (a_relatum_that_is_its_target, checks.relata_are_other_words),
    (an_answer_to_nothing, checks.answers_have_probes),
    (an_answer_to_another_prompt, checks.answers_have_probes),
    (answers_in_two_rows, checks.probes_are_answered_once),
    (two_words_at_one_place, checks.probes_are_answered_once),
    (counts_in_another_order, checks.answers_are_ranked),
    (more_counts_than_people, checks.answers_are_ranked),
    (counts_of_some, checks.answers_are_ranked),
    (a_missing_response, checks.answers_are_those_of_people),
    (an_answer_that_nobody_gave, checks.answers_are_those_of_people),
    (no_answers_of_responses, checks.answers_are_those_of_people),
    (an_address, checks.people_are_pseudonyms),
    (simulated_in_secret, checks.simulated_answers_are_told),
    (a_word_twice, checks.vocabulary_differs),
]


def test_a_sound_release_passes(draft: Draft) -> None:
    assert draft.failing() == []


@pytest.mark.parametrize(("damage", "check"), BREAKS, ids=[damage.__name__ for damage, _ in BREAKS])
def test_a_break_fails_its_own_check_alone(draft: Draft, damage: Callable[[Draft], None], check: Check) -> None:
    damage(draft)
    assert draft.failing() == [check.__name__]


def test_a_control_question_is_found(draft: Draft) -> None:
    a_control(draft)
    assert checks.no_control_is_released.__name__ in draft.failing()


def test_a_release_that_nobody_answered_is_sound(draft: Draft) -> None:
    draft.rows["answers"], draft.rows["responses"] = [], []
    assert draft.failing() == []


def test_every_check_says_what_must_hold_and_is_broken_here() -> None:
    broken = {check.__name__ for _, check in BREAKS} | {checks.no_control_is_released.__name__}
    assert {check.__name__ for check in SEMREL} == broken
    assert all(message_of(check).endswith(".") for check in SEMREL)
