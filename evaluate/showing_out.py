"""Predictions with their prompts in the terminal, as CSV, and as JSON lines."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tashika.core.files import replacing

if TYPE_CHECKING:
    from rich.text import Text

    from tashika.evaluate.suite import Answered

COLUMNS: Final = ("item_id", "prompt", "options", "gold", "answer", "score", "correct", "problem", "about")
"""Of the CSV, and the keys of a line of JSON; in the CSV lists and `about` are JSON."""
LONGEST: Final = 2000
"""Characters of a text that are printed; files have all of them."""
LISTED: Final = 12
"""Entries of a list that are printed."""
_INDENT: Final = "  "


def print_answers(rows: Sequence[Answered], most: int, system: str, score: str, *, wrong: bool) -> None:
    """Prints predictions one below the other, so that they can be read in a narrow terminal too.

    Args:
        rows: One more than are printed, where there are more.
        most: How many are printed.
        system: Whose they are.
        score: What their score is.
        wrong: Whether only wrong ones were asked for.
    """
    from rich.console import Console

    console = Console(highlight=False)
    for row in rows[:most]:
        for line in _lines(row):
            console.print(line, soft_wrap=False)
        console.print()
    kind = "wrong answers" if wrong else "predictions"
    if any(row.score is not None for row in rows):
        console.print(f"score: {score}", markup=False)
    if not rows:
        console.print(f"{visible(system)}: no {kind}", markup=False)
    elif len(rows) > most:
        more = "more with --limit N; all of them with --csv FILE or --jsonl FILE"
        console.print(f"{visible(system)}: the first {most:,} {kind}; {more}", markup=False)


def _lines(row: Answered) -> Iterator[Text]:
    from rich.text import Text

    state, style = _state(row)
    about = "; ".join(f"{name} {_shown(value)}" for name, value in row.about.items() if value not in (None, ""))
    yield Text.assemble((row.item_id, "bold"), "  ", (state, style), f"  {about}" if about else "")
    for line in _cut(visible(row.prompt)).split("\n"):
        yield Text(f"{_INDENT}{line}")
    for place, option in enumerate(row.options):
        marks = [word for word, is_it in (("right", option in row.gold), ("answered", option == row.answer)) if is_it]
        mark = f"   <- {', '.join(marks)}" if marks else ""
        yield Text(f"{_INDENT}{_INDENT}{place}  {_cut(visible(option))}{mark}")
    if row.gold and not set(row.gold) <= set(row.options):
        more = f" and {len(row.gold) - LISTED:,} more" if len(row.gold) > LISTED else ""
        yield Text(f"{_INDENT}right:    {_cut(visible('; '.join(row.gold[:LISTED])))}{more}")
    if row.answer is not None and row.answer not in row.options:
        yield Text(f"{_INDENT}answered: {_cut(visible(row.answer))}")
    if row.problem is not None:
        yield Text(
            f"{_INDENT}no answer: {visible(row.problem)}" if row.answer is None else f"{_INDENT}{visible(row.problem)}"
        )
    if row.score is not None:
        yield Text(f"{_INDENT}score:    {row.score:.4g}")


def _state(row: Answered) -> tuple[str, str]:
    if row.correct is None:
        return ("not answered", "yellow") if row.answer is None else ("", "")
    return ("right", "green") if row.correct else ("wrong", "red")


def _shown(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else _cut(visible(str(value)))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} … ({len(text):,} characters)"


def visible(text: str) -> str:
    """Text of others for a terminal: what does not print is written as its code, but for new lines and tabs.

    A reply may hold anything, such as the signs by which a terminal is told to clear its screen, or to write from right
    to left.
    """
    return "".join(sign if sign.isprintable() or sign in "\n\t" else f"<U+{ord(sign):04X}>" for sign in text)


def write_csv(path: Path, rows: Iterable[Answered]) -> int:
    """Writes a row a prediction, one after the other, since there may be millions; returns how many they are."""
    count = 0
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        table.writeheader()
        for row in rows:
            fields = _fields(row)
            listed = {name: _json(fields[name]) for name in ("options", "gold", "about")}
            table.writerow({**fields, **listed})
            count += 1
    return count


def write_lines(path: Path, rows: Iterable[Answered]) -> int:
    """Writes a line of JSON a prediction; returns how many they are."""
    count = 0
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8") as file:
        for row in rows:
            file.write(f"{_json(_fields(row))}\n")
            count += 1
    return count


def _fields(row: Answered) -> Mapping[str, Any]:
    fields = {name: getattr(row, name) for name in COLUMNS}
    return {**fields, "options": list(row.options), "gold": list(row.gold), "about": dict(row.about)}


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
