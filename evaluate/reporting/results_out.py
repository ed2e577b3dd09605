"""Scores for other places: `.eval_results` files for models on the Hub, and records of Every Eval Ever.

Both are written from what `tashika compare` compares, one system at a time: the mean of its items' values for each
measure, with an interval over clusters. Baselines and people are no models, and have neither file.

- `.eval_results`: https://huggingface.co/docs/hub/eval-results. A file belongs into the folder `.eval_results/` of a
  model's repository. It names the dataset's repository and a task of the release's `eval.yaml`, so there are entries
  only of models that were asked everything as such a task asks (in words, once), and only where the dataset's
  repository is known. The value is a share from 0 to 1 of all items, as inspect's accuracy: an item without
  an answer is wrong.
- Every Eval Ever: https://github.com/evaleval/every_eval_ever, schema 0.3.0. The value is the mean of the items that
  have an answer, as the reports have it. A record says of each score whether lower is better, so measures of which
  neither is better have none.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any, Final

from pydantic import ConfigDict

from tashika.core.addresses import REPO_NAME
from tashika.core.annotators import SIMULATED_RELEASE
from tashika.core.counts import counted
from tashika.core.errors import InputError
from tashika.core.files import hash_value, read_object, write_json, write_text
from tashika.core.suites.discovery import suite_named
from tashika.core.version import now
from tashika.core.workspace import Workspace
from tashika.evaluate.comparing.aligning import Aligned
from tashika.evaluate.comparing.systems import scored_folders
from tashika.evaluate.metrics import Metrics, ReleaseInfo, SystemInfo, read_metrics
from tashika.evaluate.statistics.inference import Interval
from tashika.evaluate.statistics.single import estimate
from tashika.evaluate.suite import Comparison, Measure, Sides, SystemSide

SCHEMA_VERSION: Final = "0.3.0"
"""Of Every Eval Ever."""
LEVEL: Final = 0.95
NOT_MODELS: Final = frozenset({"people", "baseline"})
_UNKNOWN: Final = "unknown"
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True)
class Score:
    """One number of a system.

    Attributes:
        measure: Which.
        value: The mean over the items that have an answer.
        interval: Of 95 %, by a bootstrap over clusters; None where there is none.
        asked: Items that it was asked.
        answered: Those that count.
        share: The mean over all items that it was asked, those without an answer as 0; None where items are made anew
            or have several columns.
        clusters: That the items come in.
    """

    measure: Measure
    value: float
    interval: Interval | None
    asked: int
    answered: int
    share: float | None
    clusters: int


@dataclass(frozen=True)
class ScoredModel:
    """A model with its numbers.

    Attributes:
        folder: The name of its folder under `evaluate/`, which says how it was asked.
        system: Which model it is.
        release: What it was scored on; None where that is no release.
        settings: What it shares with the systems that it may be compared with.
        sample: What was drawn of the release, in words; empty for everything.
        scores: Its numbers.
        tasks: Measure -> the task whose score it is.
        clusters: What clusters are called; None where each item stands for itself.
        resamples: Of the bootstrap.
    """

    folder: str
    system: SystemInfo
    release: ReleaseInfo | None
    settings: Mapping[str, Any]
    sample: str
    scores: tuple[Score, ...]
    tasks: Mapping[str, str]
    clusters: str | None
    resamples: int


class _Head(Metrics):
    """What all suites' `metrics.json` have, whatever else is in them."""

    model_config = ConfigDict(extra="ignore", frozen=True)


@dataclass(frozen=True)
class Source:
    """Where the release can be had, and who states the scores.

    Attributes:
        suite: Its name.
        repo: The dataset's repository on the Hub, ORG/NAME; None where it is not known.
        organization: Who ran the evaluation.
        now: Seconds since 1970: when a record is made.
    """

    suite: str
    repo: str | None = None
    organization: str = _UNKNOWN
    now: int = 0


@dataclass(frozen=True)
class Written:
    """What was written.

    Attributes:
        files: The files, in the order of their paths.
        remarks: What was left out, and why, a sentence each.
    """

    files: tuple[Path, ...]
    remarks: tuple[str, ...]


def source_of(workspace: Workspace, repo: str | None = None) -> Source:
    """The source of a suite's release, now; or at SOURCE_DATE_EPOCH, by which the same scores give the same bytes.

    Args:
        workspace: The suite's folders.
        repo: The dataset's repository; None for what the release says of itself.

    Raises:
        InputError: The repository has no such name, or SOURCE_DATE_EPOCH is no number.
    """
    release = workspace.release / "release.json"
    named = repo or (read_object(release, hint="Export the release again.").get("repo") if release.is_file() else None)
    if named is not None and not re.fullmatch(REPO_NAME, str(named)):
        raise InputError(f"found --repo {named!r}; expected ORG/NAME", hint="Such as my-group/my-dataset.")
    return Source(workspace.suite, named, now=now())


def write_results(workspace: Workspace, folder: Path, source: Source) -> Written:
    """Writes `eval_results/` and `every_eval_ever/` into a folder, for all scored models of a suite.

    Args:
        workspace: The suite's folders.
        folder: Where to.
        source: Where the release can be had.

    Raises:
        InputError: A system's file is broken.
    """
    models, remarks = scored_models(workspace)
    tasks = _task_ids(workspace)
    files: list[Path] = []
    entered = source.repo is not None and bool(tasks)
    if not entered:
        unknown = "the release has no eval.yaml" if source.repo else "the dataset's repository on the Hub is not known"
        remarks.append(f"No file for .eval_results is written: {unknown}.")
    for model in models:
        if any(score.measure.better is not None for score in model.scores):
            files.append(_write_record(folder / "every_eval_ever", model, source))
        else:
            remarks.append(
                f"{model.folder} has no record of Every Eval Ever: it has no number of which more is better."
            )
        entries, why = _entries(model, source, tasks) if entered else ([], None)
        remarks += [f"{model.folder} has no entry for .eval_results: {why}."] if why else []
        if entries:
            files.append(_write_entries(folder / "eval_results", model, source, entries))
    return Written(tuple(sorted(files)), tuple(remarks))


def scored_models(workspace: Workspace, *, main_only: bool = False) -> tuple[list[ScoredModel], list[str]]:
    """All models that were scored on a suite's release, and what was left out.

    Args:
        workspace: The suite's folders.
        main_only: Whether no more than the first measure that a model has a number for is computed.

    Raises:
        InputError: A system's file is broken.
    """
    comparison: Comparison | None = suite_named(workspace.suite).load("evaluate").comparison
    if comparison is None:
        return [], [f"The suite {workspace.suite} does not say what its systems made of each item."]
    models: list[ScoredModel] = []
    remarks: list[str] = []
    for folder in scored_folders(workspace):
        head = read_metrics(folder / "metrics.json", _Head)
        system = head.model
        missing = [name for name in comparison.files if not (folder / name).is_file()]
        if missing:
            remarks.append(f"{folder.name} is left out: its {missing[0]} does not lie here.")
            continue
        sides = comparison.read(workspace, [folder])
        side = sides.systems[0]
        if side.baseline or system.kind in NOT_MODELS:
            continue
        if side.problem is not None:
            remarks.append(f"{folder.name} is left out: {side.problem}.")
            continue
        scores = tuple(islice(_scores(side, sides, folder.name), 1 if main_only else None))
        models.append(
            ScoredModel(
                folder.name,
                system,
                head.release,
                side.settings,
                side.sample,
                scores,
                side.tasks,
                sides.clusters,
                sides.resamples,
            )
        )
    return models, remarks


def _scores(side: SystemSide, sides: Sides, name: str) -> Iterator[Score]:
    """Every measure of a system that has a number."""
    for measure in sides.measures:
        units = side.units.get(measure.unit)
        if units is None or measure.key not in units.values:
            continue
        common = Aligned([units], [name]).common(measure)
        values = common.values[0]
        number = estimate(values, common.clusters, measure.cells, resamples=sides.resamples, seed=sides.seed)
        if number is None:
            continue
        plain = measure.regroup is None and measure.cells is None and values.shape[1] == 1
        share = float(values.sum() / common.asked[0]) if plain else None
        yield Score(measure, number.value, number.interval, common.asked[0], len(common), share, number.clusters)


# .eval_results --------------------------------------------------------------------------------------------------------


def _task_ids(workspace: Workspace) -> frozenset[str]:
    """The tasks of the release's `eval.yaml`; none where it has no such file."""
    yaml = _yaml()
    path = workspace.release / "eval.yaml"
    if not path.is_file():
        return frozenset()
    try:
        tasks = yaml.safe_load(path.read_text(encoding="utf-8"))["tasks"]
        return frozenset(str(task["id"]) for task in tasks)
    except (yaml.YAMLError, UnicodeDecodeError, KeyError, TypeError) as error:
        raise InputError(
            f"found no tasks with an id: {error}",
            where=str(path),
            hint=f"Run `tashika export {workspace.argument}` again.",
        ) from error


def _entries(model: ScoredModel, source: Source, tasks: frozenset[str]) -> tuple[list[dict[str, Any]], str | None]:
    """The entries of a model's file, or why there are none."""
    from huggingface_hub import EvalResultEntry, eval_result_entries_to_yaml

    if model.sample:
        return [], f"it was asked {model.sample} and not everything"
    if not model.tasks:
        return [], "it was not asked as the tasks of the release's eval.yaml ask: once, for a reply, in their words"
    named = [(model.tasks[score.measure.key], score) for score in model.scores if score.measure.key in model.tasks]
    entries = [
        EvalResultEntry(str(source.repo), task, round(score.share, 6), notes=_note(score, model))
        for task, score in named
        if task in tasks and score.share is not None
    ]
    if not entries:
        return [], f"the release's eval.yaml has no task {' or '.join(model.tasks.values())}"
    return eval_result_entries_to_yaml(entries), None


def _note(score: Score, model: ScoredModel) -> str:
    """How the number came about, in one line."""
    parts = [f"Tashika {version('tashika')}, {model.folder}", score.measure.title]
    if model.release is not None:
        parts.append(f"release {model.release.version} ({model.release.digest[:12]})")
    silent = score.asked - score.answered
    if silent:
        parts.append(f"{silent:,} of {counted(score.asked, 'item')} without an answer, counted as wrong")
    if model.release is not None and model.release.simulated:
        parts.append("SIMULATED annotations")
    return "; ".join(parts)


def _write_entries(folder: Path, model: ScoredModel, source: Source, entries: Sequence[Mapping[str, Any]]) -> Path:
    """One file a model: it belongs into `.eval_results/` of the model's repository."""
    path = folder / model.folder / f"{source.suite}.yaml"
    write_text(path, _yaml().safe_dump(list(entries), allow_unicode=True, sort_keys=False, width=10_000))
    return path


def _yaml() -> Any:
    """PyYAML, which comes without types."""
    return import_module("yaml")


# Every Eval Ever ------------------------------------------------------------------------------------------------------


def _write_record(folder: Path, model: ScoredModel, source: Source) -> Path:
    """One record a model, where the store of Every Eval Ever has it: data/SUITE/DEVELOPER/MODEL/UUID.json."""
    name = every_eval_name(model.system)
    developer, _, rest = name.partition("/")
    # The name follows from what was scored: the same scores are written into the same file again.
    identity = hash_value([source.suite, model.folder, model.system.revision, model.release and model.release.digest])
    number = uuid.UUID(bytes=bytes.fromhex(identity[:32]), version=4)
    path = folder / "data" / _portable(source.suite) / developer / _portable(rest) / f"{number}.json"
    write_json(path, every_eval_record(model, source))
    return path


def every_eval_name(system: SystemInfo) -> str:
    """The model as DEVELOPER/MODEL: its name on the Hub, else where it ran stands for who made it."""
    developer, slash, rest = system.name.partition("/")
    if slash and developer and rest:
        return f"{_portable(developer)}/{rest}"
    return f"{'endpoint' if system.endpoint else 'local'}/{_portable(system.name)}"


def _portable(name: str) -> str:
    return _UNSAFE.sub("_", name).strip(". ") or "_"


def every_eval_record(model: ScoredModel, source: Source) -> dict[str, Any]:
    """A model's scores as Every Eval Ever has them (schema 0.3.0)."""
    name = every_eval_name(model.system)
    system = model.system
    at_endpoint = system.endpoint is not None
    details = {
        "deployment_type": _UNKNOWN if at_endpoint else "self_deployed",
        "model_availability": "open_weights" if not at_endpoint and "/" in system.name else _UNKNOWN,
        "kind": system.kind,
        "revision": system.revision,
        **{key: value for key in ("dtype", "device", "note", "endpoint") if (value := getattr(system, key))},
    }
    return {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": f"{source.suite}/{name}/{source.now}",
        "retrieved_timestamp": str(source.now),
        "source_metadata": {
            "source_name": f"tashika evaluate {source.suite}",
            "source_type": "evaluation_run",
            "source_organization_name": source.organization,
            "evaluator_relationship": "other",
        },
        "eval_library": {"name": "tashika", "version": version("tashika")},
        "model_info": {"name": system.name, "id": name, "additional_details": details},
        "evaluation_results": [
            _result(score, model, source) for score in model.scores if score.measure.better is not None
        ],
    }


def _result(score: Score, model: ScoredModel, source: Source) -> dict[str, Any]:
    measure = score.measure
    name = f"{source.suite}.{measure.key}"
    config: dict[str, Any] = {
        "evaluation_description": measure.title,
        "metric_id": name,
        "metric_name": measure.title,
        "lower_is_better": measure.better == "lower",
    }
    if measure.scale == "share":
        config |= {"metric_unit": "proportion", "score_type": "continuous", "min_score": 0.0, "max_score": 1.0}
    return {
        "evaluation_result_id": name,
        "evaluation_name": name,
        "source_data": _source_data(model, source, score),
        "metric_config": config,
        "score_details": {
            "score": score.value,
            "details": _details(score, model),
            "uncertainty": _uncertainty(score, model),
        },
    }


def _source_data(model: ScoredModel, source: Source, score: Score) -> dict[str, Any]:
    release = model.release
    details = {} if release is None else {"version": release.version, "digest": release.digest}
    if release is not None and release.simulated:
        details["simulated"] = SIMULATED_RELEASE
    common = {"dataset_name": source.suite, "additional_details": details}
    if source.repo is None:
        return {**common, "source_type": "other"}
    return {**common, "source_type": "hf_dataset", "hf_repo": source.repo, "samples_number": score.asked}


def _details(score: Score, model: ScoredModel) -> dict[str, str]:
    """What to know beside the number; all values are strings."""
    details = {"asked_as": model.folder, "items_asked": str(score.asked), "items_that_count": str(score.answered)}
    details |= {"clusters": f"{score.clusters} {model.clusters}"} if model.clusters else {}
    details |= {"sample": model.sample} if model.sample else {}
    return details | {key: str(value) for key, value in model.settings.items()}


def _uncertainty(score: Score, model: ScoredModel) -> dict[str, Any]:
    known: dict[str, Any] = {"num_samples": score.answered}
    if score.interval is None:
        return known
    return known | {
        "confidence_interval": {
            "lower": score.interval.low,
            "upper": score.interval.high,
            "confidence_level": LEVEL,
            "method": f"percentile bootstrap over {model.clusters or 'items'}",
        },
        "num_bootstrap_samples": model.resamples,
    }
