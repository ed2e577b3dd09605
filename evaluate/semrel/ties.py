"""The ranks of words that equally many people gave, and how far they matter.

The paper ranks people's answers by how many people gave them (section 3.3) and does not say how ties are broken. Its
table 2 shows the first two of niece's hypernyms as "relative, kin": "kin" and "family" were given by two people each,
so what was mentioned first stands first. Lists are kept in this order (`core.answers.people_with`); the other two ways
are made of it and of the votes here.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Final, Literal, NamedTuple, get_args

Ties = Literal["first_mention", "alphabetical", "mean"]
"""How words with equally many votes are ranked: `mean` gives each of them the mean of their ranks, and so, as a score
is linear in the rank, the mean of their scores over all orders."""

TIES: Final[tuple[Ties, ...]] = get_args(Ties)


class Ranked(NamedTuple):
    """A list of answers.

    Attributes:
        words: The best first.
        ranks: Of each, from 1; halves and the like where ties share a rank.
    """

    words: Sequence[str]
    ranks: Sequence[float]


def rank_words(words: Sequence[str], votes: Sequence[int] | None, ties: Ties) -> Ranked:
    """Ranks one list.

    Args:
        words: The most frequent first, ties in the order of first mention; or a model's, the likeliest first.
        votes: How many people gave each; None for a model's, which has no ties.
        ties: What becomes of words with equally many votes.

    Raises:
        ValueError: There is not one number of votes for each word.
    """
    plain = [float(rank) for rank in range(1, len(words) + 1)]
    if votes is None or ties == "first_mention":
        return Ranked(words, plain)
    pairs = list(zip(words, votes, strict=True))
    if ties == "alphabetical":
        return Ranked([word for word, _ in sorted(pairs, key=lambda pair: (-pair[1], pair[0]))], plain)
    ranks: list[float] = []
    for _, tied in groupby(votes):
        size = len(list(tied))
        ranks += [len(ranks) + (size + 1) / 2] * size
    return Ranked(words, ranks)


class TieCounts(NamedTuple):
    """How many ties there are in lists.

    Attributes:
        words: In all lists.
        one_vote: Words that one person gave.
        tied: Words that share their number of votes with another of their list.
    """

    words: int
    one_vote: int
    tied: int


def count_ties(votes: Sequence[Sequence[int]]) -> TieCounts:
    """Counts the ties of lists, of which `votes` has the numbers of votes."""
    sizes = [[len(list(tied)) for _, tied in groupby(one)] for one in votes]
    return TieCounts(
        sum(map(len, votes)),
        sum(vote == 1 for one in votes for vote in one),
        sum(size for one in sizes for size in one if size > 1),
    )
