"""The last layer of a BERT-like encoder, run at the wanted places alone.

Only its keys and values need all positions. Queries, the attention's output and the feed-forward part, ten twelfths of
the layer's products, are wanted where the blank is and nowhere else: a twelfth of the work of BERT-base, a
twenty-fourth of that of BERT-large.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import torch

_PARTS: Final = (
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output",
    "intermediate",
    "output",
)


class LastLayer:
    """The last layer of an encoder that is built as BERT is (RoBERTa, XLM-R, CamemBERT and ELECTRA are).

    Args:
        layer: The layer.

    Attributes:
        active: Whether it now runs at the wanted places alone.
    """

    def __init__(self, layer: Any) -> None:
        self.active = False
        self._layer = layer
        self._forward = layer.forward
        self._places: tuple[torch.Tensor, torch.Tensor] | None = None
        layer.forward = self._run

    @classmethod
    def of(cls, model: Any) -> LastLayer | None:
        """The last layer of a model, or None where it is built otherwise. Relative positions are no part of it."""
        layers = getattr(getattr(model.base_model, "encoder", None), "layer", None)
        if not layers or getattr(model.config, "position_embedding_type", "absolute") != "absolute":
            return None
        last = layers[-1]
        if isinstance(getattr(last.forward, "__self__", None), cls):  # another engine uses this model, too
            layer: LastLayer = last.forward.__self__
            return layer
        known = all(_has(last, part) for part in _PARTS) and not getattr(last, "is_decoder", False)
        return cls(last) if known else None

    @contextmanager
    def only(self, rows: torch.Tensor, positions: torch.Tensor) -> Iterator[None]:
        """Within the block the layer gives (places, 1, width) in place of (texts, length, width)."""
        self._places, self.active = (rows, positions), True
        try:
            yield
        finally:
            self._places, self.active = None, False

    def _run(self, hidden: torch.Tensor, *arguments: Any, **options: Any) -> Any:
        if self._places is None:
            return self._forward(hidden, *arguments, **options)
        attention = self._layer.attention.self
        at = hidden[self._places].unsqueeze(1)
        of_place = self._places[0]
        context = self._attended(
            attention.query(at), attention.key(hidden)[of_place], attention.value(hidden)[of_place]
        )
        attended = self._layer.attention.output(context, at)
        return self._layer.output(self._layer.intermediate(attended), attended)

    def _attended(self, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
        import torch

        heads = int(self._layer.attention.self.num_attention_heads)
        query, key, value = (part.view(*part.shape[:2], heads, -1).transpose(1, 2) for part in (query, key, value))
        attended: torch.Tensor = torch.nn.functional.scaled_dot_product_attention(query, key, value)
        return attended.transpose(1, 2).flatten(2)


def _has(module: Any, path: str) -> bool:
    for name in path.split("."):
        module = getattr(module, name, None)
        if module is None:
            return False
    return True
