"""From judgments to verdicts: `vote`, `import-responses`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tashika.annotation.commands.shared import (
    load_pages,
    report_gold,
    report_gone,
    report_undecided,
    show_measures,
    warn_of_mixing,
)
from tashika.annotation.options import RuleName
from tashika.core.errors import InputError
from tashika.core.options import WORK, ConfigOption, SuiteArgument, WorkOption
from tashika.core.progress import say
from tashika.core.workspace import Workspace

if TYPE_CHECKING:
    from tashika.annotation.labelling import Page, WordsPage
    from tashika.annotation.settings import AnnotateSettings


def vote(
    suite: SuiteArgument,
    work: WorkOption = WORK,
    config: ConfigOption = None,
    leave_out_careless: Annotated[
        bool,
        typer.Option(
            "--leave-out-careless",
            help="Do not count the answers of people who missed more of the control questions than the settings allow.",
        ),
    ] = False,
    leave_out: Annotated[
        list[str] | None,
        typer.Option("--leave-out", help="Do not count the answers of this annotator, by pseudonym; may be repeated."),
    ] = None,
    rule: Annotated[
        RuleName | None,
        typer.Option("--rule", help="How votes decide, whatever the settings say.", show_default=False),
    ] = None,
) -> None:
    """Count the votes of what was pulled: verdicts.parquet and validation.json.

    One vote a person, the latest; a strict majority decides; a tie, or fewer votes than the settings ask for, leaves
    the item undecided. A correction is taken over if most of the item's supporters gave it, and at least two.

    Other rules (`--rule`, or `rule` in the settings): unanimous; weighted, by people's accuracy on gold questions;
    dawid-skene, a model of how often each person errs, learned from the votes. Then, and where people are left out, it
    says how many verdicts differ for it.

    Where people answer in words nothing is voted: their answers are read and written to responses.parquet. Where they
    say what an item is (a label, a rating, a preference, a text) that is written to answers.parquet.
    """
    from tashika.annotation.judging.status import tie_lines
    from tashika.annotation.votes.verdicts import count_votes

    settings, pages = load_pages(suite, config, work)
    if leave_out_careless and not any(page.checks_people for page in pages):
        _asking_for_words(suite, pages)
    if rule is not None:
        settings = _with_rule(settings, pages, rule)
    workspace = Workspace(work, suite)
    count_votes(workspace, pages, settings, without_careless=leave_out_careless, leave_out=leave_out or ())
    for line in tie_lines(workspace, pages, settings, None):
        say(line)
    report_gone(workspace, pages)
    report_gold(workspace, pages, settings)
    warn_of_mixing(workspace)
    show_measures(workspace, pages)
    report_undecided(workspace, pages, settings)


def _with_rule(settings: AnnotateSettings, pages: list[Page], rule: RuleName) -> AnnotateSettings:
    """The settings with one rule for all kinds that take one.

    Raises:
        InputError: None of them does.
        ConfigError: It does not go with the other settings.
    """
    from tashika.annotation.labelling import takes_rule
    from tashika.annotation.settings import AnnotateSettings
    from tashika.core.settings import validated

    ruled = [page.kind for page in pages if takes_rule(page)]
    others = [page.kind for page in pages if page.kind not in ruled]
    if others and rule != "majority":
        names = " and ".join(others)
        if not ruled:
            message = f"no rule decides {names} items: ratings have a median, and what people write is collected"
            raise InputError(message, where="--rule", hint="Leave it out.")
        say(f"{names}: no rule decides here, so --rule {rule} changes nothing")
    values = settings.model_dump(mode="json")
    values["rule"] = rule
    for kind, entry in values["kinds"].items():
        entry["rule"] = None if kind in ruled else "majority"
    return validated(AnnotateSettings, values, "--rule")


def _asking_for_words(suite: str, pages: list[Page]) -> WordsPage:
    from tashika.annotation.labelling import words_pages

    with_words = words_pages(pages)
    if not with_words:
        raise InputError(f"nobody is asked for words in {suite}, and so there are no control questions or responses")
    return with_words[0]


def import_responses(
    suite: SuiteArgument,
    file: Annotated[
        Path,
        typer.Argument(help="A published response file: target, relation, prompt, four lists.", show_default=False),
    ],
    work: WorkOption = WORK,
    config: ConfigOption = None,
    simulated: Annotated[
        bool, typer.Option("--simulated", help="Its answers are a program's: call them simulated wherever they show.")
    ] = False,
) -> None:
    """Take over the answers of a published response file as judgments; then run `vote`.

    Answers belong to the items of the same target, relation and prompt; an answer without such an item is counted and
    left out. The file does not record who answered, so its annotators are positions (published-3f2a9c-1 and on), not
    persons; the digits are those of the file's content. Importing the same content twice changes nothing, also under
    another name; other content counts as answers of other people, in addition to the first.
    """
    _, pages = load_pages(suite, config, work)
    page = _asking_for_words(suite, pages)
    if page.take_over is None:
        raise InputError(f"no published answers to {page.kind} items of {suite} can be read")
    page.take_over(Workspace(work, suite), page, file, simulated)
