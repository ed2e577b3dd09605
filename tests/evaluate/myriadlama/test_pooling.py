"""Any, vote and abstention: a worked example with fractions, and loops and pandas over drawn predictions."""

from __future__ import annotations

import math
from collections import defaultdict
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tashika.evaluate.myriadlama.pooling import pooled_of
from tashika.evaluate.myriadlama.predictions import Predictions
from tashika.evaluate.myriadlama.wording_numbers import AbstentionCurve, Pooled
from tests.evaluate.myriadlama.test_belief import EXAMPLE, Row, close, table_of


def pooled(rows: list[Row], **options: Any) -> Pooled:
    return pooled_of(Predictions.from_table(table_of(rows)), **options)


def curve_of(scores: Pooled, unit: str, by: str) -> AbstentionCurve:
    return next(curve for curve in scores.abstention if (curve.unit, curve.by) == (unit, by))


class TestWorkedExample:
    """The example of `test_belief`: pair 0 answers 7 8 7 7 9 8, pair 1 answers 5 6 6, pair 2 answers 3 4."""

    def test_any_all_and_one_prompt(self) -> None:
        scores = pooled(EXAMPLE)
        assert (scores.n_pairs, scores.prompts_of_pair) == (3, close(Fraction(11, 3)))
        assert scores.any_prompt.value == 1
        assert scores.all_prompts.value == 0
        assert scores.one_prompt.value == close((Fraction(3, 6) + Fraction(1, 3) + Fraction(1, 2)) / 3)

    def test_votes(self) -> None:
        # Pair 0: 7, which is right. Pair 1: 6, twice, wrong; 5 and its .7 are right, and as loud as 6's .6 + .1.
        # Pair 2: one prompt each for 3 (.95, wrong) and 4 (.85, right): the surer word wins.
        scores = pooled([*EXAMPLE[:6], ("P1", 1, "A", "s1", 1, 5, 0.75), *EXAMPLE[7:]])
        assert scores.vote.value == close(Fraction(1, 3))
        assert scores.vote_by_confidence.value == close(Fraction(2, 3))
        assert scores.vote_gain.value == close(Fraction(1, 3) - Fraction(4, 9))

    def test_abstention_by_agreement(self) -> None:
        # Agreement is 3/6 and right, 2/3 and wrong, 1/2 and wrong: the wrong .667 first, then two equals, one right.
        curve = curve_of(pooled(EXAMPLE), "pair", "agreement")
        value = {point.coverage: point.value for point in curve.points}
        assert value[0.3] == 0
        assert value[1.0] == close(Fraction(1, 3))
        # At half of three pairs, 1.5: the first and a quarter of each of the two equals.
        assert value[0.5] == close(Fraction(1, 4) / Fraction(3, 2))
        # Over 1, 2, 3 pairs: 0, then on average 1/2 of 2, then 1/3.
        assert curve.area.value == close((0 + Fraction(1, 4) + Fraction(1, 3)) / 3)

    def test_abstention_by_the_confidence_of_prompts(self) -> None:
        # By confidence .95 .90 .85 .80 .70 .60 .50 .40 .30 .20 .10, right are .90 .85 .80 .70 .40.
        curve = curve_of(pooled(EXAMPLE), "prompt", "confidence")
        right = [0, 1, 1, 1, 1, 0, 0, 1, 0, 0, 0]
        assert curve.points[-1].value == close(Fraction(5, 11))
        assert curve.area.value == close(sum(Fraction(sum(right[:k]), k) for k in range(1, 12)) / 11)


def drawn_rows(seed: int, pairs: int = 12) -> list[Row]:
    """Predictions in which a word of a pair is always right or always wrong, with many equal confidences."""
    random = Random(seed)
    rows: list[Row] = []
    for pair in range(pairs):
        relation, correct = f"P{pair % 3}", random.randrange(5)
        for template in range(random.randint(1, 5)):
            for alias in range(random.randint(1, 3)):
                word = random.randrange(5)
                rank = 1 if word == correct else random.randint(2, 20)
                sure = random.choice((0.125, 0.25, 0.5, 0.75))
                rows.append((relation, pair, f"{relation}-{template}", f"s{pair}-{alias}", rank, word, sure))
    return rows


@pytest.mark.parametrize("seed", range(20))
def test_loops_agree(seed: int) -> None:
    rows = drawn_rows(seed)
    groups: defaultdict[int, list[tuple[bool, int, float]]] = defaultdict(list)
    for _, pair, _, _, rank, word, sure in rows:
        groups[pair].append((rank == 1, word, sure))
    chosen, loudest = [], []
    for answers in groups.values():
        words: dict[int, tuple[int, float, bool]] = {}
        for hit, word, sure in answers:
            count, total, _ = words.get(word, (0, 0.0, False))
            words[word] = (count + 1, total + sure, hit)
        chosen.append(words[min(words, key=lambda word: (-words[word][0], -words[word][1], word))][2])
        loudest.append(words[min(words, key=lambda word: (-words[word][1], word))][2])
    scores = pooled(rows)
    assert scores.vote.value == close(Fraction(sum(chosen), len(chosen)))
    assert scores.vote_by_confidence.value == close(Fraction(sum(loudest), len(loudest)))
    assert scores.all_prompts.value <= scores.one_prompt.value <= scores.any_prompt.value
    assert scores.vote.value <= scores.any_prompt.value


def test_pandas_agrees_on_shares_of_pairs() -> None:
    rows = pd.DataFrame(drawn_rows(3, 40), columns=["relation", "pair", "template", "alias", "rank", "word", "sure"])
    right = rows.assign(right=rows["rank"] == 1).groupby("pair")["right"]
    scores = pooled([tuple(row) for row in rows.itertuples(index=False)])
    assert scores.one_prompt.value == pytest.approx(right.mean().mean())
    assert scores.any_prompt.value == pytest.approx(right.any().mean())
    assert scores.all_prompts.value == pytest.approx(right.all().mean())


@pytest.mark.parametrize("seed", range(5))
def test_equal_confidences_count_as_their_mean_over_all_orders(seed: int) -> None:
    random, rows = Random(seed), drawn_rows(seed, 4)
    curve = curve_of(pooled(rows), "prompt", "confidence")
    total, runs = 0.0, 4000
    for _ in range(runs):
        random.shuffle(rows)
        hits = [row[4] == 1 for row in sorted(rows, key=lambda row: -row[6])]
        total += math.fsum(sum(hits[: k + 1]) / (k + 1) for k in range(len(hits))) / len(hits)
    assert curve.area.value == pytest.approx(total / runs, abs=0.01)


def test_the_order_of_rows_changes_nothing() -> None:
    rows = drawn_rows(1)
    shuffled = rows[:]
    Random(0).shuffle(shuffled)
    one, other = (
        pd.json_normalize(pooled(each).model_dump(mode="json"), ["abstention", "points"]) for each in (rows, shuffled)
    )
    pd.testing.assert_frame_equal(one, other)
    assert pooled(rows).vote == pooled(shuffled).vote


def test_the_interval_of_a_share_of_pairs_is_that_of_a_binomial() -> None:
    rows: list[Row] = [("P1", pair, "A", f"s{pair}", 1 + (pair % 4 > 0), 1, 0.5) for pair in range(400)]
    vote = pooled(rows, resamples=4000).vote
    half = 1.96 * math.sqrt(0.25 * 0.75 / 400)
    assert vote.low == pytest.approx(0.25 - half, abs=0.006)
    assert vote.high == pytest.approx(0.25 + half, abs=0.006)


def test_more_prompts_of_the_same_pairs_make_no_interval_narrower() -> None:
    """Prompts of a pair that say the same are one voice, not twenty."""
    few: list[Row] = [("P1", pair, "A", f"s{pair}", 1 + pair % 2, pair % 2, 0.5) for pair in range(60)]
    many = [(*row[:2], f"T{t}", *row[3:]) for row in few for t in range(20)]
    one, other = pooled(few).one_prompt, pooled(many).one_prompt
    assert (one.low, one.high) == (other.low, other.high)


def test_a_single_pair_has_no_interval() -> None:
    scores = pooled([("P1", 0, "A", "s", 1, 1, 0.5), ("P1", 0, "B", "s", 1, 1, 0.5)])
    assert (scores.vote.value, scores.vote.low, scores.vote.high) == (1.0, None, None)
    assert np.isclose(scores.abstention[0].area.value, 1)


def test_what_all_pairs_agree_on_is_not_certain() -> None:
    rows: list[Row] = [("P1", pair, "A", f"s{pair}", 2, 1, 0.5) for pair in range(50)]
    scores = pooled(rows)
    assert (scores.vote.value, scores.vote.low) == (0, 0)
    assert scores.vote.high == pytest.approx(1.959964**2 / (50 + 1.959964**2), abs=1e-6)  # Wilson's of 0 of 50
    assert (scores.vote_gain.low, scores.vote_gain.high) == (0, 0)
