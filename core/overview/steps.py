"""The steps of a suite from candidates to the page of scores: which are done, which are stale, and what is next.

The command line's words for the steps are known here, and where each leaves its files (`core.workspace`); no room is.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal

from tashika.core.counts import counted
from tashika.core.errors import InputError, TashikaError
from tashika.core.files import read_json
from tashika.core.inputs import build_settings_file, read_memory
from tashika.core.overview.manifests import changed_inputs, changes_since, manifests_of, unlisted
from tashika.core.settings import default_config, read_settings
from tashika.core.suites.suite import Suite
from tashika.core.workspace import Workspace

State = Literal["done", "stale", "open", "left out"]

_OPEN_FORMS: Final = frozenset({"words"})
"""Forms of a page by which people accept nothing: they answer in words."""
_SHOWN: Final = 2
"""Reasons that stand in a line."""


@dataclass(frozen=True)
class Step:
    """A step of the work.

    Attributes:
        name: Such as `vote`.
        state: Whether it is done, stale, to be done, or left out since nothing of this suite needs it.
        command: What to run for it, to be copied as it is.
        note: What it came to, why it is stale, or what it takes.
    """

    name: str
    state: State
    command: str
    note: str = ""


@dataclass(frozen=True)
class Kind:
    """A kind of item in numbers; None for what is not known.

    Attributes:
        name: Of the kind.
        items: The candidates.
        judged: Those that people, or programs in their place, judged or answered.
        accepted: Those that the verdicts accept; None where people answer in words instead.
        simulated: Whether programs were among who judged.
    """

    name: str
    items: int | None
    judged: int | None = None
    accepted: int | None = None
    simulated: bool = False


@dataclass(frozen=True)
class Progress:
    """How far a suite is in a working directory.

    Attributes:
        workspace: Its folder.
        suite: What it is.
    """

    workspace: Workspace
    suite: Suite

    @cached_property
    def steps(self) -> list[Step]:
        """All steps, in the order of the work."""
        judging = [self._push, self._pull(), self._vote()]
        return [self._build(), *judging, self._export(), self._evaluate(), self._report()]

    @property
    def next(self) -> Step | None:
        """The first step that is stale or to be done; None where all are done."""
        return next((step for step in self.steps if step.state in {"stale", "open"}), None)

    def _command(self, words: str, more: str = "") -> str:
        return f"tashika {words} {self.workspace.arguments}{more}"

    # Numbers ----------------------------------------------------------------------------------------------------------

    @cached_property
    def kinds(self) -> list[Kind]:
        """The kinds that were built, in the order of the suite."""
        found = []
        for kind in self.suite.kinds:
            path = self.workspace.item_file(kind.name)
            if not path.is_file():
                continue
            entry = self.validation.get(kind.name) or {}
            votes = str(entry.get("form")) not in _OPEN_FORMS
            accepted = _number(entry.get("accepted")) if votes else None
            judged = _number(entry.get("judged"))
            found.append(Kind(kind.name, _rows(path), judged, accepted, bool(entry.get("simulated"))))
        return found

    @cached_property
    def validation(self) -> Mapping[str, Mapping[str, Any]]:
        """The summary of the votes, by kind; empty where none were counted."""
        entries = _json(self.workspace.annotation / "validation.json")
        return {name: entry for name, entry in entries.items() if isinstance(entry, Mapping)}

    @cached_property
    def release(self) -> Mapping[str, Any]:
        """The content of `release.json`; empty where there is no whole release."""
        return _json(self.workspace.release / "release.json")

    @property
    def released(self) -> dict[str, int]:
        """The rows of each configuration of the release."""
        rows: dict[str, int] = {}
        files = self.release.get("files")
        for path, about in files.items() if isinstance(files, Mapping) else ():
            name = path.partition("/")[0]
            rows[name] = rows.get(name, 0) + ((_number(about.get("rows")) or 0) if isinstance(about, Mapping) else 0)
        return rows

    @cached_property
    def scored(self) -> Mapping[str, Mapping[str, Any]]:
        """What `metrics.json` says of each scored system, by its folder."""
        paths = sorted(self.workspace.evaluate.glob("*/metrics.json"))
        return {path.parent.name: _json(path) for path in paths}

    @property
    def page(self) -> Path:
        """The page of the scores; it need not be there."""
        return self.workspace.evaluate / "report.html"

    # Steps ------------------------------------------------------------------------------------------------------------

    def _build(self) -> Step:
        command = self._command("build")
        if not self.kinds:
            return Step("build", "open", command, "there are no items yet")
        if _begun(self.workspace):
            return Step("build", "stale", command, "a build was begun and has not ended")
        lines = changed_inputs(self.workspace)
        for manifest in manifests_of(self.workspace.items):
            # Items that the scores gave rise to lie there as well.
            lines += [] if manifest.name.startswith("evaluate-") else changes_since(manifest)
        if lines:
            return Step("build", "stale", command, _in_short(lines))
        numbers = ", ".join(f"{kind.name} {kind.items:,}" for kind in self.kinds if kind.items is not None)
        if self._waits_for_second_build:
            return Step("build", "open", command, f"{numbers}; what people accepted is to be built on")
        return Step("build", "done", command, numbers)

    @property
    def _waits_for_second_build(self) -> bool:
        """Whether votes were counted on the first kind, and the kinds that are made of it are not there."""
        builds_on = self.suite.rehearsal is not None and self.suite.rehearsal.second_build
        first = self.suite.kinds[0].name
        return builds_on and first in self.validation and [kind.name for kind in self.kinds] == [first]

    @cached_property
    def _to_judge(self) -> list[str]:
        """The kinds that people judge by the settings and that were built.

        Raises:
            ConfigError: The settings of the build are gone or broken.
        """
        own = self.suite.own_settings("annotate")
        if own is None:
            config = build_settings_file(self.workspace) or default_config(self.suite.name)
            own = read_settings(self.suite.name, config).get("annotate", {})
        kinds = own.get("kinds", {})
        judged = [name for name, kind in kinds.items() if kind.get("mode") != "none"]
        return [kind.name for kind in self.kinds if kind.name in judged]

    @cached_property
    def _push(self) -> Step:
        command = self._command("annotate push")
        serve = f"Label Studio must run: `tashika annotate serve{self._work}` in another terminal"
        try:
            wanted = self._to_judge
        except TashikaError as error:
            return Step("push", "stale", command, f"{error.message}: {error.where}")
        if not wanted:
            return Step("push", "left out" if self.kinds else "open", command, "nobody judges these kinds")
        # Answers that were published elsewhere are taken as judgments without any push.
        missing = [name for name in wanted if not self._is_pushed(name) and not self._is_judged(name)]
        if not missing:
            return Step("push", "done", command)
        return Step("push", "open", command, f"{', '.join(missing)} items are to be pushed. {serve}")

    @property
    def _work(self) -> str:
        from tashika.core.options import WORK

        root = self.workspace.root
        return "" if root == WORK else f" --work {shlex.quote(str(root))}"

    def _is_pushed(self, kind: str) -> bool:
        """Whether tasks of a kind were made, in one project or in several that are numbered."""
        folder = self.workspace.pushed
        parts = (path.stem.removeprefix(f"{kind}-") for path in folder.glob(f"{kind}-*.parquet"))
        return (folder / f"{kind}.parquet").is_file() or any(part.isdigit() for part in parts)

    def _is_judged(self, kind: str) -> bool:
        return bool((self.validation.get(kind) or {}).get("judged"))

    @property
    def _nobody_judges(self) -> bool:
        return self._push.state == "left out"

    def _shards(self) -> list[Path]:
        return sorted(self.workspace.judgments.glob("part-*.parquet"))

    def _pull(self) -> Step:
        command = self._command("annotate pull")
        if self._nobody_judges:
            return Step("pull", "left out", command)
        shards = self._shards()
        if not shards:
            return Step("pull", "open", command, "after people have answered in Label Studio")
        return Step("pull", "done", command, counted(sum(_rows(path) or 0 for path in shards), "judgment"))

    def _vote(self) -> Step:
        command = self._command("annotate vote")
        if self._nobody_judges:
            return Step("vote", "left out", command)
        manifest = self.workspace.annotation / "annotate-vote.manifest.json"
        if not manifest.is_file():
            return Step("vote", "open", command)
        lines = changes_since(manifest)
        new = unlisted(manifest, [*self._shards(), self.workspace.annotation / "adjudications.parquet"])
        lines += [f"{path.name} came after it" for path in new]
        if lines:
            return Step("vote", "stale", command, _in_short(lines))
        return Step("vote", "done", command, "; ".join(_judged_line(kind) for kind in self.kinds if kind.judged))

    def _export(self) -> Step:
        command = self._command("export")
        manifest = self.workspace.base / "export.manifest.json"
        if not self.release or not manifest.is_file():
            return Step("export", "open", command)
        lines = changes_since(manifest)
        if lines:
            return Step("export", "stale", command, _in_short(lines))
        shown = ", ".join(f"{rows:,} {name.replace('_', ' ')}" for name, rows in self.released.items())
        return Step("export", "done", command, f"version {self.release.get('version')}: {shown}")

    # Scores -----------------------------------------------------------------------------------------------------------

    def _evaluate(self) -> Step:
        scored = self.scored
        if not scored:
            return self._first_evaluation()
        digest = self.release.get("digest")
        others = [name for name, metrics in scored.items() if digest and _scored_digest(metrics) not in (None, digest)]
        if others:
            name = str((scored[others[0]].get("model") or {}).get("name", "NAME_OR_PATH"))
            command = self._command("evaluate", f" --model {shlex.quote(name)}")
            return Step("evaluate", "stale", command, f"scored on another release: {_in_short(others, ', ')}")
        command = self._command("evaluate", " --model NAME_OR_PATH")
        for folder in scored:
            lines = changes_since(path) if (path := self._metrics_manifest(folder)).is_file() else []
            if lines:
                return Step("evaluate", "stale", command, f"{folder}: {_in_short(lines)}")
        return Step("evaluate", "done", command, counted(len(scored), "system"))

    def _metrics_manifest(self, folder: str) -> Path:
        return self.workspace.evaluate / folder / "metrics.manifest.json"

    def _first_evaluation(self) -> Step:
        """How a first model is scored: a packaged one, which is made first if it is not there."""
        if self.suite.own_settings("build") is not None and not self.suite.own_settings("evaluate"):
            return Step("evaluate", "left out", self._command("evaluate"), "the suite file has no section [evaluate]")
        models = self.suite.rehearsal.models if self.suite.rehearsal else ()
        if not models:
            return Step("evaluate", "open", self._command("evaluate", " --model NAME_OR_PATH"))
        note = "any model can be named, by its name or folder"
        prepared = [name for name in models if (self.workspace.root / "models" / name / "config.json").is_file()]
        if not prepared:
            return Step(
                "evaluate", "open", f"tashika models {models[-1]}{self._work}", f"a small model is made first; {note}"
            )
        name = prepared[-1]
        limit = self.suite.rehearsal.limits.get(name) if self.suite.rehearsal else None
        drawn = f" --limit {limit}" if limit else ""
        note += "; --limit takes a sample" if limit else ""
        return Step("evaluate", "open", self._command("evaluate", f" --model {name}{drawn}"), note)

    def _report(self) -> Step:
        command = self._command("report")
        if not self.scored and self._first_evaluation().state == "left out":
            return Step("report", "left out", command)
        manifest = self.workspace.evaluate / "report.manifest.json"
        if not manifest.is_file() or not self.page.is_file():
            return Step("report", "open", command)
        new = unlisted(manifest, self.workspace.evaluate.glob("*/metrics.json"))
        lines = [f"{counted(len(new), 'system was', 'systems were')} scored since"] if new else []
        lines += changes_since(manifest)
        return Step("report", "stale" if lines else "done", command, _in_short(lines))


def _begun(workspace: Workspace) -> bool:
    try:
        return read_memory(workspace).begun is not None
    except InputError:
        return False  # the changes since say that the file is broken


def _judged_line(kind: Kind) -> str:
    taken = f", {kind.accepted:,} accepted" if kind.accepted is not None else ""
    whole = f" of {kind.items:,}" if kind.items is not None else ""
    simulated = " (simulated)" if kind.simulated else ""
    return f"{kind.name}: {kind.judged:,}{whole} judged{taken}{simulated}"


def _scored_digest(metrics: Mapping[str, Any]) -> str | None:
    release = metrics.get("release")
    digest = release.get("digest") if isinstance(release, Mapping) else None
    return digest if isinstance(digest, str) else None


def _in_short(lines: Sequence[str], between: str = "; ") -> str:
    """The first lines, and how many more there are."""
    distinct = list(dict.fromkeys(lines))
    more = len(distinct) - _SHOWN
    return between.join(distinct[:_SHOWN]) + (f"{between}{more:,} more" if more > 0 else "")


def _rows(path: Path) -> int | None:
    """The rows of a table by its footer; None where it is broken."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return int(pq.read_metadata(path).num_rows)
    except (pa.ArrowInvalid, OSError):
        return None


def _json(path: Path) -> Mapping[str, Any]:
    """A JSON object; an empty one where the file is missing or broken."""
    try:
        content = read_json(path)
    except InputError:
        return {}
    return content if isinstance(content, Mapping) else {}


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
