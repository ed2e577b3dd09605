"""Models that give the distribution at chosen places of texts: what lies behind a place's hidden state runs only there.

Whatever a model's head looks like, it works on each position by itself. So the hidden states are cut down to the
places that are wanted on their way from the body to the head, and the model's own code does the rest. Where the last
layer of the body is known (`last_layer`), its work is cut down as well. That this gives the same numbers is checked on
the first batch; a model that is built otherwise gets its full logits computed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from tashika.core.models import LoadedModel, bodies, replace_hidden
from tashika.core.spreading import input_device, is_dispatched
from tashika.evaluate.engine.arrays import Codes
from tashika.evaluate.engine.batches import out_of_memory
from tashika.evaluate.engine.kernels import use_onednn
from tashika.evaluate.engine.last_layer import LastLayer
from tashika.evaluate.engine.pieces import Ids

if TYPE_CHECKING:
    import torch

Way = Literal["last layer", "head", "full"]
"""What runs at the wanted places alone: everything behind the last layer's keys and values, the head, or nothing."""

_SAME: Final = {"fp32": 1e-3, "lower": 5e-2}
_CHECKED_TEXTS: Final = 2


class BlankModel:
    """A language model that is asked for some places of a batch of texts.

    Args:
        loaded: The model.
        options: Passed to every call of the model.

    Attributes:
        device: Where it runs.
        max_length: Tokens in a text, at most.
        way: What runs at the wanted places alone; None until the first batch.
    """

    def __init__(self, loaded: LoadedModel, **options: Any) -> None:
        self.loaded = loaded
        self._model = loaded.model
        self._options = options
        self.device = input_device(self._model)
        self.vocabulary = int(self._model.config.vocab_size)
        self.max_length = max_length(self._model, loaded.tokenizer)
        self.way: Way | None = None
        self._places: tuple[torch.Tensor, torch.Tensor] | None = None
        use_onednn(self._model)
        self._last_layer = None if is_dispatched(self._model) else LastLayer.of(self._model)
        for body in bodies(self._model):
            body.register_forward_hook(self._gather, prepend=True)

    def logits(self, ids: Ids, rows: Codes, positions: Codes, **inputs: Any) -> torch.Tensor:
        """The logits at some places of texts of one length.

        Args:
            ids: (texts, length) token ids.
            rows: (places,) the text that each place is in.
            positions: (places,) the position in it.
            inputs: Further arguments of the model, such as `position_ids` and `attention_mask`, as tensors on its
                device. With them the last layer is run whole.

        Returns:
            (places, vocabulary), float32 or, for a model in float64, that. Logits at a place predict what stands
            there (masked models) or what follows (causal ones).
        """
        import torch

        with torch.inference_mode():
            tokens, places = self.put(ids).long(), (self.put(rows), self.put(positions))
            chosen = self.way or self._found_way(ids, rows, positions)
            way: Way = "head" if inputs and chosen == "last layer" else chosen
            logits = self._run(way, tokens, places, inputs)
            return logits if logits.dtype == torch.float64 else logits.float()

    def put(self, values: Any) -> torch.Tensor:
        """An array on the model's device; what goes to a CUDA device is pinned and does not wait for it."""
        import torch

        held = torch.from_numpy(np.ascontiguousarray(values))
        return held.pin_memory().to(self.device, non_blocking=True) if self.device.type == "cuda" else held

    def _run(
        self, way: Way, tokens: torch.Tensor, places: tuple[torch.Tensor, torch.Tensor], inputs: dict[str, Any]
    ) -> torch.Tensor:
        if way == "full":
            logits: torch.Tensor = self._model(input_ids=tokens, **self._options, **inputs).logits
            return logits[places]
        self._places = places
        try:
            if way == "last layer":
                assert self._last_layer is not None
                with self._last_layer.only(*places):
                    logits = self._model(input_ids=tokens, **self._options).logits
            else:
                logits = self._model(input_ids=tokens, **self._options, **inputs).logits
            return logits[:, 0]
        finally:
            self._places = None

    def _gather(self, _module: Any, _inputs: Any, result: Any) -> Any:
        """Cuts the last hidden states down to the wanted places, (places, 1, width)."""
        if self._places is None or (self._last_layer is not None and self._last_layer.active):
            return None
        places, self._places = self._places, None  # a base model calls its decoder: once is enough
        hidden = result[0]  # of a model over several devices it may lie on another one than the places
        rows, positions = (at.to(hidden.device) for at in places)
        return replace_hidden(result, hidden[rows, positions].unsqueeze(1))

    def _found_way(self, ids: Ids, rows: Codes, positions: Codes) -> Way:
        """The way that does the least and gives what full logits give, on a few texts that can show it."""
        few = rows < _CHECKED_TEXTS
        tokens, places = self.put(ids[:_CHECKED_TEXTS]).long(), (self.put(rows[few]), self.put(positions[few]))
        full = self._run("full", tokens, places, {})
        if full.numel() == 0 or not bool(full.isfinite().all()):
            return "full"  # nothing to compare; the next batch may have something
        ways: tuple[Way, ...] = ("last layer", "head") if self._last_layer is not None else ("head",)
        chosen: Way = next((way for way in ways if self._agrees(way, tokens, places, full)), "full")
        self.way = chosen
        return chosen

    def _agrees(
        self, way: Way, tokens: torch.Tensor, places: tuple[torch.Tensor, torch.Tensor], full: torch.Tensor
    ) -> bool:
        import torch

        try:
            fast = self._run(way, tokens, places, {})
        except (RuntimeError, IndexError, AttributeError, TypeError, ValueError, KeyError) as error:
            if out_of_memory(error):
                raise
            return False
        body = next(self._model.base_model.parameters()).dtype
        allowed = _SAME["fp32" if body in {torch.float32, torch.float64} else "lower"]
        return fast.shape == full.shape and bool(torch.allclose(fast.float(), full.float(), atol=allowed, rtol=allowed))


def max_length(model: Any, tokenizer: Any) -> int:
    """How many tokens a model takes: the smallest of what its tokenizer, its config and its positions allow."""
    config = model.config
    known = [int(tokenizer.model_max_length)]
    for name in ("max_position_embeddings", "n_positions"):
        if getattr(config, name, None):
            known.append(int(getattr(config, name)))
    embeddings = getattr(model.base_model, "embeddings", None)
    table = getattr(embeddings, "position_embeddings", None)
    padding = getattr(table, "padding_idx", None)
    if table is not None and padding is not None:  # RoBERTa counts positions from behind the padding's
        known.append(int(table.num_embeddings) - int(padding) - 1)
    return min(known)
