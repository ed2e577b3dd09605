"""Checks for items that are nearly the same.

MinHash with locality-sensitive hashing (Broder 1997; Indyk and Motwani 1998) proposes pairs, which are then compared in
full, so that nothing is found which is not there.

Near-duplicates are pairs whose sets of runs of letters agree up to a share of all (Jaccard), whose numbers agree, and
whose words differ in spelling alone: what a template asks about two people is alike and not the same.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Final, NamedTuple

from tashika.core.draws import order_key
from tashika.core.progress import track
from tashika.core.texts import shingles, text_key
from tashika.exports.checking.examined import Examined, Row, shown
from tashika.exports.checks import Problem

_PERMUTATIONS: Final = 64
_NEAR: Final = 0.05
"""The hashes estimate a share with an error: pairs from this far below the threshold on are compared in full."""
_MANY: Final = 20_000
"""Items from which on their comparison shows how far it is."""
_WORD: Final = re.compile(r"[^\W\d_]+")
_TOKEN: Final = re.compile(r"\d+|[^\W\d_]+")
_NUMBER_WORDS: Final = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million first second third fourth fifth
sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth
nineteenth twentieth
"""
_NUMBERS: Final = frozenset(_NUMBER_WORDS.split())
"""English numbers in words, which are spelled too much alike to be told apart by that."""
_SHORT: Final = 3
"""Letters up to which a word may be missing or another one: articles, prepositions, particles."""
_NEGATIONS: Final = frozenset({"no", "non", "nor", "not", "un"})
_ALIKE: Final = 0.8
"""Two words are spelled alike from this ratio of common letters on (Ratcliff and Obershelp)."""
_DENSE: Final = re.compile(r"[぀-ヿ㐀-鿿가-힣]")


class Pair(NamedTuple):
    """Two items that are nearly the same: the later one, and the earlier one that it resembles."""

    row: Row
    other: Row


def no_near_duplicates(examined: Examined) -> Iterator[Problem]:
    """No two items of a part are the same or nearly the same."""
    yield from _found(examined, across=False)


def no_near_duplicates_across_splits(examined: Examined) -> Iterator[Problem]:
    """No two items of two parts are nearly the same."""
    yield from _found(examined, across=True)


def _found(examined: Examined, across: bool) -> Iterator[Problem]:
    for config, shape in examined.shapes():
        parted = len(examined.release.configs[config].splits) > 1
        if not shape.compared or (across and not parted):
            continue
        columns, inner = [*shape.compared, *shape.within], len(shape.compared)
        groups: dict[tuple[str, ...], list[Row]] = {}
        for row in _drawn(examined.rows(config, columns), examined.checks.duplicates_among):
            values = tuple(map(str, row.values[inner:]))
            key = values if across or not parted else (row.split, *values)
            groups.setdefault(key, []).append(row._replace(values=row.values[:inner]))
        yield from _problems(groups, examined.checks.similarity, across)


def _problems(groups: Mapping[tuple[str, ...], list[Row]], similarity: float, across: bool) -> Iterator[Problem]:
    for rows in groups.values():
        for row, other in near_pairs(rows, similarity, across=across):
            where = f" in {other.split}" if across else ""
            found = f"{shown(row.words())} beside {shown(other.words())}, item {other.item}{where}"
            yield Problem(row.path, row.item, found)


def _drawn(rows: Iterable[Row], most: int) -> list[Row]:
    """All rows, or a sample that depends on their ids alone, in their order."""
    chosen = heapq.nsmallest(most, enumerate(rows), key=lambda entry: order_key(0, "duplicates", entry[1].item))
    return [row for _, row in sorted(chosen, key=lambda entry: entry[0])]


def near_pairs(rows: Iterable[Row], similarity: float, *, across: bool = False) -> Iterator[Pair]:
    """Yields each row that is nearly the same as an earlier one, with the earliest of these.

    Args:
        rows: In their order.
        similarity: The least Jaccard similarity of two sets of runs of letters.
        across: Only rows of two parts are compared; those that are the same are left to another check.
    """
    from datasketch import MinHash, MinHashLSH

    rows = list(rows)
    index = MinHashLSH(threshold=max(0.1, similarity - _NEAR), num_perm=_PERMUTATIONS)
    first: dict[tuple[str, str], int] = {}
    steps = track(rows, "near-duplicates", len(rows)) if len(rows) > _MANY else rows
    for place, row in enumerate(steps):
        text = row.words()
        own = (row.split if across else "", text_key(text))
        same = first.setdefault(own, place)
        if same != place:
            if not across:
                yield Pair(row, rows[same])
            continue  # what it resembles, the first one resembles as well
        sketch = MinHash(num_perm=_PERMUTATIONS, seed=1)
        sketch.update_batch(runs_of(text))
        for near in sorted(index.query(sketch)):
            apart = not across or (rows[near].split != row.split and text_key(rows[near].words()) != own[1])
            if apart and nearly_same(rows[near].words(), text, similarity):
                yield Pair(row, rows[near])
                break
        index.insert(place, sketch)


def nearly_same(left: str, right: str, similarity: float) -> bool:
    """Whether two texts share their runs of letters, have the same numbers, and differ in spelling or small words."""
    runs, others = set(runs_of(left)), set(runs_of(right))
    if len(runs & others) < similarity * len(runs | others):
        return False
    if _numbers(left) != _numbers(right):
        return False
    words, known = _words(left), _words(right)
    steps = SequenceMatcher(None, words, known, autojunk=False).get_opcodes()
    return all(_alike(words[a:b], known[c:d]) for step, a, b, c, d in steps if step != "equal")


def _numbers(text: str) -> list[str]:
    return [word for word in _TOKEN.findall(text.casefold()) if word.isdigit() or word in _NUMBERS]


def _words(text: str) -> list[str]:
    """The words of a text, with the capitals that it has beyond its first letter."""
    return _WORD.findall(text[:1].lower() + text[1:])


def _alike(words: Sequence[str], known: Sequence[str]) -> bool:
    """Whether words that stand at the same place are spelled alike, small ones aside."""
    words, known = ([word for word in side if not _is_small(word)] for side in (words, known))
    pairs = zip(words, known, strict=False)
    return len(words) == len(known) and all(_ratio(*map(str.casefold, pair)) >= _ALIKE for pair in pairs)


def _is_small(word: str) -> bool:
    """Whether a word says so little that it may be another one: no name, no negation."""
    return len(word) <= _SHORT and word.islower() and word not in _NEGATIONS


def _ratio(left: str, right: str) -> float:
    return SequenceMatcher(None, left, right).ratio()


def runs_of(text: str) -> list[bytes]:
    """The runs of letters that a text is compared by: of three, of two where half of them say a syllable or a word."""
    dense = 2 * len(_DENSE.findall(text)) >= len(text)
    return shingles(text, 2 if dense else 3)
