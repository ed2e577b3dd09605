"""Predictions in Parquet shards that survive a kill, made by one model, or by several beside each other.

While a model runs, the texts of the next shard are made and the predictions of the last one are written, each in a
thread of its own: a GPU does not wait for either.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event
from typing import Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from tashika.core.files import remove_leftovers, write_batches
from tashika.core.progress import bar
from tashika.evaluate.engine.kernels import give_memory_back
from tashika.evaluate.engine.recipe import Advance, Scorer

CUDA_TIMES: Final = 10
"""How many times larger a shard should be on a CUDA device, which is that much faster."""

_READ_AT_ONCE: Final = 20_000


class StoppedError(Exception):
    """Another engine has failed, or the run was stopped."""


class Shard(NamedTuple):
    """A stretch of a work list, and the file of its predictions."""

    path: Path
    start: int
    stop: int


def plan(target: Path, key: str, count: int, size: int) -> list[Shard]:
    """The shards of a run; how they are cut depends on nothing but these, so every engine cuts them alike.

    Args:
        target: The file that they end up in.
        key: Digest of everything that the predictions depend on; shards of another key are not used.
        count: Prompts (questions, probes …) in all.
        size: Of them in a shard: what a kill loses at most.
    """
    folder = _folder(target, key)
    return [
        Shard(folder / f"part-{start // size:05d}.parquet", start, min(start + size, count))
        for start in range(0, count, size)
    ]


def write_predictions(
    scorers: Sequence[Scorer], shards: Sequence[Shard], target: Path, schema: pa.Schema, what: str
) -> int:
    """Scores a work list into one Parquet file; an interrupted run of the same key is resumed.

    Args:
        scorers: One or more that give the same, such as one for each GPU; none if every shard is there.
        shards: See `plan`.
        target: The file.
        schema: Of the predictions.
        what: For the progress bar.

    Returns:
        The number of predictions.
    """
    score_shards(scorers, shards, what)
    return join(shards, target, schema)


def score_shards(scorers: Sequence[Scorer], shards: Sequence[Shard], what: str) -> None:
    """Writes the shards that are missing; see `write_predictions`."""
    with bar(what, shards[-1].stop if shards else 0) as advance:
        todo = missing(shards, advance)
        if todo:
            _score_all(scorers, todo, advance)


def missing(shards: Sequence[Shard], advance: Advance) -> list[Shard]:
    """The shards that are not there yet; those that are count as done."""
    done = [shard for shard in shards if shard.path.is_file()]
    for shard in done:
        advance(shard.stop - shard.start)
    return [shard for shard in shards if shard not in done]


def join(shards: Sequence[Shard], target: Path, schema: pa.Schema) -> int:
    """Writes all shards into one file; returns the number of rows."""
    remove_leftovers(target)
    return write_batches(target, _all_batches([shard.path for shard in shards], schema), schema)


def write_shard(shard: Shard, table: pa.Table) -> None:
    """Writes one shard; the file is whole or absent."""
    write_batches(shard.path, table.to_batches(), table.schema)


def forget_shards(target: Path, key: str) -> None:
    """Removes the shards of finished predictions; those of other keys stay, for their own runs to resume from."""
    folder = _folder(target, key)
    shutil.rmtree(folder, ignore_errors=True)
    with suppress(OSError):  # it holds those of other keys, or is gone
        folder.parent.rmdir()


def _folder(target: Path, key: str) -> Path:
    return target.parent / "shards" / key[:16]


def score_in_parts(scorers: Sequence[Scorer], shards: Sequence[Shard]) -> Iterator[tuple[int, pa.Table]]:
    """Gives the table of each shard with its place in `shards`, in whatever order they are done; writes no file.

    Args:
        scorers: One or more that give the same; a single one works in the caller's thread.
        shards: Stretches of the work list; their paths are not used.
    """
    if len(scorers) == 1:
        yield from ((number, _table_of(scorers[0], shard)) for number, shard in enumerate(shards))
        return
    waiting: SimpleQueue[tuple[int, Shard]] = SimpleQueue()
    for numbered in enumerate(shards):
        waiting.put(numbered)
    done: SimpleQueue[tuple[int, pa.Table] | BaseException] = SimpleQueue()
    stopped = Event()
    with ThreadPoolExecutor(len(scorers), "scorer") as pool:
        for scorer in scorers:
            pool.submit(_fill, done, scorer, waiting, stopped)
        try:
            for _ in shards:
                result = done.get()
                if isinstance(result, BaseException):
                    raise result
                yield result
        finally:
            stopped.set()  # or the others would work to the end


def _fill(
    done: SimpleQueue[tuple[int, pa.Table] | BaseException],
    scorer: Scorer,
    waiting: SimpleQueue[tuple[int, Shard]],
    stopped: Event,
) -> None:
    """Scores shard after shard, until none is left or the run was stopped; an error is handed on like a result."""
    try:
        while not stopped.is_set():
            number, shard = waiting.get_nowait()
            done.put((number, _table_of(scorer, shard)))
    except Empty:
        return
    except BaseException as error:
        done.put(error)


def _table_of(scorer: Scorer, shard: Shard) -> pa.Table:
    prepared = scorer.prepare(shard.start, shard.stop)
    return scorer.table(prepared, scorer.run(prepared))


def _score_all(scorers: Sequence[Scorer], todo: Sequence[Shard], advance: Advance) -> None:
    """Every engine takes the next shard when it is free."""
    waiting: SimpleQueue[Shard] = SimpleQueue()
    for shard in todo:
        waiting.put(shard)
    if len(scorers) == 1:
        _work(scorers[0], waiting, advance)
        return
    stopped = Event()

    def advance_or_stop(steps: int) -> None:
        if stopped.is_set():
            raise StoppedError
        advance(steps)

    with ThreadPoolExecutor(len(scorers), "scorer") as pool:
        running = [pool.submit(_work, scorer, waiting, advance_or_stop) for scorer in scorers]
        try:
            for one in as_completed(running):
                one.result()
        except BaseException:
            stopped.set()  # or the others would work to the end
            raise


def _work(scorer: Scorer, waiting: SimpleQueue[Shard], advance: Advance) -> None:
    """Runs shard after shard, the next being made and the last being written meanwhile."""
    with ThreadPoolExecutor(1, "prepare") as maker, ThreadPoolExecutor(1, "write") as writer:
        prepare: Callable[[Shard], Future[Any]] = lambda one: maker.submit(scorer.prepare, one.start, one.stop)  # noqa: E731
        coming = _taken(waiting, prepare)
        written: Future[None] | None = None
        while coming is not None:
            shard, texts = coming[0], coming[1].result()
            coming = _taken(waiting, prepare)
            ranked = scorer.run(texts, advance)
            give_memory_back()
            if written is not None:
                written.result()  # one at a time: a slow disk must not fill the memory
            written = writer.submit(
                lambda one, two, three: write_shard(one, scorer.table(two, three)), shard, texts, ranked
            )
        if written is not None:
            written.result()


def _taken(waiting: SimpleQueue[Shard], prepare: Callable[[Shard], Future[Any]]) -> tuple[Shard, Future[Any]] | None:
    try:
        shard = waiting.get_nowait()
    except Empty:
        return None
    return shard, prepare(shard)


def _all_batches(paths: Sequence[Path], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    coded = [field.name for field in schema if pa.types.is_dictionary(field.type)]
    for path in paths:
        with pq.ParquetFile(path, read_dictionary=coded) as file:
            for batch in file.iter_batches(batch_size=_READ_AT_ONCE):
                table: Any = pa.Table.from_batches([batch]).cast(schema)
                yield from table.to_batches()
