"""Takes a simulation back: what simulated annotators left on the server and in the workspace.

What people said stays as it is. Every step leaves a state from which the next run resumes: the server is first, since
a pull would bring its answers back, and what was made of the judgments is removed before these are. Files are replaced
whole. Of the server's answers a copy is kept in `backups`, as of each pull.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from tashika.annotation.gold.trained import read_trained, write_trained
from tashika.annotation.judging.backups import annotations_of, copy_project
from tashika.annotation.judging.columns import Column, compute
from tashika.annotation.judging.judgments import read_shard, shards
from tashika.annotation.judging.lock import alone
from tashika.annotation.judging.mixing import judged_by, projects_of
from tashika.annotation.judging.people import simulated_accounts
from tashika.annotation.labelling import Page
from tashika.annotation.labelstudio.client import Project, Server, Task
from tashika.annotation.votes.verdicts import STAGE, VALIDATION
from tashika.annotation.words.responses import RESPONSES
from tashika.core.counts import counted
from tashika.core.errors import InputError, OutsideError
from tashika.core.files import read_json, remove_leftovers, write_batches
from tashika.core.progress import bar, say
from tashika.core.records import JUDGMENT
from tashika.core.stages import Stage
from tashika.core.workspace import Workspace

_CONFIRM = "Add --yes to take it out; the judgments of people stay as they are."


@dataclass(frozen=True)
class Answered:
    """A project of the suite in which simulated annotators have answered.

    Attributes:
        page: Its page.
        project: On the server.
        tasks: All of its tasks.
        programs: How many answers and skips are simulated annotators'.
        people: How many are of anybody else.
    """

    page: Page
    project: Project
    tasks: Sequence[Task]
    programs: int
    people: int


@dataclass(frozen=True)
class Traces:
    """What simulated annotators left.

    Attributes:
        answered: Projects of the suite with answers of theirs.
        authors: The numbers of all their accounts.
        accounts: Those of them that answered in no project of another suite: e-mail addresses by number.
        needed: The e-mail addresses of the others, which stay.
        programs: How many judgments in the workspace are theirs.
        people: How many are people's.
        trained: How many answers to items of a training, in the workspace, are theirs.
        derived: Files that were made of votes with theirs among them.
    """

    answered: Sequence[Answered]
    authors: Set[int]
    accounts: Mapping[int, str]
    needed: Sequence[str]
    programs: int
    people: int
    trained: int
    derived: Sequence[Path]

    def lines(self) -> list[str]:
        """What would be taken out, and what stays."""
        lines = [
            f"{each.page.name}: {counted(each.programs, 'answer')} of simulated annotators in project "
            f"{each.project.project_id}; {counted(each.people, 'of people stays', 'of people stay')}"
            for each in self.answered
        ]
        if self.accounts:
            lines.append(f"accounts: {', '.join(self.accounts.values())}")
        if self.programs:
            lines.append(
                f"workspace: {counted(self.programs, 'judgment')} of simulated annotators; "
                f"{counted(self.people, 'of people stays', 'of people stay')}"
            )
        if self.trained:
            lines.append(f"workspace: {self.trained:,} answers of simulated annotators in trainings")
        if self.derived:
            lines.append(f"made with their votes: {', '.join(path.name for path in self.derived)}")
        return lines


def forget_simulated(server: Server | None, workspace: Workspace, *, yes: bool = False, dry: bool = False) -> bool:
    """Takes the answers, judgments and accounts of simulated annotators out.

    Args:
        server: Where they answered; None to leave the server alone.
        workspace: Where their judgments lie.
        yes: Whether that is meant.
        dry: Only say what would be done.

    Returns:
        Whether there was anything to take out.

    Raises:
        InputError: There is, and neither `yes` nor `dry` is given.
        OutsideError: The server failed; the next run resumes from there.
    """
    with nullcontext() if dry or not yes else alone(workspace.annotation):
        traces = look(server, workspace)
        lines = traces.lines()
        for line in lines:
            say(f"{'takes' if yes and not dry else 'would take'} out {line}")
        if traces.needed:
            say(f"{', '.join(traces.needed)} answered in projects of other suites too: these accounts stay")
        if not lines:
            say(f"{workspace.suite}: nothing of simulated annotators is left")
        elif not (dry or yes):
            raise InputError("nothing has been taken out yet", where=str(workspace.annotation), hint=_CONFIRM)
        elif not dry:
            _take_out(server, workspace, traces)
        return bool(lines)


def look(server: Server | None, workspace: Workspace) -> Traces:
    """Finds what simulated annotators left, and changes nothing."""
    answered: list[Answered] = []
    accounts: dict[int, str] = {}
    elsewhere: frozenset[int] = frozenset()
    if server is not None:
        accounts = simulated_accounts(server.users())
        page_of_project = {project.project_id: page for page, project in projects_of(server, workspace)}
        for project in server.projects() if accounts else ():
            tasks = list(server.tasks(project.project_id))
            if project.project_id not in page_of_project:
                elsewhere = elsewhere.union(*(task.users for task in tasks))
                continue
            programs = sum(len(task.users & accounts.keys()) for task in tasks)
            people = sum(len(task.users - accounts.keys()) for task in tasks)
            if programs:
                answered.append(Answered(page_of_project[project.project_id], project, tasks, programs, people))
    by_people, by_programs = judged_by(workspace)
    return Traces(
        answered,
        accounts.keys(),
        {number: email for number, email in accounts.items() if number not in elsewhere},
        [email for number, email in accounts.items() if number in elsewhere],
        by_programs.total(),
        by_people.total(),
        sum(row["simulated"] for row in read_trained(workspace)),
        _derived(workspace, judged=bool(by_programs)),
    )


def _derived(workspace: Workspace, *, judged: bool) -> list[Path]:
    """What `vote` made, if programs' votes are in it; last the summary, which records whether they are."""
    return derived_files(workspace) if judged or _counts_programs(workspace.annotation / VALIDATION) else []


def derived_files(workspace: Workspace) -> list[Path]:
    """What `vote` made of the judgments; last the summary."""
    summary = workspace.annotation / VALIDATION
    manifest = Stage(STAGE, workspace.annotation).manifest_file
    tables = [workspace.verdict_file, workspace.answer_file, workspace.annotation / RESPONSES, workspace.statement_file]
    files = [manifest, *tables, summary]
    return [path for path in files if path.exists()]


def _counts_programs(summary: Path) -> bool:
    if not summary.exists():
        return False
    content = read_json(summary)
    kinds = content.values() if isinstance(content, dict) else ()
    return any(isinstance(kind, dict) and bool(kind.get("simulated")) for kind in kinds)


def _take_out(server: Server | None, workspace: Workspace, traces: Traces) -> None:
    if server is not None:
        for answered in traces.answered:
            _clear_project(server, workspace, answered, traces.authors)
        for number in traces.accounts:
            server.delete_account(number)
    for path in traces.derived:
        path.unlink(missing_ok=True)
    for path in shards(workspace):
        forget_in_shard(path)
    if traces.trained:
        write_trained(workspace, [row for row in read_trained(workspace) if not row["simulated"]])
    say(f"{workspace.suite}: nothing of simulated annotators is left")
    if traces.people:
        say(f"`tashika annotate vote {workspace.argument}` counts the votes of the people alone")
    if (workspace.release / "release.json").exists():
        say(f"the release is still as it was; after a vote `tashika export {workspace.argument}` writes it again")


def _clear_project(server: Server, workspace: Workspace, answered: Answered, programs: Set[int]) -> None:
    """Deletes the simulated annotators' annotations one by one, each by its own number.

    The server can delete those of many tasks in one request, but a version that does not know how to choose the
    annotator deletes everybody's.
    """
    project, name = answered.project, answered.page.name
    backup = copy_project(server, workspace, project, name, server.identity(), server.users())
    _close_offers(server, answered, programs)
    simulated = [entry["id"] for _, entry in annotations_of(backup) if entry.get("completed_by") in programs]
    with bar(f"taking simulated {name} answers out", len(simulated)) as advance:
        for annotation in simulated:
            server.delete_annotation(annotation)
            advance(1)
    left = sum(bool(task.users & programs) for task in server.tasks(project.project_id))
    if left:
        message = (
            f"the server still has answers of simulated annotators on {counted(left, 'task')} of {project.title!r}"
        )
        hint = "Is a simulation running elsewhere? End it, then run the same command again."
        raise OutsideError(message, where=server.url, hint=hint)


def _close_offers(server: Server, answered: Answered, programs: Set[int]) -> None:
    """Wants as many answers as at first of tasks that more or fewer were asked about for what the programs said."""
    usual = answered.project.annotators
    for task in answered.tasks:
        if task.users & programs and task.wanted != usual > len(task.users - programs):
            server.ask_more(task.task_id, usual)


def forget_in_shard(path: Path) -> None:
    """Takes simulated judgments out of a shard of judgments; one without any is not touched, one of them alone goes."""
    keep_in_shard(path, lambda table: compute.invert(table["simulated"]))


def keep_in_shard(path: Path, wanted: Callable[[pa.Table], Column]) -> None:
    """Keeps some rows of a shard of judgments; where it is all of them it is not touched, where it is none it goes."""
    remove_leftovers(path)
    table = read_shard(path)
    kept = table.filter(wanted(table))
    if not kept.num_rows:
        path.unlink()
    elif kept.num_rows < table.num_rows:
        write_batches(path, kept.cast(JUDGMENT).to_batches(), JUDGMENT)
