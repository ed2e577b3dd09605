"""Models of different tokenizers, scored for real, are compared on the prompts that all of them could answer."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.testing import CliRunner

from tashika.core.workspace import Workspace
from tashika.evaluate.compare_command import app
from tashika.evaluate.comparing.systems import compare_named, scored_folders
from tashika.evaluate.myriadlama.command import EVALUATION


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
    [accuracy, *_] = side.measures
    assert accuracy.whole.items == len(common)
    assert list(accuracy.left_out) == [len(table) - len(common) for table in answered]
    for place, table in enumerate(answered):
        rows = table.loc[sorted(common)]
        assert accuracy.whole.values[place] == pytest.approx((rows["rank"] == 1).mean())
    result = CliRunner().invoke(app, ["myriadlama", "--work", str(work)])
    assert result.exit_code == 0, result.output
    assert re.search(rf"{len(common)} prompts of \d+ relations? count for all systems; left out", result.stdout)
