"""Plans: components of variance by hand and by going through all samples, intervals, the choice of sizes."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tashika.core.draws import shuffled
from tashika.core.errors import InputError
from tashika.evaluate.myriadlama.belief import belief
from tashika.evaluate.myriadlama.lite.components import (
    Sampled,
    consistency,
    crossed,
    linear,
    shortfall,
    template_means,
)
from tashika.evaluate.myriadlama.lite.frame import Frame
from tashika.evaluate.myriadlama.lite.intervals import (
    NUMBERS,
    Interval,
    between_templates,
    estimate,
    most_of,
    spread_of,
    variance,
    wilson,
)
from tashika.evaluate.myriadlama.lite.plan import check_half_width, pilot_design, plan
from tashika.evaluate.myriadlama.metrics import MEASURES
from tashika.evaluate.myriadlama.predictions import COLUMNS, Predictions
from tashika.evaluate.myriadlama.sampling import Design, turns

DRAWS = 60


def full_run(
    relations: int = 4, pairs: int = 30, templates: int = 9, names: int = 3, *, seed: int = 0, missing: float = 0.0
) -> pa.Table:
    """All predictions of a release; subjects have 1 to `names` names.

    Args:
        relations: How many there are.
        pairs: Of each relation.
        templates: Of each relation.
        names: Of each subject, at most.
        seed: Of everything.
        missing: Share of (pair, template) cells that cannot be answered.
    """
    random = np.random.default_rng(seed)
    rows: list[dict[str, Any]] = []
    for relation, subject in product(range(relations), range(pairs)):
        place, known = relation * pairs + subject, random.normal()
        easy = np.random.default_rng([seed, relation]).normal(size=templates)
        for template in range(templates):
            problem = "no single-token object" if template and random.random() < missing else None
            for name in range(1 + subject % names):
                score = known + easy[template] + random.normal() / 2
                rank = 1 if score > 0 else 2 + int(-3 * score)
                sure = float(1 / (1 + np.exp(-score)))
                rows.append(
                    {
                        "relation": f"P{relation}",
                        "pair": 7 * place,
                        "template_id": f"t{relation}-{template}",
                        "subject_alias_id": f"a{place}-{name}",
                        "rank": None if problem else rank,
                        "top_word": None if problem else f"w{0 if rank == 1 else int(random.integers(1, 4))}",
                        "top_probability": None if problem else sure,
                        "top_10_probability": None if problem else (1 + sure) / 2,
                        "problem": problem,
                    }
                )
    return pa.Table.from_pylist(rows).select(COLUMNS)


def only(table: pa.Table, **kept: Any) -> pa.Table:
    """The rows whose columns hold one of the values."""
    rows = np.ones(table.num_rows, dtype=bool)
    for column, values in kept.items():
        rows &= np.isin(np.asarray(table[column].to_pylist()), list(values))
    return table.filter(pa.array(rows))


def drawn(frame: Frame, table: pa.Table, design: Design, seed: int = 0) -> pa.Table:
    """The rows of a full run that a design asks for."""
    pairs = frame.pairs[
        turns(frame.relation, shuffled(map(str, frame.pairs.tolist()), seed)) < np.asarray(design.pairs)[frame.relation]
    ]
    templates = [
        one
        for ids in frame.templates
        for one in sorted(ids, key=lambda one: shuffled([one], seed)[0])[: design.templates]
    ]
    every: list[Any] = table["subject_alias_id"].to_pylist()
    names = sorted(set(every), key=lambda one: shuffled([one], seed)[0])
    of: dict[str, list[str]] = {}
    for name in names:
        of.setdefault(name.split("-")[0], []).append(name)
    some = [one for mine in of.values() for one in mine[: design.names]]
    return only(table, pair=pairs.tolist(), template_id=templates, subject_alias_id=some)


def truth_of(table: pa.Table, seed: int = 0) -> dict[str, float]:
    """The numbers of a full run."""
    found = belief(Predictions.from_table(table), draws=DRAWS, seed=seed).model_dump()
    plain = {name: found[name] for name in NUMBERS if name in found}
    return plain | {f"{name} {of}": found["fluctuation"][name][of] for name in MEASURES for of in ("range", "stdev")}


@pytest.fixture(scope="module")
def whole() -> pa.Table:
    return full_run()


@pytest.fixture(scope="module")
def pilot(whole: pa.Table) -> Sampled:
    frame = Frame.of_predictions(whole)
    return Sampled.of(frame, drawn(frame, whole, pilot_design(frame, 4)))


def test_components_of_a_small_table() -> None:
    """Rows 1 2 and 3 6: row means 1.5 and 4.5, column means 2 and 4, each interaction half a unit."""
    found = crossed(np.asarray([[1.0, 2.0], [3.0, 6.0]]))
    assert found == pytest.approx((4.5, 2.0, 1.0))
    assert crossed(np.asarray([[1.0, 2.0]])) == pytest.approx((0.0, 0.5, 0.0))


def test_components_are_unbiased_over_all_samples() -> None:
    """Every choice of 2 of 4 rows and 2 of 3 columns: the estimated variance of the mean is right on average."""
    table = np.asarray([[0.0, 1, 5], [2, 2, 4], [7, 1, 0], [3, 8, 3]])
    rows, columns = (float(shortfall(np.asarray([2]), np.asarray([of]))[0]) for of in table.shape)
    means, variances, between = [], [], []
    for some, others in product(combinations(range(4), 2), combinations(range(3), 2)):
        part = table[np.ix_(some, others)]
        row, column, cell = crossed(part)
        means.append(part.mean())
        variances.append(rows * row + columns * column - rows * columns * cell)
        between.append(column - rows * cell)
    assert np.mean(variances) == pytest.approx(np.var(means))
    assert np.mean(between) == pytest.approx(table.mean(axis=0).var(ddof=1))


def test_the_spread_of_templates_is_unbiased_over_all_samples_of_pairs() -> None:
    table = full_run(relations=1, pairs=6, templates=4, names=1, seed=3)
    frame = Frame.of_predictions(table)
    full = truth_of(table)
    totals = []
    for pairs in combinations(frame.pairs.tolist(), 3):
        sampled = Sampled.of(frame, only(table, pair=pairs))
        totals.append(between_templates(sampled, template_means(sampled)["mrr"]).total)
    exact = template_means(Sampled.of(frame, table))["mrr"].means[0].var()
    assert np.mean(totals) == pytest.approx(exact)
    assert full["mrr stdev"] == pytest.approx(exact**0.5, rel=0.2)  # DRAWS of them


def test_consistency_is_unbiased_over_all_samples_of_templates_and_names() -> None:
    table = full_run(relations=1, pairs=5, templates=4, names=3, seed=1)
    frame = Frame.of_predictions(table)
    found = [
        consistency(Sampled.of(frame, only(table, template_id=templates))).point
        for templates in combinations(frame.templates[0], 2)
    ]
    assert np.mean(found) == pytest.approx(truth_of(table)["consist@1"])
    every: list[Any] = table["subject_alias_id"].to_pylist()
    three = sorted({one for one in every if one.startswith("a2-")})
    others = sorted({one for one in every if not one.startswith("a2-")})
    found = [
        consistency(Sampled.of(frame, only(table, subject_alias_id=[*others, *two]))).point
        for two in combinations(three, 2)
    ]
    assert len(found) == 3
    assert np.mean(found) == pytest.approx(truth_of(table)["consist@1"])


def test_the_jackknife_over_templates_leaves_each_out_in_turn() -> None:
    table = full_run(relations=1, pairs=8, templates=6, names=2, seed=2)
    frame = Frame.of_predictions(table)
    kept = frame.templates[0][:4]
    found = consistency(Sampled.of(frame, only(table, template_id=kept))).column[0]
    without = [
        consistency(Sampled.of(frame, only(table, template_id=[one for one in kept if one != gone]))).point
        for gone in kept
    ]
    assert found == pytest.approx(3 * 4 * np.var(without))


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_a_sample_of_everything_gives_the_full_numbers_and_leaves_nothing_open(missing: float) -> None:
    table = full_run(seed=5, missing=missing)
    found = estimate(Sampled.of(Frame.of_predictions(table), table), draws=DRAWS, seed=4)
    true = truth_of(table, seed=4)
    for number in NUMBERS:
        one = found.intervals[number]
        assert one.point == pytest.approx(true[number], abs=1e-12)
        assert one.low == one.high == one.point
    full = belief(Predictions.from_table(table), draws=DRAWS, seed=4).fluctuation["acc@10"]
    for name in ("min", "max", "mean", "range", "stdev", "lowest_possible", "highest_possible"):
        assert getattr(found.fluctuation["acc@10"], name) == pytest.approx(getattr(full, name), abs=1e-12)


def test_intervals_mostly_hold_the_full_numbers() -> None:
    """A rough check in seconds; `bench/plan.py` measures it."""
    table = full_run(relations=8, pairs=40, templates=10, names=2, seed=9)
    frame = Frame.of_predictions(table)
    held = []
    for seed in range(12):
        true = truth_of(table, seed)
        design = Design((14,) * 8, None, 2)
        found = estimate(Sampled.of(frame, drawn(frame, table, design, seed)), draws=DRAWS, seed=seed).intervals
        held += [found[number].low <= true[number] <= found[number].high for number in NUMBERS]
    assert np.mean(held) > 0.85


def test_wilson_intervals() -> None:
    """Fifty of a hundred, and none of ten (Brown, Cai and DasGupta 2001, Wilson's interval)."""
    half = wilson(0.5, 0.0025, np.inf)
    assert (half.low, half.high) == pytest.approx((0.4038, 0.5962), abs=1e-4)
    none = wilson(0.0, 0.0, 10)
    assert (none.low, none.high) == pytest.approx((0.0, 0.2775), abs=1e-4)
    assert wilson(0.3, 0.0, np.inf) == Interval(0.3, 0.3, 0.3)


def test_a_model_that_is_never_right_is_not_known_to_be_so() -> None:
    table = full_run(seed=6)
    rank = pa.array(np.maximum(np.asarray(table["rank"].to_pylist()), 2))
    table = table.set_column(table.column_names.index("rank"), "rank", rank)
    frame = Frame.of_predictions(table)
    sampled = Sampled.of(frame, drawn(frame, table, Design((6,) * 4, None, 2)))
    found = estimate(sampled, draws=DRAWS, seed=0).intervals
    assert found["acc@1"].point == found["acc@1"].low == 0
    assert 0.05 < found["acc@1"].high < 0.25
    assert found["acc@1 stdev"].point == 0


@pytest.mark.parametrize(("draws", "mean", "deviation"), [(2, 0.5642, 0.8256), (5, 1.1630, 0.6690)])
def test_the_highest_of_normal_draws(draws: int, mean: float, deviation: float) -> None:
    """Harter's tables of normal order statistics."""
    assert most_of(draws) == pytest.approx((mean, deviation), abs=2e-4)


def test_more_pairs_leave_less_open(whole: pa.Table) -> None:
    frame = Frame.of_predictions(whole)
    few, many = (Sampled.of(frame, drawn(frame, whole, Design((number,) * 4))) for number in (8, 24))
    for number, mean in linear(few).items():
        assert variance(many, linear(many)[number]) < variance(few, mean)
    slots = np.random.default_rng(0).integers(9, size=(DRAWS, 4))
    for measure in MEASURES:
        one, other = (spread_of(some, template_means(some)[measure], slots, 0) for some in (few, many))
        assert other.range.half_width < one.range.half_width


@settings(max_examples=25, deadline=None)
@given(st.floats(0.005, 0.45), st.floats(0.005, 0.45))
def test_a_smaller_half_width_never_costs_less(pilot: Sampled, one: float, other: float) -> None:
    narrow, wide = sorted((one, other))
    first, second = (plan(pilot, half_width, draws=DRAWS) for half_width in (narrow, wide))
    assert first.prompts >= second.prompts
    for found, asked in ((first, narrow), (second, wide)):
        assert max(found.predicted.values()) <= asked
        assert found.prompts <= found.whole


def test_nothing_less_than_everything_gives_a_tiny_half_width(pilot: Sampled) -> None:
    found = plan(pilot, 1e-9, draws=DRAWS)
    assert found.design == Design(tuple(pilot.frame.sizes.tolist()), None, None)
    assert found.prompts == found.whole
    assert set(found.predicted.values()) == {0.0}


@given(st.sampled_from([0.4, 0.1, 0.03]))
@settings(max_examples=3, deadline=None)
def test_every_plan_holds_its_pilot(pilot: Sampled, half_width: float) -> None:
    assert plan(pilot, half_width, draws=DRAWS).design.holds(pilot_design(pilot.frame, 4))


@pytest.mark.parametrize("half_width", [0.0, -0.1, 0.5, 3.0, float("nan")])
def test_half_widths_that_make_no_sense_are_refused(half_width: float) -> None:
    with pytest.raises(InputError, match=r"must lie between 0 and 0\.5"):
        check_half_width(half_width)


def test_a_pilot_of_one_pair_is_refused(pilot: Sampled) -> None:
    with pytest.raises(InputError, match="at least 2"):
        pilot_design(pilot.frame, 1)


def test_a_sample_must_be_of_the_frame(whole: pa.Table) -> None:
    frame = Frame.of_predictions(only(whole, pair=range(0, 7 * 119, 7)))  # all but the last pair
    with pytest.raises(InputError, match="pairs that the release does not"):
        Sampled.of(frame, whole)
    with pytest.raises(InputError, match="answers for 3 relations, the release for 4"):
        Sampled.of(frame, only(whole, relation=["P0", "P1", "P2"]))
