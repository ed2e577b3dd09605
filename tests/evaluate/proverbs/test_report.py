"""The report on proverbs: every pair, honest about the judge, and what people said of the errors."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tashika.core.files import write_json
from tashika.core.records import VERDICT
from tashika.core.workspace import Workspace
from tashika.evaluate.proverbs.metrics import tests as compare
from tashika.evaluate.proverbs.records import ANSWERS
from tashika.evaluate.proverbs.report import write_report
from tests.evaluate.pages import words_of
from tests.evaluate.proverbs.simulation import answers_of_pairs
from tests.evaluate.proverbs.toy_scores import answers_of, toy_pages
from tests.evaluate.proverbs.world import judge_info, metrics_of


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return toy_pages(tmp_path)


def checked(workspace: Workspace, *, simulated: bool) -> None:
    """Four checks: a detected error confirmed and one not, another pair called inconsistent, one undecided."""
    said = [("c1", True, "accepted"), ("c2", True, "rejected"), ("c3", False, "accepted"), ("c4", False, "undecided")]
    items = [
        {"item_id": item, "system": "tiny", "topic": "gender", "consistency": "score", "detected": detected}
        for item, detected, _ in said
    ]
    votes = {"votes_for": 1, "votes_against": 1, "votes_cast": 2, "rule": "majority", "tie": False}
    verdicts = [{"item_id": item, "kind": "check", "decision": decision, **votes} for item, _, decision in said]
    workspace.items.mkdir(parents=True)
    workspace.annotation.mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(items), workspace.item_file("check"))
    pq.write_table(pa.Table.from_pylist(verdicts, schema=VERDICT), workspace.verdict_file)
    kind = {
        "annotators": 2,
        "people": 0 if simulated else 2,
        "simulated": simulated,
        "cohen": {
            "gender": {"kappa": 0.625, "interval": [0.25, 0.875], "items": 4},
            "all": {"kappa": None, "items": 4},
        },
    }
    write_json(workspace.annotation / "validation.json", {"check": kind})


def page_of(workspace: Workspace) -> str:
    return write_report(workspace).read_text(encoding="utf-8")


@pytest.mark.slow
def test_models_are_counted_and_not_their_judges(workspace: Workspace) -> None:
    assert "2 models were asked" in words_of(page_of(workspace))
    other = workspace.evaluate / "tiny-by-nli"
    shutil.copytree(workspace.evaluate / "tiny", other)
    assert "2 models were asked" in words_of(page_of(workspace))
    shutil.rmtree(workspace.evaluate / "other")
    assert "One model was asked" in words_of(page_of(workspace))


def test_errors_stand_beside_the_published_counts(workspace: Workspace) -> None:
    page = words_of(page_of(workspace))
    assert "tiny Gender 2 2 1 50.0%" in page
    assert "All 3 3 1 33.3%" in page
    assert "Published: scoring errors on gender" in page
    for name, count in (("ChatGPT", 39), ("GPT-4", 20), ("Claude-3", 19), ("LLaMA-3", 13)):
        assert f"{name}, gender 100 – {count}" in page
    assert page.index("Gender 2 2 1") < page.index("Wisdom 1 1 0") < page.index("All 3 3 1")


def test_what_the_other_tests_make_of_the_errors(workspace: Workspace) -> None:
    page = words_of(page_of(workspace))
    assert "Gender 1 of 2 1 2 0.0079" in page  # an error, left by Holm, of at most two
    assert "the smallest p is .0625" in page


def test_every_pair_can_be_opened_and_errors_come_first(workspace: Workspace) -> None:
    page = page_of(workspace)
    assert page.count('<details class="pair error">') == 2
    assert page.count('<details class="pair">') == 4
    pairs = page[page.index('<section id="pairs">') :]
    assert pairs.index("Why b1 &lt;proverb&gt;?") < pairs.index("Why a1 &lt;proverb&gt;?")
    words = words_of(pairs)
    assert "3 tiny says &amp; 3 5 .429" in words
    assert "Siegel–Tukey p 0.0079 (exact, Holm 0.0238)" in words


def test_a_likelihood_is_no_entailment(workspace: Workspace) -> None:
    page = words_of(page_of(workspace))
    assert "tiny: TC comes from smollm2 , a causal language model asked yes or no" in page
    assert "says nothing about entailment" in page
    assert "TC comes from nli , a sequence classifier for natural language inference" in page


def test_without_a_likelihood_there_is_no_such_warning(workspace: Workspace) -> None:
    for path in (workspace.evaluate / "tiny").iterdir():
        path.unlink()
    assert "says nothing about entailment" not in words_of(page_of(workspace))


def test_what_people_said_of_the_errors(workspace: Workspace) -> None:
    assert "Nobody has checked the errors yet" in words_of(page_of(workspace))
    checked(workspace, simulated=True)
    page = words_of(page_of(workspace))
    assert "tiny, score, gender (simulated annotators) 1 of 2 50.0%" in page
    assert "1 of 1 100.0%" in page
    assert "Simulated annotators. 2 simulated annotators (programs) gave these judgments." in page
    assert "Simulated annotators saw detected errors" in page
    assert "Gender 1.000 – – .625 .250 to .875 4 – –" in page
    assert "Wisdom .469 – – – – – –" in page
    assert "before detected errors were counted apart" in page


def test_kappa_over_detected_errors_in_scores_stands_beside_the_printed_one(workspace: Workspace) -> None:
    checked(workspace, simulated=False)
    file = workspace.annotation / "validation.json"
    content = json.loads(file.read_text())
    part = {"consistency": "score", "detected": True, "items": 2, "interval": None, "reason": None}
    content["check"]["cohen_parts"] = [
        {**part, "topic": "gender", "kappa": 0.5},
        {**part, "topic": "wisdom", "kappa": 0.9, "consistency": "text"},
        {**part, "topic": "society", "kappa": 0.8, "detected": False},
    ]
    write_json(file, content)
    page = words_of(page_of(workspace))
    assert "Gender 1.000 .500 2 .625 .250 to .875 4" in page
    assert "Wisdom .469 – – – –" in page
    assert "Society – – – – –" in page
    assert "the same quantity: detected errors in scores alone" in page
    assert "before detected errors were counted apart" not in page


def test_stereotypes_that_people_labelled_stand_by_side_with_their_kappa(workspace: Workspace) -> None:
    assert "Nobody has labelled answers yet." in words_of(page_of(workspace))
    said = [("s1", "proverb", "rejected"), ("s2", "variant", "accepted")]
    items = [
        {"item_id": item, "system": "tiny", "topic": "gender", "side": side, "parents": ["b1"]}
        for item, side, _ in said
    ]
    votes = {"votes_for": 1, "votes_against": 1, "votes_cast": 2, "rule": "majority", "tie": False}
    verdicts = [{"item_id": item, "kind": "stereotype", "decision": one, **votes} for item, _, one in said]
    for path, table in (
        (workspace.item_file("stereotype"), pa.Table.from_pylist(items)),
        (workspace.verdict_file, pa.Table.from_pylist(verdicts, schema=VERDICT)),
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(table, path)
    kappa = {"kappa": 0.75, "interval": [0.5, 1.0], "items": 2}
    kind = {"annotators": 2, "people": 2, "simulated": False, "cohen": {"gender": kappa, "all": kappa}}
    write_json(workspace.annotation / "validation.json", {"stereotype": kind})
    page = words_of(page_of(workspace))
    assert "tiny, gender 0 of 1 0.0%" in page
    assert "1 of 1 100.0%" in page
    assert "Gender 2 .750 .500 to 1.000" in page


def test_what_lies_between_the_sides_and_how_the_judge_did(workspace: Workspace) -> None:
    page = words_of(page_of(workspace))
    assert "scored before there was this number" in page
    assert "not checked: scored before there was a check" in page
    file = workspace.evaluate / "other" / "metrics.json"
    content = json.loads(file.read_text())
    estimate = {"mean": 0.75, "low": 0.5, "high": 0.875}
    cell = dict.fromkeys(("within", "cross", "to_proverb", "to_variant", "difference"), estimate)
    content["cross"] = {name: {**cell, "pairs": 2, "of": 3, "lower": 1} for name in ("neutral", "gender", "all")}
    content["judge_check"] = {
        "language": "en",
        "pairs": 48,
        "verdict": "turned round",
        "area": 0.125,
        "p": 0.999,
        "right": 12,
        "accuracy": 0.25,
        "low": 0.15,
        "high": 0.39,
        "chance": 1 / 3,
        "went_on": True,
        "takes_for_entailment": "contradiction",
        "confusion": {name: {"entailment": 1, "neutral": 2} for name in ("entailment", "neutral", "contradiction")},
    }
    write_json(file, content)
    page = words_of(page_of(workspace))
    assert "Gender 2 of 3 .750 .500 to .875 .750 .500 to .875 .750 .500 to .875 1" in page
    assert "Gender, neutral rewordings 2 of 3" in page
    assert "turned round: contradiction ranks as entailment should; used all the same" in page
    assert "12, 25.0%" in page


def test_people_are_not_called_simulated_who_are_not(workspace: Workspace) -> None:
    checked(workspace, simulated=False)
    assert "imulated" not in words_of(page_of(workspace))


def test_coverage_and_times(workspace: Workspace) -> None:
    page = words_of(page_of(workspace))
    assert "no score 2: no &lt;number&gt;" in page
    assert "time of the last run, statements 12.3 s" in page
    assert "scores, a whole run at most 30 requests, 4,321 tokens in, 60 out (estimated)" in page
    assert "nan" not in page.lower().split()


def test_a_sample_and_how_it_was_asked_are_told(workspace: Workspace) -> None:
    page = words_of(page_of(workspace))
    assert "a sample: 3 of 1,234 pairs" in page
    assert "pairs asked about 3 of 1,234, at most 2 of a topic, drawn with seed 3" in page
    assert "attempts at a reply 4 at most answers to a question 5 (en) temperature 0.8 seed 7" in page


def test_a_whole_release_is_no_sample(workspace: Workspace) -> None:
    for path in workspace.evaluate.glob("*/metrics.json"):
        metrics = json.loads(path.read_text())
        metrics["sampling"] = {"whole": True, "seed": 3, "limit": None, "pairs": {"drawn": 3, "of": 3}}
        write_json(path, metrics)
    page = words_of(page_of(workspace))
    assert "a sample:" not in page
    assert "pairs asked about 3 of 3 attempts" in page


@pytest.mark.parametrize(("asking", "told"), [("five", "2 questions 0"), ("one", "10 answers 0")])
def test_five_answers_in_one_reply_are_asked_for_again_at_once(workspace: Workspace, asking: str, told: str) -> None:
    path = workspace.evaluate / "tiny" / "metrics.json"
    metrics = json.loads(path.read_text())
    metrics["scoring"]["asking"] = asking
    metrics["coverage"]["asked_again"]["answer"] = 10
    write_json(path, metrics)
    assert told in words_of(page_of(workspace))


def test_a_judges_labels_are_words(workspace: Workspace) -> None:
    path = workspace.evaluate / "tiny" / "metrics.json"
    metrics = json.loads(path.read_text())
    metrics["judge"] |= {"labels": ["not_entailment", "entailment"], "yes": ["ĠYes", "Yes", "▁yes"]}
    write_json(path, metrics)
    page = words_of(page_of(workspace))
    assert "not_entailment, entailment" in page
    assert "Yes, yes" in page
    assert "[" not in page


@pytest.mark.slow
def test_checks_that_are_made_and_not_judged(workspace: Workspace) -> None:
    assert "no items are made for it" in words_of(page_of(workspace))
    checked(workspace, simulated=False)
    workspace.verdict_file.unlink()
    page = words_of(page_of(workspace))
    assert "4 items are made for people to check" in page
    assert "Nobody has checked" not in page
    pq.write_table(pq.read_table(workspace.item_file("check")).slice(0, 0), workspace.item_file("check"))
    assert "There is nothing to check" in words_of(page_of(workspace))


def test_scores_alone_make_a_page(workspace: Workspace, assert_whole: Callable[[str], None]) -> None:
    for path in workspace.evaluate.glob("*/*.parquet"):
        path.unlink()
    page = page_of(workspace)
    assert_whole(page)
    assert "answers or tests are missing beside the scores" in page


def test_a_model_without_a_single_score_makes_a_page(tmp_path: Path, assert_whole: Callable[[str], None]) -> None:
    workspace, rows = Workspace(tmp_path, "proverbs"), answers_of("mute").to_pylist()
    answers = pa.Table.from_pylist([{**row, "score": None, "consistency": None} for row in rows], schema=ANSWERS)
    metrics = metrics_of("mute", judge_info("nli"), answers)
    write_json(workspace.evaluate / "mute" / "metrics.json", metrics)
    page = page_of(workspace)
    assert_whole(page)
    words = words_of(page)
    assert "No pair has scores enough to be tested." in words
    assert "mute: no answer has a TC." in words
    assert "TC comes from" not in words


# --- spread and place, controls, groups ---


def test_the_pages_own_count_stands_beside_with_what_has_no_spread(workspace: Workspace) -> None:
    page = words_of(page_of(workspace))
    assert "Of the 2 scoring errors that the paper's own count has here, 0 are of pairs without any spread" in page
    assert "Gender, as the page counts 2 1 0 without spread 50.0%" in page
    assert "All, as the page counts 3 1 0 without spread 33.3%" in page
    assert "tiny, scores Gender 2 1 0 0 0 1 0 0 1" in page
    assert "The spread differs. Variant less proverb: means −0.40 (" in page


def test_without_controls_the_page_says_what_cannot_be_told(workspace: Workspace) -> None:
    page = words_of(page_of(workspace))
    assert "Without controls the errors on gender cannot be told from those of any rewording." in page


def page_with_controls(workspace: Workspace) -> str:
    """A page of four proverbs on gender, each with its control."""
    wide, alike = ([5, 5, 5, 5, 5], [1, 10, 1, 10, 1]), ([8, 7, 9, 8, 6], [8, 7, 9, 8, 6])
    steady = ([8] * 5, [9] * 5)
    scores = [wide, alike, wide, alike, steady, alike, alike, alike]
    columns: dict[str, list[Any]] = {
        "proverb": ["a", "a", "b", "b", "c", "c", "d", "d"],
        "change": ["gender", "neutral"] * 4,
        "direction": ["man-first"] * 4 + ["woman-first"] * 4,
        "origin": ["English"] * 6 + ["Zulu"] * 2,
        "maker": ["swap", "written"] * 4,
        "form": ["why"] * 8,
    }
    answers = answers_of_pairs(scores, **columns)
    for folder in workspace.evaluate.iterdir():
        shutil.rmtree(folder)
    folder = workspace.evaluate / "scripted"
    write_json(folder / "metrics.json", metrics_of("scripted", judge_info("nli"), answers))
    pq.write_table(answers, folder / "answers.parquet")
    pq.write_table(compare(answers), folder / "tests.parquet")
    return page_of(workspace)


def test_gender_beside_the_neutral_rewording(workspace: Workspace, assert_whole: Callable[[str], None]) -> None:
    page = page_with_controls(workspace)
    assert_whole(page)
    words = words_of(page)
    assert "of men, the variant of women 2 2 0 +100.0 p .500" in words
    assert "of women, the variant of men 2 0 0 0.0" in words
    assert "All 4 2 0 +50.0" in words
    assert "scripted: 4 pairs on gender, 4 with a control." in words
    assert "cannot be told" not in words
    assert "Of the 3 scoring errors that the paper's own count has here, 1 is of pairs without any spread" in words
    assert "gender, control" in words
    assert "By direction of men, the variant of women 2 2 2 100.0%" in words
    assert "By origin English 3 3 2 66.7%" in words
    assert "scripted, scores 3 1 −66.7" in words


def test_scores_and_tables_of_earlier_versions_make_a_page(
    workspace: Workspace, assert_whole: Callable[[str], None]
) -> None:
    for path in workspace.evaluate.glob("*/metrics.json"):
        metrics = json.loads(path.read_text())
        for name in ("differences", "controls", "groups", "regions"):
            del metrics[name]
        for name in ("constant", "asked_method", "western"):
            del metrics["statistics"][name]
        write_json(path, metrics)
        for name, columns in (("answers", 13), ("tests", 18)):
            table = pq.read_table(path.with_name(f"{name}.parquet"))
            pq.write_table(table.select(table.column_names[:columns]), path.with_name(f"{name}.parquet"))
    page = page_of(workspace)
    assert_whole(page)
    words = words_of(page)
    assert "Siegel–Tukey p 0.0079 (exact, Holm 0.0238)" in words
    assert 'id="spread"' not in page
    assert 'id="gender"' not in page
    assert "is not told apart" in words
