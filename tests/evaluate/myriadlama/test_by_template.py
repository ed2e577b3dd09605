"""Accuracy by template: worked by hand, and a bootstrap over pairs that shares nothing with the intervals."""

from __future__ import annotations

from random import Random

import numpy as np
import pandas as pd
import pytest

from tashika.evaluate.myriadlama.by_template import Wording, template_scores
from tashika.evaluate.myriadlama.predictions import Predictions
from tests.evaluate.myriadlama.test_belief import EXAMPLE, Row, table_of

WORDINGS = {"A": Wording("[X] is in [Y].", "manual"), "B": Wording("[X], [Y].", "paraphrase")}


def test_templates_stand_by_their_accuracy() -> None:
    scores = template_scores(Predictions.from_table(table_of(EXAMPLE)), WORDINGS)
    rows = [(row.text, row.origin, row.acc_at_1.value, row.n_prompts, row.n_pairs) for row in scores["P1"]]
    assert rows == [
        ("[X] is in [Y].", "manual", 1.0, 3, 2),
        ("C", "", 1 / 3, 3, 2),
        ("[X], [Y].", "paraphrase", 0.0, 3, 2),
    ]
    assert [row.template_id for row in scores["P2"]] == ["E", "D"]


def test_a_template_that_is_always_right_is_not_certain() -> None:
    # Two pairs: Wilson's interval of 2 of 2 is 2/(2 + 1.96²) to 1.
    best = template_scores(Predictions.from_table(table_of(EXAMPLE)), {})["P1"][0].acc_at_1
    assert best.low == pytest.approx(2 / (2 + 1.959964**2), abs=1e-6)
    assert best.high == 1


def test_the_interval_is_near_that_of_a_bootstrap_over_pairs() -> None:
    random = Random(5)
    rows: list[Row] = []
    for pair in range(150):
        known = random.random()  # names of one subject are answered alike
        for alias in range(random.randint(1, 6)):
            rows.append(("P1", pair, "A", f"s{pair}-{alias}", 1 if random.random() < known else 2, 1, 0.5))
    score = template_scores(Predictions.from_table(table_of(rows)), {})["P1"][0].acc_at_1
    sums = pd.DataFrame({"pair": [row[1] for row in rows], "hit": [row[4] == 1 for row in rows]})
    by_pair = sums.groupby("pair")["hit"].agg(["sum", "count"]).to_numpy()
    rng = np.random.default_rng(0)
    means = []
    for _ in range(4000):
        drawn = by_pair[rng.integers(len(by_pair), size=len(by_pair))]
        means.append(drawn[:, 0].sum() / drawn[:, 1].sum())
    low, high = np.quantile(means, [0.025, 0.975])
    assert score.low == pytest.approx(low, abs=0.01)
    assert score.high == pytest.approx(high, abs=0.01)
    naive = 1.96 * (score.value * (1 - score.value) / len(rows)) ** 0.5
    assert score.low is not None
    assert score.value - score.low > 1.2 * naive
