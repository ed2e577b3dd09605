"""Faster kernels, against torch's own."""

from __future__ import annotations

import pytest
import torch

from tashika.evaluate.engine.kernels import _available, use_onednn

needs_onednn = pytest.mark.skipif(not _available(), reason="this torch has no oneDNN")


def _network() -> torch.nn.Sequential:
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(30, 40), torch.nn.GELU(), torch.nn.Linear(40, 20, bias=False))


@needs_onednn
def test_gives_what_torch_gives() -> None:
    network, values = _network(), torch.randn(3, 5, 30, generator=torch.Generator().manual_seed(1))
    with torch.inference_mode():
        expected = network(values)
        assert use_onednn(network) == 2
        assert type(network[0]).__name__ == "OneDnnLinear"
        torch.testing.assert_close(network(values), expected, atol=1e-5, rtol=1e-5)
    assert use_onednn(network) == 0  # once is enough


@needs_onednn
def test_gradients_go_the_usual_way() -> None:
    network = _network()
    use_onednn(network)
    network(torch.ones(2, 30)).sum().backward()
    assert network[0].weight.grad is not None


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64])
def test_other_precisions_are_left_alone(dtype: torch.dtype) -> None:
    network = _network().to(dtype)
    assert use_onednn(network) == 0


@needs_onednn
def test_a_converted_layer_still_takes_other_precisions() -> None:
    network = _network()
    use_onednn(network)
    with torch.inference_mode():
        assert network.double()(torch.ones(2, 30, dtype=torch.float64)).dtype == torch.float64
