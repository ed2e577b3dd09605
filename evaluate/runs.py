"""A run: predictions of one system, shard by shard on every device there is, then its numbers; each is made once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa

from tashika.core.files import hash_value
from tashika.core.progress import say
from tashika.core.stages import Stage
from tashika.evaluate.engine.devices import resolve_devices
from tashika.evaluate.engine.kernels import free_memory
from tashika.evaluate.engine.ray_engine import score_in_parts_ray, write_predictions_ray
from tashika.evaluate.engine.recipe import Recipe, Scorer
from tashika.evaluate.engine.shards import forget_shards, plan, write_predictions
from tashika.evaluate.engine.shards import score_in_parts as score_here
from tashika.evaluate.metrics import Metrics, read_metrics, write_metrics
from tashika.evaluate.systems import How, System

M = TypeVar("M", bound=Metrics)


def predict(stage: Stage, recipe: Recipe, system: System, what: str) -> int:
    """Writes the predictions of a stage, on all devices or the Ray cluster that the system runs on.

    An interrupted run resumes with the shards that are missing. However many devices there are, the file has the same
    bytes, since each shard is cut and scored alike.

    Args:
        stage: The stage; its only output is the file.
        recipe: The model and the work.
        system: Where it runs.
        what: For the progress bar.

    Returns:
        The number of rows.
    """
    [target] = stage.outputs
    shards = plan(target, _key(stage, recipe), len(recipe), recipe.shard_size)
    if system.how.engine == "ray":
        return write_predictions_ray(recipe, shards, target, what)
    scorers: list[Scorer] = []
    if not all(shard.path.is_file() for shard in shards):
        scorers = _scorers(recipe, system.how, system.name)
    count = write_predictions(scorers, shards, target, recipe.schema, what)
    del scorers
    free_memory()  # a card holds one model, and the next is loaded by the same process
    return count


def score_in_parts(
    recipe: Recipe, how: How, name: str, loaded: Callable[[], Sequence[Scorer]] | None = None
) -> Iterator[tuple[int, pa.Table]]:
    """Scores a work list on all devices or a Ray cluster; writes no file.

    For work whose results are kept elsewhere, such as replies, which have a cache of their own.

    Args:
        recipe: The model and the work.
        how: Where it runs.
        name: What the terminal calls the model.
        loaded: Scorers that are ready on this machine's devices; None makes them anew.

    Yields:
        The place of a part and its table, in whatever order they are done. Parts have `recipe.shard_size` rows of the
        work list, so they are the same however many devices there are.
    """
    shards = plan(Path("parts"), "", len(recipe), recipe.shard_size)
    if not shards:
        return
    if how.engine == "ray":
        yield from score_in_parts_ray(recipe, shards)
        return
    yield from score_here(loaded() if loaded else _scorers(recipe, how, name), shards)


def _scorers(recipe: Recipe, how: How, name: str) -> list[Scorer]:
    devices = resolve_devices(how.device)
    say(f"{name}: loading, {recipe.dtype} on {', '.join(devices)}")
    return [recipe.scorer(device) for device in devices]


def forget(stage: Stage, recipe: Recipe) -> None:
    """Removes the shards of a stage that is finished: not before its manifest vouches for the whole."""
    [target] = stage.outputs
    forget_shards(target, _key(stage, recipe))


def _key(stage: Stage, recipe: Recipe) -> str:
    """The key of the finished shards: all that the predictions depend on, and how they are cut."""
    return hash_value([stage.fingerprint(), recipe.shard_size])


def measure(
    stage: Stage, work: Callable[[], M], form: type[M], counts: Callable[[M], Mapping[str, Any]], what: str
) -> M:
    """The numbers of a system, computed once.

    Args:
        stage: The stage; its only output is `metrics.json`.
        work: Computes them.
        form: Their class, by which the file is read.
        counts: What the manifest and the terminal say of them.
        what: For the terminal.
    """
    [target] = stage.outputs

    def compute() -> Mapping[str, Any]:
        found = work()
        write_metrics(target, found)
        return counts(found)

    stage.run(compute, what=what)
    return read_metrics(target, form)


def versions(*libraries: str) -> dict[str, str]:
    """The versions of the toolkit and of the libraries that made the predictions."""
    return {one: version(one) for one in ("tashika", *libraries)}


LOCAL_LIBRARIES = ("torch", "transformers", "tokenizers")
"""What a model on this machine runs with."""
