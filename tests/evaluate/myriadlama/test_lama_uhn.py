"""LAMA's own prompts: every prompt as a whole text through the model, and what the page calls them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tashika.core.models import load_model
from tashika.core.suites.myriadlama.lama import LAMA_SCHEMA
from tashika.core.workspace import Workspace
from tashika.evaluate.myriadlama.lama_uhn import lama_work
from tashika.evaluate.myriadlama.prompts import read_release, work_list
from tashika.evaluate.myriadlama.report import write_report
from tests.evaluate.pages import words_of

TEMPLATES = {"P36": "The capital of [X] is [Y] .", "P19": "[X] was born in [Y] ."}
ROWS = [
    ("P36", "Q142", "Q90", "France", "Paris"),
    ("P36", "Q183", "Q64", "Deutschland", "Berlin"),
    ("P19", "Q1", "Q84", "Ada", "London"),
    ("P19", "Q2", "Q90", "Zola", "Paris"),
    ("P19", "Q2", "Q84", "Zola", "London"),
    ("P19", "Q777", "Q84", "Nobody of this release", "London"),
]


@pytest.fixture
def with_lama(work: Path) -> Path:
    """A working directory whose release has LAMA's own prompts."""
    rows = [
        {
            "item_id": f"{number:032x}",
            "relation": relation,
            "template": TEMPLATES[relation],
            "subject": subject,
            "object": value,
            "subject_label": subject_label,
            "object_label": object_label,
            "uhn_filter": "string",
        }
        for number, (relation, subject, value, subject_label, object_label) in enumerate(ROWS)
    ]
    folder = work / "myriadlama" / "release" / "lama_uhn"
    folder.mkdir()
    pq.write_table(pa.Table.from_pylist(rows, schema=LAMA_SCHEMA), folder / "lama_uhn.parquet")
    return work


def _metrics(work: Path) -> Any:
    [file] = (work / "myriadlama" / "evaluate").glob("*/metrics.json")
    return json.loads(file.read_text())


def _ranks(model: str) -> list[int]:
    """One prompt a pair, as a whole text, all logits; right are LAMA's own objects that are one token."""
    import torch

    loaded = load_model(model, device="cpu", dtype="fp32")
    tokenizer = loaded.tokenizer
    ranks = []
    for _, pair in pd.DataFrame(ROWS[:-1], columns=["r", "s", "o", "x", "y"]).groupby(["r", "s"], sort=True):
        text = TEMPLATES[pair["r"].iloc[0]].replace("[X]", pair["x"].iloc[0])
        ids = tokenizer(text.replace("[Y]", tokenizer.mask_token))["input_ids"]
        with torch.no_grad():
            logits = loaded.model(torch.tensor([ids])).logits[0, ids.index(tokenizer.mask_token_id)]
        words = [tokenizer(word, add_special_tokens=False)["input_ids"] for word in pair["y"]]
        right = [word[0] for word in words if len(word) == 1]
        if right:
            ranks.append(1 + int((logits > max(logits[token] for token in right)).sum()))
    return ranks


def test_its_numbers_are_those_of_every_prompt_by_itself(
    run: Callable[..., Any], with_lama: Path, tiny_model: Callable[[str], str]
) -> None:
    bert = tiny_model("bert")
    run("--model", bert)
    scores, ranks = _metrics(with_lama)["lama_uhn"], pd.Series(_ranks(bert))
    assert (scores["asked"], scores["scored"], scores["uhn_filter"]) == (4, len(ranks), "string")
    assert scores["acc@1"]["value"] == pytest.approx((ranks == 1).mean())
    assert scores["acc@10"]["value"] == pytest.approx((ranks <= 10).mean())
    assert scores["mrr"]["value"] == pytest.approx((1 / ranks).mean())
    assert scores["mrr"]["low"] <= scores["mrr"]["value"] <= scores["mrr"]["high"]
    page = words_of(write_report(Workspace(with_lama, "myriadlama")).read_text(encoding="utf-8"))
    table = page[page.index("LAMA-UHN: LAMA's own template") : page.index("One prompt a pair: our first")]
    assert f"{scores['mrr']['value']:.4f}" in table
    assert "24.03%" in table  # the paper's, which stands in no other row
    assert "string filter alone" in page


def test_answers_are_not_widened_and_names_are_lamas(with_lama: Path) -> None:
    release = read_release(with_lama / "myriadlama" / "release")
    work = lama_work(release, work_list(release))
    assert work is not None
    assert work.alias_texts == ("Ada", "Zola", "France", "Deutschland")
    assert work.fact_answers == (("London",), ("London",), ("Paris",), ("Paris",), ("Berlin",))
    assert len(work) == 4


def test_a_sample_asks_lamas_prompts_about_its_own_pairs(
    run: Callable[..., Any], with_lama: Path, tiny_model: Callable[[str], str]
) -> None:
    run("--model", tiny_model("bert"), "--limit", "3")
    [file] = (with_lama / "myriadlama" / "evaluate").glob("*/predictions.parquet")
    drawn = set(pq.read_table(file)["pair"].to_pylist())
    known = {("P19", "Q1"): 0, ("P19", "Q2"): 1, ("P36", "Q142"): 2, ("P36", "Q183"): 4}
    assert _metrics(with_lama)["lama_uhn"]["asked"] == len(drawn & set(known.values()))


def test_without_lamas_files_its_rows_say_so(
    run: Callable[..., Any], work: Path, tiny_model: Callable[[str], str]
) -> None:
    run("--model", tiny_model("bert"))
    assert "lama_uhn" not in _metrics(work) or _metrics(work)["lama_uhn"] is None
    page = words_of(write_report(Workspace(work, "myriadlama")).read_text(encoding="utf-8"))
    assert "This release was not built from LAMA's files" in page
