"""How uncertain a language model on this machine is of texts, and where it places them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tashika.annotation.judging.order import Vectors, unit
from tashika.core.models import LoadedModel, load_model
from tashika.core.progress import track

LONGEST = 256
"""Tokens; the rest of a text is not read."""

_BATCH = 32


@dataclass(frozen=True)
class ModelScorer:
    """A causal or a masked language model that reads the texts of items; see `order.Scorer`."""

    loaded: LoadedModel

    def uncertainty(self, texts: Sequence[str]) -> list[float]:
        """Of each text, in nats.

        Of a causal model the entropy of what it expects next, the mean over the tokens after the first. Of a masked one
        the pseudo-log-likelihood, negative and a token: each is masked in turn, and the mean of what the model gives
        it.

        Source: J. Salazar et al., Masked language model scoring, 2020, section 2.
        """
        score = self._pseudo_likelihood if self.loaded.kind == "masked" else self._entropy
        return [score(text) for text in track(texts, "scoring items", len(texts))]

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """The mean of the last layer over the tokens of each text, of length 1; shape (texts, width)."""
        rows = []
        for text in track(texts, "reading items", len(texts)):
            tokens, _ = self._tokens(text)
            hidden = self._run(tokens[None], output_hidden_states=True).hidden_states[-1]
            rows.append(hidden[0].float().mean(dim=0).cpu().numpy())
        return unit(np.asarray(rows, dtype=np.float32).reshape(len(texts), -1))

    def _tokens(self, text: str) -> tuple[Any, list[int]]:
        """The tokens of a text, and the positions of those that are its own and none that the tokenizer adds."""
        import torch

        tokenizer = self.loaded.tokenizer
        longest = min(LONGEST, tokenizer.model_max_length)
        coded = tokenizer(text, truncation=True, max_length=longest, return_special_tokens_mask=True)
        numbers = coded["input_ids"] or [tokenizer.eos_token_id or 0]
        own = [place for place, special in enumerate(coded["special_tokens_mask"]) if not special]
        return torch.tensor(numbers, device=self.loaded.model.device), own

    def _run(self, tokens: Any, **options: Any) -> Any:
        import torch

        with torch.inference_mode():
            return self.loaded.model(input_ids=tokens, attention_mask=torch.ones_like(tokens), **options)

    def _entropy(self, text: str) -> float:
        import torch

        tokens, _ = self._tokens(text)
        logits = self._run(tokens[None]).logits[0]
        expected = torch.log_softmax(logits[: max(len(tokens) - 1, 1)].float(), dim=-1)
        return float(-(expected.exp() * expected).sum(dim=-1).mean())

    def _pseudo_likelihood(self, text: str) -> float:
        import torch

        tokens, own = self._tokens(text)
        total = 0.0
        for start in range(0, len(own), _BATCH):
            places = torch.tensor(own[start : start + _BATCH], device=tokens.device)
            rows = torch.arange(len(places), device=tokens.device)
            masked = tokens.repeat(len(places), 1)
            masked[rows, places] = self.loaded.tokenizer.mask_token_id
            logits = self._run(masked).logits[rows, places].float()
            total -= float(torch.log_softmax(logits, dim=-1)[rows, tokens[places]].sum())
        return total / max(len(own), 1)


def open_scorer(name: str) -> ModelScorer:
    """Loads a model.

    Args:
        name: A folder made by `save_pretrained`, or a name on the Hub.

    Raises:
        InputError: It cannot be found, or is neither masked nor causal.
    """
    return ModelScorer(load_model(name))
