"""Any texts with a blank, against plain sums over full logits in float64."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import torch

from tashika.core.errors import InputError
from tashika.core.models import LoadedModel, load_model
from tashika.evaluate.engine.blanks import BlankScores, score_blanks
from tashika.evaluate.engine.distributions import Keep, Top, describe
from tashika.evaluate.engine.model import model_of

TEXTS = ["The capital of France is {}", "Ada was born in {}", "The capital of France is {}", "Paris is {}", "{} and {}"]


def _loaded(path: str) -> LoadedModel:
    loaded = load_model(path, device="cpu", dtype="fp32")
    return replace(loaded, model=loaded.model.double())


def _ids(loaded: LoadedModel) -> list[list[int]]:
    mask = loaded.tokenizer.mask_token if loaded.kind == "masked" else ""
    return [loaded.tokenizer(text.replace("{}", mask).strip())["input_ids"] for text in TEXTS]


def _logits(loaded: LoadedModel, ids: list[int]) -> torch.Tensor:
    place = ids.index(loaded.tokenizer.mask_token_id) if loaded.kind == "masked" else len(ids) - 1
    with torch.no_grad():
        found: torch.Tensor = loaded.model(input_ids=torch.tensor([ids])).logits[0, place]
    return found


def _by_hand() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Two texts over five tokens, the second with all mass on two of them."""
    logits = torch.log(torch.tensor([[0.4, 0.1, 0.2, 0.2, 0.1], [0.5, 0.0, 0.5, 0.0, 0.0]], dtype=torch.float64))
    return logits, torch.tensor([2, 4, 0]), torch.tensor([0, 0, 1])


def test_a_worked_example() -> None:
    found = describe(*_by_hand(), Keep(top=2, entropy=True), torch.from_numpy)
    assert found.rank.tolist() == [2, 4, 1]  # a tie does not push down
    assert found.log_probability.exp().tolist() == pytest.approx([0.2, 0.1, 0.5])
    assert found.top_tokens[0, 0] == 0
    assert found.top_log_probabilities.exp()[0].tolist() == pytest.approx([0.4, 0.2])
    # -(.4 ln .4 + 2 × .2 ln .2 + 2 × .1 ln .1) and ln 2
    assert found.entropy.tolist() == pytest.approx([1.470808, 0.693147], abs=1e-6)


def test_a_worked_example_over_a_restricted_vocabulary() -> None:
    keep = Keep(top=3, entropy=True, vocabulary=np.asarray([0, 2, 4]))
    found = describe(*_by_hand(), keep, torch.from_numpy)
    assert found.rank.tolist() == [2, 3, 1]
    # .4, .2, .1 of .7; and .5, .5, 0 of 1
    assert found.log_probability.exp().tolist() == pytest.approx([2 / 7, 1 / 7, 0.5])
    assert found.top_tokens[0].tolist() == [0, 2, 4]
    # -(4/7 ln 4/7 + 2/7 ln 2/7 + 1/7 ln 1/7)
    assert found.entropy.tolist() == pytest.approx([0.955700, 0.693147], abs=1e-6)


@pytest.mark.parametrize("family", ["bert", "roberta", "albert", "llama", "gpt2"])
@pytest.mark.parametrize("restricted", [False, True])
def test_agrees_with_full_logits(family: str, restricted: bool, tiny_model: Callable[[str], str]) -> None:
    loaded = _loaded(tiny_model(family))
    texts = _ids(loaded)
    size = int(loaded.model.config.vocab_size)
    vocabulary = np.arange(5, size, 3) if restricted else np.arange(size)
    candidates = [[int(vocabulary[place]) for place in places] for places in ([1, 4], [], [9, 1], [3], [2])]
    found = score_blanks(
        model_of(loaded), texts, candidates, Keep(top=4, entropy=True, vocabulary=vocabulary if restricted else None)
    )
    asked = 4 if loaded.kind == "masked" else 5
    assert found.reasons()[:4] == [None] * 4
    assert (found.reasons()[4] is None) is (asked == 5)  # two masks are no single blank
    for text in range(asked):
        kept = torch.log_softmax(_logits(loaded, texts[text])[torch.from_numpy(vocabulary)], dim=-1).numpy()
        order = np.argsort(-kept, kind="stable")
        begin, count = int(found.candidate_start[text]), int(found.candidate_count[text])
        places = np.searchsorted(vocabulary, candidates[text])
        assert count == len(candidates[text])
        assert found.rank[begin : begin + count].tolist() == [1 + int((kept > kept[one]).sum()) for one in places]
        np.testing.assert_allclose(found.log_probability[begin : begin + count], kept[places], atol=1e-4)
        assert found.top_tokens[text].tolist() == vocabulary[order[:4]].tolist()
        np.testing.assert_allclose(found.top_log_probabilities[text], kept[order[:4]], atol=1e-4)
        assert found.entropy[text] == pytest.approx(-float((np.exp(kept) * kept).sum()), abs=1e-4)


def test_equal_texts_are_run_once_and_order_changes_nothing(
    tiny_model: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = _loaded(tiny_model("bert"))
    texts, model = _ids(loaded)[:4], model_of(loaded)
    ran: list[int] = []
    logits = model.blank.logits
    monkeypatch.setattr(model.blank, "logits", lambda ids, *rest: (ran.append(len(ids)), logits(ids, *rest))[1])

    def scored(order: list[int]) -> BlankScores:
        return score_blanks(model, [texts[one] for one in order], [[10 + one] for one in order], Keep(top=1))

    one, other = scored([0, 1, 2, 3]), scored([3, 2, 0, 1])
    assert sum(ran) == 6
    np.testing.assert_array_equal(one.rank[[3, 2, 0, 1]], other.rank)
    np.testing.assert_allclose(one.log_probability[[3, 2, 0, 1]], other.log_probability, rtol=1e-6)


def test_what_cannot_be_asked_is_told(tiny_model: Callable[[str], str]) -> None:
    loaded = _loaded(tiny_model("bert"))
    mask = loaded.tokenizer.mask_token_id
    done: list[int] = []
    found = score_blanks(
        model_of(loaded), [[5, 6], [mask, *[7] * 600], [5, mask]], [[8], [8], [8]], Keep(top=1), done.append
    )
    assert found.reasons() == ["not exactly one blank", "too long", None]
    assert found.rank.tolist()[:2] == [0, 0]
    assert np.isnan(found.log_probability[:2]).all()
    assert found.top_tokens[:2].tolist() == [[-1], [-1]]
    assert sum(done) == 3


def test_output_that_is_not_a_number_is_told(tiny_model: Callable[[str], str]) -> None:
    loaded = _loaded(tiny_model("bert"))
    with torch.no_grad():
        loaded.model.cls.predictions.bias[:] = float("nan")
    found = score_blanks(model_of(loaded), _ids(loaded)[:2], [[8], [8]])
    assert found.reasons() == ["the model's output is not a number"] * 2
    assert found.rank.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("candidates", "vocabulary", "message"),
    [
        ([[99_999]], None, "a candidate outside 0 to"),
        ([[-1]], None, "a candidate outside 0 to"),
        ([[4]], [3, 5], "1 candidates are not in the restricted vocabulary, such as 4"),
        ([[3]], [5, 3], "must be sorted"),
        ([[3]], [3, 3], "must be sorted"),
        ([[]], [], "must be sorted"),
        ([[3]], [3, 99_999], "a vocabulary's token outside 0 to"),
        ([[3], [4]], None, "found 1 texts and candidates for 2"),
    ],
)
def test_bad_candidates_are_refused(
    candidates: list[list[int]], vocabulary: list[int] | None, message: str, tiny_model: Callable[[str], str]
) -> None:
    loaded = _loaded(tiny_model("bert"))
    keep = Keep(vocabulary=None if vocabulary is None else np.asarray(vocabulary, dtype=np.int64))
    with pytest.raises(InputError, match=message):
        score_blanks(model_of(loaded), _ids(loaded)[:1], candidates, keep)


def test_no_texts_are_no_work(tiny_model: Callable[[str], str]) -> None:
    found = score_blanks(model_of(_loaded(tiny_model("bert"))), [], [])
    assert (len(found.rank), found.reasons()) == (0, [])


@pytest.mark.parametrize("family", ["bert", "gpt2"])
def test_other_vocabularies_have_tops_of_their_own_of_one_pass(family: str, tiny_model: Callable[[str], str]) -> None:
    loaded = _loaded(tiny_model(family))
    texts = _ids(loaded)[:4]
    size = int(loaded.model.config.vocab_size)
    odd, even = np.arange(1, size, 2), np.arange(0, size, 2)
    found = score_blanks(
        model_of(loaded),
        texts,
        [()] * 4,
        Keep(top=3, vocabulary=odd, further=(Top(2, even), Top(4), Top(99, even[:3]))),
    )
    assert [kept.shape for kept in (found.top_tokens, *found.further)] == [(4, 3), (4, 2), (4, 4), (4, 3)]
    for row, ids in enumerate(texts):
        logits = _logits(loaded, ids).numpy()
        order = np.argsort(-logits, kind="stable")
        for kept, tokens in zip((found.top_tokens, *found.further), (odd, even, order, even[:3]), strict=True):
            assert kept[row].tolist() == [token for token in order if token in tokens][: kept.shape[1]]


def test_a_further_vocabulary_of_another_model_is_refused(tiny_model: Callable[[str], str]) -> None:
    loaded = _loaded(tiny_model("bert"))
    for wrong, message in ((np.asarray([10**6]), "vocabulary's token outside"), (np.asarray([3, 3]), "must be sorted")):
        with pytest.raises(InputError, match=message):
            score_blanks(model_of(loaded), _ids(loaded)[:1], [()], Keep(top=1, further=(Top(1, wrong),)))
