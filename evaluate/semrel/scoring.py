"""Probes through a model: the likeliest words at each blank, of the shared vocabulary and of the model's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import pyarrow as pa

from tashika.core.models import LoadedModel
from tashika.evaluate.engine.blanks import score_blanks
from tashika.evaluate.engine.distributions import Keep
from tashika.evaluate.engine.model import Model
from tashika.evaluate.engine.pieces import adds_end
from tashika.evaluate.engine.recipe import Advance
from tashika.evaluate.semrel.answers import ANSWERS, SPLIT_TARGET, AskedProbe, answer_row
from tashika.evaluate.semrel.own_words import OwnWords, Readings
from tashika.evaluate.semrel.settings import VocabularyName
from tashika.evaluate.semrel.vocabulary import ModelWords

Answer = tuple[Readings | None, str | None]
"""What a model answers, and why it does not; one of the two is None."""


class Prepared(NamedTuple):
    """A stretch of probes that is ready to be asked.

    Attributes:
        start: The first probe.
        stop: The one after the last.
        asked: Places, from `start`, of the probes that are asked; the others' targets are several tokens.
        texts: Token ids of those.
        lengths: How many words are read for each of those.
    """

    start: int
    stop: int
    asked: list[int]
    texts: list[list[int]]
    lengths: list[int]


@dataclass(frozen=True)
class BlankScorer:
    """A model that is ready for the probes.

    Attributes:
        probes: All of them.
        lengths: How many words are read for each probe, at most.
        loaded: The model and its tokenizer.
        model: The engine's view of it.
        words: The shared words that it can answer with.
        own: All that it can answer with.
        targets: The targets that it is asked about.
        ending: What follows the mask in a masked model's text.
        counts: Which of the vocabularies the answers that count are sought among.
    """

    probes: Sequence[AskedProbe]
    lengths: Sequence[int]
    loaded: LoadedModel
    model: Model
    words: ModelWords
    own: OwnWords
    targets: frozenset[str]
    ending: str
    counts: VocabularyName = "shared"

    def prepare(self, start: int, stop: int) -> Prepared:
        """Makes the texts of a stretch."""
        probes = self.probes[start:stop]
        asked = [place for place, probe in enumerate(probes) if probe.target in self.targets]
        texts = blank_texts(self.loaded, [probes[place].text for place in asked], self.ending)
        return Prepared(start, stop, asked, texts, [self.lengths[start + place] for place in asked])

    def run(self, prepared: Prepared, advance: Advance = lambda _: None) -> list[Answer]:
        """Asks the model; see `read_blanks`."""
        answers = read_blanks(self.model, prepared.texts, prepared.lengths, (self.words, self.own), advance)
        advance(prepared.stop - prepared.start - len(prepared.asked))
        return answers

    def table(self, prepared: Prepared, result: Sequence[Answer]) -> pa.Table:
        """The answers of a stretch, one row for each probe, in order."""
        answers = dict(zip(prepared.asked, result, strict=True))
        rows = []
        for place, number in enumerate(range(prepared.start, prepared.stop)):
            lists, problem = answers.get(place, (None, SPLIT_TARGET))
            words = lists.of(self.counts) if lists else None
            by_vocabulary = lists._asdict() if lists else None
            rows.append(answer_row(self.probes[number], self.lengths[number], words, problem, by_vocabulary))
        return pa.Table.from_pylist(rows, schema=ANSWERS)


def blank_texts(loaded: LoadedModel, texts: Sequence[str], ending: str) -> list[list[int]]:
    """Probes as the model reads them: with a mask and the ending behind it, or to be continued.

    Args:
        loaded: The model.
        texts: Up to the blank, without a space at the end: the answers are words with a space before them.
        ending: Of a masked model's texts.
    """
    if not texts:
        return []
    tokenizer = loaded.tokenizer
    if loaded.kind == "masked":
        texts = [f"{text} {tokenizer.mask_token}{ending}" for text in texts]
    ids: list[list[int]] = tokenizer(list(texts), return_attention_mask=False, verbose=False)["input_ids"]
    cut = loaded.kind == "causal" and adds_end(tokenizer)
    return [text_ids[:-1] for text_ids in ids] if cut else ids


def read_blanks(
    model: Model,
    texts: Sequence[Sequence[int]],
    lengths: Sequence[int],
    vocabularies: tuple[ModelWords, OwnWords],
    advance: Advance,
) -> list[Answer]:
    """The likeliest words at each blank, of one distribution, in each vocabulary.

    Args:
        model: See `engine.model_of`.
        texts: See `blank_texts`.
        lengths: How many words of each.
        vocabularies: The shared words, and all that the model has.
        advance: Called with the number of texts done.
    """
    shared, own = vocabularies
    most = max(lengths, default=0)
    keep = Keep(top=most, vocabulary=shared.tokens, further=own.tops(most))
    scores = score_blanks(model, texts, [() for _ in texts], keep, advance)
    own_words, own_tokens = (kept.tolist() for kept in scores.further)
    answers: list[Answer] = []
    for row, (k, problem) in enumerate(zip(lengths, scores.reasons(), strict=True)):
        if problem is not None:
            answers.append((None, problem))
            continue
        lists = Readings(
            shared.words_at(scores.top_tokens[row, :k]),
            own.words_at(own_words[row], k),
            own.texts_at(own_tokens[row][:k]),
        )
        answers.append((lists, None))
    return answers
