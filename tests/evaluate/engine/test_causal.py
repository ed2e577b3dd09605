"""Causal models behind texts that begin alike, against each text by itself with full logits in float64."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
import transformers as t
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tashika.core.errors import OutsideError
from tashika.core.models import LoadedModel, move_to_device
from tashika.evaluate.engine import causal
from tashika.evaluate.engine.causal import CausalModel
from tashika.evaluate.engine.forest import Asked
from tashika.evaluate.engine.ragged import Ragged

VOCABULARY = 97
LONGEST = 64
SHAPE: dict[str, Any] = {
    "vocab_size": VOCABULARY,
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 24,
    "max_position_embeddings": LONGEST,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
NARROW: dict[str, Any] = {"vocab_size": VOCABULARY, "n_embd": 16, "n_layer": 2, "n_head": 4, "n_positions": LONGEST}
MAKERS: dict[str, Callable[[], Any]] = {
    "llama": lambda: t.LlamaForCausalLM(t.LlamaConfig(**SHAPE)),
    "gpt2": lambda: t.GPT2LMHeadModel(t.GPT2Config(**NARROW, bos_token_id=1, eos_token_id=2)),
    "mistral": lambda: t.MistralForCausalLM(t.MistralConfig(**SHAPE, num_key_value_heads=2)),
    "qwen2": lambda: t.Qwen2ForCausalLM(t.Qwen2Config(**SHAPE, num_key_value_heads=2)),
    "gpt_neox": lambda: t.GPTNeoXForCausalLM(t.GPTNeoXConfig(**SHAPE)),
    "gemma3": lambda: t.Gemma3ForCausalLM(t.Gemma3TextConfig(**SHAPE, num_key_value_heads=2, head_dim=8)),
    "bloom": lambda: t.BloomForCausalLM(t.BloomConfig(vocab_size=VOCABULARY, hidden_size=16, n_layer=2, n_head=4)),
    "mamba": lambda: t.MambaForCausalLM(t.MambaConfig(vocab_size=VOCABULARY, hidden_size=16, num_hidden_layers=2)),
    "short-sighted": lambda: t.MistralForCausalLM(t.MistralConfig(**SHAPE, num_key_value_heads=2, sliding_window=12)),
    "gpt_neo": lambda: t.GPTNeoForCausalLM(
        t.GPTNeoConfig(
            vocab_size=VOCABULARY,
            hidden_size=16,
            num_layers=2,
            num_heads=4,
            attention_types=[[["global", "local"], 1]],
            max_position_embeddings=LONGEST,
            window_size=60,
            bos_token_id=1,
            eos_token_id=2,
        )
    ),
}
SHARE = ("llama", "gpt2", "mistral", "qwen2", "gpt_neox", "gemma3")
DO_NOT = ("bloom", "mamba")


def _model(name: str) -> Any:
    torch.manual_seed(5)
    with torch.no_grad():
        model = MAKERS[name]()
        for weight in model.parameters():
            if weight.dim() > 1:
                weight.normal_(0.0, 0.3)
    return model.eval()


def _loaded(model: Any) -> LoadedModel:
    return LoadedModel("tiny", "causal", model, SimpleNamespace(model_max_length=LONGEST), "none", None)


@pytest.fixture(scope="module")
def engine_of() -> Callable[[str], CausalModel]:
    """Engines in float64, made once."""
    made: dict[str, CausalModel] = {}

    def get(name: str) -> CausalModel:
        if name not in made:
            made[name] = CausalModel(_loaded(_model(name).double()))
        return made[name]

    return get


def _texts(count: int, shared: int, seed: int = 0, longest: int = 40) -> list[list[int]]:
    """Texts that begin with up to as many same tokens."""
    draw = np.random.default_rng(seed)
    common = draw.integers(3, VOCABULARY, shared).tolist()
    kept, added = draw.integers(0, shared + 1, count), draw.integers(1, longest - shared, count)
    return [common[:keep] + draw.integers(3, VOCABULARY, add).tolist() for keep, add in zip(kept, added, strict=True)]


def _behind(engine: CausalModel, texts: Sequence[Sequence[int]], first: Sequence[int]) -> dict[tuple[int, int], Any]:
    """What is given for each text and position; never twice."""
    found: dict[tuple[int, int], Any] = {}

    def receive(asked: Asked, logits: torch.Tensor) -> None:
        for text, position, row in zip(*(values.tolist() for values in asked), strict=True):
            assert (text, position) not in found
            found[text, position] = logits[row].numpy()

    engine.behind(Ragged.of(texts), np.asarray(first), receive)
    return found


def _agree(engine: CausalModel, texts: Sequence[Sequence[int]], first: Sequence[int], atol: float = 1e-9) -> None:
    found = _behind(engine, texts, first)
    assert set(found) == {(at, place) for at, text in enumerate(texts) for place in range(first[at], len(text))}
    for at, text in enumerate(texts):
        with torch.no_grad():
            plain = engine.blank.loaded.model(input_ids=torch.tensor([text]), use_cache=False).logits[0].numpy()
        for place in range(first[at], len(text)):
            np.testing.assert_allclose(found[at, place], plain[place], atol=atol)


@pytest.mark.parametrize("name", [*SHARE, *DO_NOT])
def test_gives_what_each_text_gives_by_itself(name: str, engine_of: Callable[[str], CausalModel]) -> None:
    engine, texts = engine_of(name), _texts(12, shared=25)
    _agree(engine, texts, [max(0, len(text) - 1 - at % 4) for at, text in enumerate(texts)])
    assert engine.shares_prefixes is (name in SHARE)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_neither_order_nor_batches_change_anything(
    data: st.DataObject, engine_of: Callable[[str], CausalModel]
) -> None:
    engine = engine_of(data.draw(st.sampled_from(("llama", "gpt2"))))
    texts = _texts(data.draw(st.integers(1, 10)), data.draw(st.integers(0, 20)), data.draw(st.integers(0, 99)))
    texts += data.draw(st.lists(st.sampled_from(texts), max_size=3))  # some twice
    first = [data.draw(st.integers(0, len(text) - 1)) for text in texts]
    order = data.draw(st.permutations(range(len(texts))))
    whole = _behind(engine, texts, first)
    tokens, engine.budget.tokens = engine.budget.tokens, data.draw(st.integers(1, 60))
    try:
        again = _behind(engine, [texts[at] for at in order], [first[at] for at in order])
    finally:
        engine.budget.tokens = tokens
    assert {(order[text], place) for text, place in again} == set(whole)
    for (text, place), logits in again.items():
        np.testing.assert_allclose(logits, whole[order[text], place], atol=1e-9)


@pytest.mark.parametrize("name", ["llama", "gpt2"])
def test_a_shared_beginning_is_computed_once(
    name: str, engine_of: Callable[[str], CausalModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = engine_of(name)
    engine._shares()
    texts = [[*range(3, 33), *end] for end in ([40], [41, 42], [41, 43], [44, 45, 46])]
    asked: list[int] = []
    logits = engine.blank.logits
    monkeypatch.setattr(engine.blank, "logits", lambda ids, *a, **k: (asked.append(ids.size), logits(ids, *a, **k))[1])
    _agree(engine, texts, [29] * 4)
    assert asked == [30 + 1 + 3 + 3]


@pytest.mark.parametrize("name", ["llama", "gpt2", "gemma3"])
def test_a_long_beginning_of_many_texts_is_a_trunk(
    name: str, engine_of: Callable[[str], CausalModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    """More texts than go into one tree: still the thirty tokens go through the model once."""
    engine = engine_of(name)
    engine._shares()
    monkeypatch.setattr(causal, "_LEAST_TRUNK", 20)
    draw = np.random.default_rng(1)
    texts = [[*range(3, 33), *draw.integers(3, VOCABULARY, 6).tolist()] for _ in range(40)] + _texts(5, 8)
    first = [30 + at % 6 for at in range(40)] + [len(text) - 1 for text in texts[40:]]
    asked: list[int] = []
    logits = engine.blank.logits
    monkeypatch.setattr(engine.blank, "logits", lambda ids, *a, **k: (asked.append(ids.size), logits(ids, *a, **k))[1])
    _agree(engine, texts, first)
    assert asked[0] == 30
    assert sum(asked) < 30 + 40 * 6 + sum(len(text) for text in texts[40:]) + 50  # of padding


@pytest.mark.parametrize("name", ["short-sighted", "gpt_neo"])
def test_texts_beyond_what_a_layer_sees_are_not_put_into_trees(
    name: str, engine_of: Callable[[str], CausalModel]
) -> None:
    engine = engine_of(name)
    draw = np.random.default_rng(2)
    ends = [draw.integers(3, VOCABULARY, 1 + at % 4).tolist() for at in range(18)]
    texts = [[*range(3, 3 + shared), *end] for shared in (4, 9, 20, 32) for end in ends]
    _agree(engine, texts, [len(text) - 1 for text in texts], atol=1e-6)
    assert engine.shares_prefixes


@pytest.mark.parametrize(("name", "expected"), [("llama", True), ("gpt2", True), ("bloom", False), ("mamba", False)])
def test_what_shares_in_fp32_shares_in_bf16(name: str, expected: bool) -> None:
    engine = CausalModel(_loaded(move_to_device(_model(name), "bf16", "cpu")))
    texts = _texts(8, shared=25)
    found = _behind(engine, texts, [len(text) - 1 for text in texts])
    exact = _behind(CausalModel(_loaded(_model(name).double())), texts, [len(text) - 1 for text in texts])
    assert engine.shares_prefixes is expected
    assert np.mean([np.abs(found[place] - exact[place]).mean() for place in found]) < 0.1


@pytest.mark.slow
def test_goes_on_in_smaller_parts_when_the_memory_runs_out(
    engine_of: Callable[[str], CausalModel], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    engine = CausalModel(engine_of("llama").blank.loaded, batch_tokens=256)
    engine._shares()
    logits = engine.blank.logits

    def small(ids: Any, *places: Any, **inputs: Any) -> Any:
        if ids.size > 45:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return logits(ids, *places, **inputs)

    monkeypatch.setattr(engine.blank, "logits", small)
    texts = _texts(20, shared=25)
    _agree(engine, texts, [len(text) - 1 for text in texts])
    assert "out of memory" in capsys.readouterr().err
    monkeypatch.setattr(engine.blank, "logits", lambda *_, **__: small(np.zeros(99)))
    with pytest.raises(OutsideError, match="a single text"):
        _behind(engine, texts, [len(text) - 1 for text in texts])


def test_distributions_are_those_behind_the_last_tokens(engine_of: Callable[[str], CausalModel]) -> None:
    engine, texts = engine_of("llama"), _texts(9, shared=20)
    texts.append(texts[4])
    found: dict[int, Any] = {}
    rows = np.asarray([9, 3, 4, 0])

    def consume(some: Any, logits: torch.Tensor) -> None:
        found.update(zip(some.tolist(), logits.numpy(), strict=True))

    engine.distributions(Ragged.of(texts), rows, consume)
    expected = _behind(engine, [texts[at] for at in rows], [len(texts[at]) - 1 for at in rows])
    assert sorted(found) == [0, 1, 2, 3]
    for at, logits in found.items():
        np.testing.assert_allclose(logits, expected[at, len(texts[rows[at]]) - 1], atol=1e-9)


def test_nothing_to_ask_is_no_error(engine_of: Callable[[str], CausalModel]) -> None:
    assert _behind(engine_of("llama"), [], []) == {}
