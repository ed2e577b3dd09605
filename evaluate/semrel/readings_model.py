"""What `metrics.json` holds of the three readings of equation 2 and of ties among people's answers."""

from __future__ import annotations

from tashika.core.suites.semrel.words import Relation
from tashika.evaluate.metrics import Numbers
from tashika.evaluate.semrel.cells import Difference, Matrix, Mean
from tashika.evaluate.semrel.ties import Ties


class ReadingNumbers(Numbers):
    """A system's numbers under one reading of equation 2; see `equation_2`.

    Attributes:
        alpha: Equation 2.
        matrix: Equation 3.
        own: The mean of alpha(r, r).
        means: The mean confusability behind each of the paper's findings, by its key in `findings.FINDINGS`.
        row_less_rest: The mean of the antonymy row less the mean of all other cells: below 0 antonymy is distinguished
            better than other relations are.
        against_people: By key, the mean less people's, with its p; None without people, and for people.
    """

    alpha: Matrix
    matrix: Matrix
    own: Mean
    means: dict[str, Mean]
    row_less_rest: Mean
    against_people: dict[str, Difference] | None


class TieNumbers(Numbers):
    """People's numbers where ties are ranked in one way.

    Attributes:
        matrix: Confusability, under the reading of equation 2 that the settings name.
        means: As in `ReadingNumbers`, without intervals.
    """

    matrix: Matrix
    means: dict[str, float | None]


class MovedCell(Numbers):
    """The cell that ties move most: its least and its largest value over the ways to rank them."""

    probe_relation: Relation
    answer_relation: Relation
    low: float
    high: float


class TieInfluence(Numbers):
    """How far people's numbers depend on the ranks of words that equally many people gave.

    Attributes:
        words: In all lists that are scored.
        one_vote: Words that one person gave.
        tied: Words that share their number of votes with another word of their list.
        ways: By the way to rank them.
        most_moved: None where no cell is defined under all of them.
    """

    words: int
    one_vote: int
    tied: int
    ways: dict[Ties, TieNumbers]
    most_moved: MovedCell | None
