"""The command: a small world through people and tiny models, and every kind of input that it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tashika.core.errors import InputError, MissingStageError
from tashika.core.suites.semrel.relata import RelataSettings
from tashika.core.workspace import Workspace
from tashika.evaluate.engine.tiny_training import new_model, save, tokenizer_of
from tashika.evaluate.semrel.probes import draw_targets, read_responses, read_source
from tashika.evaluate.semrel.settings import LookUp
from tests.evaluate.semrel.world import (
    ANTONYMY,
    HYPERNYMY,
    PEOPLE,
    RELATA,
    VOCABULARY,
    Shape,
    answers_of,
    item,
    metrics_of,
    probe_id,
    write_answers,
    write_items,
)

# --- people ---


def test_people_alone_are_scored_without_a_model(workspace: Workspace, run: Callable[..., Any]) -> None:
    write_answers(workspace)
    output = run("--people-only").output
    found = metrics_of(workspace, "people")
    assert found["model"]["kind"] == "people"
    assert found["n"] == 6
    assert found["problems"] == [{"problem": "nobody answered", "n": 2}]
    # dog: animal is first of 2 (2/3), pet second (1/3): mean 1/2. cat: animal first of 2: 2/3. niece: relative 2/3.
    assert found["alpha"]["hypernymy"]["hypernymy"] == pytest.approx((1 / 2 + 2 / 3 + 2 / 3) / 3)
    # dog's antonym cat is not among its hypernymy answers; cat's antonym dog is second of 2 (1/3).
    assert found["alpha"]["hypernymy"]["antonymy"] == pytest.approx(1 / 9)
    assert found["matrix"]["hypernymy"]["antonymy"] == pytest.approx((1 / 9) / (11 / 18))
    assert "0.18" in output
    assert "antonymy bias" in output
    assert found["source"]["dropped"] == {"control questions": 1}


def test_programs_in_place_of_people_are_scored_in_the_same_folder_and_named(
    workspace: Workspace, run: Callable[..., Any]
) -> None:
    write_answers(workspace, simulated=True)
    run("--people-only")
    assert [folder.name for folder in workspace.evaluate.iterdir()] == ["people"]
    found = metrics_of(workspace, "people")
    assert found["source"]["simulated"] is True
    assert "simulated" in found["model"]["note"]


def test_a_row_without_numbers_and_the_cells_behind_the_bias_are_told(
    workspace: Workspace, run: Callable[..., Any]
) -> None:
    write_answers(workspace, {("dog", "hypernymy"): [["animal"]], ("dog", "antonymy"): [["wolf"]]})
    told = " ".join(run("--people-only").output.split())
    assert "no row for ANT: none of the answers was a relatum: alpha(r, r) = 0" in told
    assert "(others taken for antonymy; 1 of 5 cells)" in told
    assert "(antonymy taken for others; 0 of 5 cells)" in told


def test_built_relata_of_several_words_are_read_as_people_write_them(workspace: Workspace) -> None:
    columns = {"target": "dog", "relation": "hypernymy", "word": "house_pet", "distance": 1, "origins": ["wordnet"]}
    write_items(workspace, "relatum", [item("relatum", ("dog", "hypernymy", "house_pet"), columns)])
    assert read_source(workspace).relata == {("dog", "hypernymy"): {"house pet"}}


def test_without_people_there_is_nothing_to_score(run: Callable[..., Any]) -> None:
    assert "no answers of people" in str(run("--people-only", expect=InputError))


def test_answers_to_other_probes_alone_are_refused(workspace: Workspace, run: Callable[..., Any]) -> None:
    write_answers(workspace, {("sky", "hypernymy"): [["thing"], ["thing"]]})
    error = str(run("--people-only", expect=InputError))
    assert "none of the 2 responses answers one of the 6 probes" in error


# --- models ---


def test_a_masked_model_answers_over_the_shared_vocabulary(
    workspace: Workspace, run: Callable[..., Any], masked: str
) -> None:
    import torch
    from transformers import AutoModelForMaskedLM, AutoTokenizer

    write_answers(workspace)
    run("--model", masked)
    rows = answers_of(workspace, "masked")
    assert {key: row["k"] for key, row in rows.items()} == {
        **dict.fromkeys(PEOPLE, 2),
        ("cat", "antonymy"): 3,  # the setting's, as nobody answered
        ("niece", "antonymy"): 3,
    }
    tokenizer, model = AutoTokenizer.from_pretrained(masked), AutoModelForMaskedLM.from_pretrained(masked).eval()
    ids = tokenizer("a dog is a kind of [MASK].", return_tensors="pt")
    with torch.inference_mode():
        logits = model(**ids).logits[0, -3]
    words = sorted(VOCABULARY[:-1], key=lambda word: -float(logits[tokenizer.convert_tokens_to_ids(word)]))
    assert rows["dog", "hypernymy"]["words"] == words[:2]
    found = metrics_of(workspace, "masked")
    assert found["coverage"]["split"] == {"n": 1, "such_as": ["uncle"]}
    assert found["reading"]["k"] == {"of_people": 4, "of_the_setting": 2, "setting": 3}
    assert found["against_people"] is not None
    assert metrics_of(workspace, "people")["scored"] == 4


def test_a_causal_model_is_read_behind_the_text(workspace: Workspace, run: Callable[..., Any], causal: str) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    output = run("--model", causal).output
    tokenizer, model = AutoTokenizer.from_pretrained(causal), AutoModelForCausalLM.from_pretrained(causal).eval()
    with torch.inference_mode():
        logits = model(tokenizer("a cat is the opposite of", return_tensors="pt")["input_ids"]).logits[0, -1]
    words = [word for word in VOCABULARY if word != "niece"]
    words.sort(key=lambda word: -float(logits[tokenizer.convert_tokens_to_ids(word)]))
    rows = answers_of(workspace, "causal")
    assert rows["cat", "antonymy"]["words"] == words[:3]
    assert (rows["niece", "antonymy"]["words"], rows["niece", "antonymy"]["problem"]) == (
        None,
        "the target is several tokens",
    )
    assert "2 the target is several tokens" in output
    found = metrics_of(workspace, "causal")
    assert found["against_people"] is None
    assert found["coverage"]["targets"] == {"asked": 2, "of": 3}


def test_split_targets_can_be_asked_all_the_same(workspace: Workspace, run: Callable[..., Any], causal: str) -> None:
    run("--model", causal, settings='split_targets = "asked"\n')
    assert answers_of(workspace, "causal")["niece", "antonymy"]["problem"] is None


def test_a_second_run_does_nothing_and_an_interrupted_one_resumes(
    workspace: Workspace, run: Callable[..., Any], masked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tashika.evaluate.semrel import scoring

    read, calls = scoring.read_blanks, []

    def killed(*arguments: Any) -> Any:
        calls.append(len(arguments[1]))
        if len(calls) == 2:
            raise KeyboardInterrupt
        return read(*arguments)

    monkeypatch.setattr(scoring, "read_blanks", killed)
    run("--model", masked, expect=SystemExit)
    run("--model", masked)
    assert calls == [4, 2, 2]  # the first chunk was kept
    [folder] = [one for one in workspace.evaluate.iterdir() if one.name.startswith("masked")]
    before = {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}
    assert "nothing to do" in run("--model", masked).output
    assert {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()} == before
    assert calls == [4, 2, 2]


def test_a_limit_draws_targets_and_keeps_apart(workspace: Workspace, run: Callable[..., Any], masked: str) -> None:
    write_answers(workspace)
    output = run("--model", masked, "--limit", "2").output
    assert sorted(folder.name.split("-", 1)[1] for folder in workspace.evaluate.iterdir())[0] == "2-targets"
    assert metrics_of(workspace, "masked")["source"]["drawn"] == {"targets": 2, "of": 3}
    assert "a sample: 2 of 3 targets" in output


def test_a_draw_keeps_all_probes_of_a_target(workspace: Workspace) -> None:
    source = read_source(workspace)
    for seed in range(5):
        drawn = draw_targets(source, 1, seed)
        assert [probe for probe in source.probes if probe.target in drawn.targets] == list(drawn.probes)
        assert len(drawn.probes) == 2
    assert draw_targets(source, 3, 0) is source


def test_a_dry_run_says_what_it_would_do(workspace: Workspace, run: Callable[..., Any], causal: str) -> None:
    output = run("--model", causal, "--dry-run").output
    assert "of 6 probes on 3 targets it would be asked those on 2, over 7 of 8 shared words" in " ".join(output.split())
    assert not workspace.evaluate.exists()


# --- a response file ---


@pytest.fixture
def responses(tmp_path: Path) -> Path:
    return tmp_path / "published.json"


@pytest.mark.slow
def test_a_response_file_brings_probes_and_people(
    workspace: Workspace, run: Callable[..., Any], masked: str, responses: Path
) -> None:
    content = {
        "dog": {"hyp": {HYPERNYMY: [["Animals", "a pet"], ["animal", ""]]}, "oops": {HYPERNYMY: [["x"]]}},
        "cat": {"hyp": {HYPERNYMY: [["animal"], [" ".join(["word"] * 500)]]}},
        "ghost": {"hyp": {HYPERNYMY: [["spirit"], ["spirit"]]}},
    }
    responses.write_text(json.dumps(content))
    output = run("--model", masked, "--responses", str(responses)).output
    told = " ".join(output.split())
    for line in (
        "1 probes of the unknown relation 'oops'",
        "1 answers that are empty",
        "1 answers of more than 10 words",
        "1 targets without relata of the relation asked for",
    ):
        assert line in told
    people, found = answers_of(workspace, "people"), metrics_of(workspace, "people")
    assert people["dog", "hypernymy"]["words"] == ["animal", "pet"]
    assert people["dog", "hypernymy"]["item_id"] == probe_id(("dog", "hypernymy", HYPERNYMY))
    assert found["left_out"] == {"its target has no relata of its relation": 1}
    assert found["alpha"]["hypernymy"]["hypernymy"] == pytest.approx((1 / 2 + 1 / 2) / 2)  # 2/3 and 1/3; 1 of 1
    assert sorted(folder.name.rsplit("-", 1)[1] for folder in workspace.evaluate.iterdir()) == ["published"] * 2
    assert answers_of(workspace, "masked")["cat", "hypernymy"]["k"] == 1


def test_a_response_file_needs_no_build(
    run: Callable[..., Any], workspace: Workspace, masked: str, responses: Path
) -> None:
    import shutil

    shutil.rmtree(workspace.items)
    responses.write_text(json.dumps({"dog": {"hyp": {HYPERNYMY: [["animal"]]}}}))
    output = run("--model", masked, "--responses", str(responses)).output
    assert "of the models named here" in " ".join(output.split())
    assert metrics_of(workspace, "masked")["vocabulary"]["origin"] == "models"


@pytest.mark.slow
def test_without_a_build_people_do_not_change_with_the_models_of_a_call(
    run: Callable[..., Any],
    workspace: Workspace,
    masked: str,
    causal: str,
    responses: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import shutil

    shutil.rmtree(workspace.items)
    answers = {"dog": {"ant": {ANTONYMY: [["cat"]]}}, "niece": {"hyp": {HYPERNYMY: [["relative", "niece"]]}}}
    responses.write_text(json.dumps(answers))
    monkeypatch.setitem(RELATA, ("dog", "antonymy"), ["cat", "wolf"])  # no model has the wolf
    told = " ".join(run("--people-only", "--responses", str(responses)).output.split())
    whole = workspace.evaluate / "people-published-whole" / "metrics.json"
    before = whole.read_bytes()
    limited = " ".join(run("--model", masked, "--responses", str(responses)).output.split())
    run("--model", causal, "--responses", str(responses))
    assert "relata: all of them" in told
    assert whole.read_bytes() == before
    people = [one for one in workspace.evaluate.glob("people-*") if one.name != "people-published-whole"]
    assert len(people) == 2  # one for each vocabulary
    for folder in people:
        mark = folder.name.removeprefix("people-published-")
        found = json.loads((folder / "metrics.json").read_text())
        assert found["source"]["relata"]["limited_to"]["digest"].startswith(mark)
        assert found["alpha"]["antonymy"]["antonymy"] == pytest.approx(1 / 2)  # the cat alone; whole: half of it
        assert len(list(workspace.evaluate.glob(f"*-published-{mark}"))) == 2  # people, and the model
    marks = [folder.name.removeprefix("people-published-") for folder in people]
    assert any(f"relata: limited to the vocabulary {mark} of the models named here" in limited for mark in marks)
    assert json.loads(before)["alpha"]["antonymy"]["antonymy"] == pytest.approx(1 / 4)


def test_relata_of_several_words_are_read_as_people_write_them(
    run: Callable[..., Any], workspace: Workspace, responses: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import shutil

    shutil.rmtree(workspace.items)
    monkeypatch.setitem(RELATA, ("ghost", "hypernymy"), ["house_pet"])
    responses.write_text(json.dumps({"ghost": {"hyp": {HYPERNYMY: [["a house pet"]]}}}))
    run("--people-only", "--responses", str(responses), settings="[build.relata]\none_word = false\n")
    assert metrics_of(workspace, "people")["alpha"]["hypernymy"]["hypernymy"] == pytest.approx(1 / 2)


def test_people_alone_without_a_build_are_on_all_relata_and_say_so_or_name_a_vocabulary(
    run: Callable[..., Any], workspace: Workspace, masked: str, responses: Path, tmp_path: Path
) -> None:
    import shutil

    shutil.rmtree(workspace.items)
    responses.write_text(json.dumps({"dog": {"hyp": {HYPERNYMY: [["animal"]]}}}))
    told = " ".join(run("--people-only", "--responses", str(responses)).output.split())
    assert "confusability on published.json, on relata that no vocabulary limits" in told
    assert "Not comparable with numbers beside models; --vocabulary NAME limits them" in told
    words = tmp_path / "words.txt"
    words.write_text("animal\ncat\n")
    told = " ".join(run("--people-only", "--responses", str(responses), "--vocabulary", str(words)).output.split())
    assert "no vocabulary limits" not in told
    found = {file.parent.name: json.loads(file.read_text()) for file in workspace.evaluate.glob("*/metrics.json")}
    alphas = {name: metrics["alpha"]["hypernymy"]["hypernymy"] for name, metrics in found.items()}
    whole = alphas.pop("people-published-whole")
    assert whole == pytest.approx(1 / 4)  # "pet" is a relatum too, and nobody gave it
    assert list(alphas.values()) == [pytest.approx(1 / 2)]


def test_a_vocabulary_is_for_people_alone_and_where_nothing_is_built(
    run: Callable[..., Any], workspace: Workspace, masked: str, responses: Path
) -> None:
    responses.write_text(json.dumps({"dog": {"hyp": {HYPERNYMY: [["animal"]]}}}))
    line = ("--people-only", "--responses", str(responses), "--vocabulary", masked)
    assert "beside a build, which has its own" in str(run(*line, expect=InputError))
    assert "without --people-only" in str(run("--model", masked, "--vocabulary", masked, expect=InputError))
    assert "without --people-only" in str(run("--people-only", "--vocabulary", masked, expect=InputError))


def test_the_reading_and_the_ties_are_settings_and_ask_no_model_again(
    workspace: Workspace, run: Callable[..., Any], masked: str
) -> None:
    write_answers(workspace)
    run("--model", masked)
    [file] = workspace.evaluate.glob("masked*/answers.parquet")
    before, asked = metrics_of(workspace, "people"), file.stat().st_mtime_ns
    output = run("--model", masked, settings='equation_2 = "printed"\nties = "mean"\n').output
    after = metrics_of(workspace, "people")
    assert "equation 2 is read: as printed" in output
    assert before["statistics"]["equation_2"] == "with_relata"
    assert (after["statistics"]["equation_2"], after["statistics"]["ties"]) == ("printed", "mean")
    assert after["matrix"] == after["readings"]["printed"]["matrix"]
    assert file.stat().st_mtime_ns == asked


def test_a_response_files_people_and_models_read_the_same_article(
    run: Callable[..., Any], workspace: Workspace, responses: Path
) -> None:
    responses.write_text(json.dumps({"dog": {"hyp": {"the {0} is the {1}": [["animal"]]}}}))
    look_up = LookUp(RelataSettings(), None, None)
    [probe] = read_responses(responses, look_up, None).probes
    assert (probe.prompt, probe.text) == ("[DET] [W] is [DET] [V]", "the dog is the")
    [probe] = read_responses(responses, look_up._replace(articles="by_sound"), None).probes
    assert probe.text == "a dog is"


def test_a_file_whose_targets_have_no_relata_is_refused(run: Callable[..., Any], responses: Path) -> None:
    responses.write_text(json.dumps({"ghost": {"hyp": {HYPERNYMY: [["spirit"]]}, "ant": {ANTONYMY: [["body"]]}}}))
    error = str(run("--people-only", "--responses", str(responses), expect=InputError))
    assert "none of the 2 probes can be scored" in error
    assert "'ghost'" in error


def test_a_file_of_unknown_relations_alone_is_refused(run: Callable[..., Any], responses: Path) -> None:
    responses.write_text(json.dumps({"dog": {"friend": {HYPERNYMY: [["cat"]]}}}))
    error = str(run("--people-only", "--responses", str(responses), expect=InputError))
    assert "1 probes of the unknown relation 'friend'" in error


def test_a_prompt_that_cannot_be_filled_is_told(run: Callable[..., Any], responses: Path) -> None:
    responses.write_text(json.dumps({"dog": {"hyp": {"[FOO] [W] is [V]": [["animal"]]}}}))
    assert "found [FOO]" in str(run("--people-only", "--responses", str(responses), expect=InputError))


# --- what is refused ---


def test_a_model_that_splits_every_target_is_refused(
    run: Callable[..., Any], workspace: Workspace, tmp_path: Path
) -> None:
    words = ["a", "is", "kind", "of", "the", "opposite", ".", "animal"]
    tokenizer = tokenizer_of(dict.fromkeys(words, 1) | dict.fromkeys("dogcatniece", 1), len(words) + 10, ())
    save(new_model(len(tokenizer), Shape()), tokenizer, tmp_path / "splitter")
    assert "splits all 3 targets" in str(run("--model", str(tmp_path / "splitter"), expect=InputError))
    assert not workspace.evaluate.exists()


def test_options_that_contradict_each_other(run: Callable[..., Any], masked: str) -> None:
    assert "nothing to score" in str(run(expect=InputError))
    assert "beside --people-only" in str(run("--people-only", "--model", masked, expect=InputError))
    assert "without --show" in str(run("--people-only", "--relation", "antonymy", expect=InputError))


def test_without_a_build_it_says_what_to_run(run: Callable[..., Any], workspace: Workspace, masked: str) -> None:
    workspace.item_file("probe").unlink()
    assert "tashika build semrel" in str(run("--model", masked, expect=MissingStageError))


# --- Table 2 ---


@pytest.mark.slow
def test_a_target_is_shown_with_every_system_and_people_last(
    workspace: Workspace, run: Callable[..., Any], masked: str
) -> None:
    write_answers(workspace)
    run("--model", masked)
    shown = run("--show", "niece").output
    assert shown.index("HYP: ") < shown.index("ANT: ")
    lines = [line for line in shown.splitlines() if "│" in line]
    assert [line.split("│")[1].strip().split("-")[0] for line in lines[:2]] == ["masked" + _suffix(workspace), "people"]
    assert "relative" in lines[1]
    assert "(nobody answered)" in shown
    assert "ANT: " not in run("--show", "niece", "--relation", "hypernymy").output


def _suffix(workspace: Workspace) -> str:
    [name] = [one.name for one in workspace.evaluate.iterdir() if one.name.startswith("masked")]
    return name.removeprefix("masked").split("-")[0]


def test_what_cannot_be_shown(workspace: Workspace, run: Callable[..., Any]) -> None:
    assert "no system has been scored" in str(run("--show", "niece", expect=MissingStageError))
    write_answers(workspace)
    run("--people-only")
    assert "Similar: niece" in str(run("--show", "neice", expect=InputError))
    assert "found the relation 'hyp'" in str(run("--show", "niece", "--relation", "hyp", expect=InputError))
    assert "the synonymy of 'niece'" in str(run("--show", "niece", "--relation", "synonymy", expect=InputError))
