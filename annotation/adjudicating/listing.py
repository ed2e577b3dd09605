"""The undecided items as a list that people read, and as a table that they fill in."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from tashika.annotation.adjudicating.decision_file import COLUMNS
from tashika.annotation.adjudicating.reasons import Open
from tashika.annotation.adjudicating.showing import in_one_line, shortened, shown_parts
from tashika.annotation.adjudicating.statements import Statements, answer_words, correction_of
from tashika.annotation.judging.push import families
from tashika.annotation.labelling import FormPage, LabelsPage, Page, TextPage, VotePage
from tashika.annotation.spreadsheets import ENCODING, no_formula
from tashika.core.errors import InputError
from tashika.core.files import replacing
from tashika.core.workspace import Workspace

EXTRA: Final = ("kind", "shown", "votes", "notes", "reason", "awaited", "choices")
"""The columns beside those that are read back."""

FILLED_IN: Final = ("decision", "text")
"""The columns that are empty before somebody decides."""

_LONGEST_LINE: Final = 240


def shown_items(workspace: Workspace, pages: Iterable[Page], item_ids: Iterable[str]) -> dict[str, dict[str, str]]:
    """What is shown of each item, see `showing.shown_parts`; items that the tables do not have are left out."""
    wanted = sorted(set(item_ids))
    return {
        row["item_id"]: shown_parts(page, row, parents)
        for page in pages
        for row, parents in families(workspace.read_items(page.kind), wanted)
    }


def votes_in_words(page: Page, said: Statements) -> str:
    """What people answered, most frequent first, with how many skipped."""
    counts: dict[str, int] = {}
    for vote in said.votes:
        words = answer_words(page, vote)
        counts[words] = counts.get(words, 0) + 1
    parts = [f"{words} {count}" for words, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))]
    parts += [f"skipped {said.skipped}"] if said.skipped else []
    parts += [f"with problems {said.unsound}"] if said.unsound else []
    return " · ".join(parts) or "–"


def notes_in_words(page: Page, said: Statements, of_adjudicator: Sequence[str] = ()) -> list[str]:
    """The corrections and notes that people left, without names."""
    corrections = [f"correction: {text}" for vote in said.votes if (text := correction_of(page, vote))]
    return [*corrections, *(f"note: {vote.note}" for vote in said.votes if vote.note), *of_adjudicator]


def open_lines(items: Iterable[Open], shown: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """Yields the items for a terminal: of each its reason, its text, and what people said."""
    for item in items:
        waits = f"; waits for {item.awaited} more" if item.awaited else ""
        yield f"{item.page.kind} {item.item_id}: {item.detail}{waits}"
        text = in_one_line(shown[item.item_id]) if item.item_id in shown else "(the item is not there any more)"
        yield f"    {shortened(text, _LONGEST_LINE)}"
        yield f"    {votes_in_words(item.page, item.statements)}"
        for note in notes_in_words(item.page, item.statements, item.notes):
            yield f"    {shortened(' '.join(note.split()), _LONGEST_LINE)}"


def write_open(path: Path, items: Sequence[Open], shown: Mapping[str, Mapping[str, str]]) -> None:
    """Writes the items as a table to be filled in; `annotate adjudicate` reads it back.

    Raises:
        InputError: The file is there and somebody has filled it in.
    """
    _refuse_filled_in(path)
    with replacing(path) as temporary, temporary.open("w", encoding=ENCODING, newline="") as file:
        lines = csv.writer(file)
        lines.writerow([*COLUMNS, *EXTRA])
        for item in items:
            page, said = item.page, item.statements
            extra = (
                page.kind,
                in_one_line(shown.get(item.item_id, {})),
                votes_in_words(page, said),
                "\n".join(notes_in_words(page, said, item.notes)),
                item.detail,
                str(item.awaited),
                choices_of(page),
            )
            lines.writerow([item.item_id, "", "", "", *map(no_formula, extra)])


def _refuse_filled_in(path: Path) -> None:
    if not path.is_file():
        return
    with path.open(encoding=ENCODING, errors="replace", newline="") as file:
        filled = sum(any((row.get(name) or "").strip() for name in FILLED_IN) for row in csv.DictReader(file))
    if filled:
        hint = "Record them with `tashika annotate adjudicate`, or give another name with --csv."
        raise InputError(f"the file is there, and {filled:,} of its lines are filled in", where=str(path), hint=hint)


def choices_of(page: Page) -> str:
    """What may be written into the columns `decision` and `text` for an item of a page."""
    if isinstance(page, LabelsPage):
        return f"accepted, and in text one or more of: {', '.join(page.labels)}, with | between them"
    if isinstance(page, FormPage):
        return f"accepted, and in text one of: {', '.join(page.labels)}"
    if isinstance(page, TextPage):
        return "accepted, and the final text in text"
    corrected = isinstance(page, VotePage) and page.text_control
    return f"accepted, rejected or undecided{'; text may hold a correction' if corrected else ''}"
