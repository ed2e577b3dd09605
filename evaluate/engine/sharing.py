"""Whether a model can compute shared beginnings once, and what that costs it.

A model must take positions and a mask of ours, and read no text step by step. Which ones do is not looked up but tried:
small trees of random tokens have to give what the same texts give one by one. ALiBi's distances, recurrent layers and
convolutions do not pass.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tashika.evaluate.engine.batches import Budget, out_of_memory
from tashika.evaluate.engine.blank_model import BlankModel
from tashika.evaluate.engine.forest import Asked, Forest
from tashika.evaluate.engine.ragged import Ragged
from tashika.evaluate.engine.trees import Shelf

if TYPE_CHECKING:
    import torch

_PROBED: Final = ((0, 11), (6, 12), (14, 5), (10, 10), (19, 1), (4, 15), (2, 7), (7, 13))
"""Eight texts: how much each keeps of the one before it, and how many tokens it adds."""

_PROBED_TRUNK: Final = 2
_PROBED_PLACES: Final = 3

_SAME: Final = {"fp32": 1e-3, "lower": 0.3}
"""How far logits may be from those of plain texts: each of them, or in bf16 and fp16, where single ones stray, those of
a place on average and in standard deviations. SmolLM2 in bf16 is off by 0.11, models that take no trees by 1."""

_SEEN_AS_A_WHOLE: Final = {"full_attention", "sliding_attention", "chunked_attention"}
_ENDLESS: Final = 2**40

_ATTENTION: Final = 2.0
"""How much longer an operation of the attention takes than one of the matrix products."""

_EVEN: Final = 1500.0
_FAILURES: Final = (RuntimeError, IndexError, AttributeError, TypeError, ValueError, KeyError, AssertionError)

Logits = npt.NDArray[np.float64]


class Reach(NamedTuple):
    """What may be put into trees.

    Attributes:
        text: Tokens in a text, at most.
        more: Nodes in a tree beside those of its first text, at most.
    """

    text: int
    more: int


def shares(blank: BlankModel, reach: Reach) -> tuple[bool, bool]:
    """Whether a model gives with trees, and with trees on a trunk, what it gives without."""
    longest = min(blank.max_length, reach.text)
    if longest < _PROBED_PLACES + _PROBED_TRUNK or not _takes_positions(blank.loaded.model):
        return False, False
    shelf = Shelf.of(_probe(blank.vocabulary, longest))
    cut = np.asarray([0, 5, len(shelf.order)])
    plain = _tried(blank, shelf, Forest.run_plain)
    return (
        _agrees(blank, plain, lambda: _tried(blank, shelf, lambda forest: forest.run_trees(cut))),
        _agrees(blank, plain, lambda: _tried(blank, shelf, lambda forest: forest.run_on_trunk(_PROBED_TRUNK, cut))),
    )


def find_reach(config: Any) -> Reach:
    """Up to where a model sees all of a text and counts positions in one and the same way."""
    known = [getattr(config, name, None) for name in ("sliding_window", "attention_chunk_size")]
    turned = getattr(config, "rope_parameters", None) or {}
    for one in (turned, *turned.values()):  # some models have one set for each kind of layer
        if isinstance(one, dict) and one.get("rope_type") in {"dynamic", "longrope"}:
            known += [one.get("original_max_position_embeddings"), getattr(config, "max_position_embeddings", None)]
    rows = getattr(config, "window_size", None)  # GPT-Neo's windows count places in the row, whatever the mask is
    if isinstance(rows, int):
        known.append(rows // 2)
    limits = [one for one in known if isinstance(one, int) and one > 0]
    return Reach(min(limits, default=_ENDLESS), rows // 2 if isinstance(rows, int) else _ENDLESS)


def even(model: Any) -> float:
    """How many nodes a row has when attention costs as much as all else.

    Of a token a layer takes two operations a parameter, and four a unit of its width for each token that is seen.
    """
    width, layers = (getattr(model.config, name, None) for name in ("hidden_size", "num_hidden_layers"))
    if not width or not layers:
        return _EVEN
    body: int = sum(one.numel() for one in model.base_model.parameters()) - model.get_input_embeddings().weight.numel()
    return max(float(body) / float(2 * width * layers * _ATTENTION), 1.0)


def _takes_positions(model: Any) -> bool:
    kinds = getattr(model.config, "layer_types", None) or ()
    by_steps = getattr(model, "_is_stateful", False) or not set(kinds) <= _SEEN_AS_A_WHOLE
    return not by_steps and "position_ids" in inspect.signature(model.forward).parameters


def _probe(vocabulary: int, longest: int) -> Ragged:
    """Texts of random tokens that share beginnings of different lengths."""
    draw = np.random.default_rng(0)
    texts: list[list[int]] = [[]]
    for kept, added in _PROBED:
        texts.append([*texts[-1][:kept], *draw.integers(vocabulary, size=added).tolist()])
    return Ragged.of([text[:longest] for text in texts[1:]])


def _tried(blank: BlankModel, shelf: Shelf, run: Callable[[Forest], None]) -> Logits:
    """(places, vocabulary) the logits behind the last tokens of all texts."""
    first = np.maximum(shelf.ids.length - _PROBED_PLACES, _PROBED_TRUNK)
    by_place: dict[tuple[int, int], Logits] = {}

    def receive(asked: Asked, logits: torch.Tensor) -> None:
        values = logits.double().cpu().numpy()[asked.row]
        by_place.update(zip(zip(asked.text.tolist(), asked.position.tolist(), strict=True), values, strict=True))

    run(Forest(blank, Budget(2**12, 2**26), shelf, first, np.arange(len(first)), receive))
    return np.stack([by_place[place] for place in sorted(by_place)])


def _agrees(blank: BlankModel, plain: Logits, shared: Callable[[], Logits]) -> bool:
    import torch

    try:
        ours = shared()
    except _FAILURES as error:
        if out_of_memory(error):
            raise
        return False
    if next(blank.loaded.model.base_model.parameters()).dtype in {torch.float32, torch.float64}:
        return bool(np.allclose(ours, plain, atol=_SAME["fp32"], rtol=_SAME["fp32"], equal_nan=True))
    return bool((np.abs(ours - plain).mean(axis=1) <= _SAME["lower"] * plain.std(axis=1)).all())
