"""What the masked model of semantic relations reads: sentences of WordNet's relations and of its definitions.

The wordings are other ones than those of the suite's prompts. Some are never trained on, and show how much of what is
learned carries over to new ones. [W], [V] and [DET] are as in prompts: the word, a relatum at the end, an article.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from tashika.core.suites.semrel.norms import packaged_norms, read_norms
from tashika.core.suites.semrel.probes import article, probe_text
from tashika.core.suites.semrel.relata import RelataSettings, find_relata
from tashika.core.suites.semrel.vocabulary import is_plain
from tashika.core.suites.semrel.wordnet import WordNet
from tashika.core.suites.semrel.words import Relation
from tashika.evaluate.engine.tiny_training import splitter, words_of

WORDINGS: Final[Mapping[Relation, Sequence[str]]] = {
    "hypernymy": (
        "every [W] is a kind of [V]",
        "all sorts of [W] belong to the larger class of [V]",
        "[W] is a more specific word than [V]",
        "a more general word for [DET] [W] is [V]",
        "[DET] [W] is a type of [V]",
        "[DET] [W], like any other form of [V]",
        "[W] is one example from the category of [V]",
        "the meaning of [W] is narrower than that of [V]",
        "seeing [DET] [W] is seeing a sort of [V]",
        "a dictionary defines [DET] [W] as a special type of [V]",
    ),
    "hyponymy": (
        "one kind of [W] is the [V]",
        "a particular type of [W] would be the [V]",
        "[W] is a more general word than [V]",
        "a more specific word for [DET] [W] is [V]",
        "examples of [W] include the [V]",
        "the category of [W] has members such as the [V]",
        "the meaning of [W] is broader than that of [V]",
        "[DET] [W] may be of many different kinds, for instance the [V]",
        "people often speak of [DET] [W] when they mean exactly the [V]",
        "of all the sorts of [W], one that is typical is the [V]",
    ),
    "holonymy": (
        "[DET] [W] is a part of the [V]",
        "[DET] [W] is found in or on every [V]",
        "[DET] [W] belongs as one portion to a larger whole, the [V]",
        "[DET] [W] helps to form the [V]",
        "the whole that [DET] [W] is a piece of is the [V]",
        "a missing [W] leaves an incomplete [V]",
        "many a [W] together make up the complete [V]",
        "[W] is the name of one of the parts of what is called the [V]",
        "look for [DET] [W] as part of any [V]",
    ),
    "meronymy": (
        "[DET] [W] has a part that is called the [V]",
        "every [W] has its [V]",
        "among the parts of [DET] [W] is the [V]",
        "[DET] [W] consists of pieces, and one piece is the [V]",
        "a portion of the whole [W] is its [V]",
        "taking apart [DET] [W], you find the [V]",
        "[W] is the name of a whole that has among its parts the [V]",
        "[DET] [W] is not complete if it is missing its [V]",
        "[DET] [W] contains as one of its parts the [V]",
    ),
    "antonymy": (
        "[W] is the opposite of [V]",
        "the opposite of [W] is [V]",
        "[W] and its contrary, [V]",
        "what is the reverse of [DET] [W]? the [V]",
        "where there is [W] there cannot at the same time be [V]",
        "an antonym of [W] is [V]",
        "[W] is not the same as, but rather the very opposite of, [V]",
        "the counterpart in contrast to [W] is [V]",
        "saying [W] excludes saying its contrary, namely [V]",
        "on one side stands [W], on the opposite side [V]",
    ),
    "synonymy": (
        "[W] means the same as [V]",
        "[DET] [W] is also called [V]",
        "a synonym of [W] is [V]",
        "the words have the same meaning: [W] and [V]",
        "[W] is another word for [V]",
        "you may replace the word [W] by [V]",
        "[DET] [W], also known under the name of [V]",
        "in other words, [DET] [W] could just as well be named [V]",
        "some call the same thing [W], and others [V]",
    ),
}
"""Sentences in which a word and a relatum of it may stand."""

UNSEEN: Final = 2
"""How many wordings of each relation, the last ones, are never trained on."""

_SHORTEST: Final = 3  # letters of a noun: "in", "as" and "at" are nouns too (indium, arsenic, astatine)
_SLOT: Final = re.compile(r"\[\w+\]")
_QUOTED: Final = re.compile(r'\s*[;(]?\s*"')


Definition = tuple[list[str], str]
"""The lemmas of a synset, and what they mean."""


class RelationItem(NamedTuple):
    """A word and all its relata of a relation."""

    word: str
    relation: Relation
    relata: tuple[str, ...]


class Sentence(NamedTuple):
    """A text with one word masked.

    Attributes:
        before: The text up to the mask, without a space at its end.
        after: What follows the mask: nothing but a full stop, or more.
        answers: The words that fit, at least one.
        word: What the sentence is about; empty if that is what is masked.
    """

    before: str
    after: str
    answers: tuple[str, ...]
    word: str


def wording_words() -> list[str]:
    """The words of all wordings and the articles, sorted."""
    return sorted({"a", "an", "."}.union(words_of(_SLOT.sub("", text) for each in WORDINGS.values() for text in each)))


def read_definitions(wordnet: WordNet) -> list[Definition]:
    """What WordNet's glosses say first of each synset, up to a semicolon or an example."""
    return [(lemmas, definition(gloss)) for lemmas, gloss in wordnet.glosses()]


def common_nouns(wordnet: WordNet, counts: Mapping[str, int], count: int) -> list[str]:
    """The nouns of the packaged category norms, and those that stand most often in WordNet's definitions.

    WordNet's own counts of tagged words are not in every package of it.

    Args:
        wordnet: An open WordNet.
        counts: How often each word form stands in its definitions.
        count: How many nouns, at most.

    Returns:
        Nouns of lower-case letters, the norms' first, then by frequency, ties alphabetical.
    """
    listed = sorted({word for pair in read_norms(packaged_norms()).pairs for word in pair})
    by_lemma: Counter[str] = Counter()
    for form, times in counts.items():
        by_lemma[wordnet.lemma(form)] += times
    frequent = sorted(by_lemma, key=lambda word: (-by_lemma[word], word))
    nouns = (word for word in (*listed, *frequent) if is_plain(word) and wordnet.is_noun(word))
    return [word for word in dict.fromkeys(nouns) if len(word) >= _SHORTEST][:count]


def relation_items(wordnet: WordNet, nouns: Sequence[str]) -> list[RelationItem]:
    """The relata of nouns among these nouns themselves, as far as the suite's default settings go.

    Returns:
        In the order of the nouns and of `RELATIONS`; without pairs that have no relata.
    """
    relata_of = find_relata(nouns, wordnet, RelataSettings(), nouns)
    return [RelationItem(word, relation, tuple(relata)) for (word, relation), relata in relata_of.items()]


def relation_sentence(item: RelationItem, wording: str, without_article: Collection[str]) -> Sentence:
    """The item in one of `WORDINGS`, its relata masked."""
    return Sentence(probe_text(wording, item.word, without_article), ".", item.relata, item.word)


def definition(gloss: str) -> str:
    """What a gloss says of the meaning first: up to a semicolon or an example."""
    return _QUOTED.split(gloss, maxsplit=1)[0].partition(";")[0].strip()


def gloss_sentences(
    definitions: Iterable[Definition],
    nouns: Collection[str],
    known: Collection[str],
    longest: int,
    without_article: Collection[str],
) -> Iterator[Sentence]:
    """Short definitions, such as "a robin is a small songbird.", of which all words but one at most are known.

    Each gives two sentences: with the defined word masked, and with the first noun of its definition.

    Args:
        definitions: Of synsets.
        nouns: What may be masked.
        known: The words that the model knows.
        longest: Words of a definition, at most.
        without_article: Words that take none.
    """
    split = splitter()
    for lemmas, meaning in definitions:
        words = split(meaning)
        if not 0 < len(words) <= longest or sum(word not in known for word in words) > 1:
            continue
        for word in (lemma for lemma in lemmas if lemma in nouns):
            start = "" if word in without_article else article(word)
            yield Sentence(start, f" is {meaning}.", (word,), "")
            genus = next((place for place, other in enumerate(words) if other in nouns and other != word), None)
            if genus is not None:
                before, after = " ".join(words[:genus]), " ".join(words[genus + 1 :])
                yield Sentence(f"{start} {word} is {before}".strip(), f" {after}.", (words[genus],), word)
