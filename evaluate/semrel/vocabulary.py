"""Over which words a model answers: the shared vocabulary, as far as its own tokenizer has each as one token.

The shared vocabulary holds words of lower-case letters. A word is read as one token after a space, the form that it has
in the blank; what a tokenizer has in capitals beside it does not count, so a word has one token. Where a tokenizer
takes several words for one token (it strips accents), the token stands for the first of them in alphabetical order.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np

from tashika.core.errors import InputError
from tashika.core.files import hash_value, read_table
from tashika.core.suites.semrel.vocabulary import read_lexicon, shared_words
from tashika.core.tokenizing import SPACED, single_tokens
from tashika.core.workspace import Workspace
from tashika.evaluate.engine.arrays import Codes
from tashika.evaluate.semrel.metrics_model import AskedTargets, Coverage, Examples, Share, VocabularyInfo
from tashika.evaluate.semrel.settings import SplitTargets

Origin = Literal["release", "items", "models"]

RELEASE_FILE: Final = "vocabulary/vocabulary.parquet"
ITEMS_FILE: Final = "vocabulary.txt"
_SHOWN: Final = 3


@dataclass(frozen=True)
class SharedVocabulary:
    """The words that every model under test has as one token.

    Attributes:
        words: Sorted, each once.
        origin: The release, the build's items, or the models that were named, where neither has one.
        dropped: What was left out of the file, and how often.
    """

    words: tuple[str, ...]
    origin: Origin
    dropped: Mapping[str, int]

    @property
    def digest(self) -> str:
        """Of the words."""
        return hash_value(list(self.words))

    def describe(self) -> VocabularyInfo:
        """For `metrics.json`."""
        return VocabularyInfo(words=len(self.words), origin=self.origin, digest=self.digest, dropped=dict(self.dropped))


def find_vocabulary(workspace: Workspace, models: Sequence[str], *, released: bool) -> SharedVocabulary | None:
    """The shared vocabulary: of the release, else of the build, else of the models at hand.

    Args:
        workspace: Where the files are.
        models: The models that are to be asked; what they share is the last resort.
        released: Whether the release goes before the build's items.

    Returns:
        None if there is no file and no model.

    Raises:
        InputError: A file is broken or empty, or the models have no word in common.
    """
    release, items = workspace.release / RELEASE_FILE, workspace.items / ITEMS_FILE
    if released and release.is_file():
        return _of_table(release)
    if items.is_file():
        lexicon = read_lexicon(str(items))
        return SharedVocabulary(tuple(sorted(lexicon.words)), "items", _counted(lexicon.dropped))
    if not models:
        return None
    return SharedVocabulary(tuple(sorted(shared_words([read_lexicon(name) for name in models]))), "models", {})


def _of_table(file: Path) -> SharedVocabulary:
    table = read_table(file)
    words = table["word"].to_pylist() if "word" in table.column_names else []
    if not words:
        raise InputError("found no words, expected a column 'word'", where=str(file), hint="Export the release again.")
    kept = sorted({str(word) for word in words})
    return SharedVocabulary(tuple(kept), "release", _counted({"duplicates": len(words) - len(kept)}))


def _counted(dropped: Mapping[str, int]) -> dict[str, int]:
    return {name: count for name, count in sorted(dropped.items()) if count}


@dataclass(frozen=True)
class ModelWords:
    """The words that one model can answer with.

    Attributes:
        tokens: (n,) sorted.
        words: The word of each.
        shared: How many words the shared vocabulary has.
        split: Those that are several tokens here, or unknown.
        doubled: Those whose token stands for another word.
    """

    tokens: Codes
    words: tuple[str, ...]
    shared: int
    split: tuple[str, ...]
    doubled: tuple[str, ...]

    @classmethod
    def of(cls, tokenizer: Any, words: Sequence[str], where: str) -> ModelWords:
        """Finds the one token of each word of the shared vocabulary.

        Args:
            tokenizer: The model's.
            words: The shared vocabulary.
            where: The model, for the error.

        Raises:
            InputError: The tokenizer splits all of them.
        """
        token_of = list(zip(words, single_tokens(tokenizer, words, SPACED).tolist(), strict=True))
        owner: dict[int, str] = {}
        doubled = []
        for word, token in sorted(token_of):
            if token >= 0 and owner.setdefault(token, word) != word:
                doubled.append(word)
        split = tuple(word for word, token in token_of if token < 0)
        if not owner:
            raise InputError(
                f"the model's tokenizer splits all {len(words):,} words of the shared vocabulary into several tokens, "
                f"such as {some_of(split)}, so it has no word to answer with",
                where=where,
                hint="Give a model whose vocabulary has whole words, or build a shared vocabulary with this model.",
            )
        tokens = np.asarray(sorted(owner), dtype=np.int64)
        return cls(tokens, tuple(owner[token] for token in tokens.tolist()), len(words), split, tuple(doubled))

    def words_at(self, tokens: Iterable[int]) -> list[str]:
        """The words of tokens of `tokens`."""
        places = np.searchsorted(self.tokens, np.asarray(list(tokens), dtype=np.int64))
        return [self.words[place] for place in places.tolist()]

    def coverage(self, relata: Collection[str], targets: AskedTargets) -> Coverage:
        """How many words it has of those that matter, and examples of those that it lacks.

        Args:
            relata: All words that are a relatum of a target; the model cannot give those that it lacks.
            targets: How many targets it is asked about.
        """
        return Coverage(
            words=Share(kept=len(self.words), of=self.shared),
            split=Examples(n=len(self.split), such_as=list(self.split[:_SHOWN])),
            doubled=Examples(n=len(self.doubled), such_as=list(self.doubled[:_SHOWN])),
            relata=Share(kept=len(set(relata) & set(self.words)), of=len(set(relata))),
            targets=targets,
        )


def whole_targets(tokenizer: Any, targets: Collection[str], where: str) -> frozenset[str]:
    """The targets that are one token of this model: those that the suite asks it about (paper, section 3.2).

    Raises:
        InputError: The tokenizer splits all of them.
    """
    words = sorted(targets)
    tokens = single_tokens(tokenizer, words, SPACED).tolist()
    whole = frozenset(word for word, token in zip(words, tokens, strict=True) if token >= 0)
    if words and not whole:
        raise InputError(
            f"the model's tokenizer splits all {len(words):,} targets into several tokens, such as {some_of(words)}; "
            f"every probe would be left out",
            where=where,
            hint="Give a model that was among those of the shared vocabulary, or build the probes with this model.",
        )
    return whole


def answerable(
    tokenizer: Any, shared: Sequence[str], targets: Collection[str], split_targets: SplitTargets, where: str
) -> tuple[ModelWords, frozenset[str]]:
    """The words that a model can answer with, and the targets that it is asked about.

    Args:
        tokenizer: The model's.
        shared: The shared vocabulary.
        targets: Of the probes.
        split_targets: Whether targets of several tokens are asked about.
        where: The model, for the error.

    Raises:
        InputError: There are none.
    """
    words = ModelWords.of(tokenizer, shared, where)
    if split_targets == "asked":
        return words, frozenset(targets)
    return words, whole_targets(tokenizer, targets, where)


def some_of(words: Sequence[str]) -> str:
    """A few of the words, quoted."""
    return ", ".join(repr(word) for word in words[:_SHOWN])
