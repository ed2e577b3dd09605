"""The shared vocabulary, and which of its words are targets: what falls away at each step is counted.

A target is a noun, one token in every model under test, and has a relatum in the vocabulary (paper, section 3.2).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from tashika.builders.semrel.settings import BuildSettings
from tashika.core.errors import InputError
from tashika.core.models import prepare_smollm2
from tashika.core.suites.semrel.hyperlex import read_hyperlex
from tashika.core.suites.semrel.norms import packaged_norms, read_norms
from tashika.core.suites.semrel.relata import RelataOf, RelataSettings, find_relata
from tashika.core.suites.semrel.vocabulary import Lexicon, is_plain, lexicon_revision, read_lexicon, shared_words
from tashika.core.suites.semrel.wordnet import WordNet, noun_counts
from tashika.core.suites.semrel.words import RELATIONS, Relation

PACKAGED_MODEL: Final = "smollm2"
"""What stands in the settings for the packaged model, wherever the working directory is."""

_LISTS: Final = "HyperLex and norms"
_WORDNET: Final = "WordNet"

Steps = list[tuple[str, int]]
"""What is counted, and how many words are left then."""


def model_places(models: Sequence[str], work: Path) -> list[str]:
    """The models as paths and names that can be opened; makes the packaged one ready where it is asked for."""
    places = {PACKAGED_MODEL: work / "models" / PACKAGED_MODEL}
    if PACKAGED_MODEL in models:
        prepare_smollm2(places[PACKAGED_MODEL])
    return [str(places.get(name, name)) for name in models]


def model_revisions(models: Sequence[str], work: Path) -> list[list[str]]:
    """What identifies the vocabularies: (name, revision) of each, a path without its folders."""
    names = [name.rstrip("/").rpartition("/")[2] if Path(name).exists() else name for name in models]
    return [[name, lexicon_revision(place)] for name, place in zip(names, model_places(models, work), strict=True)]


@dataclass(frozen=True)
class Vocabulary:
    """The words that all models under test have.

    Attributes:
        words: Those that stand early in the models' vocabularies first.
        counts: Words of each model, and what was left out of it.
        holders: The words of each model, by its name.
    """

    words: Sequence[str]
    counts: Mapping[str, Mapping[str, int]]
    holders: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @property
    def in_any(self) -> int:
        """Words that one model at least has; 0 without models."""
        return len(frozenset[str]().union(*self.holders.values()))


def read_vocabulary(places: Sequence[str], wordnet: WordNet) -> Vocabulary:
    """The shared vocabulary of models; without models, WordNet's nouns of one word in letters.

    Raises:
        InputError: A model cannot be read, or they share no word.
    """
    if not places:
        words = sorted(word for word in wordnet.nouns() if is_plain(word))
        return Vocabulary(words, {"WordNet": {"words": len(words)}})
    lexicons = [read_lexicon(place) for place in places]
    names = _short_names(lexicons)
    by_name = dict(zip(names, lexicons, strict=True))
    counts = {name: {"words": len(lexicon.words), **lexicon.dropped} for name, lexicon in by_name.items()}
    holders = {name: frozenset(lexicon.words) for name, lexicon in by_name.items()}
    return Vocabulary(shared_words(lexicons), counts, holders)


def _short_names(lexicons: Sequence[Lexicon]) -> list[str]:
    """Names without folders, which have no place in a manifest; numbered where two would be the same."""
    names: list[str] = []
    for lexicon in lexicons:
        name = Path(lexicon.name).name
        names.append(name if name not in names else f"{name} ({len(names) + 1})")
    return names


def refuse_splitters(vocabulary: Vocabulary, candidates: Collection[str]) -> dict[str, int]:
    """How many of the candidates each model has as one token.

    Raises:
        InputError: A model splits every one of them.
    """
    kept = {name: len(words.intersection(candidates)) for name, words in vocabulary.holders.items()}
    for name, count in kept.items():
        if not count:
            raise InputError(
                f"splits every target: 0 of {len(candidates):,} candidates are one token",
                where=name,
                hint="Leave this model out, or give one whose vocabulary has English words.",
            )
    return kept


def listed_words(settings: RelataSettings) -> list[str]:
    """The words of HyperLex, where it is given, and of the category norms; sorted.

    Raises:
        InputError: A file is missing, broken or empty.
    """
    norms = read_norms(Path(settings.norms) if settings.norms else packaged_norms()).pairs
    pairs = read_hyperlex(Path(settings.hyperlex)).pairs if settings.hyperlex else []
    words = {word for norm in norms for word in norm}
    return sorted(words.union(word for pair in pairs for word in (pair.first, pair.second)))


def funnel(words: Iterable[str], tests: Sequence[tuple[str, Callable[[str], Any]]]) -> tuple[list[str], Steps]:
    """The words that pass all tests, and how many were left after each."""
    left = list(words)
    steps: Steps = []
    for name, test in tests:
        left = [word for word in left if test(word)]
        steps.append((name, len(left)))
    return left, steps


@dataclass(frozen=True)
class Targets:
    """The targets of each relation.

    Attributes:
        pairs: Sorted, by relation; relations without targets have an empty list.
        relata: Of every target for all relations, as the matrix wants a target's relata of the others too.
        steps: What was left at each step, by where the candidates came from.
        filled: How many targets of each relation come from WordNet alone.
        available: How many more nouns of WordNet than the lists have a relatum of the relation, taken or not.
    """

    pairs: Mapping[Relation, Sequence[str]]
    relata: RelataOf
    steps: Mapping[str, Steps]
    filled: Mapping[Relation, int]
    available: Mapping[Relation, int]


def choose_targets(settings: BuildSettings, wordnet: WordNet, vocabulary: Vocabulary) -> Targets:
    """Targets from HyperLex and the norms, filled up from WordNet as the settings say.

    Nouns of WordNet that fill up name a kind (London does not), were tagged as nouns in WordNet's texts, and have a
    relatum: the most often tagged first, up to `enough` targets of a relation. Where WordNet comes without these
    counts, the order is that of the models' vocabularies.

    Raises:
        InputError: A model splits every candidate, or nothing is left.
    """
    candidates = _candidates(settings, wordnet, vocabulary)
    relata = find_relata([*candidates.listed, *candidates.nouns], wordnet, settings.relata, frozenset(vocabulary.words))
    chosen = {relation: _choose(relation, candidates, relata, settings) for relation in RELATIONS}
    return _finished(
        Targets(
            {relation: sorted(choice.words) for relation, choice in chosen.items()},
            relata,
            candidates.steps_with_relata(relata),
            {relation: choice.filled for relation, choice in chosen.items()},
            {relation: choice.available for relation, choice in chosen.items()},
        )
    )


@dataclass(frozen=True)
class _Candidates:
    """Nouns of the vocabulary that become targets if they have relata.

    Attributes:
        listed: Of HyperLex and the norms.
        nouns: Of WordNet, the common ones first; they may be listed too.
        steps: What was left at each step, by where the candidates came from.
    """

    listed: Sequence[str]
    nouns: Sequence[str]
    steps: Mapping[str, Steps]

    def steps_with_relata(self, relata: RelataOf) -> dict[str, Steps]:
        """The steps, and a last one: which candidates have a relatum of any relation."""
        related = {target for target, _ in relata}
        words = {_LISTS: self.listed, _WORDNET: self.nouns}
        return {
            source: [*steps, ("with a relatum", len(related.intersection(words[source])))]
            for source, steps in self.steps.items()
        }


def _candidates(settings: BuildSettings, wordnet: WordNet, vocabulary: Vocabulary) -> _Candidates:
    """The candidates from the sources that the settings name.

    Raises:
        InputError: A list is missing or broken, or a model splits every candidate.
    """
    words = [] if settings.targets == "wordnet" else listed_words(settings.relata)
    refuse_splitters(vocabulary, words or [word for word in wordnet.nouns() if is_plain(word)])
    steps: dict[str, Steps] = {}
    listed: list[str] = []
    nouns: list[str] = []
    if words:
        listed, left = funnel(words, _tests(wordnet, frozenset(vocabulary.words)))
        steps[_LISTS] = [("candidates", len(words)), *left]
    if settings.targets != "lists":
        nouns, steps[_WORDNET] = _nouns_in_order(settings, wordnet, vocabulary)
    return _Candidates(listed, nouns, steps)


class _Choice(NamedTuple):
    """The targets of one relation.

    Attributes:
        words: The targets.
        filled: How many of them come from WordNet alone.
        available: How many nouns of WordNet alone have a relatum of the relation, taken or not.
    """

    words: Sequence[str]
    filled: int
    available: int


def _choose(relation: Relation, candidates: _Candidates, relata: RelataOf, settings: BuildSettings) -> _Choice:
    """All listed words that have a relatum of the relation, and as many other nouns as are wanted beside them."""
    in_lists = frozenset(candidates.listed)
    listed = [word for word in candidates.listed if (word, relation) in relata]
    others = [word for word in candidates.nouns if (word, relation) in relata and word not in in_lists]
    wanted = len(others)
    if settings.targets == "auto":
        wanted = max(0, settings.enough.get(relation, 0) - len(listed))
    words = [*listed, *others[:wanted]]
    if settings.most:  # the sort is stable: of words with relata of equally many relations the first ones stay
        words = sorted(words, key=lambda word: -sum((word, each) in relata for each in RELATIONS))[: settings.most]
    return _Choice(words, len(set(others).intersection(words)), len(others))


def targets_of_responses(
    asked: Iterable[tuple[str, Relation]], settings: BuildSettings, wordnet: WordNet, vocabulary: Vocabulary
) -> Targets:
    """The targets of a response file: those of its targets and relations that have relata in the vocabulary.

    Raises:
        InputError: A model splits every target, or nothing is left.
    """
    wanted = sorted(set(asked))
    words = sorted({target for target, _ in wanted})
    shared = frozenset(vocabulary.words)
    refuse_splitters(vocabulary, words)
    kept, left = funnel(words, _tests(wordnet, shared))
    relata = find_relata(kept, wordnet, settings.relata, shared)
    pairs: dict[Relation, list[str]] = {
        relation: [target for target, asked_for in wanted if asked_for == relation and (target, relation) in relata]
        for relation in RELATIONS
    }
    with_relata = {target for target, _ in relata}
    steps = {"response file": [("candidates", len(words)), *left, ("with a relatum", len(with_relata))]}
    none = dict.fromkeys(RELATIONS, 0)
    return _finished(Targets(pairs, relata, steps, none, none))


def _tests(wordnet: WordNet, shared: Collection[str]) -> list[tuple[str, Callable[[str], Any]]]:
    return [("nouns in WordNet", wordnet.is_noun), ("in the shared vocabulary", lambda word: word in shared)]


def _is_name(wordnet: WordNet, word: str) -> bool:
    """Whether a word is above all else the name of a single thing: it has hypernyms as an instance alone."""
    return not wordnet.relata(word, "hypernymy", instances=False) and bool(wordnet.relata(word, "hypernymy"))


def _nouns_in_order(settings: BuildSettings, wordnet: WordNet, vocabulary: Vocabulary) -> tuple[list[str], Steps]:
    """WordNet's nouns in the vocabulary, the common ones first."""
    shared = {word: place for place, word in enumerate(vocabulary.words)}
    counts = noun_counts(wordnet.folder)
    tests: list[tuple[str, Callable[[str], Any]]] = [
        (f"one word of {settings.shortest} letters or more", lambda word: len(word) >= settings.shortest),
        ("in the shared vocabulary", lambda word: word in shared),
        ("kinds, not names", lambda word: not _is_name(wordnet, word)),
    ]
    if counts and settings.targets == "auto":
        tests.append(("tagged in WordNet's texts", lambda word: word in counts))
    candidates = list(wordnet.nouns())
    plain = [word for word in candidates if is_plain(word)]
    left, steps = funnel(plain, tests)
    ordered = sorted(left, key=lambda word: (-counts.get(word, 0), shared[word]))
    return ordered, [("candidates", len(candidates)), *steps]


def _finished(chosen: Targets) -> Targets:
    """Leaves out the relata of words that are no target of any relation.

    Raises:
        InputError: No target is left.
    """
    kept = {target for targets in chosen.pairs.values() for target in targets}
    if not kept:
        counts = "; ".join(
            f"{source}: " + ", ".join(f"{what} {count:,}" for what, count in steps)
            for source, steps in chosen.steps.items()
        )
        raise InputError(f"no target is left ({counts})", hint="Look at the models and at where targets come from.")
    return replace(chosen, relata={key: words for key, words in chosen.relata.items() if key[0] in kept})
