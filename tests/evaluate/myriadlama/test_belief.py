"""BELIEF's scores: a worked example with fractions, properties, brute force, and the borders."""

import itertools
import json
import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tashika.core.errors import InputError
from tashika.evaluate.myriadlama.belief import SinglePrompt, belief
from tashika.evaluate.myriadlama.fluctuation import Cells, histogram
from tashika.evaluate.myriadlama.predictions import COLUMNS, PREDICTION, Predictions

Row = tuple[Any, ...]
"""Relation, pair, template, alias, rank, token, confidence; of a row that was left out, the first four."""

EXAMPLE: list[Row] = [
    ("P1", 0, "A", "s0", 1, 7, 0.90),
    ("P1", 0, "B", "s0", 2, 8, 0.50),
    ("P1", 0, "C", "s0", 1, 7, 0.40),
    ("P1", 0, "A", "s0b", 1, 7, 0.80),
    ("P1", 0, "B", "s0b", 20, 9, 0.30),
    ("P1", 0, "C", "s0b", 4, 8, 0.20),
    ("P1", 1, "A", "s1", 1, 5, 0.70),
    ("P1", 1, "B", "s1", 10, 6, 0.60),
    ("P1", 1, "C", "s1", 5, 6, 0.10),
    ("P2", 2, "D", "s2", 2, 3, 0.95),
    ("P2", 2, "E", "s2", 1, 4, 0.85),
]


def table_of(rows: Sequence[Row], left_out: Sequence[tuple[Row, str]] = ()) -> pa.Table:
    """A prediction table of scored rows and of (row, problem) that were left out."""

    def record(
        relation: str,
        pair: int,
        template: str,
        alias: str,
        rank: int | None,
        token: int | None,
        confidence: float | None,
        problem: str | None = None,
    ) -> dict[str, Any]:
        return {
            "item_id": template.ljust(16) + alias.ljust(16),
            "relation": relation,
            "pair": pair,
            "template_id": template,
            "subject_alias_id": alias,
            "rank": rank,
            "probability": None if rank is None else confidence,
            "top_token": token,
            "top_word": None if token is None else f"word {token}",
            "top_probability": confidence,
            "top_10_probability": None if confidence is None else min(1, 1.5 * confidence),
            "problem": problem,
        }

    records = [record(*row) for row in rows]
    records += [record(*(*row[:4], None, None, None, problem)) for row, problem in left_out]
    return pa.Table.from_pylist(records, schema=PREDICTION)


def scores_of(rows: Sequence[Row], left_out: Sequence[tuple[Row, str]] = (), **options: Any) -> dict[str, Any]:
    """The scores as `metrics.json` has them."""
    scores = belief(Predictions.from_table(table_of(rows, left_out)), **{"draws": 200, **options})
    return scores.model_dump(mode="json")


def close(value: float | Fraction) -> Any:
    return pytest.approx(float(value), rel=1e-6, abs=1e-7)  # confidences are float32


class TestWorkedExample:
    """Two relations, three pairs, five templates, one subject with two aliases."""

    def test_accuracy(self) -> None:
        scores = scores_of(EXAMPLE)
        assert scores["n_prompts"] == 11
        assert scores["n_pairs"] == 3
        assert scores["acc@1"] == close(Fraction(5, 11))  # ranks 1: A, C, A of pair 0; A of pair 1; E
        assert scores["acc@10"] == close(Fraction(10, 11))  # all but rank 20
        # 1 + 1/2 + 1 + 1 + 1/20 + 1/4 + 1 + 1/10 + 1/5 + 1/2 + 1 = 6.6
        assert scores["mrr"] == close(Fraction(66, 110))

    def test_fluctuation(self) -> None:
        # Aliases averaged, Acc@1: pair 0 has A 1, B 0, C 1/2; pair 1 has A 1, B 0, C 0; pair 2 has D 0, E 1.
        # A draw is (A: 2, B: 0, C: 1/2) + (D: 0, E: 1), over three pairs: from 0 to 1.
        scores = scores_of(EXAMPLE, draws=20_000)["fluctuation"]
        accuracy = scores["acc@1"]
        assert (accuracy["min"], accuracy["max"], accuracy["range"]) == (0, 1, 1)
        assert (accuracy["lowest_possible"], accuracy["highest_possible"]) == (0, 1)
        # Variance: of (2, 0, 1/2) 13/18, of (0, 1) 1/4; their sum over 3² is 35/324.
        assert accuracy["stdev"] == pytest.approx(math.sqrt(35 / 324), rel=0.02)
        assert accuracy["mean"] == pytest.approx((5 / 6 + 1 / 2) / 3, rel=0.02)
        # Acc@10: only B loses, half a pair: 1 or 5/6.
        assert scores["acc@10"]["range"] == close(Fraction(1, 6))
        # MRR: (A: 2, B: .275 + .1, C: .625 + .2) + (D: .5, E: 1): from .875/3 to 1.
        assert scores["mrr"]["range"] == close(1 - Fraction(875, 3000))
        assert sum(accuracy["histogram"]["counts"]) == 20_000

    def test_overconfidence_of_the_mass_of_ten_answers(self) -> None:
        # The mass is 3/2 of the confidence here, 1 at most: five are 1, the others .75 .6 .45 .3 .9 .15, in all 8.15.
        assert scores_of(EXAMPLE)["overconf@10 mass"] == close((Fraction(815, 100) - 10) / 11)

    def test_consistency(self) -> None:
        # Pair 0 answers 7 8 7 7 9 8: 3 + 1 of 15 agree. Pair 1: 5 6 6: 1 of 3. Pair 2: 0 of 1.
        assert scores_of(EXAMPLE)["consist@1"] == close((Fraction(4, 15) + Fraction(1, 3) + 0) / 3)

    def test_overconfidence_in_two_bins(self) -> None:
        # 11 prompts by confidence: .95 .90 .85 .80 .70 | .60 .50 .40 .30 .20 .10; ranks 2 1 1 1 1 | 10 2 1 20 4 5.
        scores = scores_of(EXAMPLE, bins=2)
        low, high = sorted(scores["reliability"]["bins"], key=lambda each: each["confidence"])
        assert (high["count"], low["count"]) == (5, 6)
        assert high["confidence"] == close(Fraction(84, 100))
        assert high["acc@1"] == close(Fraction(4, 5))
        assert low["confidence"] == close(Fraction(35, 100))
        assert low["acc@1"] == close(Fraction(1, 6))
        assert low["acc@10"] == close(Fraction(5, 6))
        # 5/11 (.84 - .80) + 6/11 (.35 - 1/6) = 1.3/11
        assert scores["overconf@1"] == close(Fraction(13, 110))
        assert scores["overconf@10"] == close(Fraction(-37, 110))
        assert scores["reliability"]["mean_absolute_gap"] == close(Fraction(13, 110))

    def test_tables_of_the_appendix(self) -> None:
        scores = scores_of(EXAMPLE)
        # Templates: A 3/3, B 0/3, C 1/3; D 0, E 1. Means 4/9 and 1/2.
        first = scores["table_a1"]
        assert (first["min"], first["max"]) == (0, 1)
        assert first["mean"] == close((Fraction(4, 9) + Fraction(1, 2)) / 2)
        assert first["weighted"]["mean"] == close(scores["acc@1"])
        subject, template = scores["table_a2"]["subject"], scores["table_a2"]["template"]
        # Same template, other alias (pair 0 alone has two): A agrees, B and C do not.
        assert subject["consist@1"] == close(Fraction(1, 3))
        assert subject["n_pairs"] == 1
        # Same alias, other template: pair 0 (1 + 0 of 3 + 3), pair 1 1 of 3, pair 2 0 of 1.
        assert template["consist@1"] == close((Fraction(1, 6) + Fraction(1, 3) + 0) / 3)
        assert template["n_pairs"] == 3
        # By alias: pair 0 2/3 and 1/3, pair 1 1/3, pair 2 1/2; P1 from 1/3 to 1/2, P2 1/2.
        assert subject["min"] == close((Fraction(1, 3) + Fraction(1, 2)) / 2)
        assert subject["max"] == close(Fraction(1, 2))
        assert (template["min"], template["max"]) == (0, 1)

    def test_by_relation(self) -> None:
        first, second = (scores_of(EXAMPLE)["by_relation"][name] for name in ("P1", "P2"))
        assert (first["n_prompts"], first["n_pairs"], first["n_templates"]) == (9, 2, 3)
        assert first["acc@1"] == close(Fraction(4, 9))
        assert first["overconf@1"] == close(Fraction(1, 2) - Fraction(4, 9))
        assert first["consist@1"] == close((Fraction(4, 15) + Fraction(1, 3)) / 2)
        assert first["by_template"] == {"min": 0, "max": 1, "mean": close(Fraction(4, 9))}
        assert first["fluctuation"]["acc@1"]["range"] == close(1)  # A: both pairs right, B: none
        assert second["mrr"] == close(Fraction(3, 4))
        assert second["consist@1"] == 0

    def test_single_prompt(self) -> None:
        # A for pair 0 by its label (rank 1) and pair 1 (rank 1), D for pair 2 (rank 2).
        single = scores_of(EXAMPLE, single=SinglePrompt({"A", "D"}, {"s0", "s1", "s2"}))["single_template"]
        assert single["acc@1"] == close(Fraction(2, 3))
        assert single["mrr"] == close(Fraction(5, 6))
        assert (single["n_prompts"], single["n_pairs"], single["n_relations"]) == (3, 3, 2)

    def test_a_single_prompt_that_nobody_answered_has_no_score(self) -> None:
        single = scores_of(EXAMPLE, single=SinglePrompt({"elsewhere"}, {"s0"}))["single_template"]
        assert single["acc@1"] is None
        assert single["n_prompts"] == 0

    def test_what_was_left_out_is_counted(self) -> None:
        answered = [row for row in EXAMPLE if row[2] != "B"]
        left_out = [(row, "[Y] is not at the end") for row in EXAMPLE if row[2] == "B"]
        left_out.append((("P3", 3, "G", "s3"), "no object of one token"))
        coverage = scores_of(answered, left_out)["coverage"]
        assert coverage["prompts"] == {"asked": 12, "scored": 8}
        assert coverage["pairs"] == {"asked": 4, "scored": 3}
        assert coverage["templates"] == {"asked": 6, "scored": 4}
        assert coverage["relations"] == {"asked": 3, "scored": 2}
        assert coverage["left_out"] == {"[Y] is not at the end": 3, "no object of one token": 1}
        assert coverage["asked_by_relation"] == {"P1": 9, "P2": 2, "P3": 1}

    def test_templates_without_answers_are_never_drawn(self) -> None:
        answered = [row for row in EXAMPLE if row[2] not in {"B", "D"}]
        scores = scores_of(answered, [(row, "left out") for row in EXAMPLE if row[2] in {"B", "D"}])
        # (A: 2, C: 1/2) + (E: 1) over three pairs.
        assert scores["fluctuation"]["acc@1"]["min"] == close(Fraction(1, 2))
        assert scores["fluctuation"]["acc@1"]["max"] == close(1)

    def test_the_same_seed_gives_the_same_bytes(self) -> None:
        one, same, other = (json.dumps(scores_of(EXAMPLE, seed=seed)) for seed in (3, 3, 4))
        assert one == same
        assert one != other


@st.composite
def rows_of_predictions(draw: st.DrawFn) -> list[Row]:
    """Small tables with gaps: any subset of the product of pairs, aliases and templates."""
    shapes = draw(st.lists(st.tuples(*[st.integers(1, 3)] * 3), min_size=1, max_size=3))
    grid = [
        (f"P{relation}", 10 * relation + pair, f"t{relation}.{template}", f"s{relation}.{pair}.{alias}")
        for relation, (pairs, templates, aliases) in enumerate(shapes)
        for pair, template, alias in itertools.product(range(pairs), range(templates), range(aliases))
    ]
    kept = draw(st.lists(st.booleans(), min_size=len(grid), max_size=len(grid)))
    kept[draw(st.integers(0, len(grid) - 1))] = True
    answer = st.tuples(st.integers(1, 14), st.integers(0, 3), st.sampled_from([0.125, 0.25, 0.5, 1.0]))
    return [(*place, *draw(answer)) for place, keep in zip(grid, kept, strict=True) if keep]


def agreeing_share(prompts: Sequence[Row]) -> float | None:
    """Equation 5's inner fraction by a double loop; None for fewer than two prompts."""
    compared = list(itertools.combinations(prompts, 2))
    return sum(one[5] == other[5] for one, other in compared) / len(compared) if compared else None


def mean_or_none(values: Iterable[float | None]) -> Any:
    known = [value for value in values if value is not None]
    return pytest.approx(sum(known) / len(known)) if known else None


RAGGED: list[Row] = [
    ("P0", 0, "t0.0", "s0.0.0", 1, 0, 0.125),
    ("P0", 0, "t0.1", "s0.0.2", 1, 0, 0.125),
    ("P0", 1, "t0.0", "s0.1.0", 1, 0, 0.125),
    ("P0", 1, "t0.0", "s0.1.1", 1, 0, 0.125),
    ("P0", 1, "t0.0", "s0.1.2", 2, 0, 0.125),
    ("P2", 20, "t2.0", "s2.0.0", 2, 0, 0.125),
]


def test_the_bounds_of_draws_where_templates_answer_different_pairs() -> None:
    # With t0.0 the pairs of P0 score 1 and 2/3, with t0.1 only the first is answered, and scores 1; P2 scores 0.
    # So the two draws have (1 + 2/3 + 0) / 3 = 5/9 and (1 + 0) / 2 = 1/2.
    found = scores_of(RAGGED)["fluctuation"]["acc@1"]
    assert found["highest_possible"] == pytest.approx(5 / 9)
    assert found["lowest_possible"] == pytest.approx(1 / 2)


@settings(max_examples=80, deadline=None)
@given(rows_of_predictions(), st.integers(1, 7))
def test_properties(rows: Sequence[Row], bins: int) -> None:
    scores = scores_of(rows, bins=bins)
    assert 0 <= scores["acc@1"] <= scores["mrr"] + 1e-12
    assert scores["acc@1"] <= scores["acc@10"] <= 1
    confidence = np.mean([row[6] for row in rows])
    for k in (1, 10):
        assert scores[f"overconf@{k}"] == pytest.approx(confidence - scores[f"acc@{k}"], abs=1e-9)
    assert scores["overconf@10"] <= scores["overconf@1"] + 1e-12
    mass = np.mean([min(1, 1.5 * row[6]) for row in rows])
    assert scores["overconf@10 mass"] == pytest.approx(mass - scores["acc@10"], abs=1e-6)
    counts = [each["count"] for each in scores["reliability"]["bins"]]
    assert sum(counts) == len(rows)
    assert len(counts) == min(bins, len(rows))
    assert max(counts) - min(counts) <= 1
    assert scores["reliability"]["mean_absolute_gap"] >= abs(scores["overconf@1"]) - 1e-12
    assert sum(each["n_prompts"] for each in scores["by_relation"].values()) == len(rows)
    for each in scores["fluctuation"].values():
        assert each["lowest_possible"] - 1e-12 <= each["min"] <= each["max"] <= each["highest_possible"] + 1e-12


@settings(max_examples=80, deadline=None)
@given(rows_of_predictions())
def test_consistency_equals_a_double_loop(rows: Sequence[Row]) -> None:
    scores = scores_of(rows)
    by_pair = defaultdict(list)
    for row in rows:
        by_pair[row[1]].append(row)
    assert scores["consist@1"] == mean_or_none(agreeing_share(prompts) for prompts in by_pair.values())
    for name, column in (("subject", 2), ("template", 3)):
        shares = []
        for prompts in by_pair.values():
            compared = [pair for pair in itertools.combinations(prompts, 2) if pair[0][column] == pair[1][column]]
            agree = sum(one[5] == other[5] for one, other in compared)
            shares.append(agree / len(compared) if compared else None)
        assert scores["table_a2"][name]["consist@1"] == mean_or_none(shares)


@settings(max_examples=60, deadline=None)
@given(rows_of_predictions())
def test_possible_extremes_equal_all_choices_of_templates(rows: Sequence[Row]) -> None:
    # (relation, template) -> pair -> hits
    cells: dict[tuple[str, str], dict[int, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for relation, pair, template, _, rank, _, _ in rows:
        cells[relation, template][pair].append(rank == 1)
    choices = [[key for key in cells if key[0] == relation] for relation in sorted({relation for relation, _ in cells})]
    values = []
    for chosen in itertools.product(*choices):
        hits = [np.mean(hits) for key in chosen for hits in cells[key].values()]
        values.append(np.mean(hits))
    found = scores_of(rows)["fluctuation"]["acc@1"]
    assert found["lowest_possible"] == pytest.approx(min(values))
    assert found["highest_possible"] == pytest.approx(max(values))


def test_draws_that_differ_in_their_last_bits_have_a_histogram() -> None:
    counts, edges = histogram(np.array([0.5, np.nextafter(0.5, 1), 0.5]))
    assert counts.sum() == 3
    assert (counts > 0).sum() == 1
    assert edges[0] == 0.0


def flat(value: Any, path: str = "") -> dict[str, Any]:
    """Leaves of nested plain values, by path."""
    if isinstance(value, dict):
        return {leaf: each for key, item in value.items() for leaf, each in flat(item, f"{path}/{key}").items()}
    if isinstance(value, list):
        return {leaf: each for key, item in enumerate(value) for leaf, each in flat(item, f"{path}/{key}").items()}
    return {path: value}


@settings(max_examples=60, deadline=None)
@given(rows_of_predictions(), st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(rows: Sequence[Row], random: Random) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)
    # The last bit of a sum may move with the order; a histogram's count may not be compared across such an edge.
    leaves = [
        {k: v for k, v in flat(scores_of(each, bins=3)).items() if "histogram" not in k} for each in (rows, shuffled)
    ]
    assert leaves[0] == pytest.approx(leaves[1])


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 4), st.integers(1, 3), st.lists(st.integers(1, 20), min_size=3, max_size=3))
def test_equal_templates_do_not_fluctuate(templates: int, aliases: int, ranks: list[int]) -> None:
    rows = [
        ("P1", pair, f"t{template}", f"s{pair}.{alias}", rank, rank, 0.5)
        for pair, rank in enumerate(ranks)
        for template in range(templates)
        for alias in range(aliases)
    ]
    for each in scores_of(rows)["fluctuation"].values():
        assert each["range"] == 0
        assert each["stdev"] == 0


class TestBorders:
    def test_an_empty_table(self) -> None:
        with pytest.raises(InputError, match="answered none of 0 prompts: the table is empty"):
            Predictions.from_table(PREDICTION.empty_table())

    def test_everything_left_out_names_the_reasons(self) -> None:
        table = table_of([], [(row, "no object of one token") for row in EXAMPLE])
        with pytest.raises(InputError, match="none of 11 prompts: no object of one token"):
            Predictions.from_table(table)

    def test_one_prompt_a_pair_has_no_consistency(self) -> None:
        scores = scores_of([row for row in EXAMPLE if (row[2], row[3]) in {("A", "s0"), ("A", "s1"), ("D", "s2")}])
        assert scores["consist@1"] is None
        assert scores["table_a2"]["subject"]["consist@1"] is None
        assert scores["by_relation"]["P1"]["consist@1"] is None
        assert scores["coverage"]["pairs_with_one_prompt"] == 3
        assert scores["fluctuation"]["acc@1"]["range"] == 0
        json.dumps(scores, allow_nan=False)

    def test_a_missing_column(self) -> None:
        with pytest.raises(InputError, match="'rank' is missing"):
            Predictions.from_table(table_of(EXAMPLE).drop_columns(["rank"]))

    def test_only_the_named_columns_are_needed(self) -> None:
        assert belief(Predictions.from_table(table_of(EXAMPLE).select(COLUMNS)), draws=5).n_prompts == 11

    def test_a_scored_row_without_a_rank(self) -> None:
        with pytest.raises(InputError, match="1 rows without a problem have no rank"):
            Predictions.from_table(table_of([*EXAMPLE, ("P1", 9, "A", "s9", None, 3, 0.1)]))

    @pytest.mark.parametrize("confidence", [float("nan"), -0.1, 1.5])
    def test_an_impossible_confidence(self, confidence: float) -> None:
        with pytest.raises(InputError, match="outside 0 to 1, or NaN"):
            Predictions.from_table(table_of([*EXAMPLE, ("P1", 9, "A", "s9", 1, 3, confidence)]))

    def test_an_impossible_rank(self) -> None:
        with pytest.raises(InputError, match="found the rank 0"):
            Predictions.from_table(table_of([*EXAMPLE, ("P1", 9, "A", "s9", 0, 3, 0.5)]))

    def test_a_template_under_two_relations(self) -> None:
        with pytest.raises(InputError, match="the template A stands under two relations"):
            Predictions.from_table(table_of([*EXAMPLE, ("P2", 9, "A", "s9", 1, 3, 0.1)]))

    def test_a_pair_under_two_relations(self) -> None:
        with pytest.raises(InputError, match="the pair 0 stands under two relations"):
            Predictions.from_table(table_of([*EXAMPLE, ("P2", 0, "D", "s0", 1, 3, 0.1)]))

    def test_a_prompt_that_stands_twice(self) -> None:
        with pytest.raises(InputError, match="1 prompts stand more than once"):
            Predictions.from_table(table_of([*EXAMPLE, EXAMPLE[0]]))

    @pytest.mark.parametrize("wrong", [{"draws": 0}, {"bins": 0}])
    def test_settings_below_one(self, wrong: dict[str, Any]) -> None:
        with pytest.raises(InputError, match="at least 1"):
            scores_of(EXAMPLE, **wrong)

    def test_memory_grows_with_the_templates_of_a_relation_not_with_all_templates(self) -> None:
        assert Cells.of(Predictions.from_table(table_of(EXAMPLE))).count.tolist() == [[2, 2, 2], [1, 1, 1], [1, 1, 0]]

    def test_chunks_with_dictionaries_of_their_own(self) -> None:
        halves = [table_of(EXAMPLE[:6]), table_of(EXAMPLE[6:])]
        assert flat(
            belief(Predictions.from_table(pa.concat_tables(halves)), draws=50).model_dump(mode="json")
        ) == pytest.approx(flat(scores_of(EXAMPLE, draws=50)))
