"""Prefix trees: what texts begin with alike is computed once.

What a causal model makes of a token depends on the tokens before it and on nothing else. So texts that begin alike are
laid out as a tree, and its nodes are put into one row, parents before children: each node sees itself and its ancestors
(through the attention mask), and its position is its depth. One pass over the row then gives the hidden state behind
every beginning of every text.

A long row costs attention to nodes that a node does not see, a short one computes shared beginnings again. Where to cut
is a shortest path over the sorted texts (`cuts`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tashika.evaluate.engine.arrays import Codes
from tashika.evaluate.engine.ragged import Ids, Ragged, ranges

_WIDER: Final = 2.0
"""How many times wider than the best for a beginning with many ends a tree may get before it is looked at no more."""

_COPIED: Final = 0.01
"""What it costs to copy a token's keys and values for a row, in tokens that are computed."""


@dataclass(frozen=True)
class Shelf:
    """Texts in the order of their tokens, so that those that begin alike stand beside each other.

    Attributes:
        ids: (texts,) token ids, sorted.
        order: (texts,) the place of each among the texts as they were given.
        shared: (texts,) how many tokens each begins with that the one before it begins with as well; 0 for the first.
    """

    ids: Ragged
    order: Codes
    shared: Codes

    @classmethod
    def of(cls, ids: Ragged) -> Shelf:
        """Sorts texts, none of them empty.

        Args:
            ids: Token ids; they are not negative, so that their big-endian bytes sort as they do.
        """
        held = ids.values.astype(">i4").tobytes()
        spans = zip(ids.start.tolist(), (ids.start + ids.length).tolist(), strict=True)
        keys = [held[4 * begin : 4 * stop] for begin, stop in spans]
        order = np.asarray(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)
        rows = ids.take(order)
        return cls(rows, order, _shared(rows))

    @property
    def fresh(self) -> Codes:
        """(texts,) the nodes that each adds to the tree of those before it."""
        return self.ids.length - self.shared

    @property
    def distinct(self) -> npt.NDArray[np.bool_]:
        """(texts,) whether each differs from the one before it."""
        return np.concatenate([[True], self.fresh[1:] > 0])

    def nodes(self, cut: Codes) -> Codes:
        """(trees,) how many nodes the trees have that it is cut into there."""
        return np.asarray(np.add.reduceat(self.fresh, cut[:-1]) + self.shared[cut[:-1]])

    def take(self, rows: Codes) -> Shelf:
        """The texts at these places, which rise."""
        shared = np.minimum.reduceat(self.shared[: rows[-1] + 1], np.append(0, rows[:-1] + 1))
        shared[0] = 0
        return Shelf(self.ids.take(rows), self.order[rows], shared)

    def without(self, tokens: int) -> Shelf:
        """All texts without their first tokens, which they share."""
        ids = Ragged(self.ids.values, self.ids.start + tokens, self.ids.length - tokens)
        return Shelf(ids, self.order, np.maximum(self.shared - tokens, 0))

    def blocks(self, least: int) -> list[tuple[int, int]]:
        """First and last place (exclusive) of each run of several texts that all begin with as many same tokens."""
        begins = np.append(np.flatnonzero(self.shared < least), len(self.shared))
        return [(int(a), int(b)) for a, b in pairwise(begins) if b - a > 1]


@dataclass(frozen=True)
class Tree:
    """The prefix tree of some texts, in preorder.

    Attributes:
        tokens: (nodes,) token ids.
        depth: (nodes,) how many tokens stand before a node: its position.
        end: (nodes,) the place behind a node's last descendant. Node `k` is `q` or an ancestor of it exactly if
            k <= q < end[k].
        asked: (places,) the nodes that the texts ask for, text by text and in the order of their tokens.
    """

    tokens: Ids
    depth: Codes
    end: Codes
    asked: Codes

    @classmethod
    def of(cls, shelf: Shelf, begin: int, stop: int, first: Codes) -> Tree:
        """The tree of the texts on a shelf from `begin` up to `stop`.

        Args:
            shelf: Sorted texts.
            begin: The first of the tree's.
            stop: The one behind its last.
            first: (texts on the shelf,) the position in each text from which on its nodes are asked for.
        """
        length, shared = shelf.ids.length[begin:stop], shelf.shared[begin:stop].copy()
        shared[0] = 0
        nodes = int((length - shared).sum())
        depth, end = np.empty(nodes, dtype=np.int64), np.full(nodes, nodes, dtype=np.int64)
        path, number = np.empty(int(length.max()), dtype=np.int64), np.arange(max(nodes, int(length.max())))
        asked, at, before = [], 0, 0
        for same, size, wanted in zip(shared.tolist(), length.tolist(), first[begin:stop].tolist(), strict=True):
            end[path[same:before]] = at  # what this text does not pass through any more ends here
            path[same:size] = number[at : at + size - same]
            depth[at : at + size - same] = number[same:size]
            asked.append(path[wanted:size].copy())
            at, before = at + size - same, size
        row = np.repeat(np.arange(begin, stop), length - shared)
        return cls(shelf.ids.values[shelf.ids.start[row] + depth], depth, end, np.concatenate(asked))


class Packed(NamedTuple):
    """Trees in rows of one length. Padding sees itself and is seen by nothing else.

    Attributes:
        tokens: (trees, nodes).
        depth: (trees, nodes).
        end: (trees, nodes).
    """

    tokens: Ids
    depth: Codes
    end: Codes

    @classmethod
    def of(cls, trees: Sequence[Tree]) -> Packed:
        """Packs trees."""
        shape = (len(trees), max(len(tree.tokens) for tree in trees))
        itself = np.tile(np.arange(1, shape[1] + 1), (shape[0], 1))
        packed = cls(np.zeros(shape, dtype=np.int32), np.zeros(shape, dtype=np.int64), itself)
        for row, tree in enumerate(trees):
            size = len(tree.tokens)
            packed.tokens[row, :size] = tree.tokens
            packed.depth[row, :size] = tree.depth
            packed.end[row, :size] = tree.end
        return packed


def cost(nodes: Codes, even: float, before: int = 0) -> npt.NDArray[np.float64]:
    """What rows cost, in tokens that see nothing.

    Args:
        nodes: (rows,) how many nodes each has.
        even: How many nodes a row has when attention costs as much as all else.
        before: How many tokens stand before each row, whose keys and values are there already.
    """
    return np.asarray(nodes * (1 + (nodes + before) / even) + _COPIED * before)


def cuts(shelf: Shelf, more: int, even: float, before: int = 0) -> Codes:
    """Where to cut a shelf into trees, so that all of them together cost least.

    Args:
        shelf: Sorted texts.
        more: A tree has fewer nodes than this beside those of its first text.
        even: See `cost`.
        before: See `cost`.

    Returns:
        (trees + 1,) the first text of each tree, and the number of texts.
    """
    count, length = len(shelf.order), shelf.ids.length
    added = np.concatenate([[0], np.cumsum(shelf.fresh)])  # by the texts before this one
    # Of many texts that share s tokens and no more, trees with sqrt(s (s + even)) further nodes cost least.
    longest = int(shelf.shared.max()) + _COPIED * before
    more = min(more, int(shelf.fresh.max() + _WIDER * np.sqrt(longest * (longest + before + even))) + 2)
    best, cut = np.zeros(count + 1), np.zeros(count + 1, dtype=np.int64)
    lowest = 0
    for stop in range(1, count + 1):
        while lowest < stop - 1 and added[stop] - added[lowest + 1] >= more:
            lowest += 1
        nodes = length[lowest:stop] + added[stop] - added[lowest + 1 : stop + 1]
        total = best[lowest:stop] + cost(nodes, even, before)
        least = int(total.argmin())
        best[stop], cut[stop] = total[least], lowest + least
    ends = [count]
    while ends[-1] > 0:
        ends.append(int(cut[ends[-1]]))
    return np.asarray(ends[::-1], dtype=np.int64)


def _shared(ids: Ragged) -> Codes:
    """(rows,) how many tokens each row begins with that the one before it begins with as well."""
    if len(ids.length) < 2:
        return np.zeros(len(ids.length), dtype=np.int64)
    most = np.minimum(ids.length[1:], ids.length[:-1])
    one, other = (ids.values[ranges(start, most)] for start in (ids.start[1:], ids.start[:-1]))
    same = np.where(one == other, np.repeat(most, most), ranges(np.zeros_like(most), most))
    return np.concatenate([[0], np.minimum.reduceat(same, np.cumsum(most) - most)])
