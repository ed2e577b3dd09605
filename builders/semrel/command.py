"""`tashika build semrel`: targets, their relata, and probes in questionnaires."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.console import Console

from tashika.builders.semrel.settings import BuildSettings
from tashika.builders.semrel.stages import SemRel
from tashika.builders.semrel.statistics import table_1, table_of_steps
from tashika.builders.suite import Build
from tashika.core.errors import InputError
from tashika.core.files import read_json
from tashika.core.options import WORK, ConfigOption, DryRunOption, WorkOption
from tashika.core.progress import say
from tashika.core.settings import load_section, validated
from tashika.core.suites.semrel.words import BLANK_SLOT, NAME, RELATIONS
from tashika.core.workspace import Workspace


def command(
    work: WorkOption = WORK,
    config: ConfigOption = None,
    responses: Annotated[
        Path | None,
        typer.Option(
            help="A response file in the published form: its targets, relations and prompts in place of ours.",
            show_default=False,
        ),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            help="A model under test (folder, name, tokenizer.json, or .txt with one word a line): a target is one "
            "token in all of them. May be repeated; smollm2 is the packaged one.",
            show_default=False,
        ),
    ] = None,
    targets: Annotated[
        str | None, typer.Option(help="Where targets come from: auto, lists or wordnet.", show_default=False)
    ] = None,
    show: Annotated[
        str | None, typer.Option(help="Print the relata and probes of a target of what was built (or build it first).")
    ] = None,
    dry_run: DryRunOption = False,
) -> None:
    """Build probes of semantic relations: targets, the words related to them, and prompts that ask for those.

    Without options it takes targets from the packaged category norms, fills up from WordNet to the paper's number of
    targets where they give fewer, and asks with our own prompts. What a finished step made is not made again.
    """
    given = {"models": list(model) if model else None, "targets": targets}
    settings = _overridden(load_section(NAME, "build", BuildSettings, config), given)
    workspace = Workspace(work, NAME)
    if show and workspace.item_file("probe").exists():
        _show(workspace, show)
        return
    builder = SemRel(workspace, settings, responses)
    if dry_run:
        _tell(builder)
        return
    builder.build()
    console = Console()
    console.print(table_of_steps(read_json(builder.targets_file)))
    console.print(table_1(read_json(builder.statistics_file)))
    _say_missing(builder)
    if show:
        _show(workspace, show)


def _overridden(settings: BuildSettings, given: Mapping[str, Any]) -> BuildSettings:
    """The settings with what the command line gives in place of the file's, checked like the file."""
    content = settings.model_dump(mode="json") | {name: value for name, value in given.items() if value is not None}
    return validated(BuildSettings, content, "command line")


def _tell(builder: SemRel) -> None:
    settings = builder.settings
    named = ", ".join(settings.models) or "WordNet's nouns of one word"
    source = builder.responses or {"auto": "lists, filled up from WordNet"}.get(settings.targets, settings.targets)
    say(f"WordNet {builder.wordnet.version}; vocabulary: {named}")
    say(f"targets: {source}")
    for relation, prompts in builder.prompts().items():
        say(f"  {relation}: {len(prompts)} prompts")
    share = f"{settings.control_share:.0%} of the questions are controls"
    say(f"questionnaires of up to {settings.questionnaire_size} probes; {share}")


def _say_missing(builder: SemRel) -> None:
    """Says which relations nobody is asked about, and why."""
    found = read_json(builder.statistics_file)["relations"]
    prompts = builder.prompts()
    for relation in RELATIONS:
        if not found[relation]["probes"]:
            why = "no target has a relatum for it" if relation in prompts else "there are no prompts for it"
            say(f"{relation}: 0 probes, since {why}")


def _show(workspace: Workspace, target: str) -> None:
    for line in _lines(workspace, target):
        typer.echo(line)


def _lines(workspace: Workspace, target: str) -> Iterator[str]:
    """The relata and probes of a target, by relation.

    Raises:
        InputError: It is no target.
    """
    probes = [row for row in workspace.read_items("probe").to_pylist() if row["known_answers"] is None]
    relata = [row for row in workspace.read_items("relatum").to_pylist() if row["target"] == target]
    if not any(row["target"] == target for row in probes):
        some = ", ".join(sorted({str(row["target"]) for row in probes})[:8])
        raise InputError(f"{target!r} is no target", hint=f"Targets are, among others: {some}.")
    for relation in RELATIONS:
        words = [f"{row['word']} ({row['distance']})" for row in relata if row["relation"] == relation]
        texts = [row for row in probes if row["target"] == target and row["relation"] == relation]
        if words or texts:
            yield f"{relation}: {', '.join(words)}"
            for row in texts:
                yield f"  {row['text']} {'_' * len(BLANK_SLOT)}   questionnaire {row['questionnaire']}"


BUILD: Final = Build(command)
