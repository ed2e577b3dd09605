"""The shared vocabulary, and which of its words are targets: what falls away at each step is counted.

A target is a noun, one token in every model under test, and has a relatum in the vocabulary (paper, section 3.2).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from tashika.builders.semrel.settings import BuildSettings
from tashika.core.errors import InputError
from tashika.core.models import prepare_smollm2
from tashika.core.suites.semrel.hyperlex import read_hyperlex
from tashika.core.suites.semrel.norms import packaged_norms, read_norms
from tashika.core.suites.semrel.relata import RelataOf, RelataSettings, find_relata
from tashika.core.suites.semrel.vocabulary import Lexicon, is_plain, lexicon_revision, read_lexicon, shared_words
from tashika.core.suites.semrel.wordnet import WordNet
from tashika.core.suites.semrel.words import RELATIONS, Relation

PACKAGED_MODEL: Final = "smollm2"
"""What stands in the settings for the packaged model, wherever the working directory is."""

_NOUN_KEY: Final = "%1:"

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
    counts = {name: {"words": len(one.words), **one.dropped} for name, one in zip(names, lexicons, strict=True)}
    holders = {name: frozenset(one.words) for name, one in zip(names, lexicons, strict=True)}
    return Vocabulary(shared_words(lexicons), counts, holders)


def _short_names(lexicons: Sequence[Lexicon]) -> list[str]:
    """Names without folders, which have no place in a manifest; numbered where two would be the same."""
    found: list[str] = []
    for one in lexicons:
        name = Path(one.name).name
        found.append(name if name not in found else f"{name} ({len(found) + 1})")
    return found


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
        InputError: One of them is missing, broken or empty.
    """
    norms = read_norms(Path(settings.norms) if settings.norms else packaged_norms()).pairs
    pairs = read_hyperlex(Path(settings.hyperlex)).pairs if settings.hyperlex else []
    found = {word for norm in norms for word in norm}
    found |= {word for pair in pairs for word in (pair.first, pair.second)}
    return sorted(found)


def noun_counts(folder: Path) -> dict[str, int]:
    """How often each noun was tagged in the texts that came with WordNet; those that never were are left out.

    It tells common nouns from words that are nouns at a pinch only ("have", "con"). Source: cntlist.rev, or where a
    package leaves that out, index.sense; formats: cntlist(5WN), senseidx(5WN). Empty where there is neither.
    """
    counts: Counter[str] = Counter()
    for name in ("cntlist.rev", "index.sense"):
        path = folder / name
        if path.is_file():
            with path.open(encoding="utf-8") as lines:
                for line in lines:
                    lemma, _, rest = line.partition("%")
                    if rest.startswith(_NOUN_KEY[1:]):
                        counts[lemma] += int(rest.split()[-1])
            break
    return {word: count for word, count in counts.items() if count}


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

    What is filled up are nouns of WordNet that name a kind (London does not), were tagged as nouns in WordNet's texts,
    and have a relatum: the most often tagged first, up to `enough` targets of a relation. Where WordNet comes without
    these counts, the order is that of the models' vocabularies.

    Raises:
        InputError: A model splits every candidate, or nothing is left.
    """
    shared = frozenset(vocabulary.words)
    listed = [] if settings.targets == "wordnet" else listed_words(settings.relata)
    steps: dict[str, Steps] = {}
    kept: list[str] = []
    if listed:
        kept, left = funnel(listed, _tests(wordnet, shared))
        steps["HyperLex and norms"] = [("candidates", len(listed)), *left]
    more: list[str] = []
    if settings.targets != "lists":
        more, steps["WordNet"] = _nouns_in_order(settings, wordnet, vocabulary)
    refuse_splitters(vocabulary, listed or [word for word in wordnet.nouns() if is_plain(word)])
    relata = find_relata([*kept, *more], wordnet, settings.relata, shared)
    in_lists, pairs, filled, available = frozenset(kept), {}, {}, {}
    for relation in RELATIONS:
        first = [word for word in kept if (word, relation) in relata]
        others = [word for word in more if (word, relation) in relata and word not in in_lists]
        wanted = max(0, settings.enough.get(relation, 0) - len(first)) if settings.targets == "auto" else len(others)
        chosen = [*first, *others[:wanted]]
        if settings.most:
            chosen = sorted(chosen, key=lambda word: -sum((word, one) in relata for one in RELATIONS))[: settings.most]
        pairs[relation] = sorted(chosen)
        filled[relation], available[relation] = len({*others}.intersection(chosen)), len(others)
    with_relata = {target for target, _ in relata}
    for source, words in (("HyperLex and norms", kept), ("WordNet", more)):
        if source in steps:
            steps[source].append(("with a relatum", len(with_relata.intersection(words))))
    return _finished(Targets(pairs, relata, steps, filled, available))


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
        relation: [target for target, of in wanted if of == relation and (target, relation) in relata]
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


def _finished(found: Targets) -> Targets:
    """Leaves out the relata of words that are no target of any relation."""
    chosen = {target for targets in found.pairs.values() for target in targets}
    if not chosen:
        told = "; ".join(
            f"{name}: " + ", ".join(f"{what} {count:,}" for what, count in one) for name, one in found.steps.items()
        )
        raise InputError(f"no target is left ({told})", hint="Look at the models and at where targets come from.")
    return replace(found, relata={key: words for key, words in found.relata.items() if key[0] in chosen})
