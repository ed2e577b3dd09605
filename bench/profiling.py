"""Where the remaining time goes: a sampling profile of the engine, by what it is doing.

Usage: python bench/profiling.py [--quick]

Texts are made, run and written one after the other in one thread, so that the shares add up; in a real run the making
of texts and the writing of tables go on beside the model. A second thread looks every few milliseconds at where the
first one is and books the time since it last looked. What happens in the model is told by hooks on its body and head,
the rest by the file of the innermost function of Tashika.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any, Final

from harness import Report, parser
from scoring import has_bf16
from world import Vocabulary, prompts, random_bert

from tashika.core.models import LoadedModel
from tashika.evaluate.engine.shards import Shard, plan, write_shard
from tashika.evaluate.myriadlama.prompts import WorkList
from tashika.evaluate.myriadlama.recipe import SHARD_PROMPTS
from tashika.evaluate.myriadlama.scoring import Engine

EVERY_SECONDS: Final = 0.002
ENCODER, HEAD, OTHER = "encoder", "head", "other"
TEXTS, RANKS, BATCHES, TABLE = "making texts", "ranks and probabilities", "feeding the model", "table and file"
PARTS: Final = (ENCODER, HEAD, RANKS, BATCHES, TEXTS, TABLE, OTHER)

FILES: Final = {
    "pieces.py": TEXTS,
    "ragged.py": TEXTS,
    "prepare": TEXTS,
    "distributions.py": RANKS,
    "consume": RANKS,
    "read": RANKS,
    "batches.py": BATCHES,
    "masked.py": BATCHES,
    "models.py": BATCHES,
    "table": TABLE,
    "prompts.py": TABLE,
    "shards.py": TABLE,
    "files.py": TABLE,
}
"""The part that a file of Tashika belongs to; for `scoring.py`, which has a hand in all, a function's name."""


def main() -> None:
    """Profiles three models."""
    options = _options()
    report, full, small = Report("profiling", options), Vocabulary.find(), Vocabulary.find(size=8000)
    tiny = {"hidden_size": 128, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 512}
    few = 3 if options.quick else 1
    found = {"BERT-base, fp32": profile(random_bert(full), prompts(full, 400 // few, templates=4 // few))}
    if has_bf16():
        found["BERT-base, bf16"] = profile(random_bert(full, "bf16"), prompts(full, 1200 // few, templates=9 // few))
    found["tiny (2 × 128), fp32"] = profile(random_bert(small, **tiny), prompts(small, 60_000 // few))
    seconds = {name: sum(one.values()) for name, one in found.items()}
    rows = [
        (part, *(f"{one.get(part, 0.0) / seconds[name]:.1%}" for name, one in found.items()))
        for part in PARTS
        if any(one.get(part) for one in found.values())
    ]
    report.say(
        """## Where the time goes

        Shares of the wall time, everything in one thread. The encoder counts its last layer, which runs at the blank
        alone; ranks count the sum of exponentials and the top token."""
    )
    report.table("Where the time goes", ("part", *found), rows)
    report.keep("seconds", found)
    report.save()


def _options() -> argparse.Namespace:
    return parser(__doc__).parse_args()


def profile(loaded: LoadedModel, work: WorkList) -> dict[str, float]:
    """Seconds by part, for all prompts of a work list."""
    engine = Engine.of(loaded, work)
    engine.score(0, min(len(work), 200))
    with tempfile.TemporaryDirectory() as folder:
        shards = plan(Path(folder) / "predictions.parquet", "bench", len(work), SHARD_PROMPTS[loaded.kind])
        with Sampler(loaded.model) as sampler:
            for shard in shards:
                _one(engine, shard)
    return dict(sampler.seconds)


def _one(engine: Engine, shard: Shard) -> None:
    write_shard(shard, engine.score(shard.start, shard.stop))


class Sampler:
    """Looks at the thread that made it until the block ends.

    Args:
        model: Its body and head are told apart by hooks.

    Attributes:
        seconds: Time by part.
    """

    def __init__(self, model: Any) -> None:
        self.seconds: Counter[str] = Counter()
        self._inside: list[str] = []
        self._watched = threading.get_ident()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._hooks = []
        for module in (model.base_model, *(part for part in model.children() if part is not model.base_model)):
            part = ENCODER if module is model.base_model else HEAD
            self._hooks.append(module.register_forward_pre_hook(lambda *_, part=part: self._inside.append(part)))
            self._hooks.append(module.register_forward_hook(lambda *_: self._leave()))

    def _leave(self) -> None:
        self._inside.pop()

    def __enter__(self) -> Sampler:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()
        for hook in self._hooks:
            hook.remove()

    def _look(self) -> None:
        before = time.perf_counter()
        while not self._done.wait(EVERY_SECONDS):
            frame = sys._current_frames().get(self._watched)
            part = self._inside[-1] if self._inside else _part(frame)
            now = time.perf_counter()
            self.seconds[part] += now - before
            before = now


def _part(frame: FrameType | None) -> str:
    """By the innermost frame that `FILES` knows."""
    while frame is not None:
        file = Path(frame.f_code.co_filename)
        key = frame.f_code.co_name if file.name == "scoring.py" else file.name
        if file.parent.name in {"evaluate", "core"} and key in FILES:
            return FILES[key]
        frame = frame.f_back
    return OTHER


if __name__ == "__main__":
    main()
