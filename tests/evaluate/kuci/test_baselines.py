from __future__ import annotations

import numpy as np
import pytest

from tashika.core.errors import InputError
from tashika.evaluate.kuci import baselines
from tashika.evaluate.kuci.predictions import PREDICTIONS, scored_table
from tashika.evaluate.ways.questions import Question

GOOD = ["笑う", "喜ぶ", "眠る", "休む"]
BAD = ["走る", "叫ぶ", "泣く", "怒る", "歩く", "逃げる"]


def told_apart(count: int, seed: int) -> list[Question]:
    """Questions whose answers give themselves away: they end in words that no wrong option ends in."""
    generator = np.random.default_rng(seed)
    made = []
    for number in range(count):
        options = [str(generator.choice(BAD)) + "。" for _ in range(4)]
        answer = int(generator.integers(4))
        options[answer] = str(generator.choice(GOOD)) + "。"
        made.append(Question(f"q{number}", "雨が降ったので", tuple(options), answer))
    return made


def by_chance(count: int, seed: int) -> list[Question]:
    """Questions of which any option may be the answer."""
    generator = np.random.default_rng(seed)
    words = GOOD + BAD
    return [
        Question(f"q{number}", "雨が降ったので", tuple(generator.choice(words, 4, replace=False).tolist()), int(answer))
        for number, answer in enumerate(generator.integers(4, size=count))
    ]


def test_a_bag_of_words_finds_an_artefact() -> None:
    bag = baselines.fit_bag(told_apart(60, 0), told_apart(30, 1))
    asked = told_apart(50, 2)
    assert (baselines.highest(baselines.bag_scores(bag, asked)) == [one.answer for one in asked]).all()
    assert bag.validation_accuracy == 1.0
    assert bag.penalty == max(bag.settings.penalties)  # all do, and the largest weighs least


def test_a_bag_of_words_is_near_chance_without_one() -> None:
    asked = by_chance(200, 2)
    bag = baselines.fit_bag(by_chance(200, 0), by_chance(100, 1))
    right = int((baselines.highest(baselines.bag_scores(bag, asked)) == [one.answer for one in asked]).sum())
    assert 25 <= right <= 75


def test_the_bag_does_not_look_at_the_context() -> None:
    bag = baselines.fit_bag(told_apart(20, 0), told_apart(10, 1))
    asked = told_apart(5, 2)
    elsewhere = [one._replace(context="晴れたから") for one in asked]
    assert (baselines.bag_scores(bag, asked) == baselines.bag_scores(bag, elsewhere)).all()


def test_weights_are_where_the_loss_is_flat() -> None:
    """One feature, two questions: w solves 2 (p(w) - 1) + penalty w = 0 with p the answer's softmax."""
    questions = [Question(str(place), "", ("あ", "い", "い", "い"), 0) for place in range(2)]
    settings = baselines.BagSettings(longest=1, least=1, penalties=(1.0,))
    bag = baselines.fit_bag(questions, questions, settings)
    found = baselines.bag_scores(bag, questions)[0].astype(float)
    answer, other = bag.weights[bag.place_of["あ"]], bag.weights[bag.place_of["い"]]
    likely = np.exp(found[0]) / np.exp(found).sum()
    assert answer == pytest.approx(2 * (1 - likely), abs=1e-4)
    assert other == pytest.approx(-2 * (1 - likely), abs=1e-4)


def test_n_grams_mark_the_ends() -> None:
    assert dict(baselines.n_grams("ああ", 2)) == {"^": 1, "あ": 2, "$": 1, "^あ": 1, "ああ": 1, "あ$": 1}


def test_rules() -> None:
    questions = [
        Question("1", "お腹が空いたので", ("走る", "お腹を満たす", "寝る", "泣く"), 1),
        Question("2", "眠いので", ("とても長い道を歩く", "寝る", "眠る", "笑う"), 2),
    ]
    assert baselines.highest(baselines.longest_scores(questions)).tolist() == [1, 0]
    assert baselines.highest(baselines.shortest_scores(questions)).tolist() == [0, 1]
    assert baselines.highest(baselines.overlap_scores(questions)).tolist() == [1, 2]
    train = [questions[1], questions[1], questions[0]]
    assert baselines.highest(baselines.place_scores(train, questions)).tolist() == [2, 2]
    seen = [
        Question("3", "", ("走る", "お腹を満たす", "寝る", "寝る"), 0),
        Question("4", "", ("寝る", "走る", "眠る", "笑う"), 0),
    ]
    assert baselines.unseen_scores(seen, questions).tolist() == [[-2, -1, -3, 0], [0, -3, -1, -1]]


def test_untrained_rules_look_at_no_training_question() -> None:
    asked, others = by_chance(20, 0), by_chance(20, 1)
    for name in baselines.UNTRAINED:
        assert (baselines.RULES[name](others, asked) == baselines.RULES[name]([], asked)).all()


def test_an_empty_context_or_option_is_like_nothing() -> None:
    scores = baselines.overlap_scores([Question("1", "", ("あ", "い", "", "う"), 0)])
    assert (scores == 0).all()


def test_no_questions_are_said() -> None:
    some = by_chance(3, 0)
    with pytest.raises(InputError, match="no validation questions"):
        baselines.fit_bag(some, [])
    with pytest.raises(InputError, match="different numbers"):
        baselines.fit_bag(some, [some[0]._replace(options=("あ", "い"))])


def test_predictions_as_a_table() -> None:
    questions = by_chance(2, 0)
    scores = np.asarray([[0, 3, 1, 3], [0, 0, np.nan, 0]])
    table = scored_table(questions, scores, split="test", conditions="both", seed=2, problems="too long")
    assert table.schema == PREDICTIONS
    first, second = table.to_pylist()
    assert first["choice"] == 1
    assert first["correct"] == (questions[0].answer == 1)
    assert first["problem"] is None
    assert (second["choice"], second["correct"], second["scores"], second["problem"]) == (None, None, None, "too long")
