"""Which systems may stand side by side: those scored on the same release with the same settings."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError

from tashika.core.counts import counted
from tashika.core.errors import InputError
from tashika.core.files import read_object
from tashika.core.workspace import Workspace
from tashika.evaluate.comparing.logs import Log
from tashika.evaluate.comparing.side_by_side import LeftOut, SideBySide, compare
from tashika.evaluate.metrics import AGAIN
from tashika.evaluate.suite import Comparison, Measure, Sides, SystemSide, Units


class _Loose(BaseModel):
    """What all suites' `metrics.json` have, whatever else is in them."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class _Model(_Loose):
    name: str


class _Release(_Loose):
    version: str
    digest: str


class _Head(_Loose):
    model: _Model
    release: _Release | None = None


@dataclass(frozen=True)
class _Candidate:
    """A system that may be compared.

    Attributes:
        name: What it is called.
        release: What it was scored on, as a setting.
        side: What it made of its items.
    """

    name: str
    release: Mapping[str, Any]
    side: SystemSide

    @property
    def settings(self) -> Mapping[str, Any]:
        """What must be the same."""
        return {**self.release, **self.side.settings}

    @property
    def problem(self) -> str | None:
        """Why it cannot be compared with any other."""
        if self.side.problem is not None:
            return self.side.problem
        values = [array for units in self.side.units.values() for array in units.values.values()]
        return None if any((~np.isnan(array)).any() for array in values) else "nothing that it was asked counts"


def scored_folders(workspace: Workspace) -> list[Path]:
    """The folders of all scored systems, by name."""
    return [path.parent for path in sorted(workspace.evaluate.glob("*/metrics.json"))]


_NAME_IT = "Name a system by its folder, or a log by its path (.jsonl, .json or .eval)."


def find_folder(workspace: Workspace, given: str, hint: str = _NAME_IT) -> Path:
    """The folder of a system by its name or its model's.

    Args:
        workspace: The suite's folders.
        given: The name.
        hint: How to name one.

    Raises:
        InputError: There is none, or several have the model's name.
    """
    folders = scored_folders(workspace)
    by_name = [folder for folder in folders if folder.name == given]
    matches = by_name or [folder for folder in folders if _head(folder).model.name == given]
    if len(matches) == 1:
        return matches[0]
    names = ", ".join(folder.name for folder in matches or folders) or "none"
    problem = f"{len(matches)} systems are called {given!r}: {names}" if matches else f"no system {given!r} was scored"
    scored = "" if matches else f"; scored are: {names}"
    raise InputError(
        f"{problem}{scored}",
        where=str(workspace.evaluate),
        hint=hint,
    )


def side_by_side(workspace: Workspace, comparison: Comparison, folders: Sequence[Path]) -> SideBySide:
    """All systems that may be compared, for a page: those that may not are left out with the reason.

    Of several releases, settings or samples the one with most systems is taken; samples are mixed only where there are
    no two systems of one.

    Args:
        workspace: The suite's folders.
        comparison: What the suite gives.
        folders: Those of the systems.
    """
    sides, candidates = _candidates(workspace, comparison, folders)
    left = [LeftOut(system.name, system.problem) for system in candidates if system.problem is not None]
    fine = [system for system in candidates if system.problem is None]
    chosen = _largest(fine, [_key(system.settings) for system in fine])
    left += [LeftOut(system.name, _difference(chosen[0], system)) for system in fine if system not in chosen]
    of_sample = _largest(chosen, [system.side.sample for system in chosen])
    if len(of_sample) > 1:
        shared = of_sample[0].side.sample or "everything"
        left += [
            LeftOut(system.name, f"it was asked {system.side.sample or 'everything'}, and the others {shared}")
            for system in chosen
            if system not in of_sample
        ]
        chosen = of_sample
    if len(chosen) < 2:
        return SideBySide([system.name for system in chosen], [], left)
    result = compare(replace(sides, systems=[system.side for system in chosen]), [system.name for system in chosen])
    return replace(result, left_out=left, remarks=_sample_remarks(chosen))


def compare_named(
    workspace: Workspace,
    comparison: Comparison,
    folders: Sequence[Path],
    logs: Sequence[Log] = (),
    measure: str | None = None,
) -> SideBySide:
    """The systems and logs that a user names; what cannot be compared is refused.

    Args:
        workspace: The suite's folders.
        comparison: What the suite gives.
        folders: Those of scored systems.
        logs: Of other programs.
        measure: The measure that logs are taken for, and then the only one; None for the suite's first.

    Raises:
        InputError: There are not two, two were scored on different releases or settings, a log has items of another
            release, or there is no item in common.
    """
    _require_two(workspace, len(folders) + len(logs))
    # A log says no clusters: where no system is named, the scored ones do.
    sides, candidates = _candidates(workspace, comparison, folders or scored_folders(workspace))
    if folders:
        _require_comparable(candidates)
    else:
        candidates = _reference(workspace, candidates)
    chosen = list(candidates) if folders else []
    remarks = _sample_remarks(chosen)
    if logs or measure is not None:
        taken = _measure(sides, measure, plain=bool(logs))
        sides = replace(sides, measures=[taken])
        for log in logs:
            side, remark = _log_side(log, taken, [system.side for system in candidates])
            chosen.append(_Candidate(log.name, {}, side))
            remarks += [*([log.remark] if log.remark else []), *_other_version(log, candidates), *remark]
    names = _distinct([system.name for system in chosen])
    result = compare(replace(sides, systems=[system.side for system in chosen]), names)
    if not any(compared.whole.items for compared in result.measures):
        raise InputError(
            f"these systems have no {result.items} in common", hint="Score them on the same sample of the release."
        )
    return replace(result, remarks=remarks)


def _candidates(
    workspace: Workspace, comparison: Comparison, folders: Sequence[Path]
) -> tuple[Sides, list[_Candidate]]:
    """The systems of these folders, in their order, those whose tables are missing with that problem."""
    heads = [_head(folder) for folder in folders]
    names = _distinct([head.model.name for head in heads], [folder.name for folder in folders])
    gone = {folder: name for folder in folders for name in comparison.files if not (folder / name).is_file()}
    there = [folder for folder in folders if folder not in gone]
    sides = comparison.read(workspace, there) if there else Sides([], [])
    by_folder = dict(zip(there, sides.systems, strict=True))
    candidates = []
    for folder, head, name in zip(folders, heads, names, strict=True):
        release = {} if head.release is None else {"release": f"{head.release.version} ({head.release.digest[:12]})"}
        missing = SystemSide(problem=f"its {gone[folder]} does not lie here") if folder in gone else None
        candidates.append(_Candidate(name, release, missing or by_folder[folder]))
    return sides, candidates


def _require_two(workspace: Workspace, count: int) -> None:
    if count < 2:
        known = ", ".join(folder.name for folder in scored_folders(workspace)) or "none"
        raise InputError(
            f"found {'one system' if count else 'no system'}, expected two or more; scored are: {known}",
            where=str(workspace.evaluate),
            hint=f"Score another with `tashika evaluate {workspace.argument} --model NAME`, or name a log.",
        )


def _reference(workspace: Workspace, candidates: Sequence[_Candidate]) -> list[_Candidate]:
    """The systems that say how the items of logs hang together, where none is named."""
    fine = [system for system in candidates if system.problem is None]
    if not fine:
        raise InputError(
            "no system has been scored, which says how the items of a log hang together",
            where=str(workspace.evaluate),
            hint=f"Run `tashika evaluate {workspace.argument} --model NAME` once, for any model.",
        )
    return _largest(fine, [_key(system.settings) for system in fine])


def _require_comparable(candidates: Sequence[_Candidate]) -> None:
    for system in candidates:
        if system.problem is not None:
            raise InputError(f"cannot be compared: {system.problem}", where=system.name)
        if _key(system.settings) != _key(candidates[0].settings):
            raise InputError(
                f"{candidates[0].name} and {system.name} cannot be compared: {_difference(candidates[0], system)}",
                hint="Evaluate both on the same release with the same settings.",
            )


def _difference(first: _Candidate, other: _Candidate) -> str:
    """In what two systems differ that must not."""
    keys = dict.fromkeys([*first.settings, *other.settings])
    parts = [
        f"{key}: {_shown(other.settings.get(key))} where {first.name} has {_shown(first.settings.get(key))}"
        for key in keys
        if _key(first.settings.get(key)) != _key(other.settings.get(key))
    ]
    return f"scored otherwise ({'; '.join(parts)})"


def _shown(value: Any) -> str:
    text = "none" if value is None else str(value)
    return text if len(text) <= 80 else f"{text[:77].rstrip()}..."


def _largest(candidates: Sequence[_Candidate], keys: Sequence[str]) -> list[_Candidate]:
    """Those of the most frequent key; of equally frequent ones the empty key's, else the first one's."""
    if not candidates:
        return []
    counted = Counter(keys)
    best = max(counted, key=lambda key: (counted[key], not key, -keys.index(key)))
    return [system for system, key in zip(candidates, keys, strict=True) if key == best]


def _key(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)


def _sample_remarks(chosen: Sequence[_Candidate]) -> list[str]:
    samples = {system.side.sample for system in chosen}
    if len(samples) < 2:
        return [f"A sample of the release: {sample}." for sample in samples if sample]
    asked = "; ".join(f"{system.name} {system.side.sample or 'everything'}" for system in chosen)
    return [f"They were not asked the same sample ({asked}): compared is what all were asked."]


def _measure(sides: Sides, key: str | None, *, plain: bool) -> Measure:
    """The measure that logs are taken for."""
    known = {measure.key: measure for measure in sides.measures if not plain or _takes_logs(measure)}
    if key is None and known:
        return next(iter(known.values()))
    if key not in known:
        raise InputError(f"found the measure {key!r}, expected one of {', '.join(known) or 'none: it takes no logs'}")
    return known[key]


def _takes_logs(measure: Measure) -> bool:
    """Whether one number an item is all that the measure needs."""
    return measure.cells is None and measure.regroup is None


def _log_side(log: Log, measure: Measure, systems: Sequence[SystemSide]) -> tuple[SystemSide, list[str]]:
    """A log as a system, and what to know of it.

    Raises:
        InputError: It has no item of the release, or values that the measure cannot have.
    """
    asked: set[str] = set()
    whole: Units | None = None
    for system in systems:
        if measure.unit in system.units:
            whole = whole or system.units[measure.unit]
            asked |= {str(item) for item in _listed(system.units[measure.unit].ids)}
    outside = [item for item in log.values if item not in asked]
    if len(outside) == len(log.values):
        raise InputError(
            f"none of its {len(log.values):,} items was asked of the systems here, such as {outside[0]}",
            where=log.name,
            hint="It is of another release, or of another part of it: evaluate the release that lies here.",
        )
    if measure.scale == "share":
        wrong = next((item for item, value in log.values.items() if not np.isnan(value) and not 0 <= value <= 1), None)
        if wrong is not None:
            raise InputError(
                f"found {log.metric} = {log.values[wrong]:g} for {wrong}, and {measure.title} is from 0 to 1",
                where=log.name,
                hint="Choose another number with --metric.",
            )
    remarks = [f"{log.name}: {log.metric} of the log stands for {measure.title}."]
    if outside:
        items = counted(len(log.values), "item")
        remarks.append(f"{log.name}: of its {items} {len(outside):,} left out, as no system here was asked them.")
    units = _with_clusters(log.units(measure.key), whole) if whole is not None else log.units(measure.key)
    return SystemSide({measure.unit: units}), remarks


def _other_version(log: Log, candidates: Sequence[_Candidate]) -> list[str]:
    """Says where a log's questions were opened at the tag of another version: an item may read otherwise there."""
    here = {str(system.release["release"]).split(" ")[0] for system in candidates if "release" in system.release}
    if log.release is None or not here or log.release in here:
        return []
    return [
        f"{log.name}: its questions are of release {log.release}, and those here of {', '.join(sorted(here))}; items "
        "with the same id may read otherwise there."
    ]


def _with_clusters(units: Units, whole: Units) -> Units:
    """The items of a log that a scored system was asked, with the clusters and groups of that system's table."""
    place = {str(item): number for number, item in enumerate(_listed(whole.ids))}
    kept = [number for number, item in enumerate(units.ids) if str(item) in place]
    ids = [str(units.ids[number]) for number in kept]

    def taken(names: Any) -> list[str] | None:
        known = _listed(names) if names is not None else None
        return None if known is None else [str(known[place[item]]) for item in ids]

    values = {key: array[kept] for key, array in units.values.items()}
    return Units(ids, values, taken(whole.clusters), taken(whole.groups))


def _listed(values: Any) -> list[Any]:
    return list(values.to_pylist()) if hasattr(values, "to_pylist") else list(values)


def _distinct(names: Sequence[str], otherwise: Sequence[str] | None = None) -> list[str]:
    """Names of which no two are alike: by the folder, else by a number behind them."""
    counted = Counter(names)
    shown = [
        otherwise[place] if otherwise is not None and counted[name] > 1 else name for place, name in enumerate(names)
    ]
    seen: Counter[str] = Counter()
    result = []
    for name in shown:
        seen[name] += 1
        result.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return result


def _head(folder: Path) -> _Head:
    path = folder / "metrics.json"
    try:
        return _Head.model_validate(read_object(path, hint=AGAIN))
    except ValidationError as error:
        raise InputError(f"{error.errors()[0]['msg']}", where=str(path), hint=AGAIN) from error
