"""Scores prompts or options with minicons or lm-pub-quiz, in their own environment, as their documentation says.

Usage: .bench/peers/bin/python bench/peers.py JOB.json. It loads the model, prints `ready` as a line of JSON, and
for each line on standard input does the whole job once and prints the seconds and what was found. So it can take its
turns with what runs elsewhere. It imports nothing of Tashika, which is not installed there.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Job = dict[str, Any]
Found = list[list[float]]

BLANK = "qzblankqz"
"""Stands for the blank in minicons' prompts: a word that is in no text."""


def main() -> None:
    """Loads, then answers until standard input ends."""
    job = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever the libraries print is no reply
    run = WAYS[job["way"]](job)
    print(json.dumps({"ready": job["way"]}), file=replies, flush=True)
    for _ in sys.stdin:
        began = time.perf_counter()
        found = run()
        print(json.dumps({"seconds": time.perf_counter() - began, "found": found}), file=replies, flush=True)


def _loaded(job: Job, *, causal: bool) -> tuple[Any, Any]:
    import torch
    import transformers

    torch.set_num_threads(job["threads"])
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    kind = transformers.AutoModelForCausalLM if causal else transformers.AutoModelForMaskedLM
    tokenizer = transformers.AutoTokenizer.from_pretrained(job["model"], trust_remote_code=False)
    return kind.from_pretrained(job["model"], trust_remote_code=False).eval(), tokenizer


def _batches(job: Job) -> Iterator[tuple[list[str], ...]]:
    """Rows in batches, column by column."""
    rows, size = job["rows"], job["batch"]
    for begin in range(0, len(rows), size):
        yield tuple(list(column) for column in zip(*rows[begin : begin + size], strict=True))


def minicons_masked(job: Job) -> Callable[[], Found]:
    """Rows are a prompt with BLANK in it and an answer of one token: log-probability and rank at the blank.

    The ranks come from the double argsort that minicons has in `compute_stats`, once a batch; its `query` repeats it
    for every row, and `compute_stats` itself needs a method of tokenizers that transformers 5 no longer has.
    """
    import torch
    from minicons.scorer import MaskedLMScorer

    model, tokenizer = _loaded(job, causal=False)
    scorer = MaskedLMScorer(model, "cpu", tokenizer=tokenizer)

    def run() -> Found:
        found: Found = []
        for texts, answers in _batches(job):
            logs = scorer.cloze_distribution([(text, BLANK) for text in texts])
            ranks = (-1.0 * logs).argsort().argsort() + 1
            tokens = torch.tensor(tokenizer(answers, add_special_tokens=False)["input_ids"])
            found += torch.cat([logs.gather(1, tokens), ranks.gather(1, tokens)], dim=1).tolist()
        return found

    return run


def minicons_causal(job: Job) -> Callable[[], Found]:
    """Rows are before, answer: log-probability and rank of the answer behind the text."""
    from minicons.scorer import IncrementalLMScorer

    model, tokenizer = _loaded(job, causal=True)
    scorer = IncrementalLMScorer(model, "cpu", tokenizer=tokenizer)

    def run() -> Found:
        found: Found = []
        for before, answers in _batches(job):
            found += _first(*scorer.compute_stats(scorer.prime_text(before, answers), rank=True))
        return found

    return run


def minicons_options(job: Job) -> Callable[[], Found]:
    """Rows are before, option: the option's log-likelihood."""
    from minicons.scorer import IncrementalLMScorer

    model, tokenizer = _loaded(job, causal=True)
    scorer = IncrementalLMScorer(model, "cpu", tokenizer=tokenizer)

    def run() -> Found:
        found: Found = []
        for before, options in _batches(job):
            scores = scorer.conditional_score(before, options, reduction=lambda one: one.sum().item())
            found += [[score] for score in scores]
        return found

    return run


def lm_pub_quiz_masked(job: Job) -> Callable[[], Found]:
    """Rows are template, subject, answers: the pseudo-log-likelihood of each answer, given the rest."""
    from lm_pub_quiz import Evaluator

    return _quiz(Evaluator, "MLM", job, causal=False)


def lm_pub_quiz_causal(job: Job) -> Callable[[], Found]:
    """The same with a causal model: the log-likelihood of each answer and what follows it."""
    from lm_pub_quiz import Evaluator

    return _quiz(Evaluator, "CLM", job, causal=True, ensure_bos_token_added=False)


def _quiz(evaluator: Any, kind: str, job: Job, *, causal: bool, **options: Any) -> Callable[[], Found]:
    model, tokenizer = _loaded(job, causal=causal)
    asks = evaluator.from_model(
        model,
        model_type=kind,
        tokenizer=tokenizer,
        device="cpu",
        conditional_score=True,
        capitalize=False,
        **options,
    )

    def run() -> Found:
        return [
            asks.score_answers(
                template=template, subject=subject, answers=answers, reduction="sum", batch_size=job["batch"]
            )
            for template, subject, answers in job["rows"]
        ]

    return run


def _first(scores: list[list[float]], ranks: list[list[int]]) -> Found:
    """Of each row the first token's."""
    return [[score[0], rank[0]] for score, rank in zip(scores, ranks, strict=True)]


WAYS: dict[str, Callable[[Job], Callable[[], Found]]] = {
    "minicons-masked": minicons_masked,
    "minicons-causal": minicons_causal,
    "minicons-options": minicons_options,
    "lm-pub-quiz-masked": lm_pub_quiz_masked,
    "lm-pub-quiz-causal": lm_pub_quiz_causal,
}


if __name__ == "__main__":
    main()
