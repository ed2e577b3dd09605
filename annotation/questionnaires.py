"""Kinds that are parted over several projects, and who may answer which: nobody shall meet the same thing twice.

Label Studio's community edition gives every task of a project to whoever opens it. So a part is a project, and people
are told which ones are theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pyarrow as pa

from tashika.annotation.columns import compute, strings
from tashika.annotation.labelling import Page
from tashika.annotation.sampling import draw
from tashika.annotation.settings import AnnotateSettings
from tashika.core.workspace import Workspace


def by_project(workspace: Workspace, pages: Sequence[Page]) -> list[Page]:
    """The pages, one a project: a page that is parted becomes one for each number in its column.

    Raises:
        MissingStageError: The items of a page that is parted have not been built.
    """
    return [part for page in pages for part in _parts(workspace, page)]


def _parts(workspace: Workspace, page: Page) -> list[Page]:
    if page.parted_by is None or page.part is not None:
        return [page]
    table = workspace.read_items(page.kind).select([page.parted_by])
    numbers = sorted({int(row[page.parted_by]) for row in table.to_pylist()})
    return [replace(page, title=f"{page.title}, {page.parted_by} {number}", part=number) for number in numbers]


def of_part(page: Page, table: pa.Table) -> pa.Table:
    """The items of the page's project, among all of the kind."""
    if page.parted_by is None or page.part is None:
        return table
    return table.filter(compute.equal(table[page.parted_by], page.part))


def to_judge(page: Page, table: pa.Table, settings: AnnotateSettings) -> list[str]:
    """The ids of the project's items that people shall judge, sorted; the sample is drawn from all of the kind."""
    drawn = draw(strings(table, "item_id"), settings.kinds[page.kind].sample, settings.seed)
    mine = set(strings(of_part(page, table), "item_id"))
    return [item_id for item_id in drawn if item_id in mine]


def crews(workspace: Workspace, pages: Sequence[Page]) -> list[tuple[int, list[Page]]]:
    """Which projects the same people may answer: (number of the crew, projects), in order.

    A project goes to the first crew that would not meet anything twice; one that is not parted, to the first crew.
    Control questions, which have known answers, may be met again.
    """
    found: list[list[Page]] = [[page for page in pages if page.part is None]]
    met: list[set[tuple[str, ...]]] = [set()]
    things = {page.kind: _things(workspace, page) for page in pages if page.part is not None}
    for page in pages:
        if page.part is None:
            continue
        mine = things[page.kind][page.part]
        crew = next((number for number, before in enumerate(met) if not before & mine), len(met))
        if crew == len(met):
            found.append([])
            met.append(set())
        found[crew].append(page)
        met[crew] |= mine
    return [(crew, projects) for crew, projects in enumerate(found) if projects]


def _things(workspace: Workspace, page: Page) -> dict[int, set[tuple[str, ...]]]:
    """What the people who answer a part meet: the values of the columns `once`, by part."""
    found: dict[int, set[tuple[str, ...]]] = {}
    parted_by = str(page.parted_by)
    for row in workspace.read_items(page.kind).select([parted_by, *page.once, "known_answers"]).to_pylist():
        things = found.setdefault(row[parted_by], set())
        if row["known_answers"] is None:
            things.add((page.kind, *(str(row[name]) for name in page.once)))
    return found
