"""GiNZA: the analyser that comes with the toolkit.

The text is analysed as it stands: Sudachi itself looks words up in NFKC and lower case, so full-width letters are
known, and the surfaces stay those of the text. Lemmas are Sudachi's normalised forms (御腹 for お腹). The model's
metadata lists training sources under CC BY-NC-SA and commercial licences.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from importlib.metadata import version
from itertools import islice
from typing import Final

from tashika.builders.kuci.analysis.ginza.chunks import may_link
from tashika.builders.kuci.analysis.ginza.model import MODEL, load_model, parse
from tashika.builders.kuci.analysis.ginza.prefilter import may_relate
from tashika.builders.kuci.analysis.ginza.rules import analyse
from tashika.builders.kuci.analysis.ginza.tokens import Token
from tashika.builders.kuci.analysis.ginza.words import Words, words_of
from tashika.builders.kuci.analysis.records import Backend, Failure, Morpheme, Sentence

LONGEST: Final = 500
"""Characters of a text, as in `AnalyzerSettings`; Sudachi itself gives up at 49,149 bytes."""
BATCH: Final = 64
CUDA_BATCH: Final = 512
"""As `BATCH` on a CUDA device, which is kept busy by more. Not measured."""
WINDOW: Final = 1_000
"""Texts that are looked through at once for those that the model must parse, so that its batches are full."""

_DEMONSTRATIVES = frozenset(
    f"{series}{ending}"
    for series in "こそあど"
    for ending in ("の", "れ", "れら", "こ", "ちら", "っち", "いつ", "んな")
) | {"あそこ", "こう", "そう", "ああ", "どう"}

_POINTING = ("代名詞", "連体詞", "副詞", "形状詞-一般")
"""The parts of speech of demonstratives: あれ of あれば is a verb, そう of 降りそうだ an auxiliary."""


class Ginza:
    """Analyses sentences with GiNZA's model `ja_ginza` and our rules for clauses.

    A blank text is a `Failure`, as is one that is longer than `longest` characters.

    Args:
        batch: Texts that go through the model at once. Larger ones are slower: they leave the processor's cache.
        longest: Characters that a text may have.
        cuda: Whether the model computes on the first CUDA device that this process sees.

    Attributes:
        batch: As given.
        longest: As given.
        model: spaCy's.

    Raises:
        OutsideError: GiNZA or its model is not installed, or there is no CUDA device.
    """

    backend: Backend = "ginza"
    keys: str = "sudachi"

    def __init__(self, *, batch: int = BATCH, longest: int = LONGEST, cuda: bool = False) -> None:
        self.batch = batch
        self.longest = longest
        self.model = load_model(cuda=cuda)

    def describe(self) -> dict[str, str]:
        """Name and versions, for provenance."""
        packages = ("ginza", "ja-ginza", "spacy", "SudachiPy", "SudachiDict-core")
        return {"analyzer": "ginza", "model": MODEL, **{name: version(name) for name in packages}}

    def analyze(
        self, sentences: Iterable[tuple[str, str]], *, relations_only: bool = False
    ) -> Iterator[Sentence | Failure]:
        """Analyses (sid, text) pairs, one result each, in their order."""
        source = iter(sentences)
        while window := list(islice(source, WINDOW)):
            yield from self._analyze_window(window, relations_only)

    def _analyze_window(self, window: list[tuple[str, str]], relations_only: bool) -> Iterator[Sentence | Failure]:
        begun = [self._begin(sid, text, relations_only) for sid, text in window]
        parsed = iter(self._parse([one for one in begun if isinstance(one, Words)]))
        for (sid, text), one in zip(window, begun, strict=True):
            if isinstance(one, (Sentence, Failure)):
                yield one
                continue
            tokens = next(parsed)
            if isinstance(tokens, str):
                yield Failure(sid, text, tokens)
            else:
                yield _sentence(sid, text, one, tokens)

    def _begin(self, sid: str, text: str, relations_only: bool) -> Words | Sentence | Failure:
        """The words of a text that is to be parsed; else the result."""
        if relations_only and not may_relate(text):
            return Sentence(sid, text, ())
        reason = self._refused(text)
        if reason is not None:
            return Failure(sid, text, reason)
        try:
            words = words_of(self.model.tokenizer.tokenizer, text)
        except Exception as error:
            return Failure(sid, text, _failed(error))
        if words.text != text:
            return Failure(sid, text, "GiNZA changed the text")
        return Sentence(sid, text, ()) if relations_only and not may_link(words.tokens) else words

    def _parse(self, sentences: list[Words]) -> Sequence[list[Token] | str]:
        """The tokens of sentences; a reason in the place of what the model cannot do."""
        try:
            return parse(self.model, sentences, self.batch)
        except Exception:  # one of them is bad: the rest must be analysed
            return [self._parse_one(words) for words in sentences]

    def _parse_one(self, words: Words) -> list[Token] | str:
        try:
            return parse(self.model, [words], 1)[0]
        except Exception as error:
            return _failed(error)

    def _refused(self, text: str) -> str | None:
        if not text.strip():
            return "blank text"
        if len(text) > self.longest:
            return f"longer than {self.longest:,} characters"
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            return "a character that is not Unicode"
        return None


def _failed(error: Exception) -> str:
    return f"GiNZA failed: {type(error).__name__}"  # its message has numbers, and reasons are counted


def _sentence(sid: str, text: str, words: Words, tokens: Sequence[Token]) -> Sentence:
    analysis = analyse(tokens)
    morphemes, places = _morphemes(words, tokens)
    clauses = tuple(replace(one, start=places[one.start], stop=places[one.stop]) for one in analysis.clauses)
    return Sentence(sid, text, morphemes, clauses, analysis.relations)


def _morphemes(words: Words, tokens: Sequence[Token]) -> tuple[tuple[Morpheme, ...], list[int]]:
    """The morphemes, spaces among them, and the number of the morpheme that each token became."""
    morphemes: list[Morpheme] = []
    places, start = [], 0
    for token, space in zip(tokens, words.spaces, strict=True):
        places.append(len(morphemes))
        morphemes.append(
            Morpheme(
                surface=token.surface,
                lemma=token.norm,
                pos=token.tag.split("-", maxsplit=1)[0],
                start=start,
                unknown=start in words.unknown and not token.sign,
                demonstrative=token.surface in _DEMONSTRATIVES and token.tag.startswith(_POINTING),
                sign=token.sign,
            )
        )
        start += len(token.surface)
        if space:
            morphemes.append(Morpheme(" ", " ", "空白", start, sign=True))
            start += 1
    places.append(len(morphemes))
    return tuple(morphemes), places
