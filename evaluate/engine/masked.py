"""Masked models: the distribution at the mask token."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tashika.core.models import LoadedModel
from tashika.evaluate.engine.arrays import Codes
from tashika.evaluate.engine.batches import Budget, buckets
from tashika.evaluate.engine.blank_model import BlankModel
from tashika.evaluate.engine.distributions import Consume
from tashika.evaluate.engine.pieces import Ragged


class MaskedModel:
    """A masked language model as the engine sees it.

    Args:
        loaded: The model.
        batch_tokens: Tokens in a batch, at most; None takes them from the free memory.

    Attributes:
        blank: What runs it.
        budget: What goes through it at once.
    """

    kind = "masked"

    def __init__(self, loaded: LoadedModel, batch_tokens: int | None = None) -> None:
        self.blank = BlankModel(loaded)
        self.budget = Budget.of(loaded.model, self.blank.device, batch_tokens)
        self._mask = int(loaded.tokenizer.mask_token_id)

    def answerable(self, ids: Ragged) -> npt.NDArray[np.bool_]:
        """(texts,) whether a text has exactly one mask token: a subject may be called "[MASK]"."""
        row = np.repeat(np.arange(len(ids.length)), ids.length)
        masks = np.bincount(row[ids.values == self._mask], minlength=len(ids.length))
        return np.asarray(masks == 1)

    def distributions(self, ids: Ragged, rows: Codes, consume: Consume) -> None:
        """Gives the logits at the masks to `consume`, batch by batch.

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

            def work(some: Codes) -> None:
                block = ids.block(rows[some])
                at = (block == self._mask).argmax(axis=1)
                consume(some, self.blank.logits(block, np.arange(len(some)), at))

            self.budget.run(bucket, size, work)
