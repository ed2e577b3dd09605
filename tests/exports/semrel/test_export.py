"""The release of semantic relations: what goes in, what stays out, and what the card says of people."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tashika.core.errors import InputError, MissingStageError
from tashika.core.files import read_json, read_table, write_rows
from tashika.core.records import STATEMENT
from tashika.core.settings import load_section
from tashika.core.workspace import Workspace
from tashika.exports.plan import ExportSettings, suite_export
from tashika.exports.release import Export
from tests.exports.semrel import samples

Make = Callable[[], Export]


@pytest.fixture
def words(tmp_path: Path) -> Workspace:
    """Items, responses and their summary; nothing exported yet."""
    filled = Workspace(tmp_path / "work", "semrel")
    samples.fill(filled)
    return filled


@pytest.fixture
def make(words: Workspace, tmp_path: Path) -> Make:
    settings = load_section("semrel", "export", ExportSettings, samples.write_config(tmp_path / "semrel.toml"))
    suite = suite_export("semrel")
    return lambda: Export(words, settings, suite, suite.plan(words, settings))


def read(workspace: Workspace, config: str) -> list[dict[str, Any]]:
    return list(pq.read_table(workspace.release / config / f"{config}.parquet").to_pylist())


def card(workspace: Workspace) -> str:
    return (workspace.release / "README.md").read_text(encoding="utf-8")


def leave_no_annotation(workspace: Workspace) -> None:
    for path in workspace.annotation.iterdir():
        path.unlink()


# What goes in


def test_the_counts_are_those_of_the_sample(words: Workspace, make: Make) -> None:
    make().run()
    record = read_json(words.release / "release.json")
    assert record["counts"] == {
        "probes": 8, "relata": 7, "answers": 3, "responses": 16, "vocabulary": 10, "targets": 3,
        "hypernymy_targets": 3, "hyponymy_targets": 0, "holonymy_targets": 0, "meronymy_targets": 1,
        "antonymy_targets": 1, "synonymy_targets": 0, "hypernymy_probes": 6, "hyponymy_probes": 0,
        "holonymy_probes": 0, "meronymy_probes": 1, "antonymy_probes": 1, "synonymy_probes": 0,
        "people_by_probe": 10, "annotators": 4,
    }  # fmt: skip
    assert {name: count for name, count in record["left_out"].items() if count} == {"control_questions": 2}
    assert record["simulated"] is False


def test_answers_are_ranked_by_people_and_ties_by_first_mention(words: Workspace, make: Make) -> None:
    make().run()
    found = {(row["target"], row["relation"]): row for row in read(words, "answers")}
    niece = found["niece", "hypernymy"]
    assert (niece["answers"], niece["counts"], niece["people"]) == (["relative", "girl", "kin"], [3, 2, 2], 4)
    opposite = found["niece", "antonymy"]
    assert (opposite["answers"], opposite["counts"]) == (["nephew", "aunt", "uncle"], [3, 2, 1])
    assert (found["car", "meronymy"]["answers"], found["car", "meronymy"]["people"]) == (["wheel", "engine"], 2)


def test_ties_stand_as_who_answered_first_mentioned_them(words: Workspace, make: Make) -> None:
    """The last person by name had the first turn; the release keeps the turns, so that anybody can rank anew."""
    rows = [{**row, "turn": 5 - int(row["annotator"].removeprefix("person-"))} for row in samples.response_rows()]
    samples.write_responses(words, rows)
    make().run()
    niece = next(row for row in read(words, "answers") if row["relation"] == "hypernymy")
    assert (niece["answers"], niece["counts"]) == (["relative", "kin", "girl"], [3, 2, 2])
    turns = {(row["annotator"], row["turn"]) for row in read(words, "responses")}
    assert turns == {(f"person-{number}", 5 - number) for number in (1, 2, 3, 4)}


def test_responses_of_an_older_version_have_no_turns_and_are_released_all_the_same(
    words: Workspace, make: Make
) -> None:
    file = words.annotation / "responses.parquet"
    pq.write_table(read_table(file).drop_columns("turn"), file)
    make().run()
    assert {row["turn"] for row in read(words, "responses")} == {None}


def test_people_have_other_names_in_a_release(words: Workspace, make: Make) -> None:
    before = samples.response_rows()
    shown = {name: f"shown-{place}" for place, name in enumerate(sorted({row["annotator"] for row in before}))}
    said = [
        {
            "item_id": before[0]["item_id"], "kind": "probe", "annotator": name, "released_as": other, "choice": None,
            "counts_as": None, "seconds": 1.0, "skipped": False, "counted": True, "simulated": False,
        }
        for name, other in shown.items()
    ]  # fmt: skip
    write_rows(words.statement_file, said, STATEMENT)
    make().run()
    released = {(row["item_id"], row["annotator"], row["answer"]) for row in read(words, "responses")}
    assert released == {(row["item_id"], shown[row["annotator"]], row["answer"]) for row in before}


def test_a_word_that_one_person_repeats_counts_once(words: Workspace, make: Make) -> None:
    rows = samples.response_rows()
    again = {**next(row for row in rows if row["answer"] == "uncle"), "place": 2, "raw": "Uncles"}
    samples.write_responses(words, [*rows, again])
    make().run()
    row = next(row for row in read(words, "answers") if row["relation"] == "antonymy")
    assert row["answers"][-1] == "uncle"
    assert row["counts"][-1] == 1
    assert len(read(words, "responses")) == 17


def test_responses_keep_the_raw_text_and_lead_to_their_probe(words: Workspace, make: Make) -> None:
    make().run()
    probes = {row["item_id"]: row for row in read(words, "probes")}
    first = next(row for row in read(words, "responses") if row["answer"] == "nephew")
    assert first["raw"] == "the NEPHEW"
    assert probes[first["item_id"]]["text"] == "the opposite of a niece is every"


def test_no_control_question_and_no_known_answer_is_released(words: Workspace, make: Make) -> None:
    make().run()
    rows = read(words, "probes")
    assert {row["relation"] for row in rows} == {"hypernymy", "meronymy", "antonymy"}
    assert "known_answers" not in rows[0]
    assert samples.CONTROL not in {row["prompt"] for row in rows}


def test_rows_of_a_relation_stand_together_in_the_papers_order(words: Workspace, make: Make) -> None:
    make().run()
    found = [row["relation"] for row in read(words, "probes")]
    assert found == ["hypernymy"] * 6 + ["meronymy", "antonymy"]


# What stays out


def test_a_rejected_probe_falls_with_its_answers(words: Workspace, make: Make) -> None:
    rejected = samples.probe_id("niece", "antonymy")
    samples.write_verdicts(words, rejected)
    make().run()
    for config in ("probes", "answers", "responses"):
        assert rejected not in {row["item_id"] for row in read(words, config)}
    left = read_json(words.release / "release.json")["left_out"]
    assert left["rejected_probes"] == 1
    assert left["answers_to_probes_that_are_not_released"] == 6
    assert left["relata_of_targets_left_out"] == 0  # the nephew stays: hypernymy is still asked, and may be confused


def test_relata_fall_with_the_last_probe_of_their_target(words: Workspace, make: Make) -> None:
    samples.write_verdicts(words, *(samples.probe_id("water", "hypernymy", number) for number in (0, 1)))
    make().run()
    assert "water" not in {row["target"] for row in read(words, "relata")}
    assert read_json(words.release / "release.json")["left_out"]["relata_of_targets_left_out"] == 1


def test_an_answer_without_a_letter_is_counted_and_left_out(words: Workspace, make: Make) -> None:
    rows = samples.response_rows()
    samples.write_responses(words, [*rows, {**rows[-1], "place": 3, "answer": ""}])
    make().run()
    assert len(read(words, "responses")) == len(rows)
    assert read_json(words.release / "release.json")["left_out"]["empty_answers"] == 1


# Nobody answered


def test_a_release_that_nobody_answered_has_no_files_of_answers(words: Workspace, make: Make) -> None:
    leave_no_annotation(words)
    make().run()
    assert sorted(path.parent.name for path in words.release.rglob("*.parquet")) == ["probes", "relata", "vocabulary"]
    assert "Nobody yet." in card(words)
    assert "config_name: probes" in card(words)
    assert "config_name: answers" not in card(words)


def test_files_of_answers_go_when_nobody_answered_any_more(words: Workspace, make: Make) -> None:
    make().run()
    leave_no_annotation(words)
    make().run()
    assert not list(words.release.glob("answers/*.parquet"))
    assert "config_name: responses" not in card(words)


def test_load_dataset_opens_every_configuration_that_the_card_names(
    words: Workspace, make: Make, tmp_path: Path
) -> None:
    import datasets

    make().run()
    names = datasets.get_dataset_config_names(str(words.release))
    assert names == ["probes", "relata", "answers", "responses", "vocabulary"]
    rows = {
        name: datasets.load_dataset(str(words.release), name, split="test", cache_dir=str(tmp_path / "cache"))
        for name in names
    }
    assert {name: found.num_rows for name, found in rows.items()} == {
        "probes": 8, "relata": 7, "answers": 3, "responses": 16, "vocabulary": 10,
    }  # fmt: skip
    assert rows["answers"][0]["counts"] == [3, 2, 2]


# The card


def test_the_card_tells_of_people_and_their_agreement(words: Workspace, make: Make) -> None:
    samples.write_responses(
        words,
        samples.response_rows(),
        careless={"person-2": {"answered": 8, "missed": 3}, "person-9": {"answered": 2, "missed": 2}},
        problems={"untouched prediction": 2},
        left_out={"answers without a letter": 4},
    )
    make().run()
    text = card(words)
    assert "4 people answered 3 of 8 probes, 10 times in all, with 16 words" in text
    assert "(Jaccard, mean) | 30.0 % |" in text
    assert "missed more than 30.0 % of those that they answered, or skipped most of them, counts as careless" in text
    assert "These are 2 people, who missed 3 of 8, 2 of 2; their answers are counted." in text
    assert "person-9" not in text
    assert "untouched prediction: 2" in text
    assert "answers without a letter: 4" in text
    assert "simulated" not in text.partition("## Who answered")[2].partition("## Limits")[0]
    assert "Krippendorff" not in text


def test_people_who_were_left_out_are_told_so(words: Workspace, make: Make) -> None:
    careless = {"person-2": {"answered": 8, "missed": 3}}
    samples.write_responses(words, samples.response_rows(), careless=careless, careless_left_out=True)
    make().run()
    assert "These are 1 person, who missed 3 of 8; their answers are left out." in card(words)


def test_positions_of_a_published_file_are_no_people(words: Workspace, make: Make) -> None:
    samples.write_responses(words, samples.response_rows(), positions=4)
    make().run()
    assert "The 4 annotators are positions in a published file, which does not say who answered" in card(words)
    assert "4 people answered" not in card(words)
    assert "No control questions were answered." in card(words)


def test_simulated_annotators_are_told_wherever_they_show(words: Workspace, make: Make) -> None:
    simulation = {"seed": 7, "skip_rate": 0.01, "annotators": [{"name": "simulated-1", "error_rate": 0.05}]}
    told = {"people": 0, "simulated": True, "simulation": simulation}
    samples.write_responses(words, samples.response_rows(simulated=True), **told)
    make().run()
    text = card(words)
    assert "The answers of this release are simulated." in text
    assert "simulated-1 errs on 5.0 %" in text
    assert "4 simulated annotators (programs) answered 3 of 8" in text
    assert "- simulated-annotations" in text
    assert "**The answers are simulated**" in text
    assert read_json(words.release / "release.json")["simulated"] is True


def test_careless_programs_are_no_people(words: Workspace, make: Make) -> None:
    missed = {"answered": 4, "missed": 2}
    told = {"people": 2, "simulated": True, "careless": {"annotator-0a": missed, "simulated-1": missed}}
    samples.write_responses(words, samples.response_rows(), **told)
    make().run()
    text = card(words)
    assert "The probe items were answered by 2 people and 2 simulated annotators (programs)." in text
    assert "### probe (people and simulated annotators)" in text
    assert "These are 1 person and 1 simulated annotator (program), who missed 2 of 4, 2 of 4" in text
    assert "**Part of the answers is simulated**" in text


def test_the_card_names_the_paper_and_the_licence_of_wordnet(words: Workspace, make: Make) -> None:
    make().run()
    text = card(words)
    assert (
        "| WordNet | 3.0 | WordNet License (Princeton University); its notice goes along with every copy | 7 |" in text
    )
    assert "曹, 智涵 and 山田, 寛章 and 徳永, 健伸" in text
    assert "| probes, hypernymy | 6 | 5,026 |" in text
    assert "No one licence covers this release" in text


# Bad input


def test_without_items_the_build_is_asked_for(tmp_path: Path) -> None:
    settings = ExportSettings(pretty_name="x", license="other")
    with pytest.raises(MissingStageError, match="no probe items"):
        suite_export("semrel").plan(Workspace(tmp_path, "semrel"), settings)


@pytest.mark.parametrize(("gone", "message"), [("responses.parquet", "the answers are missing"),
                                               ("validation.json", "no summary")])  # fmt: skip
def test_answers_and_their_summary_come_together(words: Workspace, make: Make, gone: str, message: str) -> None:
    (words.annotation / gone).unlink()
    with pytest.raises(MissingStageError, match=message):
        make()


@pytest.mark.parametrize(("content", "message"), [(None, "no shared vocabulary"), (b" \n", "no word"),
                                                  (b"caf\xe9\n", "not UTF-8")])  # fmt: skip
def test_a_vocabulary_that_is_none_is_refused(
    words: Workspace, make: Make, content: bytes | None, message: str
) -> None:
    path = words.items / "vocabulary.txt"
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        make()


def test_a_release_without_probes_is_refused(words: Workspace, make: Make) -> None:
    probes = [row for row in samples.probe_rows() if row["known_answers"] is None]
    samples.write_verdicts(words, *(row["item_id"] for row in probes))
    with pytest.raises(InputError, match=r"no probe is left: .*'rejected': 8"):
        make()


def test_a_summary_of_another_form_is_refused(words: Workspace, make: Make) -> None:
    samples.write_responses(words, samples.response_rows(), form="pictures")
    with pytest.raises(InputError, match="form"):
        make()
