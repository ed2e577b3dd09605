"""MyriadLAMA's report: what was built, who accepted it and how models score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tashika.core.errors import MissingStageError
from tashika.core.files import read_table
from tashika.core.workspace import Workspace
from tashika.evaluate.metrics import read_metrics
from tashika.evaluate.myriadlama.answered import FILES, answered_examples
from tashika.evaluate.myriadlama.candidates_report import candidate_files, candidate_models, candidate_table
from tashika.evaluate.myriadlama.glossary import GLOSSARY
from tashika.evaluate.myriadlama.lite.saving import saving
from tashika.evaluate.myriadlama.main_figure import accuracy_interval, main_figure
from tashika.evaluate.myriadlama.metrics import MyriadLamaMetrics
from tashika.evaluate.myriadlama.plots import (
    accuracy_distribution,
    relation_accuracy,
    relation_order,
    reliability_diagram,
)
from tashika.evaluate.myriadlama.published import BERT, LAMA_UHN, MISPRINTS, MYRIADLAMA
from tashika.evaluate.myriadlama.tables import score_tables
from tashika.evaluate.myriadlama.turning_report import order_of
from tashika.evaluate.myriadlama.wordings_report import WordingsOfModel, pooled_table, wordings_of
from tashika.evaluate.reporting.page import Context, provenance, shared_context, sources, write_page
from tashika.evaluate.statistics.inference import Interval

if TYPE_CHECKING:
    from markupsafe import Markup

_HERE: Final = Path(__file__).parent
_TABLE_1: Final = (
    ("relations", "Relations"),
    ("templates", "Relation templates"),
    ("manual_templates", "… of these written by hand"),
    ("unique_triples", "Unique triples (facts)"),
    ("derived_triples", "Derived triples"),
    ("pairs", "Subject–relation pairs"),
    ("prompts", "Prompts"),
)


@dataclass(frozen=True)
class ScoredModel:
    """One model on the page.

    Attributes:
        name: What the page calls it.
        metrics: Its scores.
        provenance: What they depend on.
        interval: Of Acc@1; None where it is not known.
        saving: Of a plan or the lite set: what it saved; None where the numbers are no estimates.
        distribution: The figure of Acc@1 over draws.
        reliability: The reliability diagram.
        relations: The figure of Acc@1 by relation.
        wordings: What its prompts give together, and its best and worst templates.
    """

    name: str
    metrics: MyriadLamaMetrics
    provenance: Sequence[tuple[str, Any]]
    interval: Interval | None
    saving: str | None
    distribution: Markup
    reliability: Markup
    relations: Markup
    wordings: WordingsOfModel


def write_report(workspace: Workspace) -> Path:
    """Writes `evaluate/report.html` from the scores of all models, the release and the annotation.

    Args:
        workspace: The suite's folders. Scores are read from `evaluate/*/metrics.json`; `release/release.json`, the
            release's templates (for the relations' names), `evaluate/candidates/*/metrics.json` and
            `annotation/validation.json` where they exist.

    Returns:
        The page.

    Raises:
        MissingStageError: No model has been scored.
        InputError: A file is broken or lacks a number.
    """
    candidates = candidate_files(workspace)
    if candidates and not any(workspace.evaluate.glob("*/metrics.json")):
        raise MissingStageError(
            "models were asked for objects of several tokens alone, and the page is of both ways",
            where=str(workspace.evaluate),
            hint="Run `tashika evaluate myriadlama` without `--answers candidates`, too.",
        )
    tables = {name: workspace.release / name / f"{name}.parquet" for name in FILES}
    beside = {**sources(workspace), **tables, **candidates}
    return write_page(workspace, _HERE, beside, lambda scores, files: _context(workspace, scores, files))


def _context(workspace: Workspace, scores: Sequence[Path], files: Mapping[str, Path]) -> Context:
    labels = _labels(files.get("templates"))
    read = [read_metrics(path, MyriadLamaMetrics) for path in scores]
    order = relation_order([metrics.by_relation for metrics in read])
    models = [_model(path, metrics, labels, order) for path, metrics in zip(scores, read, strict=True)]
    candidates = candidate_models(files)
    shared = shared_context(workspace, _HERE, models, files)
    return {
        **shared,
        **score_tables([model.metrics for model in models]),
        "overview": main_figure(
            [(model.name, model.metrics) for model in models], [model.interval for model in models]
        ),
        "pooled_table": pooled_table([model.metrics.pooled for model in models]),
        "candidate_models": candidates,
        "candidate_table": candidate_table(candidates),
        "order": order_of(
            [model.name for model in models], [model.metrics for model in models], [path.parent for path in scores]
        ),
        "examples": answered_examples(
            [model.name for model in models], [path.parent / "predictions.parquet" for path in scores], files
        ),
        "headline": _headline(models, shared["release"]),
        "labels": labels,
        "reasons": _reasons(models),
        "table_1": _TABLE_1,
        "lama_uhn": LAMA_UHN,
        "myriadlama": MYRIADLAMA,
        "published": list(BERT),
        "misprints": MISPRINTS,
        "glossary": GLOSSARY,
    }


def _model(path: Path, metrics: MyriadLamaMetrics, labels: Mapping[str, str], order: Sequence[str]) -> ScoredModel:
    """One model's scores, figures (matplotlib escapes what it writes) and provenance."""
    from markupsafe import Markup

    single = metrics.single_template
    name = _name(metrics)
    distribution = accuracy_distribution(
        metrics.fluctuation["acc@1"], pooled=metrics.acc_at_1, single=single.acc_at_1 if single else None, name=name
    )
    return ScoredModel(
        name=name,
        metrics=metrics,
        provenance=provenance(metrics, metrics.settings.model_dump()),
        interval=accuracy_interval(metrics, path.parent / "predictions.parquet"),
        saving=saving(metrics) or None,
        distribution=Markup(distribution),
        reliability=Markup(reliability_diagram(metrics.reliability.bins, name)),
        relations=Markup(relation_accuracy(metrics.by_relation, labels, name, order)),
        wordings=wordings_of(metrics, labels, name),
    )


def _name(metrics: MyriadLamaMetrics) -> str:
    """What the page calls a model: one that was asked a part may stand beside itself asked everything."""
    name = metrics.model.name
    if metrics.plan:
        return f"{name}, plan ±{metrics.plan.half_width:g}"
    if metrics.lite:
        return f"{name}, lite set"
    return f"{name}, {metrics.sampling.words}" if metrics.sampling.words else name


def _labels(templates: Path | None) -> dict[str, str]:
    """The relations' names by their ids, from the release's templates."""
    if templates is None:
        return {}
    table = read_table(templates)
    return {str(row["relation"]): str(row["relation_label"]) for row in table.to_pylist()}


def _reasons(models: Sequence[ScoredModel]) -> list[str]:
    """Why prompts were left out, the most frequent reason of all models together first."""
    counts: dict[str, int] = {}
    for model in models:
        for reason, count in model.metrics.coverage.left_out.items():
            counts[reason] = counts.get(reason, 0) + count
    return sorted(counts, key=lambda reason: (-counts[reason], reason))


def _headline(models: Sequence[ScoredModel], release: Mapping[str, Any]) -> str:
    """How many models were asked what, in one or two sentences."""
    counts = release.get("counts", {})
    coverage = [model.metrics.coverage for model in models]
    asked = {(each.pairs.asked, each.prompts.asked) for each in coverage}
    questions, wordings = max(asked)
    who = "One model was" if len(models) == 1 else f"{len(models)} models were"
    most = "up to " if len(asked) > 1 else ""
    text = f"{who} asked {most}{questions:,} questions about the world in {most}{wordings:,} wordings."
    if "unique_triples" in counts and "templates" in counts:
        text += (
            f" The release behind them holds {counts['unique_triples']:,} facts and {counts['templates']:,} templates."
        )
    return text
