"""The report's tables of scores: the models' numbers beside those that the paper prints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tashika.evaluate.myriadlama.metrics import (
    ByTemplate,
    EstimatedNumber,
    Measure,
    MyriadLamaMetrics,
    PaperScores,
    TableA1,
)
from tashika.evaluate.myriadlama.published import BERT, OVERCONF_AT_10
from tashika.evaluate.myriadlama.wording_numbers import Estimate

Read = Callable[[PaperScores], float | None]
ReadEstimate = Callable[[MyriadLamaMetrics], Estimate | None]


@dataclass(frozen=True)
class Cell:
    """A number of one model.

    Attributes:
        value: None where it cannot be computed.
        interval: Where a plan estimates it, or draws of pairs give one.
    """

    value: float | None
    interval: EstimatedNumber | Estimate | None


@dataclass(frozen=True)
class Row:
    """One number of all models.

    Attributes:
        title: What it is.
        cells: Of each model.
        printed: Of each column of the paper.
    """

    title: str
    cells: Sequence[Cell]
    printed: Sequence[float | None]


@dataclass(frozen=True)
class Group:
    """Rows under a heading; without one if it is empty."""

    title: str
    rows: Sequence[Row]


@dataclass(frozen=True)
class _Number:
    """A row to fill.

    Attributes:
        title: What it is.
        read: Reads its number of a model.
        interval: Its name among the intervals of a plan.
        estimate: Reads its number and interval, where that is not a number that the paper has.
        printed: The paper's figures by model, where they do not follow from the same definition.
    """

    title: str
    read: Read
    interval: str | None = None
    estimate: ReadEstimate | None = None
    printed: Mapping[str, float] | None = None


def score_tables(models: Sequence[MyriadLamaMetrics]) -> dict[str, list[Group]]:
    """Tables 2, A.1 and A.2 of these models."""
    tables = {"table_2": _TABLE_2, "table_a1": _TABLE_A1, "table_a2": _TABLE_A2}
    return {
        name: [Group(title, [_row(number, models) for number in numbers]) for title, numbers in groups]
        for name, groups in tables.items()
    }


def _row(number: _Number, models: Sequence[MyriadLamaMetrics]) -> Row:
    cells = [_cell(number, metrics) for metrics in models]
    if number.printed is not None:
        return Row(number.title, cells, [number.printed.get(name) for name in BERT])
    return Row(number.title, cells, [number.read(printed) for printed in BERT.values()])


def _cell(number: _Number, metrics: MyriadLamaMetrics) -> Cell:
    if number.estimate is None:
        return Cell(number.read(metrics), _interval(metrics, number.interval))
    estimate = number.estimate(metrics)
    return Cell(estimate.value if estimate else None, estimate)


def _interval(metrics: MyriadLamaMetrics, name: str | None) -> EstimatedNumber | None:
    return metrics.intervals.get(name) if metrics.intervals and name else None


def _fluctuation(title: str, measure: Measure, spread: str) -> _Number:
    return _Number(title, lambda scores: float(getattr(scores.fluctuation[measure], spread)), f"{measure} {spread}")


def _fluctuations(spread: str) -> tuple[_Number, ...]:
    return (
        _fluctuation("Acc@1", "acc@1", spread),
        _fluctuation("Acc@10", "acc@10", spread),
        _fluctuation("MRR", "mrr", spread),
    )


def _single_acc_at_1(scores: PaperScores) -> float | None:
    return scores.single_template.acc_at_1 if scores.single_template else None


def _single_acc_at_10(scores: PaperScores) -> float | None:
    return scores.single_template.acc_at_10 if scores.single_template else None


def _single_mrr(scores: PaperScores) -> float | None:
    return scores.single_template.mrr if scores.single_template else None


def _lama_acc_at_1(metrics: MyriadLamaMetrics) -> Estimate | None:
    return metrics.lama_uhn.acc_at_1 if metrics.lama_uhn else None


def _lama_acc_at_10(metrics: MyriadLamaMetrics) -> Estimate | None:
    return metrics.lama_uhn.acc_at_10 if metrics.lama_uhn else None


def _lama_mrr(metrics: MyriadLamaMetrics) -> Estimate | None:
    return metrics.lama_uhn.mrr if metrics.lama_uhn else None


def _by_prompts(scores: PaperScores) -> ByTemplate:
    """Acc@1 of the worst, best and mean template, averaged with the relations' prompts as weights."""
    return scores.table_a1.weighted if isinstance(scores.table_a1, TableA1) else scores.table_a1


_Groups = Sequence[tuple[str, Sequence[_Number]]]

_TABLE_2: Final[_Groups] = (
    (
        "LAMA-UHN: LAMA's own template, label and objects (higher is better)",
        (
            _Number("Acc@1", _single_acc_at_1, estimate=_lama_acc_at_1),
            _Number("Acc@10", _single_acc_at_10, estimate=_lama_acc_at_10),
            _Number("MRR", _single_mrr, estimate=_lama_mrr),
        ),
    ),
    (
        "One prompt a pair: our first manual template, the label, all objects of the release (higher is better)",
        (
            _Number("Acc@1", _single_acc_at_1, printed={}),
            _Number("Acc@10", _single_acc_at_10, printed={}),
            _Number("MRR", _single_mrr, printed={}),
        ),
    ),
    (
        "Accuracy over all prompts (higher is better)",
        (
            _Number("Acc@1", lambda scores: scores.acc_at_1, "acc@1"),
            _Number("Acc@10", lambda scores: scores.acc_at_10, "acc@10"),
            _Number("MRR", lambda scores: scores.mrr, "mrr"),
        ),
    ),
    ("Fluctuation: range over the draws (lower is better)", _fluctuations("range")),
    ("Fluctuation: standard deviation over the draws (lower is better)", _fluctuations("stdev")),
    (
        "Consistency (higher is better)",
        (_Number("Consist@1", lambda scores: scores.consist_at_1, "consist@1"),),
    ),
    (
        "Reliability (closer to zero is better)",
        (
            _Number("Overconf@1", lambda scores: scores.overconf_at_1, "overconf@1"),
            _Number("Overconf@10, by equation 6", lambda scores: scores.overconf_at_10, "overconf@10"),
            _Number("Overconf@10, mass of ten answers", lambda scores: scores.mass_overconf_at_10, "overconf@10 mass"),
            _Number("Overconf@10 as printed, definition unknown", lambda _: None, printed=OVERCONF_AT_10),
        ),
    ),
)

_TABLE_A1: Final[_Groups] = (
    (
        "Every prompt weighs the same (the printed mean is that of Table 2, which only these weights give)",
        (
            _Number("Worst template", lambda scores: _by_prompts(scores).min),
            _Number("Best template", lambda scores: _by_prompts(scores).max),
            _Number("Mean template", lambda scores: _by_prompts(scores).mean),
        ),
    ),
    (
        "Every relation weighs the same (the text of A.1.2.1)",
        (
            _Number("Worst template", lambda scores: scores.table_a1.min, printed={}),
            _Number("Best template", lambda scores: scores.table_a1.max, printed={}),
            _Number("Mean template", lambda scores: scores.table_a1.mean, printed={}),
        ),
    ),
    (
        "For comparison",
        (
            _Number("LAMA-UHN: LAMA's own prompt", _single_acc_at_1, estimate=_lama_acc_at_1),
            _Number("One prompt a pair: our first manual template", _single_acc_at_1, printed={}),
        ),
    ),
)

_TABLE_A2: Final[_Groups] = (
    (
        "Only the subject's alias",
        (
            _Number("Consist@1", lambda scores: scores.table_a2.subject.consist_at_1),
            _Number("Acc@1, worst alias", lambda scores: scores.table_a2.subject.min),
            _Number("Acc@1, best alias", lambda scores: scores.table_a2.subject.max),
        ),
    ),
    (
        "Only the template",
        (
            _Number("Consist@1", lambda scores: scores.table_a2.template.consist_at_1),
            _Number("Acc@1, worst template", lambda scores: scores.table_a2.template.min),
            _Number("Acc@1, best template", lambda scores: scores.table_a2.template.max),
        ),
    ),
)
