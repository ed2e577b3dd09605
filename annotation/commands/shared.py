"""Options that commands of this room share, and what several of them print."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from tashika.annotation.labelstudio.account import TOKEN_VARIABLE, URL_VARIABLE
from tashika.annotation.options import Language
from tashika.core.files import read_json
from tashika.core.hints import completed
from tashika.core.progress import say
from tashika.core.workspace import Workspace

if TYPE_CHECKING:
    from tashika.annotation.labelling import Page
    from tashika.annotation.settings import AnnotateSettings

UrlOption = Annotated[
    str | None,
    typer.Option(
        "--url", envvar=URL_VARIABLE, help="The Label Studio server; by default the one that `annotate serve` started."
    ),
]
YesOption = Annotated[
    bool, typer.Option("--yes", help="Take it out; without this the command only lists what it would take out.")
]
WorkspaceOnlyOption = Annotated[
    bool,
    typer.Option(
        "--workspace-only",
        help="Leave the server alone, since it is gone. If it is not, the next pull brings its answers back.",
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


def load_pages(
    suite: str, config: Path | None, work: Path, language: Language | None = None
) -> tuple[AnnotateSettings, list[Page]]:
    """Reads the settings of a suite, and gives them with the pages of the kinds that people judge.

    The pages hold what the file of gold questions says, if the settings name one.

    Args:
        suite: Its name or file.
        config: The settings; None for those of the build.
        work: The working directory.
        language: Of the pages; None for that of the settings.
    """
    settings, pages = load_plain_pages(suite, config, work, language)
    if settings.gold.file is not None:
        from tashika.annotation.gold.file import with_gold

        pages = with_gold(Workspace(work, suite), pages, settings, config)
    return settings, pages


def load_plain_pages(
    suite: str, config: Path | None, work: Path, language: Language | None = None
) -> tuple[AnnotateSettings, list[Page]]:
    """As `load_pages`, without looking at the file of gold questions."""
    from tashika.annotation.labelling import pages_at_hand, pages_of
    from tashika.annotation.settings import AnnotateSettings
    from tashika.core.inputs import load_settings

    workspace = Workspace(work, suite)
    settings = load_settings(workspace, "annotate", AnnotateSettings, config)
    if language is not None:
        settings = settings.model_copy(update={"language": language})
    return settings, pages_at_hand(workspace, pages_of(suite, settings))


def show_measures(workspace: Workspace, pages: list[Page]) -> None:
    """Prints what the count of the votes measured: rules, agreement, people, accuracy, what people say items are."""
    from tashika.annotation.adjudicating.audit import audit_lines
    from tashika.annotation.quality.sharing import sharing_lines
    from tashika.annotation.quality.tables import agreement_table, annotator_table, choice_lines
    from tashika.annotation.votes.answers import accuracy_lines
    from tashika.annotation.votes.form_summaries import form_lines
    from tashika.annotation.votes.pairwise import kappa_table
    from tashika.annotation.votes.verdicts import VALIDATION

    summary = workspace.annotation / VALIDATION
    summary_by_kind = read_json(summary) if summary.exists() else {}
    kinds = [page.kind for page in pages]
    for make in (agreement_table, kappa_table, annotator_table):
        table = make(summary_by_kind, kinds)
        if table:
            Console().print(table)
    measures = (choice_lines, sharing_lines, accuracy_lines, form_lines, audit_lines)
    for line in (line for make_lines in measures for line in make_lines(summary_by_kind, kinds)):
        typer.echo(line)


def report_gold(workspace: Workspace, pages: list[Page], settings: AnnotateSettings) -> None:
    """Says who missed too many gold questions, and how far people are with the training."""
    from tashika.annotation.gold.check import gold_lines
    from tashika.annotation.gold.trained import training_lines
    from tashika.annotation.gold.training import training_pages

    for line in (*gold_lines(workspace, pages, settings), *training_lines(workspace, training_pages(pages))):
        say(line)


def report_quota(workspace: Workspace, settings: AnnotateSettings) -> None:
    """Says who has judged as many items as a person shall."""
    from tashika.annotation.judging.roster import Roster
    from tashika.annotation.judging.who import quota_lines, who_did_what

    if settings.quota:
        for line in quota_lines(who_did_what(workspace, Roster()), settings.quota, pseudonyms=True):
            typer.echo(line)


def report_gone(workspace: Workspace, pages: list[Page]) -> None:
    """Says which answers and adjudications the pages do not have any more, and which items were decided twice."""
    from tashika.annotation.adjudicating.decisions import twice_lines
    from tashika.annotation.adjudicating.lost import lost_lines
    from tashika.annotation.votes.gone import gone_lines

    for line in (*gone_lines(workspace, pages), *lost_lines(workspace, pages), *twice_lines(workspace)):
        say(line)


def report_undecided(workspace: Workspace, pages: list[Page], settings: AnnotateSettings) -> None:
    """Prints why items are undecided by the last count of the votes, and where they are listed; nothing before it."""
    from tashika.annotation.adjudicating.reasons import find_open, reason_lines

    if not workspace.verdict_file.exists():
        return
    lines = reason_lines(find_open(workspace, pages, settings, workspace.read_verdicts()))
    for line in lines:
        typer.echo(completed(line))
    if lines:
        typer.echo(f"`tashika annotate undecided {workspace.arguments}` lists them and says what to do")


def warn_of_mixing(workspace: Workspace) -> None:
    """Says if people's judgments lie beside simulated ones."""
    from tashika.annotation.judging.mixing import mixed_line

    line = mixed_line(workspace)
    if line:
        say(line)
