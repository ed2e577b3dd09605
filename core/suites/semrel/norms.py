"""Category norms: what people name when they are given a category, such as "robin" for "bird".

A CSV file with the columns `category` and `instance`, one pair a line. The packaged list is our own; published norms,
such as those of Van Overschelde, Rawson and Dunlosky (2004), are copyrighted and read from the user's path.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from tashika.core.errors import InputError
from tashika.core.settings import packaged_data
from tashika.core.suites.semrel.wordnet import lemma_form

COLUMNS: Final = ("category", "instance")


class Norm(NamedTuple):
    """A category and one of its instances: lower case, "_" for a space, as WordNet writes lemmas."""

    category: str
    instance: str


@dataclass
class Norms:
    """The pairs of a file, each once, and how many lines were left out, by reason."""

    pairs: list[Norm] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)


def packaged_norms() -> Path:
    """The path of our own list."""
    return packaged_data("semrel/norms.csv")


def read_norms(path: Path) -> Norms:
    """Reads category norms; other columns than the two are ignored.

    Raises:
        InputError: The file is missing or empty, a column is missing, or a line has an empty or missing field.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.reader(file, strict=True)
            return _read(((rows.line_num, row) for row in rows), path)
    except FileNotFoundError as error:
        raise InputError("there is no such file", where=str(path)) from error
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"not a CSV file in UTF-8: {error}", where=str(path)) from error


def _read(rows: Iterator[tuple[int, list[str]]], path: Path) -> Norms:
    header = [name.strip().lower() for name in next(rows, (1, []))[1]]
    missing = [name for name in COLUMNS if name not in header]
    if missing:
        found = f"found the columns {', '.join(header)}" if header else "the file is empty"
        raise InputError(f"{found}; expected {','.join(COLUMNS)}", where=f"{path}:1")
    places = [header.index(name) for name in COLUMNS]
    norms = Norms()
    seen: set[Norm] = set()
    for number, row in rows:
        if not any(cell.strip() for cell in row):
            continue
        pair = Norm(*(lemma_form(row[place]) if place < len(row) else "" for place in places))
        if len(row) != len(header) or not all(pair):
            message = f"found {','.join(row)!r}, expected {','.join(header)} with a category and an instance"
            raise InputError(message, where=f"{path}:{number}")
        if pair in seen:
            norms.left_out["named twice"] += 1
        elif pair.category == pair.instance:
            norms.left_out["a word with itself"] += 1
        else:
            norms.pairs.append(pair)
        seen.add(pair)
    if not norms.pairs:
        raise InputError("found no pair of category and instance", where=str(path))
    return norms
