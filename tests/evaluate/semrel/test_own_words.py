"""What a model answers of its own words, and of all its tokens: worked by hand, and against sorted logits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from tashika.core.models import load_model
from tashika.core.workspace import Workspace
from tashika.evaluate.engine.distributions import Top
from tashika.evaluate.semrel.own_words import OwnWords, Readings
from tashika.evaluate.semrel.vocabulary import ModelWords
from tests.evaluate.semrel.world import VOCABULARY, answers_of, metrics_of, write_answers


def byte_pairs() -> Any:
    """A tokenizer that keeps the space before a word, as GPT-2's and RoBERTa's do."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    merges = [("d", "o"), ("do", "g"), ("Ġ", "dog"), ("D", "o"), ("Do", "g"), ("Ġ", "Dog"), ("Ġ", "c")]
    letters = ["Ġ", *"abcdgoxD,2"]
    vocabulary = ["<s>", "<unk>", *letters, *(first + second for first, second in merges)]
    model = models.BPE({token: place for place, token in enumerate(vocabulary)}, merges, unk_token="<unk>")
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    tokenizer.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", unk_token="<unk>")


def own_words_of(tokenizer: Any, shared: list[str], size: int = 10**6) -> tuple[OwnWords, Callable[[str], int]]:
    words = OwnWords.of(tokenizer, ModelWords.of(tokenizer, shared, "test"), size)
    return words, tokenizer.convert_tokens_to_ids


def test_whole_words_of_a_byte_pair_vocabulary() -> None:
    own, token = own_words_of(byte_pairs(), ["dog"])
    assert own.words == {token("Ġdog"): "dog", token("ĠDog"): "dog", token("Ġc"): "c"}
    assert own.forms == 2  # "dog" and "Dog"
    assert token("dog") not in own.words  # without a space it continues a word
    assert own.texts[token("dog")] == own.texts[token("ĠDog")] == "dog"
    assert own.texts[token(",")] == ","
    assert {token("<s>"), token("<unk>")}.isdisjoint(own.texts)


def test_forms_of_one_word_are_one_answer_among_words_and_two_among_tokens() -> None:
    own, token = own_words_of(byte_pairs(), ["dog"])
    ranked = [token("ĠDog"), token("Ġdog"), token("Ġc")]
    assert own.words_at(ranked, 2) == ["dog", "c"]
    assert own.words_at(ranked, 1) == ["dog"]
    assert own.texts_at(ranked) == ["dog", "dog", "c"]
    words, tokens = own.tops(5)
    assert isinstance(words, Top)
    assert words.count == 10  # enough for five words, however their forms stand
    assert words.vocabulary is not None
    assert words.vocabulary.tolist() == sorted(own.words)
    assert tokens.count == 5


def test_tokens_that_the_model_has_no_logits_for_are_no_answers() -> None:
    tokenizer = byte_pairs()
    size = tokenizer.convert_tokens_to_ids("ĠDog")
    own, _ = own_words_of(tokenizer, ["dog"], size)
    assert max(own.texts) == size - 1
    assert own.forms == 1


def test_pieces_of_wordpiece_are_tokens_and_no_words() -> None:
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    entries = ["[UNK]", "[MASK]", "dog", "Paris", "##ance", ",", "2008", "x"]
    tokenizer = Tokenizer(models.WordPiece({entry: place for place, entry in enumerate(entries)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="[UNK]", mask_token="[MASK]")
    own, _ = own_words_of(fast, ["dog"])
    assert sorted(own.words.values()) == ["dog", "paris", "x"]
    assert [own.texts[place] for place in range(2, 8)] == ["dog", "paris", "##ance", ",", "2008", "x"]


def test_a_reading_is_chosen_by_its_name() -> None:
    lists = Readings(["a"], ["b"], ["c"])
    assert [lists.of("shared"), lists.of("words"), lists.of("tokens")] == [["a"], ["b"], ["c"]]


@pytest.mark.parametrize("vocabulary", ["shared", "words", "tokens"])
def test_the_setting_says_which_answers_count_and_the_others_stand_beside(
    workspace: Workspace, run: Callable[..., Any], masked: str, vocabulary: str
) -> None:
    write_answers(workspace)
    run("--model", masked, settings=f'vocabulary = "{vocabulary}"\n')
    row = answers_of(workspace, "masked")["dog", "hypernymy"]
    lists = row["by_vocabulary"]
    loaded = load_model(masked, device="cpu")
    tokenizer = loaded.tokenizer
    ids = tokenizer("a dog is a kind of [MASK].", return_tensors="pt")
    with torch.inference_mode():
        logits = loaded.model(**ids).logits[0, -3].numpy()
    said = [tokenizer.convert_ids_to_tokens(int(token)) for token in np.argsort(-logits, kind="stable")]
    special = set(tokenizer.all_special_tokens)
    tokens = [text for text in said if text not in special]
    # This toy's vocabulary has words, a sign, and pieces that begin with ##; all of it in lower case.
    expected = {
        "shared": [text for text in said if text in VOCABULARY],
        "words": [text for text in tokens if text.isalpha()],
        "tokens": tokens,
    }
    assert {name: words[:2] for name, words in expected.items()} == lists
    assert row["words"] == lists[vocabulary]
    found = metrics_of(workspace, "masked")
    assert found["reading"]["vocabulary"] == vocabulary
    assert [each["vocabulary"] for each in found["vocabularies"]] == ["shared", "words", "tokens"]
    [counted] = [each for each in found["vocabularies"] if each["vocabulary"] == vocabulary]
    assert counted["matrix"] == found["matrix"]
    assert counted["summary"]["column"] == found["antonymy_bias"]["column"]
    assert counted["summary"]["own"] == found["own"]
    people = metrics_of(workspace, "people")
    assert people["vocabularies"] == []
    assert "vocabulary" not in people["reading"]


def test_words_that_others_lack_take_ranks(workspace: Workspace, run: Callable[..., Any], masked: str) -> None:
    """The list of shared words is what is left of a long enough list of own words."""
    run("--model", masked, settings='vocabulary = "words"\n')
    for row in answers_of(workspace, "masked").values():
        if row["problem"] is None:
            lists = row["by_vocabulary"]
            kept = [word for word in lists["words"] if word in VOCABULARY]
            assert lists["shared"][: len(kept)] == kept


def test_the_terminal_has_the_numbers_of_the_other_vocabularies(
    workspace: Workspace, run: Callable[..., Any], masked: str
) -> None:
    write_answers(workspace)
    output = " ".join(run("--model", masked, settings='vocabulary = "words"\n').output.split())
    assert "answers are sought among its own words here" in output
    assert "among shared words: column" in output
    assert "among all its tokens: column" in output
    assert "sought" not in run("--people-only").output
