"""The loop of updates by which the small models are trained."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch

from tashika.evaluate.engine.tiny_training import learn


def test_updates_bring_the_loss_down_to_where_it_is_least() -> None:
    model = torch.nn.Linear(1, 1, bias=False)
    torch.nn.init.zeros_(model.weight)
    asked: list[float] = []

    def loss_of(batch: float) -> Any:
        asked.append(batch)
        assert model.training
        return (model(torch.tensor([[1.0]])) - 2).square().mean() + batch

    learn(model, [0.25] * 300, loss_of, SimpleNamespace(steps=300, batch=1, learning_rate=0.1), "a weight")
    assert asked == [0.25] * 300  # every batch once
    assert float(model.weight.detach()) == pytest.approx(2, abs=0.05)
    assert not model.training
