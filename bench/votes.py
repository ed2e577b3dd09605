"""How fast votes are counted: judgments of three people on each of 100,000 items.

Usage: python bench/votes.py [--items 100000]
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import pyarrow as pa

from tashika.annotation.labelling import AGAINST, FOR
from tashika.annotation.votes.vote import collect, decide
from tashika.core.records import JUDGMENT

CHOICES = {"valid": FOR, "invalid": AGAINST}
PEOPLE = ("a", "b", "c")


def main() -> None:
    """Makes the judgments, counts them, and prints the time."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=100_000)
    items = [f"{number:032x}" for number in range(parser.parse_args().items)]
    table = judgments(items)
    started = time.perf_counter()
    verdicts = decide(collect(pa.array(items), table, CHOICES), "template", 2)
    seconds = time.perf_counter() - started
    cast = int(np.sum(verdicts["votes_cast"].to_numpy()))
    print(f"votes: {cast:,} on {len(items):,} items counted in {seconds:.2f} s")


def judgments(items: list[str]) -> pa.Table:
    """A judgment of each person on each item; every seventh is against."""
    count = len(PEOPLE) * len(items)
    known = {
        "item_id": items * len(PEOPLE),
        "kind": ["template"] * count,
        "annotator": [name for name in PEOPLE for _ in items],
        "label": np.where(np.arange(count) % 7 == 0, "invalid", "valid").tolist(),
        "created_at": np.arange(count),
        "server": ["s"] * count,
        "annotation_id": np.arange(count),
    }
    columns = [_column(field, known.get(field.name), count) for field in JUDGMENT]
    return pa.table(columns, schema=JUDGMENT)


def _column(field: pa.Field, values: object, count: int) -> pa.Array:
    if values is not None:
        return pa.array(values, field.type)
    return pa.nulls(count, field.type) if field.nullable else pa.array(np.zeros(count, np.int64)).cast(field.type)


if __name__ == "__main__":
    main()
