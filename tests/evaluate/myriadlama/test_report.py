"""The report: one file, no outside requests, honest about simulation, notes and what is missing."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tashika.core.errors import InputError, MissingStageError
from tashika.core.files import write_json
from tashika.core.workspace import Workspace
from tashika.evaluate.myriadlama.belief import SinglePrompt, belief
from tashika.evaluate.myriadlama.predictions import COLUMNS, Predictions
from tashika.evaluate.myriadlama.report import write_report
from tests.evaluate.pages import rewrite, words_of

DIGEST = "d1" * 32
COUNTS = {"templates": 6, "manual_templates": 3, "unique_triples": 1234, "derived_triples": 77, "pairs": 5}


def metrics_of(name, note=None):
    """Scores of twelve made-up predictions: two relations, three templates each, one of them left out."""
    rows = [
        {
            "relation": relation,
            "pair": pair,
            "template_id": f"{relation}-{template}",
            "subject_alias_id": f"s{pair}",
            "rank": 1 + (pair + template) % 3,
            "top_token": template % 2,
            "top_probability": 0.1 + 0.2 * template,
            "problem": None,
        }
        for relation, pairs in (("P36", (0, 1)), ("P19", (2, 3)))
        for pair in pairs
        for template in range(3)
    ]
    rows[-1] |= {"rank": None, "top_token": None, "top_probability": None, "problem": "no object of one <token>"}
    table = pa.Table.from_pylist(rows).select(COLUMNS)
    scores = belief(Predictions.from_table(table), draws=50, bins=2, single=SinglePrompt({"P36-0"}, {"s0", "s1"}))
    drawn = {"drawn": 4, "of": 4}
    return {
        **scores.model_dump(mode="json"),
        "model": {
            "name": name,
            "kind": "masked",
            "revision": "rev-7",
            "dtype": "float32",
            "device": "cpu",
            "note": note,
        },
        "release": {"version": "0.1.0", "digest": DIGEST, "simulated": False},
        "versions": {"tashika": "0.1.0"},
        "sampling": {
            "whole": True,
            "seed": 0,
            "limits": {"pairs": None, "templates": None, "aliases": None},
            "pairs": drawn,
            "templates": drawn,
            "prompts": drawn,
        },
        "single_token": {name: {"kept": 3, "of": 5} for name in ("objects", "facts", "pairs")},
        "precision": None,
    }


VALIDATION = {
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
def workspace(tmp_path):
    workspace = Workspace(tmp_path, "myriadlama")
    write_json(workspace.evaluate / "tiny" / "metrics.json", metrics_of("tiny", "knows only the demo's world"))
    write_json(workspace.evaluate / "other" / "metrics.json", metrics_of("other & <b>bold</b>"))
    write_json(
        workspace.release / "release.json",
        {"suite": "myriadlama", "version": "0.1.0", "digest": DIGEST, "counts": COUNTS, "simulated": False},
    )
    (workspace.release / "templates").mkdir()
    labels = pa.table({"relation": ["P36", "P19"], "relation_label": ["capital", "place of birth"]})
    pq.write_table(labels, workspace.release / "templates" / "templates.parquet")
    return workspace


def page_of(workspace):
    return write_report(workspace).read_text(encoding="utf-8")


def test_the_page_is_whole_and_asks_nobody(workspace, assert_whole):
    page = page_of(workspace)
    assert_whole(page)


def test_every_number_of_a_model_is_there(workspace):
    page, scores = words_of(page_of(workspace)), metrics_of("tiny")
    spread = scores["fluctuation"]["mrr"]
    numbers = [scores[key] for key in ("acc@1", "acc@10", "mrr", "consist@1", "overconf@1", "overconf@10")]
    numbers += [spread["range"], spread["stdev"], scores["single_template"]["mrr"], scores["table_a1"]["mean"]]
    numbers += [scores["table_a2"]["subject"]["max"], scores["table_a2"]["template"]["consist@1"]]
    for number in numbers:
        assert f"{number:.4f}".replace("-", "−") in page
    assert "capital P36" in page
    assert "1,234" in page  # facts of the release
    assert "6,492,800" in page  # the paper's prompts
    assert "11 of 12" in page
    assert "no object of one &lt;token&gt;" in page
    assert "rev-7" in page
    assert DIGEST in page


def test_the_printed_reference_names_its_misprint(workspace):
    page = words_of(page_of(workspace))
    assert "BERT-base as printed" in page
    assert "0.1767" in page
    assert "cannot be" in page


def test_names_are_escaped(workspace):
    page = page_of(workspace)
    assert "<b>bold</b>" not in page
    assert "other &amp; &lt;b&gt;bold" in page


def test_a_model_s_note_is_shown(workspace):
    assert "knows only the demo's world" in words_of(page_of(workspace))


def test_without_simulation_the_word_does_not_appear(workspace):
    assert "imulated" not in words_of(page_of(workspace))


def test_simulated_annotators_are_called_so_wherever_they_stand(workspace):
    write_json(workspace.annotation / "validation.json", VALIDATION)
    page = words_of(page_of(workspace))
    assert "Simulated annotators. The template items were judged by 3 simulated annotators (programs);" in page
    assert "No person has validated these items" in page
    assert "Template items (simulated annotators)" in page
    assert "annotators 3 simulated annotators (programs), 119 votes" in page
    assert "agreement (simulated annotators) Krippendorff's alpha 0.6543" in page
    assert "77.5% (95 % interval 62.5% to 87.7%)" in page
    assert "ann errs in 2.0% of answers (seed 7)" in page


def test_people_and_programs_are_counted_apart(workspace):
    both, people = {"annotators": 5, "people": 2}, {"simulated": False, "simulation": None, "people": 3}
    kinds = {"template": {**VALIDATION["template"], **both}, "alias": {**VALIDATION["template"], **people}}
    write_json(workspace.annotation / "validation.json", kinds)
    page = words_of(page_of(workspace))
    assert "The template items were judged by 2 people and 3 simulated annotators (programs); the programs err" in page
    assert "No person has validated" not in page
    assert "Template items (people and simulated annotators)" in page
    assert "Alias items judged" in page
    assert "annotators 3 people, 119 votes" in page


def test_a_release_that_says_simulated_is_enough_for_the_banner(workspace):
    path = workspace.release / "release.json"
    write_json(path, {**json.loads(path.read_text()), "simulated": True})
    page = words_of(page_of(workspace))
    assert "Programs judged items of this release in the place of people, all or some of them." in page
    assert "No person has validated" not in page


def test_scores_of_another_release_are_pointed_out(workspace):
    path = workspace.release / "release.json"
    write_json(path, {**json.loads(path.read_text()), "digest": "ee" * 32})
    assert "tiny was scored on another release (d1d1d1d1d1d1)" in words_of(page_of(workspace))


def test_scores_alone_make_a_page(tmp_path):
    workspace = Workspace(tmp_path, "myriadlama")
    write_json(workspace.evaluate / "tiny" / "metrics.json", metrics_of("tiny"))
    page = words_of(page_of(workspace))
    assert "One model was asked 4 questions about the world in 12 wordings." in page
    assert "No summary of the annotation was found" in page


def test_a_drawn_sample_is_said_with_the_scores(workspace):
    path = workspace.evaluate / "tiny" / "metrics.json"
    rewrite(path, lambda scores: scores["sampling"].update(whole=False, pairs={"drawn": 4, "of": 1622}))
    page = words_of(page_of(workspace))
    assert "prompts answered, of a drawn sample: 4 of 1,622 subject–relation pairs" in page
    assert "objects 3 of 5" in page


def test_a_second_run_is_a_no_op_and_a_change_is_not(workspace, capsys):
    first = page_of(workspace)
    capsys.readouterr()
    assert page_of(workspace) == first
    assert "nothing to do" in capsys.readouterr().err
    write_json(workspace.evaluate / "third" / "metrics.json", metrics_of("third"))
    assert "3 models were asked" in words_of(page_of(workspace))


def test_the_same_scores_give_the_same_bytes(workspace):
    first = write_report(workspace).read_bytes()
    (workspace.evaluate / "report.html").unlink()
    assert write_report(workspace).read_bytes() == first


def test_no_scores(tmp_path):
    with pytest.raises(MissingStageError, match="no model has been scored yet"):
        write_report(Workspace(tmp_path, "myriadlama"))


def test_scores_that_lack_a_number(workspace):
    path = workspace.evaluate / "tiny" / "metrics.json"
    rewrite(path, lambda scores: scores.pop("consist@1"))
    with pytest.raises(InputError, match=r"tiny/metrics.json: consist@1: Field required") as error:
        write_report(workspace)
    assert error.value.hint == "Delete the file and evaluate the model again."
    assert not (workspace.evaluate / "report.html").exists()


def test_scores_that_are_not_json(workspace):
    (workspace.evaluate / "tiny" / "metrics.json").write_text('{"acc@1": ')
    with pytest.raises(InputError, match="not valid JSON"):
        write_report(workspace)
