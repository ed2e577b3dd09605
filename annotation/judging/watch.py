"""Pulls while people work: stops decided items, offers contested ones to more people, and prints lines of progress.

The server calls when somebody has answered (see `watch_bell`); where it cannot reach this machine, it is asked every so
many seconds. What was called is gathered: after a pull there is a pause at least as long as the pull took. Between two
pulls nothing is held, so that other commands may run beside; while one of them is at work the watch waits.
"""

from __future__ import annotations

import hmac
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from tashika.annotation.adjudicating.decisions import read_recorded
from tashika.annotation.judging.elsewhere import votes_elsewhere
from tashika.annotation.judging.judgments import shards
from tashika.annotation.judging.lock import BusyError, alone
from tashika.annotation.judging.people import read_salt
from tashika.annotation.judging.projects import find_project, find_projects
from tashika.annotation.judging.pull_all import pull_all
from tashika.annotation.judging.questionnaires import by_project
from tashika.annotation.judging.stopping import adapt, refuse_rule
from tashika.annotation.judging.watch_backups import Thinner
from tashika.annotation.judging.watch_bell import PATH, Bell, Never, Ringing
from tashika.annotation.judging.watch_line import Standing, standing
from tashika.annotation.labelling import Page
from tashika.annotation.labelstudio.account import Address
from tashika.annotation.labelstudio.client import Server
from tashika.annotation.labelstudio.hooks import Hooks
from tashika.annotation.settings import AnnotateSettings
from tashika.core.addresses import is_loopback
from tashika.core.errors import InputError, OutsideError
from tashika.core.progress import say, unseen
from tashika.core.suites.discovery import suite_argument
from tashika.core.workspace import Workspace

PAUSE_SECONDS = 3.0
"""Between two pulls at least; longer where a pull takes longer."""

UNCALLED_SECONDS = 60.0
"""After so long without a call the server is asked all the same: a call may be lost, and a proxy may swallow all."""

FAILED_SECONDS = 30.0
"""After the server has failed."""


@dataclass
class Watch:
    """A watch at work.

    Attributes:
        server: Where people answer.
        workspace: Where judgments go.
        pages: The projects.
        settings: Whether items are stopped early.
        copies: Keeps the copies few that pulling makes.
        before: How far it was after the last pull.
        adapted: What there was when the server was last brought to the votes.
    """

    server: Server
    workspace: Workspace
    pages: Sequence[Page]
    settings: AnnotateSettings
    copies: Thinner
    before: Standing | None = None
    adapted: tuple[int, int] | None = None

    def look(self) -> Standing:
        """Pulls, brings the server to what the votes ask for, and prints how far it is if that has changed.

        Raises:
            BusyError: Another command is at work.
            InputError: Nothing was pushed.
            OutsideError: The server failed.
        """
        with alone(self.workspace.annotation, patience=0):
            pass  # who is at work here is waited for in the pauses, with one line in place of one a pull
        with unseen():
            pull_all(self.server, self.workspace, self.pages, self.settings)
        self.copies.thin()
        answers = self._answers()
        if answers != self.adapted:  # whoever has pulled or recorded them
            self._adapt()
            self.adapted = answers
        now = standing(self.workspace, self.pages, self.settings)
        if now != self.before:
            say(now.line(self.before))
        self.before = now
        return now

    def _answers(self) -> tuple[int, int]:
        """What grows with each answer of people and with each decision of an adjudicator, who ends the votes too."""
        return len(shards(self.workspace)), len(read_recorded(self.workspace))

    def _adapt(self) -> None:
        with alone(self.workspace.annotation), unseen():
            identity = self.server.identity()
            for page in by_project(self.workspace, self.pages):
                projects = find_projects(self.server, self.workspace, page, identity)
                if projects and (self.settings.stops or self.settings.breaks_ties):
                    tasks = list(self.server.tasks(projects[0].project_id))
                    elsewhere = votes_elsewhere(self.workspace, page, self.settings, identity, projects)
                    adapt(self.server, page, tasks, *elsewhere.wanted_here(self.workspace, page, self.settings))


def watch(
    address: Address,
    workspace: Workspace,
    pages: Sequence[Page],
    settings: AnnotateSettings,
    *,
    every: float | None = None,
    until_complete: bool = False,
) -> Standing:
    """Pulls as people answer, until it is interrupted.

    Args:
        address: The server.
        workspace: Where the items lie.
        pages: The kinds.
        settings: Whether items are stopped early, and how many people judge one.
        every: Ask the server every so many seconds; None to have it call.
        until_complete: End when no more answers are wanted.

    Returns:
        How far the judging is at the end.

    Raises:
        InputError: Nothing was pushed, another watch is at work on this suite, or the server runs elsewhere and cannot
            call this machine.
        OutsideError: The server failed at the first pull; later failures are waited out.
    """
    if every is None and not is_loopback(address.url):
        hint = "Add --every 30: then this machine asks the server, every 30 seconds."
        raise InputError("the server runs elsewhere and cannot call this machine", where=address.url, hint=hint)
    for page in pages:
        refuse_rule(page, settings)
    server = Server(address)
    at_work = Watch(server, workspace, pages, settings, Thinner(workspace.annotation / "backups"))
    argument = suite_argument(workspace.suite)
    way = "the server calls when somebody answers" if every is None else f"the server is asked every {every:g} s"
    with _the_only_watch(workspace), ExitStack() as stack:
        bell = Never() if every is not None else stack.enter_context(_called(address, server, workspace, pages))
        say(f"watching {argument}: {way}; Ctrl-C ends it")
        try:
            return _repeat(at_work, bell, every or UNCALLED_SECONDS, until_complete=until_complete)
        except KeyboardInterrupt:
            say(f"watch ended; `tashika annotate vote {argument}` counts the votes")
            return at_work.before or standing(workspace, pages, settings)


def _repeat(at_work: Watch, bell: Ringing, seconds: float, *, until_complete: bool) -> Standing:
    busy = False
    while True:
        started, pause = time.monotonic(), PAUSE_SECONDS
        bell.quiet()  # before the pull: who answers during it rings again
        try:
            now = at_work.look()
            busy, waiting = False, seconds
            if until_complete and not now.open:
                say("complete: no more answers are wanted")
                return now
        except BusyError:
            if not busy:
                say("another annotate command is at work here; this watch waits for it")
            busy, waiting = True, 0.0
        except OutsideError as error:
            if at_work.before is None:
                raise
            say(f"{error}\n  Trying again in {FAILED_SECONDS:.0f} s.")
            pause, waiting = FAILED_SECONDS, 0.0
        time.sleep(max(pause, time.monotonic() - started))
        bell.wait(waiting)


@contextmanager
def _the_only_watch(workspace: Workspace) -> Iterator[None]:
    directory = workspace.annotation / "watch"
    with ExitStack() as stack:
        try:
            stack.enter_context(alone(directory, patience=0))
        except BusyError as error:
            hint = "End it first."
            raise InputError("another watch is at work on this suite", where=str(directory), hint=hint) from error
        yield


@contextmanager
def _called(address: Address, server: Server, workspace: Workspace, pages: Sequence[Page]) -> Iterator[Bell]:
    """Has the server call a bell while the block runs; calls that a killed watch left behind are removed first."""
    bell, hooks = Bell(_name(workspace)), Hooks(address)
    with bell.listening():
        for hook in hooks.all():
            if f"{PATH}{bell.name}/" in hook.url:
                hooks.remove(hook)
        made = []
        try:
            identity = server.identity()
            for page in by_project(workspace, pages):
                project = find_project(server, workspace, page, identity)
                if project:
                    made.append(hooks.add(project.project_id, bell.url, {}))
            yield bell
        finally:
            try:
                for hook in made:
                    hooks.remove(hook)
            except OutsideError as error:
                say(
                    "the server still calls this machine, where nothing listens; the next watch removes these calls: "
                    f"{error}"
                )


def _name(workspace: Workspace) -> str:
    """What the addresses of a workspace's watches have in common; the workspace cannot be told from it."""
    return hmac.digest(read_salt(workspace.annotation), f"watch {workspace.suite}".encode(), "sha256").hex()[:16]
