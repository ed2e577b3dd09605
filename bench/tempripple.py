"""How fast TempRIPPLE's builder finds what changed, against a local store of four million triples, and in what memory.

Usage: python bench/tempripple.py [--quick] [--scale 1.0] [--seeds 500] [--rounds 3] [--keep-store]

The store is made up (see `synthetic_store`), loaded into Oxigraph and served on this machine. Histories are found and
judged with an empty cache of replies, again with the full one, and with windows from a month to ten years; then related
facts are gathered around the objects of some accepted ones. Each run has a process of its own, whose peak memory the
system tells. The seconds of processor time are told as well, since those of the clock depend on what else the machine
does.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from harness import CACHE, Report, figure, parser
from synthetic_store import generate, load, served

from tashika.builders.sources.sparql import SparqlEndpoint
from tashika.builders.tempripple.changes import changed_subjects, histories
from tashika.builders.tempripple.properties import read_properties
from tashika.builders.tempripple.records import History
from tashika.builders.tempripple.ripples import ripples
from tashika.builders.tempripple.settings import BuildSettings
from tashika.core.settings import packaged

FOLDER: Final = CACHE / "synthetic"
YEAR: Final = "2025-01-01..2025-12-31"
WINDOWS: Final = {
    "a month": "2025-12-01..2025-12-31",
    "a year": YEAR,
    "three years": "2023-01-01..2025-12-31",
    "ten years": "2016-01-01..2025-12-31",
}
ASKED_SECONDS: Final = 15.0
"""The most that 10,000 histories may take."""


def main() -> None:
    """Makes the store and measures; or does one run here and prints its figures as JSON."""
    options = _options()
    if options.step is not None:
        print(json.dumps(STEPS[options.step](options)))
        return
    report = Report("tempripple", options)
    scale, rounds = options.scale or (0.1 if options.quick else 1.0), 1 if options.quick else options.rounds
    made, loaded, store = _store(scale)
    _tell_store(report, made, loaded)
    try:
        with served(store) as (url, pid):
            found = _measure(url, pid, rounds, options.seeds)
            memory = _server_peak(pid)
    finally:
        shutil.rmtree(FOLDER / "replies", ignore_errors=True)
        if not options.keep_store:
            shutil.rmtree(FOLDER, ignore_errors=True)
    _check(found, made)
    _tell_histories(report, found, rounds, memory)
    _tell_ripples(report, found["ripples"], found["ripples, again"])
    report.keep("store", {"made": made, "loaded": loaded, "peak_mib": memory})
    report.keep("runs", found)
    report.save()


def _options() -> argparse.Namespace:
    found = parser(__doc__)
    found.add_argument("--scale", type=float, help="1 for four million triples")
    found.add_argument("--seeds", type=int, default=500, help="objects to gather related facts around")
    found.add_argument("--rounds", type=int, default=3, help="runs with an empty cache, for the window of a year")
    found.add_argument("--keep-store", action="store_true", help="leave the file and the store (1.3 GB) in .bench")
    found.add_argument("--step", choices=STEPS, help=argparse.SUPPRESS)
    found.add_argument("--url", help=argparse.SUPPRESS)
    found.add_argument("--replies", type=Path, help=argparse.SUPPRESS)
    found.add_argument("--window", default=YEAR, help=argparse.SUPPRESS)
    return found.parse_args()


# The store


def _store(scale: float) -> tuple[dict[str, Any], dict[str, float], Path]:
    source, store = FOLDER / f"synthetic-{scale:g}.nt", FOLDER / f"store-{scale:g}"
    print("  writing and loading the store", file=sys.stderr, flush=True)
    made = generate(source, scale)
    return made, load(source, store), store


def _tell_store(report: Report, made: dict[str, Any], loaded: dict[str, float]) -> None:
    report.say(
        f"""## TempRIPPLE's changing and related facts

        **A synthetic store**: nothing in it is true of anything. {made["triples"]:,} triples
        ({made["bytes"] / 1e6:,.0f} MB of N-Triples) about {made["entities"]:,} entities, with {made["histories"]:,}
        histories of the 16 changing properties ({made["statements of histories"]:,} statements), of which
        {made["histories with a start or an end in 2025"]:,} have a start or an end in 2025.

        Written in {made["seconds"]:.1f} s, loaded into Oxigraph in {loaded["load_seconds"]:.1f} s
        ({made["triples"] / loaded["load_seconds"]:,.0f} triples a second), optimised in
        {loaded["optimise_seconds"]:.1f} s; {loaded["bytes"] / 1e6:,.0f} MB on disk."""
    )


def _server_peak(pid: int) -> float:
    """The most memory that the server ever held, in MiB; 0 where the system does not tell."""
    status = Path(f"/proc/{pid}/status")
    lines = status.read_text(encoding="utf-8").splitlines() if status.is_file() else []
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), 0.0)


def _server_seconds(pid: int) -> float:
    """The processor time that the server has taken; 0 where the system does not tell."""
    stat = Path(f"/proc/{pid}/stat")
    fields = stat.read_text(encoding="utf-8").rpartition(")")[2].split() if stat.is_file() else ["0"] * 13
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


# The runs


def _measure(url: str, pid: int, rounds: int, seeds: int) -> dict[str, Any]:
    """All runs by name; of those with several rounds a list."""
    found: dict[str, Any] = {}
    for name, window in WINDOWS.items():
        again = rounds if window == YEAR else 1
        caches = [FOLDER / "replies" / f"{name} {number}" for number in range(again)]
        found[name] = [_apart("histories", url, pid, cache, window=window) for cache in caches]
    kept = FOLDER / "replies" / "a year 0"
    found["again"] = _apart("histories", url, pid, kept)
    for name in ("ripples", "ripples, again"):
        found[name] = _apart("ripples", url, pid, kept, seeds=str(seeds))
    return found


def _apart(step: str, url: str, pid: int, replies: Path, **more: str) -> Any:
    """One run in another process: what it found, with the server's processor time."""
    print(f"  {step} {' '.join(more.values())}", file=sys.stderr, flush=True)
    call = [sys.executable, __file__, "--step", step, "--url", url, "--replies", str(replies)]
    call += [part for name, value in more.items() for part in (f"--{name}", value)]
    before = _server_seconds(pid)
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{step} failed with exit code {done.returncode}:\n{done.stderr[-3000:]}")
    return json.loads(done.stdout.splitlines()[-1]) | {"server_cpu": _server_seconds(pid) - before}


def _endpoint(options: argparse.Namespace) -> SparqlEndpoint:
    return SparqlEndpoint(options.url, cache=options.replies, identity="synthetic")


def run_histories(options: argparse.Namespace) -> dict[str, Any]:
    """Judges every history that has a start or an end in the window; keeps none of them."""
    endpoint, settings = _endpoint(options), BuildSettings(window=options.window)
    properties = read_properties(packaged("tempripple_properties.toml"))
    counts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    before, processor = _peak(), time.process_time()
    first = second = 0.0
    for relation in properties.changing:
        began = time.perf_counter()
        changed_subjects(endpoint, relation, settings.period, settings.cap)  # `histories` then finds the kept reply
        between = time.perf_counter()
        for one in histories(endpoint, relation, settings.period, settings.cap, settings.batch):
            counts["judged"] += 1
            if isinstance(one, History):
                counts["accepted"] += 1
                counts["tenures"] += len(one.tenures)
            else:
                reasons.update(one.reasons)
        first += between - began
        second += time.perf_counter() - between
    return {
        **counts,
        "reasons": dict(reasons.most_common()),
        "requests": endpoint.requests,
        "first_phase": first,
        "second_phase": second,
        "seconds": first + second,
        "cpu": time.process_time() - processor,
        "before": before,
        "peak": _peak(),
    }


def run_ripples(options: argparse.Namespace) -> dict[str, Any]:
    """Gathers related facts around the objects of accepted histories, and walks all paths."""
    endpoint, settings = _endpoint(options), BuildSettings(window=options.window)
    properties = read_properties(packaged("tempripple_properties.toml"))
    tenures = [
        (one.subject, tenure.object)
        for relation in properties.changing
        for one in histories(endpoint, relation, settings.period, settings.cap, settings.batch)
        if isinstance(one, History)
        for tenure in one.tenures
    ]
    random.Random(0).shuffle(tenures)
    roots = {found: (subject, found) for subject, found in tenures}  # each object once
    seeds = list(roots.values())[: options.seeds]
    asked, processor, began = endpoint.requests, time.process_time(), time.perf_counter()
    around = ripples(endpoint, properties, seeds, settings.period, settings.hops, settings.batch)
    gathered = time.perf_counter()
    paths = Counter(path.hop for subject, found in seeds for path in around.paths(subject, found))
    return {
        "seeds": len(seeds),
        "requests": endpoint.requests - asked,
        "seconds": gathered - began,
        "path_seconds": time.perf_counter() - gathered,
        "cpu": time.process_time() - processor,
        "entities": len(around.facts),
        "facts": sum(len(several) for several in around.facts.values()),
        "paths": {str(hop): count for hop, count in sorted(paths.items())},
        "peak": _peak(),
    }


STEPS: Final = {"histories": run_histories, "ripples": run_ripples}


def _peak() -> float:
    """The most memory that this process ever held, in MiB (Linux tells KiB)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


# What is told


def _check(found: dict[str, Any], made: dict[str, Any]) -> None:
    """Ends the bench if a run missed histories, or two runs differ: their times would mean nothing.

    Raises:
        SystemExit: They do.
    """
    known = made["histories with a start or an end in 2025"]
    for one in (*found["a year"], found["again"]):
        if one["judged"] != known or one["reasons"] != found["again"]["reasons"]:
            raise SystemExit(f"{one['judged']:,} histories were judged; the store has {known:,} that changed in 2025.")
    if found["again"]["requests"] or found["ripples, again"]["requests"]:
        raise SystemExit("A run with all replies at hand sent requests.")


def _tell_histories(report: Report, found: dict[str, Any], rounds: int, memory: float) -> None:
    year = found["a year"]
    seconds = [one["seconds"] for one in year]
    report.say(
        f"""Phase 1 asks who changed in the window, one request a property; phase 2 asks for their whole histories,
        {BuildSettings().batch} subjects a request, and judges them. The window of a year: the median of {rounds}
        rounds, each with an empty cache of replies; it took {figure(min(seconds))} to {figure(max(seconds))} s.
        {year[0]["judged"]:,} histories in {figure(statistics.median(seconds))} s; asked for are 10,000 in less than
        {ASKED_SECONDS:.0f} s. Oxigraph held {memory:,.0f} MiB at most."""
    )
    rows = [(name, *_row(found[name])) for name in WINDOWS]
    rows.insert(2, ("a year, from the cache", *_row([found["again"]])))
    head = ("window", "histories", "accepted", "requests", "phase 1, s", "phase 2, s", "together, s",
            "builder's CPU, s", "Oxigraph's CPU, s", "MiB before", "peak MiB")  # fmt: skip
    report.table("Histories", head, rows)
    first, last = max(year, key=lambda one: one["peak"]), found["ten years"][0]
    report.say(
        f"""From a year to ten years: {last["judged"] - first["judged"]:+,} histories,
        {last["peak"] - first["peak"]:+.0f} MiB at the peak. (A month's are too few to fill a request.)"""
    )
    reasons = found["again"]["reasons"]
    report.table("Rejected, by reason (some have several)", ("reason", "histories"),
                 [(name, f"{count:,}") for name, count in reasons.items()])  # fmt: skip


def _row(runs: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    one = runs[0]
    times = ("first_phase", "second_phase", "seconds", "cpu", "server_cpu")
    return (
        *(f"{one[name]:,}" for name in ("judged", "accepted", "requests")),
        *(figure(statistics.median(run[name] for run in runs)) for name in times),
        *(f"{max(run[name] for run in runs):.0f}" for name in ("before", "peak")),
    )


def _tell_ripples(report: Report, fresh: dict[str, Any], again: dict[str, Any]) -> None:
    report.say(
        f"""Related facts of three hops around {fresh["seeds"]:,} objects of accepted histories, {BuildSettings().batch}
        entities a request: {fresh["facts"]:,} facts of {fresh["entities"]:,} entities."""
    )
    head = ("replies", "requests", "seconds", "builder's CPU, s", "Oxigraph's CPU, s", "peak MiB",
            *(f"paths of {hop}" for hop in fresh["paths"]), "seconds for paths")  # fmt: skip
    rows = [
        (
            name,
            one["requests"],
            *(figure(one[key]) for key in ("seconds", "cpu", "server_cpu")),
            f"{one['peak']:.0f}",
            *(f"{count:,}" for count in one["paths"].values()),
            figure(one["path_seconds"]),
        )
        for name, one in (("asked for", fresh), ("from the cache", again))
    ]
    report.table("Related facts", head, rows)


if __name__ == "__main__":
    main()
