"""Which systems may stand beside each other: those on the same probes, relata and words to answer with.

A relatum that no answer can be lowers alpha, so the numbers of people too depend on which vocabulary limits the relata.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from tashika.core.annotators import Annotators
from tashika.core.suites.semrel.words import Relation
from tashika.evaluate.semrel.metrics_model import CellDifference, SemRelMetrics

_ANSWERS: Final = {"words": "a model's own words", "tokens": "all of a model's tokens"}
_SHOWN: Final = 8
"""Digits of a digest, as in the names of folders."""


class Group(NamedTuple):
    """What systems that may be compared have in common; empty where the scores do not say.

    Attributes:
        source: The probes, in words.
        revision: Of the release or the response file.
        relata: A digest of them.
        vocabulary: A digest of the words that models share.
        answers: What models' answers are sought among, if not these words; see `own_words`.
    """

    source: str
    revision: str
    relata: str
    vocabulary: str
    answers: str = ""


@dataclass(frozen=True)
class ScoredSystem:
    """A system as the page shows it.

    Attributes:
        name: What the page calls it; no two have one name.
        folder: Of its scores.
        kind: `masked`, `causal` or `people`.
        who: Those whose answers it is, or is compared with.
        metrics: Its scores.
        provenance: What they depend on.
        group: The systems that it may be compared with.
        label: What that group is called.
        empty_rows: A remark on rows of the matrix that are not defined; empty where there is none.
        left: What takes no part in the numbers, and how many.
        dropped: What was left out on the way: where, what, and how much.
        tests: Its differences from people, by probe relation and answer relation.
        figure: Its heat map.
    """

    name: str
    folder: str
    kind: str
    who: Annotators
    metrics: SemRelMetrics
    provenance: Sequence[tuple[str, Any]]
    group: Group
    label: str
    empty_rows: str
    left: Sequence[tuple[str, int]]
    dropped: Sequence[tuple[str, str, Any]]
    tests: dict[tuple[Relation, Relation], CellDifference]
    figure: str


def group_of(metrics: SemRelMetrics) -> Group:
    """The group of a system by itself."""
    source = metrics.source
    sample = f", {source.drawn.targets:,} targets drawn" if source.drawn else ""
    return Group(
        f"{source.name or source.origin}{sample}",
        source.revision or "",
        source.relata.digest,
        metrics.vocabulary.digest if metrics.vocabulary else "",
        _ANSWERS.get(metrics.reading.vocabulary or "", ""),
    )


def groups_of(systems: Sequence[SemRelMetrics]) -> list[Group]:
    """The group of each system.

    People answer with any word: beside models of one vocabulary that are scored on the same relata they are in these
    models' group, whether or not they were scored in the same call.
    """
    groups = [group_of(metrics) for metrics in systems]
    by_models = {group for group, metrics in zip(groups, systems, strict=True) if metrics.model.kind != "people"}
    for place, (group, metrics) in enumerate(zip(groups, systems, strict=True)):
        fitting = {other for other in by_models if other[:3] == group[:3]}
        if metrics.model.kind == "people" and len(fitting) == 1:
            groups[place] = fitting.pop()
    return groups


def labels_of(groups: Collection[Group]) -> dict[Group, str]:
    """What each group is called: its source, and as much more as distinguishes it from the others."""
    labels = {group: group.source for group in groups}
    for part in ("answers", "vocabulary", "relata", "revision"):
        kinds = Counter(label for label, _ in {(labels[group], getattr(group, part)) for group in labels})
        labels = {
            group: f"{label}, {_part_in_words(part, getattr(group, part))}" if kinds[label] > 1 else label
            for group, label in labels.items()
        }
    return labels


def _part_in_words(part: str, digest: str) -> str:
    if part == "answers":
        return digest or "shared words"
    return f"{part} {digest.removeprefix('sha256:')[:_SHOWN]}" if digest else f"no {part}"


def group_problems(systems: Sequence[ScoredSystem]) -> list[str]:
    """What a reader must know before comparing systems, across groups and within one."""
    members: dict[Group, list[ScoredSystem]] = {}
    for system in systems:
        members.setdefault(system.group, []).append(system)
    problems = []
    if len(members) > 1:
        sizes = "; ".join(f"{group[0].label}: {len(group)}" for group in members.values())
        problems.append(
            f"The systems do not stand on the same probes, relata and vocabulary. There are {len(members)} groups of "
            f"them ({sizes}): compare within a group only, as means and tests here do."
        )
    for name in (system.name for system in systems if system.metrics.source.without_limits):
        problems.append(
            f"The relata of {name} are limited to no vocabulary, so that they hold words that no model can answer: its "
            "numbers are not comparable with any that stand beside a model. `--vocabulary NAME` limits them."
        )
    for group in members.values():
        if len({(system.metrics.scored, system.metrics.targets) for system in group}) > 1:
            scored = "; ".join(
                f"{system.name} {system.metrics.scored:,} on {system.metrics.targets:,} targets" for system in group
            )
            problems.append(
                f"The systems did not answer the same probes ({scored}): compare them by the tests against people, "
                "which keep to shared ones."
            )
    return problems
