"""How fast prompts are scored: the engine against transformers' fill-mask pipeline, in one run, interleaved.

Usage: python bench/scoring.py [--work work] [--prompts 120] [--rounds 3]

Prints prompts a second (median of the rounds) and the ratio to the pipeline, for a BERT-base with random weights and
the packaged vocabulary of the tiny BERT, and for the tiny BERT itself, on prompts of a release. The pipeline gives the
ten best tokens and no ranks; the engine gives exact ranks and probabilities. The last lines say what sharing the
beginnings of prompts could save a causal model.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers

from tashika.core.models import LoadedModel, load_model
from tashika.core.workspace import Workspace
from tashika.evaluate.pieces import PromptEncoder
from tashika.evaluate.prompts import WorkList, read_release, work_list
from tashika.evaluate.scoring import Engine

BATCH = 32


def main() -> None:
    """Runs the comparison."""
    options = _options()
    transformers.logging.set_verbosity_error()
    work = work_list(read_release(Workspace(options.work, "myriadlama").release))
    tiny = load_model(str(options.work / "models" / "tiny-bert"), device="cpu")
    print(f"torch {torch.__version__}, transformers {transformers.__version__}, Python {platform.python_version()}")
    print(f"{torch.get_num_threads()} threads, {platform.processor() or platform.machine()}, {len(work):,} prompts")
    _compare("tiny BERT", tiny, work, options.prompts * 20, options.rounds)
    _compare("BERT-base, random weights", _random_base(tiny, "fp32"), work, options.prompts, options.rounds)
    _compare("BERT-base, bf16 body", _random_base(tiny, "bf16"), work, options.prompts, options.rounds)
    _tokenising(tiny, work)
    _sharing(tiny, work)


def _options() -> Any:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, default=Path("work"))
    parser.add_argument("--prompts", type=int, default=60, help="prompts a round of the large model")
    parser.add_argument("--rounds", type=int, default=3)
    return parser.parse_args()


def _random_base(tiny: LoadedModel, dtype: str) -> LoadedModel:
    """BERT-base with its own vocabulary's width, and the tiny model's tokenizer."""
    from tashika.core.models import placed

    torch.manual_seed(0)
    model = placed(transformers.BertForMaskedLM(transformers.BertConfig()), dtype, "cpu")
    return replace(tiny, model=model)


def _compare(name: str, loaded: LoadedModel, work: WorkList, count: int, rounds: int) -> None:
    """Times both ways of scoring the same prompts, in turns."""
    start = int(np.random.default_rng(0).integers(max(1, len(work) - count)))
    stop = min(start + count, len(work))
    engine = Engine.of(loaded, work)
    table = engine.score(start, stop)
    scored = table.num_rows - len(table["problem"].drop_null())
    ways: dict[str, Callable[[], object]] = {"ours": lambda: engine.score(start, stop)}
    if next(loaded.model.base_model.parameters()).dtype == torch.float32:
        texts = _texts(loaded, work, start, stop, table)
        pipeline = transformers.pipeline(
            "fill-mask", model=loaded.model, tokenizer=loaded.tokenizer, device="cpu", batch_size=BATCH, top_k=10
        )
        ways["fill-mask pipeline"] = lambda: pipeline(texts)
    seconds: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(rounds):
        for way, run in ways.items():
            began = time.perf_counter()
            run()
            seconds[way].append(time.perf_counter() - began)
    rate = {way: scored / statistics.median(taken) for way, taken in seconds.items()}
    for way, value in rate.items():
        print(f"{name:28s} {way:20s} {value:9.1f} prompts/s")
    if len(rate) > 1:
        ratios = [slow / fast for fast, slow in zip(*seconds.values(), strict=True)]
        print(f"{name:28s} {'ratio':20s} {statistics.median(ratios):9.2f} x")


def _texts(loaded: LoadedModel, work: WorkList, start: int, stop: int, table: Any) -> list[str]:
    """The scored prompts as strings."""
    at = work.stretch(start, stop)
    rows = zip(at.template.tolist(), at.alias.tolist(), table["problem"].to_pylist(), strict=True)
    mask = loaded.tokenizer.mask_token
    return [
        work.template_texts[template].replace("[X]", work.alias_texts[alias]).replace("[Y]", mask)
        for template, alias, problem in rows
        if problem is None
    ]


def _tokenising(loaded: LoadedModel, work: WorkList) -> None:
    """Joined pieces against whole strings."""
    at = work.stretch(0, min(len(work), 20_000))
    rates = []
    for by_pieces in (True, False):
        encoder = PromptEncoder(loaded.tokenizer, "masked", work.template_texts, work.alias_texts, by_pieces=by_pieces)
        began = time.perf_counter()
        encoder.encode(at.template, at.alias)
        rates.append(len(at.pair) / (time.perf_counter() - began))
    print(f"tokenising: by pieces {rates[0]:,.0f} prompts/s, whole {rates[1]:,.0f}, ratio {rates[0] / rates[1]:.1f} x")


def _sharing(loaded: LoadedModel, work: WorkList) -> None:
    """Share of tokens that a cache of all shared beginnings would spare a causal model."""
    encoder = PromptEncoder(loaded.tokenizer, "causal", work.template_texts, work.alias_texts)
    at = work.stretch(0, min(len(work), 5_000))
    ids = encoder.encode(at.template, at.alias).ids
    beginnings = {
        ids.values[begin : begin + end].tobytes()
        for begin, size in zip(ids.start.tolist(), ids.length.tolist(), strict=True)
        for end in range(1, size + 1)
    }
    spared = 1 - len(beginnings) / int(ids.length.sum())
    print(f"shared beginnings: {spared:.0%} of the tokens of {len(ids.length):,} texts")


if __name__ == "__main__":
    main()
