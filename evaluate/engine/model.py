"""What the scoring engine needs of a model, whatever its kind, and why a text cannot be asked."""

from __future__ import annotations

from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from tashika.core.models import LoadedModel
from tashika.evaluate.engine.arrays import Codes
from tashika.evaluate.engine.batches import Budget
from tashika.evaluate.engine.blank_model import BlankModel
from tashika.evaluate.engine.causal import CausalModel
from tashika.evaluate.engine.distributions import Consume
from tashika.evaluate.engine.masked import MaskedModel
from tashika.evaluate.engine.pieces import Ragged

ENGINE_VERSION: Final = 2
"""Part of every stage's settings: raise it when predictions change."""

PROBLEMS: Final = (
    None,
    "blank is not at the end",
    "no single-token object",
    "[X] contains the mask token",
    "too long",
    "the model's output is not a number",
)
FINE, NOT_LAST, NO_OBJECT, NO_BLANK, TOO_LONG, NOT_A_NUMBER = range(len(PROBLEMS))


class Model(Protocol):
    """What the engine needs of a model; see `masked` and `causal`."""

    blank: BlankModel
    budget: Budget

    def answerable(self, ids: Ragged) -> npt.NDArray[np.bool_]:
        """Which texts have exactly one place to answer at."""

    def distributions(self, ids: Ragged, rows: Codes, consume: Consume) -> None:
        """Gives the logits at that place to `consume`, batch by batch."""


def model_of(loaded: LoadedModel, batch_tokens: int | None = None) -> Model:
    """The engine's view of a loaded model.

    Args:
        loaded: The model.
        batch_tokens: Tokens in a batch, at most; None takes them from the free memory.
    """
    return MaskedModel(loaded, batch_tokens) if loaded.kind == "masked" else CausalModel(loaded, batch_tokens)


def unfit(model: Model, ids: Ragged) -> Codes:
    """(texts,) why a text cannot be asked, a place in `PROBLEMS`. Texts are never cut: too long is a problem."""
    problem = np.where(model.answerable(ids), FINE, NO_BLANK)
    problem[ids.length > model.blank.max_length] = TOO_LONG
    return problem
