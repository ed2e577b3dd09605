"""Joined token ids are those of the whole string, and where a tokenizer does not allow it, that is noticed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tashika.core.models import Kind
from tashika.evaluate.pieces import PromptEncoder, Ragged

FAMILIES: dict[str, Kind] = {
    "bert": "masked",
    "roberta": "masked",
    "albert": "masked",
    "gpt2": "causal",
    "llama": "causal",
}
NAMES = st.text(st.sampled_from("aeorsPGÉ東京 .,-'()[]"), min_size=1, max_size=12)
SIGNS = st.text(st.sampled_from("()'\",.-s"), max_size=3)
WORDS = st.lists(st.sampled_from(["The", "capital", "of", "born", "in,", "«is»", "  ", "x"]), max_size=4).map(" ".join)


@pytest.fixture(scope="module")
def tokenizer_of(tiny_model: Callable[[str], str]) -> Callable[[str], Any]:
    from transformers import AutoTokenizer

    made: dict[str, Any] = {}
    return lambda name: made.setdefault(name, made.get(name) or AutoTokenizer.from_pretrained(tiny_model(name)))


def _rows(encoder: PromptEncoder, templates: int, names: int) -> list[list[int]]:
    template, alias = np.divmod(np.arange(templates * names), names)
    encoded = encoder.encode(template, alias)
    ids = encoded.ids
    rows = [ids.values[begin : begin + size].tolist() for begin, size in zip(ids.start, ids.length, strict=True)]
    return [rows[place] for place in encoded.distinct]


def _whole(tokenizer: Any, kind: Kind, template: str, name: str) -> list[int]:
    text = template.replace("[Y]", tokenizer.mask_token) if kind == "masked" else template[: template.index("[Y]")]
    ids: list[int] = tokenizer((text if kind == "masked" else text.rstrip()).replace("[X]", name))["input_ids"]
    return ids


@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_joined_is_whole(family: str, tokenizer_of: Callable[[str], Any], data: st.DataObject) -> None:
    tokenizer, kind = tokenizer_of(family), FAMILIES[family]
    templates = []
    for _ in range(data.draw(st.integers(1, 4))):
        first, second = data.draw(WORDS), data.draw(WORDS)
        subject = f"{data.draw(SIGNS)}[X]{data.draw(SIGNS)}"
        templates.append(" ".join(part for part in (first, subject, second, "[Y]") if part))
    names = data.draw(st.lists(NAMES, min_size=1, max_size=4))
    encoder = PromptEncoder(tokenizer, kind, templates, names)
    expected = [_whole(tokenizer, kind, template, name) for template in templates for name in names]
    assert _rows(encoder, len(templates), len(names)) == expected


@pytest.mark.parametrize("family", FAMILIES)
def test_ordinary_text_is_joined(family: str, tokenizer_of: Callable[[str], Any]) -> None:
    templates = ["The capital of [X] is [Y].", "[X]'s capital ([X is not here]) is [Y].", "In ([X]), [Y]"]
    names = ["France", "Washington, D.C.", "Émile Zola", "東京"]
    encoder = PromptEncoder(tokenizer_of(family), FAMILIES[family], templates, names)
    assert encoder.by_pieces
    expected = [_whole(tokenizer_of(family), FAMILIES[family], one, name) for one in templates for name in names]
    assert _rows(encoder, len(templates), len(names)) == expected


def test_a_tokenizer_that_looks_across_spaces_is_noticed() -> None:
    from tokenizers import Tokenizer, models, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))  # no splitting before merging: "of France" can be one token
    trainer = trainers.BpeTrainer(vocab_size=200, special_tokens=["<unk>", "<mask>"], show_progress=False)
    tokenizer.train_from_iterator(["The capital of France is x", "The capital of Spain is x"] * 5, trainer)
    wrapped = PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="<unk>", mask_token="<mask>")
    templates, names = ["The capital of [X] is [Y]", "[X] is [Y]"], ["France", "Spain"]
    encoder = PromptEncoder(wrapped, "masked", templates, names)
    assert not encoder.by_pieces
    assert _rows(encoder, 2, 2) == [_whole(wrapped, "masked", one, name) for one in templates for name in names]


def test_equal_texts_are_one_row(tokenizer_of: Callable[[str], Any]) -> None:
    """An uncased model sees one name where there are two; before [Y] two templates may read the same."""
    template, alias = np.divmod(np.arange(4), 2)
    bert = PromptEncoder(tokenizer_of("bert"), "masked", ["[X] is [Y].", "Is [X] [Y]?"], ["Paris", "PARIS"])
    assert bert.encode(template, alias).distinct.tolist() == [0, 0, 1, 1]
    llama = PromptEncoder(tokenizer_of("llama"), "causal", ["[X] is [Y].", "[X] is [Y]!"], ["Paris", "PARIS"])
    assert sorted(set(llama.encode(template, alias).distinct.tolist())) == [0, 1]


@given(st.lists(st.lists(st.integers(0, 9), max_size=4), max_size=6), st.data())
def test_ragged_rows_are_taken_as_they_are(rows: list[list[int]], data: st.DataObject) -> None:
    wanted = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=8)) if rows else []
    taken = Ragged.of(rows).take(np.asarray(wanted, dtype=np.int64))
    assert taken.values.tolist() == [one for row in wanted for one in rows[row]]
    assert taken.length.tolist() == [len(rows[row]) for row in wanted]
