"""Whether people have judged, or are about to: then no program answers in their place.

Votes of people and of programs count alike. So a simulation does not start where one could meet the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace

from tashika.annotation.judging.columns import compute, strings
from tashika.annotation.judging.judgments import read_judgments, shards
from tashika.annotation.judging.people import simulated_accounts
from tashika.annotation.judging.projects import pushed_projects
from tashika.annotation.judging.pushed import pushed_files
from tashika.annotation.labelling import Page, all_pages
from tashika.annotation.labelling.page import training_title
from tashika.annotation.labelstudio.account import ADMIN
from tashika.annotation.labelstudio.client import Project, Server
from tashika.core.annotators import Annotators
from tashika.core.counts import counted
from tashika.core.errors import InputError
from tashika.core.workspace import Workspace

DESPITE_ACCOUNTS = "--despite-accounts"
_NAMED = 3
_ELSEWHERE = (
    "Simulate in another working directory, with a Label Studio of its own: "
    "`tashika annotate serve --work OTHER`, then build, push and simulate with the same --work."
)


def refuse_beside_people(server: Server, workspace: Workspace, *, despite_accounts: bool = False) -> None:
    """Refuses to simulate where people have judged items of the suite, or have accounts to do so.

    Args:
        server: All projects of the suite on it are looked at, also those of other settings.
        workspace: Its judgments are looked at.
        despite_accounts: Whether accounts of people who have answered nothing in these projects are no reason.

    Raises:
        InputError: Judgments, answers or accounts of people were found.
    """
    _refuse_judgments(workspace)
    users = server.users()
    programs = simulated_accounts(users)
    _refuse_answers(server, workspace, users, programs.keys())
    if not despite_accounts:
        _refuse_accounts(server, users, programs.keys())


def judged_by(workspace: Workspace) -> tuple[Counter[str], Counter[str]]:
    """How many judgments were pulled of each person, and of each simulated annotator."""
    people: Counter[str] = Counter()
    programs: Counter[str] = Counter()
    if shards(workspace):
        table = read_judgments(workspace)
        people.update(strings(table.filter(compute.invert(table["simulated"])), "annotator"))
        programs.update(strings(table.filter(table["simulated"]), "annotator"))
    return people, programs


def mixed_line(workspace: Workspace) -> str | None:
    """That judgments of people and of simulated annotators lie side by side, and what to do; None if they do not."""
    people, programs = judged_by(workspace)
    if not (people and programs):
        return None
    persons = Annotators(len(people), len(people)).description
    others = Annotators(len(programs), 0).description
    return (
        f"{counted(people.total(), f'judgment of {persons} lies', f'judgments of {persons} lie')} beside "
        f"{programs.total():,} of {others}, and their "
        f"votes count alike; `tashika annotate forget-simulated {workspace.argument}` takes the programs' out"
    )


def projects_of(server: Server, workspace: Workspace) -> Iterator[tuple[Page, Project]]:
    """Yields the suite's projects on a server with their pages, whatever the settings and the items of today.

    One that was renamed is known by its number if it was pushed from here.
    """
    pages = all_pages(workspace.suite)
    pushed = _pushed_pages(workspace, pages, server.identity())
    for project in server.projects():
        titled = (page.for_project(project.title) for page in pages)
        page = next(filter(None, titled), pushed.get(project.project_id))
        if page:
            yield page, project


def _pushed_pages(workspace: Workspace, pages: Sequence[Page], identity: str) -> dict[int, Page]:
    """The page of each project on this server that the last push has kept, by the project's number."""
    by_number: dict[int, Page] = {}
    for page in pages:
        files = pushed_files(workspace, page.kind)
        training = page.for_project(training_title(page.title))
        candidates = [replace(page, dealt_over=1), *([training] if training else [])]
        candidates += [
            replace(page, dealt_over=len(files)).of_part(int(path.stem.removeprefix(f"{page.kind}-")))
            for path in files
            if path.stem != page.kind
        ]
        for candidate in candidates:
            by_number |= dict.fromkeys(pushed_projects(workspace, candidate, identity), candidate)
    return by_number


def _refuse_judgments(workspace: Workspace) -> None:
    people, _ = judged_by(workspace)
    if people:
        raise InputError(
            f"expected no judgments of people, found {people.total():,} of {_named(people)}",
            where=str(workspace.annotation / "judgments"),
            hint=_ELSEWHERE,
        )


def _refuse_answers(server: Server, workspace: Workspace, users: Mapping[int, str], programs: Set[int]) -> None:
    for _, project in projects_of(server, workspace):
        answered = Counter(user for task in server.tasks(project.project_id) for user in task.users - programs)
        if answered:
            emails = Counter({users.get(user, f"account {user}"): count for user, count in answered.items()})
            raise InputError(
                f"expected no answers of people in the project {project.title!r}, found {_named(emails)}",
                where=f"{server.shown}/projects/{project.project_id}/data",
                hint=f"{_ELSEWHERE}\n  If these answers were mere trials, delete them in Label Studio.",
            )


def _refuse_accounts(server: Server, users: Mapping[int, str], programs: Set[int]) -> None:
    """The administrator that `serve` makes, and whoever gives the command, are expected."""
    expected = {number for number, email in users.items() if email == ADMIN} | programs | {server.own_account()}
    people = sorted(email for number, email in users.items() if number not in expected)
    if people:
        raise InputError(
            f"expected no accounts of people on the server, found {len(people):,}: {_some(people)}",
            where=server.url,
            hint=f"{_ELSEWHERE}\n  If none of them will answer in this suite's projects, add {DESPITE_ACCOUNTS}.",
        )


def _named(counts: Counter[str]) -> str:
    """Who did how many, the most first."""
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return _some([f"{name} ({count:,})" for name, count in ranked])


def _some(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more:,} more" if more > 0 else "")
