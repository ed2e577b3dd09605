"""How long the BELIEF scores of 6.5 million predictions take, part by part, beside a plain loop on a small subset.

Run with one core: `taskset -c 0 python bench/belief.py [--prompts 6492800]`. The predictions are synthetic; their
shape is MyriadLAMA's (41 relations, 100 templates each, 24,643 subject–relation pairs, one to five aliases).
"""

from __future__ import annotations

import argparse
import resource
import time
from collections import Counter
from collections.abc import Callable
from itertools import combinations
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from tashika.evaluate.myriadlama.belief import belief
from tashika.evaluate.myriadlama.calibration import calibration_of
from tashika.evaluate.myriadlama.consistency import agreement_within
from tashika.evaluate.myriadlama.fluctuation import Cells, fluctuation_of
from tashika.evaluate.myriadlama.predictions import Predictions

RELATIONS, TEMPLATES, PAIRS, VOCABULARY = 41, 100, 24_643, 30_522
T = TypeVar("T")


def synthetic(prompts: int, seed: int = 0) -> pa.Table:
    """Predictions in the release's order: by pair, alias and template."""
    random = np.random.default_rng(seed)
    pairs = max(RELATIONS, round(PAIRS * prompts / 6_492_800))
    aliases = 1 + random.binomial(4, 0.41, pairs)  # 2.64 a subject on average
    relation_of_pair = np.sort(random.integers(0, RELATIONS, pairs))
    relation_of_pair[:RELATIONS] = np.arange(RELATIONS)
    relation_of_pair.sort()
    pair_of_alias = np.repeat(np.arange(pairs), aliases)
    pair = np.repeat(pair_of_alias, TEMPLATES).astype(np.int32)
    alias = np.repeat(np.arange(len(pair_of_alias)), TEMPLATES).astype(np.int32)
    relation = relation_of_pair[pair].astype(np.int16)
    template = (relation.astype(np.int32) * TEMPLATES + np.tile(np.arange(TEMPLATES), len(pair_of_alias))).astype(
        np.int32
    )
    quality = random.beta(1, 4, RELATIONS * TEMPLATES)
    right = random.random(len(pair)) < quality[template]
    rank = np.where(right, 1, 1 + random.geometric(0.02, len(pair))).astype(np.int32)
    token = np.where(right, pair % VOCABULARY, random.zipf(1.5, len(pair)) % VOCABULARY).astype(np.int32)
    confidence = random.beta(1, 2, len(pair)).astype(np.float32)
    return pa.table(
        {
            "relation": _names("P", relation, RELATIONS),
            "pair": pair,
            "template_id": _names("t", template, RELATIONS * TEMPLATES),
            "subject_alias_id": _names("a", alias, len(pair_of_alias)),
            "rank": rank,
            "top_word": _names("w", token, VOCABULARY),
            "top_probability": confidence,
            "top_10_probability": confidence ** np.float32(0.5),
            "problem": pa.nulls(len(pair), pa.string()),
        }
    )


def _names(prefix: str, codes: np.ndarray[Any, Any], number: int) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(codes), pa.array([f"{prefix}{code:032d}" for code in range(number)]))


def timed(what: str, work: Callable[[], T]) -> T:
    """Runs the work and prints its seconds and the peak memory so far."""
    started = time.perf_counter()
    result = work()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{what:<44} {time.perf_counter() - started:8.2f} s   peak {peak:7.0f} MiB", flush=True)
    return result


def naive(rows: list[dict[str, Any]], draws: int) -> dict[str, float]:
    """Acc@1, Consist@1 and the draws as one would first write them."""
    by_pair: dict[int, list[dict[str, Any]]] = {}
    for row in rows:
        by_pair.setdefault(row["pair"], []).append(row)
    shares = []
    for answers in by_pair.values():
        compared = list(combinations([row["top_word"] for row in answers], 2))
        shares.append(sum(one == other for one, other in compared) / len(compared))
    templates: dict[str, list[str]] = {}
    for row in rows:
        templates.setdefault(row["relation"], []).append(row["template_id"])
    choices = {relation: sorted(set(names)) for relation, names in templates.items()}
    random = np.random.default_rng(0)
    values = []
    for _ in range(draws):
        drawn = {relation: names[random.integers(len(names))] for relation, names in choices.items()}
        hits: Counter[int] = Counter()
        asked: Counter[int] = Counter()
        for row in rows:
            if row["template_id"] == drawn[row["relation"]]:
                hits[row["pair"]] += row["rank"] == 1
                asked[row["pair"]] += 1
        values.append(float(np.mean([hits[pair] / asked[pair] for pair in asked])))
    return {
        "acc@1": float(np.mean([row["rank"] == 1 for row in rows])),
        "consist@1": float(np.mean(shares)),
        "stdev": float(np.std(values)),
    }


def main() -> None:
    """Prints the times."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--prompts", type=int, default=6_492_800)
    arguments.add_argument("--naive-prompts", type=int, default=20_000)
    arguments.add_argument("--naive-draws", type=int, default=50)
    chosen = arguments.parse_args()

    table = timed("generate predictions (not counted)", lambda: synthetic(chosen.prompts))
    print(f"{table.num_rows:,} predictions, {table.nbytes / 2**20:.0f} MiB in Arrow")
    started = time.perf_counter()
    predictions = timed("read into arrays, with checks", lambda: Predictions.from_table(table))
    scores = timed("all scores", lambda: belief(predictions, draws=5000)).model_dump()
    print(f"together {time.perf_counter() - started:.2f} s")
    print("of these, run again one by one:")
    cells = timed("  Acc@K and MRR, sums of all cells", lambda: Cells.of(predictions))
    timed("  fluctuation, 5,000 draws", lambda: fluctuation_of(cells, 5000, 0))
    pairs = len(predictions.relation_of_pair)
    timed("  Consist@1", lambda: agreement_within(predictions.pair, predictions.answer, pairs))
    timed("  Overconf@K, reliability", lambda: calibration_of(predictions, 10))
    print({key: round(scores[key], 4) for key in ("acc@1", "acc@10", "mrr", "consist@1", "overconf@1", "overconf@10")})

    small = synthetic(chosen.naive_prompts)
    rows = small.to_pylist()
    print(f"the plain loop, {len(rows):,} predictions and {chosen.naive_draws} draws:")
    plain = timed("  plain loop", lambda: naive(rows, chosen.naive_draws))
    ours = timed(
        "  ours, same input, 5,000 draws", lambda: belief(Predictions.from_table(small), draws=5000)
    ).model_dump()
    print("  plain", {key: round(value, 6) for key, value in plain.items()})
    fluctuation = ours["fluctuation"]["acc@1"]["stdev"]
    print("  ours ", {key: round(ours[key], 6) for key in ("acc@1", "consist@1")} | {"stdev": round(fluctuation, 6)})


if __name__ == "__main__":
    main()
