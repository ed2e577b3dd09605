"""What people check: pairs that a test called inconsistent, and as many that it did not, of every scored model.

Each system's checks are drawn from its own results alone, by the digest of their ids. So a new model adds checks and
changes none of the others.

A check of scores is made of the model, its answers and their scores: where a model was scored with several judges or
limits, people see it once, under the first of the folders by name. A check of texts depends on the judge as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from tashika.core.draws import shuffled
from tashika.core.errors import MissingStageError
from tashika.core.files import hash_value, write_rows
from tashika.core.progress import say
from tashika.core.records import item_row, item_schema
from tashika.core.stages import Stage
from tashika.core.suites.proverbs.words import CONSISTENCIES, CONTROL, SIDES, TOPICS
from tashika.core.workspace import Workspace
from tashika.evaluate.metrics import read_metrics
from tashika.evaluate.proverbs.metrics_model import ProverbMetrics
from tashika.evaluate.proverbs.records import read_answers, read_tests
from tashika.evaluate.proverbs.settings import CheckSettings

KIND: Final = "check"
BUILDER: Final = "evaluate-proverbs"
CHECKS_VERSION: Final = 2
"""Part of what the items depend on: raise it when other ones are made, or their ids."""
_FILES: Final = ("tests.parquet", "answers.parquet", "metrics.json")

Row = Mapping[str, Any]


def make_checks(workspace: Workspace, settings: CheckSettings, *, dry_run: bool = False) -> Path:
    """Writes `items/check.parquet` from all systems that were scored.

    Args:
        workspace: Where the files lie.
        settings: How many.
        dry_run: Whether to say how many there would be and write none.

    Returns:
        The table's path.

    Raises:
        MissingStageError: No model was scored.
    """
    target, systems = workspace.item_file(KIND), require_scored(workspace)
    inputs = [folder / name for folder in systems for name in _FILES]
    keys = {**settings.model_dump(), "version": CHECKS_VERSION}
    stage = Stage("evaluate-checks", workspace.items, inputs, keys, [target])
    if dry_run:
        say(f"checks: {len(_items(systems, settings)):,} of {len(systems):,} scored models")
        return target
    stage.run(lambda: _write(systems, settings, target), what="checks")
    return target


def require_scored(workspace: Workspace) -> list[Path]:
    """The folders of all models that were scored to the end, by name.

    Raises:
        MissingStageError: There is none.
    """
    systems = scored_systems(workspace)
    if not systems:
        raise MissingStageError(
            "no model was scored yet",
            where=str(workspace.evaluate),
            hint=f"Run `tashika evaluate {workspace.arguments} --model NAME` first.",
        )
    return systems


def scored_systems(workspace: Workspace) -> list[Path]:
    """The folders of all models that were scored to the end, by name."""
    folders = sorted(path.parent for path in workspace.evaluate.glob("*/metrics.json"))
    return [folder for folder in folders if all((folder / name).is_file() for name in _FILES)]


def _write(systems: Sequence[Path], settings: CheckSettings, target: Path) -> Mapping[str, Any]:
    rows = _items(systems, settings)
    write_rows(target, rows, item_schema("proverbs", KIND))
    detected = sum(row["detected"] for row in rows)
    return {"checks": len(rows), "detected": detected, "not_detected": len(rows) - detected, "models": len(systems)}


def _items(systems: Sequence[Path], settings: CheckSettings) -> list[dict[str, Any]]:
    """The checks of all systems, by id; of those that are the same, the first system's."""
    checks: dict[str, dict[str, Any]] = {}
    for folder in systems:
        for row in _of_system(folder, settings):
            checks.setdefault(row["item_id"], row)
    return [checks[item] for item in sorted(checks)]


def _of_system(folder: Path, settings: CheckSettings) -> Iterator[dict[str, Any]]:
    tested = [row for row in read_tests(folder / "tests.parquet").to_pylist() if row["p"] is not None]
    results = [row for row in tested if row["change"] != CONTROL]  # what people confirm is errors of the pairs
    answers: dict[tuple[str, str], list[Row]] = {}
    for answer in read_answers(folder / "answers.parquet").to_pylist():
        answers.setdefault((answer["item_id"], answer["side"]), []).append(answer)
    metrics = read_metrics(folder / "metrics.json", ProverbMetrics)
    for result in draw_results(results, settings):
        sides = [sorted(answers[result["item_id"], side], key=lambda answer: int(answer["place"])) for side in SIDES]
        yield _item(folder.name, metrics, result, sides)


def draw_results(results: Sequence[Row], settings: CheckSettings) -> list[Row]:
    """The results of one system that people check: detected errors, and as many that were not detected.

    Those not detected are of the same topic and kind of consistency as far as there are any, then of another topic,
    then of the other kind.

    Args:
        results: Rows of `TESTS` with a p-value.
        settings: How many.
    """
    keys = [f"{row['consistency']} {row['item_id']}" for row in results]
    order = shuffled(keys, settings.seed).tolist()
    ranked = [row for _, _, row in sorted(zip(order, keys, results, strict=True), key=lambda one: one[:2])]
    cells = [(topic, kind) for kind in CONSISTENCIES for topic in TOPICS]
    chosen, missing = [], []
    for cell in cells:
        errors = [row for row in ranked if row["error"] and _cell(row) == cell]
        errors = errors[: settings.most or None]
        others = [row for row in ranked if not row["error"] and _cell(row) == cell][: len(errors)]
        chosen += [*errors, *others]
        missing += [cell] * (len(errors) - len(others))
    taken = {_id(row) for row in chosen}
    rest = [row for row in ranked if not row["error"] and _id(row) not in taken]
    for _, kind in missing:
        other = next((row for row in rest if row["consistency"] == kind), rest[0] if rest else None)
        if other is not None:
            rest.remove(other)
            chosen.append(other)
    return chosen


def _cell(row: Row) -> tuple[str, str]:
    return row["topic"], row["consistency"]


def _id(row: Row) -> tuple[str, str]:
    return row["item_id"], row["consistency"]


def _item(system: str, metrics: ProverbMetrics, row: Row, sides: Sequence[Sequence[Row]]) -> dict[str, Any]:
    """A check's row: its id is made of who said it and what people see, so that other answers are another check."""
    answers = [[answer for answer in side if answer["answer"] is not None] for side in sides]
    payload = {
        "topic": row["topic"],
        "consistency": row["consistency"],
        "model": metrics.model.name,
        "system": system,
        "question": sides[0][0]["question"],
        "variant_question": sides[1][0]["question"],
        "answers": [answer["answer"] for answer in answers[0]],
        "variant_answers": [answer["answer"] for answer in answers[1]],
        "scores": [answer["score"] for answer in answers[0]],
        "variant_scores": [answer["score"] for answer in answers[1]],
        "detected": bool(row["error"]),
        "p": row["p"],
    }
    scored = row["consistency"] == "score"
    names = ("answers", "variant_answers", *(("scores", "variant_scores") if scored else ()))
    model, judge = metrics.model, metrics.judge
    who = [[model.name, model.revision], *([] if scored else [[judge.model, judge.revision]])]
    key = (row["consistency"], row["item_id"], hash_value([who, [payload[name] for name in names]])[:16])
    return item_row(
        "proverbs", KIND, key, payload, builder=BUILDER, version=version("tashika"), parents=[row["item_id"]]
    )
