"""KUCI's report: honest about chance, samples, the artefacts of questions and what was published."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tashika.core.files import write_json
from tashika.core.suites.kuci.words import CONDITIONS
from tashika.core.workspace import Workspace
from tashika.evaluate.kuci.metrics import against_chance
from tashika.evaluate.kuci.report import write_report
from tests.evaluate.kuci.toy_scores import toy_pages, write_scores
from tests.evaluate.kuci.toys import EVENTS, a_workspace, judge
from tests.evaluate.pages import rewrite, texts_of, words_of


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return toy_pages(tmp_path)


def page_of(workspace: Workspace) -> str:
    return write_report(workspace).read_text(encoding="utf-8")


def test_every_accuracy_and_interval_is_there(workspace: Workspace) -> None:
    page = words_of(page_of(workspace))
    for path in workspace.evaluate.glob("*/metrics.json"):
        for score in json.loads(path.read_text(encoding="utf-8"))["sets"].values():
            assert f"{score['accuracy']:.1%}" in page
            assert f"{score['wilson']['low']:.1%}" in page


def test_people_and_published_figures_are_told_apart(workspace: Workspace) -> None:
    page = words_of(page_of(workspace))
    assert "People, majority of 5 100 questions, 2 of them ties 93.0% 86.0% to 97.0%" in page
    assert "BERT-large, fine-tuned 79.5%" in page
    assert "another and larger set" in page
    assert "say nothing about the questions here" in page
    assert "BERT-large, as published on another and larger set −1.0 – +2.0" in page


def test_people_may_not_have_answered_or_be_simulated(workspace: Workspace) -> None:
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


def test_nobody_knows_of_several_right_options_before_people_have_judged_them(workspace: Workspace) -> None:
    assert "Nobody has judged the options of these questions here" in words_of(page_of(workspace))


def test_scores_are_shown_with_and_without_questions_of_several_right_options(tmp_path: Path) -> None:
    """All four decided questions are right, of the five that are not marked, and of the one whose answer alone fits."""
    workspace = a_workspace(tmp_path / "judged")
    judge(workspace)
    write_scores(workspace, "encoder", "encoder", chance=1.0)
    validation: dict[str, Any] = {
        "question": {"human": {"questions": 5, "people": 5, "accuracy": 0.4, "interval": [0.1, 0.8]}}
    }
    validation["fit"] = {"people": 3, "annotators": 3, "simulated": False}
    write_json(workspace.annotation / "validation.json", validation)
    page = words_of(page_of(workspace))
    assert "3 people ticked, of 5 of the 6 test questions" in page
    assert "In 2 of 4 decided questions more than one option fits (50.0%" in page
    assert "The answer alone fits in 1, another option alone in 1, none in 0; 1 are undecided." in page
    # of people: 2 of 5 right; 1 of the 3 that are not marked; 1 of 1
    people = page[page.index("had to choose one option") :][:200]
    assert people.startswith(
        "had to choose one option 40.0% 11.8% to 76.9% 5 questions 33.3% 6.1% to 79.2% 3 questions 100.0%"
    )
    encoder = page[page.index("encoder fine-tuned", page.index("had to choose")) :][:200]
    assert re.findall(r"(\d) questions", encoder) == ["6", "4", "1"]
    assert page.count("fits 2") == 0
    assert "✓ answer fits" in page


def test_the_artefact_check_speaks(workspace: Workspace) -> None:
    def above(metrics: Any) -> None:
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


def test_a_rule_is_judged_by_all_parts_on_the_page(workspace: Workspace) -> None:
    rewrite(
        workspace.evaluate / "baseline-bag" / "metrics.json",
        lambda one: one.update(all_parts={"both": against_chance(171, 523).model_dump()}),
    )
    page = words_of(page_of(workspace))
    assert "significantly above chance : 32.7% of 523 questions of all parts" in page


def test_questions_stand_as_they_are(workspace: Workspace) -> None:
    page = page_of(workspace)
    for context, consequent, *_ in EVENTS[6:]:
        assert f'<p lang="ja" class="context">{context}、</p>' in page
        assert re.search(rf'class="right"><span lang="ja">{consequent}</span>', page)
    assert 'font-family: "Noto Sans CJK JP"' in page
    figures = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert figures
    assert all(figure.isascii() for figure in figures)


def test_a_system_with_a_japanese_name_stands_as_its_number_in_the_figure(workspace: Workspace) -> None:
    rewrite(workspace.evaluate / "causal" / "metrics.json", lambda one: one["model"].update(name="日本語モデル"))
    page = page_of(workspace)
    assert "日本語モデル" in page
    figures = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert all(text.isascii() for figure in figures for text in texts_of(figure))
    assert any("日本語モデル" in figure for figure in figures)  # in what is read aloud


def test_the_funnel_stands_beside_the_paper(workspace: Workspace) -> None:
    page = words_of(page_of(workspace))
    assert "sentences 3,400 about 180,000,000 empty line 2" in page
    assert (
        "basic 200 about 120,000 the antecedent holds no basic event 80, the consequent holds no basic event 120"
        in page
    )
    assert "In 17 pairs the consequent borrows" in page
    (workspace.items / "funnel.json").unlink()
    assert "From sentences to pairs" not in page_of(workspace)


def test_models_are_compared_with_each_other_and_with_baselines(workspace: Workspace) -> None:
    page = words_of(page_of(workspace))
    assert "causal against encoder Accuracy" in page
    assert "bag of words, options only against encoder Accuracy" in page
    assert "bag of words, options only against encoder, options only" not in page
    assert "6 questions of 6 antecedents count for all systems." in page


def test_scores_of_another_release_are_not_compared(workspace: Workspace) -> None:
    path = workspace.release / "release.json"
    rewrite(path, lambda content: content.update(digest="ee" * 32))
    page = words_of(page_of(workspace))
    assert "encoder is left out: the release that it was scored on does not lie here." in page
    assert "against encoder" not in page


def test_a_model_that_always_chooses_one_place(workspace: Workspace) -> None:
    def first(metrics: Any) -> None:
        metrics["sets"]["both"]["places"]["chosen"] = [10, 0, 0, 1]

    rewrite(workspace.evaluate / "causal" / "metrics.json", first)
    assert "It chose option 1 in 90.9%" in words_of(page_of(workspace))


def test_scores_alone_make_a_page(tmp_path: Path, assert_whole: Callable[[str], None]) -> None:
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


def test_a_system_that_answered_nothing_makes_a_page(workspace: Workspace, assert_whole: Callable[[str], None]) -> None:
    def silent(metrics: Any) -> None:
        for name in CONDITIONS:
            metrics["sets"][name].update(
                accuracy=None, wilson=None, p_chance=None, answered=0, problems={"too long": 6}
            )

    rewrite(workspace.evaluate / "causal" / "metrics.json", silent)
    page = page_of(workspace)
    assert_whole(page)
    assert "too long: 6" in words_of(page)
