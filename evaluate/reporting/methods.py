"""A methods paragraph for a paper, with the numbers of this run: from the files of a working directory alone.

What was built, who judged it and how the votes decided, what was released, which models were scored how. A suite says
in a sentence or two what only it can say (`evaluate.suite.Methods`). What is simulated is called so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, ValidationError

from tashika.core.annotators import Annotators
from tashika.core.counts import counted
from tashika.core.errors import InputError
from tashika.core.files import read_json, read_table, write_text
from tashika.core.overview.manifests import manifests_of, read_manifest
from tashika.core.overview.steps import Kind, Progress
from tashika.core.reporting.rendering import is_number
from tashika.core.suites.discovery import suite_named
from tashika.core.version import installed_version, source_commit
from tashika.core.workspace import Workspace
from tashika.evaluate.comparing.systems import scored_folders
from tashika.evaluate.metrics import ReleaseInfo, SystemInfo
from tashika.evaluate.reporting.main_scores import main_scores
from tashika.evaluate.reporting.results_out import NOT_MODELS
from tashika.evaluate.suite import Methods

_SHORT: Final = 12
"""Signs of a digest that stand in a sentence."""
_SIZES: Final = ((1e9, "B"), (1e6, "M"), (1e3, "K"))


def methods_context(workspace: Workspace) -> dict[str, Any]:
    """What `methods.html.j2` and `papers.html.j2` are filled with."""
    suite = suite_named(workspace.suite)
    return {"methods": methods(workspace), "papers": suite.papers, "citation": suite.citation}


def methods(workspace: Workspace) -> list[str]:
    """The paragraphs: data, annotation, release, evaluation; without those of which nothing lies here."""
    progress = Progress(workspace, suite_named(workspace.suite))
    own: Methods = progress.suite.load("evaluate").methods or Methods()
    parts = (_data(progress, own), _annotation(progress), _release(progress), _evaluation(progress, own))
    return [" ".join(sentences) for part in parts if (sentences := list(part))]


# Data ----------------------------------------------------------------------------------------------------------------


def _data(progress: Progress, own: Methods) -> Iterator[str]:
    if own.building:
        yield own.building
    built = [kind for kind in progress.kinds if kind.items is not None]
    if not built:
        return
    sources = list(_sources(progress.workspace, built))
    if sources:
        yield f"Sources: {', '.join(sources)}."
    when = _days(manifests_of(progress.workspace.items))
    listed = _listed([f"{kind.items:,} of the kind “{kind.name}”" for kind in built])
    yield f"The build{f' of {when}' if when else ''} made these candidates: {listed}."
    yield from _generated(progress.workspace, built)
    yield from _set(progress.workspace, own)


def _sources(workspace: Workspace, kinds: Sequence[Kind]) -> Iterator[str]:
    """The sources that items name, with their revision."""
    import pyarrow as pa
    import pyarrow.compute as pc

    known: dict[tuple[str, str], None] = {}
    for column in _columns(workspace, kinds, "sources"):
        flat = pc.list_flatten(column.combine_chunks())
        if not len(flat):
            continue
        table = pa.table({name: pc.struct_field(flat, name) for name in ("name", "revision")})
        rows = table.group_by(["name", "revision"]).aggregate([]).to_pylist()
        known |= {(row["name"], row["revision"] or ""): None for row in rows}
    for name, revision in sorted(known):
        yield f"{name} ({_shortened(revision)})" if revision else name


def _generated(workspace: Workspace, kinds: Sequence[Kind]) -> Iterator[str]:
    """Which language models wrote candidates, and how many."""
    import pyarrow.compute as pc

    counts: dict[str, int] = {}
    for column in _columns(workspace, kinds, "generation"):
        for row in pc.value_counts(pc.struct_field(column.combine_chunks(), "model")).to_pylist():
            if row["values"] is not None:
                counts[row["values"]] = counts.get(row["values"], 0) + row["counts"]
    for model, count in sorted(counts.items()):
        yield f"The language model {model} wrote {count:,} of them."


def _set(workspace: Workspace, own: Methods) -> Iterator[str]:
    """The settings of the build that the suite names."""
    settings: dict[str, Any] = {}
    for path in manifests_of(workspace.items):
        settings |= _of_manifest(path).get("settings") or {}
    shown = [f"{words} {settings[key]}" for key, words in own.settings.items() if settings.get(key) is not None]
    if shown:
        yield f"Settings of the build: {', '.join(shown)}."


def _columns(workspace: Workspace, kinds: Sequence[Kind], name: str) -> Iterator[Any]:
    for kind in kinds:
        try:
            yield read_table(workspace.item_file(kind.name), columns=[name]).column(name)
        except (InputError, KeyError):  # items of an older version
            continue


def _days(manifests: Sequence[Path]) -> str:
    """The days that manifests were written on; empty where they are of a version that wrote none."""
    days = sorted({day for path in manifests if (day := _of_manifest(path).get("day"))})
    return days[0] if len(set(days)) == 1 else f"{days[0]} to {days[-1]}" if days else ""


def _of_manifest(path: Path) -> Mapping[str, Any]:
    try:
        return read_manifest(path)
    except InputError:
        return {}


# Annotation ----------------------------------------------------------------------------------------------------------


def _annotation(progress: Progress) -> Iterator[str]:
    entries = {name: entry for name, entry in progress.validation.items() if entry.get("judged")}
    for name, entry in entries.items():
        yield from _judged(name, entry)
    unseen = [kind.name for kind in progress.kinds if kind.name not in progress.validation]
    if entries and unseen:
        yield f"Nobody judged candidates of the kind {_listed([f'“{name}”' for name in unseen], 'or')}."
    if any(entry.get("simulated") for entry in entries.values()):
        yield _simulated(list(entries.values()))


def _simulated(entries: Sequence[Mapping[str, Any]]) -> str:
    """That programs were among the annotators, and how often they err."""
    programs = [program for entry in entries for program in (entry.get("simulation") or {}).get("annotators", [])]
    rates = sorted({program["error_rate"] for program in programs})
    erring = f" and err in {_percent(rates[0])} to {_percent(rates[-1])} of their answers, as set" if rates else ""
    if all(Annotators.of(entry).only_simulated for entry in entries):
        return (
            f"The annotators were simulated: they are programs{erring}; no person has judged these candidates, and the "
            "numbers show that the procedure works, not how good the candidates are."
        )
    return f"Annotators who are called simulated are programs{erring}; what they say is not what people would say."


def _judged(name: str, entry: Mapping[str, Any]) -> Iterator[str]:
    judged, items, votes = entry["judged"], entry.get("items"), entry.get("votes") or 0
    in_words = entry.get("form") == "words"
    verb = "completed in words" if in_words else "judged"
    many = f"{judged:,} of {items:,}" if items and items != judged else f"{judged:,}"
    sample = ", a random sample," if entry.get("mode") == "audit" else ""
    each = f", {votes:,} {'answers' if in_words else 'votes'} in all ({votes / judged:.1f} each)" if votes else ""
    verb = f"{'was' if judged == 1 else 'were'} {verb}"
    yield f"Of the kind “{name}”, {many} candidates{sample} {verb} by {Annotators.of(entry).description}{each}."
    if not in_words:
        yield from _decided(entry)
    yield from _agreed(entry)


def _decided(entry: Mapping[str, Any]) -> Iterator[str]:
    least = entry.get("minimum_votes")
    least_votes = f", with at least {counted(least, 'vote')}" if least else ""
    outcome = _listed([f"{entry.get(name, 0):,} {name}" for name in ("accepted", "rejected", "undecided")])
    decided = f" ({entry['adjudicated']:,} decided by an adjudicator)" if entry.get("adjudicated") else ""
    yield f"Rule of the vote: {entry.get('rule', 'not stated')}{least_votes}; {outcome}{decided}."


def _agreed(entry: Mapping[str, Any]) -> Iterator[str]:
    agreement = entry.get("agreement") or {}
    shown = (
        ("krippendorff_alpha", "Krippendorff's alpha {}", _plain),
        ("percent", "the same answer in {}", _percent),
        ("mean_jaccard", "two of them share {} of their words (mean Jaccard)", _percent),
    )
    parts = [words.format(show(agreement[name])) for name, words, show in shown if is_number(agreement.get(name))]
    if parts:
        yield f"Agreement: {', '.join(parts)}."


# Release -------------------------------------------------------------------------------------------------------------


def _release(progress: Progress) -> Iterator[str]:
    release = progress.release
    if not release:
        return
    licence = _licence(progress.workspace)
    about = [f"content digest {_shortened(str(release.get('digest')))}"]
    about += [f"licence {licence}"] if licence else []
    about += [str(release["repo"])] if release.get("repo") else []
    rows = _listed([f"{count:,} in “{name}”" for name, count in progress.released.items()])
    has = f", has these rows: {rows}" if progress.released else " was taken as it is"
    yield f"The release, version {release.get('version')} ({', '.join(about)}){has}."


def _licence(workspace: Workspace) -> str:
    """The licence on the release's card; empty where there is no card."""
    card = workspace.release / "README.md"
    if not card.is_file():
        return ""
    head = card.read_text(encoding="utf-8", errors="replace").partition("\n---")[0]
    values: dict[str, str] = dict(re.findall(r"^(license|license_name): *(.+)$", head, re.MULTILINE))
    return values.get("license_name", values.get("license", "")).strip(" '\"")


# Evaluation ----------------------------------------------------------------------------------------------------------


class _Head(BaseModel):
    """What all suites' `metrics.json` have, whatever else is in them."""

    model_config = ConfigDict(extra="ignore")

    model: SystemInfo
    release: ReleaseInfo | None = None
    versions: Mapping[str, str] = {}


@dataclass(frozen=True)
class _Scored:
    """One run.

    Attributes:
        folder: Of its scores.
        head: What its scores say of the model and the software.
        manifest: Of the stage that computed them; empty where there is none.
        score: Its main score; None where it has none.
    """

    folder: str
    head: _Head
    manifest: Mapping[str, Any]
    score: Mapping[str, Any] | None


def _evaluation(progress: Progress, own: Methods) -> Iterator[str]:
    runs = list(_runs(progress.workspace))
    if not runs:
        return
    if own.asking:
        yield own.asking
    if own.metric:
        yield own.metric
    shown = [run for run in runs if run.score is not None]
    for run in shown:
        yield _score_sentence(run)
    stand_ins = {run.head.model.name: run.head.model.note for run in shown if run.head.model.note}
    for name, note in stand_ins.items():
        yield f"Note on {name}: {re.split(r'[:.] ', str(note))[0].rstrip('.')}."
    others = [run for run in runs if run.score is None]
    if others:
        names = "; ".join(_identity(run) for run in others)
        yield f"{'Scored beside them' if shown else 'Scored'}: {names}."
    yield _made_with(runs)


def _runs(workspace: Workspace) -> Iterator[_Scored]:
    scores = {score["folder"]: score for score in main_scores(workspace)["models"]}
    for folder in scored_folders(workspace):
        try:
            head = _Head.model_validate(read_json(folder / "metrics.json"))
        except ValidationError:
            continue  # the page itself says what is wrong with it
        manifest = folder / "metrics.manifest.json"
        yield _Scored(folder.name, head, _of_manifest(manifest) if manifest.is_file() else {}, scores.get(folder.name))


def _identity(run: _Scored) -> str:
    """The model with its size and revision; a baseline by its name."""
    model = run.head.model
    if model.kind in NOT_MODELS:
        return model.name
    about = [f"{model.kind} model"]
    about += [f"{_size(model.parameters)} parameters"] if model.parameters else []
    about += [f"revision {_shortened(model.revision)}"]
    about += [model.dtype] if model.dtype else []
    return f"{model.name} ({'; '.join(about)}; run “{run.folder}”)"


def _score_sentence(run: _Scored) -> str:
    score = run.score or {}
    show = _percent if score["scale"] == "share" else _plain
    interval = ""
    if score["method"] is not None:
        drawn = f", {score['resamples']:,} resamples" if score["method"].startswith("bootstrap") else ""
        low, high = show(score["low"]), show(score["high"])
        interval = f" (95 % interval {low} to {high}; {score['method']}{drawn})"
    limit = f", a sample of {score['sample']}" if score["sample"] else ""
    asked = f"{score['answered']:,} of {score['asked']:,} items{limit}"
    number = f"{score['measure']} {show(score['value'])}{interval}"
    return f"{_identity(run)}: {number}, on {asked}."


def _made_with(runs: Sequence[_Scored]) -> str:
    software = {f"{name} {value}" for run in runs for name, value in run.head.versions.items() if name != "tashika"}
    days = sorted({str(run.manifest["day"]) for run in runs if run.manifest.get("day")})
    versions = [run.manifest.get("versions") or run.head.versions for run in runs]
    made = sorted({_tashika(each) for each in versions if each.get("tashika")}) or [f"Tashika {installed_version()}"]
    when = f" on {days[0]}" if len(days) == 1 else f" from {days[0]} to {days[-1]}" if days else ""
    beside = f", with {', '.join(sorted(software))}" if software else ""
    return f"Scores were computed{when} by {_listed(made)}{beside}."


def _tashika(versions: Mapping[str, str]) -> str:
    commit = versions.get("commit")
    return f"Tashika {versions['tashika']}" + (f" (commit {commit})" if commit else "")


def written_by() -> str:
    """Which Tashika writes a page, with the commit of a checkout."""
    commit = source_commit()
    return f"tashika {installed_version()}" + (f", commit {commit}" if commit else "")


# Words ---------------------------------------------------------------------------------------------------------------


def _listed(parts: Sequence[str], word: str = "and") -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {word} {parts[-1]}" if parts else "none"


def _shortened(digest: str) -> str:
    """A long digest by its first signs, with what stands before it."""
    return re.sub(rf"\b([0-9a-f]{{{_SHORT}}})[0-9a-f]{{20,}}\b", r"\1", digest)


def _size(parameters: int) -> str:
    """As models' names have it: 135M, 1.3B."""
    for unit, letter in _SIZES:
        if parameters >= unit:
            return f"{parameters / unit:.3g}{letter}"
    return str(parameters)


def _percent(value: float) -> str:
    return f"{100 * value:.1f} %".replace("-", "−")


def _plain(value: float) -> str:
    return f"{value:.3f}".replace("-", "−")


# For a file ----------------------------------------------------------------------------------------------------------


def write_methods(page: str, folder: Path) -> list[Path]:
    """Writes the paragraph and the papers of a page as files: `methods.txt` and `papers.bib`.

    Args:
        page: The HTML of a suite's page.
        folder: Where to.
    """
    written = []
    for name, place in (("methods.txt", r'<blockquote class="methods">(.*?)</blockquote>'), ("papers.bib", _BIBTEX)):
        match = re.search(place, page, re.DOTALL)
        if match is None:
            continue
        text = re.sub(r"</p>\s*<p>", "\n\n", match[1].strip())
        write_text(folder / name, unescape(re.sub(r"</?p>", "", text)).strip() + "\n")
        written.append(folder / name)
    return written


_BIBTEX: Final = r'<pre class="bibtex">(.*?)</pre>'
