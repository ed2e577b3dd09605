"""What the benchmarks share: interleaved rounds, plain tables, the environment, and where results go.

Every script prints to standard output what a person reads (tables in Markdown, which is plain enough for a terminal)
and, if asked by `--json FILE`, keeps the figures behind it. `bench/run.py` runs them all and writes `bench/results/`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
CACHE: Final = ROOT / ".bench"
"""What the benchmarks make or install for themselves. Safe to delete."""

BUSY: Final = 0.3
"""Load a core above which a machine counts as busy: times are then too long, and ratios less sure."""

_PACKAGES: Final = ("torch", "transformers", "tokenizers", "numpy", "pyarrow")
_CPU_FLAGS: Final = ("avx2", "avx512f", "avx512_bf16", "amx_bf16")


@dataclass
class Way:
    """One way of doing the work.

    Attributes:
        run: Does it once; returns the seconds that it took.
        count: How many pieces of work (prompts, questions) one run does.
        note: What a reader must know beside the name.
    """

    run: Callable[[], float]
    count: int
    note: str = ""


@dataclass
class Timing:
    """Seconds of a way, round by round."""

    count: int
    note: str
    seconds: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Pieces of work a second, the median of the rounds."""
        return self.count / statistics.median(self.seconds)

    @property
    def rates(self) -> list[float]:
        """Pieces of work a second, round by round."""
        return [self.count / one for one in self.seconds]


def timed(work: Callable[[], object]) -> Callable[[], float]:
    """Makes a way's `run` of any function of this process."""

    def run() -> float:
        began = time.perf_counter()
        work()
        return time.perf_counter() - began

    return run


def interleaved(ways: Mapping[str, Way], rounds: int) -> dict[str, Timing]:
    """Runs all ways once to warm up, then in turns, so that whatever else the machine does meets all of them.

    Each round begins with another way, and goes the other way round every second time.
    """
    names = list(ways)
    timings = {name: Timing(way.count, way.note) for name, way in ways.items()}
    for name in names:
        ways[name].run()
    for number in range(rounds):
        turn = [names[(place + number) % len(names)] for place in range(len(names))]
        for name in turn if number % 2 == 0 else reversed(turn):
            timings[name].seconds.append(ways[name].run())
            print(f"  round {number + 1} of {rounds}: {name}", file=sys.stderr, flush=True)
    return timings


def ratio(ours: Timing, other: Timing) -> float:
    """How much faster `ours` is: the median of the rounds' own ratios."""
    return statistics.median(one / two for one, two in zip(ours.rates, other.rates, strict=True))


class Report:
    """What a script found: printed as it is found, and kept as figures.

    Args:
        name: The script.
        options: With `json`, where the figures go.
    """

    def __init__(self, name: str, options: argparse.Namespace) -> None:
        self._figures: dict[str, Any] = {"name": name, "quick": options.quick, "load": os.getloadavg()[0]}
        self._target: Path | None = options.json

    def say(self, text: str) -> None:
        """Prints paragraphs, each filled anew to the width of a page."""
        for paragraph in text.split("\n\n"):
            print(f"{textwrap.fill(' '.join(paragraph.split()), 110, break_on_hyphens=False)}\n", flush=True)

    def table(self, title: str, head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """Prints a table, its columns aligned."""
        print(f"**{title}**\n\n{table(head, rows)}\n", flush=True)

    def keep(self, name: str, value: Any) -> None:
        """Keeps figures for the JSON file."""
        self._figures[name] = value

    def timings(
        self, title: str, timings: Mapping[str, Timing], references: Sequence[str], unit: str = "prompts/s"
    ) -> None:
        """Prints and keeps a comparison of all ways with each of some of them."""
        times = {
            name: {one: ratio(timings[one], timing) for one in references if one != name}
            for name, timing in timings.items()
        }
        rows = []
        for name, timing in timings.items():
            against = (f"{times[name][one]:.2f} ×" if one in times[name] else "" for one in references)
            spread = f"{figure(min(timing.rates))} to {figure(max(timing.rates))}"
            rows.append((name, figure(timing.rate), spread, *against, timing.note))
        self.table(title, ("way", unit, "slowest to fastest", *(f"{one}: faster by" for one in references), ""), rows)
        self.keep(
            title,
            {
                name: {
                    "count": one.count,
                    "seconds": one.seconds,
                    "rate": one.rate,
                    "references_faster_by": times[name],
                }
                for name, one in timings.items()
            },
        )

    def save(self, target: Path | None = None) -> None:
        """Writes the figures, if a file was named here or in the options."""
        target = target or self._target
        if target is not None:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(json.dumps(self._figures, indent=1, default=float) + "\n", encoding="utf-8")


def figure(value: float) -> str:
    """Three digits, as many as such a time is good for."""
    if value >= 1000:
        return f"{float(f'{value:.3g}'):,.0f}"
    return f"{value:.3g}"


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table that is aligned for the eye as well; numbers to the right."""
    cells = [[str(one) for one in row] for row in (head, *rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    right = [all(_is_number(row[column]) for row in cells[1:]) for column in range(len(head))]

    def line(row: Sequence[str]) -> str:
        padded = (one.rjust(w) if r else one.ljust(w) for one, w, r in zip(row, widths, right, strict=True))
        return f"| {' | '.join(padded)} |"

    rule = "|".join("-" * (w + 1) + (":" if r else "-") for w, r in zip(widths, right, strict=True))
    return "\n".join([line(cells[0]), f"|{rule}|", *(line(row) for row in cells[1:])])


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[-+]?[\d,.]*(e[-+]?\d+)?( ?(×|%|MiB|s))?", text) is not None


def parser(description: str | None) -> argparse.ArgumentParser:
    """The options that all scripts have."""
    found = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    quick = os.environ.get("BENCH_QUICK", "") not in {"", "0"}
    found.add_argument("--quick", action="store_true", default=quick, help="fewer prompts and rounds: a first look")
    found.add_argument("--json", type=Path, help="keep the figures in this file")
    return found


def environment() -> dict[str, Any]:
    """What the figures depend on: the machine, the versions, and how busy it was."""
    import torch

    load = os.getloadavg()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "cpu": cpu_name(),
        "cpu flags": ", ".join(cpu_flags()) or "unknown",
        "cores": cores,
        "torch threads": torch.get_num_threads(),
        "memory": f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB",
        "cuda device": torch.cuda.get_device_name() if torch.cuda.is_available() else "none",
        "load before": f"{load[0]:.2f} (one minute), {load[1]:.2f} (five minutes)",
        "busy": load[0] > BUSY * cores,
        "system": f"{platform.system()} {platform.release()}, Python {platform.python_version()}",
        "versions": {name: _version(name) for name in _PACKAGES},
        "commit": _commit(),
    }


def describe(found: Mapping[str, Any]) -> str:
    """The environment as a Markdown list."""
    lines = [
        f"- {name}: {value}" for name, value in found.items() if name not in {"versions", "busy"} and value is not None
    ]
    lines.append("- versions: " + ", ".join(f"{name} {one}" for name, one in found["versions"].items()))
    if found["busy"]:
        lines.append(
            "- **The machine was busy with other work when this began**: times are too long, and ratios less sure."
        )
    return "\n".join(lines)


def cpu_name() -> str:
    """The processor's name, as the system gives it; virtual machines often hide the rest, so family and model too."""
    told = [line.partition(":") for line in _cpuinfo()]
    known = {name.strip(): value.strip() for name, _, value in reversed(told)}
    if "model name" not in known:
        return platform.processor() or platform.machine()
    return f"{known['model name']} (family {known.get('cpu family', '?')}, model {known.get('model', '?')})"


def slug(text: str) -> str:
    """A file's name."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def _cpuinfo() -> list[str]:
    file = Path("/proc/cpuinfo")
    return file.read_text(encoding="utf-8").splitlines() if file.is_file() else []


def cpu_flags() -> list[str]:
    """Which of the instruction sets that matter here the processor has."""
    known = next((set(line.split()) for line in _cpuinfo() if line.startswith("flags")), set())
    return [flag for flag in _CPU_FLAGS if flag in known]


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _commit() -> str | None:
    """The commit that was measured, with a word where files differ from it; None outside a repository."""
    try:
        run = [
            subprocess.run(["git", *what], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
            for what in (("rev-parse", "--short", "HEAD"), ("status", "--porcelain", "--untracked-files=no"))
        ]
    except (OSError, subprocess.CalledProcessError):
        return None
    return run[0] + (", with changes that are not committed" if run[1] else "")
