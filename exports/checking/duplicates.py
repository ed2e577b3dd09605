"""Checks for items that are nearly the same.

MinHash with locality-sensitive hashing (Broder 1997; Indyk and Motwani 1998) proposes pairs, which are then compared in
full, so that nothing is found which is not there.

Near-duplicates are pairs whose sets of runs of letters agree up to a share of all (Jaccard), whose numbers agree, and
whose words differ in spelling alone: what a template asks about two people is alike and not the same.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
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
    """Two items that are nearly the same.

    Attributes:
        row: The later one.
        other: The earliest one of its part, or of another part, that it resembles.
        same: Whether they are the same to a reader.
    """

    row: Row
    other: Row
    same: bool


def no_near_duplicates(examined: Examined) -> Iterator[Problem]:
    """No two items of a part are the same or nearly the same."""
    for row, other, _ in pairs_of(examined):
        if row.split == other.split:
            yield Problem(row.path, row.item, f"{shown(row.words())} beside {shown(other.words())}, item {other.item}")


def no_near_duplicates_across_splits(examined: Examined) -> Iterator[Problem]:
    """No two items of two parts are nearly the same."""
    for row, other, same in pairs_of(examined):
        if row.split != other.split and not same:  # what is the same is another check's
            found = f"{shown(row.words())} beside {shown(other.words())} in {other.split}, item {other.item}"
            yield Problem(row.path, row.item, found)


@lru_cache(maxsize=1)
def pairs_of(examined: Examined) -> tuple[Pair, ...]:
    """The near-duplicates of a release; two checks look at them, and they are searched for once."""
    pairs: list[Pair] = []
    for config, shape in examined.shapes():
        groups: dict[tuple[str, ...], list[Row]] = {}
        inner = len(shape.compared)
        rows = examined.rows(config, [*shape.compared, *shape.within]) if inner else ()
        for row in _drawn(rows, examined.checks.duplicates_among):
            group = groups.setdefault(tuple(map(str, row.values[inner:])), [])
            group.append(row._replace(values=row.values[:inner]))
        for alike in groups.values():
            pairs += near_pairs(alike, examined.checks.similarity)
    return tuple(pairs)


def _drawn(rows: Iterable[Row], most: int) -> list[Row]:
    """All rows, or a sample that depends on their ids alone, in their order."""
    chosen = heapq.nsmallest(most, enumerate(rows), key=lambda entry: order_key(0, "duplicates", entry[1].item))
    return [row for _, row in sorted(chosen, key=lambda entry: entry[0])]


def near_pairs(rows: Sequence[Row], similarity: float) -> Iterator[Pair]:
    """Yields each row with the earliest row of its part, and of the other parts, that it is nearly the same as.

    Args:
        rows: In their order.
        similarity: The least Jaccard similarity of two sets of runs of letters.
    """
    from datasketch import MinHash, MinHashLSH

    index = MinHashLSH(threshold=max(0.1, similarity - _NEAR), num_perm=_PERMUTATIONS)
    empty = MinHash(num_perm=_PERMUTATIONS, seed=1)  # a copy shares its permutations, which take long to draw
    first: dict[tuple[str, str], int] = {}
    for place, row in enumerate(track(rows, "near-duplicates", len(rows)) if len(rows) > _MANY else rows):
        text = row.words()
        key = text_key(text)
        same = first.setdefault((row.split, key), place)
        if same != place:
            yield Pair(row, rows[same], same=True)
            continue  # what it resembles, the first one resembles as well
        sketch = empty.copy()
        sketch.update_batch(runs_of(text))
        seen: set[bool] = set()
        for near in sorted(index.query(sketch)):
            other = rows[near]
            own = other.split == row.split
            if own not in seen and nearly_same(other.words(), text, similarity):
                seen.add(own)
                yield Pair(row, other, same=text_key(other.words()) == key)
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
    if _pairwise(words, known):
        return True
    words, known = ([word for word in side if not _is_small(word)] for side in (words, known))
    return _pairwise(words, known)


def _pairwise(words: Sequence[str], known: Sequence[str]) -> bool:
    pairs = list(zip(words, known, strict=False))
    return len(words) == len(known) and all(
        (_is_small(left) and _is_small(right)) or _ratio(left.casefold(), right.casefold()) >= _ALIKE
        for left, right in pairs
    )


def _is_small(word: str) -> bool:
    """Whether a word says so little that it may be another one: no name, no negation."""
    return len(word) <= _SHORT and word.islower() and word not in _NEGATIONS


def _ratio(left: str, right: str) -> float:
    return SequenceMatcher(None, left, right).ratio()


def runs_of(text: str) -> list[bytes]:
    """The runs of letters that a text is compared by: of three, of two where half of them say a syllable or a word."""
    dense = 2 * len(_DENSE.findall(text)) >= len(text)
    return shingles(text, 2 if dense else 3)
