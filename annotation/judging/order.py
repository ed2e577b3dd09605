"""In which order new items come to people.

Label Studio gives each person the tasks of a project in the order in which they were imported, those that somebody has
begun first. So the order of the import decides; items of a later push come after those that are there.
"""

from __future__ import annotations

import csv
import html
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tashika.annotation.judging.columns import strings
from tashika.annotation.judging.questionnaires import gold_questions
from tashika.annotation.labelling import Page, Row
from tashika.annotation.options import Order
from tashika.core.counts import counted
from tashika.core.draws import order_key
from tashika.core.errors import InputError
from tashika.core.files import read_table
from tashika.core.progress import say

Family = tuple[Row, Sequence[Row]]
"""An item, and those of its parents that are of its kind."""

Families = Callable[[Sequence[str]], Iterator[Family]]
"""Reads items, in the order of their ids."""

Vectors = NDArray[np.float32]

SCORES = ("entropy", "probability")
DIMENSIONS = 256
GREEDY = 5_000
"""So many items are chosen one by one, each far from those before; the others follow in drawn order."""

_NGRAM = range(2, 5)
_TAG = re.compile(r"<[^>]*>")


class Scorer(Protocol):
    """A model that reads texts."""

    def uncertainty(self, texts: Sequence[str]) -> Sequence[float]:
        """How uncertain it is of each text."""

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """Where each text lies; shape (texts, dimensions)."""


@dataclass(frozen=True)
class Ordering:
    """How new items are ordered.

    Attributes:
        how: By their ids, drawn, the least certain first, or unlike ones first.
        seed: Of what is drawn.
        scores: How uncertain a model is of each item, by its id; None to ask `scorer`.
        scorer: Reads the items' texts; None where scores are given, or vectors are made of characters.
    """

    how: Order = "listed"
    seed: int = 0
    scores: Mapping[str, float] | None = None
    scorer: Scorer | None = None

    def arrange(self, page: Page, table: pa.Table, item_ids: Sequence[str], families: Families) -> list[str]:
        """Orders the items of a project.

        Gold questions stand between the others at equal distances, except where everything is drawn.

        Args:
            page: The page that people see.
            table: All items of the kind.
            item_ids: Those to order, sorted.
            families: Reads them.

        Raises:
            InputError: The least certain shall come first, and nothing says how uncertain an item is.
        """
        if self.how == "listed" or not item_ids:
            return list(item_ids)
        if self.how == "shuffled":
            return self._drawn(item_ids)
        gold = set(strings(gold_questions(page, table), "item_id")) & set(item_ids)
        voted = [item_id for item_id in item_ids if item_id not in gold]
        texts = [text_of(page, row, parents) for row, parents in families(voted)]
        ordered = self._uncertain(voted, texts) if self.how == "uncertain" else self._diverse(voted, texts)
        return spread(ordered, self._drawn(sorted(gold)))

    def _drawn(self, item_ids: Sequence[str]) -> list[str]:
        return sorted(item_ids, key=lambda item_id: order_key(self.seed, "order", item_id))

    def _uncertain(self, item_ids: Sequence[str], texts: Sequence[str]) -> list[str]:
        scores = self.scores
        if scores is None:
            if self.scorer is None:
                hint = "Give --scores FILE with the columns item_id and entropy or probability, or --model FOLDER."
                raise InputError("nothing says how uncertain an item is", where='order = "uncertain"', hint=hint)
            scores = dict(zip(item_ids, self.scorer.uncertainty(texts), strict=True))
        missing = [item_id for item_id in item_ids if item_id not in scores]
        if missing:
            say(f"{counted(len(missing), 'item has no score and comes', 'items have no score and come')} last")
        known = [item_id for item_id in item_ids if item_id in scores]
        return sorted(known, key=lambda item_id: (-scores[item_id], item_id)) + self._drawn(missing)

    def _diverse(self, item_ids: Sequence[str], texts: Sequence[str]) -> list[str]:
        if not item_ids:
            return []
        vectors = self.scorer.vectors(texts) if self.scorer else hashed_ngrams(texts)
        first = [item_ids[place] for place in farthest_first(vectors, GREEDY)]
        taken = set(first)
        return first + self._drawn([item_id for item_id in item_ids if item_id not in taken])


LISTED = Ordering()


def text_of(page: Page, row: Row, parents: Sequence[Row]) -> str:
    """What an item is read by: its text, or all that its task shows."""
    text = row.get("text")
    if isinstance(text, str) and text:
        return text
    shown = [value for value in page.task_data(row, parents).values() if isinstance(value, str)]
    return " ".join(html.unescape(_TAG.sub(" ", value)) for value in shown)


def spread(item_ids: Sequence[str], others: Sequence[str]) -> list[str]:
    """Puts other items between some, at equal distances."""
    total = len(item_ids) + len(others)
    places = {int((number + 0.5) * total / len(others)) for number in range(len(others))}
    rest, between = iter(item_ids), iter(others)
    return [next(between if place in places else rest) for place in range(total)]


def hashed_ngrams(texts: Sequence[str]) -> Vectors:
    """Vectors of the characters of texts, two to four in a row: alike where the texts are, without any model.

    Each run of characters counts in a place that its checksum names, with a sign that it names too; the length is 1.

    Source: K. Weinberger et al., Feature hashing for large scale multitask learning, 2009, section 2.

    Returns:
        Shape (texts, `DIMENSIONS`).
    """
    from zlib import crc32

    vectors = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
    for row, text in enumerate(texts):
        padded = f" {' '.join(text.casefold().split())} "
        runs = [padded[at : at + size] for size in _NGRAM for at in range(len(padded) - size + 1)]
        sums = np.array([crc32(run.encode("utf-8", "surrogatepass")) for run in runs], dtype=np.int64)
        np.add.at(vectors[row], sums % DIMENSIONS, np.where(sums >> 31, 1.0, -1.0).astype(np.float32))
    return unit(vectors)


def unit(vectors: Vectors) -> Vectors:
    """The vectors with length 1; those of length 0 stay."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1.0), dtype=np.float32)


def farthest_first(vectors: Vectors, most: int) -> list[int]:
    """Chooses points one by one, each as far as possible from the nearest of those chosen before.

    The first is the nearest to the mean. After any number of points, no choice of as many could bring all others more
    than twice as near. Equal points come last; of points equally far the first is taken.

    Source: T. Gonzalez, Clustering to minimize the maximum intercluster distance, 1985.

    Args:
        vectors: Shape (points, dimensions).
        most: How many points to choose.

    Returns:
        Their positions, in the order of the choice.
    """
    if not len(vectors):
        return []
    start = int(np.argmin(np.linalg.norm(vectors - vectors.mean(axis=0), axis=1)))
    chosen = [start]
    nearest = np.linalg.norm(vectors - vectors[start], axis=1)
    nearest[start] = -1.0
    while len(chosen) < min(most, len(vectors)):
        place = int(np.argmax(nearest))
        chosen.append(place)
        np.minimum(nearest, np.linalg.norm(vectors - vectors[place], axis=1), out=nearest)
        nearest[place] = -1.0
    return chosen


def binary_entropy(probability: float) -> float:
    """The entropy of yes and no, in bits."""
    rest = 1.0 - probability
    return -sum(part * math.log2(part) for part in (probability, rest) if part > 0)


def read_scores(path: Path) -> dict[str, float]:
    """Reads how uncertain a model is of items.

    Args:
        path: A CSV or Parquet file with the columns `item_id` and `entropy`, where more is less certain, or
            `probability`, from 0 to 1, where 0.5 is least certain.

    Raises:
        InputError: The file is missing, broken, or has none of these columns, or a value that is no such number.
    """
    rows = _rows_of_parquet(path) if path.suffix == ".parquet" else _rows_of_csv(path)
    scores: dict[str, float] = {}
    for where, row in rows:
        column = next((name for name in SCORES if name in row), None)
        if "item_id" not in row or column is None:
            columns = ", ".join(map(str, row))
            raise InputError(f"found the columns {columns}; expected item_id and {' or '.join(SCORES)}", where=where)
        scores[str(row["item_id"])] = _score(column, row[column], where)
    if not scores:
        raise InputError("the file has no scores", where=str(path))
    return scores


def _score(column: str, value: Any, where: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if column == "probability":
        if not 0.0 <= number <= 1.0:
            raise InputError(f"found the probability {value!r}; expected a number from 0 to 1", where=where)
        return binary_entropy(number)
    if not math.isfinite(number):
        raise InputError(f"found the entropy {value!r}; expected a number", where=where)
    return number


def _rows_of_parquet(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for row in read_table(path).to_pylist():
        yield str(path), row


def _rows_of_csv(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = csv.DictReader(file, strict=True)
            for line in lines:
                if None in line or None in line.values():
                    message = "found another number of fields than in the first line"
                    raise InputError(message, where=f"{path}:{lines.line_num}")
                yield f"{path}:{lines.line_num}", line
    except FileNotFoundError as error:
        raise InputError("there is no such file", where=str(path)) from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"not a CSV file in UTF-8: {error}", where=str(path)) from error
