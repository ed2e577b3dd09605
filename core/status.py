"""`tashika status`: what has been done in a working directory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.table import Table

from tashika.core.errors import InputError
from tashika.core.files import read_json
from tashika.core.options import WORK, WorkOption
from tashika.core.progress import say
from tashika.core.stages import is_manifest, short
from tashika.core.suites.discovery import all_suites

app = typer.Typer()


@app.command()
def status(work: WorkOption = WORK) -> None:
    """Show the finished stages of every suite, with their counts."""
    damaged: list[Path] = []
    table = Table("suite", "stage", "seconds", "counts", title=str(work))
    known = list(all_suites())
    found = sorted(path.name for path in work.glob("*") if path.is_dir() and path.name not in known)
    for suite in [*known, *found]:
        for manifest_file in sorted((work / suite).rglob("*.manifest.json")):
            manifest = _manifest(manifest_file)
            if manifest is None:
                damaged.append(manifest_file)
                continue
            folder = manifest_file.parent.relative_to(work / suite).as_posix()
            stage = manifest["stage"] if folder == "." else f"{folder}: {manifest['stage']}"
            table.add_row(suite, stage, str(manifest["seconds"]), short(manifest["counts"]))
    if table.row_count:
        Console().print(table)
    else:
        typer.echo(f"Nothing has been done in {work} yet. `tashika demo` shows the whole way.")
    for file in damaged:
        say(f"{file} is damaged: the command that made this stage makes it again, as if it had not been done")


def _manifest(file: Path) -> dict[str, Any] | None:
    try:
        manifest: dict[str, Any] = read_json(file)
    except InputError:
        return None
    return manifest if is_manifest(manifest) else None
