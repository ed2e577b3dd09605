"""TempRIPPLE's report: do models take the new fact in, keep the old ones, and carry both on to what hangs on them?

Tables 1, 2 and 3 and figure 3 of the paper (Niwa, Kaneko and Inui), with its numbers beside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tashika.core.files import read_table
from tashika.core.workspace import Workspace
from tashika.evaluate.metrics import read_metrics
from tashika.evaluate.reporting.intervals import Measure, Point
from tashika.evaluate.reporting.numbers import interval_of
from tashika.evaluate.reporting.overview import Overview, overview
from tashika.evaluate.reporting.page import Context, provenance, shared_context, sources, write_page
from tashika.evaluate.tempripple.answered import answered_examples
from tashika.evaluate.tempripple.answers import AGES, TASKS
from tashika.evaluate.tempripple.conditions import MEANINGS
from tashika.evaluate.tempripple.examples import read_examples
from tashika.evaluate.tempripple.glossary import GLOSSARY
from tashika.evaluate.tempripple.metrics import CONDITIONS
from tashika.evaluate.tempripple.metrics_model import (
    Cell,
    ContextTest,
    DurationTest,
    HopTest,
    RippleMetrics,
    Scoring,
)
from tashika.evaluate.tempripple.plots import accuracy_by_hop
from tashika.evaluate.tempripple.published import (
    COUNTS,
    FIGURE_2,
    MEAN_YEARS,
    REMARKS,
    TABLE_1,
    TABLE_2,
    TABLE_3,
    TABLE_4,
    TABLE_5,
)
from tashika.evaluate.tempripple.views import TASK_NAMES, Sides, shared_values

_HERE: Final = Path(__file__).parent
_COUNTS: Final = (
    ("facts", "Changing facts: (subject, property) pairs"),
    ("history", "Tenures, new and old"),
    ("related", "Related facts"),
    ("related_hop_1", "… one hop away"),
    ("related_hop_2", "… two hops away"),
    ("related_hop_3", "… three hops away"),
    ("questions", "Questions"),
)
_ONE_PLACE: Final = 0.9
"""A model that chooses the same place this often does not answer by content."""

_HOW: Final = {
    "text": "likelihood of each option's text after the question",
    "letter": "likelihood of each option's letter after the question and the listed options",
    "generate": "letter in the text that the model writes after the question and the listed options",
    "chat": "letter in the chat model's reply to the question and the listed options",
}
_SHORT: Final = {"text": "text", "letter": "letter", "generate": "own words", "chat": "chat"}


def write_report(workspace: Workspace) -> Path:
    """Writes `evaluate/report.html` from the scores of all models, the release and the annotation.

    Args:
        workspace: The suite's folders. Scores are read from `evaluate/*/metrics.json`; `release/release.json`, the
            release's facts, tenures and related facts (for names and Table 1) and `annotation/validation.json` where
            they exist.

    Returns:
        The page.

    Raises:
        MissingStageError: No model has been scored.
        InputError: A file is broken or lacks a number.
    """
    names = ("facts", "history", "related", "questions")
    tables = {name: workspace.release / name / f"{name}.parquet" for name in names}
    return write_page(
        workspace, _HERE, {**sources(workspace), **tables}, lambda scores, files: _context(workspace, scores, files)
    )


def _context(workspace: Workspace, scores: Sequence[Path], files: Mapping[str, Path]) -> Context:
    models = [ScoredModel.read(path) for path in scores]
    shared = shared_context(workspace, _HERE, models, files)
    return {
        **shared,
        "headline": _headline(models, shared["release"]),
        "labels": _labels(files),
        "counts": _COUNTS,
        "published_counts": COUNTS,
        "properties": _table_1(files.get("history")),
        "published_properties": TABLE_1,
        "published_years": MEAN_YEARS,
        "published_2": TABLE_2,
        "published_3": TABLE_3,
        "remarks": REMARKS,
        "tasks": TASKS,
        "related": [task for task in TASKS if task.startswith("related")],
        "task_names": TASK_NAMES,
        "conditions": CONDITIONS,
        "glossary": GLOSSARY,
        "overview": _overview(models),
        "wording": read_examples(files),
        "examples": answered_examples(
            [model.name for model in models],
            [path.parent / "predictions.parquet" for path in scores],
            files.get("questions"),
        ),
        "published_figure_2": FIGURE_2,
        "published_4": TABLE_4,
        "published_5": TABLE_5,
        "meanings": MEANINGS,
        **shared_values([model.sides for model in models]),
    }


def _headline(models: Sequence[ScoredModel], release: Mapping[str, Any]) -> str:
    """What was asked of whom, in one or two sentences."""
    asked = {(model.metrics.questions, model.metrics.subjects) for model in models}
    questions, subjects = max(asked)
    names = {model.metrics.model.name for model in models}
    who = "One model was" if len(names) == 1 else f"{len(names)} models were"
    ways = f", in {len(models)} ways altogether" if len(models) > len(names) else ""
    most = "up to " if len(asked) > 1 else ""
    about = "one subject" if subjects == 1 else f"{subjects:,} subjects"
    text = f"{who} asked {most}{questions:,} questions on {about}, without and with the new fact before them{ways}."
    counts = release.get("counts", {})
    if {"facts", "history", "related"} <= set(counts):
        text += (
            f" The release behind them holds {counts['facts']:,} changing facts with {counts['history']:,} tenures, "
            f"and {counts['related']:,} related facts."
        )
    return text


def _overview(models: Sequence[ScoredModel]) -> Overview | None:
    """New and old facts, without and with the new fact before the question."""
    measures = [
        Measure(f"{age.capitalize()} facts, {words}", _points(models, f"{age}/0/{condition}"))
        for age in AGES
        for condition, words in (("without", "alone"), ("with", "after the new fact"))
    ]
    return overview(
        measures,
        title="Accuracy on the changing facts themselves",
        label="accuracy",
        lines={"chance": models[0].metrics.chance},
        caption="Bars are 95 % intervals, over subjects; Wilson's where all answers of a model are right or wrong.",
    )


def _points(models: Sequence[ScoredModel], key: str) -> list[Point]:
    cells = [(model.name, model.cells[key]) for model in models if key in model.cells]
    points = []
    for name, cell in cells:
        ends = interval_of(cell.accuracy, cell.answered, cell.interval)
        if cell.accuracy is not None and ends is not None:
            points.append(Point(name, cell.accuracy, *ends))
    return points


def _labels(files: Mapping[str, Path]) -> dict[str, str]:
    """The properties' names by their ids, from the release's facts and related facts."""
    labels: dict[str, str] = {}
    for name in ("related", "facts"):
        if name in files:
            table = read_table(files[name], columns=["relation", "relation_label"])
            labels |= {str(row["relation"]): str(row["relation_label"]) for row in _distinct(table)}
    return labels


def _distinct(table: Any) -> list[dict[str, Any]]:
    """The different rows of a table."""
    rows: list[dict[str, Any]] = table.group_by(table.column_names).aggregate([]).to_pylist()
    return rows


def _table_1(history: Path | None) -> list[dict[str, Any]]:
    """Table 1 of the release: a row a changing property, and its tenures' years; the most facts first."""
    if history is None:
        return []
    table = read_table(history, columns=["relation", "subject", "years"])
    grouped = table.group_by("relation").aggregate(
        [("subject", "count_distinct"), ("years", "count"), ("years", "mean"), ("years", "max")]
    )
    rows = [
        {
            "relation": row["relation"],
            "facts": row["subject_count_distinct"],
            "tenures": row["years_count"],
            "mean": row["years_mean"],
            "longest": row["years_max"],
        }
        for row in grouped.to_pylist()
    ]
    return sorted(rows, key=lambda row: (-row["facts"], row["relation"]))


# One model ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class OnePlace:
    """The option that nearly all choices fell on: its place, from 1, and their share."""

    place: int
    share: float


@dataclass(frozen=True)
class PaperCell:
    """A cell of the paper's Table 2: the accuracy, the signs of tests, and the difference with its arrow."""

    accuracy: float | None
    marks: list[str]
    delta: str


@dataclass(frozen=True)
class TaskRow:
    """A task and hop: its two cells (without, with), and their tests."""

    name: str
    cells: list[Cell | None]
    context: ContextTest
    hops: list[HopTest | None]


@dataclass(frozen=True)
class ScoredModel:
    """One model's scores as the page shows them; see `reporting.page.Scored`.

    Attributes:
        name: The model and how it was asked.
        metrics: Its scores.
        provenance: What they depend on.
        how: How an option is chosen, in words.
        format: The lines of a prompt.
        cells: Accuracies by "task/hop/condition".
        contexts: With against without context, by "task/hop".
        table_2: The paper's eight cells.
        rows: Every task and hop.
        durations: Correlations by "task/0/condition".
        figures: Figure 3 by age.
        one_place: Where it answered by the place of the option.
        sides: Its numbers by kind of question.
    """

    name: str
    metrics: RippleMetrics
    provenance: Sequence[tuple[str, Any]]
    how: str
    format: list[str]
    cells: Mapping[str, Cell]
    contexts: Mapping[str, ContextTest]
    table_2: list[PaperCell]
    rows: list[TaskRow]
    durations: Mapping[str, DurationTest]
    figures: Mapping[str, Any]
    one_place: OnePlace | None
    sides: Sides

    @classmethod
    def read(cls, path: Path) -> ScoredModel:
        """The model whose `metrics.json` this is."""
        metrics = read_metrics(path, RippleMetrics)
        scoring, statistics = metrics.scoring, metrics.statistics
        settings: dict[str, Any] = {"scoring": scoring.options, "norm": scoring.norm}
        settings |= {"resamples": statistics.resamples, "seed": statistics.seed}
        name = _name(metrics)
        return cls(
            name,
            metrics,
            provenance(metrics, settings),
            _how(scoring),
            [scoring.format[part] for part in _lines(scoring) if scoring.format.get(part)],
            _cells(metrics),
            {_key(test.task, test.hop): test for test in metrics.contexts},
            _table_2(metrics),
            _rows(metrics),
            {_key(test.task, 0, test.with_context): test for test in metrics.durations},
            _figures(metrics, name),
            _one_place(metrics),
            Sides.of(metrics),
        )


def _one_place(metrics: RippleMetrics) -> OnePlace | None:
    """The letter or place that nearly all choices fell on; None where the content seems to matter."""
    places = metrics.bias.letters if metrics.bias else metrics.places
    chosen = [sum(pair) for pair in zip(places["without"], places["with"], strict=True)]
    most, total = max(chosen, default=0), sum(chosen)
    if not total or most / total < _ONE_PLACE:
        return None
    return OnePlace(chosen.index(most) + 1, most / total)


def _name(metrics: RippleMetrics) -> str:
    """The model and how it was asked: it may stand beside itself asked otherwise."""
    scoring, sampling = metrics.scoring, metrics.sampling
    how = _SHORT.get(scoring.options, scoring.options)
    if scoring.options == "text" and scoring.norm != "none":
        how += f" per {scoring.norm}"
    how += f", {scoring.orders} orders" if scoring.orders > 1 else ""
    how += ", chat template" if scoring.chat_template else ""
    sample = "" if sampling.whole else f", {sampling.facts.drawn:,} facts"
    return f"{metrics.model.name} ({how}{sample})"


def _how(scoring: Scoring) -> str:
    words = _HOW.get(scoring.options, scoring.options)
    divided = scoring.options == "text" and scoring.norm != "none"
    words += f", divided by its {scoring.norm}s" if divided else ""
    if scoring.orders > 1:
        pooled = "the choice of most of them" if scoring.options in {"generate", "chat"} else "the mean of their shares"
        words += f"; asked in {scoring.orders} orders of the options, and {pooled} counts"
    return f"{words}; behind the model's chat template" if scoring.chat_template else words


def _lines(scoring: Scoring) -> tuple[str, ...]:
    """The parts of a prompt; behind a chat template no cue is needed where a text is the reply."""
    replied = scoring.chat_template and scoring.options == "text"
    return ("context", "question") if replied else ("context", "question", "cue")


def _key(task: str, hop: int, with_context: bool | None = None) -> str:
    return f"{task}/{hop}" if with_context is None else f"{task}/{hop}/{CONDITIONS[int(with_context)]}"


def _cells(metrics: RippleMetrics) -> dict[str, Cell]:
    return {_key(cell.task, cell.hop, cell.with_context): cell for cell in metrics.cells}


def _hops(metrics: RippleMetrics) -> dict[str, HopTest]:
    return {_key(test.task, test.hop, test.with_context): test for test in metrics.hops}


def _table_2(metrics: RippleMetrics) -> list[PaperCell]:
    """The paper's eight cells: new, related to new (hop 1), old, related to old (hop 1), each without and with."""
    alpha = metrics.statistics.alpha
    cells, hops = _cells(metrics), _hops(metrics)
    contexts = {_key(test.task, test.hop): test for test in metrics.contexts}
    table = []
    for task in TASKS:
        hop = int(task.startswith("related"))
        for with_context in (False, True):
            key = _key(task, hop, with_context)
            context = contexts.get(_key(task, hop)) if with_context else None
            marks = [_mark("†", hops.get(key), alpha), _mark("‡", context, alpha)]
            table.append(
                PaperCell(
                    cells[key].accuracy if key in cells else None,
                    [mark for mark in marks if mark],
                    _arrow(context.delta) if context else "",
                )
            )
    return table


def _mark(sign: str, test: ContextTest | HopTest | None, alpha: float) -> str:
    """The sign of a test whose p is below alpha, in brackets if it is not after Holm's correction."""
    if test is None or test.p is None or test.p >= alpha:
        return ""
    return sign if test.p_holm is not None and test.p_holm < alpha else f"({sign})"


def _arrow(delta: float | None) -> str:
    """A difference as the paper prints it: ↑.41."""
    if delta is None:
        return ""
    digits = f"{abs(delta):.2f}".removeprefix("0")
    return f"±{digits}" if digits == ".00" else f"{'↑' if delta > 0 else '↓'}{digits}"


def _rows(metrics: RippleMetrics) -> list[TaskRow]:
    """Every task and hop with both conditions and the tests, in the order of Table 2."""
    cells, hops = _cells(metrics), _hops(metrics)
    rows = []
    for context in sorted(metrics.contexts, key=lambda test: (TASKS.index(test.task), test.hop)):
        keys = [_key(context.task, context.hop, with_context) for with_context in (False, True)]
        name = TASK_NAMES[context.task] + (f", hop {context.hop}" if context.hop else "")
        rows.append(TaskRow(name, [cells.get(key) for key in keys], context, [hops.get(key) for key in keys]))
    return rows


def _figures(metrics: RippleMetrics, name: str) -> dict[str, Any]:
    """Figure 3 by age, for those that were asked about (matplotlib escapes what it writes)."""
    from markupsafe import Markup

    figures = {}
    for age in AGES:
        cells = [cell for cell in metrics.cells if cell.task.removeprefix("related_") == age]
        if cells:
            figures[age] = Markup(accuracy_by_hop(cells, age=age, chance=metrics.chance, name=name))
    return figures
