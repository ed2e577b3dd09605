"""The tables of the suite on proverbs: what a model said, and what the tests make of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from tashika.core.files import read_grown_table

ANSWERS_A_QUESTION: Final = 5
"""Short answers that a question is given (paper, prompts)."""

PAIR_COLUMNS: Final = ("proverb", "change", "maker", "origin", "variant_origin", "form", "direction")
"""What the release says of a pair, beside its topic and questions; null in tables of earlier versions."""

_ANSWER: Final[tuple[pa.Field[Any], ...]] = (
    pa.field("item_id", pa.string(), nullable=False),  # the pair's
    pa.field("topic", pa.string(), nullable=False),
    pa.field("side", pa.string(), nullable=False),  # "proverb" or "variant"
    pa.field("question", pa.string(), nullable=False),
    pa.field("place", pa.int32(), nullable=False),  # of the answer among the five, from 1
    pa.field("answer", pa.string()),  # null: there is none, see answer_problem
    pa.field("answer_problem", pa.string()),
    pa.field("answer_asked", pa.int32(), nullable=False),  # how often the answers were asked for
    pa.field("score", pa.int32()),  # 1 to 10; null: there is none, see score_problem
    pa.field("score_problem", pa.string()),
    pa.field("score_asked", pa.int32(), nullable=False),
    pa.field("consistency", pa.float64()),  # TC: how far the question's other answers entail this one; null as above
    pa.field("consistency_problem", pa.string()),
)
_PAIR: Final[tuple[pa.Field[Any], ...]] = tuple(pa.field(name, pa.string()) for name in PAIR_COLUMNS)
ANSWERS: Final = pa.schema([*_ANSWER, *_PAIR])
"""`answers.parquet`: five rows a question, two questions a pair, by item_id, side and place."""

_TEST: Final[tuple[pa.Field[Any], ...]] = (
    pa.field("item_id", pa.string(), nullable=False),  # the pair's
    pa.field("topic", pa.string(), nullable=False),
    pa.field("consistency", pa.string(), nullable=False),  # what is compared: "score" or "text"
    pa.field("n", pa.int32(), nullable=False),  # values of the proverb's question
    pa.field("variant_n", pa.int32(), nullable=False),
    pa.field("median", pa.float64()),
    pa.field("variant_median", pa.float64()),
    pa.field("deviation", pa.float64()),  # the standard deviation (n - 1)
    pa.field("variant_deviation", pa.float64()),
    pa.field("statistic", pa.float64()),  # of the Siegel-Tukey test
    pa.field("p", pa.float64()),  # two-sided; null: not tested, see problem
    pa.field("method", pa.string()),  # "exact" or "normal"
    pa.field("holm_p", pa.float64()),  # corrected over all pairs of the model and consistency
    pa.field("error", pa.bool_()),  # p < .05; null: not tested
    pa.field("wilcoxon_p", pa.float64()),  # signed ranks of the values by place; null where not all places have both
    pa.field("ranksum_p", pa.float64()),  # Wilcoxon's rank sum, unpaired
    pa.field("ansari_p", pa.float64()),  # Ansari-Bradley
    pa.field("problem", pa.string()),  # why there is no test: answers or scores that are missing
)
_DIFFERENCE: Final[tuple[pa.Field[Any], ...]] = (
    pa.field("constant", pa.string()),  # which side has no spread: "neither", "proverb", "variant", "both"
    pa.field("paper_error", pa.bool_()),  # by the page's test alone, two constant sets included
    pa.field("centred_p", pa.float64()),  # Siegel-Tukey, each side's median taken off it
    pa.field("brown_forsythe_p", pa.float64()),
    pa.field("both_p", pa.float64()),  # Lepage: spread and place at once, the page's hypothesis
    pa.field("verdict", pa.string()),  # one of `pair_tests.Verdict`
    *(
        pa.field(f"{name}_{part}", pa.float64())  # the variant's less the proverb's, and its 95 % interval
        for name in ("mean", "delta", "width")  # means, Cliff's delta, mean distances from the median
        for part in ("effect", "low", "high")
    ),
    pa.field("width", pa.float64()),  # the proverb's mean distance from the median
    pa.field("variant_width", pa.float64()),
)
TESTS: Final = pa.schema([*_TEST, *_PAIR, *_DIFFERENCE])
"""`tests.parquet`: a row a pair and consistency."""


def read_answers(path: Path) -> pa.Table:
    """The table of answers; what earlier versions lack is null.

    Raises:
        InputError: The file is missing, broken, or has other columns.
    """
    return read_grown_table(path, ANSWERS, len(_PAIR))


def read_tests(path: Path) -> pa.Table:
    """The table of tests; what earlier versions lack is null.

    Raises:
        InputError: The file is missing, broken, or has other columns.
    """
    return read_grown_table(path, TESTS, len(_PAIR) + len(_DIFFERENCE))
