"""The report on semantic relations: which relations do models and people confuse, and is antonymy preferred?

Tables 1 and 2 and figure 1 of the paper (Cao, Yamada and Tokunaga), with what it prints beside.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, Final

from markupsafe import Markup

from tashika.core.annotators import Annotators
from tashika.core.files import read_object, read_table
from tashika.core.suites.semrel.words import RELATIONS, SHORT, Relation
from tashika.core.workspace import Workspace
from tashika.evaluate.metrics import read_metrics
from tashika.evaluate.reporting.intervals import Measure, Point
from tashika.evaluate.reporting.overview import Overview, overview
from tashika.evaluate.reporting.page import Context, provenance, shared_context, sources, write_page
from tashika.evaluate.semrel.breakdown_page import breakdown_context
from tashika.evaluate.semrel.cells import Matrix
from tashika.evaluate.semrel.findings import FINDINGS
from tashika.evaluate.semrel.glossary import GLOSSARY
from tashika.evaluate.semrel.groups import Group, ScoredSystem, group_problems, groups_of, labels_of
from tashika.evaluate.semrel.metrics import describe_empty_rows, mean_matrix
from tashika.evaluate.semrel.metrics_model import SemRelMetrics
from tashika.evaluate.semrel.plots import colour_scale, heat_map
from tashika.evaluate.semrel.published import (
    REMARKS,
    TABLE_1,
    TABLE_2,
    TABLE_2_PROBE,
    TABLE_2_RELATION,
    TABLE_2_TARGET,
    prompt_order,
)
from tashika.evaluate.semrel.readings_report import readings_part

_HERE: Final = Path(__file__).parent
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
        "targets": workspace.items / "targets.json",
    }
    return write_page(workspace, _HERE, beside, lambda scores, files: _context(workspace, scores, files))


def _context(workspace: Workspace, scores: Sequence[Path], files: Mapping[str, Path]) -> Context:
    systems = _systems({path.parent.name: read_metrics(path, SemRelMetrics) for path in scores})
    shared = shared_context(workspace, _HERE, systems, files)
    kinds = _of_kinds(systems)
    return {
        **shared,
        "problems": _of_other_releases(systems, shared["release"]) + group_problems(systems),
        "headline": _headline(systems),
        "simulated_people": any(system.who.simulated for system in systems),
        "others": _named([one for one in systems if one.kind == "people" or one.metrics.against_people]),
        "relations": RELATIONS,
        "short": SHORT,
        "kinds": kinds,
        "overview": _overview(systems),
        "scale": Markup(colour_scale()),
        "largest": max(systems, key=lambda system: system.metrics.scored),
        "findings": [_finding(finding.text, finding.cells, kinds) for finding in FINDINGS],
        "readings": readings_part(systems),
        "published_1": TABLE_1,
        "published_2": TABLE_2,
        "published_2_probe": TABLE_2_PROBE,
        "remarks": REMARKS,
        "vocabulary": _vocabulary(files),
        "table_2": _table_2(systems, files),
        "glossary": GLOSSARY,
        **breakdown_context(systems),
    }


def _vocabulary(files: Mapping[str, Path]) -> Mapping[str, Any] | None:
    """What all models of the build share of the words of any; None where that is not known, or there was one model."""
    built = (
        read_object(files["targets"], {"vocabulary": dict}, "Build the suite again.")["vocabulary"]
        if "targets" in files
        else {}
    )
    several = built.get("in_any") and len(built["models"]) > 1
    return {**built, "share": built["words"] / built["in_any"]} if several else None


def _headline(systems: Sequence[ScoredSystem]) -> str:
    """Who was asked what, in one sentence."""
    of_kinds = [(name, [system for system in systems if system.kind == kind]) for kind, name in _KINDS.items()]
    who = [_named(alike) if name == "people" else _number(len(alike), name) for name, alike in of_kinds if alike]
    most = max(systems, key=lambda system: system.metrics.n).metrics
    joined = who[0] if len(who) == 1 else f"{', '.join(who[:-1])} and {who[-1]}"
    verb = "was" if len(systems) == 1 and systems[0].kind != "people" else "were"
    text = f"{joined} {verb} asked up to {most.n:,} probes of six semantic relations on {most.targets:,} targets."
    return text[0].upper() + text[1:]


def _named(systems: Sequence[ScoredSystem]) -> str:
    """What to call those whose answers these systems are, or are compared with: people, programs, or both."""
    return " and ".join(dict.fromkeys(system.who.name for system in systems)) or "people"


def _number(count: int, plural: str) -> str:
    return f"one {plural[:-1]}" if count == 1 else f"{count} {plural}"


# Systems --------------------------------------------------------------------------------------------------------------


def _systems(scores: Mapping[str, SemRelMetrics]) -> list[ScoredSystem]:
    """The systems, by the folders of their scores; the group with the most probes (then systems) first, by kind."""
    groups = dict(zip(scores, groups_of(list(scores.values())), strict=True))
    labels = labels_of(set(groups.values()))
    names = _names({folder: _plain_name(metrics) for folder, metrics in scores.items()}, groups, labels)
    systems = [
        _system(folder, metrics, names[folder], groups[folder], labels[groups[folder]])
        for folder, metrics in scores.items()
    ]
    size, most = Counter(groups.values()), Counter[Group]()
    for system in systems:
        most[system.group] = max(most[system.group], system.metrics.n)
    order = list(_KINDS)
    return sorted(
        systems,
        key=lambda system: (-most[system.group], -size[system.group], system.label, order.index(system.kind)),
    )


def _names(plain: Mapping[str, str], groups: Mapping[str, Group], labels: Mapping[Group, str]) -> dict[str, str]:
    """By folder, a name that says which group, where there are several, and which folder, where two would be alike."""
    names = {
        folder: f"{name} ({labels[groups[folder]]})" if len(labels) > 1 else name for folder, name in plain.items()
    }
    count = Counter(names.values())
    return {folder: f"{name} [{folder}]" if count[name] > 1 else name for folder, name in names.items()}


def _plain_name(metrics: SemRelMetrics) -> str:
    return _who(metrics).name if metrics.model.kind == "people" else metrics.model.name


def _who(metrics: SemRelMetrics) -> Annotators:
    """Those whose answers it is, or is compared with; earlier versions say only whether programs are among them."""
    people = metrics.source.people.model_dump(exclude_unset=True) if metrics.source.people else {}
    stated = {name: value for name, value in people.items() if value is not None}
    return Annotators.of({"simulated": metrics.source.simulated, **stated})


def _system(folder: str, metrics: SemRelMetrics, name: str, group: Group, label: str) -> ScoredSystem:
    source = [
        (f"probes: {key}", value) for key, value in metrics.source.model_dump().items() if value not in (None, {})
    ]
    tests = metrics.against_people.cells if metrics.against_people else []
    return ScoredSystem(
        name=name,
        folder=folder,
        kind=metrics.model.kind if metrics.model.kind in _KINDS else "causal",
        who=_who(metrics),
        metrics=metrics,
        provenance=[*provenance(metrics, metrics.statistics.model_dump()), *source],
        group=group,
        label=label,
        empty_rows=describe_empty_rows(metrics.alpha),
        left=[*((row.problem, row.n) for row in metrics.problems), *metrics.left_out.items()],
        dropped=_dropped(metrics),
        tests={(row.probe_relation, row.answer_relation): row for row in tests},
        figure=Markup(heat_map(metrics.matrix, name)),  # the names in it are escaped
    )


def _dropped(metrics: SemRelMetrics) -> list[tuple[str, str, Any]]:
    """What was left out on the way: where, what, and how much."""
    places = {
        "this model": metrics.coverage.model_dump() if metrics.coverage else {},
        "probes": metrics.source.dropped,
        "vocabulary": metrics.vocabulary.dropped if metrics.vocabulary else {},
    }
    return [(place, key.replace("_", " "), value) for place, rows in places.items() for key, value in rows.items()]


def _of_other_releases(systems: Sequence[ScoredSystem], release: Mapping[str, Any]) -> list[str]:
    """Which systems were scored on another release than the one that lies here."""
    here = release.get("digest")
    return [
        f"{system.name} was scored on another release ({system.metrics.source.revision[:12]}) than the one that lies "
        f"here ({str(here)[:12]}): evaluate it again before comparing."
        for system in systems
        if system.metrics.source.origin == "release"
        and system.metrics.source.revision
        and here
        and system.metrics.source.revision != here
    ]


def _overview(systems: Sequence[ScoredSystem]) -> Overview | None:
    """The two sides of the antonymy bias."""
    sides = (("column", "Others taken for antonymy"), ("row", "Antonymy taken for others"))
    measures = []
    for side, title in sides:
        means = [(system, getattr(system.metrics.antonymy_bias, side)) for system in systems]
        points = [
            Point(
                system.name,
                mean.value,
                mean.interval.low if mean.interval else mean.value,
                mean.interval.high if mean.interval else mean.value,
                system.kind != "people",
            )
            for system, mean in means
            if mean.value is not None
        ]
        measures.append(Measure(title, points))
    return overview(
        measures,
        title="Is antonymy preferred? Mean confusability",
        label="mean confusability",
        are_shares=False,
        caption="Bars are intervals over targets. Blue circles: models. Orange squares: people or programs in their "
        "place. A bias is much above and little below.",
    )


# Kinds of systems -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class KindOfSystems:
    """One matrix of figure 1.

    Attributes:
        kind: `masked`, `causal` or `people`.
        name: What the page calls it.
        n: How many systems the matrix is the mean of.
        matrix: Confusability.
        figure: Its heat map.
    """

    kind: str
    name: str
    n: int
    matrix: Matrix
    figure: str


def _of_kinds(systems: Sequence[ScoredSystem]) -> list[KindOfSystems]:
    """Figure 1's matrices: of each group the mean over models of a kind, and people."""
    kinds = []
    groups = list(dict.fromkeys(system.group for system in systems))
    for group, (kind, name) in product(groups, _KINDS.items()):
        alike = [system for system in systems if (system.group, system.kind) == (group, kind)]
        if alike:
            mean = mean_matrix([system.metrics.matrix for system in alike])
            title = _named(alike) if kind == "people" else name
            title += f" ({alike[0].label})" if len(groups) > 1 else ""
            title = title[0].upper() + title[1:]
            figure = heat_map(mean, f"{title}, mean of {len(alike)}" if len(alike) > 1 else title)
            kinds.append(KindOfSystems(kind, title, len(alike), mean, Markup(figure)))
    return kinds


@dataclass(frozen=True)
class ComparedFinding:
    """A sentence of the paper, and the mean of its cells for each kind of system here."""

    text: str
    means: Sequence[float | None]


def _finding(text: str, cells: Sequence[tuple[Relation, Relation]], kinds: Sequence[KindOfSystems]) -> ComparedFinding:
    means = []
    for kind in kinds:
        values = [kind.matrix[asked][taken] for asked, taken in cells]
        defined = [value for value in values if value is not None]
        means.append(sum(defined) / len(defined) if defined else None)
    return ComparedFinding(text, means)


# Table 2 --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class GivenWords:
    """What systems answered to one probe.

    Attributes:
        relation: That was asked for.
        prompt: Of the probe.
        cells: By system's folder, its first words, and the relations that each has to the target.
    """

    relation: Relation
    prompt: str
    cells: Mapping[str, Sequence[tuple[str, str | None]]]


@dataclass(frozen=True)
class WordsTable:
    """Table 2: what systems answered about one target.

    Attributes:
        target: The target.
        systems: The systems.
        columns: One for each relation that was asked for.
        marked: Whether the words' relations to the target are known.
        top: How many words are shown.
    """

    target: str
    systems: Sequence[ScoredSystem]
    columns: Sequence[GivenWords]
    marked: bool
    top: int = _TOP


def _table_2(systems: Sequence[ScoredSystem], files: Mapping[str, Path]) -> WordsTable | None:
    """The first answers of all systems to one target: the paper's, if all have it, else the first that all have.

    One that was asked for the paper's relation goes before others. Where there are several groups of systems, those of
    the group with the most probes.
    """
    systems = [system for system in systems if system.group == systems[0].group]
    paths = {system.folder: files.get(f"answers/{system.folder}") for system in systems}
    answers = {folder: _answers(path) for folder, path in paths.items() if path is not None}
    if len(answers) < len(systems):
        return None
    common = set.intersection(*(set(lists) for lists in answers.values()))
    if not common:
        return None
    of_relation = {target for target, relation, _ in common if relation == TABLE_2_RELATION}
    target = TABLE_2_TARGET if TABLE_2_TARGET in of_relation else min(of_relation or {key[0] for key in common})
    marks = _relations_of(target, files)
    columns = []
    for relation in RELATIONS:
        probe = _first_prompt(key for key in common if key[:2] == (target, relation))
        if probe:
            cells = {
                folder: [(word, marks.get(word)) for word in lists[probe][:_TOP]] for folder, lists in answers.items()
            }
            columns.append(GivenWords(relation, probe[2], cells))
    return WordsTable(target, systems, columns, bool(marks))


def _first_prompt(probes: Iterable[Key]) -> Key | None:
    """The probe with the prompt of the paper, or the one that comes nearest to it; None if there are no probes."""
    return min(probes, key=lambda key: prompt_order(key[2]), default=None)


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
    pairs = {(word.replace("_", " "), relation) for row_target, relation, word in rows if row_target == target}
    words = {word for word, _ in pairs}
    return {word: " ".join(SHORT[each] for each in RELATIONS if (word, each) in pairs) for word in words}
