"""The report on semantic relations: which relations do models and people confuse, and is antonymy preferred?

Tables 1 and 2 and figure 1 of the paper (Cao, Yamada and Tokunaga), with what it prints beside.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, Final

from tashika.core.annotators import Annotators
from tashika.core.files import read_table
from tashika.core.suites.semrel.words import RELATIONS, SHORT
from tashika.core.workspace import Workspace
from tashika.evaluate.reporting.page import Context, provenance, read_metrics, shared_context, sources, write_page
from tashika.evaluate.semrel.glossary import GLOSSARY
from tashika.evaluate.semrel.groups import Group, group_problems, groups_of, labels_of
from tashika.evaluate.semrel.metrics import mean_matrix, told_empty_rows
from tashika.evaluate.semrel.plots import colour_scale, heat_map
from tashika.evaluate.semrel.published import (
    FINDINGS,
    REMARKS,
    TABLE_1,
    TABLE_2,
    TABLE_2_PROBE,
    TABLE_2_RELATION,
    TABLE_2_TARGET,
)

_HERE: Final = Path(__file__).parent
_NEEDED: Final = (
    *("matrix", "matrix_intervals", "alpha", "alpha_intervals", "n_probes", "n_targets", "antonymy_bias", "own"),
    *("off_diagonal", "against_people", "relations", "n", "answered", "scored", "problems", "left_out", "k"),
    *("statistics", "model"),
)
_KINDS: Final = {"masked": "masked language models", "causal": "causal language models", "people": "people"}
_TOP: Final = 5
"""Words of each system in Table 2; the paper prints two."""

Key = tuple[str, str, str]
"""A probe: target, relation, prompt."""


def write_report(workspace: Workspace) -> Path:
    """Writes `evaluate/report.html` from the scores and answers of all systems, models and people.

    Args:
        workspace: The suite's folders. Scores are read from `evaluate/*/metrics.json`, answers (for Table 2) from
            `answers.parquet` beside them; `release/release.json`, `annotation/validation.json` and the relata of the
            release, or of the build, where they exist.

    Returns:
        The page.

    Raises:
        MissingStageError: No system has been scored.
        InputError: A file is broken or lacks a number.
    """
    answers = sorted(path.parent / "answers.parquet" for path in workspace.evaluate.glob("*/metrics.json"))
    beside = {
        **sources(workspace),
        **{f"answers/{path.parent.name}": path for path in answers},
        "relata": workspace.release / "relata" / "relata.parquet",
        "relatum": workspace.item_file("relatum"),
    }
    return write_page(workspace, _HERE, beside, lambda scores, files: _context(workspace, scores, files))


def _context(workspace: Workspace, scores: Sequence[Path], files: Mapping[str, Path]) -> Context:
    systems = _named_apart([_system(path) for path in scores])
    shared = shared_context(workspace, _HERE, systems, files)
    if "release" not in files:
        shared["release"] = next((each["metrics"]["release"] for each in systems if each["metrics"]["release"]), {})
    kinds = _of_kinds(systems)
    return {
        **shared,
        "problems": _problems(systems, shared["release"]),
        "headline": _headline(systems),
        "simulated_people": any(each["who"].simulated for each in systems),
        "others": _called([each for each in systems if each["kind"] == "people" or each["metrics"]["against_people"]]),
        "relations": RELATIONS,
        "short": SHORT,
        "kinds": kinds,
        "scale": _markup(colour_scale()),
        "largest": max(systems, key=lambda each: int(each["metrics"]["scored"])),
        "findings": [_finding(text, cells, kinds) for text, cells in FINDINGS],
        "published_1": TABLE_1,
        "published_2": TABLE_2,
        "published_2_probe": TABLE_2_PROBE,
        "remarks": REMARKS,
        "table_2": _table_2(systems, files),
        "glossary": GLOSSARY,
    }


def _markup(svg: str) -> Any:
    """SVG as it is: the names in it are escaped."""
    from markupsafe import Markup

    return Markup(svg)


def _headline(systems: Sequence[Mapping[str, Any]]) -> str:
    """Who was asked what, in one sentence."""
    of_kinds = [(name, [each for each in systems if each["kind"] == kind]) for kind, name in _KINDS.items()]
    who = [_called(mine) if name == "people" else _number(len(mine), name) for name, mine in of_kinds if mine]
    most = max(systems, key=lambda each: int(each["metrics"]["n"]))["metrics"]
    joined = who[0] if len(who) == 1 else f"{', '.join(who[:-1])} and {who[-1]}"
    verb = "was" if len(systems) == 1 and systems[0]["kind"] != "people" else "were"
    text = f"{joined} {verb} asked up to {most['n']:,} probes of six semantic relations on {most['targets']:,} targets."
    return text[0].upper() + text[1:]


def _called(systems: Sequence[Mapping[str, Any]]) -> str:
    """What to call those whose answers these systems are, or are compared with: people, programs, or both."""
    return " and ".join(dict.fromkeys(each["who"].name for each in systems)) or "people"


def _number(count: int, plural: str) -> str:
    return f"one {plural[:-1]}" if count == 1 else f"{count} {plural}"


# One system -----------------------------------------------------------------------------------------------------------


def _system(path: Path) -> dict[str, Any]:
    """One system's scores as the page shows them, figure and provenance."""
    metrics = read_metrics(path, _NEEDED)
    metrics["release"] = metrics.get("release") or {}
    kind = str(metrics["model"].get("kind", "causal"))
    who = _who(metrics)
    name = who.name if kind == "people" else str(metrics["model"].get("name", path.parent.name))
    settings = {key: metrics["statistics"][key] for key in ("resamples", "permutations", "seed", "level")}
    rows, source = provenance(metrics, settings), metrics.get("source") or {}
    return {
        "name": name,
        "folder": path.parent.name,
        "kind": kind if kind in _KINDS else "causal",
        "who": who,
        "metrics": metrics,
        "provenance": rows + [(f"probes: {key}", value) for key, value in source.items() if value is not None],
        "left": _left(metrics),
        "silent": told_empty_rows(metrics["alpha"]),
        "tests": {(row["probe_relation"], row["answer_relation"]): row for row in _tests(metrics)},
    }


def _named_apart(systems: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The group with the most probes (then systems) first, by kind; names say which group, if there are several."""
    groups = groups_of(systems)
    labels, most = labels_of(set(groups)), Counter[Group]()
    for each, group in zip(systems, groups, strict=True):
        each["group"], each["label"] = group, labels[group]
        most[group] = max(most[group], int(each["metrics"]["n"]))
        each["name"] += f" ({each['label']})" if len(labels) > 1 else ""
    names = Counter(each["name"] for each in systems)
    for each in systems:
        each["name"] += f" [{each['folder']}]" if names[each["name"]] > 1 else ""
    order = list(_KINDS)
    size = Counter(groups)
    systems = sorted(
        systems,
        key=lambda each: (-most[each["group"]], -size[each["group"]], each["label"], order.index(each["kind"])),
    )
    for each in systems:  # when the names are known: a figure has its system's
        each["figure"] = _markup(heat_map(each["metrics"]["matrix"], each["name"]))
    return systems


def _tests(metrics: Mapping[str, Any]) -> list[dict[str, Any]]:
    return list(metrics["against_people"]["cells"]) if metrics["against_people"] else []


def _left(metrics: Mapping[str, Any]) -> list[tuple[str, int]]:
    """What takes no part in the numbers, and why."""
    rows = [(str(row["problem"]), int(row["n"])) for row in metrics["problems"]]
    return rows + [(str(why), int(n)) for why, n in metrics["left_out"].items()]


def _who(metrics: Mapping[str, Any]) -> Annotators:
    """Those whose answers it is, or is compared with; earlier versions say only whether programs are among them."""
    source = metrics.get("source") or {}
    places = (metrics, metrics["model"], source)
    simulated = any(isinstance(place, Mapping) and place.get("simulated") for place in places)
    return Annotators.of({"simulated": simulated, **(source.get("people") or {})})


def _problems(systems: Sequence[Mapping[str, Any]], release: Mapping[str, Any]) -> list[str]:
    """What a reader must know before comparing."""
    found = []
    for each in systems:
        source = each["metrics"].get("source") or {}
        of_release = source.get("revision") if source.get("origin") == "release" else None
        digest = each["metrics"]["release"].get("digest") or of_release
        if digest and release.get("digest") and digest != release["digest"]:
            found.append(
                f"{each['name']} was scored on another release ({str(digest)[:12]}) than the one that lies here "
                f"({str(release['digest'])[:12]}): evaluate it again before comparing."
            )
    return found + group_problems(systems)


# Kinds of systems -----------------------------------------------------------------------------------------------------


def _of_kinds(systems: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Figure 1's matrices: of each group the mean over models of a kind, and people."""
    found = []
    groups = list(dict.fromkeys(each["group"] for each in systems))
    for group, (kind, name) in product(groups, _KINDS.items()):
        mine = [each for each in systems if (each["group"], each["kind"]) == (group, kind)]
        if mine:
            mean = mean_matrix([each["metrics"]["matrix"] for each in mine])
            title = _called(mine) if kind == "people" else name
            title += f" ({mine[0]['label']})" if len(groups) > 1 else ""
            title = title[0].upper() + title[1:]
            figure = _markup(heat_map(mean, f"{title}, mean of {len(mine)}" if len(mine) > 1 else title))
            found.append({"kind": kind, "name": title, "n": len(mine), "matrix": mean, "figure": figure})
    return found


def _finding(text: str, cells: Sequence[tuple[str, str]], kinds: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """A sentence of the paper, and the mean of its cells for each kind of system here."""
    means = []
    for each in kinds:
        values = [each["matrix"][asked][taken] for asked, taken in cells]
        known = [value for value in values if value is not None]
        means.append(sum(known) / len(known) if known else None)
    return {"text": text, "means": means}


# Table 2 --------------------------------------------------------------------------------------------------------------


def _table_2(systems: Sequence[Mapping[str, Any]], files: Mapping[str, Path]) -> dict[str, Any] | None:
    """The first answers of all systems to one target: the paper's, if all have it, else the first that all have.

    Where there are several groups of systems, those of the group with the most probes.
    """
    systems = [each for each in systems if each["group"] == systems[0]["group"]]
    answers: dict[str, dict[Key, list[str]]] = {}
    for each in systems:
        path = files.get(f"answers/{each['folder']}")
        if path is None:
            return None
        answers[each["folder"]] = _answers(path)
    common = set.intersection(*(set(each) for each in answers.values()))
    if not common:
        return None
    paper = any((target, relation) == (TABLE_2_TARGET, TABLE_2_RELATION) for target, relation, _ in common)
    target = TABLE_2_TARGET if paper else min(common)[0]
    marks = _relations_of(target, files)
    columns = []
    for relation in RELATIONS:
        probe = min((key for key in common if key[:2] == (target, relation)), default=None)
        if probe:
            cells = {name: [(word, marks.get(word)) for word in mine[probe][:_TOP]] for name, mine in answers.items()}
            columns.append({"relation": relation, "prompt": probe[2], "cells": cells})
    return {"target": target, "systems": systems, "columns": columns, "marked": bool(marks), "top": _TOP}


def _answers(path: Path) -> dict[Key, list[str]]:
    """What was answered, by probe."""
    names = ["target", "relation", "prompt", "words"]
    columns = [read_table(path, columns=names)[name].to_pylist() for name in names]
    return {(row[0], row[1], row[2]): row[3] for row in zip(*columns, strict=True) if row[3] is not None}


def _relations_of(target: str, files: Mapping[str, Path]) -> dict[str, str]:
    """The relations of each word to the target, in the short names; none without a table of relata."""
    path = files.get("relata") or files.get("relatum")
    if path is None:
        return {}
    names = ["target", "relation", "word"]
    rows = zip(*(read_table(path, columns=names)[name].to_pylist() for name in names), strict=True)
    pairs = {(word.replace("_", " "), relation) for each, relation, word in rows if each == target}
    words = {word for word, _ in pairs}
    return {word: " ".join(SHORT[each] for each in RELATIONS if (word, each) in pairs) for word in words}
