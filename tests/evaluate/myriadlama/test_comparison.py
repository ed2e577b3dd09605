"""Models of different tokenizers, scored for real, are compared on the prompts that all of them could answer."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from tashika.core.workspace import Workspace
from tashika.evaluate.compare_command import app
from tashika.evaluate.comparing.systems import compare_named, scored_folders
from tashika.evaluate.myriadlama.command import EVALUATION
from tashika.evaluate.myriadlama.comparison import pair_consistency


@pytest.mark.slow
def test_an_uncased_a_byte_level_and_a_causal_model_share_what_all_can_answer(
    run: Callable[..., Any], work: Path, tiny_model: Callable[[str], str]
) -> None:
    run(*(part for name in ("bert", "roberta", "gpt2") for part in ("--model", tiny_model(name))))
    workspace = Workspace(work, "myriadlama")
    folders = scored_folders(workspace)
    assert EVALUATION.comparison is not None
    side = compare_named(workspace, EVALUATION.comparison, folders)
    tables = [pd.read_parquet(folder / "predictions.parquet").set_index("item_id") for folder in folders]
    answered = [table[table.problem.isna()] for table in tables]
    common = set.intersection(*(set(table.index) for table in answered))
    assert 0 < len(common) < max(len(table) for table in answered)  # they were asked different prompts
    accuracy, *_, consistency, _ = side.measures
    assert accuracy.whole.items == len(common)
    assert list(accuracy.left_out) == [len(table) - len(common) for table in answered]
    for place, table in enumerate(answered):
        rows = table.loc[sorted(common)]
        assert accuracy.whole.values[place] == pytest.approx((rows["rank"] == 1).mean())
    # consistency is that of the prompts in common, pair by pair, with one loop in the place of counts
    for place, table in enumerate(answered):
        words = table.loc[sorted(common)].groupby("pair")["top_word"].apply(lambda of: list(map(str, of)))
        shares = [
            sum(one == other for one, other in combinations(of, 2)) / (len(of) * (len(of) - 1) / 2)
            for of in words
            if len(of) > 1
        ]
        assert consistency.whole.values[place] == pytest.approx(sum(shares) / len(shares))
        assert consistency.whole.items == len(shares) < accuracy.whole.items
    result = CliRunner().invoke(app, ["myriadlama", "--work", str(work)])
    assert result.exit_code == 0, result.output
    pairs = consistency.whole.items
    assert re.search(rf"Consist@1: {pairs} subject-relation pairs of \d+ relations? count", result.stdout)
    assert re.search(rf"{len(common)} prompts of \d+ relations? count for all systems; left out", result.stdout)


def test_the_consistency_of_pairs_by_hand() -> None:
    # Pair 7: words 1 1 2 and 3 3 3; pair 9: one prompt alone; pair 4: two, the same for the first alone.
    first = np.array([[1, 7], [1, 9], [1, 7], [5, 4], [2, 7], [5, 4]], dtype=np.float64)
    second = np.array([[3, 7], [1, 9], [3, 7], [5, 4], [3, 7], [6, 4]], dtype=np.float64)
    values, rows = pair_consistency([first, second])
    assert values[0].tolist() == pytest.approx([1.0, 1 / 3])  # pair 4, pair 7
    assert values[1].tolist() == pytest.approx([0.0, 1.0])
    assert rows.tolist() == [3, 0]


def test_predictions_of_an_older_version_are_compared_without_consistency(
    run: Callable[..., Any], work: Path, tiny_model: Callable[[str], str]
) -> None:
    run("--model", tiny_model("bert"))
    run("--model", tiny_model("bert"), "--limit-templates", "3")
    workspace = Workspace(work, "myriadlama")
    folders = scored_folders(workspace)
    file = folders[0] / "predictions.parquet"
    pq.write_table(pq.read_table(file).drop_columns(["top_word"]), file)
    assert EVALUATION.comparison is not None
    side = compare_named(workspace, EVALUATION.comparison, folders)
    assert [compared.measure.key for compared in side.measures] == ["acc@1", "acc@10", "mrr", "overconf@1"]
