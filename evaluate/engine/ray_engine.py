"""The same shards on every GPU of a Ray cluster, or on every core of this machine.

Ray Data sends a shard's bounds to whichever actor is free and brings its predictions back; this process writes them,
so the machines need no common disk. An actor that dies is started again and its shards are done again
(Ray Data's own `max_restarts` and `max_task_retries`, both without end); what is written stays written.
"""

from __future__ import annotations

import pickle
import socket
import traceback
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Any, Final

import pyarrow as pa

from tashika.core.errors import InputError, OutsideError, TashikaError
from tashika.core.progress import bar
from tashika.core.ray_cluster import Attempts, cluster, ray_module, set_up
from tashika.core.threads import set_thread_defaults
from tashika.evaluate.engine.recipe import Recipe
from tashika.evaluate.engine.shards import Shard, join, missing, write_shard

_AT_ONCE: Final = 2
"""Shards in an actor at a time: the texts or the table of one are made while the model runs another."""

_MOST_ATTEMPTS: Final = 4
"""How often a shard is begun, where the actors that work on it die; after that the run ends."""


def write_predictions_ray(recipe: Recipe, shards: Sequence[Shard], target: Path, what: str) -> int:
    """Scores a work list into one Parquet file as `shards.write_predictions` does, on a Ray cluster.

    The cluster is the one that `RAY_ADDRESS` names, or one of this machine alone, which ends with this call. Bits are
    those of a single process where devices are of one kind: on a CPU every actor gets as many threads as torch has
    here, on CUDA set `batch_tokens` if the cards' free memory differs.

    Args:
        recipe: The model and the prompts; `device` is `cpu` or `cuda`, and `cuda` is one card for each actor.
        shards: See `shards.plan`.
        target: The file.
        what: For the progress bar.

    Returns:
        The number of predictions.

    Raises:
        InputError: The cluster has no GPU, or the model cannot be loaded on a machine of it.
        OutsideError: Ray is not installed, or its cluster does not answer.
    """
    score_shards_ray(recipe, shards, what)
    return join(shards, target, recipe.schema)


def score_shards_ray(recipe: Recipe, shards: Sequence[Shard], what: str) -> None:
    """Writes the shards that are missing; see `write_predictions_ray`."""
    ray = ray_module()
    with bar(what, shards[-1].stop if shards else 0) as advance:
        todo = missing(shards, advance)
        if todo:
            with cluster(ray), closing(_scored(ray, recipe, todo)) as results:
                for number, table in results:
                    write_shard(todo[number], table)
                    advance(todo[number].stop - todo[number].start)


def score_in_parts_ray(recipe: Recipe, shards: Sequence[Shard]) -> Generator[tuple[int, pa.Table]]:
    """Gives the table of each shard as `shards.score_in_parts` does, on a Ray cluster; writes no file.

    Raises:
        InputError: The cluster has no GPU, or the model cannot be loaded on a machine of it.
        OutsideError: Ray is not installed, or its cluster does not answer.
    """
    ray = ray_module()
    with cluster(ray), closing(_scored(ray, recipe, shards)) as results:
        yield from results


class Scorer:
    """Lives in an actor: loads the model once, and scores one shard after the other.

    An error is sent back like a result. Ray would make a long text of it, and try again where the constructor failed.

    Args:
        recipe: Ray's reference to the recipe.
        device: Where the actor's model runs.
        attempts: Handle of the actor that counts them.
        actors: How many there are of this kind.
    """

    def __init__(self, recipe: Any, device: str, attempts: Any, actors: int) -> None:
        import ray

        self._attempts, self._model = attempts, Lock()
        self._broken: Exception | None = None
        set_thread_defaults()  # torch is not imported here yet, and another machine's environment is its own
        try:
            self._begin("loading", _MOST_ATTEMPTS + actors)
            self._engine = ray.get(recipe).scorer(device)
            self._attempts.end.remote("loading")
        except Exception as error:
            self._broken = _with_host(error)

    def __call__(self, batch: pa.Table) -> pa.Table:
        """Scores the shard whose number and bounds are the only row."""
        row = batch.to_pylist()[0]
        result = pickle.dumps(self._broken or self._score(**row))
        return pa.table({"number": [row["number"]], "result": pa.array([result], pa.large_binary())})

    def _score(self, number: int, start: int, stop: int) -> pa.Table | Exception:
        try:
            self._begin(f"shard {number}", _MOST_ATTEMPTS)
            prepared = self._engine.prepare(start, stop)
            with self._model:
                ranked = self._engine.run(prepared)
            table: pa.Table = self._engine.table(prepared, ranked)
            return table
        except Exception as error:
            return _with_host(error)

    def _begin(self, what: str, most: int) -> None:
        import ray

        if ray.get(self._attempts.begin.remote(what)) > most:
            raise OutsideError(
                f"Ray's workers keep dying ({what})",
                hint="The machine may lack the memory for the model. Ray's own logs say more.",
            )


def _with_host(error: Exception) -> Exception:
    """The error with the machine that it was met on; its traceback would be lost on the way."""
    here = f"on {socket.gethostname()}"
    if not isinstance(error, TashikaError):
        error.add_note(f"{here}:\n{traceback.format_exc()}")
        return error
    return type(error)(error.message, where=f"{error.where} ({here})" if error.where else here, hint=error.hint)


def _scored(ray: Any, recipe: Recipe, todo: Sequence[Shard]) -> Generator[tuple[int, pa.Table]]:
    """Gives the predictions of each shard with its place in `todo`, in whatever order they come."""
    recipe = _anywhere(recipe).pinned()
    actors, claim = _pool(ray, recipe)
    actors = min(actors, len(todo))
    attempts = ray.remote(num_cpus=0, max_restarts=-1, max_task_retries=-1)(Attempts)
    rows = [{"number": number, "start": shard.start, "stop": shard.stop} for number, shard in enumerate(todo)]
    bounds = ray.data.from_items(rows, override_num_blocks=len(rows))
    set_up(bounds.context)
    results = bounds.map_batches(
        Scorer,
        batch_size=1,
        batch_format="pyarrow",
        fn_constructor_args=(ray.put(recipe), recipe.device.split(":")[0], attempts.remote(), actors),
        compute=ray.data.ActorPoolStrategy(
            size=actors,
            max_tasks_in_flight_per_actor=_AT_ONCE,
            max_concurrent_calls_per_actor=_AT_ONCE,
            enable_true_multi_threading=True,
        ),
        **claim,
    )
    with closing(iter(results.iter_batches(batch_size=None, batch_format="pyarrow"))) as blocks:
        for block in blocks:
            for row in block.to_pylist():
                result = pickle.loads(row["result"])  # noqa: S301 - from a worker of this run
                if isinstance(result, Exception):
                    raise result
                yield row["number"], result


def _anywhere(recipe: Recipe) -> Recipe:
    """Names a model's folder so that it is found from whatever folder Ray works in."""
    folder = Path(recipe.name)
    return replace(recipe, name=str(folder.resolve())) if folder.is_dir() else recipe


def _pool(ray: Any, recipe: Recipe) -> tuple[int, dict[str, float]]:
    """How many actors the cluster holds, and what each of them claims."""
    need, option, amount = ("GPU", "num_gpus", 1.0)
    if not recipe.device.startswith("cuda"):
        need, option, amount = ("CPU", "num_cpus", float(recipe.threads or 1))
    have = [float(node["Resources"].get(need, 0)) for node in ray.nodes() if node["Alive"]]
    amount = min(amount, max(have, default=0.0))  # more threads than cores are slow, and no reason to wait for ever
    if amount < 1:
        raise InputError(f"no machine of the Ray cluster has a {need}", hint="Use another --device.")
    return sum(int(one // amount) for one in have), {option: amount}
