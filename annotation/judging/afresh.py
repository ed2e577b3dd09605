"""Whether a push would ask people what they have answered already, on a lost server or in a project that is gone.

Pushing to a server without a project of the suite makes one, and everybody is asked everything again: what people did
on the server before would be in vain, unless it is put back first. Programs answer again at no cost, so what was
simulated is no reason, and nobody was asked what came from a file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from tashika.annotation.judging.backups import annotations_of, copies
from tashika.annotation.judging.columns import compute, flat, having, strings
from tashika.annotation.judging.judgments import read_judgments, shards
from tashika.annotation.judging.projects import find_projects, pulled_from, pushed_projects
from tashika.annotation.judging.questionnaires import of_part
from tashika.annotation.labelling import Page
from tashika.annotation.labelstudio.client import Server
from tashika.annotation.words.responses import FROM_FILE
from tashika.core.annotators import Annotators
from tashika.core.errors import InputError
from tashika.core.progress import say
from tashika.core.workspace import Workspace

ASK_AGAIN = "--ask-again"
UNFINISHED = "--unfinished"


@dataclass(frozen=True)
class Again:
    """What becomes of items that people have judged where the server has no project of them.

    Attributes:
        everything: They are asked about all of these items again.
        unfinished: They are asked for the votes that are missing.

    Raises:
        InputError: It is both.
    """

    everything: bool = False
    unfinished: bool = False

    def __post_init__(self) -> None:
        if self.everything and self.unfinished:
            raise InputError(f"{ASK_AGAIN} and {UNFINISHED} exclude each other", hint="Leave one of them out.")


REFUSED = Again()
"""Nothing is asked: the curator has not said what to do."""


def refuse_to_ask_again(
    server: Server, workspace: Workspace, pages: Sequence[Page], identity: str, again: Again = REFUSED
) -> None:
    """Refuses to make projects for items that people have judged in projects that are not there (any more).

    Args:
        server: Where the items shall go.
        workspace: What was pushed and pulled.
        pages: One a project.
        identity: The server's.
        again: What is meant; if anything, it only says what there is.

    Raises:
        InputError: There are judgments, and it is not said what is meant.
    """
    absent = [page for page in pages if not find_projects(server, workspace, page, identity)]
    gone = [line for page in absent for line in _gone_lines(workspace, page, identity)]
    elsewhere = _elsewhere_lines(workspace, absent, identity)
    if not (again.everything or again.unfinished) and (gone or elsewhere):
        raise InputError("; ".join([*gone, *elsewhere]), where=server.url, hint=_hint(workspace, absent))
    what = "for the votes that are missing" if again.unfinished else "again"
    for line in (*gone, *elsewhere):
        say(f"{line}. People are asked {what}; a person is known by the e-mail address, and the last answer counts")
    if not (gone or elsewhere):
        _report_copies(workspace, absent, identity)


def _gone_lines(workspace: Workspace, page: Page, identity: str) -> list[str]:
    """That a project was deleted from which judgments were pulled."""
    numbers = pushed_projects(workspace, page, identity)
    count = pulled_from(workspace, identity, numbers)
    gone = f"project {numbers[-1] if numbers else None} {page.title!r} is gone from the server"
    return [f"{gone}; {count:,} judgments were pulled from it"] if count else []


def _elsewhere_lines(workspace: Workspace, absent: Sequence[Page], identity: str) -> list[str]:
    """That people have judged items of pages without a project on another server."""
    if not shards(workspace):
        return []
    judgments = read_judgments(workspace)
    voted = [page for page in absent if not page.training]
    tables = {page.title: _judged_elsewhere(judgments, workspace, page, identity) for page in voted}
    judged = pa.concat_tables(tables.values()) if tables else judgments[:0]
    if not judged.num_rows:
        return []
    names = ", ".join(repr(title) for title, table in tables.items() if table.num_rows)
    people = len(set(strings(judged, "annotator")))
    counts = Counter(strings(judged, "server")).most_common()
    servers = ", ".join(f"{count:,} from the server {name}" for name, count in counts)
    return [
        f"this server has no project {names}, but judgments of {Annotators(people, people).description} on these items "
        f"were pulled from elsewhere: {servers}"
    ]


def _judged_elsewhere(judgments: pa.Table, workspace: Workspace, page: Page, identity: str) -> pa.Table:
    """People's sound judgments on the items of a page that were pulled from other servers."""
    judged = having(judgments, "kind", page.kind)
    items = flat(of_part(page, workspace.read_items(page.kind)), "item_id")
    of_people = compute.and_(compute.invert(judged["simulated"]), compute.is_null(judged["problem"]))
    on_items = compute.is_in(judged["item_id"], value_set=items)
    from_server = compute.invert(compute.starts_with(judged["server"], FROM_FILE))
    elsewhere = compute.and_(from_server, compute.not_equal(judged["server"], identity))
    return judged.filter(compute.and_(compute.and_(of_people, on_items), elsewhere))


def _hint(workspace: Workspace, absent: Sequence[Page]) -> str:
    push = f"`tashika annotate push {workspace.arguments}"
    again = (
        f"{push} {UNFINISHED}` asks for the votes that items still lack, and nothing that is finished.\n"
        f"  {push} {ASK_AGAIN}` asks everybody everything again."
    )
    if not any(copies(workspace, page.name) for page in absent):
        return f"No copy of these projects is left to restore. {again}"
    return (
        f"`tashika annotate restore {workspace.arguments}` makes the projects with these answers, so that nobody is "
        f"asked twice.\n  {again}"
    )


def _report_copies(workspace: Workspace, absent: Sequence[Page], identity: str) -> None:
    """Says if answers that hold nobody up, such as those of a training, could be put back."""
    for page in absent:
        paths = [] if pushed_projects(workspace, page, identity) else [path for path, _ in copies(workspace, page.name)]
        if any(True for path in paths for _ in annotations_of(path)):
            say(
                f"{page.name}: answers were pulled from another server; if that one is lost, run `tashika annotate "
                f"restore {workspace.arguments}` before people answer on this one"
            )
