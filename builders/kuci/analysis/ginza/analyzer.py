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
from typing import Any, Final

from tashika.builders.kuci.analysis.ginza.prefilter import may_relate
from tashika.builders.kuci.analysis.ginza.rules import analyse
from tashika.builders.kuci.analysis.ginza.tokens import Token, tokens_of
from tashika.builders.kuci.analysis.records import Backend, Failure, Morpheme, Sentence
from tashika.core.errors import OutsideError

MODEL: Final = "ja_ginza"
LONGEST: Final = 500
"""Characters of a text, as in `AnalyzerSettings`; Sudachi itself gives up at 49,149 bytes."""
BATCH: Final = 64

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
        batch: Texts that go through the model at once.
        longest: Characters that a text may have.

    Attributes:
        batch: As given.
        longest: As given.
        model: spaCy's.

    Raises:
        OutsideError: GiNZA or its model is not installed.
    """

    backend: Backend = "ginza"
    keys: str = "sudachi"

    def __init__(self, *, batch: int = BATCH, longest: int = LONGEST) -> None:
        self.batch = batch
        self.longest = longest
        self.model = _load()

    def describe(self) -> dict[str, str]:
        """Name and versions, for provenance."""
        packages = ("ginza", "ja-ginza", "spacy", "SudachiPy", "SudachiDict-core")
        return {"analyzer": "ginza", "model": MODEL, **{name: version(name) for name in packages}}

    def may_relate(self, text: str) -> bool:
        """Whether a sentence has the letters of a marker."""
        return may_relate(text)

    def analyze(self, sentences: Iterable[tuple[str, str]]) -> Iterator[Sentence | Failure]:
        """Analyses (sid, text) pairs, one result each, in their order."""
        source = iter(sentences)
        while batch := list(islice(source, self.batch)):
            yield from self._analyze_batch(batch)

    def _analyze_batch(self, batch: list[tuple[str, str]]) -> Iterator[Sentence | Failure]:
        reasons = [self._refused(text) for _, text in batch]
        docs = self._parse([text for (_, text), reason in zip(batch, reasons, strict=True) if reason is None])
        for (sid, text), reason in zip(batch, reasons, strict=True):
            if reason is not None:
                yield Failure(sid, text, reason)
                continue
            doc = next(docs)
            yield Failure(sid, text, doc) if isinstance(doc, str) else self._sentence(sid, text, doc)

    def _parse(self, texts: list[str]) -> Iterator[Any]:
        """The documents of texts; a reason in the place of one that the model cannot do."""
        try:
            docs = list(self.model.pipe(texts, batch_size=self.batch))
        except Exception:  # one of them is bad: the rest must be analysed
            docs = [self._parse_one(text) for text in texts]
        return iter(docs)

    def _parse_one(self, text: str) -> Any:
        try:
            return self.model(text)
        except Exception as error:
            return f"GiNZA failed: {type(error).__name__}"  # its message has numbers, and reasons are counted

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

    def _sentence(self, sid: str, text: str, doc: Any) -> Sentence | Failure:
        tokens = tokens_of(doc)
        analysis = analyse(tokens)
        morphemes, places = _morphemes(doc, tokens, self._unknown(text))
        if "".join(one.surface for one in morphemes) != text:
            return Failure(sid, text, "GiNZA changed the text")
        clauses = tuple(replace(one, start=places[one.start], stop=places[one.stop]) for one in analysis.clauses)
        return Sentence(sid, text, morphemes, clauses, analysis.relations)

    def _unknown(self, text: str) -> set[int]:
        """The places of words that Sudachi's dictionary lacks; spaCy keeps no note of them."""
        tokenizer = self.model.tokenizer.tokenizer
        return {
            place
            for one in tokenizer.tokenize(text)
            if one.is_oov() and one.part_of_speech()[1] != "数詞" and one.part_of_speech()[0] != "補助記号"
            for place in range(one.begin(), one.end())
        }


def _load() -> Any:
    try:
        import spacy

        return spacy.load(MODEL, exclude=["ner"])
    except (ImportError, OSError) as error:
        raise OutsideError(
            f"GiNZA cannot be started: {error}", hint="Install the extra `japanese`: pip install 'tashika[japanese]'."
        ) from error


def _morphemes(doc: Any, tokens: Sequence[Token], unknown: set[int]) -> tuple[tuple[Morpheme, ...], list[int]]:
    """The morphemes, spaces among them, and the number of the morpheme that each token became."""
    morphemes: list[Morpheme] = []
    places = []
    for token, source in zip(tokens, doc, strict=True):
        places.append(len(morphemes))
        morphemes.append(
            Morpheme(
                surface=token.surface,
                lemma=token.norm,
                pos=token.tag.split("-", maxsplit=1)[0],
                start=source.idx,
                unknown=source.idx in unknown and not token.sign,
                demonstrative=token.surface in _DEMONSTRATIVES and token.tag.startswith(_POINTING),
                sign=token.sign,
            )
        )
        if source.whitespace_:
            morphemes.append(
                Morpheme(source.whitespace_, source.whitespace_, "空白", source.idx + len(token.surface), sign=True)
            )
    places.append(len(morphemes))
    return tuple(morphemes), places
