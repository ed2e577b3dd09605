"""Models that give the distribution at one place of each text: the head runs there and nowhere else.

Whatever a model's head looks like, it works on each position by itself. So the hidden states are cut down to the one
position that is wanted on their way from the body to the head, and the model's own code does the rest. That this
gives the same numbers is checked on the first batch; a model that is built otherwise gets its full logits computed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tashika.core.models import LoadedModel, replace_hidden
from tashika.evaluate.pieces import Ids
from tashika.evaluate.prompts import Codes

if TYPE_CHECKING:
    import torch

_SAME: Final = {"fp32": 1e-3, "lower": 5e-2}


class BlankModel:
    """A language model that is asked for one position of each text.

    Args:
        loaded: The model.
        options: Passed to every call of the model.

    Attributes:
        device: Where it runs.
        max_length: Tokens in a text, at most.
        head_at_position: Whether the head runs at the position alone; None until the first batch.
    """

    def __init__(self, loaded: LoadedModel, **options: Any) -> None:
        self.loaded = loaded
        self._model = loaded.model
        self._options = options
        self.device = next(self._model.parameters()).device
        self.vocabulary = int(self._model.config.vocab_size)
        self.max_length = max_length(self._model, loaded.tokenizer)
        self.head_at_position: bool | None = None
        self._positions: torch.Tensor | None = None
        self._model.base_model.register_forward_hook(self._gather, prepend=True)

    def logits(self, ids: Ids, positions: Codes) -> torch.Tensor:
        """The logits at one position of each text.

        Args:
            ids: (texts, length), all of one length.
            positions: (texts,) the wanted position of each.

        Returns:
            (texts, vocabulary), float32 or, for a model in float64, that.
        """
        import torch

        with torch.inference_mode():
            tokens = torch.from_numpy(ids.astype(np.int64)).to(self.device)
            places = torch.from_numpy(positions).to(self.device)
            if self.head_at_position is None:
                self.head_at_position = self._agrees(tokens[:2], places[:2])
            found = self._at_position(tokens, places) if self.head_at_position else self._full(tokens, places)
            return found if found.dtype == torch.float64 else found.float()

    def _gather(self, _module: Any, _inputs: Any, result: Any) -> Any:
        """Cuts the last hidden states down to the wanted position."""
        if self._positions is None:
            return None
        import torch

        hidden = result[0]
        rows = torch.arange(hidden.shape[0], device=hidden.device)
        return replace_hidden(result, hidden[rows, self._positions].unsqueeze(1))

    def _at_position(self, tokens: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        self._positions = places
        try:
            logits: torch.Tensor = self._model(input_ids=tokens, **self._options).logits
            return logits[:, 0]
        finally:
            self._positions = None

    def _full(self, tokens: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        import torch

        logits: torch.Tensor = self._model(input_ids=tokens, **self._options).logits
        return logits[torch.arange(len(places), device=places.device), places]

    def _agrees(self, tokens: torch.Tensor, places: torch.Tensor) -> bool:
        """Whether the head at the position alone gives what it gives there among all positions."""
        import torch

        full = self._full(tokens, places)
        try:
            alone = self._at_position(tokens, places)
        except (RuntimeError, IndexError, AttributeError, TypeError, ValueError, KeyError):
            return False
        body = next(self._model.base_model.parameters()).dtype
        allowed = _SAME["fp32" if body in {torch.float32, torch.float64} else "lower"]
        return alone.shape == full.shape and bool(
            torch.allclose(alone.float(), full.float(), atol=allowed, rtol=allowed)
        )


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
