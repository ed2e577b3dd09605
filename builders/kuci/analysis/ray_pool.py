"""The same shards on every core of a Ray cluster.

Ray Data sends the sentences of a shard to whichever actor is free and brings its rows back; this process reads and
writes, so the machines need no common disk. An actor that dies is started again and its shards are done again
(Ray Data's own `max_restarts` and `max_task_retries`, both without end; `Attempts` ends what never comes to an end).
"""

from __future__ import annotations

import pickle
from collections.abc import Generator, Iterator
from contextlib import closing
from typing import Any, Final

import pyarrow as pa

from tashika.builders.kuci.analysis.records import Failure
from tashika.builders.kuci.analysis.work import MOST_ATTEMPTS, Result, Shard, Worker, with_place
from tashika.core.errors import InputError, OutsideError
from tashika.core.ray_cluster import Attempts, cluster, ray_module, set_up
from tashika.core.threads import set_thread_defaults

_AT_ONCE: Final = 1 << 28
"""Bytes of text that are handed to Ray at a time: it holds its input in memory, and a corpus is larger than that."""


def ray_results(shards: Iterator[Shard], packed: bytes, *, cuda: bool = False) -> Generator[tuple[Shard, Result]]:
    """Gives the result of each shard, in whatever order they come, as `analysis_pool.pool_results` does.

    Args:
        shards: To do.
        packed: See `work.pack`.
        cuda: Whether each worker is given a GPU of the cluster.

    Raises:
        InputError: The cluster cannot be used.
        OutsideError: Ray is not installed or gives up, or a shard's actors keep dying.
    """
    first = next(shards, None)
    if first is None:
        return
    ray = ray_module()
    with cluster(ray):
        attempts = ray.remote(num_cpus=0, max_restarts=-1, max_task_retries=-1)(Attempts).remote()
        while first is not None:
            some = [first, *_taken(shards, _AT_ONCE - _size(first))]
            with closing(_done(ray, some, packed, attempts, cuda=cuda)) as results:
                yield from results
            first = next(shards, None)


def _taken(shards: Iterator[Shard], size: int) -> Iterator[Shard]:
    """Shards up to so many bytes."""
    while size > 0 and (shard := next(shards, None)) is not None:
        size -= _size(shard)
        yield shard


def _size(shard: Shard) -> int:
    return sum(3 * len(one[1]) for one in shard.inputs if not isinstance(one, Failure))  # bytes of Japanese letters


class Analyst:
    """Lives in an actor: opens the analyser once, and reduces one shard after the other.

    An error is sent back like a result. Ray would make a long text of it, and try again where the constructor failed.

    Args:
        packed: Ray's reference to the packed worker.
        attempts: Handle of the actor that counts them.
        actors: How many there are of this kind.
    """

    def __init__(self, packed: Any, attempts: Any, actors: int) -> None:
        import ray

        self._attempts = attempts
        self._broken: Exception | None = None
        set_thread_defaults()  # another machine's environment is its own
        try:
            self._begin("loading", "loading", MOST_ATTEMPTS + actors)
            self._worker = Worker.unpacked(ray.get(packed))
            self._attempts.end.remote("loading")
        except Exception as error:
            self._broken = with_place(error)

    def __call__(self, batch: pa.Table) -> pa.Table:
        """Reduces the shard that is the only row."""
        row = batch.to_pylist()[0]
        shard = pickle.loads(row["shard"])  # noqa: S301 - from the process that started this one
        result = pickle.dumps(self._broken or self._reduce(shard))
        return pa.table({"number": [row["number"]], "result": pa.array([result], pa.large_binary())})

    def _reduce(self, shard: Shard) -> Result | Exception:
        try:
            what = f"shard {shard.key}"
            self._begin(what, shard.where, MOST_ATTEMPTS)
            result = self._worker.reduce(shard.inputs)
            self._attempts.end.remote(what)
            return result
        except Exception as error:
            return with_place(error)

    def _begin(self, what: str, where: str, most: int) -> None:
        import ray

        if ray.get(self._attempts.begin.remote(what)) > most:
            raise OutsideError(
                f"Ray's workers died {most} times",
                where=where,
                hint="A machine may lack memory for so many workers, or a sentence kills the analyser. "
                "Ray's own logs have details; what was done is kept.",
            )


def _done(
    ray: Any, shards: list[Shard], packed: bytes, attempts: Any, *, cuda: bool
) -> Generator[tuple[Shard, Result]]:
    by_number = {shard.number: shard for shard in shards}
    kind = "GPU" if cuda else "CPU"
    most = sum(int(node["Resources"].get(kind, 0)) for node in ray.nodes() if node["Alive"])
    if not most:
        raise InputError(f"no machine of the Ray cluster has a {kind} to give")
    actors = min(most, len(shards))
    rows = [{"number": shard.number, "shard": pickle.dumps(shard)} for shard in shards]
    inputs = ray.data.from_items(rows, override_num_blocks=len(rows))
    set_up(inputs.context)
    results = inputs.map_batches(
        Analyst,
        batch_size=1,
        batch_format="pyarrow",
        fn_constructor_args=(ray.put(packed), attempts, actors),
        compute=ray.data.ActorPoolStrategy(size=actors),
        num_cpus=1,
        num_gpus=1 if cuda else 0,
    )
    with closing(iter(results.iter_batches(batch_size=None, batch_format="pyarrow"))) as blocks:
        for block in blocks:
            for row in block.to_pylist():
                result = pickle.loads(row["result"])  # noqa: S301 - from a worker of this run
                if isinstance(result, Exception):
                    raise result
                yield by_number[row["number"]], result
