"""What the reports of all suites share: one page of HTML without outside requests, from the scores of all models.

A suite's module `report` chooses what is shown, and the template `page.html.j2` beside it how (with a style sheet
`page.css`, if it has one); `base.html.j2` holds the page's head, who validated the items, where the scores come from,
and the words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

from tashika.core.annotators import Annotators
from tashika.core.errors import InputError, MissingStageError
from tashika.core.files import hash_file, hash_value, read_object, write_text
from tashika.core.reporting.plots import is_collecting
from tashika.core.reporting.rendering import STYLE, fill_template
from tashika.core.stages import Stage
from tashika.core.suites.discovery import suite_named
from tashika.core.workspace import Workspace
from tashika.evaluate.comparing.systems import scored_folders, side_by_side
from tashika.evaluate.metrics import Metrics
from tashika.evaluate.reporting.compared import section, words_of
from tashika.evaluate.reporting.finishing import SCRIPT, finished
from tashika.evaluate.reporting.methods import methods_context, written_by
from tashika.evaluate.reporting.numbers import CONVENTION, FILTERS

_SHARED: Final = Path(__file__).parent

Context = dict[str, Any]

_COUNTED: Final = ("items", "judged", "accepted", "rejected", "undecided", "ties", "votes", "annotators", "people")
"""What the summary of the votes counts of every kind."""


class Scored(Protocol):
    """What `base.html.j2` shows of a system; a suite's own class has more."""

    @property
    def name(self) -> str:
        """What the page calls it."""

    @property
    def metrics(self) -> Metrics:
        """Its scores."""

    @property
    def provenance(self) -> Sequence[tuple[str, Any]]:
        """What its scores depend on; see `provenance`."""


def write_page(
    workspace: Workspace,
    folder: Path,
    beside: Mapping[str, Path],
    context: Callable[[Sequence[Path], Mapping[str, Path]], Context],
) -> Path:
    """Writes `evaluate/report.html`, unless it is there already and nothing has changed.

    Args:
        workspace: The suite's folders. Scores are read from `evaluate/*/metrics.json`.
        folder: Where the suite's `page.html.j2` lies, and its `page.css` if it has one.
        beside: Other files that the page uses where they exist, by name.
        context: Makes what the suite's template is filled with, from the scores' paths and the files that exist.

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
            hint=f"Run `tashika evaluate {workspace.argument} --model NAME_OR_PATH` first.",
        )
    # Before the methods, which take numbers from it as they are.
    read_validation(workspace, {name: path for name, path in sources(workspace).items() if path.is_file()})
    page = workspace.evaluate / "report.html"
    comparison = suite_named(workspace.suite).load("evaluate").comparison
    if comparison is not None:
        tables = [path.parent / name for path in scores for name in comparison.files]
        beside = {**{f"compared/{path.parent.name}/{path.name}": path for path in tables}, **beside}
    stage = Stage(
        "report",
        workspace.evaluate,
        inputs=[*scores, *beside.values()],
        settings={
            "suite": workspace.suite,
            "models": [path.parent.name for path in scores],
            "layout": [hash_file(path) for path in _layout(folder)],
            "methods": hash_value(methods_context(workspace)["methods"]),
        },
        outputs=[page],
    )

    def work() -> dict[str, Any]:
        existing = {name: path for name, path in beside.items() if path.exists()}
        filled = context(scores, existing)
        if comparison is not None:
            side = side_by_side(workspace, comparison, scored_folders(workspace))
            known = {word for word, _ in filled["glossary"]}
            beside_them = [(word, meaning) for word, meaning in words_of(side) if word not in known]
            filled |= {"compared": section(side, workspace), "glossary": [*filled["glossary"], *beside_them]}
        write_text(page, render(folder, filled))
        return {"models": len(scores)}

    if is_collecting():
        stage.manifest_file.unlink(missing_ok=True)
    stage.run(work, what="report")
    return page


def sources(workspace: Workspace) -> dict[str, Path]:
    """Files that `shared_context` uses where they exist."""
    return {
        "release": workspace.release / "release.json",
        "validation": workspace.annotation / "validation.json",
    }


def shared_context(workspace: Workspace, folder: Path, models: Sequence[Scored], files: Mapping[str, Path]) -> Context:
    """What `base.html.j2` is filled with, but for `headline` and `glossary`, which are the suite's.

    Args:
        workspace: The suite's folders.
        folder: Where the suite's page lies.
        models: The scored systems.
        files: Those of `sources` that exist.
    """
    from markupsafe import Markup

    again = "Export the release again, or move the file away: the page does without."
    release = read_object(files["release"], hint=again) if "release" in files else _scored_release(models)
    validation = read_validation(workspace, files)
    judges = {name: Annotators.of(kind) for name, kind in sorted(validation.items())}
    simulated_kinds = [name for name, annotators in judges.items() if annotators.simulated]
    css = "".join(path.read_text(encoding="utf-8") for path in _layout(folder) if path.suffix == ".css")
    return {
        "suite": workspace.suite,
        "title": suite_named(workspace.suite).title,
        "simulated": bool(release.get("simulated") or simulated_kinds),
        "simulated_kinds": simulated_kinds,
        "all_simulated": all(judges[name].only_simulated for name in simulated_kinds),
        "judges": judges,
        "problems": _problems(models, release),
        "models": models,
        "release": release,
        "validation": validation,
        "written_by": written_by(),
        **methods_context(workspace),
        "show": f"tashika show {workspace.argument} --model NAME",
        "css": Markup(css),
        "convention": CONVENTION,
    }


def read_validation(workspace: Workspace, files: Mapping[str, Path]) -> dict[str, dict[str, Any]]:
    """The summary of who judged what, by kind; nothing where it does not lie here.

    Args:
        workspace: The suite's folders.
        files: Those of `sources` that exist.

    Raises:
        InputError: It is damaged.
    """
    if "validation" not in files:
        return {}
    again = f"Run `tashika annotate vote {workspace.arguments}` again, or move the file away."
    summary = read_object(files["validation"], hint=again)
    for kind, entry in summary.items():
        wrong = "" if not isinstance(entry, dict) else next((key for key in _COUNTED if _is_no_count(entry, key)), None)
        if wrong is not None:
            problem = f"{wrong!r} of {kind!r} is no number" if wrong else f"{kind!r} is no object"
            raise InputError(problem, where=str(files["validation"]), hint=again)
    return summary


def _is_no_count(entry: Mapping[str, Any], key: str) -> bool:
    return not isinstance(entry.get(key), int | None)


def _scored_release(models: Sequence[Scored]) -> dict[str, Any]:
    """Where no release lies here: the one that the first system was scored on."""
    release = models[0].metrics.release
    return release.model_dump() if release else {}


def _problems(models: Sequence[Scored], release: Mapping[str, Any]) -> list[str]:
    """What a reader must know before comparing."""
    problems = []
    for model in models:
        scored = model.metrics.release.digest if model.metrics.release else None
        if scored != release.get("digest"):
            problems.append(
                f"{model.name} was scored on another release ({str(scored)[:12]}) than the one that lies here "
                f"({str(release.get('digest'))[:12]}): evaluate it again before comparing."
            )
    return problems


def provenance(metrics: Metrics, settings: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """What the scores depend on: the system's identity and note, the software's versions, the settings, the release."""
    model = {key: value for key, value in sorted(metrics.model.model_dump().items()) if key != "name"}
    digest = metrics.release.digest if metrics.release else None
    rows = {**model, **metrics.versions, **settings, "scored release": digest}
    return [(str(key), value) for key, value in rows.items() if value is not None]


def _layout(folder: Path) -> list[Path]:
    """The templates and style sheets of a suite's page, the common ones first."""
    beside = [path for place in (_SHARED, folder) for path in sorted(place.iterdir())]
    return [STYLE, SCRIPT, *(path for path in beside if path.suffix in {".j2", ".css"})]


def render(folder: Path, context: Mapping[str, Any]) -> str:
    """Fills a suite's page.

    Args:
        folder: Where its `page.html.j2` lies.
        context: See `shared_context`.
    """
    return finished(fill_template([folder, _SHARED], "page.html.j2", context, FILTERS))
