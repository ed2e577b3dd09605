"""Continuations against a slow reference: one sequence each, all logits, float64."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tashika.core.errors import InputError
from tashika.core.models import LoadedModel, load_model
from tashika.evaluate.engine import likelihoods
from tashika.evaluate.engine.causal import CausalModel
from tashika.evaluate.engine.likelihoods import Case, Likelihood, score_cases

TEXTS = ["The capital of France is", "The capital of Germany is", "Where was Ada born? In", "Paris", "The cap", ""]
ENDS = [" Paris", " Berlin", " London", "ital", "itals of", " Tbilisi was born", "e"]


def _loaded(path: str) -> LoadedModel:
    loaded = load_model(path, device="cpu", dtype="fp32")
    return replace(loaded, model=loaded.model.double())


@pytest.fixture(scope="module")
def engine_of(tiny_model: Callable[[str], str]) -> Callable[[str], CausalModel]:
    """Engines in float64, made once."""
    made: dict[str, CausalModel] = {}

    def get(family: str) -> CausalModel:
        if family not in made:
            made[family] = CausalModel(_loaded(tiny_model(family)))
        return made[family]

    return get


def _reference(engine: CausalModel, text: str, ends: Sequence[str]) -> list[Likelihood]:
    tokenizer, model = engine.blank.loaded.tokenizer, engine.blank.loaded.model
    before, wholes = tokenizer(text)["input_ids"], [tokenizer(text + end)["input_ids"] for end in ends]
    seam = 0
    while all(whole[: seam + 1] == before[: seam + 1] for whole in wholes) and seam < len(before):
        seam += 1
    if seam == 0:
        wholes, seam = [[tokenizer.bos_token_id, *whole] for whole in wholes], 1
    found = []
    for whole in wholes:
        with torch.no_grad():
            logs = torch.log_softmax(model(input_ids=torch.tensor([whole])).logits[0], dim=-1)
        steps = [(logs[at - 1, whole[at]].item(), logs[at - 1].argmax() == whole[at]) for at in range(seam, len(whole))]
        found.append(Likelihood(sum(one for one, _ in steps), len(steps), all(best for _, best in steps), None))
    return found


def _same(found: Sequence[Likelihood], expected: Sequence[Likelihood]) -> None:
    assert [one[1:] for one in found] == [one[1:] for one in expected]
    np.testing.assert_allclose([one.value for one in found], [one.value for one in expected], atol=1e-9)


@pytest.mark.parametrize("family", ["llama", "gpt2"])
def test_agrees_with_the_reference(family: str, engine_of: Callable[[str], CausalModel]) -> None:
    engine = engine_of(family)
    cases = [Case(text, tuple(ENDS)) for text in TEXTS]
    for found, case in zip(score_cases(engine, cases), cases, strict=True):
        _same(found, _reference(engine, *case))
    pairs = [(text, end) for text in TEXTS for end in ENDS]
    alone = score_cases(engine, [Case(text, (end,)) for text, end in pairs])
    for found, (text, end) in zip(alone, pairs, strict=True):
        _same(found, _reference(engine, text, [end]))
    assert engine.shares_prefixes


@pytest.mark.parametrize("family", ["llama", "gpt2"])
def test_fp32_is_close_to_float64(family: str, tiny_model: Callable[[str], str]) -> None:
    engine = CausalModel(load_model(tiny_model(family), device="cpu", dtype="fp32"))
    exact = CausalModel(_loaded(tiny_model(family)))
    cases = [Case(text, tuple(ENDS)) for text in TEXTS]
    for one, other in zip(score_cases(engine, cases), score_cases(exact, cases), strict=True):
        np.testing.assert_allclose([each.value for each in one], [each.value for each in other], atol=1e-4)


def test_what_merges_over_the_seam_counts_the_end_of_the_text_for_all(engine_of: Callable[[str], CausalModel]) -> None:
    """Behind "The cap", "ital" merges with the text's end. Beside "ital", "e" counts that end as well."""
    engine = engine_of("gpt2")
    tokenizer = engine.blank.loaded.tokenizer
    text, whole = tokenizer("The cap")["input_ids"], tokenizer("The capital")["input_ids"]
    assert whole[: len(text)] != text
    ((merged, beside),) = score_cases(engine, [Case("The cap", ("ital", "e"))])
    ((alone,),) = score_cases(engine, [Case("The cap", ("e",))])
    ((end,),) = score_cases(engine, [Case("The", (" cap",))])
    assert merged.tokens == len(whole) - 1
    assert beside.tokens > alone.tokens
    assert beside.value == pytest.approx(alone.value + end.value)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_neither_order_nor_stretches_nor_batches_change_anything(
    data: st.DataObject, engine_of: Callable[[str], CausalModel]
) -> None:
    engine = engine_of(data.draw(st.sampled_from(("llama", "gpt2"))))
    case = st.builds(Case, st.sampled_from(TEXTS), st.lists(st.sampled_from(ENDS), min_size=1, max_size=4).map(tuple))
    cases = data.draw(st.lists(case, min_size=1, max_size=6))
    whole = score_cases(engine, cases)
    order = data.draw(st.permutations(range(len(cases))))
    other = CausalModel(engine.blank.loaded, batch_tokens=data.draw(st.integers(1, 100)))
    other.shares_prefixes = data.draw(st.sampled_from((None, False)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(likelihoods, "_CHARACTERS_AT_ONCE", data.draw(st.integers(1, 200)))
        done: list[int] = []
        again = score_cases(other, [cases[at] for at in order], done.append)
    assert sum(done) == len(cases)
    for at, found in zip(order, again, strict=True):
        _same(found, whole[at])


def test_what_is_asked_twice_is_scored_once(
    engine_of: Callable[[str], CausalModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = engine_of("llama")
    told: list[Any] = []
    asked: list[int] = []
    logits = engine.blank.logits
    monkeypatch.setattr(engine.blank, "logits", lambda ids, *a, **k: (asked.append(ids.size), logits(ids, *a, **k))[1])
    cases = [Case(TEXTS[0], (" Paris", " Berlin")), Case(TEXTS[2], (" London",))]
    once = score_cases(engine, cases)
    size = sum(asked)
    asked.clear()
    assert score_cases(engine, [*cases, cases[0], cases[0]], told.append) == [*once, once[0], once[0]]
    assert sum(asked) == size
    assert sum(told) == 4


def test_a_case_is_done_when_its_last_continuation_is_and_not_when_its_stretch_is(
    engine_of: Callable[[str], CausalModel],
) -> None:
    engine = CausalModel(engine_of("llama").blank.loaded, batch_tokens=8)
    engine.shares_prefixes = False
    told: list[int] = []
    score_cases(engine, [Case(text, (" Paris", " London")) for text in TEXTS[:3]], told.append)
    assert told == [1, 1, 1]


def test_too_long_is_a_problem_and_nothing_is_cut(engine_of: Callable[[str], CausalModel]) -> None:
    engine = engine_of("llama")
    ends = (" Paris", " Paris" * 60)
    ((short, long),) = score_cases(engine, [Case(TEXTS[0], ends)])
    assert long.problem == "too long"
    assert np.isnan(long.value)
    assert not long.greedy
    _same([short], _reference(engine, TEXTS[0], ends[:1]))
    tokens = engine.blank.loaded.tokenizer(TEXTS[0] + ends[1])["input_ids"]
    assert long.tokens == len(tokens) - len(engine.blank.loaded.tokenizer(TEXTS[0])["input_ids"])


def test_without_a_token_before_it_a_continuation_has_no_likelihood(tiny_model: Callable[[str], str]) -> None:
    loaded = load_model(tiny_model("gpt2"), device="cpu")
    loaded.tokenizer.bos_token = loaded.tokenizer.eos_token = None
    (first,), (second,) = score_cases(loaded, [Case("", ("Paris",)), Case("Paris", (" is",))])
    assert str(first.problem).startswith("nothing stands before it")
    assert np.isnan(first.value)
    assert second.problem is None


def test_a_token_of_the_end_that_the_tokenizer_adds_is_no_part_of_a_text(tiny_model: Callable[[str], str]) -> None:
    from tokenizers.processors import TemplateProcessing

    plain, closing = (load_model(tiny_model("llama"), device="cpu") for _ in range(2))
    end = ("</s>", closing.tokenizer.eos_token_id)
    closing.tokenizer.backend_tokenizer.post_processor = TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", closing.tokenizer.bos_token_id), end]
    )
    assert closing.tokenizer("Paris")["input_ids"][-1] == end[1]
    cases = [Case(text, (end,)) for text, end in zip(TEXTS[:2], ENDS[:2], strict=True)]
    for found, expected in zip(score_cases(closing, cases), score_cases(plain, cases), strict=True):
        _same(found, expected)


def test_output_that_is_not_a_number_is_a_problem(tiny_model: Callable[[str], str]) -> None:
    loaded = load_model(tiny_model("llama"), device="cpu")
    with torch.no_grad():
        loaded.model.lm_head.weight[:] = float("nan")
    ((found,),) = score_cases(loaded, [Case(TEXTS[0], (ENDS[0],))])
    assert found.problem == "the model's output is not a number"


def test_refuses_a_masked_model_and_an_empty_continuation(tiny_model: Callable[[str], str]) -> None:
    with pytest.raises(InputError, match="a masked model has no likelihood"):
        score_cases(load_model(tiny_model("bert"), device="cpu"), [Case("a", (" b",))])
    with pytest.raises(InputError, match="continuation is empty") as caught:
        score_cases(load_model(tiny_model("gpt2"), device="cpu"), [Case("Paris is", (" b",)), Case("Berlin is", ("",))])
    assert caught.value.where == "case 2, 'Berlin is'"


def test_nothing_to_score_is_no_error(engine_of: Callable[[str], CausalModel]) -> None:
    nothing: list[Any] = []
    assert score_cases(engine_of("llama"), nothing) == []
