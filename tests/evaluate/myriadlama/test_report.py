"""MyriadLAMA's report: its numbers beside the paper's, and what it says of people and programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tashika.core.files import write_json
from tashika.core.workspace import Workspace
from tashika.evaluate.myriadlama.report import write_report
from tests.evaluate.myriadlama.toy_scores import DIGEST, metrics_of, predictions, toy_pages
from tests.evaluate.pages import rewrite, words_of

VALIDATION: dict[str, dict[str, Any]] = {
    "template": {
        "mode": "all",
        "items": 40,
        "judged": 40,
        "accepted": 31,
        "rejected": 8,
        "undecided": 1,
        "ties": 1,
        "annotators": 3,
        "people": 0,
        "votes": 119,
        "minimum_votes": 2,
        "rule": "strict majority",
        "acceptance_rate": 0.775,
        "acceptance_interval": [0.625, 0.877],
        "problems": {"no label": 1},
        "agreement": {"krippendorff_alpha": 0.6543, "fleiss_kappa": None, "percent": 0.9},
        "simulated": True,
        "simulation": {"seed": 7, "annotators": [{"name": "ann", "error_rate": 0.02}]},
    }
}


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return toy_pages(tmp_path)


def page_of(workspace: Workspace) -> str:
    return write_report(workspace).read_text(encoding="utf-8")


def test_every_number_of_a_model_is_there(workspace: Workspace) -> None:
    page, scores = words_of(page_of(workspace)), metrics_of("tiny")
    spread = scores["fluctuation"]["mrr"]
    shares = [scores[key] for key in ("acc@1", "acc@10", "consist@1", "overconf@1", "overconf@10")]
    shares += [scores["table_a1"]["mean"], scores["table_a2"]["subject"]["max"]]
    shares += [scores["table_a2"]["template"]["consist@1"]]
    for share in shares:
        assert f"{share:.2%}".replace("-", "−") in page
    for number in (scores["mrr"], spread["range"], spread["stdev"], scores["single_template"]["mrr"]):
        assert f"{number:.4f}" in page
    assert "capital P36" in page
    assert "1,234" in page  # facts of the release
    assert "6,492,800" in page  # the paper's prompts
    assert "11 of 12" in page
    assert "no object of one &lt;token&gt;" in page
    assert "rev-7" in page
    assert DIGEST in page


def test_the_printed_reference_names_its_misprint(workspace: Workspace) -> None:
    page = words_of(page_of(workspace))
    assert "BERT-base as printed" in page
    assert "0.1767" in page
    assert "cannot be" in page


def test_simulated_annotators_are_called_so_wherever_they_stand(workspace: Workspace) -> None:
    write_json(workspace.annotation / "validation.json", VALIDATION)
    page = words_of(page_of(workspace))
    assert "Simulated annotators. The template items were judged by 3 simulated annotators (programs);" in page
    assert "No person has validated these items" in page
    assert "Template items (simulated annotators)" in page
    assert "annotators 3 simulated annotators (programs), 119 votes" in page
    assert "agreement (simulated annotators) Krippendorff's alpha 0.6543" in page
    assert "77.5% (95 % interval 62.5% to 87.7%)" in page
    assert "1 program that errs at stated rates (seed 7)" in page
    assert "2.0% of answers 1 ann" in page


def test_people_and_programs_are_counted_apart(workspace: Workspace) -> None:
    both, people = {"annotators": 5, "people": 2}, {"simulated": False, "simulation": None, "people": 3}
    kinds = {"template": {**VALIDATION["template"], **both}, "alias": {**VALIDATION["template"], **people}}
    write_json(workspace.annotation / "validation.json", kinds)
    page = words_of(page_of(workspace))
    assert "The template items were judged by 2 people and 3 simulated annotators (programs); the programs err" in page
    assert "No person has validated" not in page
    assert "Template items (people and simulated annotators)" in page
    assert "Alias items judged" in page
    assert "annotators 3 people, 119 votes" in page


def test_scores_alone_make_a_page(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path, "myriadlama")
    write_json(workspace.evaluate / "tiny" / "metrics.json", metrics_of("tiny"))
    page = words_of(page_of(workspace))
    assert "One model was asked 4 questions about the world in 12 wordings." in page
    assert "No summary of the annotation was found" in page


def test_a_drawn_sample_is_said_with_the_scores(workspace: Workspace) -> None:
    path = workspace.evaluate / "tiny" / "metrics.json"
    rewrite(path, lambda scores: scores["sampling"].update(whole=False, pairs={"drawn": 4, "of": 1622}))
    page = words_of(page_of(workspace))
    assert "prompts answered, of a drawn sample: 4 of 1,622 subject–relation pairs" in page
    assert "objects 3 of 5" in page


def test_prompts_together_and_wordings_are_on_the_page(workspace: Workspace) -> None:
    whole, scores = page_of(workspace), metrics_of("tiny")
    page = words_of(whole)
    vote, gain = scores["pooled"]["vote"], scores["pooled"]["vote_gain"]
    for number in (vote["value"], vote["low"], vote["high"], gain["value"], scores["pooled"]["any_prompt"]["value"]):
        assert f"{number:.2%}".replace("-", "−") in page
    assert "Accuracy of tiny when it may abstain" in whole
    assert "The &lt;capital&gt; of [X] is [Y]." in whole
    best = scores["templates"]["P36"][0]["acc@1"]
    assert f"{best['low']:.2%} to {best['high']:.2%}" in page


def test_scores_of_an_older_version_say_what_to_run_again(workspace: Workspace) -> None:
    path = workspace.evaluate / "tiny" / "metrics.json"
    rewrite(path, lambda scores: [scores.pop(key) for key in ("pooled", "templates")])
    assert "tiny was scored by an older version: evaluate it again" in words_of(page_of(workspace))


def test_a_model_asked_in_two_ways_has_two_names_and_no_order_with_itself(workspace: Workspace) -> None:
    scores = metrics_of("tiny")
    scores["sampling"] |= {"whole": False, "limits": {"pairs": 3, "templates": 2, "aliases": None}}
    folder = workspace.evaluate / "tiny-3-pairs-2-templates"
    write_json(folder / "metrics.json", scores)
    pq.write_table(predictions(), folder / "predictions.parquet")
    page = write_report(workspace).read_text(encoding="utf-8")
    assert ">tiny, 3 pairs with 2 templates<a" in page
    turning = page[page.index("Where the order of models turns") :]
    assert "other<br>tiny, 3 pairs with 2 templates" in turning
    assert "tiny<br>tiny, 3 pairs" not in turning
