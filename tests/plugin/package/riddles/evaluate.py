"""The evaluation: the likelihood of each answer behind the riddle."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from tashika.core.files import read_table
from tashika.core.options import WORK, WorkOption
from tashika.core.stages import Stage
from tashika.core.workspace import Workspace
from tashika.evaluate.engine.recipe import Advance, Recipe
from tashika.evaluate.metrics import Metrics, ReleaseInfo, SystemInfo
from tashika.evaluate.options import DeviceOption, EngineOption, ModelOption
from tashika.evaluate.release_tables import read_identity
from tashika.evaluate.runs import LOCAL_LIBRARIES, forget, measure, predict, versions
from tashika.evaluate.suite import Evaluation
from tashika.evaluate.systems import How, System, systems_of

COLUMNS: list[pa.Field[Any]] = [
    pa.field("item_id", pa.string(), nullable=False),
    pa.field("chosen", pa.int32()),
    pa.field("answer", pa.int32()),
]
PREDICTIONS = pa.schema(COLUMNS)


class RiddleMetrics(Metrics):
    """How many riddles a model answers."""

    riddles: int
    accuracy: float


@dataclass(frozen=True)
class RiddleScorer:
    """A causal model that is ready for riddles."""

    model: Any
    rows: tuple[dict[str, Any], ...]

    def prepare(self, start: int, stop: int) -> Any:
        """The riddles of a stretch."""
        return self.rows[start:stop]

    def run(self, prepared: Any, advance: Advance = lambda _: None) -> Any:
        """The likelihoods of the options."""
        from tashika.evaluate.ways.options import Choice, score_options

        choices = [Choice("", f"Riddle: {row['text']} Answer:", row["options"]) for row in prepared]
        return score_options(self.model, choices, advance=advance)

    def table(self, prepared: Any, result: Any) -> pa.Table:
        """A row a riddle."""
        from tashika.evaluate.ways.options import pick

        rows = [
            {"item_id": row["item_id"], "chosen": pick(scores, "character"), "answer": row["answer"]}
            for row, scores in zip(prepared, result, strict=True)
        ]
        return pa.Table.from_pylist(rows, schema=PREDICTIONS)


@dataclass(frozen=True)
class RiddleRecipe(Recipe):
    """A model and the riddles that it is asked."""

    rows: tuple[dict[str, Any], ...]

    @property
    def schema(self) -> pa.Schema:
        """Of the predictions."""
        return PREDICTIONS

    @property
    def shard_size(self) -> int:
        """Riddles in a shard."""
        return 2

    def __len__(self) -> int:
        return len(self.rows)

    def make(self, device: str) -> RiddleScorer:
        """Loads the model."""
        from tashika.core.models import load_model
        from tashika.evaluate.engine.causal import CausalModel

        return RiddleScorer(CausalModel(load_model(self.name, device=device, dtype=self.dtype), None), self.rows)


def evaluate(workspace: Workspace, system: System) -> RiddleMetrics:
    """Scores one model."""
    known = read_identity(workspace.release, "riddles/test.parquet", "Run `tashika export riddles` first.")
    file = known.file("riddles/test.parquet")
    rows = tuple(read_table(file).to_pylist())
    folder = workspace.evaluate / system.folder()
    keys = {"model": system.describe(), "release": known.digest}
    stage = Stage("predictions", folder, [file], keys, [folder / "predictions.parquet"])
    recipe = RiddleRecipe(system.given, "causal", str(system.device), str(system.dtype), rows)
    stage.run(lambda: {"riddles": predict(stage, recipe, system, "riddles")}, what=f"{folder.name}, predictions")
    forget(stage, recipe)

    def numbers() -> RiddleMetrics:
        answers = read_table(stage.outputs[0], PREDICTIONS).to_pylist()
        release = ReleaseInfo(version=known.version, digest=known.digest, simulated=known.simulated)
        return RiddleMetrics(
            riddles=len(answers),
            accuracy=sum(row["chosen"] == row["answer"] for row in answers) / len(answers),
            model=SystemInfo(**system.describe()),
            release=release,
            versions=versions(*LOCAL_LIBRARIES),
        )

    scoring = Stage("metrics", folder, list(stage.outputs), keys, [folder / "metrics.json"])
    return measure(scoring, numbers, RiddleMetrics, lambda found: {"riddles": found.riddles}, f"{folder.name}, scores")


def command(
    model: ModelOption, device: DeviceOption = "auto", engine: EngineOption = "local", work: WorkOption = WORK
) -> None:
    """Ask models the riddles; write predictions and accuracy."""
    workspace = Workspace(work, "riddles")
    for system in systems_of(model, workspace, How(device, "auto", engine)):
        system.require_causal("to answer riddles")
        found = evaluate(workspace, system)
        print(f"{found.model.name}: {found.accuracy:.0%} of {found.riddles}")


def write_report(workspace: Workspace) -> Path:
    """Writes the page of all scored models."""
    from riddles.report import write_report as write

    return write(workspace)


EVALUATION = Evaluation(command, write_report)
