"""How the judging goes, as a page: `report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tashika.annotation.commands.shared import load_pages
from tashika.core.options import WORK, ConfigOption, SuiteArgument, WorkOption
from tashika.core.progress import say
from tashika.core.workspace import Workspace


def report(
    suite: SuiteArgument,
    work: WorkOption = WORK,
    config: ConfigOption = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Where the page goes; by default annotation/report.html.", show_default=False),
    ] = None,
    contested: Annotated[int, typer.Option(min=0, help="How many contested items the page shows.")] = 50,
) -> None:
    """Write one page of HTML on how the judging goes, from what was pulled and counted; it needs no server.

    Progress by kind and annotator, answers and agreement over time, what is left at this pace, undecided items and why,
    contested items with their votes and notes. The page holds all it needs and may be sent to the team: annotators
    stand in it by their pseudonyms.
    """
    from tashika.annotation.reporting.page import report_file, write_report

    settings, pages = load_pages(suite, config, work)
    workspace = Workspace(work, suite)
    path = out or report_file(workspace)
    write_report(workspace, pages, settings, path, contested)
    say(f"written to {path}")
