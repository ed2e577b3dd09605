"""Peak memory over runs of ever more prompts, from a work list to the finished Parquet file: is it flat?

Usage: python bench/memory.py [--quick] [--vocabulary-size 8000]

The model costs next to nothing (one layer, 32 wide, random), so that a million prompts take minutes. Each run has a
process of its own, whose peak is told by the system; what the process holds before the first prompt is told as well.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from harness import Report, parser
from world import Vocabulary, prompts, random_bert

from tashika.evaluate.engine.shards import plan, write_predictions
from tashika.evaluate.myriadlama.predictions import PREDICTION
from tashika.evaluate.myriadlama.scoring import Engine

TINY = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 64}


def main() -> None:
    """Runs each size in its own process, or one size here."""
    options = _options()
    if options.run is not None:
        print(json.dumps(run(options.run, options.vocabulary_size)))
        return
    report = Report("memory", options)
    sizes = (30_000, 100_000, 300_000) if options.quick else (100_000, 300_000, 1_000_000)
    found = [_apart(size, options.vocabulary_size) for size in sizes]
    report.say(
        f"""## Memory

        A random BERT of one layer, 32 wide, {options.vocabulary_size:,} entries of vocabulary; from the work list to
        the joined Parquet file, a process for each run."""
    )
    rows = [
        (
            f"{one['prompts']:,}",
            f"{one['peak']:.0f}",
            f"{one['before']:.0f}",
            f"{one['file']:.0f}",
            f"{one['seconds']:.0f}",
            f"{one['prompts'] / one['seconds']:,.0f}",
        )
        for one in found
    ]
    head = ("prompts", "peak MiB", "MiB before the first", "Parquet MiB", "seconds", "prompts/s")
    report.table("Peak memory", head, rows)
    grown = (found[-1]["peak"] - found[0]["peak"]) / (found[-1]["prompts"] - found[0]["prompts"]) * 1e6
    report.say(f"From the smallest run to the largest: {grown:+.0f} MiB for each further million prompts.")
    report.keep("runs", found)
    report.keep("mib_per_million", grown)
    report.save()


def _options() -> argparse.Namespace:
    found = parser(__doc__)
    found.add_argument("--vocabulary-size", type=int, default=8000, help="entries of the vocabulary that are kept")
    found.add_argument("--run", type=int, help="do one run of so many prompts here, and print its figures as JSON")
    return found.parse_args()


def _apart(size: int, vocabulary: int) -> Any:
    """One run in another process."""
    print(f"  {size:,} prompts", file=sys.stderr, flush=True)
    call = [sys.executable, __file__, "--run", str(size), "--vocabulary-size", str(vocabulary)]
    done = subprocess.run(call, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def run(size: int, entries: int) -> dict[str, float]:
    """Scores so many prompts into a file that is then removed; MiB and seconds."""
    vocabulary = Vocabulary.find(size=entries)
    work = prompts(vocabulary, size)
    engine = Engine.of(random_bert(vocabulary, **TINY), work)
    engine.score(0, 1)  # what is loaded once, such as kernels
    before = _peak()
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "predictions.parquet"
        written = write_predictions([engine], plan(target, "bench", len(work), 20_000), target, PREDICTION, "memory")
        rows = pq.read_metadata(target).num_rows
        if not written == rows == len(work):
            raise SystemExit(f"Found {rows:,} rows in the file, {written:,} told and {len(work):,} asked.")
        kept = target.stat().st_size / 2**20
    return {
        "prompts": rows,
        "peak": _peak(),
        "before": before,
        "file": kept,
        "seconds": time.perf_counter() - began,
    }


def _peak() -> float:
    """The most memory that this process ever held, in MiB (Linux tells KiB)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
