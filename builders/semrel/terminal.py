"""What `tashika build semrel` prints: what a build would do, what it made, and the probes of one target."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import typer
from rich.console import Console

from tashika.builders.semrel.stages import SemRel
from tashika.builders.semrel.statistics import table_1, table_of_steps
from tashika.core.errors import InputError
from tashika.core.files import read_json
from tashika.core.progress import say
from tashika.core.suites.semrel.words import BLANK_SLOT, RELATIONS
from tashika.core.workspace import Workspace


def announce(builder: SemRel) -> None:
    """Says what a build would do."""
    settings = builder.settings
    named = ", ".join(settings.models) or "WordNet's nouns of one word"
    source = builder.responses or {"auto": "lists, filled up from WordNet"}.get(settings.targets, settings.targets)
    say(f"WordNet {builder.wordnet.version}; vocabulary: {named}")
    say(f"targets: {source}")
    for relation, prompts in builder.prompts().items():
        say(f"  {relation}: {len(prompts)} prompts")
    share = f"{settings.control_share:.0%} of the questions are controls"
    say(f"questionnaires of up to {settings.questionnaire_size} probes; {share}")


def print_built(builder: SemRel) -> None:
    """Prints how many words fell away at each step, Table 1, and which relations nobody is asked about."""
    statistics = read_json(builder.statistics_file)
    console = Console()
    targets = read_json(builder.targets_file)
    console.print(table_of_steps(targets))
    _say_share(targets["vocabulary"])
    console.print(table_1(statistics))
    _say_missing(statistics["relations"], builder)


def _say_share(vocabulary: Mapping[str, Any]) -> None:
    """Says which share of the models' words all of them have, where there are several models."""
    models = vocabulary["models"]
    if len(models) > 1 and vocabulary.get("in_any"):  # builds of older versions lack it
        share = vocabulary["words"] / vocabulary["in_any"]
        say(
            f"shared vocabulary: {vocabulary['words']:,} of the {vocabulary['in_any']:,} words that any of the "
            f"{len(models)} models has, {share:.2f}; the paper's .19, with Llama 2 in OPT's place .08 (footnote 1)"
        )


def _say_missing(rows: Mapping[str, Any], builder: SemRel) -> None:
    """Says which relations nobody is asked about, and why."""
    prompts = builder.prompts()
    for relation in RELATIONS:
        if not rows[relation]["probes"]:
            why = "no target has a relatum for it" if relation in prompts else "there are no prompts for it"
            say(f"{relation}: 0 probes, since {why}")


def print_target(workspace: Workspace, target: str) -> None:
    """Prints the relata and probes of a target of what was built.

    Raises:
        InputError: The word is no target of the build.
    """
    for line in _lines(workspace, target):
        typer.echo(line)


def _lines(workspace: Workspace, target: str) -> Iterator[str]:
    """The relata and probes of a target, by relation.

    Raises:
        InputError: The word is no target of the build.
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
