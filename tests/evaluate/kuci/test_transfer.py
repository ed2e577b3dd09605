"""A tuned encoder on other questions: scored as it is, or tuned on; and what is refused."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tashika.core.errors import InputError
from tashika.core.files import hash_file, read_json
from tashika.core.workspace import Workspace
from tashika.evaluate.command import app
from tashika.evaluate.kuci.report import write_report
from tests.evaluate.kuci.test_authors import line, write
from tests.evaluate.kuci.toys import a_workspace
from tests.evaluate.pages import words_of

Run = Callable[..., Any]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with settings that train for an epoch."""
    place = tmp_path_factory.mktemp("transfer")
    (place / "kuci.toml").write_text(
        "[evaluate]\nresamples = 50\n[evaluate.training]\nepochs = 1\nbatch = 2\nseeds = [0]\nlearning_rate = 1e-2\n"
    )
    return place


def evaluate(place: Path, workspace: Workspace, *words: str) -> Any:
    config = ("--config", str(place / "kuci.toml"), "--device", "cpu", "--no-artefact-check", "--set", "both")
    return CliRunner().invoke(app, ["kuci", *words, "--work", str(workspace.root), *config])


@pytest.fixture(scope="module")
def tuned(place: Path, toy_encoder: Path) -> Path:
    """The folder of a training run on the toy release."""
    workspace = a_workspace(place / "first")
    result = evaluate(place, workspace, "--model", str(toy_encoder), "--keep-weights")
    assert result.exit_code == 0, result.output + str(result.exception)
    [folder] = workspace.evaluate.glob("*/training/both-0")
    return folder


@pytest.fixture
def authors(tmp_path: Path, place: Path) -> Workspace:
    """A working directory with questions of another release."""
    workspace = Workspace(tmp_path / "authors", "kuci")
    files = write(
        tmp_path / "kuci",
        train=[line(i) for i in range(8)],
        dev=[line(i) for i in range(8, 12)],
        test=[line(i) for i in range(12, 18)],
    )
    result = evaluate(place, workspace, "--questions", str(files))
    assert result.exit_code == 0, result.output + str(result.exception)
    return workspace


def scores(workspace: Workspace, how: str) -> dict[str, Any]:
    [content] = [
        content
        for file in workspace.evaluate.glob("*/metrics.json")
        if (content := read_json(file))["scoring"]["how"] == how
    ]
    return dict(content)


def test_a_tuned_encoder_is_scored_as_it_is(place: Path, authors: Workspace, tuned: Path, toy_encoder: Path) -> None:
    weights = hash_file(tuned / "weights.pt")
    result = evaluate(place, authors, "--model", str(toy_encoder), "--from", str(tuned), "--untouched")
    assert result.exit_code == 0, result.output + str(result.exception)
    assert "epoch" not in result.stderr
    content = scores(authors, "transferred")
    assert content["scoring"]["start"] == {"run": "both-0", "weights": weights}
    assert (content["sets"]["both"]["questions"], content["sets"]["both"]["answered"]) == (6, 6)
    assert (content["training"], content["seeds"], content["split"]) == ([], [], "test")
    assert hash_file(tuned / "weights.pt") == weights  # they stay where they are
    page = words_of(write_report(authors).read_text(encoding="utf-8"))
    assert "fine-tuned on other questions, scored as it is" in page
    assert f"as tuned in both-0 {weights[:6]}" in page
    assert weights in page  # in the provenance


def test_as_it_is_it_answers_what_its_own_run_answered(
    place: Path, tmp_path: Path, tuned: Path, toy_encoder: Path
) -> None:
    again = a_workspace(tmp_path / "again")
    result = evaluate(place, again, "--model", str(toy_encoder), "--from", str(tuned), "--untouched")
    assert result.exit_code == 0, result.output + str(result.exception)
    own = json.loads((tuned.parents[1] / "metrics.json").read_text(encoding="utf-8"))
    assert scores(again, "transferred")["sets"]["both"]["places"] == own["sets"]["both"]["places"]


def test_training_goes_on_from_tuned_weights(place: Path, authors: Workspace, tuned: Path, toy_encoder: Path) -> None:
    result = evaluate(place, authors, "--model", str(toy_encoder), "--from", str(tuned))
    assert result.exit_code == 0, result.output + str(result.exception)
    first = scores(authors, "fine-tuned")
    assert first["scoring"]["start"]["run"] == "both-0"
    assert len(first["training"]) == 1
    result = evaluate(place, authors, "--model", str(toy_encoder))
    folders = {path.parent.name for path in authors.evaluate.glob("*/metrics.json") if "fine-tuned" in path.parent.name}
    assert len(folders) == 2  # from its own weights it is another system
    losses = [
        read_json(authors.evaluate / name / "metrics.json")["training"][0]["epochs"][0]["loss"] for name in folders
    ]
    assert losses[0] != losses[1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--untouched",), "found --untouched without --from"),
        (("--from", "."), "found --from beside 0 models"),
        (("--from", ".", "--model", "a", "--model", "b"), "found --from beside 2 models"),
        (("--from", ".", "--model", "a", "--endpoint", "http://127.0.0.1:1/v1"), "found --from beside --endpoint"),
    ],
)
def test_options_that_go_with_nothing(place: Path, tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    result = evaluate(place, a_workspace(tmp_path / "w"), *words)
    assert isinstance(result.exception, InputError)
    assert message in str(result.exception)


def test_weights_that_are_not_there_or_another_encoders(
    place: Path, tmp_path: Path, tuned: Path, toy_encoder: Path, tiny_model: Callable[[str], str]
) -> None:
    workspace = a_workspace(tmp_path / "w")

    def refused(model: Path | str, folder: Path) -> InputError:
        result = evaluate(place, workspace, "--model", str(model), "--from", str(folder), "--untouched")
        assert isinstance(result.exception, InputError), result.output
        return result.exception

    error = refused(toy_encoder, tmp_path)
    assert "found no weights.pt" in str(error)
    assert "--keep-weights" in (error.hint or "")
    other = tmp_path / "other"
    shutil.copytree(toy_encoder, other)
    config = read_json(other / "config.json")
    (other / "config.json").write_text(json.dumps({**config, "hidden_dropout_prob": 0.3}))
    error = refused(other, tuned)
    assert f"these weights were tuned from {toy_encoder.name}, another encoder" in str(error)
    assert "which is no encoder" in str(refused(tiny_model("llama"), tuned))
    note = tmp_path / "note"
    shutil.copytree(tuned, note)
    content = read_json(note / "training.json")
    del content["model"]  # as runs of before wrote it: the weights themselves must tell
    (note / "training.json").write_text(json.dumps(content))
    (note / "weights.pt").write_bytes(b"broken")
    assert "the weights cannot be read" in str(refused(toy_encoder, note))
