"""KUCI's report: how well do models choose what usually follows, and do the questions give their answers away?

Section 4 of the paper (Omura, Kawahara and Kurohashi 2020), with its corrected numbers beside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tashika.core.annotators import Annotators
from tashika.core.draws import shuffled
from tashika.core.files import read_json, read_table
from tashika.core.suites.kuci.words import CONDITIONS, JAPANESE, SPLITS, Conditions
from tashika.core.workspace import Workspace
from tashika.evaluate.kuci.artefacts import checks_of, is_baseline, summary
from tashika.evaluate.kuci.glossary import GLOSSARY
from tashika.evaluate.kuci.metrics import BINS, MeasureSettings, Row, compare, rows_of
from tashika.evaluate.kuci.plots import Point, accuracy_of_systems
from tashika.evaluate.kuci.published import ABLATIONS, ACCURACY, FUNNEL, REMARKS, SIMILARITY
from tashika.evaluate.kuci.published import SPLITS as PUBLISHED_SPLITS
from tashika.evaluate.kuci.questions import KuciQuestion, KuciRelease, question_file, read_release
from tashika.evaluate.kuci.run import PREDICTIONS
from tashika.evaluate.reporting.page import Context, provenance, read_metrics, shared_context, sources, write_page
from tashika.evaluate.statistics.inference import holm

_HERE: Final = Path(__file__).parent
SHOWN: Final = 10
"""Questions that stand on the page as they are; as many again lie behind a fold."""

_NEEDED: Final = ("chance", "sets", "differences", "statistics", "model", "release", "scoring", "sampling", "training")
_ORDER: Final = ("fine-tuned", "zero-shot", "chat", "baseline")
_HOW: Final = {
    "fine-tuned": "fine-tuned on the training part",
    "zero-shot": "not trained; likelihood of each option behind the context",
    "chat": "not trained; letter in its reply",
    "baseline": "baseline",
}
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
        **{f"predictions/{folder.name}": folder / "predictions.parquet" for folder in scored},
        **{f"test/{name}": workspace.release / question_file(name, "test") for name in CONDITIONS},
    }
    return write_page(workspace, _HERE, beside, lambda scores, files: _context(workspace, scores, files))


def _context(workspace: Workspace, scores: Sequence[Path], files: Mapping[str, Path]) -> Context:
    systems = sorted((_system(path) for path in scores), key=_place)
    shared = shared_context(workspace, _HERE, systems, files)
    release = read_release(workspace.release) if "test/both" in files else None
    rows = _rows(systems, release, files)
    people = (shared["validation"].get("question") or {}).get("human")
    tested = [each for each in systems if each["tested"]]
    artefacts = checks_of([(each["name"], each["metrics"]) for each in systems])
    who = Annotators.of(people or {})
    return {
        **shared,
        "simulated": shared["simulated"] or who.simulated,
        "headline": _headline(systems, tested),
        "tested": tested,
        "people": people,
        "who": who,
        "figure": _figure(systems, people, who),
        "sets": [name for name in CONDITIONS if any(name in each["metrics"]["sets"] for each in systems)],
        "set_names": SET_NAMES,
        "splits": SPLITS,
        "sizes": _sizes(release),
        "comparisons": _comparisons(systems, rows),
        "artefacts": artefacts,
        "artefact_summary": summary(artefacts) if artefacts else None,
        "funnel": _funnel(files, shared),
        "examples": _examples(systems, release, rows),
        "shown": SHOWN,
        "bins": BINS,
        "japanese": JAPANESE,
        "published": ACCURACY,
        "published_ablations": ABLATIONS,
        "published_funnel": FUNNEL,
        "published_splits": PUBLISHED_SPLITS,
        "similarity": SIMILARITY,
        "remarks": REMARKS,
        "glossary": GLOSSARY,
    }


# One system -----------------------------------------------------------------------------------------------------------


def _system(path: Path) -> dict[str, Any]:
    """One system's scores as the page shows them, and provenance."""
    metrics = read_metrics(path, _NEEDED)
    scoring, statistics = metrics["scoring"], metrics["statistics"]
    settings = {"way": scoring["how"], "sees": {"both": "context and options"}.get(scoring["show"], "options only")}
    settings |= {"norm": scoring["norm"]} if scoring["how"] == "zero-shot" else {}
    settings |= dict(scoring.get("training") or {})
    settings |= {"training seeds": ", ".join(map(str, metrics["seeds"]))} if metrics.get("seeds") else {}
    settings |= {"resamples": statistics["resamples"], "seed": statistics["seed"]}
    return {
        "name": _name(metrics, path.parent.name),
        "folder": path.parent.name,
        "metrics": metrics,
        "how": _how(scoring),
        "tested": not is_baseline(metrics),
        "provenance": provenance(metrics, settings),
        "differences": {row["set"]: row for row in metrics["differences"]},
        "one_place": _one_place(metrics),
    }


def _name(metrics: Mapping[str, Any], folder: str) -> str:
    """The system, and what tells it from itself asked otherwise."""
    scoring, sampling = metrics["scoring"], metrics["sampling"]
    beside = [f"per {scoring['norm']}"] if scoring["norm"] != "none" else []
    beside += [] if sampling["whole"] else [f"{sampling['limit']:,} questions"]
    name = str(metrics["model"].get("name", folder))
    return f"{name} ({', '.join(beside)})" if beside else name


def _how(scoring: Mapping[str, Any]) -> str:
    words = _HOW.get(scoring["how"], str(scoring["how"]))
    if scoring["how"] == "zero-shot" and scoring["norm"] != "none":
        words += f", divided by its {scoring['norm']}s"
    return words


def _place(system: Mapping[str, Any]) -> tuple[Any, ...]:
    """What is tested first, the best of a kind first."""
    score = _score(system)
    accuracy = (score or {}).get("accuracy") or 0.0
    how = system["metrics"]["scoring"]["how"]
    return (not system["tested"], _ORDER.index(how) if how in _ORDER else len(_ORDER), -accuracy, system["folder"])


def _score(system: Mapping[str, Any]) -> dict[str, Any] | None:
    """The numbers on the published set; None where it was not scored on it, or answered nothing."""
    found: dict[str, Any] | None = system["metrics"]["sets"].get("both")
    return found if found and found["accuracy"] is not None else None


def _one_place(metrics: Mapping[str, Any]) -> dict[str, Any] | None:
    """The place that nearly all choices fell on, and their share; None where the content seems to matter."""
    chosen = metrics["sets"]["both"]["places"]["chosen"] if "both" in metrics["sets"] else []
    most, total = max(chosen, default=0), sum(chosen)
    if not total or most / total < _ONE_PLACE:
        return None
    return {"place": chosen.index(most) + 1, "share": most / total}


def _headline(systems: Sequence[Mapping[str, Any]], tested: Sequence[Mapping[str, Any]]) -> str:
    """What was asked of whom, in two sentences."""
    counts = [each["metrics"]["sets"]["both"]["questions"] for each in systems if "both" in each["metrics"]["sets"]]
    asked = f"{max(counts):,} Japanese questions" if counts else "Japanese questions"
    who = {0: "No model was", 1: "One model was"}.get(len(tested), f"{len(tested)} models were")
    text = f"{who} asked what usually follows from an everyday event: {asked} with four options each."
    baselines = len(systems) - len(tested)
    if baselines:
        text += f" {baselines} baselines see too little to answer; they show whether the options give the answer away."
    return text


def _figure(systems: Sequence[Mapping[str, Any]], people: Mapping[str, Any] | None, who: Annotators) -> Any:
    """The accuracies on the published set; None where nobody was scored on it (matplotlib escapes what it writes)."""
    from markupsafe import Markup

    points = [
        Point(each["name"], score["accuracy"], score["wilson"]["low"], score["wilson"]["high"], each["tested"])
        for each, score in ((each, _score(each)) for each in systems)
        if score
    ]
    if not points:
        return None
    theirs = None
    if people:
        theirs = Point(who.name, people["accuracy"], people["interval"][0], people["interval"][1], tested=True)
    return Markup(accuracy_of_systems(points, chance=systems[0]["metrics"]["chance"], people=theirs))


# Systems side by side -------------------------------------------------------------------------------------------------


def _rows(
    systems: Sequence[Mapping[str, Any]], release: KuciRelease | None, files: Mapping[str, Path]
) -> dict[str, list[Row]]:
    """Folder -> the predictions on the published test part, of the systems that were scored on this whole release."""
    found: dict[str, list[Row]] = {}
    for each in systems:
        metrics, file = each["metrics"], files.get(f"predictions/{each['folder']}")
        same = release is not None and metrics["release"].get("digest") == release.digest
        if release is None or file is None or not same or "both" not in metrics["sets"]:
            continue
        table = read_table(file, PREDICTIONS)
        ids = set(table["item_id"].to_pylist())
        asked = [question for question in release.part("both", "test") if question.item_id in ids]
        if metrics.get("split", "test") == "test":
            published = table.filter([name == "both" for name in table["set"].to_pylist()])
            found[each["folder"]] = rows_of(published, {"both": asked})["both"]
    return found


def _comparisons(systems: Sequence[Mapping[str, Any]], rows: Mapping[str, Sequence[Row]]) -> dict[str, Any] | None:
    """The best tested system against every other one, question by question."""
    known = [each for each in systems if each["folder"] in rows and _score(each)]
    tested = [each for each in known if each["tested"]]
    if not tested or len(known) < 2:
        return None
    best = max(tested, key=lambda each: float(each["metrics"]["sets"]["both"]["accuracy"]))
    statistics = best["metrics"]["statistics"]
    settings = MeasureSettings(statistics["resamples"], statistics["seed"])
    others = [
        {"name": each["name"], **compare(rows[best["folder"]], rows[each["folder"]], settings)}
        for each in known
        if each is not best
    ]
    for row, adjusted in zip(others, holm([row["p"] for row in others]), strict=True):
        row["p_holm"] = adjusted
    return {"best": best["name"], "others": others}


# The dataset ----------------------------------------------------------------------------------------------------------


def _sizes(release: KuciRelease | None) -> dict[str, dict[str, int]]:
    if release is None:
        return {}
    return {name: {split: len(parts[split]) for split in SPLITS} for name, parts in release.sets.items()}


def _funnel(files: Mapping[str, Path], shared: Mapping[str, Any]) -> dict[str, Any] | None:
    """From sentences to questions: what each step left, and why the rest fell away; None where no build tells."""
    if "funnel" not in files:
        return None
    found = read_json(files["funnel"])
    if not isinstance(found, Mapping) or not isinstance(found.get("steps"), list):
        return None
    text, reasons = found.get("text") or {}, found.get("reasons") or {}
    steps = [{"name": "sentences", "count": text.get("sentences"), "why": dict(text.get("reasons") or {})}]
    steps += [
        {"name": str(name), "count": count, "why": dict(reasons.get(name) or {})} for name, count in found["steps"]
    ]
    accepted = (shared["validation"].get("pair") or {}).get("accepted")
    if accepted is not None:
        steps.append({"name": "accepted by people", "count": accepted, "why": {}})
    return {"steps": steps, "failures": text.get("failures", 0), "borrowed": found.get("borrowed")}


def _examples(
    systems: Sequence[Mapping[str, Any]], release: KuciRelease | None, rows: Mapping[str, Sequence[Row]]
) -> list[dict[str, Any]]:
    """Questions of the test part as they are, drawn by their ids, with what the tested systems chose."""
    if release is None:
        return []
    questions = list(release.part("both", "test"))
    order = shuffled((question.item_id for question in questions), 0)
    drawn = [questions[place] for place in order.argsort(kind="stable").tolist()[: 2 * SHOWN]]
    choices = {
        each["name"]: _choices(rows[each["folder"]]) for each in systems if each["tested"] and each["folder"] in rows
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
            "similarity": question.similarities[place],
            "chosen_by": [name for name, of in choices.items() if of.get(question.item_id) == place],
        }
        for place, option in enumerate(question.options)
    ]
    marker = release.markers.get(question.pair)
    return {"context": question.context, "relation": question.relation, "marker": marker, "options": options}
