"""How long KUCI's questions take, and in what memory: 34,170 pairs, as many as the paper has.

Usage: python bench/kuci.py [--quick] [--pairs 34170]

The pairs are made up: words without meaning, whose vectors are so made that cosines are spread as they are between
real consequents. All three sets of questions are made, with the split, in a process of its own, whose peak memory the
system tells. Processor time is told as well, since that of the clock depends on what else the machine does.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from harness import Report, figure, parser

from tashika.builders.kuci.questions.questions import QuestionSettings, questions
from tashika.builders.kuci.questions.word_vectors import WordVectors

PUBLISHED_PAIRS: Final = 34_170
"""Pairs that people accepted (section 3.3)."""
ASKED_SECONDS: Final = 120.0
"""The most that their questions may take, on two cores."""

WORDS: Final = 20_000
DIMENSIONS: Final = 300
TOPICS: Final = 16  # directions that words differ in; the fewer, the wider cosines are spread
COMMON: Final = 0.41  # what all words have in common, where what they differ in is 1
SHORTEST, USUAL, LONGEST = 2, 6, 13
ANTECEDENTS: Final = 0.9  # of the pairs; the others share theirs


def main() -> None:
    """Measures; or does one run here and prints its figures as JSON."""
    options = _options()
    if options.here:
        print(json.dumps(run(options.pairs)))
        return
    report = Report("kuci", options)
    count = 3_000 if options.quick else options.pairs
    call = [sys.executable, __file__, "--here", "--pairs", str(count)]
    done = subprocess.run(call, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"the run failed with exit code {done.returncode}")
    found = json.loads(done.stdout.splitlines()[-1])
    _tell(report, found)
    report.keep("questions", found)
    report.save()


def _options() -> argparse.Namespace:
    found = parser(__doc__)
    found.add_argument("--pairs", type=int, default=PUBLISHED_PAIRS)
    found.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    return found.parse_args()


def run(count: int) -> dict[str, Any]:
    """Makes all questions of so many pairs."""
    draw = np.random.default_rng(0)
    vectors = _vectors(draw)
    pairs = list(_pairs(draw, count))
    before, processor, began = _peak(), time.process_time(), time.perf_counter()
    rows, counts = questions(pairs, vectors, QuestionSettings())
    seconds, cpu = time.perf_counter() - began, time.process_time() - processor
    directions, _ = vectors.directions([one["consequent_words"] for one in pairs[:2000]])
    cosines = (directions @ directions.T)[np.triu_indices(len(directions), 1)]
    return {
        **counts,
        "rows": len(rows),
        "seconds": seconds,
        "cpu": cpu,
        "before": before,
        "peak": _peak(),
        "median_cosine": float(np.median(cosines)),
        "share": float(((cosines >= 0.4) & (cosines <= 0.6)).mean()),
    }


def _vectors(draw: np.random.Generator) -> WordVectors:
    topics = draw.normal(size=(TOPICS, DIMENSIONS))
    words = draw.normal(size=(WORDS, TOPICS)) @ topics
    words /= np.linalg.norm(words, axis=1, keepdims=True)
    common = draw.normal(size=DIMENSIONS)
    words += COMMON * common / np.linalg.norm(common)
    rows = {f"語{number}": number for number in range(WORDS)}
    return WordVectors(rows.get, words.astype(np.float32), name="synthetic")


def _pairs(draw: np.random.Generator, count: int) -> Iterator[dict[str, Any]]:
    """Yields pairs; a third of a consequent's words have no vector, as function words have none."""
    lengths = np.clip(draw.poisson(USUAL, count), SHORTEST, LONGEST)
    for number, length in enumerate(lengths):
        content = max(1, round(length * 2 / 3))
        words = [f"語{one}" for one in draw.integers(0, WORDS, content)] + ["を"] * (length - content)
        antecedent = int(draw.integers(0, int(count * ANTECEDENTS)))
        yield {
            "item_id": f"{number:032x}",
            "relation": "cause",
            "antecedent": f"前{antecedent}なので",
            "consequent": "".join(words),
            "antecedent_words": [f"前{antecedent}", "な", "ので"],
            "consequent_words": words,
            "antecedent_event": f"前{antecedent}:ガ:ある",
            "consequent_event": f"{words[0]}:ヲ:する",
        }


def _peak() -> float:
    """The most memory that this process ever held, in MiB (Linux tells KiB)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _tell(report: Report, found: dict[str, Any]) -> None:
    report.say(
        f"""## KUCI's questions

        **Synthetic pairs**: words without meaning. {found["pairs"]:,} pairs; the median cosine of two consequents is
        {found["median_cosine"]:.2f}, and {found["share"]:.0%} of them are in [0.4, 0.6].

        {found["questions"]:,} questions, each with all conditions and as both ablations, in
        {figure(found["seconds"])} s; asked for are {PUBLISHED_PAIRS:,} in less than {ASKED_SECONDS:.0f} s."""
    )
    head = ("pairs", "questions", "options compared", "seconds", "CPU, s", "MiB before", "peak MiB")
    row = (
        *(f"{found[name]:,}" for name in ("pairs", "questions")),
        f"{found['pairs'] ** 2 / 1e6:,.0f} million",
        *(figure(found[name]) for name in ("seconds", "cpu")),
        *(f"{found[name]:.0f}" for name in ("before", "peak")),
    )
    report.table("Questions", head, [row])


if __name__ == "__main__":
    main()
