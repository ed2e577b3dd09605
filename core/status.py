"""`tashika status`: what has been done in a working directory."""

from __future__ import annotations

import typer
from rich.console import Console
from rich.table import Table

from tashika.core.files import read_json
from tashika.core.options import WORK, WorkOption
from tashika.core.stages import short
from tashika.core.suites.discovery import all_suites

app = typer.Typer()


@app.command()
def status(work: WorkOption = WORK) -> None:
    """Show the finished stages of every suite, with their counts."""
    table = Table("suite", "stage", "seconds", "counts", title=str(work))
    known = list(all_suites())
    found = sorted(path.name for path in work.glob("*") if path.is_dir() and path.name not in known)
    for suite in [*known, *found]:
        for manifest_file in sorted((work / suite).rglob("*.manifest.json")):
            manifest = read_json(manifest_file)
            folder = manifest_file.parent.relative_to(work / suite).as_posix()
            stage = manifest["stage"] if folder == "." else f"{folder}: {manifest['stage']}"
            table.add_row(suite, stage, str(manifest["seconds"]), short(manifest["counts"]))
    if table.row_count:
        Console().print(table)
    else:
        typer.echo(f"Nothing has been done in {work} yet. `tashika demo` shows all steps.")
