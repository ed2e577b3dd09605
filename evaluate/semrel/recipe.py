"""How a scorer of probes is made."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from tashika.core.models import load_model
from tashika.evaluate.engine.model import model_of
from tashika.evaluate.engine.recipe import Recipe
from tashika.evaluate.semrel.answers import ANSWERS, AskedProbe
from tashika.evaluate.semrel.own_words import OwnWords
from tashika.evaluate.semrel.scoring import BlankScorer
from tashika.evaluate.semrel.settings import SplitTargets, VocabularyName
from tashika.evaluate.semrel.vocabulary import answerable


@dataclass(frozen=True)
class ProbeRecipe(Recipe):
    """A model and the probes that it is asked.

    Attributes:
        probes: In the order in which they are asked.
        lengths: How many words are read for each probe, at most.
        vocabulary: The shared vocabulary.
        split_targets: What becomes of probes whose target is several tokens.
        ending: What follows the mask in a masked model's text.
        counts: Which of the vocabularies the answers that count are sought among.
        chunk: Probes in a shard.
        batch_tokens: Tokens in a batch, at most; None takes them from the free memory.
    """

    probes: tuple[AskedProbe, ...]
    lengths: tuple[int, ...]
    vocabulary: tuple[str, ...]
    split_targets: SplitTargets
    ending: str
    counts: VocabularyName
    chunk: int
    batch_tokens: int | None = None

    @property
    def schema(self) -> pa.Schema:
        """Of the answers."""
        return ANSWERS

    @property
    def shard_size(self) -> int:
        """The setting's, whatever the model and the device."""
        return self.chunk

    def __len__(self) -> int:
        return len(self.probes)

    def make(self, device: str) -> BlankScorer:
        """Loads the model and prepares it for the probes."""
        loaded = load_model(self.name, device=device, dtype=self.dtype)
        asked = {probe.target for probe in self.probes}
        words, targets = answerable(loaded.tokenizer, self.vocabulary, asked, self.split_targets, self.name)
        model = model_of(loaded, self.batch_tokens)
        own = OwnWords.of(loaded.tokenizer, words, model.blank.vocabulary)
        return BlankScorer(self.probes, self.lengths, loaded, model, words, own, targets, self.ending, self.counts)
