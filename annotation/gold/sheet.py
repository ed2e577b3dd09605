"""A sheet of items for a curator to fill in: the file of gold questions, but for the answers."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

from tashika.annotation.gold.file import COLUMNS, answers_expected
from tashika.annotation.judging.columns import strings
from tashika.annotation.judging.push import families
from tashika.annotation.judging.questionnaires import voted
from tashika.annotation.judging.sampling import draw
from tashika.annotation.labelling import Page, Row
from tashika.annotation.markup import plain
from tashika.annotation.spreadsheets import ENCODING, no_formula
from tashika.core.errors import InputError
from tashika.core.files import replacing
from tashika.core.workspace import Workspace

HELP = ("kind", "shown", "answers")
"""Columns that help to fill the others in, and are not read."""

_SHOWING = ("HyperText", "Text", "Paragraphs")


def write_sheet(workspace: Workspace, pages: Sequence[Page], path: Path, sample: int, seed: int) -> dict[str, int]:
    """Writes a sample of the items whose answer is not known yet, as people see them.

    Args:
        workspace: Where the items lie.
        pages: One a kind.
        path: The file; it must not be there, since somebody may have filled it in.
        sample: How many items of each kind.
        seed: Draws them.

    Returns:
        How many items of each kind were written.

    Raises:
        InputError: The file is there.
        MissingStageError: The items have not been built.
    """
    if path.exists():
        raise InputError("the file is there already", where=str(path), hint="Give another name with --out.")
    counts: dict[str, int] = {}
    with replacing(path) as temporary, temporary.open("w", encoding=ENCODING, newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*COLUMNS, *HELP])
        for page in pages:
            table = workspace.read_items(page.kind)
            chosen = draw(strings(voted(page, table), "item_id"), sample, seed)
            counts[page.kind] = len(chosen)
            for row, parents in families(table, chosen):
                extra = (page.kind, shown_text(page, row, parents), answers_expected(page))
                writer.writerow([row["item_id"], "", "", *map(no_formula, extra)])
    return counts


def shown_text(page: Page, row: Row, parents: Sequence[Row]) -> str:
    """What a task shows of an item, in the order of its page, as plain text with ` / ` between the parts."""
    data = page.task_data(row, parents)
    names = [
        element.get("value", "").removeprefix("$")
        for element in ElementTree.fromstring(page.xml).iter()
        if element.tag in _SHOWING and element.get("value", "").startswith("$")
    ]
    texts = (plain(str(data.get(name, "")), page.look.language) for name in names)
    return " / ".join(text for text in texts if text)
