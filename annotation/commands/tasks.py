"""Items out and answers in: `push`, `status`, `pull`."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from tashika.annotation.commands.shared import (
    TokenOption,
    UrlOption,
    load_pages,
    report_gold,
    report_gone,
    report_undecided,
    show_measures,
    warn_of_mixing,
)
from tashika.annotation.labelstudio.account import find_address
from tashika.annotation.settings import Language
from tashika.core.errors import TashikaError
from tashika.core.options import WORK, ConfigOption, DryRunOption, SuiteArgument, WorkOption
from tashika.core.progress import say
from tashika.core.workspace import Workspace


def push(
    suite: SuiteArgument,
    work: WorkOption = WORK,
    config: ConfigOption = None,
    url: UrlOption = None,
    token: TokenOption = None,
    language: Annotated[
        Language | None,
        typer.Option(show_default=False, help="Of the pages and guidelines; by default as the settings say (en)."),
    ] = None,
    dry_run: DryRunOption = False,
) -> None:
    """Bring the items to Label Studio, one project a kind (or questionnaire), each item once.

    Run it again after a build, or after it was cut off: it looks first at what is there and adds what is missing.
    The settings say for each kind whether all items go or a drawn sample.

    Where the settings have ties broken, a push after a pull offers the undecided items to one person more: whoever has
    not judged them and opens the project.
    """
    from tashika.annotation.judging.push import push as push_items
    from tashika.annotation.labelstudio.client import Server

    settings, pages = load_pages(suite, config, work, language)
    workspace = Workspace(work, suite)
    push_items(Server(find_address(work, url, token)), workspace, pages, settings, dry=dry_run)
    report_gone(workspace, pages)


def status(
    suite: SuiteArgument,
    work: WorkOption = WORK,
    config: ConfigOption = None,
    url: UrlOption = None,
    token: TokenOption = None,
) -> None:
    """Show how many items are pushed, answered and complete, who did how many, and what waits for one person more.

    Without a server it shows what was pulled.
    """
    from tashika.annotation.adjudicating.push import waiting_lines
    from tashika.annotation.judging.status import status_tables, tie_lines
    from tashika.annotation.labelstudio.client import Server

    settings, pages = load_pages(suite, config, work)
    workspace = Workspace(work, suite)
    try:
        server = Server(find_address(work, url, token))
        tables = status_tables(workspace, pages, settings, server)
        lines = [*tie_lines(workspace, pages, settings, server), *waiting_lines(server, pages)]
    except TashikaError as error:
        tables = status_tables(workspace, pages, settings, None)
        lines = tie_lines(workspace, pages, settings, None)
        say(f"the server's numbers are missing: {error}")
    console = Console()
    for table in tables:
        console.print(table)
    for line in lines:
        typer.echo(line)
    report_gone(workspace, pages)
    report_gold(workspace, pages, settings)
    show_measures(workspace, pages)
    report_undecided(workspace, pages, settings)


def pull(
    suite: SuiteArgument,
    work: WorkOption = WORK,
    config: ConfigOption = None,
    url: UrlOption = None,
    token: TokenOption = None,
) -> None:
    """Fetch people's answers, check each, and add the new ones to the judgments.

    Label Studio stores whatever it is sent. An answer that is none (an unknown choice, an empty result, somebody
    else's name, a correction that breaks the item) is kept with its problem, counted, and not voted. A copy of each
    export is kept in annotation/backups.

    What adjudicators decided in Label Studio comes along, and `vote` puts it into the verdicts.
    """
    from tashika.annotation.adjudicating.pull import pull_adjudications
    from tashika.annotation.judging.pull import pull as pull_answers
    from tashika.annotation.labelstudio.client import Server
    from tashika.annotation.words.responses import report_people

    settings, pages = load_pages(suite, config, work)
    workspace = Workspace(work, suite)
    server = Server(find_address(work, url, token))
    pull_answers(server, workspace, pages)
    pull_adjudications(server, workspace, pages)
    report_people(workspace, pages, settings)
    report_gold(workspace, pages, settings)
    warn_of_mixing(workspace)
