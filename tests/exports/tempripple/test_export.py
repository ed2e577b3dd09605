"""The release of TempRIPPLE: what goes in, and what falls with what."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tashika.core.errors import InputError, MissingStageError
from tashika.core.files import hash_file, read_json
from tashika.core.workspace import Workspace
from tashika.exports.plan import suite_export
from tashika.exports.release import Export
from tashika.exports.schema import features
from tests.exports.tempripple import samples as ripples

SUITE = "tempripple"
JAPAN, HAMILTON, JUVENTUS = "Q17", "Q9673", "Q1422"
Make = Callable[[], Export]
Rows = list[dict[str, Any]]

"""The helper module beside this file, which conftest.py loads."""


def read(release: Path, config: str) -> Rows:
    return list(pq.read_table(release / config / f"{config}.parquet").to_pylist())


def ids(release: Path, config: str) -> set[str]:
    return {row["item_id"] for row in read(release, config)}


# What goes in


def test_the_counts_are_those_of_the_sample(ripple_release: Path) -> None:
    record = read_json(ripple_release / "release.json")
    assert record["counts"] == {
        "questions": 16,
        "facts": 3,
        "history": 7,
        "related": 9,
        "related_hop_1": 6,
        "related_hop_2": 3,
        "related_hop_3": 0,
        "new_questions": 3,
        "old_questions": 4,
        "related_new_questions": 5,
        "related_old_questions": 4,
        "relations": 3,
        "subjects": 3,
    }
    assert not any(record["left_out"].values())
    assert record["simulated"] is True


def test_rows_lead_to_what_they_hang_on(ripple_release: Path) -> None:
    question = next(
        row for row in read(ripple_release, "questions") if row["item_id"] == question_id("Q318", "P69", "P112")
    )
    assert question["text"] == "What is the founder of the educated at of the previous head of government of Japan?"
    assert question["fact_id"] == ripples.fact_id(JAPAN)
    assert question["history_id"] == ripples.tenure_id("Q318")
    assert question["related_id"] == ripples.related_id("Q318", "P69", "P112")
    assert (question["votes_for"], question["votes_cast"]) == (None, None)
    related = next(row for row in read(ripple_release, "related") if row["item_id"] == question["related_id"])
    assert related["parent"] == ripples.related_id("Q318", "P69")
    assert (related["fact_id"], related["history_id"]) == (question["fact_id"], question["history_id"])
    assert related["path_relations"] == ["P6", "P69", "P112"]
    assert related["path_subjects"] == ["Q17", "Q318", "Q1321"]
    assert related["path_subject_labels"] == ["Japan", "Shigeru Ishiba", "Keio University"]
    assert next(row for row in read(ripple_release, "facts") if row["subject"] == JAPAN)["votes_cast"] == 3


def question_id(value: str, *relations: str) -> str:
    return str(ripples.question_id(value, *relations))


def test_rows_of_a_fact_stand_beside_each_other_the_newest_first(ripple_release: Path) -> None:
    order = [(row["relation"], row["subject"], row["place"]) for row in read(ripple_release, "history")]
    assert order == [
        ("P286", JUVENTUS, 1),
        ("P286", JUVENTUS, 3),
        ("P54", HAMILTON, 1),
        ("P54", HAMILTON, 2),
        ("P6", JAPAN, 1),
        ("P6", JAPAN, 2),
        ("P6", JAPAN, 3),
    ]
    asked = [(row["relation"], row["place"], row["hop"]) for row in read(ripple_release, "questions")]
    assert asked == sorted(asked)


@pytest.mark.parametrize("decision", ["rejected", "undecided", None])
def test_a_fact_that_is_not_accepted_takes_all_that_hangs_on_it_along(
    ripple_workspace: Workspace, export_ripples: Make, decision: str | None
) -> None:
    verdicts = ripples.verdict_rows(**({JAPAN: decision} if decision else {}))
    if decision is None:
        verdicts = [row for row in verdicts if row["item_id"] != ripples.fact_id(JAPAN)]
    ripples.write_verdicts(ripple_workspace, verdicts)
    record = export_ripples().run()
    assert {row["subject"] for row in read(ripple_workspace.release, "facts")} == {HAMILTON, JUVENTUS}
    for config in ("history", "related", "questions"):
        assert {row["fact_id"] for row in read(ripple_workspace.release, config)} == {
            ripples.fact_id(HAMILTON),
            ripples.fact_id(JUVENTUS),
        }
    assert {name: count for name, count in record["left_out"].items() if count} == {
        f"{decision or 'unjudged'}_facts": 1,
        "tenures_of_facts_left_out": 3,
        "related_facts_of_facts_left_out": 4,
        "questions_of_facts_left_out": 7,
    }


def test_facts_that_were_audited_stay_unless_they_were_rejected(
    ripple_workspace: Workspace, export_ripples: Make
) -> None:
    verdicts = ripples.verdict_rows(**{JAPAN: "undecided", HAMILTON: "rejected"})
    ripples.write_verdicts(ripple_workspace, [row for row in verdicts if row["item_id"] != ripples.fact_id(JUVENTUS)])
    ripples.write_validation(ripple_workspace, fact_mode="audit")
    plan = export_ripples().plan
    assert plan.items["fact"].column("subject").to_pylist() == [JUVENTUS, JAPAN]
    assert {name: plan.left_out[f"{name}_facts"] for name in ("rejected", "undecided", "unjudged")} == {
        "rejected": 1,
        "undecided": 0,
        "unjudged": 0,
    }


def test_a_rejected_question_falls_alone_and_its_related_fact_stays_while_a_question_leads_over_it(
    ripple_workspace: Workspace, export_ripples: Make
) -> None:
    middle, end = question_id("Q318", "P69"), question_id("Q169898", "P112", "P19")
    tenure = question_id("Q318")
    rejected = [ripples.verdict_row(item, "question", "rejected") for item in (middle, end, tenure)]
    ripples.write_verdicts(ripple_workspace, [*ripples.verdict_rows(), *rejected])
    record = export_ripples().run()
    assert len(ids(ripple_workspace.release, "questions")) == 13
    assert not {middle, end, tenure} & ids(ripple_workspace.release, "questions")
    assert len(ids(ripple_workspace.release, "history")) == 7
    related = ids(ripple_workspace.release, "related")
    assert ripples.related_id("Q318", "P69") in related  # the founder's question leads over it
    assert ripples.related_id("Q169898", "P112", "P19") not in related
    assert ripples.related_id("Q169898", "P112") in related
    assert record["left_out"]["rejected_questions"] == 3
    assert record["left_out"]["related_facts_without_a_question"] == 1


def test_of_questions_that_were_all_to_be_judged_only_the_accepted_ones_go_in(
    ripple_workspace: Workspace, export_ripples: Make
) -> None:
    undecided = ripples.verdict_row(question_id("Q318"), "question", "undecided")
    ripples.write_verdicts(ripple_workspace, [*ripples.verdict_rows(), undecided])
    ripples.write_validation(ripple_workspace, question_mode="all")
    record = export_ripples().run()
    assert ids(ripple_workspace.release, "questions") == {question_id("Q235")}
    assert ids(ripple_workspace.release, "related") == set()
    assert record["left_out"]["undecided_questions"] == 1
    assert record["left_out"]["unjudged_questions"] == 14


def corrected(item: str, text: str) -> dict[str, Any]:
    found: dict[str, Any] = ripples.verdict_row(item, "question", "accepted", text)
    return found


def test_a_corrected_text_is_released_under_the_items_id(ripple_workspace: Workspace, export_ripples: Make) -> None:
    item, text = question_id("Q318", "P69"), "Where was the previous head of government of Japan educated?"
    ripples.write_verdicts(ripple_workspace, [*ripples.verdict_rows(), corrected(item, text)])
    export_ripples().run()
    row = next(row for row in read(ripple_workspace.release, "questions") if row["item_id"] == item)
    assert (row["text"], row["votes_for"]) == (text, 3)


def test_a_correction_to_a_question_that_is_there_adds_no_second_one(
    ripple_workspace: Workspace, export_ripples: Make
) -> None:
    rows = ripples.question_rows()
    first = next(row for row in rows if row["item_id"] == question_id("Q318"))
    other = next(row for row in rows if row["item_id"] == question_id("Q2911"))
    same_answer = {**other, "answers": first["answers"], "options": first["options"], "answer": first["answer"]}
    unlike = [row for row in rows if row not in (first, other)]
    verdicts = [*ripples.verdict_rows(), corrected(other["item_id"], first["text"])]
    ripples.write_verdicts(ripple_workspace, verdicts)
    ripples.write_items(ripple_workspace, "question", [*unlike, same_answer, first])
    plan = export_ripples().plan
    assert plan.left_out["repeated_questions"] == 1
    assert other["item_id"] not in plan.items["question"].column("item_id").to_pylist()


def left_out(export: Export) -> dict[str, int]:
    return {reason: count for reason, count in export.plan.left_out.items() if count}


GIVES_AWAY = "questions_whose_correction_gives_the_answer_away"
ANOTHERS = "questions_whose_correction_is_another_question's_text"


@pytest.mark.parametrize(
    ("key", "text"),
    [
        (("Q318",), "Who was Shigeru Ishiba?"),
        (("Q318",), "Who was SHIGERU  Ｉshiba before he left?"),
        (("Q178629", "P1412"), "Is it Portuguese that the previous head coach spoke?"),  # one of two answers
        (("Q235", "P69", "P571"), "Was the university founded in 1949?"),  # a date
    ],
)
def test_a_correction_that_gives_the_answer_away_takes_its_question_out(
    ripple_workspace: Workspace,
    export_ripples: Make,
    capsys: pytest.CaptureFixture[str],
    key: tuple[str, ...],
    text: str,
) -> None:
    item = question_id(*key)
    ripples.write_verdicts(ripple_workspace, [*ripples.verdict_rows(), corrected(item, text)])
    export = export_ripples()
    assert left_out(export)[GIVES_AWAY] == 1
    assert export.plan.counts["questions"] == 15
    assert item not in export.plan.items["question"].column("item_id").to_pylist()
    assert f"question {item} is left out, its correction gives the answer away: {text!r}" in " ".join(
        capsys.readouterr().err.splitlines()
    )
    export.run()
    assert "1 questions whose correction gives the answer away" in (ripple_workspace.release / "README.md").read_text(
        encoding="utf-8"
    )


def test_a_part_of_a_word_and_a_code_give_nothing_away(ripple_workspace: Workspace, export_ripples: Make) -> None:
    related = ripples.related_rows()
    code = next(row for row in related if row["item_id"] == ripples.related_id("Q172721", "P159"))
    code.update(objects=["is"], object_labels=["is"])
    questions = ripples.question_rows()
    asked = next(row for row in questions if row["item_id"] == question_id("Q172721", "P159"))
    asked.update(answers=["is"], options=["en", "fr", "is", "de"])
    ripples.write_items(ripple_workspace, "related", related)
    ripples.write_items(ripple_workspace, "question", questions)
    verdicts = [
        corrected(asked["item_id"], "What is the code of the previous sports team of Lewis Hamilton?"),
        corrected(question_id("Q172721"), "Where was the driver of Mercedeses before?"),
    ]
    ripples.write_verdicts(ripple_workspace, [*ripples.verdict_rows(), *verdicts])
    export = export_ripples()
    assert left_out(export) == {}
    export.run()


def test_a_correction_to_the_text_of_a_question_with_other_answers_takes_its_question_out(
    ripple_workspace: Workspace, export_ripples: Make
) -> None:
    item, text = question_id("Q2911"), "what is the  PREVIOUS head of government of Ｊapan?"
    ripples.write_verdicts(ripple_workspace, [*ripples.verdict_rows(), corrected(item, text)])
    export = export_ripples()
    assert left_out(export) == {ANOTHERS: 1}
    kept = export.plan.items["question"].column("item_id").to_pylist()
    assert item not in kept
    assert question_id("Q318") in kept
    # The text of a question that is not released is free.
    ripples.write_verdicts(
        ripple_workspace,
        [
            *ripples.verdict_rows(),
            corrected(item, text),
            ripples.verdict_row(question_id("Q318"), "question", "rejected"),
        ],
    )
    assert left_out(export_ripples()) == {"rejected_questions": 1}


def test_two_corrections_to_one_text_with_other_answers_both_fall(
    ripple_workspace: Workspace, export_ripples: Make
) -> None:
    both = [corrected(question_id(value), "Who led Japan before that time?") for value in ("Q318", "Q2911")]
    ripples.write_verdicts(ripple_workspace, [*ripples.verdict_rows(), *both])
    assert left_out(export_ripples()) == {ANOTHERS: 2}


@pytest.mark.parametrize(("same_answers", "expected"), [(True, {"repeated_questions": 1}), (False, None)])
def test_built_questions_with_one_text_are_released_once_or_if_they_mean_two_things_not_at_all(
    ripple_workspace: Workspace, export_ripples: Make, same_answers: bool, expected: dict[str, int] | None
) -> None:
    rows = ripples.question_rows()
    first, other = (next(row for row in rows if row["item_id"] == question_id(value)) for value in ("Q235", "Q169898"))
    other["text"] = first["text"]
    history = ripples.history_rows()
    if same_answers:  # such as two clubs of one name with one coach
        other.update(answers=first["answers"], options=first["options"], answer=first["answer"])
        for row in history:
            if row["item_id"] == ripples.tenure_id("Q169898"):
                row["object_label"] = first["answers"][0]
    ripples.write_items(ripple_workspace, "history", history)
    ripples.write_items(ripple_workspace, "question", rows)
    export = export_ripples()
    assert left_out(export) == (expected or {"ambiguous_questions": 2})
    export.run()


# What is missing or wrong


@pytest.mark.parametrize("text", ["Who was it", "Who was it? Nobody knows.", "Who\nwas it?", "?"])
def test_a_correction_that_is_no_question_names_the_verdicts(
    ripple_workspace: Workspace, export_ripples: Make, text: str
) -> None:
    item = question_id("Q318")
    ripples.write_verdicts(ripple_workspace, [*ripples.verdict_rows(), corrected(item, text)])
    with pytest.raises(InputError, match="question mark") as caught:
        export_ripples()
    assert caught.value.where == f"{ripple_workspace.verdict_file}, item {item}"


def test_a_built_text_that_is_no_question_names_the_items(ripple_workspace: Workspace, export_ripples: Make) -> None:
    rows = ripples.question_rows()
    ripples.write_items(ripple_workspace, "question", [*rows[1:], {**rows[0], "text": "Tell me."}])
    with pytest.raises(InputError) as caught:
        export_ripples()
    assert caught.value.where == f"{ripple_workspace.item_file('question')}, item {rows[0]['item_id']}"


@pytest.mark.parametrize(
    ("kind", "of"),
    [("history", "fact"), ("related", "history"), ("question", "fact"), ("question", "history")],
)
def test_an_item_without_its_parent_is_an_error_that_names_both(
    ripple_workspace: Workspace, export_ripples: Make, kind: str, of: str
) -> None:
    rows = {"history": ripples.history_rows, "related": ripples.related_rows, "question": ripples.question_rows}[kind]()
    known = {row["item_id"] for row in (ripples.fact_rows if of == "fact" else ripples.history_rows)()}
    rows[0]["parents"] = [parent for parent in rows[0]["parents"] if parent not in known]
    ripples.write_items(ripple_workspace, kind, rows)
    with pytest.raises(InputError, match=f"found no {of} among the parents of the {kind} {rows[0]['item_id']}"):
        export_ripples()


def test_without_verdicts_on_facts_it_says_which_command_comes_first(
    ripple_workspace: Workspace, export_ripples: Make
) -> None:
    ripples.write_verdicts(ripple_workspace, [row for row in ripples.verdict_rows() if row["kind"] == "question"])
    with pytest.raises(MissingStageError, match=r"none of the 3 facts has a verdict(.|\n)*annotate vote tempripple"):
        export_ripples()


def test_no_accepted_fact_and_no_question_left_are_errors(ripple_workspace: Workspace, export_ripples: Make) -> None:
    ripples.write_verdicts(
        ripple_workspace, ripples.verdict_rows(**dict.fromkeys((JAPAN, HAMILTON, JUVENTUS), "rejected"))
    )
    with pytest.raises(InputError, match="no fact was accepted"):
        export_ripples()
    rejected = [ripples.verdict_row(row["item_id"], "question", "rejected") for row in ripples.question_rows()]
    ripples.write_verdicts(ripple_workspace, [*ripples.verdict_rows()[:3], *rejected])
    with pytest.raises(InputError, match="no question on an accepted fact is left"):
        export_ripples()


@pytest.mark.parametrize("kind", ["fact", "history", "related", "question"])
def test_without_items_it_says_which_command_comes_first(
    ripple_workspace: Workspace, export_ripples: Make, kind: str
) -> None:
    ripple_workspace.item_file(kind).unlink()
    with pytest.raises(MissingStageError, match="tashika build tempripple"):
        export_ripples()


# The written files


def test_datasets_opens_every_configuration_and_questions_by_default(
    ripple_release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import datasets

    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    for config in suite_export(SUITE).configs:
        found = datasets.load_dataset(str(ripple_release), config, split="test", cache_dir=str(tmp_path / "cache"))
        assert found.features == features(SUITE, config)
        assert found.to_list() == read(ripple_release, config)
    default = datasets.load_dataset(str(ripple_release), split="test", cache_dir=str(tmp_path / "cache"))
    assert default["text"] == [row["text"] for row in read(ripple_release, "questions")]
    assert all(row["options"][row["answer"]] in row["answers"] for row in default)


def test_two_exports_of_the_same_items_in_another_order_give_equal_bytes(
    ripple_workspace: Workspace, export_ripples: Make
) -> None:
    def contents() -> dict[str, str]:
        files = (path for path in ripple_workspace.release.rglob("*") if path.is_file())
        return {path.relative_to(ripple_workspace.release).as_posix(): hash_file(path) for path in files}

    export_ripples().run()
    first = contents()
    for path in ripple_workspace.items.glob("*.parquet"):
        table = pq.read_table(path)
        pq.write_table(table.take(list(range(table.num_rows))[::-1]), path)
    export_ripples().run()
    assert contents() == first


def test_the_card_tells_sources_counts_and_what_was_left_out(ripple_workspace: Workspace, export_ripples: Make) -> None:
    ripples.write_verdicts(ripple_workspace, ripples.verdict_rows(**{JAPAN: "rejected"}))
    export_ripples().run()
    card = (ripple_workspace.release / "README.md").read_text(encoding="utf-8")
    assert "| changing subject-property pairs | 2 | 464 |" in card
    assert "| tenures, new and old | 4 | 1,680 |" in card
    assert (
        "Built but not released: 7 questions of facts left out, 1 rejected facts, "
        "4 related facts of facts left out, 3 tenures of facts left out." in card
    )
    assert "| Wikidata over SPARQL | 2026-01-05 | CC0 1.0 | 20 |" in card
    assert "文脈内知識は LLM の信念体系に整合的に統合されるか？" in card
    assert "[X]" not in card
