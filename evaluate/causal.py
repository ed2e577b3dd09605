"""Causal models: the distribution of the token that follows the text before [Y]."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tashika.core.models import LoadedModel
from tashika.evaluate.batches import Budget, buckets
from tashika.evaluate.distributions import Consume
from tashika.evaluate.models import BlankModel
from tashika.evaluate.pieces import Ragged
from tashika.evaluate.prompts import Codes


class CausalModel:
    """A causal language model as the engine sees it.

    Args:
        loaded: The model.
        batch_tokens: Tokens in a batch, at most; None takes them from the free memory.

    Attributes:
        blank: What runs it.
        budget: What goes through it at once.
    """

    kind = "causal"

    def __init__(self, loaded: LoadedModel, batch_tokens: int | None = None) -> None:
        self.blank = BlankModel(loaded, use_cache=False)
        self.budget = Budget.of(loaded.model, self.blank.device, batch_tokens)

    def answerable(self, ids: Ragged) -> npt.NDArray[np.bool_]:
        """(texts,) whether there is a text to continue."""
        return np.asarray(ids.length > 0)

    def distributions(self, ids: Ragged, rows: Codes, consume: Consume) -> None:
        """Gives the logits behind the last tokens to `consume`, batch by batch.

        Args:
            ids: Texts.
            rows: (n,) the texts that are wanted.
            consume: Called with places in `rows`, (batch,), and their logits, (batch, vocabulary); called again for
                the same places if the memory ran out meanwhile.
        """
        for bucket in buckets(ids.length[rows]):
            length = int(ids.length[rows[bucket[0]]])

            def size(length: int = length) -> int:
                return self.budget.texts(length, self.blank.vocabulary)

            def work(some: Codes, length: int = length) -> None:
                last = np.full(len(some), length - 1, dtype=np.int64)
                consume(some, self.blank.logits(ids.block(rows[some]), np.arange(len(some)), last))

            self.budget.run(bucket, size, work)
