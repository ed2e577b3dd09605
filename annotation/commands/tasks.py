"""Items out and answers in: `push`, `status`, `pull`, `watch`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from tashika.annotation.commands.shared import (
    TokenOption,
    UrlOption,
    load_pages,
    report_gold,
    report_gone,
    report_quota,
    report_undecided,
    show_measures,
    warn_of_mixing,
)
from tashika.annotation.labelstudio.account import find_address
from tashika.annotation.options import Accepted, Language, Order
from tashika.core.audit import file_digests, record
from tashika.core.errors import InputError, TashikaError
from tashika.core.inputs import keep_settings_file
from tashika.core.options import WORK, ConfigOption, DryRunOption, SuiteArgument, WorkOption
from tashika.core.progress import say
from tashika.core.workspace import Workspace

if TYPE_CHECKING:
    from tashika.annotation.judging.order import Scorer


def push(  # noqa: PLR0913 - one argument an option
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
    order: Annotated[
        Order | None,
        typer.Option(
            "--order",
            show_default=False,
            help="Which of the new items come to people first; by default what the settings say.",
        ),
    ] = None,
    scores: Annotated[
        Path | None,
        typer.Option(
            "--scores",
            show_default=False,
            help="With uncertain: a CSV or Parquet file with the columns item_id and entropy or probability.",
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            show_default=False,
            help="With uncertain or diverse: the folder of a masked or causal language model that reads the items.",
        ),
    ] = None,
    ask_again: Annotated[
        bool,
        typer.Option(
            "--ask-again",
            help="Ask people again what they have judged on a server, or in a project, that is gone. What was pulled "
            "stays; of a person, known by the e-mail address, the last answer counts.",
        ),
    ] = False,
    unfinished: Annotated[
        bool,
        typer.Option(
            "--unfinished",
            help="Where a server or a project is gone, ask only for the votes that items lack by what was pulled: "
            "who has judged an item there counts, and finished items are left out.",
        ),
    ] = False,
) -> None:
    """Bring the items to Label Studio, one project a kind (or questionnaire), each item once.

    Run it again after a build, or after it was cut off: it looks first at what is there and adds what is missing.
    The settings say for each kind whether all items go or a drawn sample.

    Where the settings have ties broken, a push after a pull offers the undecided items to one person more: whoever has
    not judged them and opens the project. Where they stop decided items early, or ask more people about contested ones
    (`stop_early`, `adaptive`), it brings the server to what the votes that were pulled ask for.

    New items come by their ids (`listed`), `shuffled`, with those first of which a model is least certain
    (`uncertain`), or with unlike ones first (`diverse`): by a model's last layer, or by their characters without one.

    Where the settings name a file of gold questions (`tashika annotate gold --help`), these are mixed in, and everybody
    is asked. With `training` in [annotate.gold] each kind has a second project, which shows people at once whether
    they are right.

    Where people's judgments were pulled from a server or a project that is gone, it refuses to ask everything again:
    `annotate restore` puts their answers back; `--unfinished` leaves out what has enough votes; `--ask-again` begins
    anew.
    """
    from tashika.annotation.gold.training import training_pages
    from tashika.annotation.judging.afresh import Again
    from tashika.annotation.judging.order import Ordering, read_scores
    from tashika.annotation.judging.push import push as push_items
    from tashika.annotation.labelstudio.client import Server

    settings, pages = load_pages(suite, config, work, language)
    workspace = Workspace(work, suite)
    if config is not None and not dry_run:
        keep_settings_file(workspace, config)
    every = [*pages, *training_pages(pages)]
    how = order or settings.order
    ordering = Ordering(how, settings.seed, read_scores(scores) if scores else None, _scorer(how, model, scores))
    server = Server(find_address(work, url, token))
    again = Again(ask_again, unfinished)
    push_items(server, workspace, every, settings, dry=dry_run, ordering=ordering, again=again)
    if not dry_run:
        pushed = workspace.pushed.glob("*.parquet")
        record(workspace.base, "annotate-push", digests=file_digests(workspace.base, pushed))
    report_gone(workspace, pages)


def _scorer(how: Order, model: str | None, scores: Path | None) -> Scorer | None:
    """What reads the items in order to sort them."""
    sorted_by = {"uncertain": ("--scores", "--model"), "diverse": ("--model",)}.get(how, ())
    for name, value in (("--scores", scores), ("--model", model)):
        if value is not None and name not in sorted_by:
            raise InputError(
                f"{name} has no part in the order {how!r}", hint="Leave it out, or choose another --order."
            )
    if model is None or (how == "uncertain" and scores is not None):
        return None
    from tashika.annotation.judging.order_model import open_scorer

    return open_scorer(model)


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
    from tashika.annotation.judging.stopping import saved_lines
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
    for line in (*lines, *saved_lines(workspace, pages, settings)):
        typer.echo(line)
    report_quota(workspace, settings)
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
    accept: Annotated[
        list[Accepted] | None,
        typer.Option(
            "--accept",
            show_default=False,
            help="Count what was held: answers to tasks that were changed in Label Studio (tasks), on a page that was "
            "changed there (page), or imported by you (imported). May be given several times.",
        ),
    ] = None,
    drop_retracted: Annotated[
        bool,
        typer.Option(
            "--drop-retracted",
            help="Withdraw what was pulled of answers that were emptied since, and of tasks that were deleted.",
        ),
    ] = False,
) -> None:
    """Fetch people's answers, check each, and add the new ones to the judgments.

    Label Studio stores whatever it is sent. An invalid answer (an unknown choice, an empty result, somebody
    else's name, a correction that breaks the item) is kept with its problem, counted, and is no vote. A copy of each
    export is kept in annotation/backups.

    Answers that nobody has saved, and answers to a task or on a page that is not what was pushed, are held: kept and
    no vote, until you accept them by name.

    Decisions of adjudicators in Label Studio are fetched too; `vote` puts them into the verdicts.
    """
    from tashika.annotation.judging.pull_all import pull_all
    from tashika.annotation.labelstudio.client import Server
    from tashika.annotation.words.responses import report_people

    settings, pages = load_pages(suite, config, work)
    workspace = Workspace(work, suite)
    server = Server(find_address(work, url, token))
    pull_all(server, workspace, pages, settings, frozenset(accept or ()), drop_retracted=drop_retracted)
    report_people(workspace, pages, settings)
    report_gold(workspace, pages, settings)
    warn_of_mixing(workspace)


def watch(
    suite: SuiteArgument,
    work: WorkOption = WORK,
    config: ConfigOption = None,
    url: UrlOption = None,
    token: TokenOption = None,
    every: Annotated[
        float | None,
        typer.Option(
            "--every",
            min=1.0,
            show_default=False,
            help="Ask the server every so many seconds, where it runs on another machine and cannot call this one.",
        ),
    ] = None,
    until_complete: Annotated[
        bool, typer.Option("--until-complete", help="End when no more answers are wanted.")
    ] = False,
) -> None:
    """Keep pulling while people work, and show how far they are and how well they agree.

    The server calls when somebody has answered: the answers are pulled, at most every few seconds. Where the settings
    stop decided items early or ask more people about contested ones, that is brought to the server at once, and ties
    are offered to one person more. A line shows what is new. Between two pulls nothing is held: other commands may run.

    Ctrl-C ends it. What was pulled is kept; of the copies of the answers that it makes, one in ten minutes is kept, and
    the last. What a killed watch leaves on the server, the next one removes.
    """
    from tashika.annotation.judging.watch import watch as keep_watching

    settings, pages = load_pages(suite, config, work)
    address = find_address(work, url, token)
    keep_watching(address, Workspace(work, suite), pages, settings, every=every, until_complete=until_complete)
