"""Simulated annotators, in and out: `simulate`, `forget-simulated`."""

from __future__ import annotations

from typing import Annotated

import typer

from tashika.annotation.commands.shared import (
    TokenOption,
    UrlOption,
    WorkspaceOnlyOption,
    YesOption,
    load_pages,
)
from tashika.annotation.labelstudio.account import find_address
from tashika.core.audit import record
from tashika.core.options import WORK, ConfigOption, DryRunOption, SuiteArgument, WorkOption
from tashika.core.suites.discovery import suite_named
from tashika.core.workspace import Workspace


def simulate(
    suite: SuiteArgument,
    work: WorkOption = WORK,
    config: ConfigOption = None,
    url: UrlOption = None,
    token: TokenOption = None,
    despite_accounts: Annotated[
        bool,
        typer.Option(
            "--despite-accounts",
            help="Simulate although people have accounts on the server: none of them will answer in this suite's "
            "projects. Where one has answered it refuses all the same.",
        ),
    ] = False,
) -> None:
    """Rehearse with simulated annotators: programs that answer through the server as people do.

    Their number, error rates and seed stand in the settings; what they take for true is a simple rule of the suite.
    Whatever they touch says "simulated", up to the dataset card.

    It refuses where people have judged items of the suite, in this working directory or on the server, and where people
    have accounts on the server. `annotate forget-simulated` takes a simulation out again.
    """
    from tashika.annotation.judging.simulate import simulate as run

    settings, pages = load_pages(suite, config, work)
    workspace = Workspace(work, suite)
    run(find_address(work, url, token), workspace, pages, settings, despite_accounts=despite_accounts)
    record(workspace.base, "annotate-simulate")


def forget_simulated(
    suite: SuiteArgument,
    work: WorkOption = WORK,
    url: UrlOption = None,
    token: TokenOption = None,
    yes: YesOption = False,
    workspace_only: WorkspaceOnlyOption = False,
    dry_run: DryRunOption = False,
) -> None:
    """Take out what simulated annotators answered, on the server and in the working directory.

    On the server: their answers in the suite's projects, and their accounts, unless these answered in projects of
    another suite. In the working directory: their judgments, imported ones too, what they answered in trainings, and
    the verdicts that they have a part in; `annotate vote` then counts the rest. The judgments of people stay as they
    are. A copy of what the server had is kept in annotation/backups. An interrupted run is completed by the next one.
    """
    from tashika.annotation.judging.forget import forget_simulated as run
    from tashika.annotation.labelstudio.client import Server

    suite_named(suite)
    server = None if workspace_only else Server(find_address(work, url, token))
    workspace = Workspace(work, suite)
    if run(server, workspace, yes=yes, dry=dry_run) and not dry_run:
        record(workspace.base, "annotate-forget-simulated")
