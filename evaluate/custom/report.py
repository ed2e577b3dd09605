"""The page of a suite file: who answers its questions how well, and can they be told apart?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from tashika.core.annotators import Annotators
from tashika.core.custom.suite import CustomSuite
from tashika.core.errors import TashikaError
from tashika.core.files import read_table
from tashika.core.progress import say
from tashika.core.workspace import Workspace
from tashika.evaluate.custom.comparison import MAY_DIFFER
from tashika.evaluate.custom.glossary import glossary
from tashika.evaluate.custom.metrics import AT
from tashika.evaluate.custom.metrics_model import CustomMetrics, Estimate, Task
from tashika.evaluate.custom.plots import LARGEST, confusion_figure, shown_labels
from tashika.evaluate.custom.predictions import PREDICTIONS
from tashika.evaluate.custom.questions import CustomRelease, Item, read_release, release_file
from tashika.evaluate.metrics import read_metrics
from tashika.evaluate.reporting.examples import Answer, Group, Question, groups_of, shortened
from tashika.evaluate.reporting.intervals import Point, intervals_of_systems
from tashika.evaluate.reporting.page import Context, provenance, shared_context, sources, write_page

_HERE: Final = Path(__file__).parent

_TASKS: Final[Mapping[Task, str]] = {
    "cloze": "to fill a blank",
    "multiple_choice": "to choose among options",
    "classification": "to label items",
    "generate": "to answer in words",
    "judge": "to answer in words, and another model scored the answers",
}
_NAMES: Final = {"accuracy": "accuracy", "macro F1": "macro F1", "mean score": "mean score of the judge"}

Predictions = Mapping[str, Mapping[str, Any]]
"""Item -> a system's prediction on it."""


def write_report(suite: CustomSuite, workspace: Workspace) -> Path:
    """Writes `evaluate/report.html` from the scores of all systems, the release, and the summary of the annotation.

    Args:
        suite: The suite file.
        workspace: Its folders. Scores and predictions are read from `evaluate/*/`.

    Returns:
        The page.

    Raises:
        MissingStageError: No system has been scored.
        InputError: A file is broken or lacks a number.
    """
    scored = sorted(path.parent for path in workspace.evaluate.glob("*/metrics.json"))
    form, kind = suite.file.evaluate, suite.file.evaluated_kind
    asked = {"suite file": suite.path}
    if form is not None and kind is not None:
        asked["part"] = release_file(workspace.release, kind, form.split)
    beside = {
        **sources(workspace),
        **asked,
        **{f"predictions/{folder.name}": folder / "predictions.parquet" for folder in scored},
    }
    return write_page(workspace, _HERE, beside, partial(_context, suite, workspace))


def _context(suite: CustomSuite, workspace: Workspace, scores: Sequence[Path], files: Mapping[str, Path]) -> Context:
    everything = [_read_system(path) for path in scores]
    task = _task(suite, everything)
    systems = sorted((one for one in everything if one.metrics.asking.task == task), key=_place)
    others = [one for one in everything if one.metrics.asking.task != task]
    shared = shared_context(workspace, _HERE, [*systems, *others], files)
    release = _release(suite, workspace, files)
    found = _predictions(systems, release, files)
    validation = shared["validation"].get(suite.file.evaluated_kind) or {}
    return {
        **shared,
        "problems": [*shared["problems"], *_asked_otherwise(systems, others)],
        "headline": _headline(suite, systems, task),
        "summary": suite.file.suite.summary,
        "task": task,
        "what": _TASKS[task],
        "measure": systems[0].metrics.measure,
        "measure_name": _NAMES[systems[0].metrics.measure],
        "systems": systems,
        "figure": _figure(systems),
        "who": Annotators.of(validation),
        "at": [str(k) for k in AT],
        "rated": suite.file.evaluate is not None and suite.file.evaluate.target == _answer_column(suite),
        "columns": _columns(systems),
        "confusions": _confusions(systems),
        "examples": _examples(systems, release, found),
        "command": f"tashika evaluate {suite.argument} --model NAME",
        "glossary": glossary(systems[0].metrics),
    }


def _answer_column(suite: CustomSuite) -> str | None:
    """The column of people's answers; None where they answered nothing."""
    kind = suite.file.evaluated_kind
    return suite.file.answer_column(kind) if kind is not None else None


# One system -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ScoredSystem:
    """One system's scores as the page shows them.

    Attributes:
        name: The system, and what tells it from itself asked otherwise.
        folder: Of its scores.
        metrics: Its scores.
    """

    name: str
    folder: str
    metrics: CustomMetrics

    @property
    def how(self) -> str:
        """How it was asked, in words."""
        asking, settings = self.metrics.asking, self.metrics.asking.settings
        if asking.tuned:
            return f"fine-tuned on the part {settings.get('train_split')}"
        if asking.task == "cloze" and not asking.in_words:
            return "rank of the right word among all tokens"
        if asking.in_words:
            place = f"at {self.metrics.model.endpoint}" if self.metrics.model.endpoint else "on this machine"
            return f"in words, {place}"
        if settings.get("way") == "letter":
            return "likelihood of the option's letter"
        norm = str(settings.get("norm", "none"))
        return "likelihood of the words" + ("" if norm == "none" else f", divided by {norm}s")

    @property
    def spread(self) -> list[tuple[str, int]]:
        """How often a judge gave each score, the least first."""
        judged = self.metrics.judged
        return sorted(judged.spread.items(), key=lambda entry: float(entry[0])) if judged else []

    @property
    def provenance(self) -> Sequence[tuple[str, Any]]:
        """What its scores depend on."""
        asking, sampling = self.metrics.asking, self.metrics.sampling
        settings: dict[str, Any] = {"task": asking.task, **asking.settings}
        settings |= {"examples": ", ".join(asking.examples)} if asking.examples else {}
        settings |= {"judge": asking.judge.name, "judge's revision": asking.judge.revision} if asking.judge else {}
        settings |= {"items": f"{sampling.drawn:,} of {sampling.of:,}", "resamples": self.metrics.resamples}
        return provenance(self.metrics, settings)


def _read_system(path: Path) -> ScoredSystem:
    metrics = read_metrics(path, CustomMetrics)
    asking, sampling = metrics.asking, metrics.sampling
    beside = ["fine-tuned"] if asking.tuned else []
    beside += ["letter"] if asking.settings.get("way") == "letter" and not asking.in_words and not asking.tuned else []
    beside += [f"{len(asking.examples)} examples"] if asking.examples else []
    beside += [] if sampling.whole else [f"{sampling.drawn:,} items"]
    beside += [f"judged by {asking.judge.name}"] if asking.judge else []
    name = f"{metrics.model.name} ({', '.join(beside)})" if beside else metrics.model.name
    return ScoredSystem(name, path.parent.name, metrics)


def _place(system: ScoredSystem) -> tuple[Any, ...]:
    value = system.metrics.score.value
    return (value is None, -(value or 0.0), system.folder)


def _task(suite: CustomSuite, systems: Sequence[ScoredSystem]) -> Task:
    """The file's task, unless nobody was asked it."""
    tasks = [system.metrics.asking.task for system in systems]
    form = suite.file.evaluate
    return form.task if form is not None and form.task in tasks else tasks[0]


def _asked_otherwise(systems: Sequence[ScoredSystem], others: Sequence[ScoredSystem]) -> list[str]:
    """What a reader must know before comparing systems that were not asked the same."""
    told = [
        f"{one.name} was asked {_TASKS[one.metrics.asking.task]}, which is another task: its scores are left out."
        for one in others
    ]
    asked = {
        str(sorted((key, str(value)) for key, value in one.metrics.asking.settings.items() if key not in MAY_DIFFER))
        for one in systems
    }
    if len(asked) > 1:
        told.append(
            "The systems below were not asked in the same way (see Provenance): evaluate all of them again before "
            "comparing."
        )
    return told


# The whole ------------------------------------------------------------------------------------------------------------


def _headline(suite: CustomSuite, systems: Sequence[ScoredSystem], task: Task) -> str:
    """What was asked of whom, and how it went, in two sentences."""
    best = systems[0].metrics
    who = "One model was" if len(systems) == 1 else f"{len(systems)} models were"
    kind = suite.file.evaluated_kind or "question"
    text = f"{who} asked {_TASKS[task]}: {best.questions:,} items of the kind “{kind}”."
    score = best.score
    if score.value is None:
        return f"{text} Nothing was {'scored' if task == 'judge' else 'answered'}."
    chance = "".join(f"; {words} comes to {_told(value, best)}" for words, value in _guesses(best))
    whose = "Its" if len(systems) == 1 else f"The best, {systems[0].name}: its"
    return f"{text} {whose} {_NAMES[best.measure]} is {_told(score.value, best)}{_ends(score, best)}{chance}."


def _guesses(metrics: CustomMetrics) -> list[tuple[str, float]]:
    """What the number comes to for who does not read the questions."""
    known = metrics.baselines
    if known is None:
        return []
    if metrics.measure == "accuracy":
        return [("guessing", known.chance)]
    return [("always the commonest label", known.majority_f1)] if known.majority_f1 is not None else []


def _told(value: float, metrics: CustomMetrics) -> str:
    return f"{value:.2f}" if metrics.measure != "accuracy" else f"{value:.1%}"


def _ends(score: Estimate, metrics: CustomMetrics) -> str:
    if score.low is None or score.high is None:
        return ""
    return f" (95 % interval {_told(score.low, metrics)} to {_told(score.high, metrics)})"


def _figure(systems: Sequence[ScoredSystem]) -> Any:
    """The systems' numbers with intervals; None where nobody has one (matplotlib escapes what it writes)."""
    from markupsafe import Markup

    points = []
    for system in systems:
        score = system.metrics.score
        if score.value is not None:
            low, high = (score.value if end is None else end for end in (score.low, score.high))
            points.append(Point(system.name, score.value, low, high))
    if not points:
        return None
    metrics = systems[0].metrics
    lines = {}
    if metrics.baselines and metrics.measure == "accuracy":
        lines = {"chance": metrics.baselines.chance, "commonest": metrics.baselines.majority}
    elif metrics.baselines and metrics.baselines.majority_f1 is not None:
        lines = {"commonest": metrics.baselines.majority_f1}
    title = f"The {_NAMES[metrics.measure]} of all systems"
    return Markup(
        intervals_of_systems(points, title=title, label=_NAMES[metrics.measure], lines=lines, scale=_scale(systems))
    )


def _scale(systems: Sequence[ScoredSystem]) -> tuple[float, float]:
    scale = systems[0].metrics.asking.settings.get("scale")
    if systems[0].metrics.measure == "mean score" and isinstance(scale, list) and len(scale) == 2:
        return float(str(scale[0])), float(str(scale[1]))
    return 0.0, 1.0


def _columns(systems: Sequence[ScoredSystem]) -> dict[str, list[str]]:
    """The columns that numbers are given by, and their values, the most questions first."""
    columns: dict[str, dict[str, int]] = {}
    for system in systems:
        for column, values in system.metrics.by.items():
            for value, estimate in values.items():
                known = columns.setdefault(column, {})
                known[value] = max(known.get(value, 0), estimate.n)
    return {column: sorted(known, key=lambda value: (-known[value], value)) for column, known in columns.items()}


def _confusions(systems: Sequence[ScoredSystem]) -> list[dict[str, Any]]:
    """What each system took for what."""
    from markupsafe import Markup

    found = []
    for number, system in enumerate(systems, start=1):
        confusion = system.metrics.confusion
        if confusion is None:
            continue
        drawn = len(confusion.labels) <= LARGEST
        figure = Markup(confusion_figure(confusion, f"system {number}, {system.name},")) if drawn else None
        numbered = drawn and shown_labels(confusion.labels) != confusion.labels
        found.append({"name": system.name, "confusion": confusion, "figure": figure, "numbered": numbered})
    return found


# Question by question -------------------------------------------------------------------------------------------------


def _release(suite: CustomSuite, workspace: Workspace, files: Mapping[str, Path]) -> CustomRelease | None:
    """The release; None where none lies here, or it can no longer be asked as the file says."""
    if "release" not in files or "part" not in files:
        return None
    try:
        return read_release(suite, workspace.release)
    except TashikaError as error:
        say(f"report: no examples are shown: {error.message}")
        return None


def _predictions(
    systems: Sequence[ScoredSystem], release: CustomRelease | None, files: Mapping[str, Path]
) -> dict[str, Predictions]:
    """Folder -> predictions, of the systems that were scored on this release."""
    found: dict[str, Predictions] = {}
    for system in systems:
        file, scored = files.get(f"predictions/{system.folder}"), system.metrics.release
        if release is None or file is None or scored is None or scored.digest != release.digest:
            continue
        found[system.folder] = {str(row["item_id"]): row for row in read_table(file, PREDICTIONS).to_pylist()}
    return found


def _examples(
    systems: Sequence[ScoredSystem], release: CustomRelease | None, found: Mapping[str, Predictions]
) -> list[Group]:
    """Some questions that the best system got right, and some that it got wrong, drawn by their ids."""
    best = next((system for system in systems if system.folder in found), None)
    if best is None or release is None:
        return []
    items = {item.item_id: item for item in release.items}
    sorts: dict[str, list[str]] = {sort: [] for sort in _SORTS}
    for item_id, row in found[best.folder].items():
        if item_id in items:
            sorts[_sort(row, best.metrics)].append(item_id)
    return groups_of(best.name, sorts, lambda item_id: _question(items[item_id], systems, found))


_SORTS: Final = ("right", "wrong", "scored high", "scored low", "not answered", "without a score")


def _sort(row: Mapping[str, Any], metrics: CustomMetrics) -> str:
    if metrics.measure == "mean score":
        if row["score"] is None:
            return "without a score"
        return "scored high" if row["score"] >= (metrics.score.value or 0.0) else "scored low"
    if row["correct"] is None:
        return "not answered"
    return "right" if row["correct"] else "wrong"


def _question(item: Item, systems: Sequence[ScoredSystem], found: Mapping[str, Predictions]) -> Question:
    """An item with what each system made of it."""
    rows = [(system.name, found.get(system.folder, {}).get(item.item_id)) for system in systems]
    answers = [
        Answer(
            name,
            shortened(row["answer"] if row["answer"] is not None else row["reply"]),
            row["correct"],
            row["score"],
            row["rank"],
            row["problem"],
        )
        for name, row in rows
        if row is not None
    ]
    target = item.target
    right = [target.names[target.place]] if target.place is not None else list(target.answers)
    return Question(
        shortened(item.prompt) or "",
        answers,
        options=[shortened(option) or "" for option in target.options] if target.names else [],
        place=target.place,
        right=[shortened(answer) or "" for answer in right[:3]],
    )
