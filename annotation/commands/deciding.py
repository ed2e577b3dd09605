"""What the votes leave open: `undecided` lists it, `adjudicate` has somebody decide it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tashika.annotation.commands.shared import TokenOption, UrlOption, load_pages
from tashika.annotation.labelstudio.account import find_address
from tashika.core.audit import record as log
from tashika.core.counts import counted
from tashika.core.errors import InputError
from tashika.core.options import WORK, ConfigOption, DryRunOption, SuiteArgument, WorkOption
from tashika.core.progress import say
from tashika.core.workspace import Workspace

if TYPE_CHECKING:
    from tashika.annotation.labelling import Page


def undecided(
    suite: SuiteArgument,
    work: WorkOption = WORK,
    config: ConfigOption = None,
    csv: Annotated[
        Path | None,
        typer.Option("--csv", help="Write all of them into this file, to be filled in for `annotate adjudicate`."),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="How many are shown in the terminal.")] = 20,
) -> None:
    """List the items that the votes leave open: what they show, what people said, why, and what to do about them.

    It reads what `vote` has counted, and needs no server.
    """
    from tashika.annotation.adjudicating.choosing import is_counted
    from tashika.annotation.adjudicating.listing import open_lines, shown_items, write_open
    from tashika.annotation.adjudicating.reasons import advice, find_open, reason_lines
    from tashika.annotation.votes.verdicts import left_out

    settings, pages = load_pages(suite, config, work)
    workspace = Workspace(work, suite)
    items = find_open(workspace, pages, settings, workspace.read_verdicts())
    if not is_counted(workspace):
        say(f"judgments have come since the last count; `tashika annotate vote {workspace.argument}` counts them")
    for page in pages:
        if names := left_out(workspace, page.kind):
            say(f"{page.kind}: counted and shown without {', '.join(names)}")
    shown = shown_items(workspace, pages, (item.item_id for item in items))
    if csv is not None:
        write_open(csv, items, shown)
        say(f"{counted(len(items), 'undecided item')} written to {csv}")
        return
    if not items:
        typer.echo(f"nothing is undecided in {suite}")
        return
    more = len(items) - limit
    for line in open_lines(items[:limit], shown):
        typer.echo(line)
    if more > 0:
        typer.echo(f"and {more:,} more; --limit shows more, --csv FILE writes all of them")
    for line in reason_lines(items):
        typer.echo(line)
    typer.echo("What to do:")
    for line in advice(items, settings, workspace.arguments):
        typer.echo(f"  - {line}")


def adjudicate(  # noqa: PLR0913 - one argument an option
    suite: SuiteArgument,
    file: Annotated[
        Path | None,
        typer.Argument(
            help="A CSV file with the columns item_id, decision, text, name; others are not read.", show_default=False
        ),
    ] = None,
    push: Annotated[
        bool, typer.Option("--push", help="Bring the undecided items to an adjudicator in Label Studio.")
    ] = False,
    also_waiting: Annotated[
        bool, typer.Option("--also-waiting", help="With --push: also items on which answers are still awaited.")
    ] = False,
    name: Annotated[str, typer.Option("--name", help="With a file: who decided, where its lines do not say it.")] = "",
    work: WorkOption = WORK,
    config: ConfigOption = None,
    url: UrlOption = None,
    token: TokenOption = None,
    dry_run: DryRunOption = False,
) -> None:
    """Have one person decide what the votes leave open, in Label Studio or by a file; then run `vote`.

    With --push the undecided items go to a project of their own for each kind, "… adjudication". Its page is the kind's
    page with the votes, corrections and notes so far, without names; one person decides each item, and may skip it. A
    share of the accepted items goes along to check the votes (`[annotate.adjudication] audit`). `annotate pull` takes
    the decisions back. A second push adds what has become undecided since.

    With a file: the decision is accepted, rejected or undecided; the text, which may be empty, replaces the item's; the
    name goes into the verdict. Where people say what an item is, the text of what is accepted is its label, its labels
    with "|" between them, or its point. `annotate undecided --csv` writes such a file; lines without a decision
    are left out. Recording the same file twice changes nothing.
    """
    settings, pages = load_pages(suite, config, work)
    workspace = Workspace(work, suite)
    if push == (file is not None):
        raise InputError(
            "found both a file and --push" if push else "found neither a file nor --push",
            hint=f"`tashika annotate adjudicate {workspace.argument} --push` brings the items to Label Studio;\n"
            f"  `tashika annotate adjudicate {workspace.argument} FILE.csv` records the decisions of a file.",
        )
    if file is not None:
        _record(workspace, pages, file, name, dry=dry_run)
        return
    from tashika.annotation.adjudicating.push import push_adjudication
    from tashika.annotation.labelstudio.client import Server

    server = Server(find_address(work, url, token))
    pushed = push_adjudication(server, workspace, pages, settings, waiting=also_waiting, dry=dry_run)
    if pushed:
        log(workspace.base, "annotate-adjudicate-push", {"tasks": pushed})
        say(f"once they are decided, `tashika annotate pull {workspace.argument}` takes the decisions back")


def _record(workspace: Workspace, pages: list[Page], file: Path, name: str, *, dry: bool) -> None:
    from tashika.annotation.adjudicating.decision_file import adjudicate as record
    from tashika.annotation.adjudicating.decisions import twice_lines
    from tashika.annotation.judging.columns import strings

    kinds = {item_id: page for page in pages for item_id in strings(workspace.read_items(page.kind), "item_id")}
    recorded = record(workspace, file, kinds, name, dry=dry)
    blank = f", {counted(recorded.blank, 'line')} without a decision left out" if recorded.blank else ""
    if dry:
        say(f"would record {counted(recorded.new, 'new decision')}{blank}")
        return
    then = f"`tashika annotate vote {workspace.argument}` puts them into the verdicts"
    say(f"{counted(recorded.new, 'new decision')} recorded{blank}; {then}")
    for line in twice_lines(workspace):
        say(line)
