"""The report on proverbs: one file, no outside requests, every pair, and honest about simulation and the judge."""

import json
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tashika.core.errors import InputError, MissingStageError
from tashika.core.files import write_json
from tashika.core.records import VERDICT
from tashika.core.workspace import Workspace
from tashika.evaluate.proverbs import metrics as proverbs_metrics
from tashika.evaluate.proverbs.records import ANSWERS
from tashika.evaluate.proverbs.report import write_report
from tests.evaluate.pages import assert_command_writes, assert_written_once, words_of
from tests.evaluate.proverbs import world

WIDER = ([5, 5, 5, 5, 5], [1, 10, 1, 10, 1])
ALIKE = ([8, 7, 9, 8, None], [8, 7, 9, 8, 6])


def answers_of(name):
    rows = []
    for item, topic, scores in (("a1", "wisdom", ALIKE), ("b1", "gender", WIDER), ("b2", "gender", ALIKE)):
        for side, mine in zip(("proverb", "variant"), scores, strict=True):
            for place, score in enumerate(mine, 1):
                row = {"item_id": item, "topic": topic, "side": side, "question": f"Why {item} <{side}>?"}
                row |= {"place": place, "answer": f"{name} says & {place}", "answer_asked": 1, "score_asked": 1}
                row |= {"score": score, "score_problem": None if score else "no <number>", "consistency": place / 7}
                rows.append(row)
    return pa.Table.from_pylist(rows, schema=ANSWERS)


def metrics_of(name, judge):
    return world.metrics_of(name, judge, answers_of(name))


@pytest.fixture
def workspace(tmp_path):
    workspace = Workspace(tmp_path, "proverbs")
    judges = {
        "tiny": world.judge_info("smollm2", classifier=False),
        "other <b>": world.judge_info("nli"),
    }
    for folder, (name, judge) in zip(("tiny", "other"), judges.items(), strict=True):
        write_json(workspace.evaluate / folder / "metrics.json", metrics_of(name, judge))
        pq.write_table(answers_of(name), workspace.evaluate / folder / "answers.parquet")
        pq.write_table(proverbs_metrics.tests(answers_of(name)), workspace.evaluate / folder / "tests.parquet")
    return workspace


def checked(workspace, simulated):
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
        "cohen": {"gender": {"kappa": 0.625, "items": 4}, "all": {"kappa": None, "items": 4}},
    }
    write_json(workspace.annotation / "validation.json", {"check": kind})


def page_of(workspace):
    return write_report(workspace).read_text(encoding="utf-8")


def test_the_page_is_whole_and_asks_nobody(workspace, assert_whole):
    assert_whole(page_of(workspace))
    checked(workspace, simulated=True)
    assert_whole(page_of(workspace))


def test_models_are_counted_and_not_their_judges(workspace):
    assert "2 models were asked" in words_of(page_of(workspace))
    other = workspace.evaluate / "tiny-by-nli"
    shutil.copytree(workspace.evaluate / "tiny", other)
    assert "2 models were asked" in words_of(page_of(workspace))
    shutil.rmtree(workspace.evaluate / "other")
    assert "One model was asked" in words_of(page_of(workspace))


def test_errors_stand_beside_the_published_counts(workspace):
    page = words_of(page_of(workspace))
    assert "tiny Gender 2 2 1 50.0%" in page
    assert "All 3 3 1 33.3%" in page
    assert "Published: scoring errors on gender" in page
    for name, count in (("ChatGPT", 39), ("GPT-4", 20), ("Claude-3", 19), ("LLaMA-3", 13)):
        assert f"{name}, gender 100 – {count}" in page
    assert page.index("Gender 2 2 1") < page.index("Wisdom 1 1 0") < page.index("All 3 3 1")


def test_what_the_other_tests_make_of_the_errors(workspace):
    page = words_of(page_of(workspace))
    assert "Gender 1 of 2 1 2 0.0079" in page  # an error, left by Holm, of at most two
    assert "the smallest p is .0625" in page


def test_every_pair_can_be_opened_and_errors_come_first(workspace):
    page = page_of(workspace)
    assert page.count('<details class="pair error">') == 2
    assert page.count('<details class="pair">') == 4
    pairs = page[page.index('<section id="pairs">') :]
    assert pairs.index("Why b1 &lt;proverb&gt;?") < pairs.index("Why a1 &lt;proverb&gt;?")
    words = words_of(pairs)
    assert "3 tiny says &amp; 3 5 .429" in words
    assert "Siegel–Tukey p 0.0079 (exact, Holm 0.0238)" in words


def test_a_likelihood_is_no_entailment(workspace):
    page = words_of(page_of(workspace))
    assert "tiny: TC comes from smollm2 , a causal language model asked yes or no" in page
    assert "says nothing about entailment" in page
    assert "TC comes from nli , a sequence classifier for natural language inference" in page


def test_without_a_likelihood_there_is_no_such_warning(workspace):
    for path in (workspace.evaluate / "tiny").iterdir():
        path.unlink()
    assert "says nothing about entailment" not in words_of(page_of(workspace))


def test_what_people_said_of_the_errors(workspace):
    assert "Nobody has checked the errors yet" in words_of(page_of(workspace))
    checked(workspace, simulated=True)
    page = words_of(page_of(workspace))
    assert "tiny, score, gender (simulated annotators) 1 of 2 50.0%" in page
    assert "1 of 1 100.0%" in page
    assert "Simulated annotators. 2 simulated annotators (programs) gave these judgments." in page
    assert "Simulated annotators saw detected errors" in page
    assert "Gender .625 4 – – 1.000" in page
    assert "Wisdom – – – – .469" in page


def test_people_are_not_called_simulated_who_are_not(workspace):
    checked(workspace, simulated=False)
    assert "imulated" not in words_of(page_of(workspace))


def test_coverage_and_times(workspace):
    page = words_of(page_of(workspace))
    assert "no score 2: no &lt;number&gt;" in page
    assert "time of the last run, statements 12.3 s" in page
    assert "scores, a whole run at most 30 requests, 4,321 tokens in, 60 out (estimated)" in page
    assert "nan" not in page.lower().split()


def test_a_sample_and_how_it_was_asked_are_told(workspace):
    page = words_of(page_of(workspace))
    assert "a sample: 3 of 1,234 pairs" in page
    assert "pairs asked about 3 of 1,234, at most 2 of a topic, drawn with seed 3" in page
    assert "attempts at a reply 4 at most temperature 0.8 seed 7" in page


def test_a_whole_release_is_no_sample(workspace):
    for path in workspace.evaluate.glob("*/metrics.json"):
        metrics = json.loads(path.read_text())
        metrics["sampling"] = {"whole": True, "seed": 3, "limit": None, "pairs": {"drawn": 3, "of": 3}}
        write_json(path, metrics)
    page = words_of(page_of(workspace))
    assert "a sample:" not in page
    assert "pairs asked about 3 of 3 attempts" in page


@pytest.mark.parametrize(("asking", "told"), [("five", "2 questions 0"), ("one", "10 answers 0")])
def test_five_answers_in_one_reply_are_asked_for_again_at_once(workspace, asking, told):
    path = workspace.evaluate / "tiny" / "metrics.json"
    metrics = json.loads(path.read_text())
    metrics["scoring"]["asking"] = asking
    metrics["coverage"]["asked_again"]["answer"] = 10
    write_json(path, metrics)
    assert told in words_of(page_of(workspace))


def test_a_judges_labels_are_words(workspace):
    path = workspace.evaluate / "tiny" / "metrics.json"
    metrics = json.loads(path.read_text())
    metrics["judge"] |= {"labels": ["not_entailment", "entailment"], "yes": ["ĠYes", "Yes", "▁yes"]}
    write_json(path, metrics)
    page = words_of(page_of(workspace))
    assert "not_entailment, entailment" in page
    assert "Yes, yes" in page
    assert "[" not in page


@pytest.mark.slow
def test_checks_that_are_made_and_not_judged(workspace):
    assert "no items are made for it" in words_of(page_of(workspace))
    checked(workspace, simulated=False)
    workspace.verdict_file.unlink()
    page = words_of(page_of(workspace))
    assert "4 items are made for people to check" in page
    assert "Nobody has checked" not in page
    pq.write_table(pq.read_table(workspace.item_file("check")).slice(0, 0), workspace.item_file("check"))
    assert "There is nothing to check" in words_of(page_of(workspace))


def test_scores_alone_make_a_page(workspace, assert_whole):
    for path in workspace.evaluate.glob("*/*.parquet"):
        path.unlink()
    page = page_of(workspace)
    assert_whole(page)
    assert "answers or tests are missing beside the scores" in page


def test_a_model_without_a_single_score_makes_a_page(tmp_path, assert_whole):
    workspace, answers = Workspace(tmp_path, "proverbs"), answers_of("mute")
    for name in ("score", "consistency"):
        place = answers.column_names.index(name)
        answers = answers.set_column(place, answers.field(place), pa.nulls(answers.num_rows, answers.field(place).type))
    metrics = world.metrics_of("mute", world.judge_info("nli"), answers)
    write_json(workspace.evaluate / "mute" / "metrics.json", metrics)
    page = page_of(workspace)
    assert_whole(page)
    words = words_of(page)
    assert "No pair has scores enough to be tested." in words
    assert "mute: no answer has a TC." in words
    assert "TC comes from" not in words


def test_a_second_run_is_a_no_op_and_the_bytes_follow_the_scores(workspace, capsys):
    assert_written_once(write_report, workspace, capsys)


def test_the_command_writes_the_page_of_its_suite(workspace):
    assert_command_writes(workspace)


def test_no_scores_or_scores_that_lack_a_number(workspace, tmp_path):
    with pytest.raises(MissingStageError, match="no model has been scored yet"):
        write_report(Workspace(tmp_path / "empty", "proverbs"))
    path = workspace.evaluate / "tiny" / "metrics.json"
    metrics = json.loads(path.read_text())
    del metrics["errors"]
    write_json(path, metrics)
    with pytest.raises(InputError, match=r"tiny/metrics.json: errors: Field required"):
        write_report(workspace)
