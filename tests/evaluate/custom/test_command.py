"""A suite file's section [evaluate] through tiny models and a fake endpoint, from the command line to the scores."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from tashika.core.custom.suite import CustomSuite
from tashika.core.errors import ConfigError, InputError, OutsideError
from tashika.core.files import read_json
from tashika.core.workspace import Workspace
from tashika.evaluate.command import app
from tests.evaluate.conftest import Chat
from tests.evaluate.custom.toys import (
    CLOZE,
    FACTS,
    MOOD_ROWS,
    MOODS,
    QUESTIONS,
    RIDDLE_ROWS,
    RIDDLES,
    SUM_ROWS,
    release_of,
    suite_of,
)
from tests.evaluate.pages import words_of

Say = Callable[[Callable[[str], str | tuple[int, str]]], Chat]
LABELS = ("good", "bad", "neither")


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Any]:
    """Runs `tashika evaluate FILE`."""

    def call(suite: CustomSuite, *arguments: str, expect: type[BaseException] | None = None) -> Any:
        line = [str(suite.path), *arguments, "--work", str(tmp_path / "work")]
        result = CliRunner().invoke(app, line)
        if expect is None:
            assert result.exit_code == 0, f"{result.output}\n{result.exception!r}"
        else:
            assert isinstance(result.exception, expect), f"{result.output}\n{result.exception!r}"
        return result

    return call


@pytest.fixture
def given(tmp_path: Path) -> Callable[..., tuple[CustomSuite, Workspace]]:
    """A suite file and its release."""

    def make(
        text: str, rows: Sequence[Mapping[str, Any]], names: Sequence[str] = (), **changes: str
    ) -> tuple[CustomSuite, Workspace]:
        suite = suite_of(tmp_path / "suite", text, **changes)
        return suite, release_of(suite, tmp_path / "work", rows, names=names)

    return make


def scores(workspace: Workspace) -> dict[str, Any]:
    [path] = workspace.evaluate.glob("*/metrics.json")
    found: dict[str, Any] = read_json(path)
    return found


def predictions(workspace: Workspace) -> list[dict[str, Any]]:
    [path] = workspace.evaluate.glob("*/predictions.parquet")
    return pq.read_table(path).to_pylist()


# --- likelihoods ---


@pytest.mark.parametrize("way", ["likelihood", "letter"])
def test_options_are_chosen_by_likelihood_or_letter(
    run: Any, given: Any, tiny_model: Callable[[str], str], way: str
) -> None:
    suite, workspace = given(RIDDLES, RIDDLE_ROWS, way=f'"{way}"', cue='"A:"')
    run(suite, "--model", tiny_model("gpt2"), "--device", "cpu")
    rows, found = predictions(workspace), scores(workspace)
    assert [len(row["scores"]) for row in rows] == [2, 3, 2, 2]
    for row, riddle in zip(rows, RIDDLE_ROWS, strict=True):
        lengths = [1 if way == "letter" else len(option) for option in riddle["options"]]
        values = [score / length for score, length in zip(row["scores"], lengths, strict=True)]
        assert row["place"] == values.index(max(values))
        assert row["answer"] == riddle["options"][row["place"]]
        assert row["correct"] == (row["place"] == riddle["answer"])
    right = sum(row["correct"] for row in rows)
    assert found["score"]["value"] == right / 4
    # 1/2 of three questions and 1/3 of one; both places are right twice; the longest option is wrong once
    assert found["baselines"] == {"chance": pytest.approx(11 / 24), "majority": 0.5, "longest": 0.75}
    assert set(found["by"]["place"]) == {"house", "field"}


def test_labels_are_scored_by_their_words(run: Any, given: Any, tiny_model: Callable[[str], str]) -> None:
    words = '{ good = "very good news", bad = "bad", neither = "neither" }'
    suite, workspace = given(MOODS, MOOD_ROWS, LABELS, labels=words, norm='"none"')
    run(suite, "--model", tiny_model("llama"), "--device", "cpu")
    rows, found = predictions(workspace), scores(workspace)
    assert [row["expected"] for row in rows] == ["good", "bad", "neither", "good"]
    assert all(row["answer"] == LABELS[row["scores"].index(max(row["scores"]))] for row in rows)
    assert sum(map(sum, found["confusion"]["counts"])) == 4
    assert found["measure"] == "macro F1"
    assert found["accuracy"]["n"] == 4


@pytest.mark.slow
def test_the_page_of_blanks_has_ranks(
    run: Any, given: Any, tiny_model: Callable[[str], str], assert_whole: Callable[[str], None]
) -> None:
    suite, workspace = given(CLOZE, FACTS)
    run(suite, "--model", tiny_model("bert"), "--device", "cpu")
    page = suite.load("evaluate").write_report(workspace).read_text(encoding="utf-8")
    assert_whole(page.replace("{{ subject }}", ""))  # of the prompt, which stands in the provenance
    words = words_of(page)
    assert "MRR acc@1 acc@5 acc@10" in words
    assert "1 no single-token object" in words
    assert "The capital of Georgia is [BLANK]. right: Xyzzyqwvk Plugh" in words


@pytest.mark.parametrize("family", ["bert", "gpt2"])
def test_blanks_are_filled_by_both_kinds_of_model(
    run: Any, given: Any, tiny_model: Callable[[str], str], family: str
) -> None:
    suite, workspace = given(CLOZE, FACTS)
    run(suite, "--model", tiny_model(family), "--device", "cpu")
    rows, found = predictions(workspace), scores(workspace)
    assert rows[2]["problem"] == "no single-token object"
    ranks = [row["rank"] for row in rows if row["rank"] is not None]
    assert found["counted"] == len(ranks) == found["questions"] - sum(found["problems"].values())
    if ranks:
        assert found["ranks"]["mrr"]["value"] == pytest.approx(sum(1 / rank for rank in ranks) / len(ranks))


def test_a_causal_model_takes_no_blank_inside_a_text(run: Any, given: Any, tiny_model: Callable[[str], str]) -> None:
    suite, workspace = given(CLOZE, FACTS[:1], prompt='"[BLANK] is the capital of {{ subject }}."')
    run(suite, "--model", tiny_model("gpt2"), "--device", "cpu")
    assert [row["problem"] for row in predictions(workspace)] == ["blank is not at the end"]
    assert scores(workspace)["score"] == {"n": 0, "value": None}


def test_several_devices_give_the_same_bytes(
    run: Any, given: Any, tiny_model: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tashika.evaluate.custom.recipe.CPU_QUESTIONS", 1)
    suite, workspace = given(RIDDLES, RIDDLE_ROWS)
    found = []
    for device in ("cpu", "cpu,cpu"):
        run(suite, "--model", tiny_model("gpt2"), "--device", device)
        [path] = workspace.evaluate.glob("*/predictions.parquet")
        found.append(path.read_bytes())
        path.unlink()
    assert found[0] == found[1]


def test_a_second_run_does_nothing(run: Any, given: Any, tiny_model: Callable[[str], str]) -> None:
    suite, _ = given(RIDDLES, RIDDLE_ROWS)
    first = run(suite, "--model", tiny_model("gpt2"), "--device", "cpu")
    again = run(suite, "--model", tiny_model("gpt2"), "--device", "cpu")
    assert "nothing to do" not in first.stderr
    assert again.stderr.count("nothing to do") == 2


def test_other_columns_to_count_by_ask_no_model_again(run: Any, given: Any, tiny_model: Callable[[str], str]) -> None:
    suite, _ = given(RIDDLES, RIDDLE_ROWS)
    run(suite, "--model", tiny_model("gpt2"), "--device", "cpu")
    suite, workspace = given(RIDDLES, RIDDLE_ROWS, by='["answer"]')
    again = run(suite, "--model", tiny_model("gpt2"), "--device", "cpu")
    assert again.stderr.count("nothing to do") == 1
    assert set(scores(workspace)["by"]) == {"answer"}


def test_a_limit_draws_the_same_items_for_all_and_says_so(
    run: Any, given: Any, tiny_model: Callable[[str], str]
) -> None:
    suite, workspace = given(RIDDLES, RIDDLE_ROWS)
    result = run(
        suite, "--model", tiny_model("gpt2"), "--model", tiny_model("llama"), "--device", "cpu", "--limit", "2"
    )
    assert "a sample: 2 of 4 items (seed 0)" in result.stdout
    asked = [
        [row["item_id"] for row in pq.read_table(path).to_pylist()]
        for path in workspace.evaluate.glob("*-2-items/predictions.parquet")
    ]
    assert len(asked) == 2
    assert asked[0] == asked[1]
    assert len(asked[0]) == 2


# --- in words ---


def test_an_endpoint_is_asked_for_letters_and_what_it_says_is_read(run: Any, given: Any, chat: Say) -> None:
    suite, workspace = given(RIDDLES, RIDDLE_ROWS)
    replies = {"keys": "A", "legs": "Answer: B", "arms": "I do not know", "hurt": "the rain"}
    server = chat(lambda prompt: next(reply for word, reply in replies.items() if word in prompt))
    result = run(suite, "--model", "m", "--endpoint", server.url)
    rows, found = predictions(workspace), scores(workspace)
    assert [row["place"] for row in rows] == [0, 1, None, 1]
    assert [row["correct"] for row in rows] == [True, True, False, True]  # what cannot be read is wrong
    assert found["score"]["value"] == 0.75
    assert found["problems"] == {"unparsable after 1 attempt: prose": 1}
    assert "m: 1 unparsable after 1 attempt: prose" in result.stdout
    [system, question] = server.asked[0]["messages"]
    assert system["content"] == "Answer with the letter of the right option alone."
    assert question["content"].endswith("Answer:")
    count = len(server.asked)
    run(suite, "--model", "m", "--endpoint", server.url)
    assert len(server.asked) == count


def test_an_endpoint_is_told_the_labels(run: Any, given: Any, chat: Say) -> None:
    suite, workspace = given(MOODS, MOOD_ROWS, LABELS)
    server = chat(lambda prompt: "Good." if "sun" in prompt else "bad" if "roof" in prompt else "good or bad")
    run(suite, "--model", "m", "--endpoint", server.url)
    found = scores(workspace)
    assert server.asked[0]["messages"][-1]["content"].endswith("Answer with one of these alone: good, bad, neither.")
    assert found["confusion"]["labels"] == list(LABELS)
    assert found["confusion"]["counts"] == [[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 0, 1]]
    # F1: good 2*1/(2+1), bad 1, neither 0
    assert found["confusion"]["f1"] == [pytest.approx(2 / 3), 1.0, 0.0]
    assert found["score"]["value"] == pytest.approx((2 / 3 + 1) / 3)
    assert found["accuracy"]["value"] == 0.5


def test_a_model_stands_beside_the_people_who_labelled(run: Any, given: Any, chat: Say) -> None:
    suite, workspace = given(MOODS, MOOD_ROWS, LABELS)
    run(suite, "--model", "m", "--endpoint", chat(lambda _: "good").url)
    people = scores(workspace)["people"]
    assert people["majority"]["value"] == 0.5
    # [3,0,0]: all 3 agree with the rest. [0,2,1]: the two have 1:1 behind them, the third has 2 against it.
    # [1,0,2]: the same. [2,1,0]: the same. So 3 of 6 decided pairs agree, and 6 pairs are tied.
    assert people["one"] == {"n": 6, "value": 0.5, "low": people["one"]["low"], "high": people["one"]["high"]}
    assert people["undecided"] == 6
    # good is what the rest say 3 times of [3,0,0] and once of [2,1,0]
    assert people["model"]["value"] == pytest.approx(4 / 6)


@pytest.mark.parametrize(
    ("match", "target", "says", "right"),
    [
        ("number", "result", ["It is 4.", "1,234.5", "−2", "7 times 0 is 0"], [1, 1, 1, 1]),
        ("number", "result", ["4 or 5", "none", "2", "0.0"], [0, 0, 0, 1]),
        ("exact", "words", ["four", "A lot", "minus two ", "nil"], [1, 0, 1, 0]),
        ("normalised", "words", ["Four!", "A  lot.", "minus-two", "no one"], [1, 1, 1, 0]),
        ("contains", "words", ["It is four", "alot", "it's minus two", "nonesuch"], [1, 0, 1, 0]),
    ],
)
def test_answers_in_words_are_matched(
    run: Any, given: Any, chat: Say, match: str, target: str, says: list[str], right: list[int]
) -> None:
    suite, workspace = given(QUESTIONS, SUM_ROWS, match=f'"{match}"', target=f'"{target}"')
    replies = {row["text"]: reply for row, reply in zip(SUM_ROWS, says, strict=True)}
    run(suite, "--model", "m", "--endpoint", chat(lambda prompt: replies[prompt]).url)
    assert [int(row["correct"]) for row in predictions(workspace)] == right


def test_a_pattern_takes_a_part_of_the_reply(run: Any, given: Any, chat: Say) -> None:
    changes = {"match": '"pattern"', "pattern": "'answer is (\\w+)'", "target": '"words"'}
    suite, workspace = given(QUESTIONS, SUM_ROWS[:2], **changes)
    run(suite, "--model", "m", "--endpoint", chat(lambda p: "the answer is four, no" if "2 + 2" in p else "four").url)
    assert [(row["answer"], row["correct"]) for row in predictions(workspace)] == [("four", True), (None, False)]
    assert scores(workspace)["problems"] == {"the pattern is not in the reply": 1}


def test_a_model_here_answers_in_words(run: Any, given: Any, tiny_model: Callable[[str], str]) -> None:
    suite, workspace = given(QUESTIONS, SUM_ROWS)
    run(suite, "--model", tiny_model("gpt2"), "--device", "cpu")
    assert all(row["reply"] is not None for row in predictions(workspace))
    assert scores(workspace)["counted"] == 4


def test_a_refused_question_is_a_row_and_a_silent_endpoint_an_error(
    run: Any, given: Any, chat: Say, never_waits: None
) -> None:
    suite, workspace = given(QUESTIONS, SUM_ROWS)
    refusing = chat(lambda prompt: (400, "no such sum") if "2 + 2" in prompt else "0")
    run(suite, "--model", "m", "--endpoint", refusing.url)
    row = predictions(workspace)[0]
    assert "no such sum" in row["problem"]
    assert row["correct"] is None
    assert scores(workspace)["counted"] == 3
    silent = chat(lambda prompt: (500, "out of memory") if "1 - 3" in prompt else "0")
    result = run(suite, "--model", "other", "--endpoint", silent.url, expect=OutsideError)
    assert "missing_replies = true in [evaluate]" in result.exception.hint


# --- a judge ---


@pytest.fixture
def judged(given: Any, chat: Say) -> tuple[CustomSuite, Workspace, str]:
    """Sums that are answered at some length, and a judge of the answers, at one endpoint."""
    rubric = '"Rate the answer {{ reply }} to {{ text }} from 1 to 5."'
    suite, workspace = given(
        QUESTIONS, SUM_ROWS, task='"judge"', rubric=rubric, target='"rated"', match="", max_tokens="32"
    )
    lengths = {"2 + 2": 4, "1000 + 234.5": 3, "1 - 3": 1, "0 * 7": 2}
    marks = {"2 + 2": "5/5", "1000 + 234.5": "Score: 4", "1 - 3": "2", "0 * 7": "between 2 and 3"}

    def say(prompt: str) -> str:
        text = next(text for text in lengths if text in prompt)
        return marks[text] if prompt.startswith("Rate") else "x" * lengths[text]

    server = chat(say)
    return suite, workspace, server.url


def test_a_judge_scores_answers_and_its_bias_is_measured(run: Any, judged: Any) -> None:
    suite, workspace, url = judged
    arguments = ("--model", "m", "--endpoint", url, "--judge-model", "j", "--judge-endpoint", url)
    run(suite, *arguments)
    found = scores(workspace)
    assert [row["score"] for row in predictions(workspace)] == [5.0, 4.0, 2.0, None]
    assert found["score"]["value"] == pytest.approx(11 / 3)
    assert found["problems"] == {"judge: unparsable after 1 attempt: several numbers": 1}
    assert found["judged"]["by_length"]["r"] == pytest.approx(1.0)
    assert found["judged"]["with_target"]["r"] == pytest.approx(1.0)
    assert found["judged"]["error"] == pytest.approx(1 / 3)  # 5, 4, 2 against 5, 4, 1
    assert found["judged"]["itself"] is False
    assert found["asking"]["judge"]["name"] == "j"


@pytest.mark.slow
def test_a_judge_of_its_own_answers_is_pointed_out(run: Any, judged: Any) -> None:
    suite, workspace, url = judged
    asked = ("--model", "m", "--endpoint", url, "--judge-endpoint", url)
    run(suite, *asked, "--judge-model", "j")
    itself = (*asked, "--judge-model", "m")
    assert "m judged its own answers" in run(suite, *itself).stdout
    page = words_of(suite.load("evaluate").write_report(workspace).read_text(encoding="utf-8"))
    assert "its mean score of the judge is 3.67" in page
    assert "score with length Spearman's r +1.00" in page
    assert "which is the model itself" in page
    assert re.search(r"is left out: scored otherwise \([^)]*judge: m \(", page)  # two judges have no common measure


@pytest.mark.parametrize(
    ("task", "arguments", "told"),
    [
        ("judge", (), "needs a judge"),
        ("generate", ("--judge-model", "j"), "needs no judge"),
    ],
)
def test_a_judge_is_named_where_one_is_needed_and_only_there(
    run: Any, given: Any, task: str, arguments: tuple[str, ...], told: str
) -> None:
    changes = {"task": '"judge"', "rubric": '"Rate {{ reply }}."', "match": ""} if task == "judge" else {}
    suite, _ = given(QUESTIONS, SUM_ROWS, **changes)
    result = run(suite, "--model", "m", "--endpoint", "http://127.0.0.1:9/v1", *arguments, expect=InputError)
    assert told in str(result.exception)


# --- examples and templates ---


def test_examples_stand_before_each_question_the_same_for_all(run: Any, given: Any, chat: Say, tmp_path: Path) -> None:
    suite, workspace = given(RIDDLES, RIDDLE_ROWS, few_shot="1", few_shot_split='"validation"')
    more = [{**RIDDLE_ROWS[0], "text": f"What is number {number}?"} for number in range(3)]
    release_of(suite, tmp_path / "work", more, "validation")
    server = chat(lambda _: "A")
    run(suite, "--model", "m", "--endpoint", server.url)
    starts = {body["messages"][-1]["content"].split("\n\n")[0] for body in server.asked}
    assert len(starts) == 1
    [example] = scores(workspace)["asking"]["examples"]
    number = example.removeprefix("validation-")
    assert starts == {f"What is number {number}?\nA. a piano\nB. a locksmith\nAnswer: A"}


def test_too_few_examples_are_an_error(run: Any, given: Any, tmp_path: Path) -> None:
    suite, _ = given(RIDDLES, RIDDLE_ROWS, few_shot="3", few_shot_split='"validation"')
    release_of(suite, tmp_path / "work", RIDDLE_ROWS[:1], "validation")
    result = run(suite, "--model", "m", "--endpoint", "http://127.0.0.1:9/v1", expect=InputError)
    assert "few_shot is 3, and the part that examples are drawn from has 1" in str(result.exception)


# --- what cannot be asked ---


@pytest.mark.parametrize("text", [RIDDLES, MOODS, QUESTIONS])
def test_a_masked_model_fills_blanks_alone(run: Any, given: Any, tiny_model: Callable[[str], str], text: str) -> None:
    rows = {RIDDLES: RIDDLE_ROWS, MOODS: MOOD_ROWS, QUESTIONS: SUM_ROWS}[text]
    suite, _ = given(text, rows)
    result = run(suite, "--model", tiny_model("bert"), expect=InputError)
    assert "this is a masked model" in str(result.exception)


def test_a_file_without_the_section_says_so(run: Any, tmp_path: Path) -> None:
    suite = suite_of(tmp_path / "suite", RIDDLES)
    suite.path.write_text(suite.path.read_text().partition("[evaluate]")[0])
    result = run(suite, "--model", "m", expect=ConfigError)
    assert "it has no section [evaluate]" in str(result.exception)


def test_help_loads_nothing_heavy(tmp_path: Path) -> None:
    suite = suite_of(tmp_path / "suite", RIDDLES)
    script = (
        "import sys; from typer.testing import CliRunner; from tashika.evaluate.command import app; "
        f"result = CliRunner().invoke(app, [{str(suite.path)!r}, '--help']); assert '--judge-model' in result.output; "
        "print([name for name in ('torch', 'transformers', 'pyarrow', 'numpy', 'openai') if name in sys.modules])"
    )
    environment = {**os.environ, "COLUMNS": "200"}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.strip() == "[]"


def test_a_dry_run_asks_nobody(run: Any, given: Any, chat: Say, tiny_model: Callable[[str], str]) -> None:
    suite, workspace = given(QUESTIONS, SUM_ROWS)
    server = chat(lambda _: "4")
    result = run(suite, "--model", "m", "--endpoint", server.url, "--dry-run")
    assert "would be asked 4 questions; at most 4 requests to m" in result.stderr
    result = run(suite, "--model", tiny_model("gpt2"), "--device", "cpu", "--dry-run")
    assert "would be asked 4 questions" in result.stderr
    assert not server.asked
    assert not workspace.evaluate.exists()


@pytest.mark.slow
@pytest.mark.usefixtures("ray")
def test_ray_gives_the_same_bytes(
    run: Any, given: Any, tiny_model: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tashika.evaluate.custom.recipe.CPU_QUESTIONS", 1)
    suite, workspace = given(RIDDLES, RIDDLE_ROWS)
    found = []
    for engine in ("local", "ray"):
        run(suite, "--model", tiny_model("gpt2"), "--device", "cpu", "--engine", engine)
        [path] = workspace.evaluate.glob("*/predictions.parquet")
        found.append(path.read_bytes())
        path.unlink()
    assert found[0] == found[1]


TUNED = {"train_split": '"train"', "validation_split": '"validation"', "epochs": "1", "learning_rate": "0.01"}
THREE = "splits = { train = 0.4, validation = 0.2, test = 0.4 }"
SPLIT_MOODS = MOODS.replace("[evaluate]", f"[export]\n{THREE}\n[evaluate]")


@pytest.mark.slow
def test_a_masked_model_is_fine_tuned_on_another_part(run: Any, given: Any, toy_encoder: Path, tmp_path: Path) -> None:
    suite, workspace = given(SPLIT_MOODS, MOOD_ROWS, LABELS, **TUNED)
    for part in ("train", "validation"):
        release_of(suite, tmp_path / "work", MOOD_ROWS, part, LABELS)
    run(suite, "--model", str(toy_encoder), "--device", "cpu")
    rows, found = predictions(workspace), scores(workspace)
    assert [row["item_id"] for row in rows] == [f"test-{number}" for number in range(4)]
    assert all(row["answer"] == LABELS[row["scores"].index(max(row["scores"]))] for row in rows)
    assert found["asking"]["tuned"] is True
    assert found["asking"]["settings"]["learning_rate"] == 0.01
    assert [path.parent.name.endswith("-fine-tuned") for path in workspace.evaluate.glob("*/metrics.json")] == [True]
    assert not list(workspace.evaluate.glob("*/training"))
    assert "nothing to do" in run(suite, "--model", str(toy_encoder), "--device", "cpu").stderr


def test_items_with_other_numbers_of_options_cannot_be_trained_on(
    run: Any, given: Any, tiny_model: Callable[[str], str], tmp_path: Path
) -> None:
    text = RIDDLES.replace("splits = { validation = 0.2, test = 0.8 }", THREE)
    suite, _ = given(text, RIDDLE_ROWS, **TUNED)
    for part in ("train", "validation"):
        release_of(suite, tmp_path / "work", RIDDLE_ROWS, part)
    result = run(suite, "--model", tiny_model("bert"), "--device", "cpu", expect=InputError)
    assert "items have 2, 3 options" in str(result.exception)
