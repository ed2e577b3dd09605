"""What is asked: probes, relata and people's answers, of the release, of the build, or of a response file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal

import pyarrow as pa

from tashika.core.draws import shuffled
from tashika.core.errors import InputError
from tashika.core.files import hash_file, hash_value, read_table
from tashika.core.records import RESPONSE, item_id
from tashika.core.suites.semrel.probes import articles_of, probe_text, prompt_problem, read_mass_nouns
from tashika.core.suites.semrel.relata import find_relata
from tashika.core.suites.semrel.responses import describe_dropped, read_response_file
from tashika.core.suites.semrel.wordnet import open_wordnet
from tashika.core.suites.semrel.words import NAME, RELATIONS
from tashika.core.workspace import Workspace
from tashika.evaluate.release_tables import Identity, has_release, read_identity
from tashika.evaluate.semrel.answers import AskedProbe
from tashika.evaluate.semrel.metrics_model import Drawn, Limits, RelataInfo, SourceInfo
from tashika.evaluate.semrel.people import People, people_of_file, people_of_table
from tashika.evaluate.semrel.settings import LookUp
from tashika.evaluate.semrel.vocabulary import SharedVocabulary

Origin = Literal["release", "items", "responses"]
Relata = Mapping[tuple[str, str], frozenset[str]]

PROBES_FILE: Final = "probes/probes.parquet"
_AGAIN: Final = "Build or export the suite again."


@dataclass(frozen=True)
class Source:
    """What systems are scored on.

    Attributes:
        origin: Where it is from.
        name: The release's version, or the response file's name; empty for the build's items.
        revision: A digest of the release or of the file; None for items.
        probes: At least one, in the order in which they are asked.
        relata: Words by (target, relation).
        people: Their answers; None where there are none.
        simulated: Whether programs played people.
        dropped: What was left out, and how often.
        drawn: How many targets were drawn of how many; None where all are asked.
        limits: The vocabulary that a response file's relata were limited to; None where they are whole, and for a
            release or a build, whose relata are as they were built.
    """

    origin: Origin
    name: str
    revision: str | None
    probes: tuple[AskedProbe, ...]
    relata: Relata
    people: People | None
    simulated: bool
    dropped: Mapping[str, int]
    drawn: tuple[int, int] | None = None
    limits: SharedVocabulary | None = None

    @property
    def targets(self) -> list[str]:
        """Sorted."""
        return sorted({probe.target for probe in self.probes})

    @property
    def limits_mark(self) -> str:
        """What keeps results on one vocabulary's relata apart from those on another's.

        Empty where there is only one, the release's or the build's; else the models that are named in a call decide.
        """
        if self.origin != "responses":
            return ""
        if self.limits is None:
            return "whole"
        return self.limits.digest[:8] if self.limits.origin == "models" else ""

    @property
    def relata_words(self) -> set[str]:
        """All words that are a relatum of one of the targets."""
        targets = set(self.targets)
        return {word for (target, _), words in self.relata.items() if target in targets for word in words}

    def describe(self) -> SourceInfo:
        """For `metrics.json`."""
        limits = self.limits
        return SourceInfo(
            origin=self.origin,
            name=self.name,
            revision=self.revision,
            simulated=self.simulated,
            probes=len(self.probes),
            targets=len(self.targets),
            drawn=None if self.drawn is None else Drawn(targets=self.drawn[0], of=self.drawn[1]),
            dropped=dict(self.dropped),
            relata=RelataInfo(
                words=sum(map(len, self.relata.values())),
                digest=self.relata_digest,
                limited_to=None if limits is None else Limits(origin=limits.origin, digest=limits.digest),
            ),
            people=None if self.people is None else self.people.describe(),
        )

    @property
    def relata_digest(self) -> str:
        """Of the relata."""
        return hash_value([[*key, sorted(words)] for key, words in sorted(self.relata.items())])

    @property
    def probes_digest(self) -> str:
        """Of the probes in their order."""
        return hash_value([list(probe) for probe in self.probes])


# --- the release and the build ---


def is_released(workspace: Workspace) -> bool:
    """Whether the suite was exported."""
    return has_release(workspace.release, PROBES_FILE)


def read_source(workspace: Workspace) -> Source:
    """The probes of the release if there is one, else of the build.

    Raises:
        MissingStageError: There is neither.
        InputError: A file is broken or changed, or has no probe.
    """
    released = is_released(workspace)
    identity = read_identity(workspace.release, PROBES_FILE, _AGAIN) if released else None
    kinds = {"probe": PROBES_FILE, "relatum": "relata/relata.parquet"}
    tables = {
        kind: read_table(identity.file(file)) if identity else workspace.read_items(kind)
        for kind, file in kinds.items()
    }
    where = str(workspace.release if released else workspace.items)
    probes, controls = _probes(tables["probe"], where)
    relata: dict[tuple[str, str], set[str]] = {}
    for row in _rows(tables["relatum"], ("target", "relation", "word"), where):
        relata.setdefault((row["target"], row["relation"]), set()).add(_as_answered(row["word"]))
    people = _people(workspace, probes, identity)
    source = Source(
        "release" if released else "items",
        identity.version if identity else "",
        identity.digest if identity else None,
        probes,
        {key: frozenset(words) for key, words in relata.items()},
        people,
        bool(identity and identity.simulated) or bool(people and people.simulated),
        {"control questions": controls} if controls else {},
    )
    return _with_relata(source, where)


def _as_answered(word: str) -> str:
    """A relatum as people's answers are written: WordNet has "_" between the parts of "ice cream"."""
    return word.replace("_", " ")


def _rows(table: pa.Table, wanted: Sequence[str], where: str) -> list[dict[str, Any]]:
    missing = [name for name in wanted if name not in table.column_names]
    if missing:
        columns = ", ".join(table.column_names)
        raise InputError(f"the column {missing[0]!r} is missing; found {columns}", where=where, hint=_AGAIN)
    return table.select(list(wanted)).to_pylist()


def _probes(table: pa.Table, where: str) -> tuple[tuple[AskedProbe, ...], int]:
    """The probes without control questions, and how many of these there are."""
    wanted = (*AskedProbe._fields, *(name for name in ("known_answers",) if name in table.column_names))
    rows = _rows(table, wanted, where)
    kept = [row for row in rows if row.pop("known_answers", None) is None]  # the others are control questions
    unknown = sorted({str(row["relation"]) for row in kept} - set(RELATIONS))
    if unknown:
        expected = ", ".join(RELATIONS)
        raise InputError(f"found the relation {unknown[0]!r}, expected one of {expected}", where=where, hint=_AGAIN)
    if not kept:
        raise InputError("there are no probes", where=where, hint=_AGAIN)
    return _in_order(AskedProbe(**row) for row in kept), len(rows) - len(kept)


def _in_order(probes: Iterable[AskedProbe]) -> tuple[AskedProbe, ...]:
    """Those of one prompt beside each other, so that what their texts begin with alike is computed once."""
    return tuple(sorted(probes, key=lambda probe: (RELATIONS.index(probe.relation), probe.prompt, probe.target)))


def _people(workspace: Workspace, probes: Sequence[AskedProbe], identity: Identity | None) -> People | None:
    """People's answers of the release if it has them, else of the annotation room."""
    shipped = identity.file("responses/responses.parquet") if identity else None
    file = shipped if shipped and shipped.is_file() else workspace.annotation / "responses.parquet"
    if not file.is_file():
        return None
    table = read_table(file)
    missing = [name for name in RESPONSE.names if name not in table.column_names and name in _ANSWERS]
    if missing:
        raise InputError(f"the column {missing[0]!r} is missing", where=str(file), hint="Pull the responses again.")
    people = people_of_table(table, (probe.item_id for probe in probes))
    if not people.lists:
        raise InputError(
            f"none of the {table.num_rows:,} responses answers one of the {len(probes):,} probes at hand "
            f"(left out: {describe_dropped(people.dropped) or 'none'})",
            where=str(file),
            hint="Build, push and pull anew; or score a published file by itself with --responses.",
        )
    return people


_ANSWERS: Final = frozenset({"item_id", "annotator", "place", "answer", "simulated"})


# --- a response file ---


def read_responses(path: Path, look_up: LookUp, vocabulary: SharedVocabulary | None) -> Source:
    """The targets, relations and prompts of a published response file as probes, and its people's answers.

    Relata are looked up for its targets as the build does.

    Args:
        path: The file.
        look_up: Where its targets are looked up.
        vocabulary: The words that count as relata; None: all.

    Raises:
        InputError: The file, WordNet or a source of relata is missing or broken, or none of the probes can be scored.
    """
    file = read_response_file(path)
    wordnet = open_wordnet(look_up.wordnet)
    mass = read_mass_nouns(look_up.mass_nouns)
    keys = [key for key in file.by_probe() if prompt_problem(key[2]) is None]
    if not keys:
        raise InputError(f"the prompt cannot be filled: {prompt_problem(file.responses[0].prompt)}", where=str(path))
    ids = {key: item_id(NAME, "probe", *key) for key in keys}
    articles = articles_of(look_up.articles, of_responses=True)
    probes = _in_order(AskedProbe(ids[key], *key, probe_text(key[2], key[0], mass, articles)) for key in keys)
    left: Counter[str] = Counter()
    targets = sorted({probe.target for probe in probes})
    looked_up = find_relata(targets, wordnet, look_up.relata, vocabulary.words if vocabulary else None, left)
    relata = {
        (target, str(relation)): frozenset(map(_as_answered, words)) for (target, relation), words in looked_up.items()
    }
    people = people_of_file(file, lambda word: _as_answered(wordnet.lemma(word)), ids)
    unfilled = len(file.by_probe()) - len(keys)
    more = {"probes whose prompt cannot be filled": unfilled} if unfilled else {}
    dropped = {**file.dropped, **more, **_outside(targets, vocabulary), **left}
    revision = f"sha256:{hash_file(path)}"
    source = Source("responses", path.name, revision, probes, relata, people, False, dropped, limits=vocabulary)
    return _with_relata(source, str(path))


def _outside(targets: Sequence[str], vocabulary: SharedVocabulary | None) -> dict[str, int]:
    """Counts targets outside the shared vocabulary. They stay: each model's scores say which of them it has."""
    words = set(vocabulary.words) if vocabulary else set(targets)
    count = sum(target not in words for target in targets)
    return {"targets outside the vocabulary (asked all the same)": count} if count else {}


# --- both ---


def _with_relata(source: Source, where: str) -> Source:
    """Counts what cannot be scored for want of relata.

    Raises:
        InputError: That is everything.
    """
    without = [probe for probe in source.probes if not source.relata.get((probe.target, probe.relation))]
    if not without:
        return source
    targets = sorted({probe.target for probe in without})
    if len(without) == len(source.probes):
        raise InputError(
            f"none of the {len(without):,} probes can be scored: no target has relata of the relation that is asked "
            f"for, such as {targets[0]!r}",
            where=where,
            hint="Look at the settings of relata, and whether the vocabulary holds them.",
        )
    pairs = len({(probe.target, probe.relation) for probe in without})
    counts = {"targets without relata of the relation asked for": pairs, "probes of these, not scored": len(without)}
    return replace(source, dropped={**source.dropped, **counts})


def draw_targets(source: Source, limit: int | None, seed: int) -> Source:
    """The probes of some targets, all of each; which ones depends on the targets' names and the seed alone.

    Args:
        source: What is drawn from.
        limit: How many targets; None for all.
        seed: Of the draw.
    """
    targets = source.targets
    if limit is None or limit >= len(targets):
        return source
    order = dict(zip(targets, shuffled(targets, seed).tolist(), strict=True))
    kept = set(sorted(targets, key=lambda target: (order[target], target))[:limit])
    probes = tuple(probe for probe in source.probes if probe.target in kept)
    return replace(source, probes=probes, drawn=(limit, len(targets)))
