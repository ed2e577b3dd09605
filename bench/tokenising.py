"""How fast prompts become token ids: joined from pieces, against the tokenizer's own batches on whole strings.

Usage: python bench/tokenising.py [--quick] [--prompts 200000] [--rounds 5]

The prompts have the paper's shape: 41 relations, 100 templates each, 2.6 names a subject (see `world`).
"""

from __future__ import annotations

import statistics
import time
from typing import Any, Final

import numpy as np
from harness import Report, Way, interleaved, parser, timed
from others import seconds_of
from world import Vocabulary, prompts

from tashika.evaluate.engine.pieces import PromptEncoder
from tashika.evaluate.myriadlama.prompts import Stretch, WorkList

STRETCH: Final = 20_000


def main() -> None:
    """Runs the comparison."""
    options = parser(__doc__)
    options.add_argument("--prompts", type=int)
    options.add_argument("--rounds", type=int, default=5)
    chosen = options.parse_args()
    count = chosen.prompts or (50_000 if chosen.quick else 200_000)
    report = Report("tokenising", chosen)

    vocabulary = Vocabulary.find()
    tokenizer, work = vocabulary.tokenizer(), prompts(vocabulary, count)
    at = work.stretch(0, min(count, len(work)))
    texts = spelled(work, at, tokenizer.mask_token)
    few = texts[: len(texts) // 10]  # the tokenizer's memory of words is warm after a tenth
    inner = tokenizer.backend_tokenizer
    pieces = Pieces(tokenizer, work, at)
    ways = {
        "pieces": Way(pieces, len(texts), "ids in numpy"),
        "tokenizer(list)": Way(timed(lambda: tokenizer(few, return_attention_mask=False)), len(few), "lists of ids"),
        "encode_batch_fast": Way(timed(lambda: inner.encode_batch_fast(few)), len(few), "objects of tokenizers"),
    }
    same = equal(encoder_of(tokenizer, work), at, texts, tokenizer)
    timings = interleaved(ways, chosen.rounds)
    setup = statistics.median(pieces.setup)
    report.say(
        f"## Tokenising\n\n{len(texts):,} prompts for the pieces, {STRETCH:,} at a time as in a run on a CPU, and "
        f"{len(few):,} for the tokenizer; {chosen.rounds} rounds. Ids equal to those of the whole strings: "
        f"{'all' if same else '**NOT ALL**'}. Once before that, {setup:.2f} s to cut {len(work.template_texts):,} "
        f"templates, with {len(work.alias_texts):,} names at hand, and to check the pieces against whole strings. That "
        "the tokenizer needs its strings spelled out first is not counted against it."
    )
    report.timings("Tokenising", timings, ["pieces"])
    report.keep("equal", same)
    report.keep("setup_seconds", setup)
    report.save()


class Pieces:
    """Joins all prompts with an encoder that has not seen them: it may not remember the round before.

    Attributes:
        setup: Seconds that making the encoder took, each time; not counted in the runs.
    """

    def __init__(self, tokenizer: Any, work: WorkList, at: Stretch) -> None:
        self._tokenizer, self._work, self._at = tokenizer, work, at
        self.setup: list[float] = []

    def __call__(self) -> float:
        """Seconds of joining."""
        began = time.perf_counter()
        encoder = encoder_of(self._tokenizer, self._work)
        self.setup.append(time.perf_counter() - began)
        if not encoder.by_pieces:
            raise SystemExit("The encoder does not join pieces for this tokenizer: there is nothing to measure.")
        return seconds_of(lambda: self._all(encoder))

    def _all(self, encoder: PromptEncoder) -> None:
        template, alias = self._at.template, self._at.alias
        for begin in range(0, len(template), STRETCH):
            encoder.encode(template[begin : begin + STRETCH], alias[begin : begin + STRETCH])


def encoder_of(tokenizer: Any, work: WorkList) -> PromptEncoder:
    """What the engine uses for masked models."""
    return PromptEncoder(tokenizer, "masked", work.template_texts, work.alias_texts)


def spelled(work: WorkList, at: Stretch, mask: str) -> list[str]:
    """The prompts as whole strings."""
    masked = [text.replace("[Y]", mask) for text in work.template_texts]
    pairs = zip(at.template.tolist(), at.alias.tolist(), strict=True)
    return [masked[template].replace("[X]", work.alias_texts[alias]) for template, alias in pairs]


def equal(joined: PromptEncoder, at: Stretch, texts: list[str], tokenizer: Any) -> bool:
    """Whether the joined ids are those of the whole strings, for every prompt."""
    encoded = joined.encode(at.template, at.alias)
    ids = encoded.ids.take(encoded.distinct)
    whole = tokenizer(texts, return_attention_mask=False)["input_ids"]
    return np.array_equal(ids.length, [len(row) for row in whole]) and np.array_equal(
        ids.values, np.fromiter((one for row in whole for one in row), np.int32)
    )


if __name__ == "__main__":
    main()
