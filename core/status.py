"""`tashika status`: what has been done in a working directory."""

from __future__ import annotations

import typer
from rich.console import Console
from rich.table import Table

from tashika.core.files import read_json
from tashika.core.options import WORK, WorkOption
from tashika.core.suites import SUITES

app = typer.Typer()


@app.command()
def status(work: WorkOption = WORK) -> None:
    """Show the finished stages of every suite, with their counts."""
    table = Table("suite", "stage", "seconds", "counts", title=str(work))
    for suite in SUITES:
        for manifest_file in sorted((work / suite).rglob("*.manifest.json")):
            manifest = read_json(manifest_file)
            counts = ", ".join(f"{name} {value}" for name, value in manifest["counts"].items())
            table.add_row(suite, manifest["stage"], str(manifest["seconds"]), counts)
    if table.row_count:
        Console().print(table)
    else:
        typer.echo(f"Nothing has been done in {work} yet. `tashika demo` shows the whole way.")
