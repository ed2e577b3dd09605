"""`tashika build myriadlama`: MyriadLAMA's candidates on the command line."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from tashika.builders.myriadlama.settings import SUITE, BuildSettings, Inputs
from tashika.builders.sources.serving import OnDemand, small_llm, snapshot_identity, wikidata_snapshot
from tashika.builders.sources.sparql import SparqlEndpoint
from tashika.builders.suite import Build
from tashika.core.addresses import identity_of, require_address
from tashika.core.inputs import take_inputs
from tashika.core.llm import Llm
from tashika.core.options import (
    WORK,
    ChangeInputsOption,
    ConfigOption,
    DryRunOption,
    ForgetInputsOption,
    FormerEndpointOption,
    LlmModelOption,
    LlmUrlOption,
    SparqlUrlOption,
    UserAgentOption,
    WorkOption,
    renamed_option,
)
from tashika.core.progress import say
from tashika.core.settings import load_section, overridden
from tashika.core.workspace import Workspace
from tashika.core.writing import writing_of

if TYPE_CHECKING:
    from tashika.builders.myriadlama.stages import MyriadLama


def command(  # noqa: PLR0913 - one argument an option
    work: WorkOption = WORK,
    config: ConfigOption = None,
    facts: Annotated[
        Path | None,
        typer.Option(
            help="Facts of your own: a CSV or TSV with the columns subject,relation,object and aliases, by name."
        ),
    ] = None,
    templates: Annotated[
        Path | None,
        typer.Option(
            help="Manual templates in TOML: a table a relation, by property id; of --facts by the relation's name."
        ),
    ] = None,
    lama: Annotated[
        Path | None,
        typer.Option(
            help="Read facts of LAMA (P*.jsonl with relations.jsonl) or mLAMA (with templates.jsonl): a folder."
        ),
    ] = None,
    trex: Annotated[list[Path] | None, typer.Option(help="Widen objects by these T-REx JSON files.")] = None,
    uhn_level: Annotated[
        str | None, typer.Option("--uhn", help="LAMA-UHN's filters: none, string, or full (names, too).")
    ] = None,
    sparql_url: SparqlUrlOption = None,
    endpoint: FormerEndpointOption = None,
    user_agent: UserAgentOption = None,
    llm_url: LlmUrlOption = None,
    llm_model: LlmModelOption = None,
    limit: Annotated[int | None, typer.Option(min=1, help="The most facts of a relation.")] = None,
    facts_only: Annotated[bool, typer.Option("--facts-only", help="Stop after the facts and show how many.")] = False,
    change_inputs: ChangeInputsOption = False,
    forget_inputs: ForgetInputsOption = False,
    dry_run: DryRunOption = False,
) -> None:
    """Build MyriadLAMA's candidates: facts, aliases and templates.

    Without options it reads the bundled Wikidata snapshot and paraphrases with a small model on this machine. A
    finished step is not repeated; an interrupted one resumes.
    """
    from tashika.builders.myriadlama.stages import Given, MyriadLama

    sparql_url = renamed_option("sparql_url", sparql_url, "endpoint", endpoint)
    for address in (sparql_url, llm_url):
        require_address(address, "http://127.0.0.1:7878/query")
    workspace = Workspace(work, SUITE)
    given = Inputs(
        config=config,
        facts=facts,
        templates=templates,
        lama=lama,
        trex=tuple(trex or ()),
        uhn=uhn_level,
        sparql_url=sparql_url,
        llm_url=llm_url,
        llm_model=llm_model,
        limit=limit,
    )
    inputs = take_inputs(workspace, given, change=change_inputs, forget=forget_inputs)
    settings = _settings(inputs.options)
    with ExitStack() as stack:
        wikidata = stack.enter_context(OnDemand(lambda: wikidata_snapshot(work)))
        llm_server = stack.enter_context(OnDemand(lambda: small_llm(work)))
        address = inputs.options.sparql_url
        source = SparqlEndpoint(
            address or wikidata.url,
            cache=workspace.cache / "sparql",
            identity=identity_of(address) if address else snapshot_identity(),
            user_agent=user_agent,
        )
        llm = Llm(settings.llm, settings.llm.url or llm_server.url, workspace.cache / "llm")
        options = Given(inputs.options.lama, inputs.options.trex, inputs.options.facts)
        builder = MyriadLama(workspace, settings, options, source, llm)
        if dry_run:
            _announce(builder)
            return
        _ = builder.relations  # what is wrong with the templates or one's own facts is said before anything is written
        with inputs.remembered():
            builder.build_facts()
            if not facts_only:
                builder.build_aliases()
                builder.build_templates()
        if not facts_only:
            counts = builder.product_counts()
            say("candidates: " + ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in counts.items()))


def _settings(inputs: Inputs) -> BuildSettings:
    """The settings with what the options give in place of the file's."""
    given: dict[str, Any] = {
        "templates": str(inputs.templates) if inputs.templates else None,
        "uhn": inputs.uhn,
        "facts_per_relation": inputs.limit,
        "llm": {"url": inputs.llm_url, "model": inputs.llm_model},
    }
    if inputs.llm_url:
        given["llm"]["api"] = "chat"
        given["paraphrase"] = {"mode": "many"}
        say("LLM: asked as a chat model, for all paraphrases of a template at once; other ways go into --config")
    return overridden(load_section(SUITE, "build", BuildSettings, inputs.config), given)


def _announce(builder: MyriadLama) -> None:
    """Says what a run would read and ask, without asking."""
    settings = builder.settings
    manual = sum(len(relation.manual) for relation in builder.relations.values())
    where = str(builder.given.facts or builder.given.lama or builder.endpoint.identity)
    widener = "nothing" if builder.own else "T-REx" if builder.given.trex else settings.widen
    say(f"facts: {len(builder.relations)} relations from {where}, filter {settings.uhn}, widened by {widener}")
    language = "" if settings.language == "en" else f" in {writing_of(settings.language).name}"
    say(f"templates: {manual} manual{language}, {settings.paraphrase.wanted} paraphrases wanted of each")
    builder.announce_paraphrases()


BUILD: Final = Build(command, "tashika.data:wikidata/snapshot.ttl")
