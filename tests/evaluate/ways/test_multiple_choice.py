from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tashika.core.errors import InputError
from tashika.evaluate.ways import multiple_choice
from tashika.evaluate.ways.multiple_choice import Chooser, encode, load_chooser
from tashika.evaluate.ways.questions import Question
from tests.japanese_bert import japanese_bert

QUESTION = Question("1", "お腹が空いたので", ("飯を食う", "走る", "寝る", "笑う"), 0)


@pytest.fixture(scope="module")
def chooser(toy_encoder: Path) -> Chooser:
    return load_chooser(str(toy_encoder), device="cpu", longest=64, seed=0)


def tokens(chooser: Chooser, ids: Any) -> str:
    return "".join(chooser.tokenizer.convert_ids_to_tokens(ids))


def test_pairs_are_as_in_the_paper(chooser: Chooser) -> None:
    encoded = encode(chooser, [QUESTION])
    assert tokens(chooser, encoded.ids[0][0]) == "[CLS]お腹が空いたので[SEP]飯を食う[SEP]"
    assert encoded.types[0][1] == [0] * 10 + [1] * 3
    assert encoded.length.tolist() == [len(encoded.ids[0][0])]


def test_options_alone_leave_the_context_empty(chooser: Chooser) -> None:
    encoded = encode(chooser, [QUESTION], "options")
    assert tokens(chooser, encoded.ids[0][1]) == "[CLS][SEP]走る[SEP]"
    other = encode(chooser, [QUESTION._replace(context="雨が降ると")], "options")
    assert other.ids == encoded.ids


def test_a_long_context_loses_its_beginning_and_a_long_option_its_question(toy_encoder: Path) -> None:
    short = load_chooser(str(toy_encoder), device="cpu", longest=10, seed=0)
    long = QUESTION._replace(options=("飯" * 7, "走る", "寝る", "笑う"))
    fits = QUESTION._replace(context="空", options=("飯", "走る", "寝る", "笑う"))
    encoded = encode(short, [QUESTION, long, fits])
    assert tokens(short, encoded.ids[0][0]) == "[CLS]たので[SEP]飯を食う[SEP]"
    assert encoded.fitting.tolist() == [0, 2]
    assert (encoded.truncated, encoded.too_long) == (1, 1)
    from contextlib import nullcontext

    found = multiple_choice.scored(short, encoded, 2, nullcontext)
    assert np.isnan(found).all(axis=1).tolist() == [False, True, False]


def test_padding_and_neighbours_do_not_change_a_logit(chooser: Chooser) -> None:
    long = QUESTION._replace(context="とても長い道を走ったらお腹が空いたので")
    chooser.modules.eval()
    both = encode(chooser, [QUESTION, long])
    together = multiple_choice.logits_of(chooser, both, np.asarray([0, 1])).detach().numpy()
    for place in range(2):
        alone = multiple_choice.logits_of(chooser, both, np.asarray([place])).detach().numpy()
        assert together[place] == pytest.approx(alone[0], abs=1e-5)


@pytest.mark.parametrize("family", ["roberta"])
def test_other_families(tiny_model: Callable[[str], str], family: str) -> None:
    chooser = load_chooser(tiny_model(family), device="cpu", longest=64, seed=0)
    encoded = encode(chooser, [QUESTION._replace(context="空", options=("飯", "走", "寝", "笑"))])
    assert multiple_choice.logits_of(chooser, encoded, np.asarray([0])).shape == (1, 4)


def test_deberta(toy_tokenizer: Any, tmp_path: Path) -> None:
    from transformers import DebertaV2Config, DebertaV2Model

    toy_tokenizer.save_pretrained(tmp_path)
    shape: dict[str, Any] = {
        "hidden_size": 16,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "intermediate_size": 16,
    }
    config = DebertaV2Config(vocab_size=len(toy_tokenizer), relative_attention=True, type_vocab_size=0, **shape)
    DebertaV2Model(config).save_pretrained(tmp_path)
    chooser = load_chooser(str(tmp_path), device="cpu", longest=64, seed=0)
    assert chooser.inputs == ()  # it has no types of tokens
    encoded = encode(chooser, [QUESTION])
    assert multiple_choice.logits_of(chooser, encoded, np.asarray([0])).shape == (1, 4)


def test_models_that_are_no_encoders_are_refused(tiny_model: Callable[[str], str], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="causal"):
        load_chooser(tiny_model("gpt2"), device="cpu", longest=64, seed=0)
    with pytest.raises(InputError, match="no such folder"):
        load_chooser(str(tmp_path / "nothing"), device="cpu", longest=64, seed=0)


def test_a_tokenizer_without_a_form_for_pairs_is_refused(tiny_model: Callable[[str], str]) -> None:
    with pytest.raises(InputError, match="no pair of the form"):
        load_chooser(tiny_model("bert"), device="cpu", longest=64, seed=0)  # made for single texts


def test_an_epoch_has_every_question_once_in_an_order_of_its_own(chooser: Chooser) -> None:
    encoded = encode(chooser, [QUESTION._replace(context="空" * (1 + place % 7)) for place in range(50)])
    first = multiple_choice.shuffled(encoded, 8, (0, 0))
    assert sorted(np.concatenate(first).tolist()) == list(range(50))
    again, other = multiple_choice.shuffled(encoded, 8, (0, 0)), multiple_choice.shuffled(encoded, 8, (0, 1))
    assert [one.tolist() for one in first] == [one.tolist() for one in again]
    assert [one.tolist() for one in first] != [one.tolist() for one in other]
    assert all(len(one) <= 8 for one in first)


def test_a_tokenizer_that_calls_mecab_makes_the_same_pairs(tmp_path: Path) -> None:
    folder = str(japanese_bert(tmp_path / "bert"))
    chooser = load_chooser(folder, device="cpu", longest=10, seed=0)
    question = Question("q", "雨が雨がお腹が空いた", ("ご飯を食べる", "水を飲む"), 0)
    encoded = encode(chooser, [question])
    first = chooser.tokenizer.convert_ids_to_tokens(encoded.ids[0][0])
    assert first == ["[CLS]", "お腹", "が", "空い", "た", "[SEP]", "ご飯", "を", "食べる", "[SEP]"]
    assert encoded.types[0][0] == [0, 0, 0, 0, 0, 0, 1, 1, 1, 1]
    assert encoded.truncated == 1
    assert multiple_choice.logits_of(chooser, encoded, encoded.fitting).shape == (1, 2)
