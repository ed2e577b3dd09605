"""Sorted texts on their way through a causal model: as trees, as trees on a common trunk, or one by one."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from tashika.evaluate.engine.arrays import Codes
from tashika.evaluate.engine.batches import Budget, buckets
from tashika.evaluate.engine.blank_model import BlankModel
from tashika.evaluate.engine.ragged import Ids, ranges
from tashika.evaluate.engine.trees import Packed, Shelf, Tree

if TYPE_CHECKING:
    import torch

_STATES_AT_ONCE: Final = 4096
"""Tokens whose keys and values are held beside a batch, at most; more only where a batch has more."""

_NARROWEST: Final = 0.75
"""How wide a tree must be to go with the widest of a batch, and be padded to its width."""


class Asked(NamedTuple):
    """Which places of texts some logits are for, (places,) each. The places of a text stand beside each other.

    Attributes:
        text: The text.
        position: The token in it that the logits stand behind.
        row: The row of the logits. Texts that begin alike share rows.
    """

    text: Codes
    position: Codes
    row: Codes


Receive = Callable[[Asked, "torch.Tensor"], None]


class Trunk:
    """Tokens that many texts begin with, and their keys and values in every layer.

    Args:
        blank: The model.
        ids: (length,) the tokens.
    """

    def __init__(self, blank: BlankModel, ids: Ids) -> None:
        from transformers import DynamicCache

        self.length = len(ids)
        self._states: Any = DynamicCache()
        blank.logits(ids[None], np.zeros(1, np.int64), np.asarray([len(ids) - 1]), past_key_values=self._states)

    def states(self, rows: int) -> Any:
        """The keys and values for as many rows. What the model adds to them does not come back."""
        states = copy(self._states)
        states.layers = [copy(layer) for layer in states.layers]
        for layer in states.layers:
            layer.keys, layer.values = (one.expand(rows, -1, -1, -1) for one in (layer.keys, layer.values))
        return states


@dataclass
class Forest:
    """Sorted texts, and which cases take what the model predicts behind them.

    Attributes:
        blank: The model.
        budget: What goes through it at once.
        shelf: The texts.
        first: (texts,) the first token of each that logits are wanted behind.
        name: (texts,) what `receive` knows each text by.
        receive: Takes places and logits.
    """

    blank: BlankModel
    budget: Budget
    shelf: Shelf
    first: Codes
    name: Codes
    receive: Receive

    def take(self, rows: Codes) -> Forest:
        """The texts at these places, which rise."""
        shelf = self.shelf.take(rows)
        return Forest(self.blank, self.budget, shelf, self.first[rows], self.name[rows], self.receive)

    def run_plain(self) -> None:
        """Runs the distinct texts in buckets of one length."""
        kept = np.flatnonzero(self.shelf.distinct)
        ends = np.append(kept[1:], len(self.first))
        first, length = np.minimum.reduceat(self.first, kept), self.shelf.ids.length[kept]
        for bucket in buckets(length):
            size = int(length[bucket[0]])
            places = int((size - first[bucket]).max())

            def texts(size: int = size, places: int = places) -> int:
                return self.budget.texts(size, self.blank.vocabulary * places)

            def work(some: Codes, size: int = size) -> None:
                asked = size - first[some]
                rows, positions = np.repeat(np.arange(len(some)), asked), ranges(first[some], asked)
                logits = self.blank.logits(self.shelf.ids.block(kept[some]), rows, positions)
                text, position = self._places(ranges(kept[some], ends[some] - kept[some]))
                row = np.cumsum(asked)[np.searchsorted(kept[some], text, side="right") - 1] - size + position
                self.receive(Asked(self.name[text], position, row), logits)

            self.budget.run(bucket, texts, work)

    def run_trees(self, cut: Codes) -> None:
        """Runs trees, cut at `trees.cuts`, the largest first, padded to the largest of a batch."""
        _Trees(self, None).run(cut)

    def run_on_trunk(self, length: int, cut: Codes) -> None:
        """Runs what all texts begin with once, and then trees of the rest.

        Args:
            length: How many tokens the trunk has; no text wants logits behind one before its last.
            cut: See `trees.cuts`, of the shelf without the trunk.
        """
        trunk: list[Trunk] = []
        ids = self.shelf.ids.block(np.zeros(1, np.int64))[0, :length]
        self.budget.run(np.zeros(1, np.int64), lambda: 1, lambda _: trunk.append(Trunk(self.blank, ids)))
        rest = Forest(
            self.blank, self.budget, self.shelf.without(length), self.first - length, self.name, self._moved(length)
        )
        _Trees(rest, trunk[0]).run(cut)

    def _moved(self, by: int) -> Receive:
        return lambda asked, logits: self.receive(asked._replace(position=asked.position + by), logits)

    def _places(self, texts: Codes) -> tuple[Codes, Codes]:
        """The text and the position of every place that some texts ask for, text by text."""
        asked = self.shelf.ids.length[texts] - self.first[texts]
        return np.repeat(texts, asked), ranges(self.first[texts], asked)


class _Trees:
    """Trees on their way through a model, on a trunk or on the ground."""

    def __init__(self, forest: Forest, trunk: Trunk | None) -> None:
        self._forest, self._trunk = forest, trunk
        self._before = trunk.length if trunk else 0

    def run(self, cut: Codes) -> None:
        forest, budget = self._forest, self._forest.budget
        nodes = forest.shelf.nodes(cut)
        places = np.add.reduceat(forest.shelf.ids.length - forest.first, cut[:-1])
        order = np.argsort(-nodes, kind="stable")
        nodes, places = nodes[order], np.cumsum(places[order])
        done = 0

        def size() -> int:
            widest, before = int(nodes[done]), int(places[done - 1]) if done else 0
            with_logits = int((places <= before + budget.logits // forest.blank.vocabulary).sum()) - done
            with_states = max(budget.tokens, _STATES_AT_ONCE) // (widest + self._before)
            alike = int((nodes >= _NARROWEST * widest).sum()) - done
            return max(1, min(budget.tokens // widest, with_states, with_logits, alike))

        def work(some: Codes) -> None:
            nonlocal done
            spans = [(int(cut[tree]), int(cut[tree + 1])) for tree in some]
            if len(spans) > 1:
                self._grow(spans)
            else:
                self._divide(*spans[0])
            done += len(some)

        budget.run(order, size, work)

    def _divide(self, begin: int, stop: int) -> None:
        """Runs one tree; if the memory does not hold it, in parts."""
        budget = self._forest.budget
        tokens, texts = budget.tokens, np.arange(begin, stop)
        budget.run(
            texts,
            lambda: max(1, len(texts) * budget.tokens // tokens),
            lambda some: self._grow([(int(some[0]), int(some[-1]) + 1)]),
        )

    def _grow(self, spans: list[tuple[int, int]]) -> None:
        forest = self._forest
        trees = [Tree.of(forest.shelf, *span, forest.first) for span in spans]
        packed = Packed.of(trees)
        width = packed.tokens.shape[1]
        nodes = np.concatenate([tree.asked + number * width for number, tree in enumerate(trees)])
        wanted, row = np.unique(nodes, return_inverse=True)
        inputs: dict[str, Any] = {
            "position_ids": forest.blank.put(packed.depth + self._before),
            "attention_mask": self._mask(packed.end),
        }
        if self._trunk:
            inputs["past_key_values"] = self._trunk.states(len(trees))
        logits = forest.blank.logits(packed.tokens, *np.divmod(wanted, width), **inputs)
        text, position = forest._places(np.concatenate([np.arange(*span) for span in spans]))
        forest.receive(Asked(forest.name[text], position, row), logits)

    def _mask(self, end: Codes) -> torch.Tensor:
        """(trees, 1, nodes, trunk and nodes), what is added to each one's attention to each: -inf for a stranger."""
        import torch

        behind = self._forest.blank.put(end)
        at = torch.arange(end.shape[1], device=behind.device)
        query, key = at[:, None], at[None, :]
        strange = (key > query) | (query >= behind[:, None, :])
        kind = next(self._forest.blank.loaded.model.base_model.parameters()).dtype
        mask = torch.zeros((*end.shape, self._before + end.shape[1]), dtype=kind, device=behind.device)
        mask[..., self._before :].masked_fill_(strange, -torch.inf)
        return mask[:, None]
