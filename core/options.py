"""Options that several commands share, with their environment variables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tashika.core.completing import complete_suite


def _opened(reference: str) -> str:
    from tashika.core.suites.discovery import open_suite  # looks at what is installed

    return open_suite(reference).name


SuiteArgument = Annotated[
    str,
    typer.Argument(
        help="The suite: a name such as myriadlama, or the file of one of your own, such as riddles.toml.",
        show_default=False,
        callback=_opened,
        autocompletion=complete_suite,
    ),
]

OptionalSuiteArgument = Annotated[
    str | None,
    typer.Argument(
        help="The suite: a name or a suite file; without it all of the working directory.",
        show_default=False,
        callback=lambda reference: reference and _opened(reference),
        autocompletion=complete_suite,
    ),
]

WorkOption = Annotated[
    Path,
    typer.Option("--work", envvar="TASHIKA_WORK", help="Where everything that is made lies, one folder a suite."),
]

ConfigOption = Annotated[
    Path | None,
    typer.Option(
        "--config",
        envvar="TASHIKA_CONFIG",
        help="Settings in TOML, or `paper` for those of the suite's paper where it has them; without it those of the "
        "build before, else the suite's published ones.",
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
        help="Take no option from the build before: what is left out is the packaged data and the packaged settings.",
    ),
]

SparqlUrlOption = Annotated[
    str | None,
    typer.Option(
        "--sparql-url",
        envvar="TASHIKA_SPARQL_URL",
        show_default=False,
        help="A SPARQL endpoint with Wikidata's vocabulary; without it, the bundled snapshot.",
    ),
]

FormerEndpointOption = Annotated[str | None, typer.Option("--endpoint", envvar="TASHIKA_ENDPOINT", hidden=True)]
"""What `--sparql-url` was called: elsewhere `--endpoint` is a language model's."""

UserAgentOption = Annotated[
    str | None,
    typer.Option(envvar="TASHIKA_USER_AGENT", help="The User-Agent; public endpoints require a contact in it."),
]

LlmUrlOption = Annotated[
    str | None,
    typer.Option(
        "--llm-url", envvar="TASHIKA_LLM_URL", help="An OpenAI-compatible endpoint; its key in TASHIKA_LLM_KEY."
    ),
]

LlmModelOption = Annotated[
    str | None, typer.Option("--llm-model", envvar="TASHIKA_LLM_MODEL", help="The model's name at that endpoint.")
]

DryRunOption = Annotated[
    bool, typer.Option("--dry-run", help="Say what would be done and what it would cost, and do nothing.")
]

WORK = Path("work")


def renamed_option(name: str, value: str | None, former: str, former_value: str | None) -> str | None:
    """The value of an option that has a new name; one under its former name still counts, and the new name is said.

    Args:
        name: Of the option now, with `_` for `-`.
        value: Under this name.
        former: Its former name.
        former_value: Under that one.
    """
    if value is not None or former_value is None:
        return value
    from tashika.core.progress import say  # most options are only listed

    now, before = (f"--{word.replace('_', '-')}" for word in (name, former))
    say(f"{before} (TASHIKA_{former.upper()}) of this command is called {now} (TASHIKA_{name.upper()}) now")
    return former_value
