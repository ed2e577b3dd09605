"""`tashika export` and `tashika publish`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from tashika.core.errors import InputError
from tashika.core.options import WORK, ConfigOption, DryRunOption, SuiteArgument, WorkOption
from tashika.core.progress import say
from tashika.core.workspace import Workspace

if TYPE_CHECKING:
    from tashika.exports.plan import Plan, SuiteExport

export = typer.Typer()
publish = typer.Typer()


@export.command()
def export_release(
    suite: SuiteArgument, work: WorkOption = WORK, config: ConfigOption = None, dry_run: DryRunOption = False
) -> None:
    """Write the validated items as a dataset that `datasets.load_dataset` opens, with its card."""
    from tashika.core.inputs import load_settings
    from tashika.exports.judgments import with_judgments
    from tashika.exports.plan import suite_export
    from tashika.exports.release import Export

    module = suite_export(suite)
    workspace = Workspace(work, suite)
    settings = load_settings(workspace, "export", module.settings, config)
    plan = with_judgments(module.plan(workspace, settings), module, workspace, settings)
    _show_counts(module, plan)
    for kind, entry in plan.validation.items():
        if entry.simulated:
            say(f"{kind} items were judged by {entry.judges.description}; the card states it")
    if dry_run:
        _show_files(plan)
        return
    made = Export(workspace, settings, module, plan)
    about = made.about(made.run())
    if about.missing:
        say(f"not stated in [export]: {', '.join(about.missing)}; the card says so")
    say(f"release {settings.version}: {workspace.release}")


def _show_counts(module: SuiteExport, plan: Plan) -> None:
    from rich.console import Console
    from rich.table import Table

    card = plan.card or module.card
    published = [f"{heading} (paper)" for heading in card.published]
    table = Table("", "this release", *published, title=module.suite)
    for row in card.counts:
        table.add_row(row.name, *(f"{value:,}" for value in (plan.counts[row.key], *row.published)))
    Console().print(table)
    left_out = [f"{count:,} {reason.replace('_', ' ')}" for reason, count in plan.left_out.items() if count]
    if left_out:
        say(f"not released: {', '.join(left_out)}")


def _show_files(plan: Plan) -> None:
    say("would write:")
    for file in plan.files:
        typer.echo(f"{file.path}\t{file.rows:,} rows")


@publish.command()
def publish_release(  # noqa: PLR0913 - one argument an option
    suite: SuiteArgument,
    repo: Annotated[str, typer.Option("--repo", help="The dataset repository on the Hub, ORG/NAME.")],
    public: Annotated[bool, typer.Option("--public", help="Let everybody see it; without this it is private.")] = False,
    tag: Annotated[str | None, typer.Option("--tag", help="The release's tag; v and its version by default.")] = None,
    allow_simulated: Annotated[
        bool, typer.Option("--allow-simulated", help="Publish simulated annotations where everybody sees them.")
    ] = False,
    deadline: Annotated[
        float | None,
        typer.Option(
            "--deadline",
            min=0.1,
            help="Minutes after which an upload that has not ended is given up; by default ten, and one for each 6 MB.",
        ),
    ] = None,
    dry_run: DryRunOption = False,
    work: WorkOption = WORK,
    withdraw: Annotated[
        str | None,
        typer.Option(
            "--withdraw",
            metavar="TAG",
            show_default=False,
            help="Upload nothing: delete this tag, and let the card say that it is withdrawn.",
        ),
    ] = None,
    reason: Annotated[
        str, typer.Option("--reason", show_default=False, help="With --withdraw: why, as the card shall say it.")
    ] = "",
) -> None:
    """Upload a release to the Hugging Face Hub: private unless --public, with a tag.

    The token comes from HF_TOKEN or `hf auth login`, the Hub's address from HF_ENDPOINT.

    --withdraw TAG takes a published version back: the card says since when and why, and the tag is deleted. Files on
    the main branch and the history are not touched; it says what is left there and how to remove it. The tag is not
    published again.
    """
    if withdraw is not None or reason:
        from tashika.exports.withdrawal import withdraw_release

        if withdraw is None or public or tag is not None:
            hint = "`tashika publish SUITE --repo ORG/NAME --withdraw TAG --reason TEXT` uploads nothing."
            raise InputError("found --withdraw or --reason with options that do not go with them", hint=hint)
        withdraw_release(Workspace(work, suite), repo, withdraw, reason, dry=dry_run)
        return
    from tashika.exports.plan import suite_export
    from tashika.exports.publish import Publication, publish_to_hub

    suite_export(suite)
    seconds = deadline and deadline * 60
    publication = Publication(
        Workspace(work, suite), repo, tag, public=public, allow_simulated=allow_simulated, seconds=seconds
    )
    if dry_run:
        publication.show()
    else:
        publish_to_hub(publication)
