"""`tashika build proverbs`: pairs of proverbs that should mean the same, with their questions.

What a call needs is imported when it runs, so that `--help` is quick.
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from tashika.builders.suite import Build
from tashika.core.addresses import require_address
from tashika.core.options import (
    WORK,
    ChangeInputsOption,
    ConfigOption,
    DryRunOption,
    ForgetInputsOption,
    LlmModelOption,
    LlmUrlOption,
    WorkOption,
)
from tashika.core.progress import say
from tashika.core.workspace import Workspace

if TYPE_CHECKING:
    from tashika.builders.proverbs.settings import BuildSettings, Inputs
    from tashika.builders.proverbs.stages import Proverbs

SUITE: Final = "proverbs"


def command(  # noqa: PLR0913 - one argument an option
    work: WorkOption = WORK,
    config: ConfigOption = None,
    proverbs: Annotated[
        Path | None, typer.Option(help="A CSV file of proverbs in place of ours: text, topics.", show_default=False)
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="The most pairs of a topic.", show_default=False)] = None,
    llm_url: LlmUrlOption = None,
    llm_model: LlmModelOption = None,
    change_inputs: ChangeInputsOption = False,
    forget_inputs: ForgetInputsOption = False,
    dry_run: DryRunOption = False,
) -> None:
    """Build pairs of proverbs: a proverb, a variant that should mean the same, and a question about each.

    Gender is swapped by a table of words. The variants of wisdom and society are those of the list, or a language
    model's. A finished step is not repeated; an interrupted one resumes.
    """
    from tashika.builders.proverbs.settings import Inputs
    from tashika.builders.proverbs.stages import Proverbs
    from tashika.builders.sources.serving import OnDemand, small_llm
    from tashika.core.inputs import take_inputs
    from tashika.core.llm import Llm

    require_address(llm_url, "http://127.0.0.1:8000/v1")
    workspace = Workspace(work, SUITE)
    given = Inputs(config=config, proverbs=proverbs, limit=limit, llm_url=llm_url, llm_model=llm_model)
    inputs = take_inputs(workspace, given, change=change_inputs, forget=forget_inputs)
    settings = _settings(inputs.options)
    with ExitStack() as stack:
        server = stack.enter_context(OnDemand(lambda: small_llm(work)))
        llm = Llm(settings.llm, settings.llm.url or server.url, workspace.cache / "llm")
        builder = Proverbs(workspace, settings, llm)
        if dry_run:
            _announce(builder)
            return
        with inputs.remembered():
            builder.build()
    _print_statistics(builder)


def _settings(inputs: Inputs) -> BuildSettings:
    """The settings with what the options give in place of the file's.

    A model that the options name is asked before the written variants are taken.
    """
    from tashika.builders.proverbs.settings import BuildSettings
    from tashika.core.settings import load_section, overridden

    settings = load_section(SUITE, "build", BuildSettings, inputs.config)
    given: dict[str, Any] = {
        "proverbs": str(inputs.proverbs) if inputs.proverbs else None,
        "pairs_per_topic": inputs.limit,
        "llm": {"url": inputs.llm_url, "model": inputs.llm_model},
    }
    if inputs.llm_url:
        given["llm"]["api"] = "chat"
        given["variants"] = {"mode": "many", "use": sorted(settings.variants.use)}  # "model" before "written"
        say("LLM: asked first, as a chat model, for several variants at once; other ways go into --config")
    return overridden(settings, given)


def _print_statistics(builder: Proverbs) -> None:
    from rich.console import Console

    from tashika.builders.proverbs.statistics import shortages, tables
    from tashika.core.files import read_json

    numbers = read_json(builder.statistics_file)
    console = Console()
    for table in tables(numbers):
        console.print(table)
    for line in shortages(numbers):
        say(line)


def _announce(builder: Proverbs) -> None:
    """Says what a build would do, without asking for anything."""
    from tashika.core.suites.proverbs.words import TOPICS

    settings = builder.settings
    counts = ", ".join(f"{topic} {sum(topic in proverb.topics for proverb in builder.proverbs)}" for topic in TOPICS)
    say(f"proverbs: {len(builder.proverbs):,} from {builder.list_file.name} ({counts})")
    say(f"pairs: {settings.pairs_per_topic} of a topic wanted; variants: {', then '.join(settings.variants.use)}")
    cost = builder.cost_at_most()
    requests = cost.describe(settings.llm) if cost.requests else "no requests, the list has all that is wanted"
    say(f"variants: {requests}")


BUILD: Final = Build(command)
