"""The release of KUCI: which pairs and questions go in, what stops it, and what the card says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tashika.core.errors import InputError, MissingStageError
from tashika.core.files import read_json
from tashika.core.suites.kuci.words import SPLITS
from tashika.core.workspace import Workspace
from tashika.exports.release import Export
from tests.exports.kuci import samples

Make = Callable[[], Export]
SETS = ("questions", "questions_without_similarity", "questions_without_length")

"""The helper module beside this file, which conftest.py loads."""


def read(release: Path, file: str) -> list[dict[str, Any]]:
    return pq.read_table(release / file).to_pylist()


def card(release: Path) -> str:
    return (release / "README.md").read_text(encoding="utf-8")


def test_the_counts_are_those_of_the_sample(kuci_release: Path) -> None:
    record = read_json(kuci_release / "release.json")
    assert record["counts"] == {
        "pairs": 30, "cause_pairs": 20, "condition_pairs": 10, "borrowed_pairs": 1, "questions": 30,
        "questions_without_similarity": 30, "questions_without_length": 30, "option_origins": 90, "train_questions": 24,
        "validation_questions": 3, "test_questions": 3, "judged_questions": 0, "more_than_one_fits": 0,
        "the_answer_alone_fits": 0, "another_option_alone_fits": 0, "no_option_fits": 0, "fit_undecided": 0,
    }  # fmt: skip
    assert set(record["left_out"].values()) == {0}
    lost = {"fewer than three candidates": 2}
    assert record["built_with"] == {"similarity": [0.4, 0.6], "length": [0.5, 2.0], "lost": lost}
    assert record["simulated"] is False
    files = {f"{config}/{split}.parquet" for config in SETS for split in SPLITS}
    assert set(record["files"]) == {"pairs/train.parquet", "option_origins/test.parquet", *files}


def test_a_pair_and_a_question_have_what_was_built_and_how_people_voted(kuci_release: Path) -> None:
    (pair,) = [row for row in read(kuci_release, "pairs/train.parquet") if row["item_id"] == samples.pair_id(28)]
    assert (pair["antecedent"], pair["consequent"], pair["votes_for"], pair["votes_cast"]) == (
        "歌を習ったので", "歌を歌う", 3, 3,
    )  # fmt: skip
    assert pair["consequent_words"] == ["歌", "を", "歌う"]
    (question,) = [row for row in read(kuci_release, "questions/test.parquet") if row["pair"] == samples.pair_id(29)]
    assert question["context"] == "金が入ったので"
    assert question["answer"] == 1
    assert question["options"] == ["ご飯を食べる", "貯金をする", "傘をさす", "窓を閉める"]
    assert not {"option_pairs", "similarities"} & set(question)  # which would give the answer away
    rows = read(kuci_release, "option_origins/test.parquet")
    (beside,) = [row for row in rows if row["item_id"] == question["item_id"]]
    assert beside["option_pairs"] == [samples.pair_id(number) for number in (0, 29, 1, 2)]
    assert beside["similarities"][1] == 1.0


@pytest.mark.parametrize("config", ["pairs", *SETS])
def test_rows_are_sorted_and_what_datasets_loads_is_what_was_written(
    kuci_release: Path, config: str, tmp_path: Path
) -> None:
    from datasets import load_dataset

    loaded = load_dataset(str(kuci_release), config, cache_dir=str(tmp_path / "cache"))
    splits = ("train",) if config == "pairs" else SPLITS
    assert set(loaded) == set(splits)
    for split in splits:
        rows = read(kuci_release, f"{config}/{split}.parquet")
        assert [row["item_id"] for row in rows] == sorted(row["item_id"] for row in rows)
        assert loaded[split].to_list() == rows


JUDGED = {"p29": "1\n2", "p28": "1", "p27": "2", "p26": "none", "p25": None, "p24": "1\nnone"}
"""Labels of the options that most people ticked; the answers of 24 to 29 are at the places 0, 1, 2, 3, 0, 1."""


def test_the_release_marks_questions_with_several_right_options(kuci_workspace: Workspace, export_kuci: Make) -> None:
    samples.judge_options(kuci_workspace, **JUDGED)
    export_kuci().run()
    rows = [row for split in SPLITS for row in read(kuci_workspace.release, f"questions/{split}.parquet")]
    marked = {row["pair"]: (row["more_than_one"], row["fitting"], row["people"]) for row in rows}
    assert [marked[samples.pair_id(number)] for number in range(23, 30)] == [
        ("not judged", [], "not asked"),
        ("undecided", [], "not asked"),  # an option and none of them contradict each other
        ("undecided", [], "not asked"),
        ("no", [], "not asked"),
        ("no", [1], "wrong"),
        ("no", [0], "wrong"),
        ("yes", [0, 1], "not asked"),
    ]
    counts = read_json(kuci_workspace.release / "release.json")["counts"]
    names = ("judged_questions", "more_than_one_fits", "the_answer_alone_fits", "another_option_alone_fits")
    assert [counts[name] for name in names] == [6, 1, 1, 1]
    assert (counts["no_option_fits"], counts["fit_undecided"], counts["questions"]) == (1, 2, 30)
    assert "| in which more than one option fits | 1 |" in card(kuci_workspace.release)
    assert "more_than_one" not in read(kuci_workspace.release, "questions_without_length/test.parquet")[0]


def test_questions_that_people_got_wrong_stay(kuci_release: Path) -> None:
    wrong = {samples.question_row(number)["item_id"] for number in (27, 28)}  # "rejected"
    assert wrong <= {row["item_id"] for row in read(kuci_release, "questions/test.parquet")}


def test_pairs_that_were_not_accepted_are_left_out(kuci_workspace: Workspace, export_kuci: Make) -> None:
    samples.write_verdicts(kuci_workspace, p0="rejected", p1="undecided", p2="rejected")
    kuci_workspace.item_file("question").unlink()
    record = export_kuci().run()
    assert record["counts"]["pairs"] == 27
    assert {name: count for name, count in record["left_out"].items() if count} == {
        "rejected_pairs": 2, "undecided_pairs": 1,
    }  # fmt: skip


def test_without_questions_the_pairs_alone_are_released(
    kuci_workspace: Workspace, export_kuci: Make, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    from datasets import load_dataset

    kuci_workspace.item_file("question").unlink()
    samples.write_validation(kuci_workspace)
    record = export_kuci().run()
    assert "`tashika build kuci` makes them" in " ".join(capsys.readouterr().err.split())
    assert list(record["files"]) == ["pairs/train.parquet"]
    assert record["counts"]["questions"] == 0
    text = card(kuci_workspace.release)
    assert "There are no questions in this release yet" in text
    assert 'load_dataset("ORG/NAME", "pairs", split="train"' in text
    loaded = load_dataset(str(kuci_workspace.release), cache_dir=str(tmp_path / "cache"))
    assert loaded["train"].num_rows == 30


def test_a_part_without_questions_is_written_and_not_announced(
    kuci_workspace: Workspace, export_kuci: Make, tmp_path: Path
) -> None:
    from datasets import load_dataset

    kept = [row for row in samples.question_rows() if row["split"] != "validation"]
    samples.write_questions(kuci_workspace, kept)
    export_kuci().run()
    assert read(kuci_workspace.release, "questions/validation.parquet") == []
    loaded = load_dataset(str(kuci_workspace.release), "questions", cache_dir=str(tmp_path / "cache"))
    assert set(loaded) == {"train", "test"}


# What stops it


def test_questions_of_a_pair_that_is_no_longer_accepted_stop_it(kuci_workspace: Workspace, export_kuci: Make) -> None:
    samples.write_verdicts(kuci_workspace, p5="rejected")
    with pytest.raises(InputError, match="not accepted") as caught:
        export_kuci()
    assert "Run `tashika build kuci` again" in (caught.value.hint or "")


def test_questions_that_were_made_before_more_pairs_were_accepted_stop_it(
    kuci_workspace: Workspace, export_kuci: Make
) -> None:
    samples.write_questions(kuci_workspace, samples.question_rows(), range(29))
    with pytest.raises(InputError, match="other pairs than those that people have accepted by now") as caught:
        export_kuci()
    assert "Run `tashika build kuci` again" in (caught.value.hint or "")


def test_a_preview_is_not_released(kuci_workspace: Workspace, export_kuci: Make) -> None:
    path = kuci_workspace.items / "build-questions.manifest.json"
    path.write_text(path.read_text().replace("true", "false"))
    with pytest.raises(InputError, match="preview"):
        export_kuci()


def test_without_verdicts_on_pairs_it_says_what_to_do(kuci_workspace: Workspace, export_kuci: Make) -> None:
    kuci_workspace.verdict_file.unlink()
    with pytest.raises(MissingStageError, match="annotate vote kuci"):
        export_kuci()


def test_the_same_export_twice_is_a_no_op(export_kuci: Make, capsys: pytest.CaptureFixture[str]) -> None:
    export_kuci().run()
    capsys.readouterr()
    export_kuci().run()
    assert "release: nothing to do" in capsys.readouterr().err


# The card


def test_the_card_tells_the_paper_the_funnel_and_how_often_people_are_right(kuci_release: Path) -> None:
    text = card(kuci_release)
    assert "What each step left: sentences 100, relations found 60, basic 40, no repetition 30, " in text
    assert "accepted by people 30, questions 30." in text
    assert "Questions by split: train (80.0%) 24, validation (10.0%) 3, test (10.0%) 3." in text
    assert "| right by the most frequent answer, 95 % interval (Wilson) | 66.7 % (20.8 to 93.8 %) |" in text
    assert "5 people gave 15 answers" in text
    assert "all but the rejected ones are released" not in text
    assert "79.5 %" in text
    assert "| training questions | 24 | 27,304 |" in text
    assert 'load_dataset("ORG/NAME", "questions", split="test"' in text
    assert "CC BY-NC-SA" in text
    assert "| sentences-a.txt | 1 | CC0 1.0 for the packaged text" in text
    assert "simulated" not in text
    front = text.split("---")[1]
    assert "license: cc0-1.0" in front
    assert "path: questions/validation.parquet" in front


def test_programs_that_answer_do_not_make_people_simulated(kuci_workspace: Workspace, export_kuci: Make) -> None:
    people = [{"name": "simulated-1", "error_rate": 0.05}]
    told = {"people": 0, "simulated": True, "simulation": {"seed": 7, "annotators": people}}
    samples.write_validation(kuci_workspace, question=samples.answered(**told))
    record = export_kuci().run()
    text = card(kuci_workspace.release)
    assert record["simulated"] is True
    assert "The question items were answered by 5 simulated annotators (programs).\n" in text
    assert "were given to simulated annotators to answer" in text
    assert "5 simulated annotators (programs) gave 15 answers" in text
    assert "### pair\n" in text
    assert "3 people cast 90 votes" in text
    assert "simulated-1 errs on 5.0 %" in text
