"""Which system is scored, and the folder of its scores."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tashika.core.model_size import count_parameters
from tashika.core.workspace import Workspace
from tashika.evaluate.systems import How, System


def system(name: str, revision: str = "c0ffee", dtype: str = "fp32", *, prepared: bool = False) -> System:
    return System(name, name, "masked", revision, dtype, "cpu", prepared=prepared)


@pytest.mark.parametrize(
    ("name", "dtype", "parts", "expected"),
    [
        ("bert-base-uncased", "fp32", (), "bert-base-uncased"),
        ("org/model", "bf16", (), "org--model-bf16"),
        ("org-model", "bf16", (), "org-model-bf16"),
        ("bert-base-uncased", "fp32", ("300-pairs", "", "1-aliases"), "bert-base-uncased-300-pairs-1-aliases"),
    ],
)
def test_folders_are_named_after_models_and_what_they_were_asked(
    name: str, dtype: str, parts: tuple[str, ...], expected: str
) -> None:
    assert system(name, dtype=dtype).folder(*parts) == expected


def test_two_checkpoints_of_one_name_have_folders_of_their_own() -> None:
    first, second = (system("checkpoint", f"sha256:{digit}").folder() for digit in "12")
    assert first != second
    assert system("checkpoint", "sha256:1", prepared=True).folder() == "checkpoint"


def test_a_name_without_a_latin_letter_has_a_folder() -> None:
    assert len(system("模型").folder()) == 6


def test_the_size_of_a_model_of_this_machine_is_known(tiny_model: Callable[[str], str], tmp_path: Path) -> None:
    local = System.local(tiny_model("gpt2"), How("cpu"), Workspace(tmp_path, "kuci"))
    assert local.parameters == count_parameters(tiny_model("gpt2"))
    assert System.chat("gpt", "http://127.0.0.1:1/v1").parameters is None
    assert system("no-such-folder-or-name").parameters is None
