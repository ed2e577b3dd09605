"""`tashika annotate`: candidates to people, and their judgments back."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from tashika.annotation.judging.columns import strings
from tashika.annotation.labelling import Page, WordsPage, pages_at_hand, pages_of, words_pages
from tashika.annotation.labelstudio.account import TOKEN_VARIABLE, URL_VARIABLE, find_address, local_data
from tashika.annotation.settings import AnnotateSettings
from tashika.core.errors import InputError, TashikaError
from tashika.core.files import read_json
from tashika.core.inputs import load_settings
from tashika.core.options import WORK, ConfigOption, DryRunOption, SuiteArgument, WorkOption
from tashika.core.progress import say
from tashika.core.suites.discovery import suite_named
from tashika.core.workspace import Workspace

app = typer.Typer(no_args_is_help=True)

UrlOption = Annotated[
    str | None,
    typer.Option(
        "--url", envvar=URL_VARIABLE, help="The Label Studio server; by default the one that `annotate serve` started."
    ),
]
TokenOption = Annotated[
    str | None,
    typer.Option(
        "--token",
        envvar=TOKEN_VARIABLE,
        show_default=False,
        help="Its API token. Better set the variable: others on the machine can read a command line.",
    ),
]


@app.callback()
def annotate() -> None:
    """Let several people judge every candidate in Label Studio, and count their votes.

    The order of the work: serve (in a terminal of its own), invite (a link for each annotator), push, people answer
    in the browser, status, pull, vote. Push and pull may be repeated at any time: nothing is doubled.
    """


def _load(suite: str, config: Path | None, work: Path) -> tuple[AnnotateSettings, list[Page]]:
    workspace = Workspace(work, suite)
    settings = load_settings(workspace, "annotate", AnnotateSettings, config)
    return settings, pages_at_hand(workspace, pages_of(suite, settings))


def _show_measures(workspace: Workspace, pages: list[Page]) -> None:
    from tashika.annotation.votes.answers import accuracy_lines
    from tashika.annotation.votes.form_summaries import form_lines
    from tashika.annotation.votes.pairwise import kappa_table
    from tashika.annotation.votes.verdicts import VALIDATION

    summary = workspace.annotation / VALIDATION
    summary_by_kind = read_json(summary) if summary.exists() else {}
    table = kappa_table(summary_by_kind, [page.kind for page in pages])
    if table:
        Console().print(table)
    kinds = [page.kind for page in pages]
    for line in (*accuracy_lines(summary_by_kind, kinds), *form_lines(summary_by_kind, kinds)):
        typer.echo(line)


def _report_gold(workspace: Workspace, pages: list[Page], settings: AnnotateSettings) -> None:
    from tashika.annotation.votes.gold import gold_lines

    for line in gold_lines(workspace, pages, settings):
        say(line)


def _report_gone(workspace: Workspace, pages: list[Page]) -> None:
    from tashika.annotation.votes.gone import gone_lines

    for line in gone_lines(workspace, pages):
        say(line)


def _warn_of_mixing(workspace: Workspace) -> None:
    from tashika.annotation.judging.mixing import mixed_line

    line = mixed_line(workspace)
    if line:
        say(line)


@app.command()
def serve(
    work: WorkOption = WORK,
    port: Annotated[
        int | None,
        typer.Option(
            min=1, max=65535, show_default=False, help="The port; by default the last one used, or a free one."
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            show_default=False, help="Where its database lies; by default label-studio in the work directory."
        ),
    ] = None,
) -> None:
    """Run a Label Studio of your own on this machine until Ctrl-C.

    It keeps its data in SQLite, listens to 127.0.0.1 alone, and lets nobody sign up without an invitation. The first
    start makes an administrator; password and token lie in account.json beside the data. The other commands find
    them there, so nothing needs to be set.
    """
    from tashika.annotation.labelstudio import server

    server.serve(data or local_data(work), port)


@app.command()
def invite(work: WorkOption = WORK, url: UrlOption = None, token: TokenOption = None) -> None:
    """Print the link with which a person makes an account of their own on the server.

    Each annotator needs one: votes are counted by account. Whoever has an account can see and change everything on
    the server, so give the link only to people you trust, and pull often: each pull keeps a copy.
    """
    from tashika.annotation.labelstudio.client import Server

    typer.echo(Server(find_address(work, url, token)).invitation())


@app.command()
def push(
    suite: SuiteArgument,
    work: WorkOption = WORK,
    config: ConfigOption = None,
    url: UrlOption = None,
    token: TokenOption = None,
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

    settings, pages = _load(suite, config, work)
    workspace = Workspace(work, suite)
    push_items(Server(find_address(work, url, token)), workspace, pages, settings, dry=dry_run)
    _report_gone(workspace, pages)


@app.command()
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
    from tashika.annotation.judging.status import status_tables, tie_lines
    from tashika.annotation.labelstudio.client import Server

    settings, pages = _load(suite, config, work)
    workspace = Workspace(work, suite)
    try:
        server = Server(find_address(work, url, token))
        tables = status_tables(workspace, pages, settings, server)
        lines = tie_lines(workspace, pages, settings, server)
    except TashikaError as error:
        tables = status_tables(workspace, pages, settings, None)
        lines = tie_lines(workspace, pages, settings, None)
        say(f"the server's numbers are missing: {error}")
    console = Console()
    for table in tables:
        console.print(table)
    for line in lines:
        typer.echo(line)
    _report_gone(workspace, pages)
    _report_gold(workspace, pages, settings)
    _show_measures(workspace, pages)


@app.command()
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
    """
    from tashika.annotation.judging.pull import pull as pull_answers
    from tashika.annotation.labelstudio.client import Server
    from tashika.annotation.words.responses import report_people

    settings, pages = _load(suite, config, work)
    workspace = Workspace(work, suite)
    pull_answers(Server(find_address(work, url, token)), workspace, pages)
    report_people(workspace, pages, settings)
    _report_gold(workspace, pages, settings)
    _warn_of_mixing(workspace)


@app.command()
def vote(
    suite: SuiteArgument,
    work: WorkOption = WORK,
    config: ConfigOption = None,
    leave_out_careless: Annotated[
        bool,
        typer.Option(
            "--leave-out-careless",
            help="Do not count the answers of people who missed more of the control questions than the settings allow.",
        ),
    ] = False,
) -> None:
    """Count the votes of what was pulled: verdicts.parquet and validation.json.

    One vote a person, the latest; a strict majority decides; a tie, or fewer votes than the settings ask for, leaves
    the item undecided. A correction is taken over if most of the item's supporters gave it, and at least two.

    Where people answer in words nothing is voted: their answers are read and written to responses.parquet. Where they
    say what an item is (a label, a rating, a preference, a text) that is written to answers.parquet.
    """
    from tashika.annotation.judging.status import tie_lines
    from tashika.annotation.votes.verdicts import count_votes

    settings, pages = _load(suite, config, work)
    if leave_out_careless and not any(page.gold_column for page in pages):
        _asking_for_words(suite, pages)
    workspace = Workspace(work, suite)
    count_votes(workspace, pages, settings, without_careless=leave_out_careless)
    for line in tie_lines(workspace, pages, settings, None):
        say(line)
    _report_gone(workspace, pages)
    _report_gold(workspace, pages, settings)
    _warn_of_mixing(workspace)
    _show_measures(workspace, pages)


def _asking_for_words(suite: str, pages: list[Page]) -> WordsPage:
    with_words = words_pages(pages)
    if not with_words:
        raise InputError(f"nobody is asked for words in {suite}, and so there are no control questions or responses")
    return with_words[0]


@app.command("import-responses")
def import_responses(
    suite: SuiteArgument,
    file: Annotated[
        Path,
        typer.Argument(help="A published response file: target, relation, prompt, four lists.", show_default=False),
    ],
    work: WorkOption = WORK,
    config: ConfigOption = None,
    simulated: Annotated[
        bool, typer.Option("--simulated", help="Its answers are a program's: call them simulated wherever they show.")
    ] = False,
) -> None:
    """Take over the answers of a published response file as judgments; then run `vote`.

    Answers belong to the items of the same target, relation and prompt; what has none here is counted and left out.
    The file does not record who answered, so its annotators are positions (published-3f2a9c-1 and on), no persons; the
    digits are those of the file's content. Importing the same content twice changes nothing, also under another name;
    other content is taken for answers of other people, which count beside the first.
    """
    _, pages = _load(suite, config, work)
    page = _asking_for_words(suite, pages)
    if page.take_over is None:
        raise InputError(f"no published answers to {page.kind} items of {suite} can be read")
    page.take_over(Workspace(work, suite), page, file, simulated)


@app.command()
def adjudicate(
    suite: SuiteArgument,
    file: Annotated[Path, typer.Argument(help="A CSV file with the columns item_id, decision, text, name.")],
    work: WorkOption = WORK,
    config: ConfigOption = None,
) -> None:
    """Record decisions of a named person, which win over the vote; then run `vote`.

    The decision is accepted, rejected or undecided; the text, which may be empty, replaces the item's; the name goes
    into the verdict. Where people say what an item is, the text of what is accepted is its label, its labels with "|"
    between them, or its point. Recording the same file twice changes nothing.
    """
    from tashika.annotation.votes.adjudication import adjudicate as record

    _, pages = _load(suite, config, work)
    workspace = Workspace(work, suite)
    kinds = {item_id: page for page in pages for item_id in strings(workspace.read_items(page.kind), "item_id")}
    count = record(workspace, file, kinds)
    say(f"{count:,} new decisions recorded; `tashika annotate vote {workspace.argument}` puts them into the verdicts")


@app.command()
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

    settings, pages = _load(suite, config, work)
    run(find_address(work, url, token), Workspace(work, suite), pages, settings, despite_accounts=despite_accounts)


@app.command("forget-simulated")
def forget_simulated(
    suite: SuiteArgument,
    work: WorkOption = WORK,
    url: UrlOption = None,
    token: TokenOption = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="Take it out; without this the command only lists what it would take out.")
    ] = False,
    workspace_only: Annotated[
        bool,
        typer.Option(
            "--workspace-only",
            help="Leave the server alone, since it is gone. If it is not, the next pull brings its answers back.",
        ),
    ] = False,
    dry_run: DryRunOption = False,
) -> None:
    """Take out what simulated annotators answered, on the server and in the working directory.

    On the server: their answers in the suite's projects, and their accounts, unless these answered in projects of
    another suite. In the working directory: their judgments, imported ones too, and the verdicts that they have a part
    in; `annotate vote` then counts the rest. The judgments of people stay as they are. A copy of what the server had is
    kept in annotation/backups. An interrupted run is completed by the next one.
    """
    from tashika.annotation.judging.forget import forget_simulated as run
    from tashika.annotation.labelstudio.client import Server

    suite_named(suite)
    server = None if workspace_only else Server(find_address(work, url, token))
    run(server, Workspace(work, suite), yes=yes, dry=dry_run)
