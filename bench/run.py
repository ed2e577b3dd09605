"""All benchmarks in one go: prints them, and writes `bench/results/cpu-NAME.md` and `.json` (`make bench`).

Usage: python bench/run.py [--quick] [--work work] [--only scoring [--keep]]

`--quick` (or BENCH_QUICK=1) takes about four minutes in place of twenty, and leaves the results under `.bench/quick`,
since so few rounds are only a first look. What needs a CUDA device comes last and has a page of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from harness import CACHE, ROOT, describe, environment, parser, slug

HERE: Final = ROOT / "bench"


@dataclass(frozen=True)
class Script:
    """A benchmark.

    Attributes:
        name: Of its file.
        title: For the two that print plain lines; the others print their own headings.
        quick: Further arguments of a quick run.
        one_core: Whether it is held to one core.
        reads_work: Whether it looks for models and a release in the working directory.
    """

    name: str
    title: str | None = None
    quick: tuple[str, ...] = ()
    one_core: bool = False
    reads_work: bool = False


SCRIPTS: Final = (
    Script("votes", "Counting votes", ("--items", "20000")),
    Script("belief", "BELIEF's numbers, one core", ("--prompts", "650000", "--naive-prompts", "5000"), one_core=True),
    Script("tokenising"),
    Script("scoring", reads_work=True),
    Script("instructions"),
    Script("options", reads_work=True),
    Script("memory"),
    Script("profiling"),
    Script("tempripple"),
    Script("kuci"),
    Script("kuci_analysis"),
    Script("gpu"),
)


def main() -> None:
    """Runs them one after the other, each in a process of its own."""
    options = _options()
    found = environment()
    name = f"cpu-{slug(found['cpu'])}-{found['cores']}-cores"
    folder = CACHE / "quick" if options.quick else HERE / "results"
    title = "A quick look" if options.quick else "Benchmarks"
    pages = [f"# {title}: {found['cpu']}, {found['cores']} cores\n\n{describe(found)}\n"]
    print(pages[0], flush=True)
    figures: dict[str, Any] = {"environment": found}
    failed = []
    for script in SCRIPTS:
        if not options.only or script.name in options.only:
            page, one, code = _run(script, options)
            pages.append(page)
            figures |= {script.name: one} if one else {}
            failed += [script.name] if code else []
    pages.append(f"Load when all was done: {os.getloadavg()[0]:.2f} (one minute).\n")
    if not options.only or options.keep:
        _write(folder / "-".join([*(options.only or ()), name]), pages, figures)
    if failed:
        raise SystemExit(f"failed: {', '.join(failed)}")


def _options() -> Any:
    found = parser(__doc__)
    found.add_argument("--work", type=Path, default=Path(os.environ.get("TASHIKA_WORK", "work")))
    found.add_argument("--only", action="append", choices=[script.name for script in SCRIPTS])
    found.add_argument("--keep", action="store_true", help="with --only: write a page of these scripts' own")
    return found.parse_args()


def _run(script: Script, options: Any) -> tuple[str, Any, int]:
    """What it printed, as a page; its figures; its exit code."""
    part = CACHE / "parts" / f"{script.name}.json"
    part.unlink(missing_ok=True)
    call = [sys.executable, str(HERE / f"{script.name}.py")]
    if script.title:
        call += script.quick if options.quick else ()
        print(f"## {script.title}\n", flush=True)
    else:
        call += [*(["--quick"] if options.quick else []), "--json", str(part)]
    if script.reads_work:
        call += ["--work", str(options.work)]
    print(f"bench/{script.name}.py", file=sys.stderr, flush=True)
    began = time.perf_counter()
    lines, code = _told(call, one_core=script.one_core)
    text = "".join(lines).rstrip()
    page = f"## {script.title}\n\n```\n{text}\n```\n" if script.title else f"{text}\n"
    page += f"\n**It failed with exit code {code}.**\n" if code else ""
    end = f"bench/{script.name}.py took {time.perf_counter() - began:.0f} s."
    print(f"{end}\n", flush=True)
    return f"{page}\n{end}\n", json.loads(part.read_text(encoding="utf-8")) if part.is_file() else None, code


def _told(call: list[str], *, one_core: bool) -> tuple[list[str], int]:
    """Runs a command; its output, which is shown as it comes, and its exit code."""
    if one_core and hasattr(os, "sched_getaffinity"):
        core = min(os.sched_getaffinity(0))
        call = [sys.executable, "-c", _HELD, str(core), *call]
    lines = []
    with subprocess.Popen(call, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            lines.append(line)
    return lines, process.returncode


_HELD: Final = "import os, sys; os.sched_setaffinity(0, {int(sys.argv[1])}); os.execv(sys.argv[2], sys.argv[2:])"


def _write(target: Path, pages: list[str], figures: dict[str, Any]) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.with_suffix(".md").write_text("\n".join(pages), encoding="utf-8")
    target.with_suffix(".json").write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    print(f"written: {target.with_suffix('.md')}")


if __name__ == "__main__":
    main()
