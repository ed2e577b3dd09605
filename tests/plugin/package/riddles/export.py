"""The release: the riddles that people accepted."""

from __future__ import annotations

from collections.abc import Iterator

from riddles import RIDDLE
from tashika.core.workspace import Workspace
from tashika.exports.arrow import ascending
from tashika.exports.checks import Problem, ReleaseFiles
from tashika.exports.plan import CardText, CountRow, ExportSettings, Plan, SuiteExport
from tashika.exports.schema import ITEM_ID, VOTES_CAST, VOTES_FOR, Config
from tashika.exports.selection import decisions, released, with_verdicts
from tashika.exports.tables import content_digest, table_file
from tashika.exports.tasks.task import Choices, Letters, Task
from tashika.exports.validation import read_validation

CONFIGS = {
    "riddles": Config(
        "riddles",
        "riddles",
        RIDDLE.meaning,
        {"item_id": ITEM_ID, **RIDDLE.columns, "votes_for": VOTES_FOR, "votes_cast": VOTES_CAST},
    )
}


TASK = Task(
    id="riddles",
    meaning="which answer a riddle has",
    config="riddles",
    split="test",
    kind="multiple_choice",
    input="text",
    prompt="Riddle: {{ text }} Answer:",
    target="answer",
    choices=Choices(column="options"),
    letters=Letters("Riddle: {{ text }}", "Answer:"),
)


def answers_are_options(release: ReleaseFiles) -> Iterator[Problem]:
    """Every answer is the place of one of three options."""
    for row in release.table("riddles").to_pylist():
        if len(row["options"]) != 3 or not 0 <= row["answer"] < 3:
            yield Problem(release.paths("riddles")[0], row["item_id"], f"{row['answer']} of {row['options']}")


def plan(workspace: Workspace, _settings: ExportSettings) -> Plan:
    """Selects the accepted riddles."""
    validation = read_validation(workspace, {"riddle"})
    found = with_verdicts(workspace.read_items("riddle"), workspace.read_verdicts())
    kept = released(workspace, found, "riddle", "all").sort_by(ascending("item_id"))
    table = kept.select(list(CONFIGS["riddles"].columns))
    left = decisions(found)
    return Plan(
        files=(table_file("riddles", "riddles", table, "test"),),
        counts={"riddles": table.num_rows},
        left_out={f"{name}_riddles": left.get(name, 0) for name in ("rejected", "undecided", "unjudged")},
        digest=content_digest({"riddles": table}),
        items={"riddle": kept},
        validation=validation,
    )


EXPORT = SuiteExport(
    suite="riddles",
    kinds=("riddle",),
    configs=CONFIGS,
    plan=plan,
    checks=(answers_are_options,),
    tasks=lambda _: (TASK,),
    card=CardText(
        summary="Riddles with three answers to choose from.",
        building=("They come from a table.", "People judged each (see below)."),
        licences={"riddles.csv": "CC0-1.0"},
        published=(),
        counts=(CountRow("riddles", "riddles", ()),),
        counts_note="",
        example="riddles",
        limits=("They are few.",),
        citation="@misc{riddles, title = {Riddles}, year = {2026}}",
    ),
)
