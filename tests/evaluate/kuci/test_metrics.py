"""KUCI's numbers: by hand on a few predictions, bounds and symmetries on any."""

from collections.abc import Sequence
from math import comb

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.core.errors import InputError
from tashika.core.suites.kuci.words import Conditions
from tashika.evaluate.kuci.metrics import MeasureSettings, Row, against_chance, binomial_p, compare, measure
from tashika.evaluate.kuci.predictions import PREDICTIONS
from tashika.evaluate.kuci.questions import KuciQuestion
from tashika.evaluate.statistics.inference import wilson_interval

FEW = MeasureSettings(resamples=200)


def a_question(number: int, conditions: str = "both", relation: str = "cause", answer: int = 0) -> KuciQuestion:
    similarities = [0.42, 0.5, 0.58]
    similarities.insert(answer, 1.0)
    return KuciQuestion(
        f"{conditions}-{number}",
        f"文脈{number}",
        ("あ", "い", "う", "え"),
        answer,
        tuple(similarities),
        relation,
        f"pair-{number}",
    )


def predictions(*runs: Sequence[int | None], conditions: str = "both", answer: int = 0) -> pa.Table:
    """A table of runs, each a row of choices; None is no answer."""
    rows = [
        {
            "item_id": f"{conditions}-{number}",
            "split": "test",
            "set": conditions,
            "answer": answer,
            "choice": choice,
            "correct": None if choice is None else choice == answer,
            "scores": None,
            "problem": "too long" if choice is None else None,
            "seed": seed,
        }
        for seed, choices in enumerate(runs)
        for number, choice in enumerate(choices)
    ]
    return pa.Table.from_pylist(rows, schema=PREDICTIONS)


def test_one_run_by_hand() -> None:
    asked = [a_question(number, relation="cause" if number < 2 else "condition") for number in range(4)]
    markers = {"pair-0": "ので", "pair-1": "ので", "pair-2": ""}
    found = measure(predictions([0, 3, 1, None]), {"both": asked}, markers, FEW).sets["both"]
    assert (found.questions, found.contexts, found.n, found.answered, found.correct) == (4, 4, 4, 3, 1)
    assert found.accuracy == pytest.approx(1 / 3)
    assert found.accuracy_all == 0.25
    assert found.problems == {"too long": 1}
    assert (found.places.right, found.places.chosen) == ([4, 0, 0, 0], [1, 1, 0, 1])
    # the answer stands first, so the options' similarities are 1, .42, .50, .58
    assert found.wrong == {"close": 1, "middle": 0, "far": 1}
    assert found.by_relation["cause"].accuracy == 0.5
    assert (found.by_relation["condition"].questions, found.by_relation["condition"].answered) == (2, 1)
    assert list(found.by_marker) == ["ので", ""]
    assert found.sd is None
    # one right of three: every count is at most as probable as 1 (.421875), but for 0, which is equally so
    assert found.p_chance == pytest.approx(1.0)


def test_several_runs_have_a_mean_and_a_spread() -> None:
    asked = [a_question(number) for number in range(4)]
    found = measure(predictions([0, 0, 0, 1], [0, 0, 1, 1]), {"both": asked}, settings=FEW).sets["both"]
    assert found.accuracy == pytest.approx(5 / 8)
    assert [run.accuracy for run in found.by_seed] == [0.75, 0.5]
    assert found.sd == pytest.approx(0.25 / 2**0.5)
    interval = wilson_interval(2.5, 4)
    assert found.wilson is not None
    assert interval is not None
    assert found.wilson.model_dump() == pytest.approx(interval._asdict())
    assert (found.runs, found.questions, found.n) == (2, 4, 8)
    assert found.p_chance == max(run.p_chance for run in found.by_seed if run.p_chance is not None)


def test_sets_differ_by_pairs() -> None:
    questions: dict[Conditions, list[KuciQuestion]] = {
        "both": [a_question(number) for number in range(4)],
        "without_length": [a_question(number, "without_length") for number in range(1, 4)],
    }
    whole = predictions([0, 0, 1, 1])
    ablated = predictions([9, 1, 0, 0], conditions="without_length").slice(1)
    found = measure(pa.concat_tables([whole, ablated]), questions, settings=FEW)
    [row] = found.differences
    assert row.set == "without_length"
    assert row.delta == pytest.approx(2 / 3 - 1 / 2)
    # pair 1 was right on the published set alone, pairs 2 and 3 on the other alone
    assert (row.common, row.lost, row.gained) == (3, 1, 2)
    assert row.p == row.p_holm == 1.0
    assert row.interval is not None
    assert row.delta is not None
    assert row.interval.low < row.delta < row.interval.high


def test_nothing_was_answered() -> None:
    asked = [a_question(number) for number in range(3)]
    found = measure(predictions([None, None, None]), {"both": asked}, settings=FEW).sets["both"]
    assert (found.accuracy, found.accuracy_all, found.wilson, found.bootstrap) == (None, 0.0, None, None)
    assert found.p_chance is None


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (predictions([0, 0]), "lacks questions"),
        (predictions([0, 0, 0, 0]), "both-3 of the set both is not in the release"),
        (pa.concat_tables([predictions([0, 0, 0])] * 2), "answered twice"),
        (predictions([0, 4, 0]), "the choice 4"),
        (predictions([]), "there are none"),
    ],
)
def test_tables_that_contradict_the_release(table: pa.Table, message: str) -> None:
    with pytest.raises(InputError, match=message):
        measure(table, {"both": [a_question(number) for number in range(3)]})


def test_interval_and_test_against_chance() -> None:
    found = against_chance(8, 16)
    assert found.wilson is not None
    # Wilson: (p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n) with p = .5, n = 16
    assert (found.wilson.low, found.wilson.high) == pytest.approx((0.27999, 0.72001), abs=1e-4)
    chances = [comb(16, k) * 0.25**k * 0.75 ** (16 - k) for k in range(17)]
    assert found.p_chance == pytest.approx(sum(one for one in chances if one <= chances[8] * (1 + 1e-9)))
    assert against_chance(4, 16).p_chance == pytest.approx(1.0)


def test_binomial_by_hand() -> None:
    # all of three right by guessing: (1/4)^3, and no count on the other side is that improbable
    assert binomial_p(3, 3, 0.25) == pytest.approx(1 / 64)


CHOICES = st.lists(st.tuples(*[st.one_of(st.none(), st.integers(0, 3))] * 2), min_size=2, max_size=12)


@given(CHOICES)
def test_a_comparison_turned_round_is_its_opposite(pairs: list[tuple[int | None, ...]]) -> None:
    first, second = (
        [Row(a_question(number), 0, pair[side], None) for number, pair in enumerate(pairs)] for side in (0, 1)
    )
    there, back = compare(first, second, FEW), compare(second, first, FEW)
    assert (there.lost, there.gained, there.p) == (back.gained, back.lost, back.p)
    if there.delta is not None:
        assert back.delta is not None
        assert there.interval is not None
        assert back.interval is not None
        assert there.delta == pytest.approx(-back.delta)
        assert there.interval.low == pytest.approx(-back.interval.high)


def test_a_system_does_not_differ_from_itself() -> None:
    rows = [Row(a_question(number), 0, number % 2, None) for number in range(10)]
    found = compare(rows, rows, FEW)
    assert (found.delta, found.lost, found.gained) == (0.0, 0, 0)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == (0.0, 0.0)
