"""The report on proverbs: does a model answer, and score its answers, alike where two questions mean the same?

What the page on the paper shows (errors by topic, an example of answers with their scores, kappa of the people who
checked), for every model and pair, and beside it what other tests make of the same values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeVar

from tashika.core.files import read_table
from tashika.core.suites.proverbs.words import CONSISTENCIES, CONTROL, DIRECTIONS, SIDES, TOPICS
from tashika.core.workspace import Workspace
from tashika.evaluate.metrics import read_metrics
from tashika.evaluate.proverbs.cross import CROSSES, CrossNumbers, pair_values
from tashika.evaluate.proverbs.glossary import GLOSSARY
from tashika.evaluate.proverbs.groups import COLUMNS
from tashika.evaluate.proverbs.metrics import EVERYTHING
from tashika.evaluate.proverbs.metrics_model import (
    ErrorCounts,
    Histogram,
    JudgeInfo,
    Medians,
    ProverbMetrics,
)
from tashika.evaluate.proverbs.metrics_more import ControlCell, Differences, GroupCounts
from tashika.evaluate.proverbs.people import confirming_kappas, stereotypes
from tashika.evaluate.proverbs.plots import errors_by_topic, score_histograms
from tashika.evaluate.proverbs.records import read_answers, read_tests
from tashika.evaluate.proverbs.settings import number_word
from tashika.evaluate.reporting.intervals import Measure, Point
from tashika.evaluate.reporting.overview import Overview, overview
from tashika.evaluate.reporting.page import (
    Context,
    provenance,
    read_validation,
    shared_context,
    sources,
    write_page,
)
from tashika.evaluate.statistics.inference import wilson_interval

V = TypeVar("V")

_HERE: Final = Path(__file__).parent
PUBLISHED_ERRORS: Final = {"ChatGPT": 39, "GPT-4": 20, "Claude-3": 19, "LLaMA-3": 13}
"""Scoring errors among 100 pairs on gender, as the page prints them (experiments)."""

PUBLISHED_KAPPA: Final = {"gender": 1.0, "wisdom": 0.469}
"""Of the two people who checked the errors, as the page prints them."""

INCONSISTENT: Final = "accepted"
"""The decision on a check item that people call inconsistent: they accept that there is an error."""

WAYS: Final = {
    "man-first": "of men, the variant of women",
    "woman-first": "of women, the variant of men",
    "both": "of both",
    "all": "All",
}
"""Whom a proverb on gender speaks of, as the page shows it."""

VERDICTS: Final = {
    "alike": "Neither spread nor place differs.",
    "spread": "The spread differs.",
    "location": "The place differs, the spread does not.",
    "both": "Spread and place differ.",
    "same constant": "Neither side has any spread, and both are the same.",
    "two constants": "Neither side has any spread; they lie in two places.",
}
"""What the tests of a pair come to, in words."""

_NAMES: Final = {"score": "scores", "text": "texts"}


def write_report(workspace: Workspace) -> Path:
    """Writes `evaluate/report.html` from the scores and answers of all models, and what people said of the errors.

    Args:
        workspace: The suite's folders. Scores are read from `evaluate/*/metrics.json`, the pairs from
            `answers.parquet` and `tests.parquet` beside them; `release/release.json`, `annotation/validation.json`,
            `annotation/verdicts.parquet` and `items/check.parquet` where they exist.

    Returns:
        The page.

    Raises:
        MissingStageError: No model has been scored.
        InputError: A file is broken or lacks a number.
    """
    beside = {
        **sources(workspace),
        "verdicts": workspace.verdict_file,
        "checks": workspace.item_file("check"),
        "stereotypes": workspace.item_file("stereotype"),
    }
    for scores in sorted(workspace.evaluate.glob("*/metrics.json")):
        for name in ("answers", "tests", "crosses"):
            beside[f"{name}/{scores.parent.name}"] = scores.parent / f"{name}.parquet"
    return write_page(workspace, _HERE, beside, lambda scores, files: _context(workspace, scores, files))


def _context(workspace: Workspace, scores: Sequence[Path], files: Mapping[str, Path]) -> Context:
    models = _named_apart([ScoredModel.read(path, files) for path in scores])
    validation = read_validation(workspace, files)
    return {
        **shared_context(workspace, _HERE, models, files),
        "headline": _headline(models),
        "overview": _overview(models),
        "measured": [model for model in models if model.differences],
        "controlled": [model for model in models if model.controls],
        "western": ", ".join(sorted({name for model in models for name in model.metrics.statistics.western or ()})),
        "ways": WAYS,
        "verdicts": VERDICTS,
        "consistencies": CONSISTENCIES,
        "names": _NAMES,
        "published_errors": PUBLISHED_ERRORS,
        "published_kappa": PUBLISHED_KAPPA,
        "checks": _checks(files),
        "checks_made": _rows_of(files, "checks"),
        "confirming": confirming_kappas(validation.get("check") or {}),
        "stereotypes": stereotypes(files),
        "stereotypes_made": _rows_of(files, "stereotypes"),
        "stereotype_kind": validation.get("stereotype") or {},
        "check_kind": validation.get("check") or {},
        "pair_kind": validation.get("pair") or {},
        "glossary": GLOSSARY,
    }


def _named_apart(models: Sequence[ScoredModel]) -> list[ScoredModel]:
    """Systems of one model, such as with two judges, are called by their folders too."""
    often = Counter(model.name for model in models)
    return [
        replace(model, name=f"{model.name} ({model.folder})") if often[model.name] > 1 else model for model in models
    ]


def _rows_of(files: Mapping[str, Path], name: str) -> int | None:
    """How many items a table has; None where there is none."""
    return read_table(files[name], columns=["item_id"]).num_rows if name in files else None


def _headline(models: Sequence[ScoredModel]) -> str:
    most = max(model.metrics.pairs for model in models)
    # One model may have several judges or samples.
    different = {(model.metrics.model.name, model.metrics.model.revision) for model in models}
    who = "One model was" if len(different) == 1 else f"{len(different)} models were"
    up_to = "up to " if len({model.metrics.pairs for model in models}) > 1 else ""
    pairs = "one pair" if most == 1 else f"{most:,} pairs"
    counts = sorted({model.metrics.scoring.answers for model in models})
    answers = " or ".join(number_word(count) for count in counts)
    return (
        f"{who} asked {up_to}{pairs} of questions on proverbs, the two of a pair alike in meaning: {answers} short "
        "answers each, and a score from 1 to 10 for every answer. An error is detected where the two sets of "
        f"{answers} differ in spread.{_without_spread(models)}"
    )


def _overview(models: Sequence[ScoredModel]) -> Overview | None:
    """The shares of pairs with a detected error, by scores and by texts."""
    measures = []
    for kind in CONSISTENCIES:
        cells = [(model.name, model.errors[EVERYTHING][kind]) for model in models]
        points = [
            Point(name, cell.share, cell.interval.low, cell.interval.high)
            for name, cell in cells
            if cell.share is not None and cell.interval is not None
        ]
        measures.append(Measure(f"By {kind}s", points))
    return overview(
        measures,
        title="Pairs with a detected error",
        label="share of the tested pairs",
        caption="All topics together. Bars are 95 % intervals over pairs.",
    )


def _without_spread(models: Sequence[ScoredModel]) -> str:
    """How many of the errors, as the page counts them, are of pairs that have no spread to differ in."""
    cells = [model.differences[EVERYTHING]["score"] for model in models if model.differences]
    errors = sum(cell.paper_errors for cell in cells)
    if not errors:
        return ""
    without = sum(cell.paper_without_spread for cell in cells)
    return (
        f" Of the {errors:,} scoring error{'s' if errors != 1 else ''} that the paper's own count has here, "
        f"{without:,} {'are' if without != 1 else 'is'} of pairs without any spread, whose scores lie in two places."
    )


# --- one model ---


@dataclass(frozen=True)
class ScoredModel:
    """One model's numbers as the page shows them; see `reporting.page.Scored`.

    Attributes:
        name: The model, and its folder where several systems are of one model.
        metrics: Its numbers.
        provenance: What they depend on.
        folder: The name of the folder that they lie in.
        errors: Topic -> consistency -> detected errors, in the paper's order.
        medians: Likewise.
        differences: Likewise, spread and place; empty in scores of earlier versions.
        controls: Direction -> consistency -> pairs on gender beside their controls; empty without such pairs.
        groups: (column, (value, consistency -> counts)) in the page's order.
        cross: Topic -> consistency between the two sides, in the paper's order; empty where that was not computed.
        errors_figure: Shares of errors by topic.
        scores_figure: How often each score was given.
        pairs: Every pair with its answers and tests, for the template.
    """

    name: str
    metrics: ProverbMetrics
    provenance: Sequence[tuple[str, Any]]
    folder: str
    errors: Mapping[str, Mapping[str, ErrorCounts]]
    medians: Mapping[str, Mapping[str, Medians]]
    differences: Mapping[str, Mapping[str, Differences]]
    controls: Mapping[str, Mapping[str, ControlCell]]
    groups: Sequence[tuple[str, Sequence[tuple[str, Mapping[str, GroupCounts]]]]]
    cross: Mapping[str, CrossNumbers]
    errors_figure: str
    scores_figure: str
    pairs: list[dict[str, Any]]

    @classmethod
    def read(cls, path: Path, files: Mapping[str, Path]) -> ScoredModel:
        """The model whose `metrics.json` this is.

        Args:
            path: The file.
            files: The tables beside it, as `answers/FOLDER` and `tests/FOLDER`.
        """
        from markupsafe import Markup

        metrics, folder = read_metrics(path, ProverbMetrics), path.parent.name
        name, errors = metrics.model.name, _in_order(metrics.errors)
        histograms: Mapping[str, Mapping[str, Histogram]] = _in_order(metrics.histograms)
        return cls(
            name,
            metrics,
            provenance(metrics, {**_judge_settings(metrics.judge), "level": metrics.statistics.level}),
            folder,
            errors,
            _in_order(metrics.medians),
            _in_order(metrics.differences or {}),
            _by_direction(metrics),
            _groups(metrics),
            _in_order(metrics.cross or {}),
            Markup(errors_by_topic(errors, folder)),
            Markup(score_histograms(histograms, folder)),
            _pairs(*(files.get(f"{name}/{folder}") for name in ("answers", "tests", "crosses"))),
        )


def _in_order(by_topic: Mapping[str, V]) -> dict[str, V]:
    """Topics in the paper's order and all together at the end; a file has them by name."""
    order = [*TOPICS, *sorted(set(by_topic) - {*TOPICS, EVERYTHING}), EVERYTHING]
    return {topic: by_topic[topic] for topic in order if topic in by_topic}


def _by_direction(metrics: ProverbMetrics) -> dict[str, Mapping[str, ControlCell]]:
    cells = metrics.controls.cells if metrics.controls else {}
    return {way: cells[way] for way in (*DIRECTIONS, EVERYTHING) if way in cells}


def _groups(metrics: ProverbMetrics) -> list[tuple[str, list[tuple[str, Mapping[str, GroupCounts]]]]]:
    """Groups in the page's order, the largest first; a file has them by name."""
    groups = metrics.groups or {}
    return [
        (column, sorted(groups[column].items(), key=lambda item: (-item[1]["score"].pairs, item[0])))
        for column in COLUMNS
        if groups.get(column)
    ]


def _judge_settings(judge: JudgeInfo) -> dict[str, Any]:
    """What the consistency of texts depends on."""
    return {f"judge, {key}": _words(value) for key, value in judge.model_dump(exclude_unset=True).items()}


def _words(value: Any) -> Any:
    """A list as words; a tokenizer's sign for the blank before a token is none of them."""
    if not isinstance(value, list):
        return value
    return ", ".join(dict.fromkeys(str(item).lstrip("Ġ▁ ") for item in value))


def _pairs(answers: Path | None, tests: Path | None, crosses: Path | None) -> list[dict[str, Any]]:
    """Every pair with its answers and tests, those with errors first, then by the smaller p."""
    if answers is None or tests is None:
        return []
    pairs: dict[str, dict[str, Any]] = {}
    table = read_answers(answers)
    between = pair_values(table, read_table(crosses, CROSSES)) if crosses else {}
    for row in table.to_pylist():
        empty = {"topic": row["topic"], "control": row["change"] == CONTROL, "tests": {}}
        empty["sides"] = {side: [] for side in SIDES}
        pairs.setdefault(row["item_id"], empty)["sides"][row["side"]].append(row)
    for row in read_tests(tests).to_pylist():
        if row["item_id"] in pairs:
            pairs[row["item_id"]]["tests"][row["consistency"]] = row
    for item, pair in pairs.items():
        pair["between"] = between.get(item)
        pair["errors"] = [kind for kind in CONSISTENCIES if (pair["tests"].get(kind) or {}).get("error")]
        known = [test["p"] for test in pair["tests"].values() if test["p"] is not None]
        pair["p"] = min(known, default=1.0)
    return [
        pairs[item] for item in sorted(pairs, key=lambda item: (-len(pairs[item]["errors"]), pairs[item]["p"], item))
    ]


# --- what people said ---


def _checks(files: Mapping[str, Path]) -> list[dict[str, Any]]:
    """What people said of detected errors, and of pairs without one, by system, topic and consistency.

    Returns:
        Rows with `system`, `topic`, `consistency`, and for `detected` and `other` pairs how many have a decision
        (`decided`), how many of them people call inconsistent (`inconsistent`), their share and its interval; the last
        row is over all. Empty where nothing was checked.
    """
    if "verdicts" not in files or "checks" not in files:
        return []
    columns = ["item_id", "system", "topic", "consistency", "detected"]
    items = read_table(files["checks"], columns=columns).to_pylist()
    table = read_table(files["verdicts"], columns=["item_id", "kind", "decision"]).to_pylist()
    decisions = {row["item_id"]: row["decision"] for row in table if row["kind"] == "check"}
    judged = [{**item, "decision": decisions[item["item_id"]]} for item in items if item["item_id"] in decisions]
    keys = sorted({(row["system"], row["consistency"], row["topic"]) for row in judged})
    rows = [_checked(judged, system, consistency, topic) for system, consistency, topic in keys]
    return [*rows, _checked(judged, None, None, None)] if rows else []


def _checked(
    judged: Sequence[Mapping[str, Any]], system: str | None, consistency: str | None, topic: str | None
) -> dict[str, Any]:
    wanted = {"system": system, "consistency": consistency, "topic": topic}
    chosen = [row for row in judged if all(value is None or row[name] == value for name, value in wanted.items())]
    counts: dict[str, Any] = {**wanted, "undecided": sum(row["decision"] == "undecided" for row in chosen)}
    for name, detected in (("detected", True), ("other", False)):
        decided = [row for row in chosen if row["detected"] == detected and row["decision"] != "undecided"]
        called = sum(row["decision"] == INCONSISTENT for row in decided)
        counts[name] = {
            "decided": len(decided),
            "inconsistent": called,
            "share": called / len(decided) if decided else None,
            "interval": wilson_interval(called, len(decided)),
        }
    return counts
