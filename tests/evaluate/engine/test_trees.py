"""Prefix trees of sorted texts: every beginning once, and each node sees exactly what stands before it."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.evaluate.engine.ragged import Ragged
from tashika.evaluate.engine.trees import Packed, Shelf, Tree, cost, cuts

TEXTS = st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=7), min_size=1, max_size=10)


def _prefix(tree: Tree, node: int) -> tuple[int, ...]:
    """The tokens that a node sees."""
    seen = [at for at in range(len(tree.tokens)) if at <= node < tree.end[at]]
    return tuple(tree.tokens[seen].tolist())


def _all_of(shelf: Shelf, begin: int, stop: int) -> list[tuple[int, ...]]:
    return [tuple(shelf.ids.block(np.asarray([at]))[0].tolist()) for at in range(begin, stop)]


def test_a_tree_by_hand() -> None:
    """``a b c``, ``a b d e`` and ``f``: six tokens and no beginning twice."""
    shelf = Shelf.of(Ragged.of([[7, 8, 10, 11], [12], [7, 8, 9]]))
    tree = Tree.of(shelf, 0, 3, np.asarray([2, 1, 0]))
    assert shelf.order.tolist() == [2, 0, 1]
    assert shelf.shared.tolist() == [0, 2, 0]
    assert tree.tokens.tolist() == [7, 8, 9, 10, 11, 12]
    assert tree.depth.tolist() == [0, 1, 2, 2, 3, 0]
    assert tree.end.tolist() == [5, 5, 3, 5, 5, 6]
    assert tree.asked.tolist() == [2, 1, 3, 4, 5]


@given(TEXTS)
def test_texts_are_sorted_and_know_what_they_share(texts: list[list[int]]) -> None:
    shelf = Shelf.of(Ragged.of(texts))
    rows = _all_of(shelf, 0, len(texts))
    assert rows == sorted(map(tuple, texts))
    assert [tuple(texts[at]) for at in shelf.order] == rows
    for (one, other), shared in zip(pairwise(rows), shelf.shared[1:].tolist(), strict=True):
        assert one[:shared] == other[:shared]
        assert one[shared : shared + 1] != other[shared : shared + 1] or one == other


def test_token_ids_beyond_a_byte_are_sorted_as_numbers() -> None:
    shelf = Shelf.of(Ragged.of([[70000], [256, 1], [255, 70000], [1]]))
    assert shelf.order.tolist() == [3, 2, 1, 0]


@given(TEXTS, st.data())
def test_every_beginning_is_one_node_that_sees_itself(texts: list[list[int]], data: st.DataObject) -> None:
    shelf = Shelf.of(Ragged.of(texts))
    begin = data.draw(st.integers(0, len(texts) - 1))
    stop = data.draw(st.integers(begin + 1, len(texts)))
    first = np.asarray([data.draw(st.integers(0, int(size) - 1)) for size in shelf.ids.length])
    tree = Tree.of(shelf, begin, stop, first)
    rows = _all_of(shelf, begin, stop)
    beginnings = {row[:size] for row in rows for size in range(1, len(row) + 1)}
    seen = [_prefix(tree, node) for node in range(len(tree.tokens))]
    assert sorted(seen) == sorted(beginnings)
    assert [len(one) - 1 for one in seen] == tree.depth.tolist()
    wanted = [row[: at + 1] for row, low in zip(rows, first[begin:stop], strict=True) for at in range(low, len(row))]
    assert [seen[node] for node in tree.asked] == wanted


@given(TEXTS, st.data())
def test_some_texts_of_a_shelf_are_a_shelf(texts: list[list[int]], data: st.DataObject) -> None:
    shelf = Shelf.of(Ragged.of(texts))
    places = st.sets(st.integers(0, len(texts) - 1), min_size=1).map(sorted)
    rows = np.asarray(data.draw(places))
    some, anew = shelf.take(rows), Shelf.of(shelf.ids.take(rows))
    assert some.shared.tolist() == anew.shared.tolist()
    assert some.order.tolist() == shelf.order[rows].tolist()
    assert _all_of(some, 0, len(rows)) == _all_of(anew, 0, len(rows))


def test_blocks_share_a_beginning_and_can_leave_it_out() -> None:
    shelf = Shelf.of(Ragged.of([[1, 2, 3, 4], [1, 2, 3, 5], [1, 2, 6], [9], [8, 7, 7], [8, 7, 6]]))
    assert shelf.blocks(2) == [(0, 3), (3, 5)]
    assert shelf.blocks(3) == [(0, 2)]
    assert shelf.blocks(5) == []
    rest = shelf.take(np.arange(3)).without(2)
    assert _all_of(rest, 0, 3) == [(3, 4), (3, 5), (6,)]
    assert rest.shared.tolist() == [0, 1, 0]


@given(TEXTS, st.sampled_from([0.5, 5.0, 50.0, 1e6]), st.sampled_from([0, 9]))
def test_no_other_cuts_cost_less(texts: list[list[int]], even: float, before: int) -> None:
    shelf = Shelf.of(Ragged.of(texts))
    found = cuts(shelf, 10**6, even, before)
    inner = range(1, len(texts))
    every = [[0, *some, len(texts)] for size in range(len(texts)) for some in combinations(inner, size)]
    costs = [cost(shelf.nodes(np.asarray(one)), even, before).sum() for one in every]
    assert cost(shelf.nodes(found), even, before).sum() == pytest.approx(min(costs))


@given(TEXTS, st.integers(1, 8))
def test_trees_are_no_larger_than_allowed(texts: list[list[int]], more: int) -> None:
    shelf = Shelf.of(Ragged.of(texts))
    found = cuts(shelf, more, 1e6)
    assert found[0] == 0
    assert found[-1] == len(texts)
    for begin, stop in pairwise(found.tolist()):
        nodes = len(Tree.of(shelf, begin, stop, shelf.ids.length - 1).tokens)
        assert stop - begin == 1 or nodes < shelf.ids.length[begin] + more


def test_padding_sees_itself_and_is_seen_by_nothing_else() -> None:
    shelf = Shelf.of(Ragged.of([[1, 2, 3], [1, 4], [5]]))
    packed = Packed.of([Tree.of(shelf, 0, 2, shelf.ids.length - 1), Tree.of(shelf, 2, 3, shelf.ids.length - 1)])
    assert packed.tokens.tolist() == [[1, 2, 3, 4], [5, 0, 0, 0]]
    at = np.arange(4)
    sees = (at <= at[:, None]) & (at[:, None] < packed.end[1])
    assert sees.tolist() == np.eye(4, dtype=bool).tolist()
