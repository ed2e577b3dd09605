"""`tashika build semrel`: targets, their relata, and probes in questionnaires.

What a call needs is imported when it runs, so that `--help` is quick.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from tashika.builders.suite import Build
from tashika.core.options import WORK, ConfigOption, DryRunOption, WorkOption
from tashika.core.suites.semrel.words import NAME
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
    from tashika.builders.semrel.settings import BuildSettings
    from tashika.builders.semrel.stages import SemRel
    from tashika.builders.semrel.terminal import announce, print_built, print_target
    from tashika.core.settings import load_section, overridden

    given = {"models": model or None, "targets": targets}
    settings = overridden(load_section(NAME, "build", BuildSettings, config), given)
    workspace = Workspace(work, NAME)
    if show and workspace.item_file("probe").exists():
        print_target(workspace, show)
        return
    builder = SemRel(workspace, settings, responses)
    if dry_run:
        announce(builder)
        return
    builder.build()
    print_built(builder)
    if show:
        print_target(workspace, show)


BUILD: Final = Build(command)
