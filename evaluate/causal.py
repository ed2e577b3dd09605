"""Causal models: the distribution of the token that follows the text before [Y].

Prompts of a release share little at their beginning (a template before its subject); what a cache of shared
beginnings would save is measured in bench/scoring.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tashika.core.models import LoadedModel
from tashika.evaluate.models import BlankModel
from tashika.evaluate.pieces import Ids, Ragged

if TYPE_CHECKING:
    import torch


class CausalModel:
    """A causal language model as the engine sees it.

    Args:
        loaded: The model.

    Attributes:
        blank: What runs it.
    """

    kind = "causal"

    def __init__(self, loaded: LoadedModel) -> None:
        self.blank = BlankModel(loaded, use_cache=False)

    def answerable(self, ids: Ragged) -> npt.NDArray[np.bool_]:
        """(texts,) whether there is a text to continue."""
        return np.asarray(ids.length > 0)

    def logits(self, ids: Ids) -> torch.Tensor:
        """The logits behind the last token, (texts, vocabulary), of texts of one length, (texts, length)."""
        return self.blank.logits(ids, np.full(len(ids), ids.shape[1] - 1, dtype=np.int64))
