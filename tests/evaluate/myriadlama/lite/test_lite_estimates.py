"""The lite set's estimates: by hand, of everything, and over many lists."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tashika.evaluate.myriadlama.belief import belief
from tashika.evaluate.myriadlama.lite.components import LINEAR, Sampled, consistency, linear, template_means
from tashika.evaluate.myriadlama.lite.frame import Frame
from tashika.evaluate.myriadlama.lite.intervals import NUMBERS, between_templates
from tashika.evaluate.myriadlama.lite.lite_estimates import (
    dealt_consistency,
    dealt_means,
    estimate_from_list,
    mean_over_prompts,
    values_of,
)
from tashika.evaluate.myriadlama.predictions import COLUMNS, Predictions
from tests.evaluate.myriadlama.lite.test_plan import full_run, only

DRAWS = 60


def answers(*rows: tuple[str, int, str, str, int, str]) -> pa.Table:
    """Predictions: relation, pair, template, name, rank, word."""
    return pa.Table.from_pylist(
        [
            {
                "relation": of,
                "pair": pair,
                "template_id": template,
                "subject_alias_id": name,
                "rank": rank,
                "top_word": word,
                "top_probability": 0.5,
                "top_10_probability": 0.75,
                "problem": None,
            }
            for of, pair, template, name, rank, word in rows
        ]
    ).select(COLUMNS)


def whole(pairs: int = 3, names: int = 1) -> pa.Table:
    """Everything about some pairs with two templates, all wrong."""
    return answers(
        *(
            ("P1", pair, template, f"a{pair}{name}", 2, "x")
            for pair in range(pairs)
            for template in ("t1", "t2")
            for name in range(names if pair == 0 else 1)
        )
    )


def test_a_mean_over_prompts_and_its_variance_by_hand() -> None:
    # Three pairs, the first with two names: 4, 2 and 2 prompts. Two pairs are asked, the first with two prompts.
    frame = Frame.of_predictions(whole(names=2))
    rows = [("P1", 0, "t1", "a00", 1, "x"), ("P1", 0, "t2", "a01", 2, "y"), ("P1", 1, "t1", "a10", 2, "y")]
    sampled = Sampled.of(frame, answers(*rows))
    values = values_of(sampled.predictions)["acc@1"]
    point, var = mean_over_prompts(sampled, values, dealt_means(sampled, values))
    assert point == pytest.approx((4 * 1 / 2 + 2 * 0) / 6)
    # pairs: sizes 4/3 and 2/3 of their mean, means 1/2 and 0 about 1/3, divisor 1; 1/2 - 1/3 is left open
    first = (4 / 3 * (1 / 2 - 1 / 3)) ** 2 + (2 / 3 * (0 - 1 / 3)) ** 2
    # prompts: the first pair's two have the variance 1/2, with 1/2 - 1/4 left open; the second's one of two as much
    second = ((1 / 2 - 1 / 4) * (4 / 3) ** 2 + (1 - 1 / 2) * (2 / 3) ** 2) / 2 * (1 / 2)
    assert var == pytest.approx((1 / 2 - 1 / 3) * first + second / 3)


def test_consistency_weighs_the_kinds_of_comparison_as_the_release_does() -> None:
    # A pair with two names and two templates: of six comparisons two share the name, two the template, two neither.
    # A second pair with one name has one comparison, of the same name.
    frame = Frame.of_predictions(whole(pairs=2, names=2))
    rows = [
        ("P1", 0, "t1", "a00", 2, "x"),  # with the next: another name, one template, one word
        ("P1", 0, "t1", "a01", 2, "x"),
        ("P1", 0, "t2", "a00", 2, "y"),  # with the first one name, with the second neither; another word than both
        ("P1", 1, "t1", "a10", 2, "x"),
        ("P1", 1, "t2", "a10", 2, "x"),
    ]
    sampled = Sampled.of(frame, answers(*rows))
    # same name: 0 in the first pair, where it weighs 1/3, and 1 in the second, where it is all
    same_name = (1 / 3 * 0 + 1 * 1) / (1 / 3 + 1)
    wanted = ((1 / 3 + 1) / 2, 1 / 6, 1 / 6)
    expected = wanted[0] * same_name + wanted[1] * 1 + wanted[2] * 0
    assert dealt_consistency(sampled)[0] == pytest.approx(expected)


def test_a_list_of_everything_gives_the_full_runs_numbers_without_doubt() -> None:
    table = full_run(3, 12, 5, missing=0.2)
    frame = Frame.of_predictions(table)
    sampled = Sampled.of(frame, table)
    estimates = estimate_from_list(sampled, draws=DRAWS, seed=3)
    scores = belief(Predictions.from_table(table), draws=DRAWS, seed=3)
    expected = scores.model_dump()
    for number in ("acc@1", "acc@10", "mrr", "consist@1", "overconf@1", "overconf@10", "overconf@10 mass"):
        assert estimates.intervals[number].point == pytest.approx(expected[number], abs=1e-6)
    for measure, spread in scores.fluctuation.items():
        assert estimates.intervals[f"{measure} stdev"].point == pytest.approx(spread.stdev)
        assert estimates.intervals[f"{measure} range"].point == pytest.approx(spread.range)
        assert estimates.fluctuation[measure].max == pytest.approx(spread.max)
    assert max(interval.half_width for interval in estimates.intervals.values()) == pytest.approx(0, abs=1e-9)


def dealt_list(table: pa.Table, frame: Frame, pairs: int, prompts: int, seed: int) -> pa.Table:
    """A list of random pairs whose templates are dealt out, as in a lite set."""
    random = np.random.default_rng(seed)
    rows = list(zip(*(table[name].to_pylist() for name in ("pair", "template_id", "subject_alias_id")), strict=True))
    names: dict[int, list[str]] = {}
    for pair, _, name in rows:
        names.setdefault(pair, [])
        if name not in names[pair]:
            names[pair].append(name)
    wanted = set()
    for relation, templates in enumerate(frame.templates):
        order = [templates[place] for place in random.permutation(len(templates))]
        own = random.permutation(frame.pairs[frame.relation == relation])[:pairs]
        for turn, pair in enumerate(own.tolist()):
            some = [names[pair][place] for place in random.permutation(len(names[pair]))]
            for step in range(prompts):
                template = order[(turn + step * len(order) // prompts) % len(order)]
                wanted.add((pair, template, some[step % len(some)]))
    return table.filter(pa.array([row in wanted for row in rows]))


@pytest.mark.slow
def test_over_many_lists_the_estimates_are_right_on_average_and_the_errors_as_large_as_said() -> None:
    table = full_run(4, 30, 8)
    frame = Frame.of_predictions(table)
    full = Sampled.of(frame, table)
    points: dict[str, list[float]] = {}
    errors: dict[str, list[float]] = {}
    for seed in range(300):
        sampled = Sampled.of(frame, dealt_list(table, frame, 12, 4, seed))
        values = values_of(sampled.predictions)
        for number in LINEAR:
            made = dealt_means(sampled, values[number])
            point, var = mean_over_prompts(sampled, values[number], made)
            points.setdefault(number, []).append(point)
            errors.setdefault(number, []).append(var)
            points.setdefault(f"{number} between", []).append(made[1].total)
            errors.setdefault(f"{number} between", []).append(made[1].error ** 2)
    true = {number: mean.point for number, mean in linear(full).items()}
    known = template_means(full)
    true |= {f"{measure} between": between_templates(full, means).total for measure, means in known.items()}
    for number, value in true.items():
        spread = float(np.std(points[number]))
        assert abs(np.mean(points[number]) - value) < 4 * spread / 300**0.5 + 0.02 * abs(value), number
        low = 0.6 if number.endswith("between") else 0.75  # that of a variance is that of normal template means
        assert low < float(np.mean(errors[number])) ** 0.5 / spread < 1.35, number


def test_templates_that_met_the_same_pairs_do_not_differ_by_them() -> None:
    # Whether a pair is known does not depend on the template, so there is nothing between templates. Each of two
    # met the same two pairs of many, and what they owe to these is the same for both.
    def about(pairs: range) -> pa.Table:
        return answers(*(("P1", pair, name, f"a{pair}", 1 + pair % 2, "x") for pair in pairs for name in ("t1", "t2")))

    sampled = Sampled.of(Frame.of_predictions(about(range(40))), about(range(2)))
    made, known = dealt_means(sampled, values_of(sampled.predictions)["acc@1"])
    assert made.spread[0] == 0
    # hits 1 and 0 in both: variance 1/2, half of it in common, with 1/2 - 1/40 left open; without the common part it
    # would be taken off for nothing, and by the residuals of two pairs the common part is a half too small
    assert known.noise[0] == pytest.approx((1 / 2 - 1 / 40) * (1 / 2 - 1 / 4))


def test_relations_of_which_nothing_was_asked_are_left_out() -> None:
    table = full_run(3, 6, 4)
    frame = Frame.of_predictions(table)
    part = frame.of_relations(["P0", "P2"])
    assert part.relations == ("P0", "P2")
    assert part.sizes.tolist() == [6, 6]
    assert part.templates == (frame.templates[0], frame.templates[2])
    some = only(table, relation=["P0", "P2"])
    assert part.prompts.sum() == some.num_rows
    estimates = estimate_from_list(Sampled.of(part, some), draws=DRAWS, seed=0)
    assert estimates.intervals["acc@1"].point == pytest.approx(belief(Predictions.from_table(some), draws=2).acc_at_1)
    assert frame.of_relations(frame.relations) is frame


def test_every_number_has_an_interval_that_holds_it_even_of_a_tiny_list() -> None:
    table = full_run(2, 8, 4)
    frame = Frame.of_predictions(table)
    for pairs, prompts in ((1, 1), (1, 4), (2, 1), (3, 2)):
        sampled = Sampled.of(frame, dealt_list(table, frame, pairs, prompts, 1))
        estimates = estimate_from_list(sampled, draws=DRAWS, seed=0)
        assert set(estimates.intervals) == set(NUMBERS)
        for interval in estimates.intervals.values():
            assert interval.low <= interval.point <= interval.high
            assert np.isfinite([interval.low, interval.high]).all()


def test_the_consistency_of_everything_is_that_of_the_plan() -> None:
    table = full_run(3, 10, 4)
    sampled = Sampled.of(Frame.of_predictions(table), table)
    found: Any = dealt_consistency(sampled)[0]
    assert found == pytest.approx(consistency(sampled).point)
