from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tashika.core.errors import InputError
from tashika.core.models import NOTE_FILE, model_kind
from tashika.evaluate.kuci import ja_encoder
from tashika.evaluate.kuci.ja_encoder import JaEncoderSettings, Words

TEXTS = [
    "猫が魚を食べる。",
    "犬が肉を食べる。",
    "鳥が空を飛ぶ。",
    "私は本を読む。",
    "父が車を洗う。",
    "母が花を植える。",
] * 4
SMALL = JaEncoderSettings(hidden=8, layers=1, steps=6, batch=4)


def small_words() -> Words:
    counts = {"猫": 8, "が": 20, "魚": 4, "を": 24, "食べる": 8, "犬": 4, "肉": 4, "。": 24, "本": 4, "読む": 4}
    ranked = ["が", "を", "食べる", "食べ物", "飛ぶ", "車"]
    vectors = np.random.default_rng(0).normal(size=(len(counts) + len(ranked), 12)).astype(np.float32)
    vectors[list(counts).index("猫")] = 0  # a word without a vector
    vectors[len(counts)] = vectors[list(counts).index("が")]
    return Words(counts, ranked, vectors)


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("encoder")
    ja_encoder.make_encoder(folder, small_words(), TEXTS, SMALL)
    return folder


def test_pieces_are_words_before_characters() -> None:
    pieces = ja_encoder.pieces_of(small_words())
    assert next(iter(pieces)) == "が"
    assert {"食", "物", "飛", "車"} <= set(pieces)
    assert pieces["物"] < min(pieces[word] for word in small_words().ranked)
    assert sum(np.exp(pieces[word]) for word in {*small_words().counts, *small_words().ranked}) == pytest.approx(1)


def test_the_tokenizer_parts_texts_into_the_words_it_knows(encoder: Path) -> None:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(encoder)
    assert tokenizer.tokenize("猫が食べ物を食べる。") == ["猫", "が", "食べ物", "を", "食べる", "。"]
    assert tokenizer("ﾈ[MASK] 龍")["input_ids"] == [2, 1, 4, 1, 3]  # the unknown does not swallow the mask
    pair = tokenizer("猫が", "魚を")
    assert tokenizer.convert_ids_to_tokens(pair["input_ids"]) == ["[CLS]", "猫", "が", "[SEP]", "魚", "を", "[SEP]"]
    assert pair["token_type_ids"] == [0, 0, 0, 0, 1, 1, 1]


def test_words_start_with_the_main_axes_of_their_vectors() -> None:
    words = small_words()
    pieces = list(ja_encoder.pieces_of(words))
    found = ja_encoder.start_vectors(pieces, words, 12, 0)
    assert np.linalg.norm(found, axis=1) == pytest.approx(1)
    one, two = (found[5 + pieces.index(word)] for word in ("魚", "本"))
    original = [words.vectors[list(words.counts).index(word)] for word in ("魚", "本")]
    cosine = original[0] @ original[1] / np.linalg.norm(original[0]) / np.linalg.norm(original[1])
    assert one @ two == pytest.approx(cosine, abs=1e-5)  # all axes: nothing but turned
    assert ja_encoder.start_vectors(pieces, words, 4, 0).shape == (5 + len(pieces), 4)


def test_the_encoder_loads_like_any_other_and_says_what_it_is(encoder: Path) -> None:
    from transformers import AutoModel

    assert model_kind(str(encoder)) == "masked"
    assert AutoModel.from_pretrained(encoder).config.hidden_size == SMALL.hidden
    note = json.loads((encoder / NOTE_FILE).read_text())
    assert "stand-in" in note["note"]
    assert "CC BY-NC-SA" in note["note"]
    assert note["sentences"] == 22  # 24, a tenth held out


def test_the_same_words_give_the_same_bytes(encoder: Path, tmp_path: Path) -> None:
    ja_encoder.make_encoder(tmp_path, small_words(), TEXTS, SMALL)
    for name in ("model.safetensors", "tokenizer.json", NOTE_FILE):
        assert (tmp_path / name).read_bytes() == (encoder / name).read_bytes()


def test_word_vectors_stay_while_it_reads(encoder: Path) -> None:
    from transformers import AutoModel

    words = small_words()
    pieces = list(ja_encoder.pieces_of(words))
    kept = AutoModel.from_pretrained(encoder).embeddings.word_embeddings.weight.detach().numpy()
    assert (kept == ja_encoder.start_vectors(pieces, words, SMALL.hidden, SMALL.seed)).all()


def test_text_that_cannot_be_parted_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="found 0 sentences"):
        ja_encoder.make_encoder(tmp_path, small_words(), ["猫", "犬"], SMALL)


@pytest.mark.slow
def test_words_are_read_from_ja_ginza() -> None:
    pytest.importorskip("ja_ginza")
    words = ja_encoder.read_words(["お腹が空いたので、ご飯を食べた。"], 50)
    assert {"お腹", "ご飯", "食べ", "空い"} <= set(words.counts)
    vectors = dict(zip([*words.counts, *words.ranked], words.vectors, strict=True))
    assert vectors["お腹"].any()  # through its normalised form
    assert words.ranked[0] == "の"
    assert "猫" in words.ranked  # any character that has a vector
    assert sum(len(word) > 1 for word in words.ranked) < 50
