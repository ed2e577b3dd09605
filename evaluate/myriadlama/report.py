"""MyriadLAMA's report: what was built, who accepted it and how models score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tashika.core.files import read_table
from tashika.core.workspace import Workspace
from tashika.evaluate.myriadlama.glossary import GLOSSARY
from tashika.evaluate.myriadlama.lite.plan import saving
from tashika.evaluate.myriadlama.published import BERT, LAMA_UHN, MISPRINTS, MYRIADLAMA
from tashika.evaluate.reporting.page import Context, at, provenance, read_metrics, shared_context, sources, write_page
from tashika.evaluate.reporting.plots import accuracy_distribution, relation_accuracy, reliability_diagram

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
_NEEDED: Final = (
    *("acc@1", "acc@10", "mrr", "consist@1", "overconf@1", "overconf@10", "n_prompts", "n_pairs"),
    *("fluctuation", "by_relation", "table_a1", "table_a2", "reliability", "coverage", "settings", "model", "release"),
)


def write_report(workspace: Workspace) -> Path:
    """Writes `evaluate/report.html` from the scores of all models, the release and the annotation.

    Args:
        workspace: The suite's folders. Scores are read from `evaluate/*/metrics.json`; `release/release.json`, the
            release's templates (for the relations' names) and `annotation/validation.json` where they exist.

    Returns:
        The page.

    Raises:
        MissingStageError: No model has been scored.
        InputError: A file is broken or lacks a number.
    """
    beside = {**sources(workspace), "templates": workspace.release / "templates" / "templates.parquet"}
    return write_page(workspace, _HERE, beside, lambda scores, files: _context(workspace, scores, files))


def _context(workspace: Workspace, scores: Sequence[Path], files: Mapping[str, Path]) -> Context:
    labels = _labels(files.get("templates"))
    models = [_model(path, labels) for path in scores]
    shared = shared_context(workspace, _HERE, models, files)
    reasons: dict[str, int] = {}
    for model in models:
        for reason, count in model["metrics"]["coverage"]["left_out"].items():
            reasons[reason] = reasons.get(reason, 0) + count
    return {
        **shared,
        "headline": _headline(models, shared["release"]),
        "labels": labels,
        "reasons": sorted(reasons, key=lambda reason: (-reasons[reason], reason)),
        "table_1": _TABLE_1,
        "lama_uhn": LAMA_UHN,
        "myriadlama": MYRIADLAMA,
        "published": BERT,
        "misprints": MISPRINTS,
        "interval_of": _interval,
        "glossary": GLOSSARY,
    }


def _model(path: Path, labels: Mapping[str, str]) -> dict[str, Any]:
    """One model's scores, figures (matplotlib escapes what it writes) and provenance."""
    from markupsafe import Markup

    metrics = read_metrics(path, _NEEDED)
    name = str(metrics["model"].get("name", path.parent.name))
    if "plan" in metrics:  # it may stand beside the same model asked everything
        name = f"{name}, plan ±{metrics['plan']['half_width']:g}"
    single = metrics.get("single_template") or {}
    return {
        "name": name,
        "metrics": metrics,
        "provenance": provenance(metrics, {key: metrics["settings"][key] for key in ("draws", "bins", "seed")}),
        "saving": saving(metrics) if "plan" in metrics else None,
        "distribution": Markup(
            accuracy_distribution(
                metrics["fluctuation"]["acc@1"], pooled=metrics["acc@1"], single=single.get("acc@1"), name=name
            )
        ),
        "reliability": Markup(reliability_diagram(metrics["reliability"]["bins"], name)),
        "relations": Markup(relation_accuracy(metrics["by_relation"], labels, name)),
    }


def _labels(templates: Path | None) -> dict[str, str]:
    """The relations' names by their ids, from the release's templates."""
    if templates is None:
        return {}
    table = read_table(templates)
    return {str(row["relation"]): str(row["relation_label"]) for row in table.to_pylist()}


def _headline(models: Sequence[Mapping[str, Any]], release: Mapping[str, Any]) -> str:
    """What was asked of whom, in one or two sentences."""
    counts = release.get("counts", {})
    coverage = [model["metrics"]["coverage"] for model in models]
    asked = {(found["pairs"]["asked"], found["prompts"]["asked"]) for found in coverage}
    questions, wordings = max(asked)
    who = "One model was" if len(models) == 1 else f"{len(models)} models were"
    most = "up to " if len(asked) > 1 else ""
    text = f"{who} asked {most}{questions:,} questions about the world in {most}{wordings:,} wordings."
    if "unique_triples" in counts and "templates" in counts:
        text += (
            f" The release behind them holds {counts['unique_triples']:,} facts and {counts['templates']:,} templates."
        )
    return text


def _interval(metrics: Mapping[str, Any], path: str) -> Mapping[str, Any] | None:
    """The interval of the number under a path such as `fluctuation/acc@1/range`; None where there is none."""
    number = " ".join(path.removeprefix("fluctuation/").split("/"))
    found: Mapping[str, Any] | None = at(metrics.get("intervals"), number) if "intervals" in metrics else None
    return found
