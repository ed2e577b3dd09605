"""A tiny BERT that is trained on the spot on WordNet's nouns, the masked model that comes with semantic relations.

No masked model comes in a package. This one reads WordNet's relations of common nouns in wordings of its own, and short
definitions, with the word masked that is to be found. So it has learned what the suite asks, in other words than those
in which it is asked; it says so wherever its scores stand. In each relation a part of the words is held out.

Two things make a minute's training enough. Words that are related start with vectors that are alike, so what is left to
learn is which relation a sentence asks for; without that it learns no more than which answers are frequent. And the
loss of a sentence is the cross-entropy with all relata alike: one look at a word teaches all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from pydantic import Field

from tashika.core.errors import InputError
from tashika.core.files import hash_value, write_json
from tashika.core.models import NOTE_FILE
from tashika.core.progress import say
from tashika.core.settings import Section
from tashika.core.stages import Stage
from tashika.core.suites.semrel.norms import packaged_norms
from tashika.core.suites.semrel.probes import read_mass_nouns
from tashika.core.suites.semrel.wordnet import WordNet, open_wordnet
from tashika.core.suites.semrel.words import RELATIONS
from tashika.evaluate.engine.arrays import Codes
from tashika.evaluate.engine.ragged import Ragged, ranges
from tashika.evaluate.engine.tiny_training import (
    OUTPUTS,
    SPECIAL,
    UNKNOWN,
    by_length,
    learn,
    new_model,
    one_thread,
    run_once,
    save,
    tokenizer_of,
    words_of,
)
from tashika.evaluate.semrel.wordnet_sentences import (
    UNSEEN,
    WORDINGS,
    RelationItem,
    Sentence,
    common_nouns,
    gloss_sentences,
    read_definitions,
    relation_items,
    relation_sentence,
    wording_words,
)

NOTE: Final = (
    "a stand-in that was trained on WordNet itself: a tiny BERT trained on this machine on WordNet's relations of "
    "common nouns, in other sentences than the probes, in place of a real masked model. Its scores show that the "
    "evaluation works, not what language models know."
)
_MASK: Final = SPECIAL.index("[MASK]")
_HANDED_ON: Final = 2  # steps; with one, 400 updates find fewer relata of held-out hypernymy (0.65, not 0.83)
_PROBES: Final = 2_000
_PROBED_AT_ONCE: Final = 256
_TOP: Final = 10
_AT_ONCE: Final = 10_000
Bools = npt.NDArray[np.bool_]


class WordNetBertSettings(Section):
    """How the model is trained.

    Attributes:
        seed: Of what is held out, of the first weights and of the draws.
        nouns: How many it knows, the most common ones.
        other_words: How many more it knows, the most frequent ones of WordNet's definitions.
        hidden: Width.
        layers: Depth.
        steps: Updates.
        batch: Sentences in an update.
        learning_rate: At its highest.
        longest: Words of a definition, at most.
        definitions: Share of the sentences that are definitions.
        missing: The largest share of a wording's words that go missing; each sentence draws its own.
        held_out: Share of each relation's words whose relata no sentence names. The relata may still have the word as
            theirs: no sentence says that a robin is a bird, but one may say that one of the birds is the robin.
    """

    seed: int = 0
    nouns: int = Field(6_000, ge=1)
    other_words: int = Field(2_000, ge=0)
    hidden: int = Field(128, ge=1)
    layers: int = Field(2, ge=1)
    steps: int = Field(900, ge=1)
    batch: int = Field(128, ge=1)
    learning_rate: float = Field(1e-3, gt=0)
    longest: int = Field(10, ge=1, le=60)
    definitions: float = Field(0.1, ge=0, lt=1)
    missing: float = Field(0.5, ge=0, lt=1)
    held_out: float = Field(0.2, ge=0, lt=1)


@dataclass(frozen=True)
class Material:
    """What the model reads, as tokens.

    Attributes:
        ids: Token ids with special tokens and one mask, a row a sentence.
        about: (n,) the token of the word that a sentence is about; -1 if that is what is masked.
        answers: The tokens that fit at the mask, a row a sentence.
        relation: (n,) the place in `RELATIONS`; -1 for definitions.
        shown_word: (n,) whether the word may be learned from.
        shown_wording: (n,) whether the wording may.
    """

    ids: Ragged
    about: Codes
    answers: Ragged
    relation: Codes
    shown_word: Bools
    shown_wording: Bools


def prepare(_work: Path, target: Path) -> Path:
    """Trains the model on the installed WordNet; see `prepare_wordnet_bert`."""
    return prepare_wordnet_bert(target)


def prepare_wordnet_bert(
    target: Path, settings: WordNetBertSettings | None = None, wordnet: WordNet | None = None
) -> Path:
    """Trains the model once for this WordNet; a finished one is left as it is.

    Args:
        target: The model's folder.
        settings: How to train it.
        wordnet: What it reads; the installed one if None.

    Returns:
        The folder; `tashika.json` in it holds the note, and how often a relatum is found, by relation.

    Raises:
        InputError: WordNet is not there, or has no word with a relatum.
    """
    chosen = settings or WordNetBertSettings()
    read = wordnet or open_wordnet()
    stage = Stage(
        target.name,
        target.parent,
        inputs=[read.folder / "index.noun", read.folder / "data.noun", packaged_norms()],
        settings={**chosen.model_dump(), "wordings": hash_value({name: list(each) for name, each in WORDINGS.items()})},
        outputs=[target / name for name in OUTPUTS],
    )
    return run_once(stage, target, lambda folder: _train(read, folder, chosen), f"{target.name}, trained on WordNet")


def _train(wordnet: WordNet, folder: Path, settings: WordNetBertSettings) -> Mapping[str, Any]:
    generator = np.random.default_rng(settings.seed)
    say(f"WordNet {wordnet.version}: reading relations and definitions")
    tokenizer, material = read_material(wordnet, settings, generator)
    rows = _balanced(material, settings.definitions)
    model = new_model(len(tokenizer), settings)
    with one_thread():
        _start_alike(model, material, settings)
        _learn(model, material, rows, settings, generator)
        shares = _relatum_in_top(model, material, generator)
    save(model, tokenizer, folder)
    counts = {
        "parameters": sum(weight.numel() for weight in model.parameters()),
        "vocabulary": len(tokenizer),
        "sentences": len(np.unique(rows)),
        "definitions": int((material.relation < 0).sum()),
    }
    unseen = {relation: list(WORDINGS[relation][-UNSEEN:]) for relation in RELATIONS}
    about = {**counts, "relatum_in_top_10": shares}
    write_json(folder / NOTE_FILE, {"note": NOTE, **about, "held_out_wordings": unseen})
    return about


def read_material(
    wordnet: WordNet, settings: WordNetBertSettings, generator: np.random.Generator
) -> tuple[Any, Material]:
    """A tokenizer of whole words, and the sentences as its tokens; of each relation some words are held out.

    What the tokenizer does not know is one unknown token, as the words that go missing in training are.

    Raises:
        InputError: No word has a relatum.
    """
    definitions = read_definitions(wordnet)
    counts = words_of(text for _, text in definitions)
    nouns = common_nouns(wordnet, counts, settings.nouns)
    items = relation_items(wordnet, nouns)
    if not items:
        raise InputError("no common noun has a relatum", where=str(wordnet.folder), hint="Are WordNet's files whole?")
    shown = _shown(items, settings.held_out, generator)
    mass = read_mass_nouns()
    tokenizer = tokenizer_of(counts, settings.other_words, [*wording_words(), *nouns], spelt=False)
    rows = [
        (relation_sentence(item, wording, mass), RELATIONS.index(item.relation), show, place < len(wordings) - UNSEEN)
        for item, show in zip(items, shown.tolist(), strict=True)
        for wordings in (WORDINGS[item.relation],)
        for place, wording in enumerate(wordings)
    ]
    glosses = gloss_sentences(definitions, frozenset(nouns), tokenizer.get_vocab(), settings.longest, mass)
    return tokenizer, _material(tokenizer, [*rows, *((sentence, -1, True, True) for sentence in glosses)])


def _material(tokenizer: Any, rows: Sequence[tuple[Sentence, int, bool, bool]]) -> Material:
    known = tokenizer.get_vocab()
    sentences, relation, word, wording = zip(*rows, strict=True)
    return Material(
        Ragged.after_each_other(
            [_tokens(tokenizer, sentences[start : start + _AT_ONCE]) for start in range(0, len(sentences), _AT_ONCE)]
        ),
        np.asarray([known.get(sentence.word, -1) for sentence in sentences], dtype=np.int64),
        Ragged.of([[known[answer] for answer in sentence.answers] for sentence in sentences]),
        np.asarray(relation, dtype=np.int64),
        np.asarray(word, dtype=bool),
        np.asarray(wording, dtype=bool),
    )


def _tokens(tokenizer: Any, sentences: Sequence[Sentence]) -> Ragged:
    texts = [f"{sentence.before} {tokenizer.mask_token}{sentence.after}" for sentence in sentences]
    return Ragged.of(tokenizer(texts, return_attention_mask=False, return_token_type_ids=False)["input_ids"])


def _shown(items: Sequence[RelationItem], held_out: float, generator: np.random.Generator) -> Bools:
    """Which items the model may see: of each relation all but a share."""
    relations = np.asarray([RELATIONS.index(item.relation) for item in items])
    shown = np.ones(len(items), dtype=bool)
    for relation in range(len(RELATIONS)):
        places = generator.permutation(np.flatnonzero(relations == relation))
        shown[places[: int(held_out * len(places))]] = False
    return shown


def _balanced(material: Material, definitions: float) -> Codes:
    """The rows to learn from; small relations and definitions stand there several times.

    A relation with a hundredth of another's words is drawn a tenth as often: enough to learn its few pairs, and that
    its wordings mean something else.
    """
    rows = np.flatnonzero(material.shown_word & material.shown_wording)
    of = material.relation[rows]
    counts = np.bincount(of + 1, minlength=len(RELATIONS) + 1)
    times = np.ones(len(counts))
    times[1:] = np.rint(np.sqrt(counts[1:].max() / np.maximum(counts[1:], 1)))
    related = float((counts * times)[1:].sum())
    chosen = np.repeat(rows, times[of + 1].astype(np.int64))
    plain = np.resize(rows[of < 0], int(related * definitions / (1 - definitions))) if counts[0] else rows[:0]
    return np.concatenate([chosen[material.relation[chosen] >= 0], plain])


def _start_alike(model: Any, material: Material, settings: WordNetBertSettings) -> None:
    """Gives words that are related, in whatever way, first vectors that are alike.

    Every word has a random vector, and hands it on to its relata, and theirs to their relata, as in label propagation;
    weights are 1 / sqrt(degree of the one times degree of the other). Words that are held out hand on nothing.
    """
    import torch
    from scipy import sparse

    weights = model.bert.embeddings.word_embeddings.weight
    size, width = weights.shape
    rows = np.flatnonzero(material.shown_word & (material.relation >= 0))
    place, relata, _ = _answers(material, rows)
    words = material.about[rows][place]
    ends = np.unique(np.concatenate([words * size + relata, relata * size + words, np.arange(size) * (size + 1)]))
    graph = sparse.coo_matrix((np.ones(len(ends)), np.divmod(ends, size)), (size, size)).tocsr()
    degree = np.asarray(graph.sum(axis=1)).ravel()
    scale = sparse.diags(degree**-0.5)
    vectors = np.random.default_rng(settings.seed).normal(size=(size, width))
    for _ in range(_HANDED_ON):
        vectors = scale @ (graph @ (scale @ vectors))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    related = degree > 1
    with torch.no_grad():
        weights[torch.from_numpy(related)] += torch.from_numpy(vectors[related].astype(np.float32))


def _learn(
    model: Any, material: Material, rows: Codes, settings: WordNetBertSettings, generator: np.random.Generator
) -> None:
    """Fits the answers at the mask; the head runs there alone."""
    import torch

    def loss_of(batch: Codes) -> Any:
        likely = torch.log_softmax(_logits(model, _with_gaps(material, batch, settings.missing, generator)), dim=-1)
        place, tokens, share = _answers(material, batch)
        return -(likely[torch.from_numpy(place), torch.from_numpy(tokens)] * torch.from_numpy(share)).sum() / len(batch)

    batches = by_length(rows, material.ids.length[rows], settings, generator)
    learn(model, batches, loss_of, settings, "WordNet BERT, training")


def _answers(material: Material, batch: Codes) -> tuple[Codes, Codes, npt.NDArray[np.float32]]:
    """Of every answer of a batch: its row there, its token, and one over the number of the row's answers."""
    start, count = material.answers.start[batch], material.answers.length[batch]
    tokens = material.answers.values[ranges(start, count)].astype(np.int64)
    return np.repeat(np.arange(len(batch)), count), tokens, np.repeat(1 / count, count).astype(np.float32)


def _with_gaps(
    material: Material, batch: Codes, missing: float, generator: np.random.Generator
) -> npt.NDArray[np.int64]:
    """(batch, length) token ids in which words are unknown, of each sentence another share; never its own word.

    What a wording says must then be gathered from any of its words, and a wording never seen is less of a surprise.
    """
    ids = material.ids.block(batch).astype(np.int64)
    rate = generator.random((len(ids), 1)) * missing
    kept = (ids < len(SPECIAL)) | (ids == material.about[batch][:, None])
    ids[~kept & (generator.random(ids.shape) < rate)] = UNKNOWN
    return ids


def _logits(model: Any, block: npt.NDArray[np.int64]) -> Any:
    """Logits at the mask of sentences of one length, (rows, vocabulary)."""
    import torch

    ids = torch.from_numpy(block)
    states = model.bert(input_ids=ids).last_hidden_state
    return model.cls(states[torch.arange(len(ids)), torch.from_numpy((block == _MASK).argmax(axis=1))])


def _relatum_in_top(
    model: Any, material: Material, generator: np.random.Generator
) -> dict[str, dict[str, float | None]]:
    """How often a relatum is among the top ten, by part and relation, on samples."""
    parts = {
        "shown": material.shown_word & material.shown_wording,
        "held_out_wordings": material.shown_word & ~material.shown_wording,
        "held_out_words": ~material.shown_word & material.shown_wording,
    }
    return {
        name: {
            relation: _share_found(model, material, generator.permutation(np.flatnonzero(part & of))[:_PROBES])
            for relation, of in _of_relations(material)
        }
        for name, part in parts.items()
    }


def _of_relations(material: Material) -> Iterable[tuple[str, Bools]]:
    return [(relation, material.relation == place) for place, relation in enumerate(RELATIONS)]


def _share_found(model: Any, material: Material, rows: Codes) -> float | None:
    import torch

    if len(rows) == 0:
        return None
    right = 0
    with torch.inference_mode():
        for some in _batches(material, rows):
            logits = _logits(model, material.ids.block(some).astype(np.int64))
            top = logits.topk(min(_TOP, logits.shape[1]), dim=-1).indices.numpy()
            place, tokens, _ = _answers(material, some)
            hits = (top[place] == tokens[:, None]).any(axis=1)
            right += len(np.unique(place[hits]))
    return round(right / len(rows), 4)


def _batches(material: Material, rows: Codes) -> Iterator[Codes]:
    """The rows by length, a few at a time for the sake of memory."""
    for length in np.unique(material.ids.length[rows]):
        some = rows[material.ids.length[rows] == length]
        yield from np.array_split(some, -(-len(some) // _PROBED_AT_ONCE))
