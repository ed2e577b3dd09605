from __future__ import annotations

from collections import Counter
from itertools import permutations, product
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tashika.builders.kuci.questions.balance import able, balanced
from tashika.builders.kuci.questions.even import Draft


def draft(bins: Any, answers: Any = None, events: Any = None) -> Draft:
    """Questions that each answer a text of their own, unless others are named."""
    table = np.array(bins, dtype=np.int8)
    texts = table.shape[1]
    own = np.arange(len(table)) if answers is None else np.array(answers)
    return Draft(
        answers=own,
        bins=table,
        picks=np.zeros((len(table), 3), dtype=np.int64),
        among=np.zeros((texts, texts), dtype=np.int64),
        characters=np.zeros(texts, dtype=np.int64),
        events=np.full(texts, -1) if events is None else np.array(events),
    )


def prices(given_draft: Draft, seed: int = 0) -> Any:
    return np.random.default_rng(seed).integers(0, 2**31, given_draft.bins.shape)


FOUR = [[-1, 0, 1, 2], [0, -1, 1, 2], [0, 1, -1, 2], [0, 1, 2, -1]]
"""Four questions that have the others' answers as their wrong options."""


def test_four_texts_are_wrong_options_of_each_other() -> None:
    made = draft(FOUR)
    kept, picks = balanced(made, prices(made))
    assert kept.all()
    assert picks.tolist() == [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]]


def test_the_cheapest_assignment_is_taken() -> None:
    """Five questions: of those in which each text is used three times, the one of the smallest sum, by trying all."""
    bins = [[-1 if text == own else (text - own) % 5 % 3 for text in range(5)] for own in range(5)]
    made = draft(bins)
    for seed in range(4):
        costs = prices(made, seed)
        kept, picks = balanced(made, costs)
        options = [
            [trio for trio in permutations(range(5), 3) if [bins[own][text] for text in trio] == [0, 1, 2]]
            for own in range(5)
        ]
        sums = {
            trios: sum(int(costs[own, text]) for own, trio in enumerate(trios) for text in trio)
            for trios in product(*options)
            if set(Counter(text for trio in trios for text in trio).values()) == {3}
        }
        assert kept.all()
        assert tuple(map(tuple, picks.tolist())) == min(sums, key=lambda trios: sums[trios])


def test_a_text_that_is_too_seldom_a_candidate_takes_its_question_along() -> None:
    """A fifth question may have the four others, and is a candidate of none."""
    made = draft([*[[*row, -1] for row in FOUR], [0, 1, 2, -1, -1]])
    kept, picks = balanced(made, prices(made))
    assert kept.tolist() == [True] * 4 + [False]
    assert not (picks[:4] == 4).any()
    assert able(made.bins).all()


def test_questions_without_a_candidate_in_a_bin_are_not_able() -> None:
    assert able(np.array([*FOUR, [0, 1, 1, -1], [-1, -1, -1, -1]], dtype=np.int8)).tolist() == [True] * 4 + [False] * 2


def test_candidates_that_are_left_are_divided_anew() -> None:
    """Once the fifth is out, the first has no high one unless its candidates are divided again."""
    made = draft([[-1, 0, 0, 1, 2], *[[*row, -1] for row in FOUR[1:]], [-1, -1, 0, 1, -1]])

    def regroup(kept: Any) -> Any:
        assert kept.tolist() == [True] * 4 + [False]
        return np.array([*[[*row, -1] for row in FOUR], [-1] * 5], dtype=np.int8)

    assert balanced(made, prices(made), regroup)[0].tolist() == [True] * 4 + [False]
    assert not balanced(made, prices(made))[0].any()


def test_an_answer_of_two_questions_is_a_wrong_option_six_times() -> None:
    """Two contexts with one answer: eight texts so that each has enough candidates."""
    answers = [0, 0, *range(1, 8)]
    table = [[-1 if text == own else (text + number) % 3 for text in range(8)] for number, own in enumerate(answers)]
    made = draft(table, answers)
    kept, picks = balanced(made, prices(made))
    used = Counter(picks[kept].ravel().tolist())
    right = Counter(np.array(answers)[kept].tolist())
    assert kept.sum() >= 6
    assert all(used[text] == 3 * right[text] for text in range(8))


def test_no_question_has_two_options_of_one_event() -> None:
    """Texts 1 and 2 share an event, so the first question may have one of them, and 4 or 5 in the other's place."""
    size = 9
    bins = [[-1 if text == own else (text * 7 + own) % 3 for text in range(size)] for own in range(size)]
    made = draft(bins, events=[-1, 5, 5, -1, 7, 7, -1, -1, -1])
    kept, picks = balanced(made, prices(made))
    for row in picks[kept]:
        events = [event for event in made.events[row] if event >= 0]
        assert len(set(events)) == len(events)
    used = Counter(picks[kept].ravel().tolist())
    assert all(used[text] == 3 for text in np.flatnonzero(kept))


@settings(max_examples=60)
@given(st.integers(1, 14), st.integers(0, 10**6), st.floats(0.2, 1), st.integers(-1, 2))
def test_whoever_is_kept_is_used_alike(count: int, seed: int, share: float, event: int) -> None:
    random = np.random.default_rng(seed)
    answers = random.integers(0, count, count + 2)
    bins = np.where(random.random((count + 2, count)) < share, random.integers(0, 3, (count + 2, count)), -1)
    bins[np.arange(count + 2), answers] = -1
    made = draft(bins, answers, random.integers(-1, 1 + event, count) if event >= 0 else None)
    kept, picks = balanced(made, prices(made, seed))
    used, right = Counter(picks[kept].ravel().tolist()), Counter(made.answers[kept].tolist())
    assert all(used[text] == 3 * right[text] for text in range(count))
    for number in np.flatnonzero(kept):
        assert [made.bins[number, text] for text in picks[number]] == [0, 1, 2]
    again = balanced(made, prices(made, seed))
    assert (again[0] == kept).all()
    assert (again[1][kept] == picks[kept]).all()
