"""A text of any size through an analyser, in shards: many processes or machines, kills, the same bytes.

The input is cut into shards of so many sentences. Each is analysed and reduced to a table, which is written whole or
not at all with the digest of what it was made from. A second run does only what is missing.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any, Final, Literal

import pyarrow as pa
import pyarrow.parquet as pq

from tashika.builders.kuci.analysis.pace import Pace, Share
from tashika.builders.kuci.analysis.pool import pool_results
from tashika.builders.kuci.analysis.ray_pool import ray_results
from tashika.builders.kuci.analysis.records import SHOWN, Counts, Failure
from tashika.builders.kuci.analysis.speed import Speed
from tashika.builders.kuci.analysis.work import Factory, Input, Job, Result, Shard, Worker, pack
from tashika.core.errors import InputError
from tashika.core.files import ROWS_A_BATCH, hash_value, read_table, remove_leftovers, replacing, write_batches
from tashika.core.progress import bar, say
from tashika.core.threads import core_count

Engine = Literal["here", "local", "ray"]

_MARKER: Final = b"tashika.shard"
"""Where a shard's file holds its digest, counts and failures."""


@dataclass(frozen=True)
class Scale:
    """How the work is cut and spread; none of it changes what comes out.

    Attributes:
        engine: "local" for processes of this machine, "ray" for a cluster, "here" for this process alone.
        processes: On this machine; None for one a core.
        sentences: In a shard: what a kill loses at most.
        cuda: Whether each process has a CUDA device.
        devices: Those of this machine, by which processes are limited, as `CUDA_VISIBLE_DEVICES` names them.
    """

    engine: Engine = "local"
    processes: int | None = None
    sentences: int = 2_000
    cuda: bool = False
    devices: tuple[str, ...] = ()

    @property
    def most(self) -> int:
        """Processes on this machine."""
        if self.devices:
            return min(self.processes or len(self.devices), len(self.devices))
        return 1 if self.engine == "here" else self.processes or core_count()


@dataclass(frozen=True)
class Outcome:
    """What a run has left.

    Attributes:
        paths: The shards' files, in the order of the input.
        schema: Of the rows.
        counts: Sentences, and failures by reason.
        speed: Of what this run itself did.
    """

    paths: tuple[Path, ...]
    schema: pa.Schema
    counts: Counts
    speed: Speed

    def tables(self) -> Iterator[pa.Table]:
        """The rows, shard by shard.

        Raises:
            InputError: A shard's file is broken.
        """
        return (read_table(path).cast(self.schema) for path in self.paths)

    def write(self, target: Path) -> int:
        """Writes all rows into one file, the same bytes however the shards were cut; returns their number."""
        remove_leftovers(target)
        return write_batches(target, _even_batches(self.tables(), self.schema), self.schema)

    def failures(self) -> Iterator[Failure]:
        """The sentences that could not be read or analysed, in the order of the input; texts are cut short."""
        for path in self.paths:
            yield from (Failure(*one) for one in _marker(path)["failures"])

    def forget(self) -> None:
        """Removes the shards, when what was made of them is safe."""
        for path in self.paths:
            path.unlink(missing_ok=True)


def write_failures(target: Path, failures: Iterable[Failure]) -> int:
    """Writes failures as tab-separated values: sid, reason, text; returns their number."""
    number = 0
    with replacing(target) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
        file.write("sid\treason\ttext\n")
        for number, one in enumerate(failures, start=1):  # noqa: B007
            file.write("\t".join(" ".join(field.split()) for field in (one.sid, one.reason, one.text)) + "\n")
    return number


def report_failures(failures: int, outcome: Outcome) -> str:
    """Says how many sentences failed, and why most of them did; returns what it said, nothing if none did."""
    if not failures:
        return ""
    reason, count = max(outcome.counts.failures.items(), key=lambda item: item[1])
    message = (
        f"{failures:,} of {outcome.counts.sentences:,} sentences could not be analysed; {count:,} of them: {reason}"
    )
    say(message)
    return message


def run_shards(
    inputs: Iterable[Input],
    job: Job,
    factory: Factory,
    folder: Path,
    *,
    settings: Mapping[str, Any],
    scale: Scale | None = None,
    what: str = "analysis",
    share: Share | None = None,
) -> Outcome:
    """Analyses sentences and reduces them to tables, resuming where an earlier run was cut off.

    Args:
        inputs: Sentences or KNP blocks, with what could not be read in its place; streamed.
        job: What becomes of the analysed sentences.
        factory: Opens the analyser, once in each process.
        folder: Where the shards go, as JOB-NNNNN.parquet.
        settings: Plain values that the rows depend on: the analyser's and the job's settings and versions.
        scale: How the work is spread.
        what: For the progress bar.
        share: Gives which part of `inputs` has been read, for the progress bar; None where nobody knows.

    Raises:
        InputError: The job or the analyser cannot be sent to another process.
        OutsideError: A shard ended its process again and again; the analyser cannot be started; Ray cannot be used.
    """
    scale = scale or Scale()
    key = hash_value([job.name, version("tashika"), str(job.schema), dict(settings)])
    paths: list[Path] = []
    counts = Counts()
    seconds, started, pace = 0.0, time.monotonic(), Pace(share)
    with bar(what, lambda: pace.total, pace.note) as advance:
        todo = _missing(_cut(inputs, scale.sentences, key), folder, job.name, paths, pace, advance)
        with closing(_results(todo, factory, job, scale)) as results:
            for shard, result in results:
                _write(_path(folder, job.name, shard.number), shard, result)
                seconds += result.seconds
                pace.finish(len(shard.inputs), result.worker)
                advance(len(shard.inputs))
    for path in paths:
        _count(path, counts)
    _tidy(folder, job.name, len(paths))
    workers = len(pace.workers)
    at_once = workers if scale.engine == "ray" else min(workers, scale.most)  # one that died had a follower
    speed = Speed(pace.done, seconds, time.monotonic() - started, at_once)
    if pace.done:
        say(speed.summary())
    return Outcome(tuple(paths), job.schema, counts, speed)


def _results(todo: Iterator[Shard], factory: Factory, job: Job, scale: Scale) -> Any:
    """The engine's results, a generator of (shard, result)."""
    if scale.engine == "here":
        return _here(todo, factory, job)
    packed = pack(factory, job)
    if scale.engine == "ray":
        return ray_results(todo, packed, cuda=scale.cuda)
    return pool_results(todo, packed, scale.most, scale.devices)


def _here(todo: Iterator[Shard], factory: Factory, job: Job) -> Iterator[tuple[Shard, Result]]:
    worker: Worker | None = None
    for shard in todo:
        worker = worker or Worker(factory, job)
        yield shard, worker.reduce(shard.inputs)


def _cut(inputs: Iterable[Input], size: int, key: str) -> Iterator[Shard]:
    rest, number = iter(inputs), 0
    while stretch := list(islice(rest, size)):
        plain = [[one.sid, one.text, one.reason] if isinstance(one, Failure) else one for one in stretch]
        yield Shard(number, stretch, hash_value([key, plain]))
        number += 1


def _missing(
    shards: Iterable[Shard], folder: Path, job: str, paths: list[Path], pace: Pace, advance: Callable[[int], None]
) -> Iterator[Shard]:
    """The shards that are not there yet; those that are count as done. All their paths are noted."""
    for shard in shards:
        path = _path(folder, job, shard.number)
        paths.append(path)
        pace.reach(len(shard.inputs))
        if _is_done(path, shard.key):
            pace.kept += len(shard.inputs)
            advance(len(shard.inputs))
        else:
            yield shard
    pace.reach(0)  # lines without a sentence may have come last


def _path(folder: Path, job: str, number: int) -> Path:
    return folder / f"{job}-{number:05d}.parquet"


def _is_done(path: Path, key: str) -> bool:
    try:
        return path.is_file() and bool(_marker(path)["key"] == key)
    except (InputError, KeyError):
        return False


def _marker(path: Path) -> dict[str, Any]:
    """What a shard's file records about itself.

    Raises:
        InputError: The file is no shard's, or broken.
    """
    try:
        marker: dict[str, Any] = json.loads(pq.read_schema(path).metadata[_MARKER])
    except (OSError, pa.ArrowInvalid, KeyError, TypeError, ValueError) as error:
        raise InputError(f"not a whole shard: {error}", where=str(path), hint="Delete it and run again.") from error
    return marker


def _write(path: Path, shard: Shard, result: Result) -> None:
    marker = {
        "key": shard.key,
        "sentences": len(shard.inputs),
        "failures": [[one.sid, one.text[:SHOWN], one.reason] for one in result.failures],
    }
    metadata = {**(result.table.schema.metadata or {}), _MARKER: json.dumps(marker, ensure_ascii=False).encode()}
    table = result.table.replace_schema_metadata(metadata)
    write_batches(path, table.to_batches(), table.schema)


def _count(path: Path, counts: Counts) -> None:
    marker = _marker(path)
    counts.sentences += int(marker["sentences"])
    for _, _, reason in marker["failures"]:
        counts.failures[reason] = counts.failures.get(reason, 0) + 1


def _tidy(folder: Path, job: str, number: int) -> None:
    """Removes shards beyond the last one, and what killed runs left half-written."""
    for path in folder.glob(f"{job}-*.parquet"):
        digits = path.stem.removeprefix(f"{job}-")
        if digits.isdigit() and int(digits) >= number:
            path.unlink()
    for left in folder.glob(f".{job}-*.part"):
        remove_leftovers(folder / left.name[1:].rsplit(".", 2)[0])


def _even_batches(tables: Iterable[pa.Table], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Cuts rows into batches of one size: a Parquet file's bytes depend on how its rows came."""
    held: pa.Table = schema.empty_table()
    for table in tables:
        held = pa.concat_tables([held, table])
        while held.num_rows >= ROWS_A_BATCH:
            yield from held.slice(0, ROWS_A_BATCH).combine_chunks().to_batches()
            held = held.slice(ROWS_A_BATCH)
    if held.num_rows:
        yield from held.combine_chunks().to_batches()
