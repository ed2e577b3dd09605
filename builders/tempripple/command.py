"""`tashika build tempripple`: facts that changed, their histories, related facts and questions.

What a call needs is imported when it runs, so that `--help` is quick.
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from tashika.builders.suite import Build
from tashika.core.addresses import identity_of, require_address
from tashika.core.options import (
    WORK,
    ChangeInputsOption,
    ConfigOption,
    DryRunOption,
    ForgetInputsOption,
    FormerEndpointOption,
    SparqlUrlOption,
    UserAgentOption,
    WorkOption,
    renamed_option,
)
from tashika.core.progress import say
from tashika.core.workspace import Workspace

if TYPE_CHECKING:
    from tashika.builders.tempripple.settings import BuildSettings, Inputs
    from tashika.builders.tempripple.stages import TempRipple

SUITE: Final = "tempripple"


def command(  # noqa: PLR0913 - one argument an option
    work: WorkOption = WORK,
    config: ConfigOption = None,
    sparql_url: SparqlUrlOption = None,
    endpoint: FormerEndpointOption = None,
    snapshot: Annotated[
        list[Path] | None,
        typer.Option(
            help="A file of Wikidata's RDF (.ttl, .nt, …, also .gz), served on this machine; may be repeated.",
            show_default=False,
        ),
    ] = None,
    user_agent: UserAgentOption = None,
    window: Annotated[
        str | None, typer.Option(help="The days in which new facts start, such as 2025-01-01..2025-12-31.")
    ] = None,
    history_from: Annotated[
        str | None, typer.Option(help="From when on a history must be complete, such as 2015-01-01.")
    ] = None,
    hops: Annotated[int | None, typer.Option(min=0, max=3, help="Related facts at most this far away.")] = None,
    show: Annotated[
        str | None,
        typer.Option(help="Print the example blocks of a subject, such as Q30, of what was built (or build it first)."),
    ] = None,
    change_inputs: ChangeInputsOption = False,
    forget_inputs: ForgetInputsOption = False,
    dry_run: DryRunOption = False,
) -> None:
    """Build TempRIPPLE's candidates: facts that changed in a window, their histories, related facts, and questions.

    Without options it reads the facts that come with Tashika. A finished step is not repeated; an interrupted
    one resumes with the replies that it has. Every history that was not accepted stands in
    items/rejected.tsv with its reason and the statements that caused it.
    """
    from tashika.builders.sources.serving import OnDemand, snapshot_files, snapshot_identity, wikidata_snapshot
    from tashika.builders.sources.sparql import SparqlEndpoint
    from tashika.builders.tempripple.settings import Inputs
    from tashika.builders.tempripple.stages import TempRipple
    from tashika.core.inputs import take_inputs

    sparql_url = renamed_option("sparql_url", sparql_url, "endpoint", endpoint)
    require_address(sparql_url, "http://127.0.0.1:7878/query")
    workspace = Workspace(work, SUITE)
    given = Inputs(
        config=config,
        sparql_url=sparql_url,
        snapshot=tuple(snapshot or ()),
        window=window,
        history_from=history_from,
        hops=hops,
    )
    if show and not given.named() and workspace.item_file("question").exists():
        _show(workspace, show)
        return
    inputs = take_inputs(workspace, given, change=change_inputs, forget=forget_inputs)
    settings = _settings(inputs.options)
    address, files = inputs.options.sparql_url, inputs.options.snapshot or snapshot_files(SUITE)
    with ExitStack() as stack:
        wikidata = stack.enter_context(OnDemand(lambda: wikidata_snapshot(work, files)))
        source = SparqlEndpoint(
            address or wikidata.url,
            cache=workspace.cache / "sparql",
            identity=identity_of(address) if address else snapshot_identity(files),
            user_agent=user_agent,
        )
        builder = TempRipple(workspace, settings, source)
        if dry_run:
            _announce(builder)
            return
        with inputs.remembered():
            builder.build()
    _show_statistics(builder)
    if show:
        _show(workspace, show)


def _settings(inputs: Inputs) -> BuildSettings:
    """The settings with what the options give in place of the file's."""
    from tashika.builders.tempripple.settings import BuildSettings
    from tashika.core.settings import load_section, overridden

    given = {"window": inputs.window, "history_from": inputs.history_from, "hops": inputs.hops}
    return overridden(load_section(SUITE, "build", BuildSettings, inputs.config), given)


def _announce(builder: TempRipple) -> None:
    """Says what a build would do, without asking for anything."""
    settings = builder.settings
    stable = sum(entry.enabled for entry in builder.properties.stable.values())
    say(f"histories: {len(builder.relations)} changing properties from {builder.endpoint.identity}")
    say(f"  with a start or end in {settings.window}, complete from {settings.history_from}")
    say(f"related facts: up to {settings.hops} hops through {stable} stable properties")
    say(f"questions: {settings.options} options each ({settings.option_set}), seed {settings.seed}")


def _show_statistics(builder: TempRipple) -> None:
    from rich.console import Console

    from tashika.builders.tempripple.statistics import table_1
    from tashika.core.files import read_json

    labels = {relation: entry.label for relation, entry in builder.properties.changing.items()}
    Console().print(table_1(read_json(builder.statistics_file), labels))
    say(f"rejected histories and why: {builder.rejected_file}")


def _show(workspace: Workspace, subject: str) -> None:
    from tashika.builders.tempripple.show import blocks

    fact, history, question = (workspace.read_items(kind) for kind in ("fact", "history", "question"))
    for line in blocks(subject, fact, history, question):
        typer.echo(line)


BUILD: Final = Build(command, "tashika.data:tempripple/snapshot.ttl")
