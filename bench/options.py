"""How fast options are scored: what their texts begin with computed once, against one sequence an option.

Usage: python bench/options.py [--quick] [--work work] [--rounds N]

SmolLM2-135M in fp32 on made-up reading questions: contexts of about 187 tokens, four questions each, four options a
question. The score of an option is its log-likelihood behind context and question. The peers run in an environment of
their own.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
import transformers
from harness import Report, Way, interleaved, parser, timed
from others import Floats, started_peers
from world import Vocabulary

from tashika.core.models import LoadedModel, load_model
from tashika.evaluate.engine.causal import CausalModel
from tashika.evaluate.ways.options import Choice, score_options

OURS: Final = "ours"
QUIZ: Final = "lm-pub-quiz"
"""Puts the tokenizer's start token in front of every text and cannot be kept from it, so it answers something else."""

QUESTIONS: Final = 4
OPTIONS: Final = 4
CONTEXT_TOKENS: Final = 187


def main() -> None:
    """Runs the comparison."""
    options = _options()
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    report, folder = Report("options", options), options.work / "models" / "smollm2"
    if not (folder / "config.json").is_file():
        report.say(f"Options are left out: there is no SmolLM2 in {options.work}. Run `make demo` first.")
        return
    compare(report, folder, options)
    report.save()


def _options() -> argparse.Namespace:
    found = parser(__doc__)
    found.add_argument("--work", type=Path, default=Path(os.environ.get("TASHIKA_WORK", "work")))
    found.add_argument("--contexts", type=int)
    found.add_argument("--rounds", type=int)
    chosen = found.parse_args()
    chosen.contexts = chosen.contexts or (1 if chosen.quick else 2)
    chosen.rounds = chosen.rounds or (2 if chosen.quick else 3)
    return chosen


def compare(report: Report, folder: Path, options: argparse.Namespace) -> None:
    """Times all ways and compares the log-likelihoods."""
    loaded, here = (load_model(str(folder), device="cpu") for _ in range(2))
    asked = questions(loaded.tokenizer, options.contexts)
    ours, plain = Ours(loaded, asked), Sequences(here, asked)
    ways = {
        OURS: Way(timed(ours), len(asked), "context and question computed once"),
        "one sequence an option": Way(timed(plain), len(asked), "the four of a question in a padded batch, all logits"),
    }
    few = asked[: len(asked) // 2]
    rows = [(one.prompt(), option) for one in few for option in one.options]
    several = [(f"{one.prompt()} [Y]", None, one.options) for one in few]
    wanted = {"minicons": ("minicons-options", rows), QUIZ: ("lm-pub-quiz-causal", several)}
    notes = {
        "minicons": "conditional_score, four in a batch",
        QUIZ: "score_answers, four in a batch; adds a start token",
    }
    tokens = [len(ids) for ids in loaded.tokenizer([one.prompt() for one in asked])["input_ids"]]
    report.say(
        f"## Options\n\nSmolLM2-135M, fp32; {options.contexts} contexts with {QUESTIONS} questions of {OPTIONS} "
        f"options each, {np.mean(tokens):.0f} tokens before an option on average; {options.rounds} rounds."
    )
    with started_peers(wanted, folder, batch=OPTIONS) as running:
        ways.update({name: Way(peer, len(few), notes[name]) for name, peer in running.items()})
        report.timings("Options", interleaved(ways, options.rounds), [OURS], "questions/s")
        found = {name: np.asarray(peer.found).reshape(-1, OPTIONS) for name, peer in running.items() if name != QUIZ}
    found["one sequence an option"] = plain.found
    table = [
        (name, theirs.size, f"{np.abs(theirs - mine).max():.1e}", _same_choice(theirs, mine))
        for name, theirs in found.items()
        for mine in [ours.found[: len(theirs)]]
    ]
    head = ("way", "options", "log-likelihoods apart, at most", "same choice")
    report.table("Options: do the others find what ours finds?", head, table)
    report.keep("agreement", [dict(zip(head, row, strict=True)) for row in table])


def questions(tokenizer: Any, contexts: int, seed: int = 0) -> list[Choice]:
    """Random words: contexts that are as long as asked, questions of a dozen words, options of one to four."""
    random, words = np.random.default_rng(seed), Vocabulary.find().words[:4000]

    def some(count: int) -> str:
        return " ".join(words[at] for at in random.integers(len(words), size=count))

    asked = []
    for _ in range(contexts):
        context = some(CONTEXT_TOKENS)
        while len(tokenizer(context)["input_ids"]) > CONTEXT_TOKENS:
            context = context.rsplit(" ", 1)[0]
        for _ in range(QUESTIONS):
            question = f"Question: {some(12)}?\nAnswer:"
            asked.append(
                Choice(f"{context}.", question, tuple(some(1 + int(random.integers(4))) for _ in range(OPTIONS)))
            )
    return asked


class Ours:
    """The engine.

    Attributes:
        found: (questions, options) log-likelihoods.
    """

    def __init__(self, loaded: LoadedModel, asked: Sequence[Choice]) -> None:
        self._model, self._asked = CausalModel(loaded), asked
        self.found: Floats = np.zeros((len(asked), OPTIONS))

    def __call__(self) -> None:
        """Scores all options."""
        scores = score_options(self._model, self._asked)
        self.found = np.asarray([[one.log_likelihood for one in row] for row in scores])


class Sequences:
    """What one would first write: each option behind its whole context, a question's options in one padded batch.

    Attributes:
        found: (questions, options) log-likelihoods.
    """

    def __init__(self, loaded: LoadedModel, asked: Sequence[Choice]) -> None:
        self._loaded, self._asked = loaded, asked
        self._tokenizer = loaded.tokenizer
        if self._tokenizer.pad_token is None:
            self._tokenizer.pad_token = self._tokenizer.eos_token
        self.found: Floats = np.zeros((len(asked), OPTIONS))

    def __call__(self) -> None:
        """Scores all options."""
        for number, one in enumerate(self._asked):
            self.found[number] = self._score(one)

    def _score(self, asked: Choice) -> list[float]:
        begin = len(self._tokenizer(asked.prompt())["input_ids"])
        texts = [f"{asked.prompt()} {option}" for option in asked.options]
        with torch.inference_mode():
            batch = self._tokenizer(texts, padding=True, padding_side="right", return_tensors="pt")
            logits = self._loaded.model(**batch).logits
            found = []
            for row, size in enumerate(batch["attention_mask"].sum(dim=1).tolist()):
                logs = logits[row, begin - 1 : size - 1].float().log_softmax(dim=-1)
                found.append(float(logs.gather(1, batch["input_ids"][row, begin:size, None]).sum()))
        return found


def _same_choice(one: Floats, other: Floats) -> str:
    return f"{int((one.argmax(axis=1) == other.argmax(axis=1)).sum())} of {len(one)}"


if __name__ == "__main__":
    main()
