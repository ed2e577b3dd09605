"""How the small masked models are trained that stand in for real ones: their shape, their pieces, the loop of updates.

Everything is made so that the same input gives the same bytes: one thread, seeded draws, and a vocabulary without
the tokenizers library's trainers, which break ties by chance.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

import numpy as np

from tashika.core.models import NOTE_FILE
from tashika.core.pretrained import quiet
from tashika.core.progress import bar
from tashika.core.stages import Stage
from tashika.evaluate.engine.arrays import Codes

SPECIAL: Final = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
UNKNOWN: Final = SPECIAL.index("[UNK]")
POSITIONS: Final = 128
OUTPUTS: Final = ("config.json", "model.safetensors", "tokenizer.json", NOTE_FILE)
"""The files of a finished model that its stage vouches for."""

B = TypeVar("B")


class Shape(Protocol):
    """The settings that decide a model's shape and its first weights."""

    @property
    def seed(self) -> int:
        """Of the first weights."""

    @property
    def hidden(self) -> int:
        """Width."""

    @property
    def layers(self) -> int:
        """Depth."""


class Pace(Protocol):
    """The settings of the loop of updates."""

    @property
    def steps(self) -> int:
        """Updates."""

    @property
    def batch(self) -> int:
        """Sentences in an update."""

    @property
    def learning_rate(self) -> float:
        """At its highest."""


def run_once(stage: Stage, target: Path, train: Callable[[Path], Mapping[str, Any]], what: str) -> Path:
    """Trains a model into a folder that is whole or absent, unless the stage's manifest vouches for it.

    Args:
        stage: With the model's files as outputs.
        target: The model's folder.
        train: Writes the model into the folder it is given, and returns counts.
        what: The work in plain words.
    """

    def work() -> Mapping[str, Any]:
        partial = target.with_name(f".{target.name}.part")
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        counts = train(partial)
        shutil.rmtree(target, ignore_errors=True)
        partial.rename(target)
        return counts

    stage.run(work, what=what)
    return target


def save(model: Any, tokenizer: Any, folder: Path) -> None:
    """Writes the model as `from_pretrained` reads it."""
    with quiet():
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)


def words_of(texts: Iterable[str], *, spaced: bool = True) -> Counter[str]:
    """How often each word stands in the texts, lower-cased and parted from its signs as BERT does it."""
    split = splitter(spaced=spaced)
    return Counter(word for text in texts for word in split(text))


def splitter(*, spaced: bool = True) -> Callable[[str], list[str]]:
    """Parts a text into words as BERT's uncased tokenizer does before it looks for pieces.

    Args:
        spaced: Whether words are parted by spaces; where they are not, a word is a run of one script (see `_RUN`).
    """
    normalizer, parts = _normalizer(spaced=spaced), _cutter(spaced=spaced)
    return lambda text: [word for word, _ in parts.pre_tokenize_str(normalizer.normalize_str(text))]


_RUN: Final = r"[\p{Han}々〆]+|[\p{Katakana}ー]+|\p{Hiragana}+"
"""A stretch of one of the scripts of Japanese, which changes mostly where a word ends: 日本|の|首都|は."""


def _normalizer(*, spaced: bool) -> Any:
    from tokenizers import normalizers

    if spaced:
        return normalizers.BertNormalizer(lowercase=True)
    # Without accents a kana would lose its voicing mark and be another one; and each Chinese character would be a word.
    return normalizers.BertNormalizer(lowercase=True, strip_accents=False, handle_chinese_chars=False)


def _cutter(*, spaced: bool) -> Any:
    from tokenizers import Regex, pre_tokenizers

    words = pre_tokenizers.BertPreTokenizer()
    return words if spaced else pre_tokenizers.Sequence([words, pre_tokenizers.Split(Regex(_RUN), "isolated")])


def tokenizer_of(
    counts: Mapping[str, int], size: int, always: Iterable[str], *, spelt: bool = True, spaced: bool = True
) -> Any:
    """A lower-casing WordPiece tokenizer of whole words.

    Its pieces are the most frequent words, and single characters for the rest: the trainers of the tokenizers
    library break ties by chance, and the same words shall give the same model.

    Args:
        counts: Words and how often they stand in the texts.
        size: How many of them are one token each.
        always: Words that are one token however rare they are.
        spelt: Whether words that it does not know are spelt out; else each is one unknown token.
        spaced: Whether words are parted by spaces, see `splitter`.
    """
    from transformers import BertTokenizer

    frequent = sorted(counts, key=lambda word: (-counts[word], word))[:size]
    letters = sorted({letter for word in counts for letter in word}) if spelt else []
    pieces = [*SPECIAL, *letters, *(f"##{letter}" for letter in letters), *frequent, *always]
    vocabulary = {piece: place for place, piece in enumerate(dict.fromkeys(pieces))}
    return BertTokenizer(vocab=vocabulary, model_max_length=POSITIONS) if spaced else _of_runs(vocabulary)


def _of_runs(vocabulary: Mapping[str, int]) -> Any:
    """A WordPiece tokenizer for texts without spaces."""
    from tokenizers import Tokenizer, decoders, models, processors
    from transformers import PreTrainedTokenizerFast

    padding, unknown, begin, end, mask = SPECIAL
    backend = Tokenizer(models.WordPiece(dict(vocabulary), unk_token=unknown))
    backend.normalizer, backend.pre_tokenizer = _normalizer(spaced=False), _cutter(spaced=False)
    backend.decoder = decoders.WordPiece()
    edges = [(sign, vocabulary[sign]) for sign in (begin, end)]
    backend.post_processor = processors.TemplateProcessing(
        single=f"{begin} $A {end}", pair=f"{begin} $A {end} $B:1 {end}:1", special_tokens=edges
    )
    fast: Any = PreTrainedTokenizerFast
    return fast(
        tokenizer_object=backend,
        model_max_length=POSITIONS,
        pad_token=padding,
        unk_token=unknown,
        cls_token=begin,
        sep_token=end,
        mask_token=mask,
    )


def new_model(vocabulary: int, shape: Shape) -> Any:
    """A BERT with random weights that depend on the seed alone."""
    import torch
    from transformers import BertConfig, BertForMaskedLM

    torch.manual_seed(shape.seed)
    return BertForMaskedLM(
        BertConfig(
            vocab_size=vocabulary,
            hidden_size=shape.hidden,
            num_hidden_layers=shape.layers,
            num_attention_heads=max(1, shape.hidden // 64),
            intermediate_size=4 * shape.hidden,
            max_position_embeddings=POSITIONS,
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
        )
    )


@contextmanager
def one_thread() -> Iterator[None]:
    """Sums in one order on every machine; and beside other work, threads that wait for each other cost more."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def learn(model: Any, batches: Iterable[B], loss_of: Callable[[B], Any], pace: Pace, title: str) -> None:
    """Updates the weights once a batch, the learning rate rising and falling over the whole."""
    import torch

    optimizer = torch.optim.AdamW(model.parameters(), lr=pace.learning_rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, pace.learning_rate, total_steps=pace.steps, pct_start=0.1)
    model.train()
    with bar(title, pace.steps) as advance:
        for batch in batches:
            loss = loss_of(batch)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            advance(1)
    model.eval()


def by_length(rows: Codes, length: Codes, pace: Pace, generator: np.random.Generator) -> Iterator[Codes]:
    """Batches of rows of one length at random, a length as often as it has rows: none needs padding.

    Args:
        rows: (n,) what is drawn from.
        length: (n,) tokens of each.
        pace: How many batches of how many rows.
        generator: Draws them.
    """
    buckets = [rows[length == one] for one in np.unique(length)]
    share = np.asarray([len(bucket) for bucket in buckets]) / len(rows)
    for _ in range(pace.steps):
        bucket = buckets[int(generator.choice(len(buckets), p=share))]
        yield bucket[generator.integers(len(bucket), size=pace.batch)]
