"""`tashika compare SUITE A B`: models side by side, on the items that all of them answered."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tashika.core.annotators import SIMULATED_RELEASE
from tashika.core.completing import complete_system
from tashika.core.errors import InputError
from tashika.core.options import WORK, SuiteArgument, WorkOption
from tashika.core.suites.discovery import suite_named

if TYPE_CHECKING:
    from tashika.core.workspace import Workspace
    from tashika.evaluate.comparing.logs import Log
    from tashika.evaluate.suite import Comparison

app = typer.Typer(help="Compare scored models item by item: differences, intervals, tests.")

SystemsArgument = Annotated[
    list[str] | None,
    typer.Argument(
        help="Systems: a folder under evaluate/, a model's name where one folder has it, or a log of another program, "
        "PATH or NAME=PATH: lm-eval's samples_*.jsonl, inspect's .json or .eval. Without any, all scored systems.",
        show_default=False,
        autocompletion=complete_system,
    ),
]
MeasureOption = Annotated[
    str | None,
    typer.Option(
        "--measure", help="Compare by this measure alone; a log's numbers stand for it. Default for logs: the first."
    ),
]
MetricOption = Annotated[
    str | None,
    typer.Option("--metric", help="The number that is taken from logs: acc_norm, or a scorer's name."),
]
FilterOption = Annotated[
    str | None, typer.Option("--filter", help="lm-eval's filter that is taken from logs, where they have several.")
]
CsvOption = Annotated[Path | None, typer.Option("--csv", help="Write the numbers as CSV.", show_default=False)]
JsonOption = Annotated[Path | None, typer.Option("--json", help="Write the numbers as JSON.", show_default=False)]
HtmlOption = Annotated[
    Path | None, typer.Option("--html", help="Write tables and figures as a page.", show_default=False)
]


@app.command()
def compare(  # noqa: PLR0913 - one argument an option
    suite: SuiteArgument,
    systems: SystemsArgument = None,
    measure: MeasureOption = None,
    metric: MetricOption = None,
    only: FilterOption = None,
    csv: CsvOption = None,
    json: JsonOption = None,
    html: HtmlOption = None,
    work: WorkOption = WORK,
) -> None:
    """Compare models item by item: differences with intervals, paired tests, Holm's correction, in words.

    Compared are the items that count for all the systems that are named; how many are left out for each is said.
    Systems scored on other releases, or with other settings, are refused with the reason. Logs of lm-eval and inspect
    are matched by item_id. The report of the suite has the same of all scored systems.
    """
    from tashika.core.workspace import Workspace
    from tashika.evaluate.comparing.logs import is_log
    from tashika.evaluate.comparing.systems import compare_named, find_folder, scored_folders

    workspace = Workspace(work, suite)
    comparison = _comparison(suite)
    named = systems or []
    logs = [_log(name, metric, only) for name in named if is_log(name)]
    if not logs and (metric or only):
        raise InputError(
            f"found {'--metric' if metric else '--filter'} without a log",
            hint="Both say what is taken from a log; --measure chooses among the numbers of scored systems.",
        )
    folders = [find_folder(workspace, name) for name in named if not is_log(name)]
    if not named:
        folders = scored_folders(workspace)
    if len(set(folders)) < len(folders):
        raise InputError("found the same system twice", hint="Name each system once.")
    _require_unchanged(workspace)
    side = compare_named(workspace, comparison, folders, logs, measure)
    from tashika.evaluate.comparing.tables import print_tables, write_comparison_json, write_csv

    print_tables(side)
    _say_simulated(workspace)
    if csv is not None:
        write_csv(csv, side)
    if json is not None:
        write_comparison_json(json, side)
    if html is not None:
        from tashika.evaluate.reporting.compared import write_comparison

        write_comparison(html, side, workspace)


def _comparison(suite: str) -> Comparison:
    """What the suite gives.

    Raises:
        InputError: It gives nothing: it is of a package that has no comparison.
    """
    comparison: Comparison | None = suite_named(suite).load("evaluate").comparison
    if comparison is None:
        raise InputError(
            f"the suite {suite} does not say how its systems are compared item by item",
            hint="Its package adds `comparison` to its `tashika.evaluate.suite.Evaluation`.",
        )
    return comparison


def _log(given: str, metric: str | None, only: str | None) -> Log:
    from tashika.evaluate.comparing.logs import read_log

    name, _, path = given.rpartition("=")
    if name and not Path(given).exists():
        return read_log(Path(path), metric, only, name)
    return read_log(Path(given), metric, only)


def _require_unchanged(workspace: Workspace) -> None:
    """Refuses to compare beside a release whose files were changed after its export; there may be none at all."""
    from tashika.evaluate.release_tables import RECORD_FILE, read_identity

    if (workspace.release / RECORD_FILE).is_file():
        read_identity(workspace.release, RECORD_FILE, "").require_unchanged()


def _say_simulated(workspace: Workspace) -> None:
    from tashika.core.files import read_object

    release = workspace.release / "release.json"
    if release.is_file() and read_object(release).get("simulated"):
        typer.echo(SIMULATED_RELEASE)
