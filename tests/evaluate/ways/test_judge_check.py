"""Whether a judge can judge: verdicts by hand, usual checkpoints' labels in any order, refusals that say what to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import permutations, product
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.core.errors import InputError
from tashika.core.suites.proverbs.words import LANGUAGES, language_of
from tashika.evaluate.ways.entailment import entailment_label, label_names
from tashika.evaluate.ways.judge_check import LABELS, Given, Label, Probabilities, labelled_pairs, measured, require_fit

GOLD: list[Label] = [pair.label for pair in labelled_pairs("en")]
USUAL = {
    "roberta-large-mnli": ("CONTRADICTION", "NEUTRAL", "ENTAILMENT"),
    "bart-large-mnli": ("contradiction", "neutral", "entailment"),
    "DeBERTa-v3-base-mnli-fever-anli": ("entailment", "neutral", "contradiction"),
    "cross-encoder/nli-deberta-v3-base": ("contradiction", "entailment", "neutral"),
    "two labels": ("entailment", "not_entailment"),
    "two labels, other order": ("not_entailment", "entailment"),
    "Japanese": ("含意", "矛盾", "中立"),
}


def shares(gold: Sequence[Label], outputs: Sequence[str], wrong: int = 0) -> Probabilities:
    """What a classifier with these outputs gives: .8 to the true label, but for the first `wrong` pairs of each."""
    seen: Counter[str] = Counter()
    rows = []
    for label in gold:
        seen[label] += 1
        said = label if seen[label] > wrong else LABELS[(LABELS.index(label) + 1) % 3]
        if set(outputs) == {"entailment", "not_entailment"}:
            said_two = "entailment" if said == "entailment" else "not_entailment"
            rows.append([0.8 if output == said_two else 0.2 for output in outputs])
        else:
            rows.append([0.8 if output == said else 0.1 for output in outputs])
    return np.asarray(rows)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_pairs_are_whole_and_in_their_language(language: str) -> None:
    pairs = labelled_pairs(language)
    assert Counter(pair.label for pair in pairs) == dict.fromkeys(LABELS, 16)
    assert len({pair.pair for pair in pairs}) == 48
    assert Counter(Counter(pair.premise for pair in pairs).values()) == {3: 16}
    assert {language_of(text) for pair in pairs for text in pair.pair} == {language}


def test_a_language_without_pairs_is_named() -> None:
    with pytest.raises(InputError, match="found no pairs in 'fr'; there are some in en, ja"):
        labelled_pairs("fr")


@pytest.mark.parametrize("labels", USUAL.values(), ids=USUAL)
def test_usual_checkpoints_labels_are_read_in_any_order(labels: tuple[str, ...]) -> None:
    config = SimpleNamespace(id2label=dict(enumerate(labels)), label2id={name: n for n, name in enumerate(labels)})
    assert label_names(config, "m") == labels
    place = entailment_label(labels, "m")
    names = {"含意": "entailment", "矛盾": "contradiction", "中立": "neutral"}
    outputs = [names.get(label, label.casefold()) for label in labels]
    check = measured("en", GOLD, Given(labels, place, shares(GOLD, outputs)))
    assert (check.verdict, check.right, check.area) == ("passed", 48, 1.0)
    assert check.confusion["entailment"]["entailment"] == 16
    assert check.chance == pytest.approx(1 / 3 if len(labels) == 3 else 2 / 3)  # by one answer to all pairs


@pytest.mark.parametrize("count", [2, 3])
def test_labels_without_names_are_refused_with_what_to_do(count: int) -> None:
    labels = {place: f"LABEL_{place}" for place in range(count)}
    config = SimpleNamespace(id2label=labels, label2id={name: place for place, name in labels.items()})
    with pytest.raises(InputError, match=r"have no names: LABEL_0, LABEL_1") as caught:
        label_names(config, "textattack/bert-base-uncased-MNLI")
    assert "Its card has the order that it was trained with" in str(caught.value.hint)


@pytest.mark.parametrize("order", list(permutations(LABELS)))
def test_whatever_order_a_config_says_only_a_wrong_entailment_is_turned_round(order: tuple[Label, ...]) -> None:
    """The model's outputs are in the order of `LABELS`; its config calls them by another order."""
    given = Given(order, order.index("entailment"), shares(GOLD, LABELS))
    check = measured("en", GOLD, given)
    if order[0] == "entailment":
        assert check.verdict == "passed"
        assert check.right == (48 if order == LABELS else 16)
    else:
        assert check.verdict == "turned round"
        assert check.takes_for_entailment == order[0]
        with pytest.raises(InputError, match=f"turned round.*its label '{order[0]}' ranks them") as caught:
            require_fit(check, "m", may_fail=False)
        assert "id2label" in str(caught.value.hint)
        assert "weak_judge = true" in str(caught.value.hint)


def test_two_labels_turned_round() -> None:
    given = Given(("not_entailment", "entailment"), 1, shares(GOLD, ("entailment", "not_entailment")))
    check = measured("en", GOLD, given)
    assert (check.verdict, check.takes_for_entailment, check.right) == ("turned round", "not_entailment", 0)


def test_guessing_and_constants_are_at_chance_and_may_be_used_on_request() -> None:
    drawn = np.random.default_rng(3).dirichlet(np.ones(3), len(GOLD))
    for values in (drawn, np.full((len(GOLD), 3), 1 / 3)):
        check = measured("en", GOLD, Given(LABELS, 0, values))
        assert check.verdict == "at chance"
        with pytest.raises(InputError, match=r"no better than chance: .* of 48 hand-written pairs right"):
            require_fit(check, "m", may_fail=False)
        assert require_fit(check, "m", may_fail=True).went_on
    assert (check.area, check.p) == (0.5, 1.0)


def test_a_fair_judge_passes_and_its_slips_are_counted() -> None:
    """Three of each label are taken for the next one."""
    check = measured("en", GOLD, Given(LABELS, 0, shares(GOLD, LABELS, wrong=3)))
    assert (check.verdict, check.right) == ("passed", 39)
    assert check.confusion == {
        "entailment": {"entailment": 13, "neutral": 3, "contradiction": 0},
        "neutral": {"entailment": 0, "neutral": 13, "contradiction": 3},
        "contradiction": {"entailment": 3, "neutral": 0, "contradiction": 13},
    }
    # Of 16 x 32 comparisons 13 x 29 are won, 13 x 3 and 3 x 29 tied, 3 x 3 lost.
    assert check.area == pytest.approx((13 * 29 + (13 * 3 + 3 * 29) / 2) / (16 * 32))
    assert not require_fit(check, "m", may_fail=True).went_on


@given(st.lists(st.tuples(st.sampled_from(LABELS), st.integers(0, 9)), min_size=2, max_size=30))
def test_the_area_is_the_share_of_comparisons_that_are_won(drawn: list[tuple[Label, int]]) -> None:
    gold = [label for label, _ in drawn]
    if len({label == "entailment" for label in gold}) < 2:
        return
    yes = np.asarray([value / 10 for _, value in drawn])
    check = measured("en", gold, Given(("yes", "no"), 0, np.stack([yes, 1 - yes], axis=1)))
    follow = [value for label, value in drawn if label == "entailment"]
    others = [value for label, value in drawn if label != "entailment"]
    won = sum((one > other) + (one == other) / 2 for one, other in product(follow, others))
    assert check.area == pytest.approx(won / (len(follow) * len(others)))
    assert check.right == sum((value >= 5) == (label == "entailment") for label, value in drawn)
