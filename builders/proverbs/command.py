"""`tashika build proverbs`: pairs of proverbs that should mean the same, with their questions."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.console import Console

from tashika.builders.proverbs.settings import BuildSettings
from tashika.builders.proverbs.stages import SUITE, Proverbs
from tashika.builders.proverbs.statistics import shortages, tables
from tashika.builders.sources.serving import OnDemand, small_llm
from tashika.builders.suite import Build
from tashika.core.errors import InputError
from tashika.core.files import read_json
from tashika.core.llm import Llm
from tashika.core.options import WORK, ConfigOption, DryRunOption, WorkOption
from tashika.core.progress import say
from tashika.core.settings import load_section, validated
from tashika.core.suites.proverbs.words import TOPICS
from tashika.core.workspace import Workspace


def command(
    work: WorkOption = WORK,
    config: ConfigOption = None,
    proverbs: Annotated[
        Path | None, typer.Option(help="A CSV file of proverbs in place of ours: text, topics.", show_default=False)
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="The most pairs of a topic.", show_default=False)] = None,
    llm_url: Annotated[
        str | None,
        typer.Option(envvar="TASHIKA_LLM_URL", help="An OpenAI-compatible endpoint; its key in TASHIKA_LLM_KEY."),
    ] = None,
    llm_model: Annotated[
        str | None, typer.Option(envvar="TASHIKA_LLM_MODEL", help="The model's name at that endpoint.")
    ] = None,
    dry_run: DryRunOption = False,
) -> None:
    """Build pairs of proverbs: a proverb, a variant that should mean the same, and a question about each.

    Gender is swapped by a table of words. The variants of wisdom and society are those of the list, or a language
    model's. What a finished step made is not made again; an interrupted one goes on where it was.
    """
    if llm_url is not None and not llm_url.startswith(("http://", "https://")):
        raise InputError(f"found {llm_url!r}, expected an address such as http://127.0.0.1:8000/v1")
    given = {"proverbs": str(proverbs) if proverbs else None, "pairs_per_topic": limit}
    llm_given = {"url": llm_url, "model": llm_model}
    settings = _overridden(load_section(SUITE, "build", BuildSettings, config), given, llm_given)
    workspace = Workspace(work, SUITE)
    with ExitStack() as stack:
        server = stack.enter_context(OnDemand(lambda: small_llm(work)))
        llm = Llm(settings.llm, settings.llm.url or server.url, workspace.cache / "llm")
        builder = Proverbs(workspace, settings, llm)
        if dry_run:
            _tell(builder)
            return
        builder.build()
    found = read_json(builder.statistics_file)
    console = Console()
    for table in tables(found):
        console.print(table)
    for line in shortages(found):
        say(line)


def _overridden(settings: BuildSettings, given: Mapping[str, Any], llm: Mapping[str, Any]) -> BuildSettings:
    """The settings with what the command line gives in place of the file's, checked like the file."""
    content = settings.model_dump(mode="json")
    content |= {name: value for name, value in given.items() if value is not None}
    content["llm"] |= {name: value for name, value in llm.items() if value is not None}
    if llm.get("url"):
        content["llm"]["api"] = "chat"
        content["variants"]["mode"] = "many"
        content["variants"]["use"] = sorted(content["variants"]["use"])  # the model before what is written
        say("LLM: asked first, as a chat model, for several variants at once; other ways go into --config")
    return validated(BuildSettings, content, "command line")


def _tell(builder: Proverbs) -> None:
    settings = builder.settings
    counts = ", ".join(f"{topic} {sum(topic in proverb.topics for proverb in builder.proverbs)}" for topic in TOPICS)
    say(f"proverbs: {len(builder.proverbs):,} from {builder.list_file.name} ({counts})")
    say(f"pairs: {settings.pairs_per_topic} of a topic wanted; variants: {', then '.join(settings.variants.use)}")
    cost = builder.cost_at_most()
    told = cost.told(settings.llm) if cost.requests else "no requests, the list has all that is wanted"
    say(f"variants: {told}")


BUILD: Final = Build(command)
