"""A person who has withdrawn consent: `forget`."""

from __future__ import annotations

from typing import Annotated

import typer

from tashika.annotation.commands.shared import TokenOption, UrlOption, WorkspaceOnlyOption, YesOption
from tashika.annotation.labelstudio.account import find_address
from tashika.core.options import WORK, DryRunOption, SuiteArgument, WorkOption
from tashika.core.suites.discovery import suite_named
from tashika.core.workspace import Workspace


def forget(
    suite: SuiteArgument,
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            show_default=False,
            help="A pseudonym, an e-mail address, or the name of an invitation or of an adjudicator.",
        ),
    ],
    work: WorkOption = WORK,
    url: UrlOption = None,
    token: TokenOption = None,
    yes: YesOption = False,
    workspace_only: WorkspaceOnlyOption = False,
    dry_run: DryRunOption = False,
) -> None:
    """Forget a person who has withdrawn consent: answers, decisions, drafts, pseudonyms and address.

    On the server: the answers in the suite's projects, trainings and adjudications, and the account, unless it has
    answers in projects of another suite. In the working directory: the judgments and decisions, the copies of the
    pulls, the lists of people, and what was counted; `annotate vote` then counts the rest. The log keeps how many, and
    no name. There is no way back. Releases that still have the judgments are named, with what to do.

    To count without somebody whose answers stay: `tashika annotate vote SUITE --leave-out ANNOTATOR`.
    """
    from tashika.annotation.judging.forget_person import forget_person
    from tashika.annotation.labelstudio.client import Server

    suite_named(suite)
    server = None if workspace_only else Server(find_address(work, url, token))
    forget_person(server, Workspace(work, suite), name, yes=yes, dry=dry_run)
