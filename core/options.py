"""Options that several commands share, with their environment variables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

SuiteArgument = Annotated[str, typer.Argument(help="The suite, such as myriadlama.", show_default=False)]

WorkOption = Annotated[
    Path,
    typer.Option("--work", envvar="TASHIKA_WORK", help="Where everything that is made lies, one folder a suite."),
]

ConfigOption = Annotated[
    Path | None,
    typer.Option(
        "--config",
        envvar="TASHIKA_CONFIG",
        help="Settings in TOML; without it those of the build before, else the suite's published ones.",
    ),
]

ChangeInputsOption = Annotated[
    bool,
    typer.Option(
        "--change-inputs",
        help="Let other inputs replace those of the build before though its items were pushed or judged.",
    ),
]

ForgetInputsOption = Annotated[
    bool,
    typer.Option(
        "--forget-inputs",
        help="Take no option from the build before: what is left out is the packaged data and the published settings.",
    ),
]

DryRunOption = Annotated[
    bool, typer.Option("--dry-run", help="Say what would be done and what it would cost, and do nothing.")
]

WORK = Path("work")
