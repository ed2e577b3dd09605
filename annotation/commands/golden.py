"""Questions of known answer: `gold`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tashika.annotation.commands.shared import load_pages, load_plain_pages
from tashika.core.counts import counted
from tashika.core.errors import InputError
from tashika.core.options import WORK, ConfigOption, SuiteArgument, WorkOption
from tashika.core.progress import say
from tashika.core.workspace import Workspace


def gold(
    suite: SuiteArgument,
    work: WorkOption = WORK,
    config: ConfigOption = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", show_default=False, help="Write a sheet of items to fill in: a CSV file that is not there."
        ),
    ] = None,
    sample: Annotated[int, typer.Option("--sample", min=1, help="With --out: items of each kind.")] = 20,
) -> None:
    """Write a sheet of items whose answers you know, or check the one that is filled in.

    Gold questions are items of known answer among the others. Everybody is asked them, and they look like
    the others. `pull`, `status` and `vote` name people who miss too many; `vote --leave-out-careless` counts without
    them.

    1. `tashika annotate gold SUITE --out gold.csv` writes a sample of the items as people see them.

    2. Fill in `answer` where you are certain, and `explanation` (why) for people in training; delete the other lines.
    `answers` says what an answer may be; labels and words have "|" between them. Only item_id, answer and explanation
    are read, so any item may be added by its id.

    3. Name it in the section `annotate.gold` of your settings, whose folder its place counts from: `file = "gold.csv"`,
    and perhaps `training = 5` (a training project of the first five explained items of each kind, which says at once
    whether an answer is right and why; they are not asked about again) and `most_missed = 0.3`.

    4. `tashika annotate gold SUITE` reads it and names every wrong line; then push.

    The answer of the file is the verdict on the item, by the rule "gold": votes on it are not counted.
    """
    workspace = Workspace(work, suite)
    if out is not None:
        from tashika.annotation.gold.sheet import write_sheet

        settings, pages = load_plain_pages(suite, config, work)
        counts = write_sheet(workspace, pages, out, sample, settings.seed)
        written = ", ".join(counted(count, f"{kind} item") for kind, count in counts.items())
        say(f"wrote {written} to {out}; fill in answer and explanation, and delete the lines that you leave open")
        return
    settings, pages = load_pages(suite, config, work)
    if settings.gold.file is None:
        hint = "`--out gold.csv` writes a sheet; name it there when it is filled in."
        raise InputError("the settings name no file of gold questions", where="[annotate.gold] file", hint=hint)
    for page in pages:
        trains = sum(known.trains for known in page.gold.values())
        line = (
            f"{page.kind}: {counted(len(page.gold) - trains, 'gold question')}, {counted(trains, 'item')} of training"
        )
        if trains < settings.gold.training:
            line += f" ({settings.gold.training:,} wanted: so many have no explanation)"
        say(line)
