"""A small Japanese BERT that is made on the spot, the encoder that comes with the Japanese questions.

No Japanese encoder comes in a package. This one starts from ja-ginza's word vectors (chiVe, of 300 dimensions, their
main axes alone), so it knows which words are alike before it reads anything; and then reads the shipped sentences that
basic events are counted in, and no others: those that the questions come from are never read as text. From all shipped
text it takes the words that it knows, not their order.

It learns two things side by side: words that are masked, and which of four second halves belongs to the first half of
a sentence, which is the form of a question. The word vectors stay as they are meanwhile: few words stand in the text,
and those that do would drift away from the others.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import Field

from tashika.core.errors import InputError, OutsideError
from tashika.core.files import write_json
from tashika.core.models import NOTE_FILE
from tashika.core.progress import say
from tashika.core.settings import Section, packaged_data
from tashika.core.stages import Stage
from tashika.evaluate.engine.arrays import Codes
from tashika.evaluate.engine.tiny_training import (
    OUTPUTS,
    POSITIONS,
    SPECIAL,
    learn,
    new_model,
    one_thread,
    run_once,
    save,
)

NOTE: Final = (
    "a stand-in that was made on this machine in place of a real Japanese encoder, and is never shipped: a tiny BERT "
    "whose word vectors come from ja-ginza's model (its metadata names training sources under CC BY-NC-SA and under a "
    "commercial licence), trained for a minute on the shipped sentences that basic events are counted in. It has not "
    "read the sentences that the questions come from. Its scores show that the evaluation works, not what language "
    "models know."
)
OPTIONS: Final = 4
"""Second halves that it chooses among: as many as a question has options."""

_INPUTS: Final = ["input_ids", "token_type_ids", "attention_mask"]
_PAD, _UNK, _CLS, _SEP, _MASK = range(len(SPECIAL))
_FLOOR: Final = 2.0  # nats that a lone character costs more than the rarest word
_LONGEST: Final = 10  # characters of a word
_KEPT: Final = 0.1  # of the chosen words that stay in sight, and as many become another word (Devlin et al. 2019)
_PROBES: Final = 256
Floats = npt.NDArray[np.float32]


class JaEncoderSettings(Section):
    """How the model is made.

    Attributes:
        seed: Of the first weights and of the draws.
        words: How many of the vectors' words it knows, the most frequent ones, beside those of the shipped text.
        hidden: Width; of the vectors' 300 dimensions so many main axes are kept.
        layers: Depth.
        steps: Updates.
        batch: Sentences in an update.
        learning_rate: At its highest.
        masked: Share of the words that are to be found.
        held_out: Share of the sentences that are kept to see what was learned.
    """

    seed: int = 0
    words: int = Field(10_000, ge=0)
    hidden: int = Field(128, ge=1, le=300)
    layers: int = Field(2, ge=1)
    steps: int = Field(800, ge=1)
    batch: int = Field(24, ge=OPTIONS)
    learning_rate: float = Field(1e-3, gt=0)
    masked: float = Field(0.15, gt=0, lt=1)
    held_out: float = Field(0.1, ge=0, lt=1)


class Words(NamedTuple):
    """What Japanese words look like and mean.

    Attributes:
        counts: Surface forms of the shipped text, and how often they stand in it.
        ranked: Words that have a vector, the most frequent first.
        vectors: (words, dimensions) of the vectors of `counts`, then of `ranked`; zeros where there is none.
    """

    counts: Mapping[str, int]
    ranked: Sequence[str]
    vectors: Floats


def prepare(_work: Path, target: Path) -> Path:
    """Makes the model from the shipped text; see `prepare_ja_encoder`."""
    return prepare_ja_encoder(target)


def prepare_ja_encoder(target: Path, settings: JaEncoderSettings | None = None) -> Path:
    """Makes the model once; a finished one is left as it is.

    Args:
        target: The model's folder.
        settings: How to make it.

    Returns:
        The folder; `tashika.json` in it holds the note, and how much it learned.

    Raises:
        OutsideError: ja-ginza is not installed.
    """
    chosen = settings or JaEncoderSettings()
    folder = packaged_data("kuci")
    frames, texts = folder / "frames.txt", sorted(folder.glob("*.txt"))
    stage = Stage(
        target.name,
        target.parent,
        inputs=texts,
        settings={**chosen.model_dump(), "ja_ginza": _version()},
        outputs=[target / name for name in OUTPUTS],
    )

    def train(part: Path) -> Mapping[str, Any]:
        say("ja-ginza: reading its word vectors")
        words = read_words([line for text in texts for line in _lines(text)], chosen.words)
        return make_encoder(part, words, _lines(frames), chosen)

    return run_once(stage, target, train, f"{target.name}, made from ja-ginza's vectors")


def _version() -> str:
    try:
        return metadata.version("ja-ginza")
    except metadata.PackageNotFoundError as error:
        raise OutsideError("ja-ginza is not installed", hint="Install the extra: pip install tashika[japanese].") from (
            error
        )


def _lines(path: Path) -> list[str]:
    return [line for line in path.read_text(encoding="utf-8").splitlines() if line]


def read_words(texts: Sequence[str], known: int) -> Words:
    """The words of texts and the most frequent words of ja-ginza's vectors, with their vectors.

    ja-ginza's keys are normalised forms (御腹 for お腹), so a form of the text takes the vector of its surface, its
    lemma or its normalised form, whichever is there first.

    Args:
        texts: What is parted into words.
        known: How many words of the vectors; single characters that have one come on top.

    Raises:
        OutsideError: ja-ginza is not installed or cannot be loaded.
    """
    try:
        import spacy

        language = spacy.load("ja_ginza")
    except (ImportError, OSError) as error:
        hint = "Install the extra: pip install tashika[japanese]."
        raise OutsideError(f"ja-ginza cannot be loaded: {error}", hint=hint) from error
    table, strings = language.vocab.vectors, language.vocab.strings
    rows = table.key2row
    counts: Counter[str] = Counter()
    row_of: dict[str, int] = {}
    for text in texts:
        for token in language.make_doc(_normal(text)):
            if token.is_space or len(token.text) > _LONGEST:
                continue
            counts[token.text] += 1
            candidates = (rows.get(strings[form]) for form in (token.text, token.lemma_, token.norm_))
            row_of.setdefault(token.text, next((row for row in candidates if row is not None), -1))
    ranked: dict[str, int] = {}
    for key, row in rows.items():  # the most frequent word first
        word = strings[key]
        if (len(ranked) < known or len(word) == 1) and 0 < len(word) <= _LONGEST and word == _normal(word).strip():
            ranked.setdefault(word, row)
    places = np.asarray([*(row_of[word] for word in counts), *ranked.values()], dtype=np.int64)
    vectors = np.asarray(table.data, dtype=np.float32)[places] * (places >= 0)[:, None]
    return Words(counts, list(ranked), vectors)


def _normal(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


def pieces_of(words: Words) -> dict[str, float]:
    """The words and all their characters with their log-probabilities, the most probable first.

    Half of the probability goes by the counts in the text and half to the vectors' words by Zipf's law. A lone
    character is less probable than any word, so words are spelt out only where no word fits.
    """
    total = sum(words.counts.values())
    zipf = 1 / np.arange(1, len(words.ranked) + 1)
    share = {word: count / total / 2 for word, count in words.counts.items()}
    for word, one in zip(words.ranked, (zipf / zipf.sum() / 2).tolist(), strict=True):
        share[word] = share.get(word, 0.0) + one
    known = {word: float(np.log(one)) for word, one in share.items()}
    least = min(known.values()) - _FLOOR
    letters = {letter: least for word in known for letter in word if letter not in known}
    ordered = sorted({**known, **letters}.items(), key=lambda piece: (-piece[1], piece[0]))
    return dict(ordered)


def unigram_tokenizer(pieces: Mapping[str, float]) -> Any:
    """A tokenizer that parts a text into its most probable words: no analyser is needed to load or to use it.

    Args:
        pieces: Words and their log-probabilities.
    """
    from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    vocabulary = [*((token, 0.0) for token in SPECIAL), *pieces.items()]
    tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=_UNK, byte_fallback=False))
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", _CLS), ("[SEP]", _SEP)],
    )
    tokenizer.add_special_tokens([AddedToken(token, special=True) for token in SPECIAL])
    names = {f"{name}_token": f"[{name.upper()}]" for name in ("pad", "unk", "cls", "sep", "mask")}
    made: Any = PreTrainedTokenizerFast
    return made(tokenizer_object=tokenizer, model_max_length=POSITIONS, model_input_names=_INPUTS, **names)


def start_vectors(pieces: Sequence[str], words: Words, width: int, seed: int) -> Floats:
    """The first word embeddings, (special tokens + pieces, width), each of length one.

    Args:
        pieces: The tokenizer's words in their order.
        words: With the vectors.
        width: Main axes that are kept.
        seed: Of the vectors of the special tokens and of words without one.
    """
    known: dict[str, Floats] = {}
    for word, vector in zip([*words.counts, *words.ranked], words.vectors, strict=True):
        if vector.any():
            known.setdefault(word, vector / np.linalg.norm(vector))
    generator = np.random.default_rng(seed)
    vectors = generator.normal(size=(len(SPECIAL) + len(pieces), width)).astype(np.float32)
    if known:
        matrix = np.asarray(list(known.values()))
        _, axes = np.linalg.eigh(np.cov(matrix.T))
        main = matrix @ axes[:, ::-1][:, :width]
        at = {word: place for place, word in enumerate(pieces, start=len(SPECIAL))}
        vectors[[at[word] for word in known], : main.shape[1]] = main
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def make_encoder(folder: Path, words: Words, texts: Sequence[str], settings: JaEncoderSettings) -> Mapping[str, Any]:
    """Makes tokenizer and model, trains it, and writes both with a note.

    Args:
        folder: Where to.
        words: What it knows from the start.
        texts: What it reads.
        settings: How.

    Returns:
        Counts: parameters, words, sentences, and how much it learned of those held out.

    Raises:
        InputError: There are too few sentences that can be parted in two.
    """
    import torch

    pieces = pieces_of(words)
    tokenizer = unigram_tokenizer(pieces)
    generator = np.random.default_rng(settings.seed)
    sentences = read_sentences(tokenizer, texts, settings.held_out, generator)
    model = new_model(len(tokenizer), settings)
    embeddings = model.bert.embeddings.word_embeddings.weight
    with torch.no_grad():
        embeddings.copy_(torch.from_numpy(start_vectors(list(pieces), words, settings.hidden, settings.seed)))
    model.matcher = torch.nn.Linear(settings.hidden, 1)
    embeddings.requires_grad = False
    with one_thread():
        batches = _batches(sentences.shown, settings, generator, settings.steps)
        learn(model, batches, lambda batch: _loss(model, batch), settings, "Japanese encoder, training")
        learned = _learned(model, sentences, settings)
    embeddings.requires_grad = True
    del model.matcher
    save(model, tokenizer, folder)
    about = {
        "parameters": sum(weight.numel() for weight in model.parameters()),
        "vocabulary": len(tokenizer),
        "sentences": len(sentences.shown),
        "learned": learned,
    }
    write_json(folder / NOTE_FILE, {"note": NOTE, **about})
    return about


@dataclass(frozen=True)
class Sentences:
    """Token ids without special tokens, of sentences that are read and of those that are held out."""

    shown: Sequence[Sequence[int]]
    held_out: Sequence[Sequence[int]]


def read_sentences(tokenizer: Any, texts: Sequence[str], held_out: float, generator: np.random.Generator) -> Sentences:
    """The texts as tokens; those of a single token cannot be parted, and are left out.

    Raises:
        InputError: There are fewer than an update needs.
    """
    ids = tokenizer(list(texts), add_special_tokens=False)["input_ids"] if texts else []
    rows = [row[: POSITIONS - 3] for row in ids if len(row) > 1]
    if len(rows) < OPTIONS:
        raise InputError(f"found {len(rows)} sentences of two words or more; expected at least {OPTIONS}")
    order = generator.permutation(len(rows)).tolist()
    out = min(int(held_out * len(rows)), len(rows) - OPTIONS)
    return Sentences([rows[place] for place in order[out:]], [rows[place] for place in order[:out]])


class Batch(NamedTuple):
    """Sentences as they are asked.

    Attributes:
        masked: (sentences, width) both halves, some words masked.
        masked_types: Token types.
        targets: Of the same shape: the words to be found, -100 elsewhere.
        pairs: (sentences x 4, width) each first half with four second halves, the right one first.
        pair_types: Token types.
    """

    masked: Codes
    masked_types: Codes
    targets: Codes
    pairs: Codes
    pair_types: Codes


def _batches(
    rows: Sequence[Sequence[int]], settings: JaEncoderSettings, generator: np.random.Generator, count: int
) -> Iterator[Batch]:
    for _ in range(count):
        yield _batch([rows[place] for place in generator.integers(len(rows), size=settings.batch)], settings, generator)


def _batch(rows: Sequence[Sequence[int]], settings: JaEncoderSettings, generator: np.random.Generator) -> Batch:
    cuts = [int(generator.integers(1, len(row))) for row in rows]
    first = [list(row[:cut]) for row, cut in zip(rows, cuts, strict=True)]
    second = [list(row[cut:]) for row, cut in zip(rows, cuts, strict=True)]
    ids, types = _joined(list(zip(first, second, strict=True)))
    turns = [0, *(generator.permutation(len(rows) - 1)[: OPTIONS - 1] + 1).tolist()]
    others = [(one, second[(place + turn) % len(rows)]) for place, one in enumerate(first) for turn in turns]
    pairs, pair_types = _joined(others)
    targets = np.where((ids >= len(SPECIAL)) & (generator.random(ids.shape) < settings.masked), ids, -100)
    chance = generator.random(ids.shape)
    drawn = generator.integers(len(SPECIAL), int(ids.max()) + 1, size=ids.shape)
    hidden = np.where(chance < _KEPT, ids, np.where(chance < 2 * _KEPT, drawn, _MASK))
    return Batch(np.where(targets >= 0, hidden, ids), types, targets, pairs, pair_types)


def _joined(pairs: Sequence[tuple[list[int], list[int]]]) -> tuple[Codes, Codes]:
    """Pairs as the tokenizer joins them, padded; cut where they are longer than the model's positions."""
    rows = [[_CLS, *first, _SEP, *second, _SEP][:POSITIONS] for first, second in pairs]
    ids = np.full((len(rows), max(map(len, rows))), _PAD, dtype=np.int64)
    types = np.zeros_like(ids)
    for place, row in enumerate(rows):
        ids[place, : len(row)] = row
        types[place, len(pairs[place][0]) + 2 : len(row)] = 1
    return ids, types


def _states(model: Any, ids: Codes, types: Codes) -> Any:
    import torch

    tokens = torch.from_numpy(ids)
    mask = (tokens != _PAD).long()
    return model.bert(input_ids=tokens, attention_mask=mask, token_type_ids=torch.from_numpy(types)).last_hidden_state


def _match(model: Any, batch: Batch) -> Any:
    """(sentences, 4) logits of the second halves."""
    return model.matcher(_states(model, batch.pairs, batch.pair_types)[:, 0]).view(-1, OPTIONS)


def _words(model: Any, batch: Batch) -> tuple[Any, Any]:
    """Logits at the masked places, (places, vocabulary), and the words that stand there."""
    import torch

    targets = torch.from_numpy(batch.targets)
    there = targets >= 0
    return model.cls(_states(model, batch.masked, batch.masked_types)[there]), targets[there]


def _loss(model: Any, batch: Batch) -> Any:
    import torch

    match = _match(model, batch)
    loss = torch.nn.functional.cross_entropy(match, torch.zeros(len(match), dtype=torch.long))
    logits, targets = _words(model, batch)
    return loss + torch.nn.functional.cross_entropy(logits, targets) if len(targets) else loss


def _learned(model: Any, sentences: Sentences, settings: JaEncoderSettings) -> dict[str, dict[str, float] | None]:
    """How often a masked word and a second half are found, of a sample of each part."""
    import torch

    def accuracy(rows: Sequence[Sequence[int]]) -> dict[str, float] | None:
        if len(rows) < OPTIONS:
            return None
        with torch.inference_mode():
            batch = _batch(rows[:_PROBES], settings, np.random.default_rng(settings.seed))
            logits, targets = _words(model, batch)
            right = (logits.argmax(dim=1) == targets).float()
            halves = (_match(model, batch).argmax(dim=1) == 0).float()
        return {"word": round(float(right.mean()), 4), "half": round(float(halves.mean()), 4)}

    return {"shown": accuracy(sentences.shown), "held_out": accuracy(sentences.held_out)}
