"""Push and pull, killed at a chosen moment: the client at a request or a file operation, or the server at a request.

Run as a script it kills each command at ten points in each way and prints a table; `test_killed` takes a few points.

Usage: python -m tests.annotation.judging.killing [push | pull]
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tashika.annotation.judging.judgments import keys_of, read_judgments, shards
from tashika.annotation.judging.pull import pull
from tashika.annotation.judging.push import push
from tashika.annotation.judging.simulate import simulate
from tashika.annotation.labelling import Page, pages_of
from tashika.annotation.labelstudio.account import Address
from tashika.annotation.labelstudio.client import Server
from tashika.annotation.settings import AnnotateSettings, KindSettings, SimulationSettings
from tashika.core.workspace import Workspace
from tests.annotation.judging.answering import items_of
from tests.annotation.myriadlama import samples
from tests.proxy import CUT, PASS, REFUSE, STRIKE, proxy_to
from tests.studio import Studio, running_studio

POINTS = 10
SETTINGS = AnnotateSettings(
    kinds={"template": KindSettings()}, simulation=SimulationSettings(error_rates=(0.0, 0.1, 0.2), skip_rate=0.05)
)
PAGES: list[Page] = pages_of("myriadlama", SETTINGS)

CLIENT = """
import os, signal, sys
command, url, work, at = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
from tests.annotation.judging import killing
from tashika.annotation.judging import push as pushing
pushing.TASKS_AN_IMPORT = 3
done = 0
def watch(event, arguments):
    global done
    if event in {"open", "os.rename", "os.remove"} and str(arguments[0]).startswith(work):
        writes = event != "open" or arguments[2] & (os.O_WRONLY | os.O_RDWR) or "parquet" in str(arguments[0])
        done += bool(writes)
        if done == at:
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(watch)
killing.act(command, url, os.environ["TOKEN"], work)
"""


def act(command: str, url: str, token: str, work: str) -> None:
    """What a client does: `push` or `pull`."""
    server, workspace = Server(Address(url, token)), Workspace(Path(work), "myriadlama")
    if command == "push":
        push(server, workspace, PAGES, SETTINGS, dry=False)
    else:
        pull(server, workspace, PAGES, SETTINGS)


@dataclass(frozen=True)
class Outcome:
    """What a killed command and its repetition led to.

    Attributes:
        where: What was going on when it was killed.
        killed: Whether it was killed before it was done.
        problem: What is wrong afterwards; empty if nothing is.
    """

    where: str
    killed: bool
    problem: str


def client(command: str, url: str, token: str, work: Path, at: int = 0) -> subprocess.Popen[bytes]:
    """Starts a client that kills itself at its `at`-th file operation."""
    environment = {**os.environ, "TOKEN": token}
    return subprocess.Popen(
        [sys.executable, "-c", CLIENT, command, url, str(work), str(at)],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def kill_at_file(studio: Studio, command: str, work: Path, at: int) -> Outcome:
    """Kills the client at a file operation, and repeats the command."""
    first = client(command, studio.address.url, studio.address.token, work, at)
    _, said = first.communicate()
    if first.returncode not in {0, -signal.SIGKILL}:
        raise AssertionError(said.decode())
    _again(studio, command, work)
    return Outcome(f"file operation {at}", first.returncode == -signal.SIGKILL, check(studio, command, work))


def kill_at_request(studio: Studio, command: str, work: Path, at: int) -> Outcome:
    """Kills the client at a request, which the server gets at every other point; then repeats the command."""
    process: list[subprocess.Popen[bytes]] = []
    hit: list[str] = []

    def rule(number: int, method: str, path: str) -> str:
        if number != at:
            return PASS
        hit.append(f"{method} {path.partition('?')[0]}")
        process[0].kill()
        process[0].wait()
        return CUT if at % 2 else REFUSE

    with proxy_to(studio.address.url, rule) as proxy:
        process.append(client(command, proxy.url, studio.address.token, work))
        _, said = process[0].communicate()
    if process[0].returncode not in {0, -signal.SIGKILL}:
        raise AssertionError(said.decode())
    _again(studio, command, work)
    return Outcome(f"request {at} {hit[0] if hit else ''}", bool(hit), check(studio, command, work))


def kill_server(data: Path, command: str, directory: Path, at: int) -> Outcome:
    """Kills the server before or just after it gets a request; then restarts it and repeats the command."""
    hit: list[str] = []
    with running_studio(data) as studio:
        work = fresh(studio, directory, command)

        def kill() -> None:
            os.killpg(studio.process, signal.SIGKILL)

        def rule(number: int, method: str, path: str) -> str:
            if number != at:
                return PASS
            hit.append(f"{method} {path.partition('?')[0]}")
            if at % 2:
                return STRIKE
            kill()
            return REFUSE

        with proxy_to(studio.address.url, rule) as proxy:
            proxy.strike = kill
            first = client(command, proxy.url, studio.address.token, work)
            _, said = first.communicate()
    if first.returncode and b"OutsideError" not in said:
        raise AssertionError(said.decode())
    with running_studio(data) as studio:
        _again(studio, command, work)
        return Outcome(f"request {at} {hit[0] if hit else ''}", bool(hit), check(studio, command, work))


def _again(studio: Studio, command: str, work: Path) -> None:
    last = client(command, studio.address.url, studio.address.token, work)
    _, said = last.communicate()
    if last.returncode:
        raise AssertionError(said.decode())


def check(studio: Studio, command: str, work: Path) -> str:
    """What is wrong; nothing if there is one project, one task an item, each answer once, and whole copies."""
    tasks = [len(numbers) for numbers in items_of(studio, PAGES[0]).values()]
    problems = []
    if tasks != [1] * 12 or len(studio.server.projects_titled(PAGES[0].title)) != 1:
        problems.append(f"tasks of the items: {Counter(tasks)}")
    if command == "pull":
        workspace = Workspace(work, "myriadlama")
        keys = keys_of(read_judgments(workspace)) if shards(workspace) else []
        if len(keys) != 36 or len(set(keys)) != 36:
            problems.append(f"{len(keys)} judgments, {len(set(keys))} different ones")
        for path in (workspace.annotation / "backups").glob("*.json.gz"):
            if len(json.loads(gzip.decompress(path.read_bytes()))) != 12:
                problems.append(f"{path.name} is not whole")
    return "; ".join(problems)


def fresh(studio: Studio, directory: Path, command: str) -> Path:
    """A new workspace; for a push the server has no project, for a pull it has three answers to each of 12 items."""
    work = Path(tempfile.mkdtemp(dir=directory))
    workspace = Workspace(work, "myriadlama")
    samples.write_items(workspace, "template", samples.templates())
    if command == "push":
        for project in studio.server.projects():
            studio.server.delete_project(project.project_id)
    else:
        push(studio.server, workspace, PAGES, SETTINGS, dry=False)
        simulate(studio.address, workspace, PAGES, SETTINGS, despite_accounts=True)
        forget(work)
    return work


def forget(work: Path) -> None:
    """Makes the workspace as if nothing had been pushed or pulled from there."""
    shutil.rmtree(Workspace(work, "myriadlama").annotation)


def main() -> None:
    """Runs all points, or those of one command, and prints the table."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        for command in sys.argv[1:] or ("push", "pull"):
            with running_studio(directory / "data") as studio:
                for kill in (kill_at_file, kill_at_request):
                    _print_all(command, "client", (
                        kill(studio, command, fresh(studio, directory, command), at) for at in range(1, POINTS + 1)
                    ))  # fmt: skip
            _print_all(command, "server", (
                kill_server(directory / "data", command, directory, at) for at in range(1, POINTS + 1)
            ))  # fmt: skip


def _print_all(command: str, who: str, outcomes: Iterable[Outcome]) -> None:
    """Prints the points up to the first at which the command was done before."""
    for outcome in outcomes:
        killed = "killed" if outcome.killed else "done before"
        print(f"| {command} | {who} | {outcome.where} | {killed} | {outcome.problem or 'sound'} |", flush=True)
        if not outcome.killed:
            break


if __name__ == "__main__":
    main()
