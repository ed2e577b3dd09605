"""TempRIPPLE's report: do models take the new fact in, keep the old ones, and carry both on to what hangs on them?

Tables 1, 2 and 3 and figure 3 of the paper (Niwa, Kaneko and Inui), with its numbers beside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tashika.core.files import read_table
from tashika.core.workspace import Workspace
from tashika.evaluate.reporting.page import Context, provenance, read_metrics, shared_context, sources, write_page
from tashika.evaluate.tempripple.answers import AGES, TASKS
from tashika.evaluate.tempripple.glossary import GLOSSARY
from tashika.evaluate.tempripple.metrics import CONDITIONS
from tashika.evaluate.tempripple.plots import accuracy_by_hop
from tashika.evaluate.tempripple.published import COUNTS, MEAN_YEARS, REMARKS, TABLE_1, TABLE_2, TABLE_3

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

_NEEDED: Final = (
    *("cells", "contexts", "hops", "durations", "by_relation", "by_last_relation", "problems", "places"),
    *("questions", "subjects", "n", "answered", "chance", "statistics", "scoring", "model", "release"),
)
_TASK_NAMES: Final = {
    "new": "New facts",
    "related_new": "Related to new facts",
    "old": "Old facts",
    "related_old": "Related to old facts",
}
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
    tables = {name: workspace.release / name / f"{name}.parquet" for name in ("facts", "history", "related")}
    return write_page(
        workspace, _HERE, {**sources(workspace), **tables}, lambda scores, files: _context(workspace, scores, files)
    )


def _context(workspace: Workspace, scores: Sequence[Path], files: Mapping[str, Path]) -> Context:
    models = [_model(path) for path in scores]
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
        "task_names": _TASK_NAMES,
        "conditions": CONDITIONS,
        "glossary": GLOSSARY,
    }


def _headline(models: Sequence[Mapping[str, Any]], release: Mapping[str, Any]) -> str:
    """What was asked of whom, in one or two sentences."""
    asked = {(model["metrics"]["questions"], model["metrics"]["subjects"]) for model in models}
    questions, subjects = max(asked)
    names = {model["metrics"]["model"].get("name", model["name"]) for model in models}
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


def _labels(files: Mapping[str, Path]) -> dict[str, str]:
    """The properties' names by their ids, from the release's facts and related facts."""
    labels: dict[str, str] = {}
    for name in ("related", "facts"):
        if name in files:
            table = read_table(files[name], columns=["relation", "relation_label"])
            labels |= {str(row["relation"]): str(row["relation_label"]) for row in _distinct(table)}
    return labels


def _distinct(table: Any) -> list[dict[str, Any]]:
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


def _model(path: Path) -> dict[str, Any]:
    """One model's scores as the page shows them, figures and provenance."""
    metrics = read_metrics(path, _NEEDED)
    name = _name(metrics, path.parent.name)
    scoring = metrics["scoring"]
    settings = {"scoring": scoring["options"], "norm": scoring.get("norm")}
    settings |= {"resamples": metrics["statistics"]["resamples"], "seed": metrics["statistics"]["seed"]}
    return {
        "name": name,
        "metrics": metrics,
        "how": _how(scoring),
        "format": _lines(scoring.get("format") or {}),
        "provenance": provenance(metrics, settings),
        "cells": {_key(cell["task"], cell["hop"], cell["with_context"]): cell for cell in metrics["cells"]},
        "contexts": {_key(row["task"], row["hop"]): row for row in metrics["contexts"]},
        "table_2": _table_2(metrics),
        "rows": _rows(metrics),
        "durations": {_key(row["task"], 0, row["with_context"]): row for row in metrics["durations"]},
        "figures": _figures(metrics, name),
        "one_place": _one_place(metrics["places"]),
    }


def _one_place(places: Mapping[str, Any]) -> dict[str, Any] | None:
    """The option that nearly all choices fell on, and their share; None where the content seems to matter."""
    chosen = [sum(pair) for pair in zip(places["without"], places["with"], strict=True)]
    most, total = max(chosen, default=0), sum(chosen)
    if not total or most / total < _ONE_PLACE:
        return None
    return {"place": chosen.index(most) + 1, "share": most / total}


def _name(metrics: Mapping[str, Any], folder: str) -> str:
    """The model and how it was asked: it may stand beside itself asked otherwise."""
    scoring, sampling = metrics["scoring"], metrics.get("sampling") or {}
    norm = scoring.get("norm")
    how = _SHORT.get(scoring["options"], str(scoring["options"]))
    if scoring["options"] == "text" and norm not in {None, "none"}:
        how += f" per {norm}"
    sample = "" if sampling.get("whole", True) else f", {sampling['facts']['drawn']:,} facts"
    return f"{metrics['model'].get('name', folder)} ({how}{sample})"


def _how(scoring: Mapping[str, Any]) -> str:
    words = _HOW.get(scoring["options"], str(scoring["options"]))
    norm = scoring.get("norm")
    return f"{words}, divided by its {norm}s" if scoring["options"] == "text" and norm not in {None, "none"} else words


def _lines(form: Mapping[str, Any]) -> list[str]:
    """What a prompt is made of, in its order."""
    return [str(form[part]) for part in ("context", "question", "cue") if form.get(part)]


def _key(task: str, hop: int, with_context: bool | None = None) -> str:
    return f"{task}/{hop}" if with_context is None else f"{task}/{hop}/{CONDITIONS[int(with_context)]}"


def _table_2(metrics: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The paper's eight cells: new, related to new (hop 1), old, related to old (hop 1), each without and with."""
    alpha = metrics["statistics"]["alpha"]
    accuracies = {_key(cell["task"], cell["hop"], cell["with_context"]): cell["accuracy"] for cell in metrics["cells"]}
    contexts = {_key(row["task"], row["hop"]): row for row in metrics["contexts"]}
    hops = {_key(row["task"], row["hop"], row["with_context"]): row for row in metrics["hops"]}
    cells = []
    for task in TASKS:
        hop = int(task.startswith("related"))
        for with_context in (False, True):
            key = _key(task, hop, with_context)
            context = contexts.get(_key(task, hop)) if with_context else None
            marks = [_mark("†", hops.get(key), alpha), _mark("‡", context, alpha)]
            cells.append(
                {
                    "accuracy": accuracies.get(key),
                    "marks": [mark for mark in marks if mark],
                    "delta": _arrow(context["delta"]) if context else "",
                }
            )
    return cells


def _mark(sign: str, test: Mapping[str, Any] | None, alpha: float) -> str:
    """The sign of a test whose p is below alpha, in brackets if it is not after Holm's correction."""
    if test is None or test["p"] is None or test["p"] >= alpha:
        return ""
    return sign if test["p_holm"] < alpha else f"({sign})"


def _arrow(delta: float | None) -> str:
    """A difference as the paper prints it: ↑.41."""
    if delta is None:
        return ""
    digits = f"{abs(delta):.2f}".removeprefix("0")
    return f"±{digits}" if digits == ".00" else f"{'↑' if delta > 0 else '↓'}{digits}"


def _rows(metrics: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Every task and hop with both conditions and the tests, in the order of Table 2."""
    cells = {_key(cell["task"], cell["hop"], cell["with_context"]): cell for cell in metrics["cells"]}
    hops = {_key(row["task"], row["hop"], row["with_context"]): row for row in metrics["hops"]}
    rows = []
    for context in sorted(metrics["contexts"], key=lambda row: (TASKS.index(row["task"]), row["hop"])):
        keys = [_key(context["task"], context["hop"], with_context) for with_context in (False, True)]
        name = _TASK_NAMES[context["task"]] + (f", hop {context['hop']}" if context["hop"] else "")
        rows.append(
            {
                "name": name,
                "cells": [cells.get(key) for key in keys],
                "context": context,
                "hops": [hops.get(key) for key in keys],
            }
        )
    return rows


def _figures(metrics: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Figure 3 by age, for those that were asked about (matplotlib escapes what it writes)."""
    from markupsafe import Markup

    figures = {}
    for age in AGES:
        cells = [cell for cell in metrics["cells"] if cell["task"].removeprefix("related_") == age]
        if cells:
            figures[age] = Markup(accuracy_by_hop(cells, age=age, chance=metrics["chance"], name=name))
    return figures
