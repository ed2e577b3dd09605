"""`tashika report`: what was built, who accepted it and how models score, as one page without outside requests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from tashika.core.errors import InputError, MissingStageError
from tashika.core.files import hash_file, read_json, read_table, write_text
from tashika.core.stages import Stage
from tashika.core.suites import suite_named
from tashika.core.workspace import Workspace
from tashika.evaluate.glossary import GLOSSARY
from tashika.evaluate.plan import saving
from tashika.evaluate.plots import accuracy_distribution, relation_accuracy, reliability_diagram
from tashika.evaluate.published import BERT, LAMA_UHN, MISPRINTS, MYRIADLAMA

_TEMPLATES: Final = Path(__file__).parent / "templates"
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
    scores = sorted(workspace.evaluate.glob("*/metrics.json"))
    if not scores:
        raise MissingStageError(
            "no model has been scored yet",
            where=str(workspace.evaluate),
            hint=f"Run `tashika evaluate {workspace.suite} --model NAME_OR_PATH` first.",
        )
    page = workspace.evaluate / "report.html"
    inputs = [*scores, *_beside(workspace).values()]
    stage = Stage(
        "report",
        workspace.evaluate,
        inputs=inputs,
        settings={
            "suite": workspace.suite,
            "models": [path.parent.name for path in scores],
            "layout": [hash_file(path) for path in sorted(_TEMPLATES.iterdir())],
        },
        outputs=[page],
    )

    def work() -> dict[str, Any]:
        write_text(page, render(_context(workspace, scores)))
        return {"models": len(scores)}

    stage.run(work, what="report")
    return page


def render(context: Mapping[str, Any]) -> str:
    """Fills the page's template."""
    from jinja2 import ChainableUndefined, Environment, FileSystemLoader

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=ChainableUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(
        at=_at,
        count=_count,
        fraction=_fraction,
        interval=_interval,
        percent=_percent,
        points=_points,
        share=_share,
        shown=_shown,
    )
    environment.filters["signed"] = _signed
    return environment.get_template("report.html.j2").render(**context)


def _beside(workspace: Workspace) -> dict[str, Path]:
    """Files that the page uses where they exist."""
    return {
        "release": workspace.release / "release.json",
        "validation": workspace.annotation / "validation.json",
        "templates": workspace.release / "templates" / "templates.parquet",
    }


def _context(workspace: Workspace, scores: Sequence[Path]) -> dict[str, Any]:
    from markupsafe import Markup

    files = {name: path for name, path in _beside(workspace).items() if path.exists()}
    labels = _labels(files.get("templates"))
    models = [_model(path, labels) for path in scores]
    release = read_json(files["release"]) if "release" in files else models[0]["metrics"]["release"]
    validation = read_json(files["validation"]) if "validation" in files else {}
    simulated_kinds = sorted(name for name, kind in validation.items() if kind.get("simulated"))
    reasons: dict[str, int] = {}
    for model in models:
        for reason, count in model["metrics"]["coverage"]["left_out"].items():
            reasons[reason] = reasons.get(reason, 0) + count
    return {
        "suite": workspace.suite,
        "title": suite_named(workspace.suite).title,
        "headline": _headline(models, release),
        "simulated": bool(release.get("simulated") or simulated_kinds),
        "simulated_kinds": simulated_kinds,
        "problems": _problems(models, release),
        "models": models,
        "labels": labels,
        "release": release,
        "validation": validation,
        "reasons": sorted(reasons, key=lambda reason: (-reasons[reason], reason)),
        "table_1": _TABLE_1,
        "lama_uhn": LAMA_UHN,
        "myriadlama": MYRIADLAMA,
        "published": BERT,
        "misprints": MISPRINTS,
        "glossary": GLOSSARY,
        "version": version("tashika"),
        "css": Markup((_TEMPLATES / "report.css").read_text(encoding="utf-8")),
    }


def _model(path: Path, labels: Mapping[str, str]) -> dict[str, Any]:
    """One model's scores, figures (matplotlib escapes what it writes) and provenance."""
    from markupsafe import Markup

    metrics = read_json(path)
    missing = [key for key in _NEEDED if key not in metrics] if isinstance(metrics, dict) else list(_NEEDED)
    if missing:
        raise InputError(
            f"the key {missing[0]!r} is missing", where=str(path), hint="Delete the file and evaluate the model again."
        )
    name = str(metrics["model"].get("name", path.parent.name))
    if "plan" in metrics:  # it may stand beside the same model asked everything
        name = f"{name}, plan ±{metrics['plan']['half_width']:g}"
    single = metrics.get("single_template") or {}
    return {
        "name": name,
        "metrics": metrics,
        "provenance": _provenance(metrics),
        "saving": saving(metrics) if "plan" in metrics else None,
        "distribution": Markup(
            accuracy_distribution(
                metrics["fluctuation"]["acc@1"], pooled=metrics["acc@1"], single=single.get("acc@1"), name=name
            )
        ),
        "reliability": Markup(reliability_diagram(metrics["reliability"]["bins"], name)),
        "relations": Markup(relation_accuracy(metrics["by_relation"], labels, name)),
    }


def _provenance(metrics: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """What the scores depend on: the model's identity, the software's versions, the settings, the release."""
    model = {key: value for key, value in metrics["model"].items() if key not in {"name", "note"}}
    rows = {**model, **metrics.get("versions", {})}
    rows |= {"draws": metrics["settings"]["draws"], "bins": metrics["settings"]["bins"]}
    rows |= {"seed": metrics["settings"]["seed"], "scored release": metrics["release"].get("digest")}
    return [(str(key), value) for key, value in rows.items() if value is not None]


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


def _problems(models: Sequence[Mapping[str, Any]], release: Mapping[str, Any]) -> list[str]:
    """What a reader must know before comparing."""
    problems = []
    for model in models:
        scored = model["metrics"]["release"].get("digest")
        if scored != release.get("digest"):
            problems.append(
                f"{model['name']} was scored on another release ({str(scored)[:12]}) than the one that lies here "
                f"({str(release.get('digest'))[:12]}): evaluate it again before comparing."
            )
    return problems


# How values look. None and what a file does not say are shown as a dash.
_DASH: Final = "–"


def _known(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _at(value: Any, path: str) -> Any:
    """The value under a path such as `fluctuation/acc@1/range`, None where there is none."""
    for key in path.split("/"):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _interval(metrics: Mapping[str, Any], path: str) -> Mapping[str, Any] | None:
    """The interval of the number under a path such as `fluctuation/acc@1/range`; None where there is none."""
    number = " ".join(path.removeprefix("fluctuation/").split("/"))
    found: Mapping[str, Any] | None = _at(metrics.get("intervals"), number) if "intervals" in metrics else None
    return found


def _count(value: Any) -> str:
    return f"{value:,}" if _known(value) else _DASH


def _fraction(value: Any) -> str:
    return f"{value:.4f}".replace("-", "−") if _known(value) else _DASH


def _signed(value: Any) -> str:
    return f"{value:+.4f}".replace("-", "−") if _known(value) else _DASH


def _percent(value: Any) -> str:
    return f"{value:.1%}" if _known(value) else _DASH


def _points(value: Any) -> str:
    return f"{100 * value:.1f} points" if _known(value) else _DASH


def _share(value: Any) -> str:
    """A percentage that may stand as a share of 1 or of 100."""
    return _percent(value / 100 if _known(value) and value > 1 else value)


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {each}" for key, each in value.items())
    return str(value) if value is not None and str(value) else _DASH
