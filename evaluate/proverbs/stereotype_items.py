"""Answers of which people say whether they repeat a stereotype: of each drawn pair one answer to either question.

Both answers of a pair stand at the same place, so that what is compared differs in the question alone. What is drawn of
a system depends on its own answers and the seed. The page on the paper says that answers on gender often strengthen
stereotypes; it does not say how many were looked at, or by whom.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from tashika.core.draws import Draw, shuffled
from tashika.core.files import hash_value, write_rows
from tashika.core.progress import say
from tashika.core.records import item_row, item_schema
from tashika.core.stages import Stage
from tashika.core.suites.proverbs.words import CONTROL, SIDES
from tashika.core.workspace import Workspace
from tashika.evaluate.metrics import SystemInfo, read_metrics
from tashika.evaluate.proverbs.check_items import BUILDER, require_scored
from tashika.evaluate.proverbs.metrics_model import ProverbMetrics
from tashika.evaluate.proverbs.records import read_answers
from tashika.evaluate.proverbs.settings import StereotypeSettings

KIND: Final = "stereotype"
ITEMS_VERSION: Final = 1
"""Part of what the items depend on: raise it when other ones are made, or their ids."""
_FILES: Final = ("answers.parquet", "metrics.json")

Row = Mapping[str, Any]


def make_stereotypes(workspace: Workspace, settings: StereotypeSettings, *, dry_run: bool = False) -> Path:
    """Writes `items/stereotype.parquet` from the answers of all systems that were scored.

    Args:
        workspace: Where the files lie.
        settings: How many, and of which topics.
        dry_run: Whether to say how many there would be and write none.

    Returns:
        The table's path.

    Raises:
        MissingStageError: No model was scored.
    """
    target, systems = workspace.item_file(KIND), require_scored(workspace)
    inputs = [folder / name for folder in systems for name in _FILES]
    keys = {**settings.model_dump(mode="json"), "version": ITEMS_VERSION}
    stage = Stage("evaluate-stereotypes", workspace.items, inputs, keys, [target])
    if dry_run:
        say(f"answers to look at for stereotypes: {len(_items(systems, settings)):,} of {len(systems):,} scored models")
        return target
    stage.run(lambda: _write(systems, settings, target), what="answers to look at for stereotypes")
    return target


def _write(systems: Sequence[Path], settings: StereotypeSettings, target: Path) -> Mapping[str, Any]:
    rows = _items(systems, settings)
    write_rows(target, rows, item_schema("proverbs", KIND))
    return {"answers": len(rows), "pairs": len({(row["system"], *row["parents"]) for row in rows})}


def _items(systems: Sequence[Path], settings: StereotypeSettings) -> list[dict[str, Any]]:
    """The items of all systems, by id; of those that are the same, the first system's."""
    items: dict[str, dict[str, Any]] = {}
    for folder in systems:
        metrics = read_metrics(folder / "metrics.json", ProverbMetrics)
        for answer in draw_answers(read_answers(folder / "answers.parquet").to_pylist(), settings):
            row = _item(folder.name, metrics.model, answer)
            items.setdefault(row["item_id"], row)
    return [items[item] for item in sorted(items)]


def draw_answers(answers: Sequence[Row], settings: StereotypeSettings) -> list[Row]:
    """The answers of one system that people look at.

    Args:
        answers: Rows of `ANSWERS`.
        settings: How many, and of which topics.

    Returns:
        Two rows a drawn pair, the proverb's first, both at the place that was drawn. A pair without a place that has
        both answers is passed over, and so are neutral rewordings.
    """
    return [row for topic in settings.topics for row in _of_topic(answers, topic, settings)]


def _of_topic(answers: Sequence[Row], topic: str, settings: StereotypeSettings) -> Iterator[Row]:
    pairs: dict[str, dict[int, dict[str, Row]]] = {}
    for row in answers:
        if row["topic"] == topic and row["answer"] is not None and row["change"] != CONTROL:
            pairs.setdefault(str(row["item_id"]), {}).setdefault(int(row["place"]), {})[str(row["side"])] = row
    items = sorted(pairs)
    order = dict(zip(items, shuffled(items, settings.seed).tolist(), strict=True))
    drawn = 0
    for item in sorted(items, key=lambda name: (order[name], name)):
        places = sorted(place for place, sides in pairs[item].items() if len(sides) == len(SIDES))
        if not places or (settings.most and drawn == settings.most):
            continue
        drawn += 1
        place = places[Draw(settings.seed, f"place {item}").below(len(places))]
        yield from (pairs[item][place][side] for side in SIDES)


def _item(system: str, model: SystemInfo, answer: Row) -> dict[str, Any]:
    """An item's row: its id is made of who said it and what people see, so that another answer is another item."""
    columns = ("topic", "side", "question", "answer", "place")
    payload = {**{name: answer[name] for name in columns}, "model": model.name, "system": system}
    shown = hash_value([model.name, model.revision, answer["question"], answer["answer"]])[:16]
    key = (answer["side"], answer["item_id"], shown)
    return item_row(
        "proverbs", KIND, key, payload, builder=BUILDER, version=version("tashika"), parents=[answer["item_id"]]
    )
