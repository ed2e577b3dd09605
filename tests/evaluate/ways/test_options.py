"""Questions with options: scores against single sequences, letters, and what is chosen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from tashika.core.errors import InputError
from tashika.core.models import load_model
from tashika.evaluate.engine.causal import CausalModel
from tashika.evaluate.engine.likelihoods import Case, score_cases
from tashika.evaluate.ways.options import Choice, OptionScore, letter_prompt, pick, score_letters, score_options

CITIES = ("Paris", "Berlin", "Tbilisi", "City of Light")
CHOICES = [
    Choice("Ada was born in London.", "The capital of France is", CITIES),
    Choice("", "The capital of France is", CITIES),
    Choice("Ada was born in London.", "Ada was born in", ("London", "Paris")),
]


def _score(value: float, tokens: int = 1, characters: int = 1, problem: str | None = None) -> OptionScore:
    return OptionScore(value, tokens, characters, False, problem)


@pytest.mark.parametrize("family", ["llama", "gpt2"])
def test_an_option_is_scored_behind_its_context_and_question(family: str, tiny_model: Callable[[str], str]) -> None:
    model = CausalModel(load_model(tiny_model(family), device="cpu"))
    found = score_options(model, CHOICES)
    texts = {0: "Ada was born in London.\nThe capital of France is", 1: "The capital of France is"}
    for at, text in texts.items():
        expected = [one for (one,) in score_cases(model, [Case(text, (f" {option}",)) for option in CITIES])]
        assert [one.log_likelihood for one in found[at]] == pytest.approx([one.value for one in expected], abs=1e-4)
        assert [(one.tokens, one.greedy) for one in found[at]] == [(one.tokens, one.greedy) for one in expected]
    assert [one.characters for one in found[0]] == [5, 6, 7, 13]
    assert [len(row) for row in found] == [4, 4, 2]


def test_takes_a_loaded_model_and_other_seams(tiny_model: Callable[[str], str]) -> None:
    loaded = load_model(tiny_model("gpt2"), device="cpu")
    told: list[Any] = []
    (row,) = score_options(loaded, CHOICES[:1], between=" ", before_option="", advance=told.append)
    ((expected,),) = score_cases(loaded, [Case("Ada was born in London. The capital of France is", ("Paris",))])
    assert row[0].log_likelihood == pytest.approx(expected.value, abs=1e-4)
    assert told == [1]


def test_a_letter_prompt_lists_the_options() -> None:
    assert letter_prompt(CHOICES[2]) == "Ada was born in London.\nAda was born in\nA. London\nB. Paris\nAnswer:"
    listed = letter_prompt(Choice("", "首都は？", ("東京", "京都")), cue="答え：", letters="アイ")
    assert listed == "首都は？\nア. 東京\nイ. 京都\n答え："


def test_a_letter_is_as_likely_as_both_its_forms(tiny_model: Callable[[str], str]) -> None:
    loaded = load_model(tiny_model("gpt2"), device="cpu")
    choice = Choice("", "Ada?", ("x", "y", "z"))
    letters = "FLD"  # of the tiny vocabulary's tokens these have a form with a space
    prompt = letter_prompt(choice, letters=letters)
    ids = loaded.tokenizer(prompt)["input_ids"]
    forms = [[loaded.tokenizer(prompt + space + letter)["input_ids"] for space in (" ", "")] for letter in letters]
    with torch.no_grad():
        chance = torch.softmax(loaded.model(input_ids=torch.tensor([ids])).logits[0, -1].double(), dim=-1)
    expected = []
    for both in forms:
        assert [row[:-1] for row in both] == [ids, ids]
        expected.append(float(np.log(sum(chance[row[-1]].item() for row in both))))
    (found,) = score_letters(loaded, [choice], letters=letters)
    assert [one.log_likelihood for one in found] == pytest.approx(expected, abs=1e-4)
    assert {one.problem for one in found} == {None}


def test_letters_need_the_head_at_one_place_of_each_prompt(
    tiny_model: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = CausalModel(load_model(tiny_model("gpt2"), device="cpu"))
    model._shares()
    places: list[int] = []
    logits = model.blank.logits
    monkeypatch.setattr(
        model.blank, "logits", lambda ids, rows, *a, **k: (places.append(len(rows)), logits(ids, rows, *a, **k))[1]
    )
    short = [Choice("", question, ("x", "y")) for question in ("Ada?", "Zola?", "London?")]
    score_letters(model, short, letters="FL")
    assert sum(places) == 3


def test_picks_by_the_sum_by_token_or_by_character() -> None:
    scores = [_score(-4.0, tokens=1, characters=3), _score(-6.0, tokens=3, characters=4), _score(-5.0, 2, 20)]
    assert pick(scores) == 0
    assert pick(scores, "token") == 1
    assert pick(scores, "character") == 2


def test_picks_the_first_of_equals_and_nothing_where_one_has_no_likelihood() -> None:
    assert pick([_score(-2.0), _score(-1.0), _score(-1.0)]) == 1
    assert pick([_score(-2.0), _score(float("nan"), problem="too long")]) is None
    assert pick([]) is None


def test_too_long_is_a_problem_of_its_option(tiny_model: Callable[[str], str]) -> None:
    loaded = load_model(tiny_model("llama"), device="cpu")
    (row,) = score_options(loaded, [Choice("", "The capital of France is", ("Paris", "Paris " * 60 + "Paris"))])
    assert [one.problem for one in row] == [None, "too long"]
    assert np.isnan(row[1].log_likelihood)
    (letters,) = score_letters(loaded, [Choice("", "Ada? " * 60, ("Paris", "London"))])
    assert {one.problem for one in letters} == {"too long"}
    assert pick(row) is pick(letters) is None


@pytest.mark.parametrize(
    ("options", "message"),
    [((), "needs a list of options"), ("Paris", "needs a list of options"), (("Paris", " "), "an option is empty")],
)
def test_refuses_choices_that_cannot_be_scored(
    options: tuple[str, ...], message: str, tiny_model: Callable[[str], str]
) -> None:
    loaded = load_model(tiny_model("llama"), device="cpu")
    for score in (score_options, score_letters):
        with pytest.raises(InputError, match=message) as caught:
            score(loaded, [CHOICES[0], Choice("", "The capital", options)])
        assert caught.value.where == "choice 2, 'The capital'"


def test_refuses_more_options_than_letters_a_masked_model_and_an_unknown_norm(tiny_model: Callable[[str], str]) -> None:
    with pytest.raises(InputError, match="4 options, and letters for 2"):
        score_letters(load_model(tiny_model("llama"), device="cpu"), CHOICES[:1], letters="AB")
    with pytest.raises(InputError, match="a masked model"):
        score_options(load_model(tiny_model("bert"), device="cpu"), CHOICES)
    with pytest.raises(InputError, match="unknown normalisation 'word'"):
        pick([_score(-1.0)], "word")  # type: ignore[arg-type]
