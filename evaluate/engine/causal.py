"""Causal models: the distribution of what follows a text, or follows any token of it.

Texts that begin alike go through the model as prefix trees (`trees`, `forest`), where the model takes them (`sharing`)
and where that costs less. All else goes in buckets of one length.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from tashika.core.models import LoadedModel
from tashika.evaluate.engine.arrays import Codes
from tashika.evaluate.engine.batches import Budget
from tashika.evaluate.engine.blank_model import BlankModel
from tashika.evaluate.engine.distributions import Consume
from tashika.evaluate.engine.forest import Asked, Forest, Receive
from tashika.evaluate.engine.ragged import Ragged
from tashika.evaluate.engine.sharing import even, find_reach, shares
from tashika.evaluate.engine.trees import Shelf, cost, cuts

if TYPE_CHECKING:
    import torch

_MASKED: Final = 1.1
"""What a pass costs with a mask of ours, in passes without."""

_LEAST_TRUNK: Final = 64
"""Fewer tokens than this are not worth a pass of their own."""

_WITH_TRUNK: Final = 1.1
"""What a pass on a trunk costs, in passes without: its batches are smaller."""


class CausalModel:
    """A causal language model as the engine sees it.

    Args:
        loaded: The model.
        batch_tokens: Tokens in a batch, at most; None takes them from the free memory.

    Attributes:
        blank: What runs it.
        budget: What goes through it at once.
        shares_prefixes: Whether it can compute shared beginnings once; None until that was tried.
    """

    kind = "causal"

    def __init__(self, loaded: LoadedModel, batch_tokens: int | None = None) -> None:
        self.blank = BlankModel(loaded, use_cache=False)
        self.budget = Budget.of(loaded.model, self.blank.device, batch_tokens)
        self.shares_prefixes: bool | None = None
        self._stands_on_trunk = False
        self._reach = find_reach(loaded.model.config)
        self._even = even(loaded.model)

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
        wanted = ids.take(rows)

        def receive(asked: Asked, logits: torch.Tensor) -> None:
            alone = np.array_equal(asked.row, np.arange(len(logits)))
            consume(asked.text, logits if alone else logits[self.blank.put(asked.row)])

        self.behind(wanted, wanted.length - 1, receive)

    def behind(self, ids: Ragged, first: Codes, receive: Receive) -> None:
        """Gives the logits behind tokens of texts to `receive`, batch by batch. No text is divided among batches.

        Args:
            ids: Texts, none of them empty or longer than the model takes.
            first: (texts,) the first token of each text that logits are wanted behind; they are for all from there on.
            receive: Called with the places and the logits, (rows, vocabulary); called again for the same texts if the
                memory ran out meanwhile.
        """
        if len(first) == 0:
            return
        shelf = Shelf.of(ids)
        forest = Forest(self.blank, self.budget, shelf, first[shelf.order], shelf.order, receive)
        fits = shelf.ids.length <= self._reach.text
        if not fits.all():
            forest.take(np.flatnonzero(~fits)).run_plain()
        if fits.any():
            self._run(self._run_on_trunks(forest.take(np.flatnonzero(fits))))

    def _run_on_trunks(self, forest: Forest) -> Forest | None:
        """Runs the texts that begin with many same tokens, where trees would compute those too often.

        Returns:
            The other texts.
        """
        left = np.ones(len(forest.first), dtype=bool)
        for begin, stop in forest.shelf.blocks(_LEAST_TRUNK):
            block = forest.take(np.arange(begin, stop))
            length = int(min(block.shelf.shared[1:].min(), block.first.min()))
            if length >= _LEAST_TRUNK and self._runs_on_trunk(block, length):
                left[begin:stop] = False
        return forest.take(np.flatnonzero(left)) if left.any() else None

    def _runs_on_trunk(self, block: Forest, length: int) -> bool:
        rest = block.shelf.without(length)
        cut = self._cuts(rest, length)
        with_trunk = self._cost(np.asarray([length])) + self._cost(rest.nodes(cut), length)
        without = self._cost(block.shelf.nodes(self._cuts(block.shelf)))
        pays = _WITH_TRUNK * with_trunk < without and self._shares() and self._stands_on_trunk
        if pays:
            block.run_on_trunk(length, cut)
        return pays

    def _run(self, forest: Forest | None) -> None:
        """Runs trees, or texts one by one where that costs less."""
        if forest is None:
            return
        cut = self._cuts(forest.shelf)
        alone = forest.shelf.ids.length[forest.shelf.distinct]
        pays = _MASKED * self._cost(forest.shelf.nodes(cut)) < self._cost(alone)
        if pays and self._shares():
            forest.run_trees(cut)
        else:
            forest.run_plain()

    def _shares(self) -> bool:
        if self.shares_prefixes is None:
            self.shares_prefixes, self._stands_on_trunk = shares(self.blank, self._reach)
        return self.shares_prefixes

    def _cuts(self, shelf: Shelf, before: int = 0) -> Codes:
        return cuts(shelf, min(self.budget.tokens, self._reach.more), self._even, before)

    def _cost(self, nodes: Codes, before: int = 0) -> float:
        return float(cost(nodes, self._even, before).sum())
