from __future__ import annotations

import math

import numpy as np
import pytest

from tashika.core.errors import InputError
from tashika.evaluate.kuci.baselines import answers_of, highest, least_used_scores, likeliest_scores, text_likelihoods
from tashika.evaluate.kuci.clues import (
    CLUES,
    clue_scores,
    form_features,
    length_features,
    likelihood_features,
    reuse_features,
    style_features,
)
from tashika.evaluate.kuci.questions import KuciQuestion

NOW, PAST = "non-past plain statement", "past plain statement"
MARKERS = {"because": "ので", "if": "〜ば"}


def asked(options: tuple[str, ...], answer: int = 0, forms: tuple[str, ...] = (), pair: str = "if") -> KuciQuestion:
    return KuciQuestion("q", "雨が降れば", options, answer, (1.0,) * 4, "condition", pair, forms)


def test_features_by_hand() -> None:
    question = asked(("食べた", "傘を差す", "眠る", "眠る"), forms=(PAST, NOW, NOW, NOW))
    [forms] = form_features([question], MARKERS)
    marker = "condition 〜ば"
    assert forms[0] == ["past", "plain", "statement", f"{marker} past", f"{marker} plain", f"{marker} statement"]
    assert forms[1][0] == "non-past"
    [lengths] = length_features([question], MARKERS)
    assert lengths == [["1 steps", "1 above 1"], ["1 steps", "0 above 1"], *[["0 steps", "2 above 2"]] * 2]
    [styles] = style_features([asked(("水、飲む", "ドアー", "二〇", "A"))], MARKERS)
    assert styles[0] == ["ends in む", "ends in 飲む", "2 quarters kanji", "signs"]
    assert styles[1][2:] == ["0 quarters kanji", "katakana", "signs"]
    assert styles[3][-1] == "latin"
    [reuse] = reuse_features([question], MARKERS)
    assert reuse == [["1 times", "2 above 2"]] * 2 + [["2 times", "0 above 2"]] * 2


def test_the_likelihood_of_a_text_by_hand() -> None:
    """Two texts, ああ and い: of あ, い and the end three letters, counted 2, 1 and 2."""
    [row] = text_likelihoods([("ああ", "い", "ああ", "い")])
    first = (1 + (1 + (2 + 1 / 3) / 6) / 3) / 3  # behind two beginnings, one of two is あ; of one beginning the same
    second = (1 + (1 + (2 + 1 / 3) / 6) / 3) / 2  # behind ^あ, one of one; behind あ, one of two
    end = (1 + (1 + (2 + 1 / 3) / 6) / 3) / 2
    assert row[0] == pytest.approx((math.log(first) + math.log(second) + math.log(end)) / 3)
    assert row[0] == row[2]
    [features] = likelihood_features([asked(("ああ", "い", "う", "え"))], {})
    assert features[2][1] == features[3][1]


def test_rules_by_use_and_likelihood() -> None:
    questions = [asked(("あ", "い", "う", "え")), asked(("い", "う", "え", "お"))]
    shown = [one.asked for one in questions]
    assert least_used_scores(shown).tolist() == [[-1, -2, -2, -2], [-2, -2, -2, -1]]
    often = [asked(("雨が降る", "雨が止む", "雨が強い", "ゑゐヱ")).asked]
    assert highest(-likeliest_scores(often)).tolist() == [3]


def told_apart(count: int, seed: int) -> list[KuciQuestion]:
    """After a condition the answer alone is not past; after a cause it alone is."""
    random = np.random.default_rng(seed)
    questions = []
    for _ in range(count):
        answer, pair = int(random.integers(4)), str(random.choice(["if", "because"]))
        right, wrong = (NOW, PAST) if pair == "if" else (PAST, NOW)
        forms = tuple(right if place == answer else wrong for place in range(4))
        texts = tuple(str(random.integers(10**6)) for _ in range(4))
        questions.append(asked(texts, answer, forms, pair))
    return questions


def test_the_form_beside_the_marker_is_learned_and_nothing_else_is() -> None:
    train, test = told_apart(80, 0), told_apart(40, 1)
    right = {clue: (highest(clue_scores(clue, train, test, MARKERS)) == answers_of(test)).mean() for clue in CLUES}
    assert right.pop("form by marker") == 1.0
    assert all(share < 0.6 for share in right.values())


@pytest.mark.parametrize("clue", CLUES)
def test_texts_that_are_used_alike_teach_nothing(clue: str) -> None:
    """Four texts, each right once: any feature is as frequent in answers as in wrong options, so its weight is 0.

    Ranks among the four are no exception, since the four stand together.
    """
    texts, forms = ("雨が降った", "傘を差す", "ドアを開ける", "眠い"), (PAST, NOW, NOW, NOW)
    train = [asked(texts, answer, forms) for answer in range(4)]
    scores = clue_scores(clue, train, train, MARKERS)
    assert scores == pytest.approx(np.zeros((4, 4)), abs=1e-6)


def test_what_is_missing_is_said() -> None:
    old = [asked(("あ", "い", "う", "え"))]
    with pytest.raises(InputError, match="what form its options have"):
        clue_scores("form by marker", old, old, MARKERS)
    with pytest.raises(InputError, match="no training questions"):
        clue_scores("length", [], old, MARKERS)
