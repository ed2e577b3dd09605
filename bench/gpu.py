"""How much of a CUDA device's own bf16 matrix rate the engine reaches, and how long 6.5 million prompts take.

Usage: python bench/gpu.py [--quick] [--all] [--no-compile] [--prompts N] [--vocabulary DIR] [--out bench/results]

BERT-large and BERT-base with random weights, bf16 bodies, on a synthetic release of the paper's shape (see `world`).
The time is that of a whole run: texts made, asked, ranked, written to shards, and joined into one file. `--all` also
runs the whole release of 6.5 million prompts. Without a CUDA device it says so and does nothing.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
import tempfile
import time
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
import transformers
from harness import ROOT, Report, Way, describe, environment, figure, interleaved, parser, slug
from world import PROMPTS, Vocabulary, prompts, random_bert

from tashika.core.models import LoadedModel
from tashika.evaluate.engine.shards import plan, write_predictions
from tashika.evaluate.myriadlama.predictions import PREDICTION
from tashika.evaluate.myriadlama.prompts import WorkList
from tashika.evaluate.myriadlama.scoring import Engine

SHAPES: Final = {
    "BERT-large": {
        "hidden_size": 1024,
        "num_hidden_layers": 24,
        "num_attention_heads": 16,
        "intermediate_size": 4096,
    },
    "BERT-base": {},
}
TARGET: Final = 0.4
"""The share of the matrix rate that is aimed at, for BERT-large."""


@dataclass(frozen=True)
class Variant:
    """An engine, as it comes or with torch.compile, and what its texts cost."""

    engine: Engine
    flops: float


def main() -> None:
    """Measures, prints, and writes the page and the figures of this device."""
    options = _options()
    if options.device == "cuda" and not torch.cuda.is_available():
        print("GPU: there is no CUDA device; nothing was measured.")
        return
    transformers.logging.set_verbosity_error()
    page = io.StringIO()
    with redirect_stdout(_Both(sys.stdout, page)):
        name = torch.cuda.get_device_name() if options.device == "cuda" else "a CPU, to try the script"
        found = environment()
        print(f"# On {name}\n\n{describe(found)}\n")
        report = Report("gpu", options)
        report.keep("environment", found)
        measure(report, options)
    if options.device == "cuda":
        target = options.out / f"gpu-{slug(name)}"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.with_suffix(".md").write_text(page.getvalue(), encoding="utf-8")
        report.save(target.with_suffix(".json"))
        print(f"written: {target.with_suffix('.md')}")


def _options() -> argparse.Namespace:
    found = parser(__doc__)
    found.add_argument("--all", action="store_true", help="also run all 6.5 million prompts of BERT-large")
    found.add_argument("--no-compile", action="store_true", help="leave torch.compile out")
    found.add_argument("--only", choices=SHAPES, action="append", help="a model; may be given several times")
    found.add_argument("--prompts", type=int, help="prompts a round")
    found.add_argument("--rounds", type=int)
    found.add_argument("--layers", type=int, help="of the models, to try the script on a CPU")
    found.add_argument("--device", default="cuda")
    found.add_argument("--vocabulary", type=Path, help="the folder of BERT's vocabulary, where there is no .bench")
    found.add_argument("--out", type=Path, default=ROOT / "bench" / "results")
    chosen = found.parse_args()
    chosen.prompts = chosen.prompts or (200_000 if chosen.quick else 600_000)
    chosen.rounds = chosen.rounds or (1 if chosen.quick else 3)
    return chosen


def measure(report: Report, options: argparse.Namespace) -> None:
    """The matrix rate, then each model."""
    size = 8192 if options.device == "cuda" else 512
    rate = matrix_rate(options.device, size)
    report.say(f"bf16 products of {size} × {size} matrices: {rate / 1e12:.3g} TFLOP/s, the median of 10 times 10.")
    report.keep("matrix_flops", rate)
    vocabulary = Vocabulary.find(options.vocabulary)
    report.say(agreement(vocabulary, options))
    work = prompts(vocabulary, options.prompts)
    for name in options.only or SHAPES:
        _model(report, options, name, _shape(name, options), (vocabulary, work), rate)
    if options.all:
        everything(report, options, vocabulary)


def _shape(name: str, options: argparse.Namespace) -> dict[str, int]:
    return SHAPES[name] | ({"num_hidden_layers": options.layers} if options.layers else {})


def matrix_rate(device: str, size: int) -> float:
    """FLOP/s of large bf16 products of random matrices."""
    one, two = (torch.randn(size, size, device=device, dtype=torch.bfloat16) for _ in range(2))
    seconds = []
    for _ in range(11):
        _wait(device)
        began = time.perf_counter()
        for _ in range(10):
            torch.matmul(one, two)
        _wait(device)
        seconds.append((time.perf_counter() - began) / 10)
    return 2 * size**3 / float(np.median(seconds[1:]))


def agreement(vocabulary: Vocabulary, options: argparse.Namespace) -> str:
    """Whether the device finds what the CPU finds in fp32, in a sentence."""
    work, shape = prompts(vocabulary, 300, templates=3), _shape("BERT-base", options)

    def logs(dtype: str, device: str) -> Any:
        table = Engine.of(random_bert(vocabulary, dtype, device, **shape), work).score(0, len(work))
        return np.log(table["probability"].to_numpy().astype(np.float64))

    cpu = logs("fp32", "cpu")
    apart = {dtype: np.abs(logs(dtype, options.device) - cpu).max() for dtype in ("fp32", "bf16")}
    return (
        f"Against the CPU in fp32, {len(cpu):,} prompts of BERT-base: log-probabilities apart by "
        f"{apart['fp32']:.1e} at most in fp32, {apart['bf16']:.1e} with a bf16 body."
    )


def _model(
    report: Report,
    options: argparse.Namespace,
    name: str,
    shape: dict[str, int],
    asked: tuple[Vocabulary, WorkList],
    rate: float,
) -> None:
    """Rounds over the same prompts, as the engine comes and compiled."""
    vocabulary, work = asked
    variants = {"as it comes": _variant(random_bert(vocabulary, "bf16", options.device, **shape), work)}
    if not options.no_compile:
        variants["torch.compile"] = _variant(compiled(random_bert(vocabulary, "bf16", options.device, **shape)), work)
    ways = {
        way: Way(lambda variant=variant: run(variant.engine, options.device), len(work))
        for way, variant in variants.items()
    }
    began = time.perf_counter()
    timings = interleaved(ways, options.rounds)
    rows = []
    for way, timing in timings.items():
        reached = variants[way].flops * timing.rate / len(work)
        rows.append(
            (
                way,
                figure(timing.rate),
                f"{figure(min(timing.rates))} to {figure(max(timing.rates))}",
                f"{reached / 1e12:.1f}",
                f"{reached / rate:.1%}",
                f"{PROMPTS / timing.rate:.0f} s",
            )
        )
        report.keep(f"{name}, {way}", {"seconds": timing.seconds, "prompts": len(work), "encoder_flops": reached})
    head = ("engine", "prompts/s", "slowest to fastest", "encoder TFLOP/s", "of the matrix rate", "6.5 million prompts")
    report.say(
        f"""## {name}

        {len(work):,} prompts a round, {options.rounds} rounds after one to warm up, {time.perf_counter() - began:.0f} s
        in all. FLOPs are those of the encoder that were done, without the head, for each distinct text; the time is
        that of a whole run."""
    )
    report.table(f"{name}, bf16 body and fp32 head (aim for BERT-large: {TARGET:.0%})", head, rows)
    if options.device == "cuda":
        report.say(f"Most memory held on the device: {torch.cuda.max_memory_allocated() / 2**30:.1f} GiB.")


def _variant(loaded: LoadedModel, work: WorkList) -> Variant:
    engine = Engine.of(loaded, work)
    engine.score(0, 1)  # the engine chooses its way on the first batch
    trimmed = getattr(engine.model.blank, "way", None) == "last layer"
    return Variant(engine, encoder_flops(loaded.model.config, engine, trimmed=trimmed))


def encoder_flops(config: Any, engine: Engine, *, trimmed: bool) -> float:
    """FLOPs of the encoder for all distinct texts of the engine's work list, two for each multiply and add.

    Args:
        config: The model's.
        engine: The engine.
        trimmed: Whether the last layer runs at one place of each text, but for its keys and values.
    """
    total, step = 0.0, 200_000
    for start in range(0, len(engine.work), step):
        prepared = engine.prepare(start, min(start + step, len(engine.work)))
        length = prepared.ids.length[prepared.wanted].astype(np.float64)
        total += float(_text_flops(config, length, trimmed=trimmed).sum())
    return total


def _text_flops(config: Any, length: Any, *, trimmed: bool) -> Any:
    wide, inner, layers = config.hidden_size, config.intermediate_size, config.num_hidden_layers
    whole = length * (8 * wide**2 + 4 * wide * inner) + 4 * length**2 * wide
    last = length * 4 * wide**2 + 4 * wide**2 + 4 * wide * inner + 4 * length * wide
    return (layers - 1) * whole + last if trimmed else layers * whole


def compiled(loaded: LoadedModel) -> LoadedModel:
    """Compiles the encoder's layers but the last, which the engine runs its own way; for texts of any length."""
    for layer in loaded.model.base_model.encoder.layer[:-1]:
        layer.compile(dynamic=True)
    return loaded


def run(engine: Engine, device: str) -> float:
    """Seconds of a whole run, from the work list to the joined file, which is then removed."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "predictions.parquet"
        shards = plan(target, "bench", len(engine.work), 200_000 if device.startswith("cuda") else 20_000)
        _wait(device)
        began = time.perf_counter()
        with contextlib.redirect_stderr(io.StringIO()):
            write_predictions([engine], shards, target, PREDICTION, "prompts")
        return time.perf_counter() - began


def everything(report: Report, options: argparse.Namespace, vocabulary: Vocabulary) -> None:
    """The whole release, once, with BERT-large as it comes: loading nothing, but preparing the prompts as well."""
    loaded = random_bert(vocabulary, "bf16", options.device, **_shape("BERT-large", options))
    began = time.perf_counter()
    work = prompts(vocabulary, PROMPTS if options.device == "cuda" else options.prompts)
    made = time.perf_counter()
    engine = Engine.of(loaded, work)
    ready = time.perf_counter()
    seconds = run(engine, options.device)
    report.say(
        f"""## All prompts

        {len(work):,} prompts through BERT-large: **{seconds:.0f} s** from the first text to the joined file
        ({len(work) / seconds:,.0f} a second), after {ready - made:.1f} s to cut templates and find answers. (Making up
        the release took {made - began:.1f} s, which is no part of a real run.)"""
    )
    report.keep("everything", {"prompts": len(work), "seconds": seconds, "setup_seconds": ready - made})


def _wait(device: str) -> None:
    if device.startswith("cuda"):
        torch.cuda.synchronize()


class _Both(io.TextIOBase):
    """Writes to two places."""

    def __init__(self, *places: Any) -> None:
        self._places = places

    def write(self, text: str) -> int:
        """Writes to both."""
        for place in self._places:
            place.write(text)
        return len(text)

    def flush(self) -> None:
        """Flushes both."""
        for place in self._places:
            place.flush()


if __name__ == "__main__":
    main()
