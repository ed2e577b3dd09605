"""Logs of lm-eval and inspect. Those in `logs/` are real: lm-eval 0.4.13 and inspect_ai 0.3.285 ran SmolLM2 on the four
riddles of `tests/evaluate/custom/toys.py` and wrote them; nothing in them was changed."""

from __future__ import annotations

import json
import math
import shutil
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tashika.core.errors import InputError
from tashika.evaluate.comparing.logs import is_log, read_log

LOGS = Path(__file__).parent / "logs"
[CHOICES] = LOGS.glob("*/samples_northern_2*.jsonl")
[WORDS] = LOGS.glob("*/samples_northern_words_2*.jsonl")
IDS = [f"test-{number}" for number in range(4)]


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def changed(tmp_path: Path) -> Callable[..., Path]:
    """A log of lm-eval with a change to each line."""

    def make(change: Callable[[dict[str, Any]], object]) -> Path:
        rows = lines(CHOICES)
        for row in rows:
            change(row)
        return written(tmp_path / "samples_x_2026-01-01T00-00-00.0.jsonl", rows)

    return make


# --- lm-eval ---


def test_choices_of_lm_eval_are_read_by_acc_unless_another_is_named() -> None:
    log = read_log(CHOICES)
    rows = {row["doc"]["item_id"]: row for row in lines(CHOICES)}
    assert list(log.values) == IDS
    assert log.values == {item: rows[item]["acc"] for item in IDS}
    assert (log.name, log.metric, log.remark) == ("smollm2 (lm-eval)", "acc", None)
    normed = read_log(CHOICES, metric="acc_norm", name="mine")
    assert normed.values == {item: rows[item]["acc_norm"] for item in IDS}
    assert normed.name == "mine"
    assert normed.values != log.values


def test_filters_of_lm_eval_must_be_chosen() -> None:
    with pytest.raises(InputError, match="the log has the filters loose and strict, expected one") as error:
        read_log(WORDS)
    assert error.value.hint == "Choose one with --filter."
    assert list(read_log(WORDS, only="strict").values) == IDS
    with pytest.raises(InputError, match="found no filter 'exact'; the log has loose, strict"):
        read_log(WORDS, only="exact")


def test_a_number_that_is_not_there_is_named_with_those_that_are() -> None:
    with pytest.raises(InputError, match="found no number 'f1'; the log has acc, acc_norm"):
        read_log(CHOICES, metric="f1")


def test_several_numbers_of_which_none_is_usual_must_be_chosen(changed: Callable[..., Path]) -> None:
    path = changed(lambda row: row.update(metrics=["bleu", "rouge"], bleu=0.5, rouge=1))
    with pytest.raises(InputError, match="the log has the numbers bleu, rouge, and it is not clear which to take"):
        read_log(path)
    assert read_log(path, metric="rouge").values["test-3"] == 1.0


def test_a_log_without_ids_says_what_its_documents_have(changed: Callable[..., Path]) -> None:
    path = changed(lambda row: row["doc"].pop("item_id"))
    with pytest.raises(InputError, match="no item_id in the log; a sample has answer, options, place, text") as error:
        read_log(path)
    assert "column item_id must be in lm-eval's dataset" in str(error.value.hint)


def test_an_item_that_stands_twice_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "twice.jsonl", [*lines(CHOICES), lines(CHOICES)[1]])
    with pytest.raises(InputError, match="the item test-1 stands there twice"):
        read_log(path)


def test_half_a_line_is_refused_with_its_number(tmp_path: Path) -> None:
    path = tmp_path / "half.jsonl"
    path.write_bytes(CHOICES.read_bytes()[:-200])
    with pytest.raises(InputError, match="not valid JSON") as error:
        read_log(path)
    assert error.value.where == f"{path}:4"


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "the file is empty"), ("[1]\n", "found a JSON list, expected an object"), ('{"a": 1}\n', "found no `doc`")],
)
def test_what_is_no_log_of_lm_eval_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "other.jsonl"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_log(path)


def test_a_number_that_is_none_counts_for_nothing(changed: Callable[..., Path]) -> None:
    log = read_log(changed(lambda row: row.update(acc=math.nan if row["doc_id"] else row["acc"])))
    assert [math.isnan(value) for value in log.values.values()] == [False, True, True, True]


def test_a_large_log_is_read_line_by_line(tmp_path: Path) -> None:
    import tracemalloc

    path, row = tmp_path / "large.jsonl", lines(CHOICES)[0]
    with path.open("w", encoding="utf-8") as file:
        for number in range(3_000):
            row["doc"]["item_id"] = f"item-{number}"
            row["resps"] = [["x" * 20_000]]
            file.write(json.dumps(row) + "\n")
    assert path.stat().st_size > 60_000_000
    tracemalloc.start()
    log = read_log(path)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(log.values) == 3_000
    assert most < 8_000_000


# --- inspect ---


def test_a_json_log_of_inspect_is_read_by_its_scorer() -> None:
    log = read_log(LOGS / "riddles.json")
    content = json.loads((LOGS / "riddles.json").read_text(encoding="utf-8"))
    letters = {sample["id"]: sample["scores"]["choice"]["value"] for sample in content["samples"]}
    assert set(letters.values()) <= {"C", "I"}
    assert log.values == {item: float(letter == "C") for item, letter in letters.items()}
    assert (log.name, log.metric, log.remark) == ("hf/local (inspect)", "choice", None)


def test_a_zip_of_inspect_is_read_by_metadata_and_epochs_are_averaged() -> None:
    # its files are packed with zstd, which Python 3.11's zipfile does not know
    with zipfile.ZipFile(LOGS / "words.eval") as archive:
        assert {info.compress_type for info in archive.infolist()} == {93}
    log = read_log(LOGS / "words.eval")
    assert sorted(log.values) == IDS
    assert set(log.values.values()) <= {0.0, 0.5, 1.0}
    assert log.metric == "includes"
    assert log.remark == "hf/local (inspect): the mean of 2 epochs is taken"


def zipped(path: Path, samples: list[dict[str, Any]], head: Mapping[str, Any] | None = None) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, sample in enumerate(samples):
            archive.writestr(f"samples/{number}_epoch_1.json", json.dumps(sample))
        if head is not None:
            archive.writestr("header.json", json.dumps(head))
    return path


def sample(item: Any, **scores: Any) -> dict[str, Any]:
    return {"id": item, "epoch": 1, "scores": {name: {"value": value} for name, value in scores.items()}}


HEAD = {"version": 2, "status": "success", "eval": {"model": "openai/m"}}


def test_letters_numbers_and_several_of_one_scorer(tmp_path: Path) -> None:
    rows = [sample("a", s="C"), sample("b", s="P"), sample("c", s="N"), sample("d", s=True), sample("e", s=0.25)]
    log = read_log(zipped(tmp_path / "x.eval", rows, HEAD))
    assert log.values == {"a": 1.0, "b": 0.5, "c": 0.0, "d": 1.0, "e": 0.25}
    several = zipped(tmp_path / "y.eval", [sample("a", s={"one": 1, "two": "I"})], HEAD)
    with pytest.raises(InputError, match="the numbers s/one, s/two"):
        read_log(several)
    assert read_log(several, metric="s/two").values == {"a": 0.0}


def test_a_sample_without_a_score_counts_for_nothing(tmp_path: Path) -> None:
    rows = [{"id": "a", "epoch": 1, "error": {"message": "x"}}, sample("b", s="C")]
    log = read_log(zipped(tmp_path / "x.eval", rows, {**HEAD, "status": "error"}))
    assert math.isnan(log.values["a"])
    assert log.values["b"] == 1.0
    assert log.remark == (
        "openai/m (inspect): the run has the status 'error': only some samples were done; 1 sample of 2 ended in an "
        "error, without a value"
    )


def test_a_log_of_a_released_task_names_errors_epochs_and_version(tmp_path: Path) -> None:
    # as inspect writes of `inspect eval hf/org/name/kuci@v0.1.0`, of a task with two epochs and the reducer max
    about = {"model": "openai/m", "task": "hf/org/name/kuci@v0.1.0/kuci", "config": {"epochs_reducer": ["max"]}}
    rows = [
        {"id": 1, "epoch": 1, "metadata": {"item_id": "a"}, "scores": {"pattern": {"value": "C"}}},
        {"id": 1, "epoch": 2, "metadata": {"item_id": "a"}, "scores": {"pattern": {"value": "I"}}},
        {"id": 2, "epoch": 1, "metadata": {"item_id": "b"}, "scores": {"pattern": {"value": "C"}}},
        {"id": 2, "epoch": 2, "metadata": {"item_id": "b"}, "scores": {}, "error": {"message": "x"}},
    ]
    log = read_log(zipped(tmp_path / "x.eval", rows, {**HEAD, "eval": about}))
    assert log.values == {"a": 0.5, "b": 1.0}
    assert log.release == "0.1.0"
    assert log.remark == (
        "openai/m (inspect): 1 sample of 4 ended in an error, without a value; the mean of 2 epochs is taken, where "
        "inspect's own number is by max"
    )


def test_a_log_without_scores_is_refused(tmp_path: Path) -> None:
    rows = [{"id": item, "epoch": 1, "scores": None} for item in "ab"]
    with pytest.raises(InputError, match="none of its 2 items has a score") as error:
        read_log(zipped(tmp_path / "x.eval", rows, HEAD))
    assert "inspect score" in str(error.value.hint)
    failed = [{**row, "error": {"message": "x"}} for row in rows]
    with pytest.raises(
        InputError, match="none of its 2 items has a score; 2 samples ended in an error; its run has the"
    ):
        read_log(zipped(tmp_path / "y.eval", failed, {**HEAD, "status": "error"}))


def test_ids_that_are_numbers_are_no_item_ids(tmp_path: Path) -> None:
    rows = [{**sample(1, s="C"), "metadata": {"place": "house"}}]
    with pytest.raises(InputError, match=r"no item_id in the log; a sample has id, a number, metadata.place"):
        read_log(zipped(tmp_path / "x.eval", rows, HEAD))


def test_a_zip_that_is_cut_short_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "cut.eval"
    path.write_bytes((LOGS / "words.eval").read_bytes()[:9_000])
    with pytest.raises(InputError, match="no whole zip") as error:
        read_log(path)
    assert "cut short" in str(error.value.hint)


def test_a_zip_with_a_changed_sample_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "changed.eval"
    content = bytearray((LOGS / "words.eval").read_bytes())
    with zipfile.ZipFile(LOGS / "words.eval") as archive:
        info = next(info for info in archive.infolist() if info.filename.startswith("samples/"))
    place = info.header_offset + 30 + len(info.filename) + info.compress_size // 2
    content[place : place + 40] = bytes(40)
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"samples/1_epoch_1.json: cannot be unpacked"):
        read_log(path)


def test_a_run_that_was_cut_off_has_no_header(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"found no header.json, expected a finished log of inspect"):
        read_log(zipped(tmp_path / "x.eval", [sample("a", s="C")]))


def test_a_sample_that_unpacks_to_far_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tashika.evaluate.comparing.logs.LARGEST_SAMPLE", 1 << 20)
    path = zipped(tmp_path / "x.eval", [{**sample("a", s="C"), "output": "x" * (2 << 20)}], HEAD)
    with pytest.raises(InputError, match="found a sample of 2 MiB, expected at most 1 MiB"):
        read_log(path)


def test_a_json_log_that_is_cut_short_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "half.json"
    path.write_bytes((LOGS / "riddles.json").read_bytes()[:-4_000])
    with pytest.raises(InputError, match="not valid JSON") as error:
        read_log(path)
    assert error.value.where == str(path)


def test_json_of_another_program_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text('{"results": {}}')
    with pytest.raises(InputError, match="found no `eval`, expected a log of inspect"):
        read_log(path)


def test_a_run_that_has_just_begun_holds_no_samples(tmp_path: Path) -> None:
    path = tmp_path / "begun.json"
    path.write_text(json.dumps({**HEAD, "status": "started"}))
    with pytest.raises(InputError, match="the log holds no samples; its run has the status 'started'"):
        read_log(path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        read_log(tmp_path / "gone.eval")


def test_what_is_a_log_is_seen_by_its_name(tmp_path: Path) -> None:
    shutil.copy(CHOICES, tmp_path / "x.jsonl")
    assert is_log(str(tmp_path / "x.jsonl"))
    assert is_log("mine=x.eval")
    assert not is_log("gpt2-befd70-text")
