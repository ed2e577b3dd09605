"""KUCI's report: one file, no outside requests, honest about chance, samples, simulation and what was published.

The choices are drawn from seeded chances, and no model made them.
"""

import json
import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tashika.core.errors import InputError, MissingStageError
from tashika.core.files import write_json
from tashika.core.suites.kuci.words import CONDITIONS
from tashika.evaluate.kuci.metrics import MeasureSettings, against_chance, measure
from tashika.evaluate.kuci.metrics_model import KuciMetrics, Sampling, Scoring, Training
from tashika.evaluate.kuci.predictions import PREDICTIONS
from tashika.evaluate.kuci.questions import read_release
from tashika.evaluate.kuci.report import write_report
from tashika.evaluate.metrics import write_metrics
from tests.evaluate.kuci.toys import EVENTS, a_workspace
from tests.evaluate.pages import assert_command_writes, assert_written_once, rewrite, words_of


def write_scores(workspace, folder, name, how="fine-tuned", show="both", chance=0.8, seeds=(0, 1)):
    """Predictions drawn from a chance, and the numbers on them."""
    release, random = read_release(workspace.release), np.random.default_rng(len(folder))
    rows = [
        {
            "item_id": question.item_id,
            "split": "test",
            "set": conditions,
            "answer": question.answer,
            "choice": (choice := question.answer if random.random() < chance else (question.answer + 1) % 4),
            "correct": choice == question.answer,
            "scores": None,
            "problem": None,
            "seed": seed,
        }
        for conditions in release.sets
        for seed in seeds
        for question in release.part(conditions, "test")
    ]
    table = pa.Table.from_pylist(rows, schema=PREDICTIONS)
    questions = {conditions: release.part(conditions, "test") for conditions in release.sets}
    target = workspace.evaluate / folder
    target.mkdir(parents=True)
    pq.write_table(table, target / "predictions.parquet")
    system = {"name": name, "kind": "masked", "revision": "rev-7", "dtype": "fp32", "device": "cpu", "note": None}
    metrics = KuciMetrics(
        **dict(measure(table, questions, release.markers, MeasureSettings(resamples=100))),
        model=system,
        release={"version": "0.1.0", "digest": release.digest, "simulated": False},
        scoring=Scoring(how=how, show=show, norm="none"),
        split="test",
        seeds=list(seeds),
        sampling=Sampling(whole=True, limit=None, seed=0, drawn={}, of={}),
        training=[a_training(seed, show) for seed in seeds] if how == "fine-tuned" else [],
        versions={"tashika": "0.1.0"},
    )
    write_metrics(target / "metrics.json", metrics)


def a_training(seed, show):
    epoch = {"loss": 1.0, "accuracy": 0.5, "validation_loss": 1.1, "validation_accuracy": 0.4}
    counts = dict.fromkeys(("truncated", "too_long", "test_truncated", "test_too_long"), 0)
    return Training(set="both", seed=seed, show=show, best_epoch=1, epochs=[epoch], **counts)


def toy_pages(folder):
    """A working directory with scores of two models, two baselines, people and a build's funnel."""
    workspace = a_workspace(folder)
    write_scores(workspace, "encoder", "encoder <b>bold</b>")
    write_scores(workspace, "encoder-options", "encoder, options only", show="options", chance=0.25)
    write_scores(workspace, "causal", "causal", how="zero-shot", chance=0.5, seeds=(0,))
    write_scores(workspace, "baseline-bag", "bag of words, options only", how="baseline", chance=0.25, seeds=(0,))
    steps = [["relations found", 900], ["reliable", 400], ["basic", 200], ["no repetition", 150]]
    reasons = {"basic": {"the antecedent holds no basic event": 80, "the consequent holds no basic event": 120}}
    text = {"sentences": 3400, "failures": 2, "reasons": {"empty line": 2}}
    write_json(workspace.items / "funnel.json", {"text": text, "steps": steps, "reasons": reasons, "borrowed": 17})
    human = {"questions": 100, "people": 5, "accuracy": 0.93, "interval": [0.86, 0.97], "ties": 2, "simulated": False}
    write_json(workspace.annotation / "validation.json", {"question": {"human": human}})
    return workspace


@pytest.fixture
def workspace(tmp_path):
    return toy_pages(tmp_path)


def page_of(workspace):
    return write_report(workspace).read_text(encoding="utf-8")


def test_the_page_is_whole_and_asks_nobody(workspace, assert_whole):
    page = page_of(workspace)
    assert_whole(page)
    assert "<b>bold</b>" not in page


def test_every_accuracy_and_interval_is_there(workspace):
    page = words_of(page_of(workspace))
    for path in workspace.evaluate.glob("*/metrics.json"):
        for score in json.loads(path.read_text(encoding="utf-8"))["sets"].values():
            assert f"{score['accuracy']:.3f}".removeprefix("0") in page
            assert f"{score['wilson']['low']:.3f}".removeprefix("0") in page


def test_people_and_published_figures_are_told_apart(workspace):
    page = words_of(page_of(workspace))
    assert "People, majority of 5 100 questions, 2 of them ties .930 .860 to .970" in page
    assert "BERT-large, fine-tuned 79.5%" in page
    assert "another and larger set" in page
    assert "say nothing about the questions here" in page
    assert "BERT-large, as published on another and larger set −1.0 – +2.0" in page


def test_people_may_not_have_answered_or_be_simulated(workspace):
    path = workspace.annotation / "validation.json"
    rewrite(path, lambda content: content["question"]["human"].update(simulated=True))  # as earlier versions wrote it
    assert "Majority of 5 annotators, simulated ones (programs) among them 100" in words_of(page_of(workspace))
    rewrite(path, lambda content: content["question"]["human"].update(annotators=5, people=2))
    page = words_of(page_of(workspace))
    assert "Majority of 2 people and 3 simulated annotators (programs) 100 questions" in page
    assert "Diamond: people and simulated annotators." in page
    assert "Simulated annotators." in page
    path.unlink()
    page = words_of(page_of(workspace))
    assert "No people have answered these questions." in page
    assert "imulated" not in page


def test_the_artefact_check_speaks(workspace):
    def above(metrics):
        metrics["sets"]["both"].update(accuracy=0.4, p_chance=0.001)

    rewrite(workspace.evaluate / "baseline-bag" / "metrics.json", above)
    rewrite(
        workspace.evaluate / "encoder-options" / "metrics.json", lambda one: one["sets"]["both"].update(p_chance=0.4)
    )
    page = words_of(page_of(workspace))
    assert "it should be near chance, 25.0%" in page
    assert "significantly above chance : 40.0% of 6 questions of the test part" in page
    assert "not significantly away from chance :" in page
    assert "1 of the 2 baselines is significantly away from chance (p below 0.05): bag of words" in page


def test_a_rule_is_judged_by_all_parts_on_the_page(workspace):
    rewrite(
        workspace.evaluate / "baseline-bag" / "metrics.json",
        lambda one: one.update(all_parts={"both": against_chance(171, 523).model_dump()}),
    )
    page = words_of(page_of(workspace))
    assert "significantly above chance : 32.7% of 523 questions of all parts" in page


def test_questions_stand_as_they_are(workspace):
    page = page_of(workspace)
    for context, consequent, *_ in EVENTS[6:]:
        assert f'<p lang="ja" class="context">{context}、</p>' in page
        assert re.search(rf'class="right"><span lang="ja">{consequent}</span>', page)
    assert 'font-family: "Noto Sans CJK JP"' in page
    figures = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert figures
    assert all(figure.isascii() for figure in figures)


def test_a_system_with_a_japanese_name_stands_as_its_number_in_the_figure(workspace):
    rewrite(workspace.evaluate / "causal" / "metrics.json", lambda one: one["model"].update(name="日本語モデル"))
    page = page_of(workspace)
    assert "日本語モデル" in page
    assert all(figure.isascii() for figure in re.findall(r"<svg.*?</svg>", page, re.DOTALL))


def test_the_funnel_stands_beside_the_paper(workspace):
    page = words_of(page_of(workspace))
    assert "sentences 3,400 about 180,000,000 empty line 2" in page
    assert (
        "basic 200 about 120,000 the antecedent holds no basic event 80, the consequent holds no basic event 120"
        in page
    )
    assert "In 17 pairs the consequent borrows" in page
    (workspace.items / "funnel.json").unlink()
    assert "From sentences to pairs" not in page_of(workspace)


def test_the_best_model_is_compared_question_by_question(workspace):
    page = words_of(page_of(workspace))
    assert "&lt;b&gt;bold&lt;/b&gt; against the others" in page


def test_scores_of_another_release_are_not_compared(workspace):
    path = workspace.release / "release.json"
    rewrite(path, lambda content: content.update(digest="ee" * 32))
    page = words_of(page_of(workspace))
    assert "was scored on another release (d1d1d1d1d1d1)" in page
    assert "against the others" not in page


def test_a_model_that_always_chooses_one_place(workspace):
    def first(metrics):
        metrics["sets"]["both"]["places"]["chosen"] = [10, 0, 0, 1]

    rewrite(workspace.evaluate / "causal" / "metrics.json", first)
    assert "It chose option 1 in 90.9%" in words_of(page_of(workspace))


def test_scores_alone_make_a_page(tmp_path, assert_whole):
    workspace = a_workspace(tmp_path, ["both"])
    write_scores(workspace, "encoder", "encoder")
    for file in workspace.release.rglob("*"):
        if file.is_file():
            file.unlink()
    page = page_of(workspace)
    assert_whole(page)
    assert "There is no release beside these scores" in page
    assert "The sets without a condition were not scored" in page
    assert "No baseline has been scored" in page


def test_a_system_that_answered_nothing_makes_a_page(workspace, assert_whole):
    def silent(metrics):
        for name in CONDITIONS:
            metrics["sets"][name].update(
                accuracy=None, wilson=None, p_chance=None, answered=0, problems={"too long": 6}
            )

    rewrite(workspace.evaluate / "causal" / "metrics.json", silent)
    page = page_of(workspace)
    assert_whole(page)
    assert "too long: 6" in words_of(page)


def test_a_second_run_is_a_no_op_and_the_bytes_follow_the_scores(workspace, capsys):
    assert_written_once(write_report, workspace, capsys)


def test_the_command_writes_the_page_of_its_suite(workspace):
    assert_command_writes(workspace)


def test_no_scores(tmp_path):
    with pytest.raises(MissingStageError, match="no model has been scored yet"):
        write_report(a_workspace(tmp_path))


def test_scores_that_lack_a_number(workspace):
    rewrite(workspace.evaluate / "causal" / "metrics.json", lambda metrics: metrics.pop("differences"))
    with pytest.raises(InputError, match=r"causal/metrics.json: differences: Field required"):
        write_report(workspace)
