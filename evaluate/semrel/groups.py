"""Which systems may stand beside each other: those on the same probes, relata and words to answer with.

A relatum that no answer can be lowers alpha, so the numbers of people too depend on which vocabulary limits the relata.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple

_SHOWN: Final = 8
"""Digits of a digest, as in the names of folders."""


class Group(NamedTuple):
    """What systems that may be compared have in common; empty where the scores do not say.

    Attributes:
        source: The probes, in words.
        revision: Of the release or the response file.
        relata: A digest of them.
        vocabulary: A digest of the words that models answer with.
    """

    source: str
    revision: str
    relata: str
    vocabulary: str


def group_of(metrics: Mapping[str, Any]) -> Group:
    """The group of a system by itself.

    Args:
        metrics: Its `metrics.json`.
    """
    source, vocabulary = metrics.get("source") or {}, metrics.get("vocabulary") or {}
    drawn = source.get("drawn")
    sample = f", {drawn['targets']:,} targets drawn" if drawn else ""
    return Group(
        f"{source.get('name') or source.get('origin') or 'release'}{sample}",
        str(source.get("revision") or ""),
        str((source.get("relata") or {}).get("digest") or ""),
        str(vocabulary.get("digest") or ""),
    )


def groups_of(systems: Sequence[Mapping[str, Any]]) -> list[Group]:
    """The group of each system.

    People answer with any word: beside models of one vocabulary that are scored on the same relata they are in these
    models' group, whether or not they were scored in the same call.

    Args:
        systems: Each with `kind` and `metrics`.
    """
    groups = [group_of(each["metrics"]) for each in systems]
    models = {group for group, each in zip(groups, systems, strict=True) if each["kind"] != "people"}
    for place, (group, each) in enumerate(zip(groups, systems, strict=True)):
        fitting = {one for one in models if one[:3] == group[:3]}
        if each["kind"] == "people" and len(fitting) == 1:
            groups[place] = fitting.pop()
    return groups


def labels_of(groups: Collection[Group]) -> dict[Group, str]:
    """What each group is called: its source, and as much more as tells it from the others."""
    labels = {group: group.source for group in groups}
    for part in ("vocabulary", "relata", "revision"):
        kinds = Counter(label for label, _ in {(labels[group], getattr(group, part)) for group in labels})
        labels = {
            group: f"{label}, {_told(part, getattr(group, part))}" if kinds[label] > 1 else label
            for group, label in labels.items()
        }
    return labels


def _told(part: str, digest: str) -> str:
    return f"{part} {digest.removeprefix('sha256:')[:_SHOWN]}" if digest else f"no {part}"


def group_problems(systems: Sequence[Mapping[str, Any]]) -> list[str]:
    """What a reader must know before comparing systems, across groups and within one.

    Args:
        systems: Each with `name`, `group`, `label` (of the group) and `metrics`.
    """
    members: dict[Group, list[Mapping[str, Any]]] = {}
    for each in systems:
        members.setdefault(each["group"], []).append(each)
    found = []
    if len(members) > 1:
        told = "; ".join(f"{mine[0]['label']}: {len(mine)}" for mine in members.values())
        found.append(
            f"The systems do not stand on the same probes, relata and vocabulary. There are {len(members)} groups of "
            f"them ({told}): compare within a group only, as means and tests here do."
        )
    for mine in members.values():
        if len({(each["metrics"]["scored"], each["metrics"]["targets"]) for each in mine}) > 1:
            scored = "; ".join(
                f"{each['name']} {each['metrics']['scored']:,} on {each['metrics']['targets']:,} targets"
                for each in mine
            )
            found.append(
                f"The systems did not answer the same probes ({scored}): compare them by the tests against people, "
                "which keep to shared ones."
            )
    return found
