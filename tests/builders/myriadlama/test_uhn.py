from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from pathlib import Path

import pytest

from tashika.builders.myriadlama.facts import Fact
from tashika.builders.myriadlama.uhn import Counted, masked_model_guess, without_guessable, without_substrings
from tashika.core.errors import InputError

NUMBERS = count(1)


def fact(relation: str, subject: str, value: str) -> Fact:
    return Fact(relation, f"Q{next(NUMBERS)}", "Q2", subject, value)


def test_the_string_filter_ignores_case() -> None:
    facts = [
        fact("P176", "Apple Watch", "Apple"),
        fact("P131", "university of BERLIN", "Berlin"),
        fact("P176", "Apple Watch", "Foxconn"),
    ]
    assert without_substrings(facts) == [facts[2]]


def test_the_name_filter_asks_about_first_and_last_name() -> None:
    asked: list[str] = []

    def guess(texts: Sequence[str]) -> list[list[str]]:
        asked.extend(texts)
        known = {"Jean is a common name in the following language: {mask}.": ["french", "english", "german", "dutch"]}
        return [known.get(text, ["nothing"]) for text in texts]

    facts = [
        fact("P103", "Jean Marais", "French"),  # guessed from "Jean"
        fact("P103", "Jean Arp", "Dutch"),  # the fourth guess is too late
        fact("P1412", "Paul Klee", "German"),  # not guessed
        fact("P103", "Plato", "Greek"),  # one name, asked once
        fact("P36", "Jean", "French"),  # no relation of persons
    ]
    assert without_guessable(facts, guess) == facts[1:]
    assert asked == sorted(set(asked))
    assert "Plato is a common name in the following language: {mask}." in asked
    assert "Klee is a common name in the following language: {mask}." in asked
    assert len(asked) == 6  # Jean, Marais, Arp, Paul, Klee, Plato


def test_places_and_countries_are_asked_for_as_such() -> None:
    asked: list[str] = []

    def guess(texts: Sequence[str]) -> list[list[str]]:
        asked.extend(texts)
        return [[] for _ in texts]

    without_guessable([fact("P27", "Ana", "Spain"), fact("P19", "Ana", "Madrid")], guess)
    assert asked == [
        "Ana is a common name in the following city: {mask}.",
        "Ana is a common name in the following country: {mask}.",
    ]


def test_a_masked_model_is_asked(tmp_path: Path) -> None:
    """A tiny BERT whose head's bias alone decides: french before english before german, whatever the text."""
    import torch
    from transformers import BertConfig, BertForMaskedLM, BertTokenizer

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "jean", "french", "english", "german", "dutch", "."]
    tokenizer = BertTokenizer(vocab={word: place for place, word in enumerate(words)}, model_max_length=32)
    model = BertForMaskedLM(
        BertConfig(
            vocab_size=len(words), hidden_size=4, num_hidden_layers=1, num_attention_heads=1, intermediate_size=4,
            max_position_embeddings=32, tie_word_embeddings=False,
        )
    )  # fmt: skip
    with torch.no_grad():
        model.cls.predictions.decoder.weight.zero_()
        for word, bias in (("french", 9.0), ("english", 8.0), ("german", 7.0)):
            model.cls.predictions.decoder.bias[words.index(word)] = bias
            model.cls.predictions.bias[words.index(word)] = bias
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    guess = masked_model_guess(str(tmp_path))
    assert guess(["Jean is {mask}.", "{mask} . jean"]) == [["french", "english", "german"]] * 2
    facts = [fact("P103", "Jean Arp", "German"), fact("P103", "Jean Arp", "Dutch")]
    assert without_guessable(facts, guess) == facts[1:]


def test_no_masked_model(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        masked_model_guess(str(tmp_path / "missing"))


def test_rows_and_pairs_are_counted_apart() -> None:
    facts = [Fact("P36", "Q1", "Q2", "a", "b"), Fact("P36", "Q1", "Q3", "a", "c"), Fact("P36", "Q4", "Q2", "d", "b")]
    assert (Counted(facts).rows, Counted(facts).pairs) == (3, 2)
