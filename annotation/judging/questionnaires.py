"""Kinds that are parted over several projects, and who may answer which: nobody shall meet the same thing twice.

Label Studio's community edition gives every task of a project to whoever opens it. So a part is a project, and people
learn which ones are theirs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import pyarrow as pa

from tashika.annotation.judging.columns import Column, compute, flat, strings
from tashika.annotation.judging.sampling import draw
from tashika.annotation.labelling import Page, WordsPage, words_pages
from tashika.annotation.labelstudio.client import Server
from tashika.annotation.settings import AnnotateSettings
from tashika.core.draws import Draw
from tashika.core.errors import InputError
from tashika.core.suites.discovery import suite_argument
from tashika.core.workspace import Workspace

Thing = tuple[str, ...]
"""The kind, and the values of its columns `once`."""

Questionnaire = tuple[WordsPage, set[Thing]]
"""A project of a kind that is parted, and what people meet there."""


def by_project(workspace: Workspace, pages: Sequence[Page]) -> list[Page]:
    """The pages, one a project: a page that is parted becomes one for each number in its column, or dealt part.

    Raises:
        MissingStageError: The items of a page that is parted have not been built.
    """
    return [part for page in pages for part in _parts(workspace, page)]


def _parts(workspace: Workspace, page: Page) -> list[Page]:
    if page.part is not None:
        return [page]
    if not isinstance(page, WordsPage) or page.parted_by is None:
        return [page] if page.dealt_over == 1 else [page.of_part(number) for number in range(1, page.dealt_over + 1)]
    table = workspace.read_items(page.kind).select([page.parted_by])
    numbers = sorted({int(row[page.parted_by]) for row in table.to_pylist()})
    return [page.of_part(number) for number in numbers]


def eligible_items(page: Page, table: pa.Table) -> pa.Table:
    """The items that people are asked about at all, among all of the kind."""
    for name, value in page.only.items():
        table = table.filter(compute.equal(table[name], value))
    return table


def voted(page: Page, table: pa.Table) -> pa.Table:
    """The items that people are asked about to learn something of them: those that are asked and of unknown answer."""
    table = eligible_items(page, table)
    if page.gold:
        table = table.filter(compute.invert(_is_among(table, page.gold)))
    return table.filter(compute.invert(_is_gold(table, page.gold_column))) if page.gold_column else table


def gold_questions(page: Page, table: pa.Table) -> pa.Table:
    """The items whose answer is known, by which people are checked; of a training those that people learn from."""
    table = eligible_items(page, table)
    trains = [item_id for item_id, known in page.gold.items() if known.trains]
    if page.training:
        return table.take(compute.drop_null(compute.index_in(pa.array(trains, pa.string()), flat(table, "item_id"))))
    asked = _is_among(table, page.gold.keys() - trains)
    if page.gold_column:
        of_column = compute.invert(_is_among(table, trains))
        asked = compute.or_(asked, compute.and_(of_column, _is_gold(table, page.gold_column)))
    return table.filter(asked)


def _is_among(table: pa.Table, item_ids: Iterable[str]) -> Column:
    is_among: Column = compute.is_in(table["item_id"], value_set=pa.array(list(item_ids), pa.string()))
    return is_among


def _is_gold(table: pa.Table, column: str) -> Column:
    """Whether an item has a known answer; an empty text is none."""
    known: Column = compute.is_valid(table[column])
    if pa.types.is_string(table.schema.field(column).type):
        known = compute.and_(known, compute.not_equal(compute.fill_null(table[column], ""), ""))
    return known


def of_part(page: Page, table: pa.Table) -> pa.Table:
    """The items of the page's project, among all of the kind."""
    table = eligible_items(page, table)
    if page.part is None:
        return table
    if isinstance(page, WordsPage) and page.parted_by is not None:
        return table.filter(compute.equal(table[page.parted_by], page.part))
    in_part = [part_of(item_id, page.dealt_over) == page.part for item_id in strings(table, "item_id")]
    return table.filter(pa.array(in_part, pa.bool_()))


def part_of(item_id: str, parts: int) -> int:
    """The number, from 1, of the part that an item is dealt to.

    It depends on the item alone, so that a build with more items moves none: parts are of about the same size.
    """
    return 1 + Draw(0, f"part {item_id}").below(parts)


def refuse_other_parts(server: Server, pages: Sequence[Page]) -> None:
    """Makes sure that no kind lies on the server in another number of parts: its items would be asked about twice.

    Args:
        server: Where to look.
        pages: Those of all items of their kinds.

    Raises:
        InputError: There are such projects.
    """
    projects = server.projects()
    for page in pages:
        matches = [(project, page.for_project(project.title)) for project in projects]
        dealt = [(project, other) for project, other in matches if other and not other.training]
        others = [(project, other) for project, other in dealt if other.dealt_over != page.dealt_over]
        if others:
            named = ", ".join(f"{project.project_id} ({project.title!r})" for project, _ in others)
            before = others[0][1].dealt_over
            hint = f"Set `parts = {before}` again, or delete these projects in Label Studio once you have pulled them."
            message = f"the {page.kind} items were pushed in {before} parts, and the settings say {page.dealt_over}"
            raise InputError(f"{message}; projects {named}", where=f"[annotate.kinds.{page.kind}] parts", hint=hint)


def to_judge(page: Page, table: pa.Table, settings: AnnotateSettings) -> list[str]:
    """The ids of the project's items that people shall judge, sorted; a sample is drawn from all of its kind.

    Gold questions are always among them, but those of a training; this has nothing else, in the order of the file.
    """
    part = of_part(page, table)
    known = strings(gold_questions(page, part), "item_id")
    if page.training:
        return known
    drawn = draw(strings(voted(page, table), "item_id"), settings.kinds[page.kind].sample, settings.seed)
    of_page = set(strings(part, "item_id"))
    return sorted([*(item_id for item_id in drawn if item_id in of_page), *known])


def crews(workspace: Workspace, pages: Sequence[Page]) -> list[tuple[int, list[Page]]]:
    """Which projects the same people may answer: (number of the crew, projects), in order.

    No crew meets anything twice, but for control questions, which have known answers. The projects of a crew are those
    whose numbers are equal modulo the number of crews, which is how items are dealt; if that fails, or needs more
    crews, a project goes to the first crew that it suits. What is not parted goes to the first crew.
    """
    parted = _parted(pages)
    by_kind = {page.kind: _things(workspace, page) for page in parted}
    parts = [(page, by_kind[page.kind][int(page.part or 0)]) for page in parted]
    whole = [page for page in pages if page not in parted]
    crews_of_parts = _first_fit(parts)
    times = Counter(thing for _, things in parts for thing in things)
    for count in range(max(times.values(), default=1), len(crews_of_parts) + 1):
        lanes = _by_number(parts, count)
        if lanes:
            crews_of_parts = lanes
            break
    together: list[list[Page]] = [list(crew) for crew in crews_of_parts]
    if whole:
        together[:1] = [whole + (together[0] if together else [])]
    return list(enumerate(together))


def _parted(pages: Sequence[Page]) -> list[WordsPage]:
    """Those of the pages that are one part of their kind."""
    return [page for page in words_pages(pages) if page.part is not None and page.parted_by is not None]


def _by_number(parts: Sequence[Questionnaire], count: int) -> list[list[WordsPage]]:
    """The projects whose numbers are equal modulo `count` together; nothing if one of these meets a thing twice."""
    lanes: dict[int, list[WordsPage]] = {}
    met: set[tuple[int, Thing]] = set()
    for page, things in parts:
        lane = (int(page.part or 0) - 1) % count
        here = {(lane, thing) for thing in things}
        if here & met:
            return []
        met |= here
        lanes.setdefault(lane, []).append(page)
    return [lanes[lane] for lane in sorted(lanes)]


def _first_fit(parts: Sequence[Questionnaire]) -> list[list[WordsPage]]:
    """Each project with the first ones that have nothing of what it has."""
    members: list[list[WordsPage]] = []
    met: list[set[Thing]] = []
    for page, things in parts:
        crew = next((number for number, before in enumerate(met) if not before & things), len(met))
        if crew == len(met):
            members.append([])
            met.append(set())
        members[crew].append(page)
        met[crew] |= things
    return members


def who_may_answer(workspace: Workspace, pages: Sequence[Page]) -> list[str]:
    """Which projects of those that are parted one person may answer, in lines."""
    dealt = {page.kind: page.dealt_over for page in pages if page.part is not None and page.dealt_over > 1}
    return [
        *_who_may_answer_parted(workspace, pages),
        *(_dealt_line(workspace.suite, kind, parts) for kind, parts in dealt.items()),
    ]


def _dealt_line(suite: str, kind: str, parts: int) -> str:
    return (
        f"the {kind} items are dealt over {parts} projects, and whoever opens one may judge all of it: "
        f"`tashika annotate invite NAME --suite {suite_argument(suite)} --parts 1` assigns parts"
    )


def _who_may_answer_parted(workspace: Workspace, pages: Sequence[Page]) -> list[str]:
    groups = [_parted(parts) for _, parts in crews(workspace, _parted(pages))]
    if len(groups) > 1 and all(len(parts) == 1 for parts in groups):
        return [f"each person may answer one of the {len(groups)} {groups[0][0].parted_by}s"]
    return [
        f"one person may answer {parts[0].parted_by} {', '.join(str(page.part) for page in parts)}" for parts in groups
    ]


def _things(workspace: Workspace, page: WordsPage) -> dict[int, set[Thing]]:
    """What the people who answer a part meet: the values of the columns `once`, by part."""
    things_of_part: dict[int, set[Thing]] = {}
    parted_by = str(page.parted_by)
    for row in workspace.read_items(page.kind).select([parted_by, *page.once, "known_answers"]).to_pylist():
        things = things_of_part.setdefault(row[parted_by], set())
        if row["known_answers"] is None:
            things.add((page.kind, *(str(row[name]) for name in page.once)))
    return things_of_part
