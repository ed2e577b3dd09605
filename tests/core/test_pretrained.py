"""What comes with a checkpoint never runs, and a broken one ends in a clear error."""

from __future__ import annotations

import pickle
import shutil
from pathlib import Path

import pytest

from tashika.core.errors import InputError
from tashika.core.models import (
    is_classifier,
    load_config,
    load_model,
    load_tokenizer,
    model_kind,
    model_note,
    model_revision,
)
from tests.core.test_models import bert
from tests.hostile import BINARY, BREAKS, PICKLE_PROTOCOLS, WEIGHTS, Trap, broken_model, edit


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bert(tmp_path_factory.mktemp("good") / "bert")


@pytest.mark.parametrize("protocol", PICKLE_PROTOCOLS)
def test_the_trap_works(trap: Trap, protocol: int) -> None:
    pickle.loads(trap.pickled(protocol))
    with pytest.raises(AssertionError):
        trap.assert_silent()


@pytest.mark.parametrize("how", BREAKS)
def test_a_broken_model_is_refused_and_none_of_its_code_runs(good: Path, tmp_path: Path, trap: Trap, how: str) -> None:
    folder = broken_model(good, tmp_path / "model", how, trap)
    with pytest.raises(InputError) as caught:
        load_model(str(folder), device="cpu")
    trap.assert_silent()
    assert caught.value.where == str(folder)
    assert caught.value.hint
    assert "weights_only" not in str(caught.value)
    assert "trust_remote_code" not in str(caught.value)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("weights cut short", "a file of it is cut short or broken"),
        ("bin cut short", "they are broken, or a pickle"),
        ("bin empty", "a file of it is cut short or broken"),
        ("bin with code", "a pickle that holds more than tensors"),
        ("bin behind an index with code", "a pickle that holds more than tensors"),
        ("config cut short", "not a valid JSON file"),
        ("config of wrong types", "'vocab_size'"),
        ("config of other sizes", "other sizes than its config.json says"),
        ("config with code", "code of its own"),
        ("tokenizer cut short", "the model's tokenizer cannot be loaded: a file of it is cut short"),
    ],
)
def test_the_error_says_what_is_wrong(good: Path, tmp_path: Path, trap: Trap, how: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load_model(str(broken_model(good, tmp_path / "model", how, trap)), device="cpu")


@pytest.mark.parametrize("protocol", PICKLE_PROTOCOLS)
def test_a_pickle_in_place_of_weights(good: Path, tmp_path: Path, trap: Trap, protocol: int) -> None:
    folder = shutil.copytree(good, tmp_path / "model")
    (folder / WEIGHTS).unlink()
    (folder / BINARY).write_bytes(trap.pickled(protocol))
    with pytest.raises(InputError, match="a pickle that holds more than tensors"):
        load_model(str(folder), device="cpu")
    trap.assert_silent()


def test_safetensors_go_before_a_pickle(good: Path, tmp_path: Path, trap: Trap) -> None:
    folder = shutil.copytree(good, tmp_path / "model")
    (folder / BINARY).write_bytes(trap.pickled(2))
    assert load_model(str(folder), device="cpu").kind == "masked"
    trap.assert_silent()


def test_a_pickle_of_tensors_alone_is_read(good: Path, tmp_path: Path) -> None:
    import torch
    from safetensors.torch import load_file

    folder = shutil.copytree(good, tmp_path / "model")
    weights = load_file(folder / WEIGHTS)
    torch.save(weights, folder / BINARY)
    (folder / WEIGHTS).unlink()
    found = load_model(str(folder), device="cpu").model.state_dict()
    assert all(torch.equal(found[name], weight) for name, weight in weights.items())


def test_code_of_a_tokenizer_does_not_run(good: Path, tmp_path: Path, trap: Trap) -> None:
    folder = shutil.copytree(good, tmp_path / "model")
    (folder / "own.py").write_text(trap.script)
    edit(
        folder / "tokenizer_config.json",
        tokenizer_class="Own",
        auto_map={"AutoTokenizer": ["own.Model", "own.Model"]},
    )
    (folder / "config.json").unlink()  # BERT has a tokenizer of transformers' own, which would be taken
    with pytest.raises(InputError, match="the model's tokenizer cannot be loaded: it comes with code of its own"):
        load_tokenizer(str(folder))
    trap.assert_silent()


def test_a_model_with_code_and_an_architecture_of_transformers_runs_without_its_code(
    good: Path, tmp_path: Path, trap: Trap
) -> None:
    folder = shutil.copytree(good, tmp_path / "model")
    (folder / "own.py").write_text(trap.script)
    edit(folder / "config.json", auto_map={"AutoConfig": "own.Config", "AutoModelForMaskedLM": "own.Model"})
    assert load_model(str(folder), device="cpu").kind == "masked"
    trap.assert_silent()


@pytest.mark.parametrize("content", ["", "[", "5", "{}", "[" * 100_000])
def test_a_broken_note_is_named(good: Path, tmp_path: Path, content: str) -> None:
    folder = shutil.copytree(good, tmp_path / "model")
    (folder / "tashika.json").write_text(content)
    with pytest.raises(InputError, match=r"tashika\.json"):
        model_note(str(folder))


@pytest.mark.parametrize("architectures", [5, [3], {"a": 1}, "BertForMaskedLM", None, []])
def test_a_config_that_names_no_architecture_is_known_by_its_type(
    good: Path, tmp_path: Path, architectures: object
) -> None:
    folder = shutil.copytree(good, tmp_path / "model")
    edit(folder / "config.json", architectures=architectures)
    assert model_kind(str(folder)) == "masked"
    assert not is_classifier(str(folder))
    assert load_config(str(folder)).hidden_size == 8


def test_folders_and_dead_links_among_the_files_are_no_part_of_a_model(good: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(good, tmp_path / "model")
    (folder / "more.bin").mkdir()
    (folder / "gone.safetensors").symlink_to("nowhere")
    assert model_revision(str(folder)) == model_revision(str(good))
