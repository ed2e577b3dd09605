"""Which words are one token, and which words models share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tashika.core.errors import InputError
from tashika.core.suites.semrel.vocabulary import Lexicon, lexicon_revision, read_lexicon, shared_words
from tashika.core.tokenizing import SPACED, START, single_tokens


def tokenizer_file(path: Path) -> Path:
    """A byte-pair tokenizer with " dog" and " cat" whole, "bird" whole only at a start, and nothing for a fish."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from tokenizers.decoders import ByteLevel

    letters = [*"abcdefghijklmnopqrstuvwxyz", "Ġ"]
    merged = ["do", "dog", "Ġdog", "ca", "cat", "Ġcat", "bi", "bir", "bird"]
    vocabulary = {token: place for place, token in enumerate([*letters, *merged])}
    merges = [("d", "o"), ("do", "g"), ("Ġ", "dog"), ("c", "a"), ("ca", "t"), ("Ġ", "cat")]
    merges += [("b", "i"), ("bi", "r"), ("bir", "d")]
    tokenizer = Tokenizer(models.BPE(vocabulary, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = ByteLevel()
    tokenizer.save(str(path))
    return path


def test_a_word_counts_as_it_stands_after_a_space(tmp_path: Path) -> None:
    from transformers import PreTrainedTokenizerFast

    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(tokenizer_file(tmp_path / "tokenizer.json")))
    words = ["dog", "bird", "fish"]
    assert [token >= 0 for token in single_tokens(tokenizer, words, SPACED)] == [True, False, False]
    assert [token >= 0 for token in single_tokens(tokenizer, words, START)] == [True, True, False]


def test_the_words_of_a_tokenizer_are_in_its_order(tmp_path: Path) -> None:
    found = read_lexicon(str(tokenizer_file(tmp_path / "tokenizer.json")))
    assert found.words == ("dog", "cat")


def test_the_words_of_a_file_are_plain_and_each_once(tmp_path: Path) -> None:
    file = tmp_path / "words.txt"
    file.write_text("# mine\ndog\nCat\n\ncat\ndog\nx2\nfish\n", encoding="utf-8")
    found = read_lexicon(str(file))
    assert found.words == ("dog", "cat", "fish")
    assert found.dropped == {"duplicates": 1, "no_plain_word": 2}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "holds no word"),
        ("dog\nguinea pig\n", "one word a line"),
        ("a" * 500, "one word a line"),
        ("X1\n", "none of the 1 lines is a word of lower-case letters"),
    ],
)
def test_a_broken_vocabulary_file_is_told(tmp_path: Path, content: str, message: str) -> None:
    file = tmp_path / "words.txt"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_lexicon(str(file))


@pytest.mark.parametrize("name", ["no/such/words.txt", "no/such/tokenizer.json"])
def test_a_missing_file_is_told(name: str) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_lexicon(name)
    with pytest.raises(InputError, match="no such file"):
        lexicon_revision(name)


def test_what_is_no_tokenizer_is_told(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match="not a tokenizer"):
        read_lexicon(str(tmp_path / "tokenizer.json"))


def test_shared_words_are_in_all_and_the_common_ones_first() -> None:
    first = Lexicon("a", ("dog", "cat", "eel", "bird"), {})
    second = Lexicon("b", ("bird", "cat", "dog", "ant"), {})
    assert shared_words([first, second]) == ["cat", "dog", "bird"]  # 1 + 1, 0 + 2, 3 + 0
    with pytest.raises(InputError, match=r"a \(4 words\), c \(1 words\)"):
        shared_words([first, Lexicon("c", ("fish",), {})])


def test_a_revision_follows_the_tokenizer_and_not_the_weights(tmp_path: Path) -> None:
    tokenizer_file(tmp_path / "tokenizer.json")
    before = lexicon_revision(str(tmp_path))
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    assert lexicon_revision(str(tmp_path)) == before
    (tmp_path / "tokenizer.json").write_text("{}", encoding="utf-8")
    assert lexicon_revision(str(tmp_path)) != before
