"""The report's part on objects of any number of tokens, ranked among the candidates of their relation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tashika.core.workspace import Workspace
from tashika.evaluate.metrics import read_metrics
from tashika.evaluate.myriadlama.candidate_numbers import CandidateMetrics
from tashika.evaluate.myriadlama.candidate_run import FOLDER
from tashika.evaluate.myriadlama.tables import Cell, Group, Row
from tashika.evaluate.myriadlama.wording_numbers import Estimate
from tashika.evaluate.myriadlama.wording_plots import abstention_figure

if TYPE_CHECKING:
    from markupsafe import Markup


@dataclass(frozen=True)
class CandidateModel:
    """One model on the page.

    Attributes:
        name: What the page calls it.
        metrics: Its scores.
        abstention: The figure of what it may leave out.
    """

    name: str
    metrics: CandidateMetrics
    abstention: Markup


def candidate_files(workspace: Workspace) -> dict[str, Path]:
    """The scores of all models that were asked so, by a name for each."""
    return {
        f"{FOLDER}/{path.parent.name}": path for path in sorted(workspace.evaluate.glob(f"{FOLDER}/*/metrics.json"))
    }


def candidate_models(files: Mapping[str, Path]) -> list[CandidateModel]:
    """The models among the files of a page."""
    from markupsafe import Markup

    models = []
    for name, path in files.items():
        if name.startswith(f"{FOLDER}/"):
            metrics = read_metrics(path, CandidateMetrics)
            figure = abstention_figure(metrics.pooled.abstention, f"{metrics.model.name} among candidates")
            models.append(CandidateModel(metrics.model.name, metrics, Markup(figure)))
    return models


_Value = float | Estimate | None

_TABLE: Final[Sequence[tuple[str, Sequence[tuple[str, Callable[[CandidateMetrics], _Value]]]]]] = (
    (
        "Over all prompts",
        (
            ("Acc@1 by chance", lambda scores: scores.chance),
            ("Acc@1", lambda scores: scores.belief.acc_at_1),
            ("MRR", lambda scores: scores.belief.mrr),
            ("Fluctuation of Acc@1: range", lambda scores: scores.belief.fluctuation["acc@1"].range),
            ("Fluctuation of Acc@1: stdev", lambda scores: scores.belief.fluctuation["acc@1"].stdev),
            ("Consist@1", lambda scores: scores.belief.consist_at_1),
            ("Overconf@1", lambda scores: scores.belief.overconf_at_1),
        ),
    ),
    (
        "One answer to a question from all its prompts",
        (
            ("One prompt, drawn at random", lambda scores: scores.pooled.one_prompt),
            ("Vote: the most frequent object", lambda scores: scores.pooled.vote),
            ("Ensemble: the mean distribution", lambda scores: scores.ensemble.accuracy),
            ("Ensemble minus one prompt", lambda scores: scores.ensemble.gain),
            ("Any prompt is right", lambda scores: scores.pooled.any_prompt),
            ("Probability of the right objects in the mean", lambda scores: scores.ensemble.mean_probability),
        ),
    ),
)


def candidate_table(models: Sequence[CandidateModel]) -> list[Group]:
    """The numbers, a column a model."""
    return [
        Group(title, [Row(name, [_cell(read(model.metrics)) for model in models], ()) for name, read in rows])
        for title, rows in _TABLE
    ]


def _cell(value: _Value) -> Cell:
    if isinstance(value, Estimate):
        return Cell(value.value, None if value.low is None else value)
    return Cell(value, None)
