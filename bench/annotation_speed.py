"""How long push and pull take, and what they need: items to a fresh Label Studio, judgments of people on each back.

The judgments are simulated: they are written into the server's database, in the names of simulated annotators, since a
server takes about 0.1 s for each that is given in the browser. Times are of the commands as a user runs them, from
start to end; CPU seconds are of the command and of the server apart, so that a busy machine can be told from a slow
program.

Usage: python bench/annotation_speed.py [--items 10000] [--people 3] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from tashika.annotation.judging.people import simulated_email
from tashika.annotation.labelling import Page, pages_of
from tashika.annotation.labelstudio.account import Address, read_account
from tashika.annotation.labelstudio.client import Server
from tashika.annotation.labelstudio.signup import open_account
from tashika.annotation.settings import AnnotateSettings, KindSettings
from tashika.core.files import write_rows
from tashika.core.records import item_row, item_schema
from tashika.core.services import free_port, running
from tashika.core.workspace import Workspace

SUITE, KIND = "myriadlama", "template"
TASHIKA = [sys.executable, "-m", "tashika.core.cli", "annotate"]


@dataclass(frozen=True)
class Measured:
    """What one command took.

    Attributes:
        seconds: Wall-clock time.
        client: CPU seconds of the command.
        server: CPU seconds of the server meanwhile.
        memory: The most memory that the command held, in MiB.
        held: The most memory that the server has held until then, in MiB.
    """

    seconds: float
    client: float
    server: float
    memory: float
    held: float


def main() -> None:
    """Starts a server, pushes, loads judgments, pulls, and prints what each took."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--people", type=int, default=3)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        results = measure(Path(directory), options.items, options.people)
    print(f"{options.items:,} items, {options.people} simulated judgments of each; load {os.getloadavg()[0]:.1f}")
    for name, result in results.items():
        print(
            f"{name:>12}: {result.seconds:6.1f} s, CPU {result.client:5.1f} s of the command and "
            f"{result.server:5.1f} s of the server, {result.memory:4.0f} MiB and {result.held:4.0f} MiB"
        )
    if options.json:
        options.json.write_text(json.dumps({name: asdict(result) for name, result in results.items()}, indent=2))


def measure(directory: Path, items: int, people: int) -> dict[str, Measured]:
    """Runs the commands one after the other on a server of their own."""
    work, data, port = directory / "work", directory / "server", free_port()
    page = pages_of(SUITE, AnnotateSettings(kinds={KIND: KindSettings()}))[0]
    workspace = Workspace(work, SUITE)
    write_rows(workspace.item_file(KIND), sorted(map(row, range(items)), key=lambda r: r["item_id"]),
               item_schema(SUITE, KIND))  # fmt: skip
    config = directory / "config.toml"
    config.write_text(f"[annotate.kinds]\n{KIND} = {{mode = 'all'}}\nalias = {{mode = 'none'}}\n", encoding="utf-8")
    url = f"http://127.0.0.1:{port}"
    serve = [*TASHIKA, "serve", "--port", str(port), "--data", str(data)]
    with running(serve, name="Label Studio", health=f"{url}/health", log=directory / "server.log") as process:
        account = read_account(data)
        assert account is not None
        address = Address(url, account.token)
        shared = ["--work", str(work), "--config", str(config), "--url", url, "--token", account.token]

        def timed(command: str) -> Measured:
            return run([*TASHIKA, command, SUITE, *shared], process.pid, directory / f"{command}.log")

        results = {"push": timed("push"), "push again": timed("push")}
        load(address, data, page, people)
        results["pull"] = timed("pull")
        results["pull again"] = timed("pull")
    return results


def row(number: int) -> dict[str, Any]:
    """A template, of about the length of real ones."""
    text = f"[X] was, as number {number} of the sources says, for some years a resident of [Y]."
    payload = {
        "relation": f"P{number % 40}",
        "relation_label": "residence",
        "relation_description": "the place where the person is or has been, resident",
        "text": text,
        "origin": "manual",
        "example": text.replace("[X]", "Marie Curie").replace("[Y]", "Paris"),
    }
    return item_row(SUITE, KIND, (f"P{number % 40}", text), payload, builder="bench", version="1")


def run(command: Sequence[str], server: int, log: Path) -> Measured:
    """Runs a command to its end."""
    before, started = cpu_seconds(server), time.perf_counter()
    with log.open("wb") as output:
        actions = [(os.POSIX_SPAWN_DUP2, output.fileno(), 1), (os.POSIX_SPAWN_DUP2, output.fileno(), 2)]
        child = os.posix_spawn(command[0], command, os.environ, file_actions=actions)
        _, status, usage = os.wait4(child, 0)
    seconds = time.perf_counter() - started
    if status:
        sys.exit(f"{' '.join(command[:6])} failed:\n{log.read_text(encoding='utf-8')}")
    client = usage.ru_utime + usage.ru_stime
    return Measured(seconds, client, cpu_seconds(server) - before, usage.ru_maxrss / 1024, peak_memory(server))


def peak_memory(process: int) -> float:
    """The most memory that a process has held, in MiB."""
    lines = Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:"))


def cpu_seconds(process: int) -> float:
    """CPU seconds of a process and of its children that have ended."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(") ")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def load(address: Address, data: Path, page: Page, people: int) -> None:
    """Writes a judgment of each annotator on each task into the server's SQLite database, as if they had saved it."""
    server = Server(address)
    project = server.project(page.title)
    assert project is not None
    names = [simulated_email(f"simulated-{number + 1}") for number in range(people)]
    for email in names:
        open_account(address, server.invitation(), email, exists=False)
    number_of = {email: number for number, email in server.users().items()}
    part = {"from_name": "verdict", "to_name": page.target, "type": "choices", "value": {"choices": ["valid"]}}
    now, result = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S.%f"), json.dumps([part])
    with closing(sqlite3.connect(data / "label_studio.sqlite3", timeout=60)) as database, database:
        of_project = "select id from task where project_id = ?"
        tasks = [task for (task,) in database.execute(of_project, (project.project_id,))]
        authors = [number_of[email] for email in names]
        database.executemany(
            "insert into task_completion (task_id, project_id, completed_by_id, updated_by_id, result, created_at, "
            "updated_at, lead_time, unique_id, was_cancelled, ground_truth, prediction, result_count, bulk_created) "
            "values (?, ?, ?, ?, ?, ?, ?, 4.2, ?, 0, 0, '{}', 1, 0)",
            (
                (task, project.project_id, author, author, result, now, now, uuid4().hex)
                for task in tasks
                for author in authors
            ),
        )
        database.execute(
            "update task set total_annotations = ?, is_labeled = 1 where project_id = ?", (people, project.project_id)
        )


if __name__ == "__main__":
    main()
