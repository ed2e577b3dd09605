"""KUCI's report: how well do models choose what usually follows, and do the questions give their answers away?

Section 4 of the paper (Omura, Kawahara and Kurohashi 2020), with its corrected numbers beside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from tashika.core.annotators import Annotators
from tashika.core.draws import shuffled
from tashika.core.files import read_json, read_object, read_table
from tashika.core.suites.kuci import drawing
from tashika.core.suites.kuci.words import CONDITIONS, JAPANESE, SPLITS, Conditions
from tashika.core.workspace import Workspace
from tashika.evaluate.kuci.artefacts import checks_of, is_baseline, summary
from tashika.evaluate.kuci.fits import NAMES, findings, is_judged, people_by_subset, several_of
from tashika.evaluate.kuci.glossary import glossary
from tashika.evaluate.kuci.metrics import BINS, Row, rows_of
from tashika.evaluate.kuci.metrics_model import Difference, KuciMetrics, SetScore
from tashika.evaluate.kuci.predictions import PREDICTIONS
from tashika.evaluate.kuci.published import (
    ABLATIONS,
    ACCURACY,
    BASIC_TRIAL,
    FUNNEL,
    RELEASE_ACCURACY,
    REMARKS,
)
from tashika.evaluate.kuci.published import SPLITS as PUBLISHED_SPLITS
from tashika.evaluate.kuci.questions import KuciQuestion, KuciRelease, question_file, read_release
from tashika.evaluate.kuci.settings import Method
from tashika.evaluate.metrics import read_metrics
from tashika.evaluate.reporting.intervals import Point, intervals_of_systems
from tashika.evaluate.reporting.page import Context, provenance, shared_context, sources, write_page

_HERE: Final = Path(__file__).parent
SHOWN: Final = 10
"""Questions that stand on the page as they are; as many again lie behind a fold."""
SHOWN_SEVERAL: Final = 8
"""Questions with several right options that stand on the page."""

_HOW: Final[Mapping[Method, str]] = {
    "fine-tuned": "fine-tuned on the training part",
    "transferred": "fine-tuned on other questions, scored as it is",
    "zero-shot": "not trained; likelihood of each option behind the context",
    "chat": "not trained; letter in its reply",
    "baseline": "baseline",
}
_ORDER: Final = tuple(_HOW)
SET_NAMES: Final[Mapping[Conditions, str]] = {
    "both": "published conditions",
    "without_similarity": "without Similarity",
    "without_length": "without Length",
}
_ONE_PLACE: Final = 0.9
"""A system that chooses the same place this often does not answer by content."""


def write_report(workspace: Workspace) -> Path:
    """Writes `evaluate/report.html` from the scores of all systems, the release, the build and the annotation.

    Args:
        workspace: The suite's folders. Scores and predictions are read from `evaluate/*/`; the release,
            `items/funnel.json` and `annotation/validation.json` where they exist.

    Returns:
        The page.

    Raises:
        MissingStageError: No system has been scored.
        InputError: A file is broken or lacks a number.
    """
    scored = sorted(path.parent for path in workspace.evaluate.glob("*/metrics.json"))
    beside = {
        **sources(workspace),
        "funnel": workspace.items / "funnel.json",
        "trial": workspace.items / "basic-trial.json",
        **{f"predictions/{folder.name}": folder / "predictions.parquet" for folder in scored},
        **{f"test/{name}": workspace.release / question_file(name, "test") for name in CONDITIONS},
    }
    return write_page(workspace, _HERE, beside, lambda scores, files: _context(workspace, scores, files))


def _context(workspace: Workspace, scores: Sequence[Path], files: Mapping[str, Path]) -> Context:
    systems = sorted((_read_system(path) for path in scores), key=_place)
    shared = shared_context(workspace, _HERE, systems, files)
    release = read_release(workspace.release) if "test/both" in files else None
    rows = _rows(systems, release, files)
    people = (shared["validation"].get("question") or {}).get("human")
    tested = [system for system in systems if system.tested]
    artefacts = checks_of([(system.name, system.metrics) for system in systems])
    who = Annotators.of(people or {})
    built_with = shared["release"].get("built_with") or {}
    return {
        **shared,
        "simulated": shared["simulated"] or who.simulated,
        "headline": _headline(systems, tested),
        "tested": tested,
        "people": people,
        "who": who,
        "figure": _figure(systems, people, who),
        "sets": [name for name in CONDITIONS if any(name in system.metrics.sets for system in systems)],
        "set_names": SET_NAMES,
        "splits": SPLITS,
        "sizes": _sizes(release),
        "artefacts": artefacts,
        "artefact_summary": summary(artefacts) if artefacts else None,
        "funnel": _funnel(files, shared),
        "trial": read_object(files["trial"]) if "trial" in files else None,
        "published_trial": BASIC_TRIAL,
        "examples": _examples(systems, release, rows),
        "imported": bool(release and release.imported),
        "fit": _fit(release),
        "fit_names": NAMES,
        "who_fits": Annotators.of(shared["validation"].get("fit") or {}).description,
        "shown": SHOWN,
        "bins": BINS,
        "japanese": JAPANESE,
        "published": ACCURACY,
        "published_release": RELEASE_ACCURACY,
        "published_ablations": ABLATIONS,
        "published_funnel": FUNNEL,
        "published_splits": PUBLISHED_SPLITS,
        "similarity": drawing.similarity(built_with),
        "drawn": _drawn(built_with),
        "remarks": REMARKS,
        "glossary": glossary(built_with),
    }


# One system -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ScoredSystem:
    """One system's scores as the page shows them.

    Attributes:
        name: The system, and what distinguishes it from itself asked otherwise.
        folder: Of its scores.
        metrics: Its scores.
    """

    name: str
    folder: str
    metrics: KuciMetrics

    @property
    def how(self) -> str:
        """How it came to its choices, in words."""
        scoring = self.metrics.scoring
        divided = scoring.how == "zero-shot" and scoring.norm != "none"
        return _HOW[scoring.how] + (f", divided by its {scoring.norm}s" if divided else "")

    @property
    def tested(self) -> bool:
        """Whether the questions are meant to test it: it sees them whole."""
        return not is_baseline(self.metrics)

    @property
    def published(self) -> SetScore | None:
        """The numbers on the published set; None where it was not scored on it, or answered nothing."""
        score = self.metrics.sets.get("both")
        return score if score and score.accuracy is not None else None

    @property
    def accuracy(self) -> float:
        """On the published set; 0 where there is none."""
        return (self.published.accuracy if self.published else None) or 0.0

    @property
    def differences(self) -> dict[Conditions, Difference]:
        """Each set for an ablation less the published set."""
        return {row.set: row for row in self.metrics.differences}

    @property
    def provenance(self) -> Sequence[tuple[str, Any]]:
        """What its scores depend on."""
        scoring, statistics = self.metrics.scoring, self.metrics.statistics
        settings: dict[str, Any] = {
            "way": scoring.how,
            "sees": "context and options" if scoring.show == "both" else "options only",
        }
        settings |= {"norm": scoring.norm} if scoring.how == "zero-shot" else {}
        settings |= {f"start: {name}": value for name, value in (scoring.start or {}).items()}
        settings |= scoring.training or {}
        seeds = ", ".join(map(str, self.metrics.seeds))
        settings |= {"training seeds": seeds} if seeds else {}
        settings |= {"resamples": statistics.resamples, "seed": statistics.seed}
        return provenance(self.metrics, settings)

    @property
    def one_place(self) -> OnePlace | None:
        """The place that nearly all choices fell on; None where the content seems to matter."""
        score = self.metrics.sets.get("both")
        chosen = score.places.chosen if score else []
        most, total = max(chosen, default=0), sum(chosen)
        if not total or most / total < _ONE_PLACE:
            return None
        return OnePlace(chosen.index(most) + 1, most / total)


class OnePlace(NamedTuple):
    """A place among the options, from 1, and the share of a system's choices that fell on it."""

    place: int
    share: float


def _read_system(path: Path) -> ScoredSystem:
    metrics = read_metrics(path, KuciMetrics)
    return ScoredSystem(_name(metrics), path.parent.name, metrics)


def _name(metrics: KuciMetrics) -> str:
    """The system, and what distinguishes it from itself asked otherwise."""
    scoring, sampling = metrics.scoring, metrics.sampling
    beside = [f"per {scoring.norm}"] if scoring.norm != "none" else []
    if scoring.start:
        word = "as tuned in" if scoring.how == "transferred" else "from"
        beside.append(f"{word} {scoring.start['run']} {scoring.start['weights'][:6]}")
    beside += [] if sampling.whole else [f"{sampling.limit:,} questions"]
    return f"{metrics.model.name} ({', '.join(beside)})" if beside else metrics.model.name


def _place(system: ScoredSystem) -> tuple[Any, ...]:
    """What is tested first, the best of a kind first."""
    return (not system.tested, _ORDER.index(system.metrics.scoring.how), -system.accuracy, system.folder)


def _headline(systems: Sequence[ScoredSystem], tested: Sequence[ScoredSystem]) -> str:
    """What was asked of whom, in two sentences."""
    counts = [system.metrics.sets["both"].questions for system in systems if "both" in system.metrics.sets]
    asked = f"{max(counts):,} Japanese questions" if counts else "Japanese questions"
    who = {0: "No model was", 1: "One model was"}.get(len(tested), f"{len(tested)} models were")
    text = f"{who} asked what usually follows from an everyday event: {asked} with four options each."
    baselines = len(systems) - len(tested)
    if baselines:
        text += f" {baselines} baselines see too little to answer; they show whether the options give the answer away."
    return text


def _figure(systems: Sequence[ScoredSystem], people: Mapping[str, Any] | None, who: Annotators) -> Any:
    """The accuracies on the published set; None where nobody was scored on it (matplotlib escapes what it writes)."""
    from markupsafe import Markup

    points = [
        Point(system.name, system.accuracy, score.wilson.low, score.wilson.high, system.tested)
        for system in systems
        if (score := system.published) and score.wilson
    ]
    if not points:
        return None
    theirs = None
    if people:
        theirs = Point(who.name, people["accuracy"], people["interval"][0], people["interval"][1])
    title, lines = "Accuracy of all systems on the published set", {"chance": systems[0].metrics.chance}
    return Markup(intervals_of_systems(points, title=title, lines=lines, people=theirs))


# Predictions ----------------------------------------------------------------------------------------------------------


def _rows(
    systems: Sequence[ScoredSystem], release: KuciRelease | None, files: Mapping[str, Path]
) -> dict[str, list[Row]]:
    """Folder -> the predictions on the published test part, of the systems that were scored on this whole release."""
    rows: dict[str, list[Row]] = {}
    for system in systems:
        metrics, file = system.metrics, files.get(f"predictions/{system.folder}")
        same = release is not None and metrics.release is not None and metrics.release.digest == release.digest
        if release is None or file is None or not same or "both" not in metrics.sets or metrics.split != "test":
            continue
        table = read_table(file, PREDICTIONS)
        ids = set(table["item_id"].to_pylist())
        asked = [question for question in release.part("both", "test") if question.item_id in ids]
        published = table.filter([name == "both" for name in table["set"].to_pylist()])
        rows[system.folder] = rows_of(published, {"both": asked})["both"]
    return rows


# The dataset ----------------------------------------------------------------------------------------------------------


def _sizes(release: KuciRelease | None) -> dict[str, dict[str, int]]:
    if release is None:
        return {}
    return {name: {split: len(parts[split]) for split in SPLITS} for name, parts in release.sets.items()}


def _fit(release: KuciRelease | None) -> dict[str, Any] | None:
    """What people find of the options of the published test part; None where nobody judged them."""
    questions = release.part("both", "test") if release else ()
    if not is_judged(questions):
        return None
    return {
        "found": findings(questions),
        "people": people_by_subset(questions),
        "examples": several_of(questions, SHOWN_SEVERAL),
    }


def _funnel(files: Mapping[str, Path], shared: Mapping[str, Any]) -> dict[str, Any] | None:
    """From sentences to questions: what each step left, and why the rest fell away; None where no build recorded it."""
    if "funnel" not in files:
        return None
    funnel = read_json(files["funnel"])
    if not isinstance(funnel, Mapping) or not isinstance(funnel.get("steps"), list):
        return None
    text, reasons = funnel.get("text") or {}, funnel.get("reasons") or {}
    steps = [{"name": "sentences", "count": text.get("sentences"), "why": dict(text.get("reasons") or {})}]
    steps += [
        {"name": str(name), "count": count, "why": dict(reasons.get(name) or {})} for name, count in funnel["steps"]
    ]
    accepted = (shared["validation"].get("pair") or {}).get("accepted")
    if accepted is not None:
        steps.append({"name": "accepted by people", "count": accepted, "why": {}})
    release = shared["release"]
    questions = (release.get("counts") or {}).get("questions")
    if questions:
        steps.append({"name": "questions", "count": questions, "why": drawing.lost(release.get("built_with") or {})})
    return {"steps": steps, "failures": text.get("failures", 0), "borrowed": funnel.get("borrowed")}


def _drawn(built_with: Mapping[str, Any]) -> list[str]:
    """How wrong options were made, a sentence or two each; nothing where the release does not say."""
    if not built_with:
        return []
    says = (
        drawing.origin,
        drawing.form,
        drawing.condition_similarity,
        drawing.condition_length,
        drawing.use,
        drawing.evenness,
        drawing.kinship,
    )
    return [say(built_with) for say in says]


def _examples(
    systems: Sequence[ScoredSystem], release: KuciRelease | None, rows: Mapping[str, Sequence[Row]]
) -> list[dict[str, Any]]:
    """Questions of the test part as they are, drawn by their ids, with what the tested systems chose."""
    if release is None:
        return []
    questions = list(release.part("both", "test"))
    order = shuffled((question.item_id for question in questions), 0)
    drawn = [questions[place] for place in order.argsort(kind="stable").tolist()[: 2 * SHOWN]]
    choices = {
        system.name: _choices(rows[system.folder]) for system in systems if system.tested and system.folder in rows
    }
    return [_example(question, choices, release) for question in drawn]


def _choices(rows: Sequence[Row]) -> dict[str, int | None]:
    """Question -> the choice in the first training run."""
    seed = min(row.seed for row in rows)
    return {row.question.item_id: row.choice for row in rows if row.seed == seed}


def _example(
    question: KuciQuestion, choices: Mapping[str, Mapping[str, int | None]], release: KuciRelease
) -> dict[str, Any]:
    options = [
        {
            "text": option,
            "right": place == question.answer,
            "similarity": question.similarities[place] if question.similarities else None,
            "chosen_by": [name for name, of in choices.items() if of.get(question.item_id) == place],
        }
        for place, option in enumerate(question.options)
    ]
    marker = release.markers.get(question.pair)
    return {"context": question.context, "relation": question.relation, "marker": marker, "options": options}
