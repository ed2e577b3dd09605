"""`tashika build semrel`: targets, their relata, and probes in questionnaires.

What a call needs is imported when it runs, so that `--help` is quick.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from tashika.builders.suite import Build
from tashika.core.options import WORK, ChangeInputsOption, ConfigOption, DryRunOption, ForgetInputsOption, WorkOption
from tashika.core.suites.semrel.words import NAME
from tashika.core.workspace import Workspace

if TYPE_CHECKING:
    from tashika.builders.semrel.settings import BuildSettings, Inputs


def command(  # noqa: PLR0913 - one argument an option
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
    change_inputs: ChangeInputsOption = False,
    forget_inputs: ForgetInputsOption = False,
    dry_run: DryRunOption = False,
) -> None:
    """Build probes of semantic relations: targets, the words related to them, and prompts that ask for those.

    Without options it takes targets from the packaged category norms, fills up from WordNet to the paper's number of
    targets where they give fewer, and asks with our own prompts. A finished step is not repeated.
    """
    from tashika.builders.semrel.settings import Inputs
    from tashika.builders.semrel.stages import SemRel
    from tashika.builders.semrel.terminal import announce, print_built, print_target
    from tashika.core.inputs import take_inputs

    workspace = Workspace(work, NAME)
    if show and workspace.item_file("probe").exists():
        print_target(workspace, show)
        return
    models = tuple(_place(name) for name in model or ())
    given = Inputs(config=config, responses=responses, model=models, targets=targets)
    inputs = take_inputs(workspace, given, change=change_inputs, forget=forget_inputs)
    builder = SemRel(workspace, _settings(inputs.options), inputs.options.responses)
    if dry_run:
        announce(builder)
        return
    with inputs.remembered():
        builder.build()
    print_built(builder)
    if show:
        print_target(workspace, show)


def _place(model: str) -> Path | str:
    """A model's file or folder as a path; any other name stays what it is."""
    from tashika.builders.semrel.vocabulary import PACKAGED_MODEL

    return Path(model) if model != PACKAGED_MODEL and Path(model).exists() else model


def _settings(inputs: Inputs) -> BuildSettings:
    """The settings with what the options give in place of the file's."""
    from tashika.builders.semrel.settings import BuildSettings
    from tashika.core.settings import load_section, overridden

    given = {"models": [str(model) for model in inputs.model] or None, "targets": inputs.targets}
    return overridden(load_section(NAME, "build", BuildSettings, inputs.config), given)


BUILD: Final = Build(command)
