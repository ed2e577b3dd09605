"""Templates of a relation in the order of their wordings, so that like stands beside like, and those that are typical.

Two wordings are as far apart as the share of letter trigrams that only one of them has (Jaccard's distance), which
needs no model and no word boundaries. The order is that of the leaves of an average-linkage tree, turned so that
neighbours are as alike as the tree allows (Bar-Joseph, Gifford and Jaakkola 2001).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from tashika.core.cloze import OBJECT_SLOT
from tashika.core.writing import closes

Floats = npt.NDArray[np.float64]
_LENGTH = 3


def grams(text: str) -> frozenset[str]:
    """The trigrams of a text, its ends marked by a space, without regard to case."""
    marked = f" {text.strip().casefold()} "
    return frozenset(marked[start : start + _LENGTH] for start in range(max(1, len(marked) - _LENGTH + 1)))


def distances(texts: Sequence[str]) -> Floats:
    """(n, n) Jaccard's distances of the texts' trigrams, from 0 to 1."""
    sets = [grams(text) for text in texts]
    return np.asarray([[1 - len(one & other) / len(one | other) for other in sets] for one in sets])


def wording_order(texts: Sequence[str]) -> list[int]:
    """Places of templates: first those that end with their blank, which causal models can answer, then the others.

    Within both parts like stands beside like. The order of `texts` changes nothing, as long as no two are the same.
    """
    by_text = sorted(range(len(texts)), key=texts.__getitem__)
    last = [place for place in by_text if closes(texts[place].split(OBJECT_SLOT)[-1])]
    return [*_leaves(texts, last), *_leaves(texts, [place for place in by_text if place not in set(last)])]


def _leaves(texts: Sequence[str], places: list[int]) -> list[int]:
    if len(places) < 3:
        return places
    from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering
    from scipy.spatial.distance import squareform

    far: Any = squareform(distances([texts[place] for place in places]), checks=False)
    leaves = leaves_list(optimal_leaf_ordering(linkage(far, "average"), far))
    return [places[leaf] for leaf in leaves.tolist()]


def typical(texts: Sequence[str], number: int) -> list[int]:
    """Places of templates that stand for all, in the order of their wordings: each for as many as the others.

    The order is cut into `number` stretches of equal length; of each the most typical is taken, which is least far from
    the rest of its stretch.
    """
    order = wording_order(texts)
    if len(order) <= number:
        return order
    far = distances(texts)
    cuts = np.round(np.linspace(0, len(order), number + 1)).astype(int).tolist()
    stretches = [order[start:stop] for start, stop in pairwise(cuts)]
    return [min(stretch, key=lambda place: (far[place, stretch].sum(), texts[place])) for stretch in stretches]
