"""Divides pairs into training, validation and test parts, so that no antecedent and no pair of events is in two parts.

Source: the paper, section 3.4 (8:1:1). It does not say what keeps the parts apart; a context that a model was trained
on would tell it about the same context in the test part.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Final

from tashika.core.suites.kuci.words import SPLITS, Split
from tashika.core.texts import text_key

PUBLISHED: Final = (8, 1, 1)
"""Shares of the parts, in the order of `SPLITS`."""


def clause_key(words: Iterable[str]) -> str:
    """Two clauses with the same key are the same to a reader: width, case, spaces and signs are no difference."""
    return text_key("".join(words))


def split(pairs: Iterable[Mapping[str, Any]], seed: int, shares: Sequence[float] = PUBLISHED) -> dict[str, Split]:
    """Gives each pair its part.

    Pairs with the same antecedent are one group, and so are pairs with the same two basic events
    (お腹が空いたら、ご飯を食べる and お腹が空いたので、ご飯を食べる). Groups come in an order that their digests give.
    Each goes into the first of test, validation and training part that has room for all of it; where none has, into the
    one with the most room. So the sizes are those of `sizes` unless groups are large: a part is too large by less than
    the largest group.

    Args:
        pairs: Rows of the kind "pair" with their `item_id`; their order makes no difference.
        seed: Another one, another order.
        shares: Of the parts, in the order of `SPLITS`.

    Returns:
        The part of each `item_id`.
    """
    groups = _groups({str(one["item_id"]): one for one in pairs})
    room = dict(zip(SPLITS, sizes(sum(map(len, groups.values())), shares), strict=True))
    part_of: dict[str, Split] = {}
    for key in sorted(groups, key=lambda key: hashlib.blake2b(f"{seed}:{key}".encode()).digest()):
        members = groups[key]
        roomiest = max(SPLITS, key=lambda one: room[one])
        part = next((one for one in reversed(SPLITS) if room[one] >= len(members)), roomiest)
        room[part] -= len(members)
        part_of.update(dict.fromkeys(members, part))
    return part_of


def sizes(count: int, shares: Sequence[float] = PUBLISHED) -> tuple[int, ...]:
    """Divides a number by shares: the largest remainders are rounded up, the first of equal ones first."""
    exact = [count * share / sum(shares) for share in shares]
    whole = [int(one) for one in exact]
    order = sorted(range(len(shares)), key=lambda place: (round(whole[place] - exact[place], 9), place))
    for place in order[: count - sum(whole)]:
        whole[place] += 1
    return tuple(whole)


def _groups(pairs: Mapping[str, Mapping[str, Any]]) -> dict[str, list[str]]:
    """The ids of pairs that must stay together, by the first of the group's antecedents."""
    union = _Union()
    antecedents = {}
    for identity, pair in pairs.items():
        antecedents[identity] = clause_key(pair["antecedent_words"])
        union.join(identity, ("antecedent", antecedents[identity]))
        if pair["antecedent_event"] and pair["consequent_event"]:
            union.join(identity, ("events", pair["antecedent_event"], pair["consequent_event"]))
    together: dict[Hashable, list[str]] = {}
    for identity in sorted(pairs):
        together.setdefault(union.root(identity), []).append(identity)
    return {min(antecedents[one] for one in members): members for members in together.values()}


class _Union:
    """Things that were joined have the same root."""

    def __init__(self) -> None:
        self._above: dict[Hashable, Hashable] = {}
        self._size: Counter[Hashable] = Counter()

    def root(self, thing: Hashable) -> Hashable:
        self._above.setdefault(thing, thing)
        while self._above[thing] != thing:
            self._above[thing] = self._above[self._above[thing]]  # halves the way for whoever comes next
            thing = self._above[thing]
        return thing

    def join(self, one: Hashable, other: Hashable) -> None:
        small, large = sorted((self.root(one), self.root(other)), key=lambda root: self._size[root])
        if small != large:
            self._above[small] = large
            self._size[large] += self._size[small] + 1
