"""The words that have a relation to a target: from WordNet, HyperLex and category norms.

Source: Cao, Yamada and Tokunaga, the relatum sets: WordNet's hypernyms and hyponyms to distance 2, the other relations
at distance 1, with what HyperLex and the norms have for the target. Whether all senses count is left open there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from pydantic import Field, field_validator

from tashika.core.settings import Section
from tashika.core.suites.semrel.hyperlex import WordPair, read_hyperlex
from tashika.core.suites.semrel.norms import Norm, packaged_norms, read_norms
from tashika.core.suites.semrel.wordnet import Senses, WordNet, lemma_form
from tashika.core.suites.semrel.words import RELATIONS, Relation

DISTANCES: Final[dict[Relation, int]] = {
    "hypernymy": 2,
    "hyponymy": 2,
    "holonymy": 1,
    "meronymy": 1,
    "antonymy": 1,
    "synonymy": 1,
}
"""The paper's."""

_PART_STEPS: Final = 3  # how far WordNet is asked which word of a pair is the part

_INVERSE: Final[dict[Relation, Relation]] = {
    "hypernymy": "hyponymy",
    "hyponymy": "hypernymy",
    "holonymy": "meronymy",
    "meronymy": "holonymy",
    "antonymy": "antonymy",
    "synonymy": "synonymy",
}


class RelataSettings(Section):
    """What relata are looked up in, and how far."""

    hyperlex: str = ""
    """The path of HyperLex's published text; empty: without it."""
    norms: str = ""
    """The path of a CSV of category and instance; empty: the packaged list."""
    senses: Senses = "all"
    instances: bool = True
    """Whether WordNet's named instances count: "Paris" as a hyponym of "city"."""
    distance: dict[Relation, int] = Field(default=DISTANCES)
    """Steps that count, by relation; a relation that is not named keeps the paper's number."""
    one_word: bool = True
    """Whether relata of several words are left out."""

    @field_validator("distance")
    @classmethod
    def _complete(cls, value: dict[Relation, int]) -> dict[Relation, int]:
        for relation, steps in value.items():
            if steps < 1:
                raise ValueError(f"{relation} must be 1 or more")
            if steps > 1 and _INVERSE[relation] == relation:
                raise ValueError(f"{relation} has no distance but 1")
        return {**DISTANCES, **value}


class Triple(NamedTuple):
    """That `relatum` is a hypernym (or what the relation is) of `target`."""

    target: str
    relation: Relation
    relatum: str
    distance: int


@dataclass
class Relatum:
    """How far a relatum is from its target, and what it was found in."""

    distance: int
    """Steps in WordNet where WordNet has it, else in HyperLex, else 1."""
    origins: list[str] = field(default_factory=list)
    """Of "wordnet", "hyperlex" and "norms", in this order."""


RelataOf = dict[tuple[str, Relation], dict[str, Relatum]]


def find_relata(
    targets: Iterable[str],
    wordnet: WordNet,
    settings: RelataSettings,
    vocabulary: Collection[str] | None = None,
    left_out: Counter[str] | None = None,
) -> RelataOf:
    """Looks up the relata of targets in all sources.

    Args:
        targets: Nouns.
        wordnet: An open WordNet.
        settings: The other sources, and how far.
        vocabulary: The words that count as relata; None: all.
        left_out: Gets counts of what fell away, by source and reason.

    Returns:
        Relata by target and relation, in the order of the targets and of `RELATIONS`; the nearest first, alphabetical
        within one distance. A target that has no relata for a relation has no entry for it.

    Raises:
        InputError: A source is missing or broken.
    """
    counts = Counter[str]() if left_out is None else left_out
    words = None if vocabulary is None else frozenset(vocabulary)
    other = _from_other_sources(wordnet, settings, counts)
    found: RelataOf = {}
    for target in dict.fromkeys(targets):
        for relation in RELATIONS:
            steps = settings.distance[relation]
            relata = {
                word: Relatum(distance, ["wordnet"])
                for word, distance in wordnet.relata(
                    target, relation, steps, settings.senses, settings.instances
                ).items()
            }
            for word, distance, origin in other.get((lemma_form(target), relation), ()):
                known = relata.setdefault(word, Relatum(distance))
                if origin not in known.origins:
                    known.origins.append(origin)
            kept = _kept(relata, settings.one_word, words, counts)
            if kept:
                found[target, relation] = kept
    return found


def _kept(
    relata: dict[str, Relatum], one_word: bool, words: frozenset[str] | None, counts: Counter[str]
) -> dict[str, Relatum]:
    kept = {}
    for word, relatum in sorted(relata.items(), key=lambda item: (item[1].distance, item[0])):
        if one_word and "_" in word:
            counts["relata of several words"] += 1
        elif words is not None and word not in words:
            counts["relata outside the vocabulary"] += 1
        else:
            kept[word] = relatum
    return kept


_Others = dict[tuple[str, Relation], list[tuple[str, int, str]]]


def _from_other_sources(wordnet: WordNet, settings: RelataSettings, counts: Counter[str]) -> _Others:
    """What HyperLex and the norms have, by target and relation: (word, distance, origin)."""
    found: _Others = {}

    def add(triples: Iterable[Triple], origin: str) -> None:
        for target, relation, relatum, distance in triples:
            if distance > settings.distance[relation]:
                counts[f"{origin}: {relation} farther than {settings.distance[relation]}"] += 1
            else:
                found.setdefault((target, relation), []).append((relatum, distance, origin))

    if settings.hyperlex:
        hyperlex = read_hyperlex(Path(settings.hyperlex))
        counts.update({f"hyperlex: {reason}": count for reason, count in hyperlex.left_out.items()})
        add(_hyperlex_triples(hyperlex.pairs, wordnet, counts), "hyperlex")
    norms = read_norms(Path(settings.norms) if settings.norms else packaged_norms())
    counts.update({f"norms: {reason}": count for reason, count in norms.left_out.items()})
    add(_norm_triples(norms.pairs), "norms")
    return found


def _norm_triples(pairs: Iterable[Norm]) -> Iterator[Triple]:
    for category, instance in pairs:
        yield from _both_ways(Triple(instance, "hypernymy", category, 1))


def _hyperlex_triples(pairs: Iterable[WordPair], wordnet: WordNet, counts: Counter[str]) -> Iterator[Triple]:
    relations: dict[str, Relation] = {
        "hyp": "hypernymy",
        "r-hyp": "hyponymy",
        "syn": "synonymy",
        "ant": "antonymy",
    }
    for pair in pairs:
        relation = _part_or_whole(pair, wordnet) if pair.type == "mero" else relations[pair.type]
        if relation is None:
            counts["hyperlex: part and whole not to be told apart"] += 1
        else:
            yield from _both_ways(Triple(pair.first, relation, pair.second, pair.distance))


def _both_ways(triple: Triple) -> Iterator[Triple]:
    yield triple
    yield Triple(triple.relatum, _INVERSE[triple.relation], triple.target, triple.distance)


def _part_or_whole(pair: WordPair, wordnet: WordNet) -> Relation | None:
    """What the second word of a "mero" pair is to the first, as WordNet has it.

    The file's "mero" does not say which of the two is the part. The pairs were drawn from WordNet, so it decides, the
    nearer way first; where it has neither direction, or both, the pair has none.
    """
    for steps in range(1, _PART_STEPS + 1):
        whole = pair.second in wordnet.relata(pair.first, "holonymy", steps)
        part = pair.second in wordnet.relata(pair.first, "meronymy", steps)
        if whole != part:
            return "holonymy" if whole else "meronymy"
        if whole:
            return None
    return None
