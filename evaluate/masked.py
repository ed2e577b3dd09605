"""Masked models: the distribution at the mask token."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tashika.core.models import LoadedModel
from tashika.evaluate.models import BlankModel
from tashika.evaluate.pieces import Ids, Ragged

if TYPE_CHECKING:
    import torch


class MaskedModel:
    """A masked language model as the engine sees it.

    Args:
        loaded: The model.

    Attributes:
        blank: What runs it.
    """

    kind = "masked"

    def __init__(self, loaded: LoadedModel) -> None:
        self.blank = BlankModel(loaded)
        self._mask = int(loaded.tokenizer.mask_token_id)

    def answerable(self, ids: Ragged) -> npt.NDArray[np.bool_]:
        """(texts,) whether a text has exactly one mask token: a subject may be called "[MASK]"."""
        row = np.repeat(np.arange(len(ids.length)), ids.length)
        masks = np.bincount(row[ids.values == self._mask], minlength=len(ids.length))
        return np.asarray(masks == 1)

    def logits(self, ids: Ids) -> torch.Tensor:
        """The logits at the mask, (texts, vocabulary), of texts of one length, (texts, length)."""
        return self.blank.logits(ids, (ids == self._mask).argmax(axis=1))
