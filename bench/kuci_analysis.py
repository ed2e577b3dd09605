"""How fast KUCI's text is analysed, over how many processes, and in what memory however long it is.

Usage: python bench/kuci_analysis.py [--quick] [--text FILE ...] [--only speed processes memory parent reading] [--ray]

- speed: sentences a second as the rules once did them (every sentence through all of GiNZA), and as they do now; in
  turns in one process, with the relations of both compared.
- processes: the same text by one and two processes, in turns (and by a Ray cluster of this machine, with `--ray`).
- memory: the peak of the first process and of the largest other one, by lines of text.
- parent: the same with an analyser that does nothing: what the first process can feed, and what it holds.
- reading: a million lines read, split, and looked through for repeats, without analysis.

Without `--text` it is the packaged text. A text that is too short is repeated, with another word before each sentence,
so that none is left out as a repeat.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, Final

import psutil
from harness import Report, Way, figure, interleaved, parser

from tashika.builders.kuci.analysis.analyzers import AnalyzerSettings, open_analyzer
from tashika.builders.kuci.analysis.ginza.analyzer import Ginza
from tashika.builders.kuci.analysis.ginza.rules import analyse
from tashika.builders.kuci.analysis.ginza.tokens import Token
from tashika.builders.kuci.analysis.records import Failure, Relation, Sentence
from tashika.builders.kuci.analysis.shards import Scale, run_shards
from tashika.builders.kuci.candidates import Candidates
from tashika.builders.kuci.packaged import packaged_text
from tashika.builders.kuci.text.extent import extent_of
from tashika.builders.kuci.text.files import text_files
from tashika.builders.kuci.text.sentences import read_sentences
from tashika.core.progress import unseen

PARTS: Final = ("speed", "processes", "memory", "parent", "reading")
SYLLABLES: Final = "アイウエオカキクケコサシスセソタチツテト"
SECONDS: Final = 0.2  # between two looks at the memory


def main() -> None:
    """Measures all parts; or does one run here and prints its figures as JSON."""
    options = _options()
    if options.run:
        print(json.dumps(_run_here(json.loads(options.run))))
        return
    report = Report("kuci_analysis", options)
    texts = _texts(options.text or packaged_text("all"))
    report.say(f"## KUCI's analysis\n\n{len(texts):,} different sentences, {_mean(texts):.0f} characters on average.")
    for part in options.only or PARTS:
        _MEASURES[part](report, texts, options)
    report.save()


def _options() -> argparse.Namespace:
    found = parser(__doc__)
    found.add_argument("--text", type=Path, nargs="+")
    found.add_argument("--only", nargs="+", choices=PARTS)
    found.add_argument("--ray", action="store_true", help="with a Ray cluster of this machine too")
    found.add_argument("--run", help=argparse.SUPPRESS)
    return found.parse_args()


def _texts(paths: Sequence[Path]) -> list[str]:
    return [one[1] for one in read_sentences(text_files(paths)) if isinstance(one, tuple)]


def _mean(texts: Sequence[str]) -> float:
    return sum(map(len, texts)) / len(texts)


def _repeated(texts: Sequence[str]) -> Iterator[str]:
    """The sentences without end, each time with another name before them."""
    yield from texts
    for name in product(SYLLABLES, repeat=3):
        yield from (f"{''.join(name)}では、{text}" for text in texts)


# --- speed


def _speed(report: Report, texts: Sequence[str], options: argparse.Namespace) -> None:
    count, rounds = (300, 2) if options.quick else (1_000, 5)
    chosen = [(str(number), text) for number, text in enumerate(texts[:: max(1, len(texts) // count)][:count])]
    ours, before = Ginza(), _AllOfGinza()
    ways: dict[str, Callable[[], list[tuple[Relation, ...]]]] = {
        "every sentence, all of GiNZA, blis": lambda: before.relations(chosen),
        "every sentence": lambda: _relations(ours, chosen, relations_only=False),
        "sentences that may hold a relation": lambda: _relations(ours, chosen, relations_only=True),
    }
    same = [way() for way in ways.values()]
    timings = interleaved({name: Way(partial(_cpu_seconds, way), len(chosen)) for name, way in ways.items()}, rounds)
    report.say(
        f"""### Speed

        {len(chosen):,} of the sentences in one process, in turns, by processor time (the clock's depends on what else
        the machine does). Relations: {sum(map(len, same[0])):,}; {
            "the same" if same[0] == same[1] == same[2] else "**not the same**"
        } by all ways."""
    )
    report.timings("Sentences a second of processor time", timings, list(ways)[1:], "sentences/s")


def _cpu_seconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def _relations(ginza: Ginza, sentences: Sequence[tuple[str, str]], *, relations_only: bool) -> list[Any]:
    results = ginza.analyze(sentences, relations_only=relations_only)
    return [one.relations if isinstance(one, Sentence) else () for one in results]


class _AllOfGinza:
    """What the analysis was before: all parts of the model but for names, over every sentence."""

    def __init__(self) -> None:
        import spacy

        self._model = spacy.load("ja_ginza", exclude=["ner"])

    def relations(self, sentences: Sequence[tuple[str, str]]) -> list[Any]:
        """Those of each sentence."""
        texts = [text for _, text in sentences]
        with self._model.memory_zone():
            docs = self._model.pipe((text if len(text) <= 500 else "" for text in texts), batch_size=64)
            return [analyse(self._tokens(doc)).relations for doc in docs]

    def _tokens(self, doc: Any) -> list[Token]:
        unknown = [one.is_oov() for one in self._model.tokenizer.tokenizer.tokenize(doc.text)]  # which was done too
        assert len(unknown) >= 0
        return [
            Token(
                token.i,
                token.orth_,
                token.norm_,
                token.tag_,
                (token.morph.get("Inflection") or [""])[0].split(";")[-1],
                token.dep_,
                token.head.i,
            )
            for token in doc
        ]


# --- processes and memory


def _processes(report: Report, texts: Sequence[str], options: argparse.Namespace) -> None:
    lines, rounds = (8_000, 1) if options.quick else (40_000, 3)
    ways = [("local", 1), ("local", 2), *([("ray", 2)] if options.ray else [])]
    runs: dict[tuple[str, int], list[dict[str, Any]]] = {way: [] for way in ways}
    with _text_of(texts, lines) as path:
        for number in range(rounds):
            for engine, processes in ways if number % 2 == 0 else ways[::-1]:
                runs[engine, processes].append(_apart(path, engine, processes))
    base = runs["local", 1]
    rows = [
        (
            f"{engine}, {processes}",
            figure(_median([one["rate"] for one in some])),
            f"{_median([a['rate'] / b['rate'] for a, b in zip(some, base, strict=True)]):.2f} ×",
            figure(_median([one["workers_cpu"] for one in some])),
            figure(_median([one["parent_cpu"] for one in some]) / lines * 1e3),
            f"{max(one['parent'] for one in some):.0f}",
            f"{max(one['child'] for one in some):.0f}",
        )
        for (engine, processes), some in runs.items()
    ]
    report.say(
        f"""### Processes

        {lines:,} lines, {rounds} rounds in turns. Sentences a second by the clock, from the first shard that came back
        to the last, since loading takes its time in each process; ratios are medians of the rounds' own."""
    )
    head = (
        *("engine, processes", "sentences/s", "of one", "workers' CPU, ms a sentence", "the first process's"),
        *("its peak MiB", "largest other, MiB"),
    )
    report.table("Processes", head, rows)
    report.keep("processes", {f"{engine}-{processes}": some for (engine, processes), some in runs.items()})


def _memory(report: Report, texts: Sequence[str], options: argparse.Namespace) -> None:
    sizes = (4_000, 12_000) if options.quick else (10_000, 50_000, 200_000)
    found = []
    for lines in sizes:
        with _text_of(texts, lines) as path:
            found.append(_apart(path, "local", 2))
    rows = [
        (
            f"{lines:,}",
            figure(one["seconds"]),
            f"{one['parent']:.0f}",
            f"{one['child']:.0f}",
            f"{one['disk'] / 2**20:.1f}",
            f"{one['rows']:,}",
        )
        for lines, one in zip(sizes, found, strict=True)
    ]
    report.say("### Memory\n\nTwo processes of this machine, from lines of text to the joined file of relations.")
    head = ("lines", "seconds", "first process, MiB", "largest other, MiB", "shards on disk, MiB", "relations")
    report.table("Peak memory", head, rows)
    report.keep("memory", dict(zip(map(str, sizes), found, strict=True)))


def _parent(report: Report, texts: Sequence[str], options: argparse.Namespace) -> None:
    rows = []
    for lines in (10_000, 50_000) if options.quick else (50_000, 200_000, 1_000_000):
        with _text_of(texts, lines) as path:
            one = _apart(path, "idle", 2)
        memory = [f"{one[name]:.0f}" for name in ("before", "parent")]
        rows.append((f"{lines:,}", figure(one["parent_cpu"]), figure(lines / one["parent_cpu"]), *memory))
    report.say("### The first process\n\nTwo processes whose analyser finds nothing, so that they always wait.")
    head = ("lines", "its CPU, s", "lines a second of it", "MiB before", "peak MiB")
    report.table("The first process alone", head, rows)
    report.keep("parent", rows)


class _Idle:
    """An analyser that finds nothing."""

    backend = "ginza"
    keys = "sudachi"

    def analyze(
        self, sentences: Iterator[tuple[str, str]], *, relations_only: bool = False
    ) -> Iterator[Sentence | Failure]:
        """A sentence without words for each."""
        return (Sentence(sid, text, ()) for sid, text in sentences)

    def describe(self) -> dict[str, str]:
        """Nothing to say."""
        return {}


def _reading(report: Report, texts: Sequence[str], options: argparse.Namespace) -> None:
    sizes = (10_000, 50_000) if options.quick else (10_000, 50_000, 200_000, 1_000_000)
    rows = []
    for lines in sizes:
        with _text_of(texts, lines) as path:
            one = _apart(path, "reading", 0)
        rows.append(
            (f"{lines:,}", f"{one['rows']:,}", figure(one["cpu"]), f"{one['before']:.0f}", f"{one['peak']:.0f}")
        )
    report.say("### Reading\n\nLines read, cleaned, split, and looked through for repeats; no analysis.")
    report.table("Reading", ("lines", "sentences", "CPU, s", "MiB before", "peak MiB"), rows)
    report.keep("reading", rows)


def _median(values: Sequence[float]) -> float:
    return sorted(values)[len(values) // 2]


class _text_of:  # noqa: N801 - a context manager
    """A file of so many lines, for as long as the block runs."""

    def __init__(self, texts: Sequence[str], lines: int) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self._path = Path(self._folder.name) / "text.txt"
        with self._path.open("w", encoding="utf-8") as file:
            file.writelines(f"{text}\n" for _, text in zip(range(lines), _repeated(texts), strict=False))

    def __enter__(self) -> Path:
        return self._path

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()


def _apart(path: Path, engine: str, processes: int) -> dict[str, Any]:
    """A run in a process of its own."""
    what = json.dumps({"path": str(path), "engine": engine, "processes": processes})
    call = [sys.executable, __file__, "--run", what]
    done = subprocess.run(call, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"the run {what} failed with exit code {done.returncode}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    print(f"  {what}: {found}", file=sys.stderr, flush=True)
    return found


def _run_here(what: dict[str, Any]) -> dict[str, Any]:
    files = text_files([Path(what["path"])])
    before, began = _mebibytes(psutil.Process()), time.process_time()
    if what["engine"] == "reading":
        rows = sum(1 for _ in read_sentences(files))
        return {"rows": rows, "cpu": time.process_time() - began, "before": before, "peak": _own_peak()}
    if what["engine"] == "ray":
        _start_ray(what["processes"])
    extent, watch = extent_of(files), _Watch()
    with tempfile.TemporaryDirectory() as name, unseen():
        folder, started = Path(name), time.monotonic()
        outcome = run_shards(
            _timed(read_sentences(files, extent=extent), watch),
            Candidates(),
            _Idle if what["engine"] == "idle" else partial(open_analyzer, "ginza", AnalyzerSettings()),
            folder / "shards",
            settings={},
            scale=Scale("ray" if what["engine"] == "ray" else "local", what["processes"], 1_000),
            share=lambda: extent.share,
        )
        seconds, cpu = time.monotonic() - started, time.process_time() - began
        disk, times = _disk(outcome.paths)
        rows = outcome.write(folder / "all.parquet")
    watch.end()
    first, last = min(times), max(times)
    rate = (outcome.counts.sentences - 1_000 * what["processes"]) / (last - first) if last > first else 0.0
    return {
        "rows": rows, "seconds": seconds, "rate": rate, "each": outcome.speed.each,
        "parent_cpu": cpu, "workers_cpu": watch.cpu / outcome.counts.sentences * 1e3,
        "before": before, "parent": _own_peak(), "child": watch.child, "disk": disk,
    }  # fmt: skip


def _timed(inputs: Iterator[Any], watch: _Watch) -> Iterator[Any]:
    watch.start()
    yield from inputs


def _disk(paths: Sequence[Path]) -> tuple[int, list[float]]:
    states = [path.stat() for path in paths]
    return sum(one.st_size for one in states), [one.st_mtime for one in states]


def _start_ray(processes: int) -> None:
    import ray

    ray.init(num_cpus=processes, include_dashboard=False, log_to_driver=False)


class _Watch:
    """Looks now and then at this process's children: the memory of the largest, the processor time of all."""

    def __init__(self) -> None:
        self.child = 0.0
        self._cpu: dict[int, float] = {}
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def start(self) -> None:
        """Begins to look."""
        self._thread.start()

    def end(self) -> None:
        """Looks no more."""
        self._ended.set()

    @property
    def cpu(self) -> float:
        """Seconds of processor time of all children."""
        return sum(self._cpu.values())

    def _look(self) -> None:
        me = psutil.Process()
        while not self._ended.wait(SECONDS):
            for child in me.children(recursive=True):
                try:
                    self.child = max(self.child, _mebibytes(child))
                    self._cpu[child.pid] = sum(child.cpu_times()[:2])
                except psutil.NoSuchProcess:
                    continue


def _mebibytes(process: psutil.Process) -> float:
    return float(process.memory_info().rss / 2**20)


def _own_peak() -> float:
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


_MEASURES: Final = {"speed": _speed, "processes": _processes, "memory": _memory, "parent": _parent, "reading": _reading}


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
