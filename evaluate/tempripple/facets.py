"""What the release says of its questions beside their text: the other side, certainty, and when the new fact began."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Final, NamedTuple

from tashika.core.files import read_table

FACTS_FILE: Final = "facts/facts.parquet"
UNCLEAR: Final = "unclear"
_COLUMNS: Final = ("option_set", "lure", "counterpart", "certainty")


class Facets(NamedTuple):
    """Of one question; empty where the release is of a version that does not say.

    Attributes:
        option_set: Where its wrong options come from.
        lure: The place of the wrong option that is right of the other side.
        counterpart: Whether the right option is right of the other side as well.
        certainty: Whether what it asks for did not change.
        began: When the new fact began: 2025, 2025-03 or 2025-03-01.
    """

    option_set: str = ""
    lure: int | None = None
    counterpart: str = ""
    certainty: str = ""
    began: str = ""


def read_facets(questions: Path, facts: Path) -> dict[str, Facets]:
    """The facets of all questions, by id; a release of an earlier version lacks some of them.

    Args:
        questions: The table of questions.
        facts: The table of changing facts; it may be missing.
    """
    table = read_table(questions)
    names = [name for name in _COLUMNS if name in table.column_names]
    began = _beginnings(facts)
    return {
        row["item_id"]: Facets(
            **{name: row[name] for name in names}, began=began.get((row["relation"], row["subject"]), "")
        )
        for row in table.select(["item_id", "relation", "subject", *names]).to_pylist()
    }


def _beginnings(facts: Path) -> Mapping[tuple[str, str], str]:
    if not facts.is_file():
        return {}
    table = read_table(facts)
    if "start" not in table.column_names:
        return {}
    return {(row["relation"], row["subject"]): row["start"] or "" for row in table.to_pylist()}


def since_cutoff(began: str, cutoff: date | None) -> str:
    """Whether a fact began `after` the last day of a model's training data, `before` (or on it), or `unclear`.

    Args:
        began: As precise as it is known.
        cutoff: The last day; None where it is not known.

    Returns:
        Empty where nothing can be said.
    """
    if cutoff is None or not began:
        return ""
    last = cutoff.isoformat()[: len(began)]
    if began != last:
        return "after" if began > last else "before"
    return "before" if len(began) == len("2025-01-01") else UNCLEAR


def stretch(began: str, months: int) -> str:
    """The months in which a fact began: 2025-04..2025-06 of 2025-05-07 for three; `unclear` for a year alone.

    Args:
        began: As precise as it is known.
        months: How many a stretch has; stretches are counted from January of the year 0.
    """
    if not began:
        return ""
    year, _, rest = began.partition("-")
    if not rest or not year.isdecimal():
        return UNCLEAR
    first = (int(year) * 12 + int(rest[:2]) - 1) // months * months
    return "..".join(f"{month // 12:04}-{month % 12 + 1:02}" for month in (first, first + months - 1))
