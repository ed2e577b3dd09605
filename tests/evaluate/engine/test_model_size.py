"""Parameters are counted without weights."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tashika.core.errors import InputError
from tashika.core.model_size import count_parameters
from tashika.core.models import load_model


@pytest.mark.parametrize("family", ["bert", "albert", "gpt2", "llama"])
def test_parameters_are_those_of_the_loaded_model(family: str, tiny_model: Callable[[str], str]) -> None:
    path = tiny_model(family)
    assert count_parameters(path) == sum(values.numel() for values in load_model(path, device="cpu").model.parameters())


def test_weights_are_not_read(tiny_model: Callable[[str], str], tmp_path: Path) -> None:
    shutil.copytree(tiny_model("bert"), tmp_path / "model")
    (tmp_path / "model" / "model.safetensors").unlink()
    assert count_parameters(str(tmp_path / "model")) == count_parameters(tiny_model("bert"))


def test_what_cannot_be_made_has_no_number(tiny_model: Callable[[str], str], tmp_path: Path) -> None:
    shutil.copytree(tiny_model("bert"), tmp_path / "model")
    config = tmp_path / "model" / "config.json"
    content = json.loads(config.read_text())
    config.write_text(json.dumps({**content, "num_attention_heads": 7}))  # 7 heads do not part its width
    assert count_parameters(str(tmp_path / "model")) is None
    with pytest.raises(InputError):
        count_parameters(str(tmp_path / "nowhere"))
