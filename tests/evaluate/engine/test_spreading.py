"""A model over several devices: the same scores as on one, and clear errors. What computes here is the processor."""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
import pytest
import torch

from tashika.core.errors import InputError, OutsideError
from tashika.core.models import load_model, resolve_device
from tashika.core.spreading import Part, input_device, is_dispatched, is_spread, parts_of
from tashika.evaluate.engine.blanks import BlankScores, score_blanks
from tashika.evaluate.engine.devices import device_kind, resolve_devices
from tashika.evaluate.engine.distributions import Keep
from tashika.evaluate.engine.model import model_of
from tashika.evaluate.systems import How

FAMILIES = ("bert", "roberta", "albert", "distilbert", "electra", "gpt2", "llama")
TEXTS = ["The capital of France is {}", "Ada was born in {}", "The capital of France is a {}", "Paris is {}"]


def test_devices_are_read() -> None:
    assert parts_of("cuda:0=1.5GiB+cuda:1+cpu=200MB+disk") == [
        Part("cuda:0", 3 * 2**29),
        Part("cuda:1", None),
        Part("cpu", 200 * 10**6),
        Part("disk", None),
    ]
    assert [is_spread(device) for device in ("cuda:0+cpu", "spread", "cpu=1MB", "cuda:0,cuda:1", "auto")] == [
        *[True] * 3,
        *[False] * 2,
    ]
    assert [device_kind(device) for device in ("cuda:0=1GB+cpu", "cpu=1MB+disk", "cpu", "cuda")] == [
        "cuda",
        "cpu",
        "cpu",
        "cuda",
    ]


@pytest.mark.parametrize(
    ("device", "message"),
    [
        ("cuda:0+cuda:0", "found a device twice"),
        ("cpu+cuda:0", "cuda comes first"),
        ("disk", "not disk alone"),
        ("cuda+cpu", "found 'cuda' in the device"),
        ("cuda:0=lots+cpu", "found 'cuda:0=lots'"),
        ("cuda:0=+cpu", "found 'cuda:0='"),
        ("cpu+disk=1GB", "found a limit of the disk"),
        ("cpu+", "found '' in the device"),
    ],
)
def test_devices_that_make_no_sense_are_refused(device: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parts_of(device)


def test_a_machine_without_cuda_spreads_onto_what_it_has() -> None:
    if torch.cuda.is_available():
        pytest.skip("this machine has CUDA")
    assert resolve_devices("spread") == ["cpu"]
    assert resolve_devices("cpu=1MiB+disk,cpu=1MiB+disk") == ["cpu=1MiB+disk"] * 2
    with pytest.raises(InputError, match="no CUDA device"):
        resolve_devices("cuda:0+cpu")


def test_work_that_takes_a_whole_model_refuses_a_spread_one() -> None:
    with pytest.raises(InputError, match="takes the whole model on one"):
        resolve_device("cuda:0+cuda:1")


def test_ray_does_not_spread() -> None:
    with pytest.raises(InputError, match="with --engine ray"):
        How("cuda:0+cuda:1", engine="ray").kind_of_device  # noqa: B018 - the property raises


def test_without_accelerate_the_error_names_it(
    tiny_model: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "accelerate", None)
    for call in (
        lambda: load_model(tiny_model("bert"), device="cpu=1MiB+disk"),
        lambda: resolve_devices("spread"),
    ):
        with pytest.raises(OutsideError, match="needs the package accelerate") as error:
            call()
        assert "tashika[local]" in str(error.value.hint)


def test_devices_that_do_not_hold_a_model_are_an_error(tiny_model: Callable[[str], str]) -> None:
    with pytest.raises(OutsideError, match="the devices do not hold the model"):
        load_model(tiny_model("gpt2"), device="cpu=0.01MB")


def _size(path: str, dtype: str) -> int:
    """Bytes of a model."""
    model = load_model(path, device="cpu", dtype=dtype).model
    return sum(values.numel() * values.element_size() for values in model.parameters())


def _scores(path: str, device: str, dtype: str) -> tuple[BlankScores, bool]:
    loaded = load_model(path, device=device, dtype=dtype)
    mask = loaded.tokenizer.mask_token if loaded.kind == "masked" else ""
    texts = [loaded.tokenizer(text.replace("{}", mask).strip())["input_ids"] for text in TEXTS]
    found = score_blanks(model_of(loaded), texts, [[7, 9, 11]] * len(texts), Keep(top=5, entropy=True))
    return found, is_dispatched(loaded.model)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("dtype", ["fp32", "bf16"])
@pytest.mark.parametrize("held", [0.1, 0.95])
def test_a_model_in_parts_scores_as_it_does_whole(
    family: str, dtype: str, held: float, tiny_model: Callable[[str], str]
) -> None:
    path = tiny_model(family)
    size = _size(path, dtype)
    whole, dispatched = _scores(path, "cpu", dtype)
    assert not dispatched
    parts, dispatched = _scores(path, f"cpu={held * size:.0f}B+disk", dtype)
    assert dispatched
    # Layers on the disk go through torch's own product in place of oneDNN's: the order of a sum differs.
    close = 1e-4 if dtype == "fp32" else 2e-2
    np.testing.assert_allclose(parts.log_probability, whole.log_probability, atol=close, rtol=close)
    np.testing.assert_allclose(parts.entropy, whole.entropy, atol=close, rtol=close)
    assert parts.problem.tolist() == whole.problem.tolist()
    if dtype == "fp32":
        np.testing.assert_array_equal(parts.rank, whole.rank)
        np.testing.assert_array_equal(parts.top_tokens, whole.top_tokens)


def test_parts_lie_where_they_were_named_and_the_head_is_in_float32(tiny_model: Callable[[str], str]) -> None:
    path = tiny_model("llama")
    held = 0.8 * _size(path, "bf16")
    model = load_model(path, device=f"cpu={held:.0f}B+disk", dtype="bf16").model
    assert set(model.hf_device_map.values()) == {"cpu", "disk"}
    assert input_device(model) == torch.device("cpu")
    assert model.get_output_embeddings().weight.dtype == torch.float32
    assert next(model.base_model.parameters()).dtype == torch.bfloat16


def test_a_model_that_one_of_the_devices_holds_is_not_spread(tiny_model: Callable[[str], str]) -> None:
    whole, parts = (_scores(tiny_model("bert"), device, "fp32") for device in ("cpu", "cpu=1GiB+disk"))
    assert not parts[1]
    np.testing.assert_array_equal(parts[0].log_probability, whole[0].log_probability)
