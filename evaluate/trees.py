"""Prefix trees: what texts begin with alike is computed once.

What a causal model makes of a token depends on the tokens before it and on nothing else. So texts that begin alike are
laid out as a tree and its nodes are put into one row, parents before children: each node sees itself and its ancestors
(through the attention mask), and its position is its depth. One forward pass over the row then gives the hidden state
behind every beginning of every text.

A long row costs attention to nodes that a node does not see, a short one computes shared beginnings again. Where to cut
is a shortest path over the sorted texts (`cuts`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tashika.evaluate.pieces import Ids, Ragged
from tashika.evaluate.prompts import Codes


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
        keys = [held[4 * at : 4 * (at + size)] for at, size in zip(ids.start.tolist(), ids.length.tolist(), strict=True)]
        order = np.asarray(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)
        rows = ids.take(order)
        return cls(rows, order, _shared(rows))

    @property
    def fresh(self) -> Codes:
        """(texts,) the nodes that each adds to the tree of those before it."""
        return self.ids.length - self.shared


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
        packed = cls(
            np.zeros(shape, dtype=np.int32),
            np.zeros(shape, dtype=np.int64),
            np.tile(np.arange(1, shape[1] + 1), (shape[0], 1)),
        )
        for row, tree in enumerate(trees):
            size = len(tree.tokens)
            packed.tokens[row, :size], packed.depth[row, :size], packed.end[row, :size] = (
                tree.tokens,
                tree.depth,
                tree.end,
            )
        return packed


def cuts(shelf: Shelf, more: int, even: float) -> Codes:
    """Where to cut a shelf into trees, so that all of them together cost least.

    A tree of n nodes costs n + n²/even: the work on the nodes, and the attention of each to all.

    Args:
        shelf: Sorted texts.
        more: A tree has fewer nodes than this beside those of its first text.
        even: How many nodes a row has when attention costs as much as all else.

    Returns:
        (trees + 1,) the first text of each tree, and the number of texts.
    """
    count, length = len(shelf.order), shelf.ids.length
    added = np.concatenate([[0], np.cumsum(shelf.fresh)])  # by the texts before this one
    best, cut = np.zeros(count + 1), np.zeros(count + 1, dtype=np.int64)
    lowest = 0
    for stop in range(1, count + 1):
        while added[stop] - added[lowest + 1] >= more and lowest < stop - 1:
            lowest += 1
        nodes = length[lowest:stop] + added[stop] - added[lowest + 1 : stop + 1]
        cost = best[lowest:stop] + nodes * (1 + nodes / even)
        least = int(cost.argmin())
        best[stop], cut[stop] = cost[least], lowest + least
    found = [count]
    while found[-1] > 0:
        found.append(int(cut[found[-1]]))
    return np.asarray(found[::-1], dtype=np.int64)


def _shared(ids: Ragged) -> Codes:
    """(rows,) how many tokens each row begins with that the one before it begins with as well."""
    if len(ids.length) < 2:
        return np.zeros(len(ids.length), dtype=np.int64)
    most = np.minimum(ids.length[1:], ids.length[:-1])
    ends = np.cumsum(most)
    within = np.arange(int(ends[-1])) - np.repeat(ends - most, most)
    one, other = (ids.values[np.repeat(start, most) + within] for start in (ids.start[1:], ids.start[:-1]))
    same = np.where(one == other, np.repeat(most, most), within)
    return np.concatenate([[0], np.minimum.reduceat(same, ends - most)])
