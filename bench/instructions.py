"""How much faster prompts are scored with all of a processor's instructions, and with no wider ones than AVX2.

Usage: python bench/instructions.py [--quick] [--rounds N] [--json FILE]

The prompts and the BERT-base of `scoring` go through the engine and through transformers' fill-mask pipeline, in turns,
in a process for each set of instructions; the processes take turns as well. torch, oneDNN and MKL read what they may
use when they are loaded, from the variables in `AVX2`. CPU time stands beside wall time: on a busy machine it is the
steadier of the two, unless threads that wait for each other spin (`OMP_WAIT_POLICY=PASSIVE` keeps them from it).

Each process also says what the ratio can come to: how much arithmetic the engine spares, times how much faster oneDNN's
products are than MKL's, which the pipeline uses.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

from harness import Report, Timing, Way, cpu_flags, figure, interleaved, parser, ratio

AVX2: Final = {"ATEN_CPU_CAPABILITY": "avx2", "ONEDNN_MAX_CPU_ISA": "AVX2", "MKL_ENABLE_INSTRUCTIONS": "AVX2"}
OURS: Final = "ours"
PIPELINE: Final = "fill-mask pipeline"
WAYS: Final = (OURS, PIPELINE)
_TITLE: Final = "Instructions"
_ROWS: Final = 1024
"""Tokens of the products that are timed by themselves: what the engine puts into a batch of BERT-base's width."""


def main() -> None:
    """Compares the two ways under each set of instructions; with `--child`, answers such a comparison."""
    if sys.argv[1:2] == ["--child"]:
        answer(prompts=int(sys.argv[2]))
        return
    options = _options()
    report = Report("instructions", options)
    sets: dict[str, dict[str, str]] = {"all": {}}
    if "avx512f" in cpu_flags():
        sets["AVX2"] = AVX2
    else:
        report.say("This processor has no AVX-512, so there is one set of instructions to compare under.")
    with _children(sets, 100 if options.quick else 300) as children:
        timings = interleaved(
            {
                f"{name}, {way}": Way(partial(child.turn, way), child.told["prompts"])
                for name, child in children.items()
                for way in WAYS
            },
            options.rounds,
        )
    _tell(report, children, timings, options.rounds)
    report.save()


def _options() -> Namespace:
    found = parser(__doc__)
    found.add_argument("--rounds", type=int)
    chosen = found.parse_args()
    chosen.rounds = chosen.rounds or (2 if chosen.quick else 5)
    return chosen


class Child:
    """A process that scores under one set of instructions.

    Args:
        variables: What is added to its environment.
        prompts: About how many prompts it scores.

    Attributes:
        told: What it said of itself when it was ready; empty until then.
        cpu_seconds: Of each way, those of all its turns.
    """

    def __init__(self, variables: Mapping[str, str], prompts: int) -> None:
        self.told: dict[str, Any] = {}
        self.cpu_seconds: dict[str, list[float]] = {way: [] for way in WAYS}
        others = {name: value for name, value in os.environ.items() if name not in AVX2}
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__)), "--child", str(prompts)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**others, **variables},
        )

    def wait_until_ready(self) -> None:
        """Waits until the models are loaded; to be called once, before the first turn."""
        self.told = self._reply()

    def turn(self, way: str) -> float:
        """Scores all prompts once; the wall seconds."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{way}\n")
        self._process.stdin.flush()
        reply = self._reply()
        self.cpu_seconds[way].append(reply["cpu"])
        return float(reply["wall"])

    def close(self) -> None:
        """Ends the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=60)

    def _reply(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"{self._process.args} ended before it answered")
        return json.loads(line)


@contextmanager
def _children(sets: Mapping[str, Mapping[str, str]], prompts: int) -> Iterator[dict[str, Child]]:
    """Starts a process for each set of instructions, one after the other, and ends them all."""
    started: dict[str, Child] = {}
    try:
        for name, variables in sets.items():
            started[name] = Child(variables, prompts)
            started[name].wait_until_ready()
        yield started
    finally:
        for child in started.values():
            child.close()


def _tell(report: Report, children: Mapping[str, Child], timings: Mapping[str, Timing], rounds: int) -> None:
    """Prints and keeps the ratios, and what they can come to."""
    first = next(iter(children.values())).told
    report.say(
        f"## {_TITLE}\n\nBERT-base with random weights, fp32, {first['threads']} threads, {first['prompts']} prompts "
        f"of {first['tokens']:.1f} tokens on average, {first['padded']:.1f} as the pipeline pads them; {rounds} "
        f"rounds. OMP_WAIT_POLICY is {first['wait policy']}."
    )
    ratios, limits, kept = [], [], {}
    for name, child in children.items():
        ours, pipeline = (timings[f"{name}, {way}"] for way in WAYS)
        cpu = {way: Timing(ours.count, "", child.cpu_seconds[way][1:]) for way in WAYS}  # the first turn warms up
        faster = {"wall": ratio(ours, pipeline), "CPU": ratio(cpu[OURS], cpu[PIPELINE])}
        ratios.append((name, figure(ours.rate), figure(pipeline.rate), *(f"{one:.2f} ×" for one in faster.values())))
        limits.append(_limit(name, child.told))
        kept[name] = {
            **child.told,
            "wall seconds": {OURS: ours.seconds, PIPELINE: pipeline.seconds},
            "CPU seconds": {way: one.seconds for way, one in cpu.items()},
            "faster by": faster,
        }
    rates = ("ours, prompts/s", f"{PIPELINE}, prompts/s")
    report.table(_TITLE, ("instructions", *rates, "ours: faster by", "the same in CPU time"), ratios)
    parts = ("MKL, GFLOP/s a core", "oneDNN, GFLOP/s a core", "oneDNN: faster by", "arithmetic spared", "both")
    report.table("What the ratio can come to where all time goes into products", ("instructions", *parts), limits)
    report.keep(_TITLE, kept)


def _limit(name: str, told: Mapping[str, Any]) -> tuple[str, ...]:
    """A row of the table of what the ratio can come to."""
    torchs, ours, spared = told["gflops"]["MKL"], told["gflops"]["oneDNN"], told["arithmetic"]
    kernels = ours / torchs
    return name, figure(torchs), figure(ours), *(f"{one:.2f} ×" for one in (kernels, spared, kernels * spared))


def answer(prompts: int) -> None:
    """Loads the models, says what it has, and then scores all prompts by the way that each line of input names."""
    out, sys.stdout = sys.stdout, sys.stderr  # whatever libraries print does not meet the replies
    ways, told = _prepared(prompts)
    print(json.dumps(told), file=out, flush=True)
    for line in sys.stdin:
        wall, cpu = time.perf_counter(), time.process_time()
        ways[line.strip()]()
        print(json.dumps({"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}), file=out, flush=True)


def _prepared(count: int) -> tuple[dict[str, Callable[[], object]], dict[str, Any]]:
    """The two ways, and what a reader must know of them."""
    import torch
    import transformers
    from others import FillMask
    from scoring import Asked
    from world import Vocabulary, prompts, random_bert

    from tashika.evaluate.myriadlama.scoring import Engine

    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    vocabulary = Vocabulary.find()
    work = prompts(vocabulary, count, templates=1 if count < 200 else 3)
    ours, theirs = random_bert(vocabulary), random_bert(vocabulary)  # each a copy of its own
    gflops = _gflops(theirs.model.config)
    engine = Engine.of(ours, work)
    asked = Asked.of(ours, work, engine.score(0, len(work)))
    lengths = [len(ids) for ids in theirs.tokenizer(asked.texts)["input_ids"]]
    told = {
        "capability": torch.backends.cpu.get_cpu_capability(),
        "threads": torch.get_num_threads(),
        "wait policy": os.environ.get("OMP_WAIT_POLICY", "not set"),
        "prompts": len(lengths),
        "tokens": statistics.mean(lengths),
        "padded": sum(_padded(lengths)) / len(lengths),
        "arithmetic": _arithmetic(theirs.model.config, lengths),
        "gflops": gflops,
    }
    return {OURS: partial(engine.score, 0, len(work)), PIPELINE: FillMask(theirs, asked.texts)}, told


def _padded(lengths: list[int]) -> list[int]:
    """The tokens of each of the pipeline's batches, whose texts are as long as the longest."""
    from others import BATCH

    batches = (lengths[begin : begin + BATCH] for begin in range(0, len(lengths), BATCH))
    return [max(batch) * len(batch) for batch in batches]


def _arithmetic(config: Any, lengths: list[int]) -> float:
    """The pipeline's multiplications by those of the engine, in products with weights (attention has few beside them).

    The pipeline runs all layers and the head on all tokens, padding included. The engine runs keys and values of the
    last layer on all tokens, and the rest of that layer and the head at one place a prompt.
    """
    width, wide, vocabulary = config.hidden_size, config.intermediate_size, config.vocab_size
    keys_and_values = 2 * width * width
    layer = 2 * keys_and_values + 2 * width * wide
    head = width * width + width * vocabulary
    theirs = sum(_padded(lengths)) * (config.num_hidden_layers * layer + head)
    everywhere = (config.num_hidden_layers - 1) * layer + keys_and_values
    return float(theirs / (sum(lengths) * everywhere + len(lengths) * (layer - keys_and_values + head)))


def _gflops(config: Any, repeats: int = 7) -> dict[str, float]:
    """What the products of one layer reach on one core, in CPU time: as torch makes them, and as the engine does."""
    import torch

    from tashika.evaluate.engine.kernels import use_onednn

    width, wide = config.hidden_size, config.intermediate_size
    shapes = [(width, width)] * 4 + [(width, wide), (wide, width)]
    layers = torch.nn.ModuleList(torch.nn.Linear(*shape) for shape in shapes)
    inputs = [torch.randn(_ROWS, shape[0]) for shape in shapes]
    work = 2 * _ROWS * sum(first * second for first, second in shapes) / 1e9

    def rate() -> float:
        seconds = []
        for _ in range(repeats + 1):
            began = time.process_time()
            for layer, values in zip(layers, inputs, strict=True):
                layer(values)
            seconds.append(time.process_time() - began)
        return float(work / statistics.median(seconds[1:]))

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    with torch.inference_mode():
        found = {"MKL": rate()}
        use_onednn(layers)
        found["oneDNN"] = rate()
    torch.set_num_threads(threads)
    return found


if __name__ == "__main__":
    main()
