"""A run: predictions of one system, shard by shard on every device there is, then its numbers; each is made once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa

from tashika.core.files import hash_value
from tashika.core.progress import say
from tashika.core.stages import Stage
from tashika.evaluate.engine.devices import resolve_devices
from tashika.evaluate.engine.kernels import free_memory
from tashika.evaluate.engine.processes import ProcessScorer
from tashika.evaluate.engine.ray_engine import score_in_parts_ray, score_shards_ray, write_predictions_ray
from tashika.evaluate.engine.recipe import Recipe, Scorer
from tashika.evaluate.engine.shards import Shard, forget_shards, plan, score_shards, write_predictions
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
        scorers = _loaded(recipe, system.how, system.name)
    count = write_predictions(scorers, shards, target, recipe.schema, what)
    del scorers
    free_memory()  # a card holds one model, and the next is loaded by the same process
    return count


def predict_stages(
    stages: Sequence[tuple[Stage, int]], recipe: Recipe, system: System, what: str
) -> list[Sequence[Shard]]:
    """Scores the work of several stages with one model, as far as it is missing; each stage then writes its own file.

    No shard holds work of two stages, and each is kept under the key of its own stage. So a run of other stages beside
    it finds it again, and the bytes of a stage's predictions depend on no other one.

    Args:
        stages: Each with the length of its work. The recipe's work list is theirs, one after the other.
        recipe: The model and the work.
        system: Where it runs.
        what: For the progress bar.

    Returns:
        The finished shards of each stage. See `forget` for when they are over.
    """
    parts: list[Sequence[Shard]] = []
    start = 0
    for stage, length in stages:
        [target] = stage.outputs
        own = plan(target, _key(stage, recipe), length, recipe.shard_size)
        parts.append([shard._replace(start=start + shard.start, stop=start + shard.stop) for shard in own])
        start += length
    shards = [shard for part in parts for shard in part]
    todo = sum(not shard.path.is_file() for shard in shards)
    if todo and system.how.engine == "ray":
        score_shards_ray(recipe, shards, what)
    elif todo:
        _score_here(recipe, system, shards, todo, what)
        free_memory()  # a card holds one model, and the next is loaded by the same process
    return parts


def _score_here(recipe: Recipe, system: System, shards: Sequence[Shard], todo: int, what: str) -> None:
    with _scorers(recipe, system, todo) as scorers:
        score_shards(scorers, shards, what)


@contextmanager
def _scorers(recipe: Recipe, system: System, shards: int) -> Iterator[Sequence[Scorer]]:
    """A scorer for each device, but no more than there are shards to score."""
    devices = resolve_devices(system.how.device)[:shards]
    say(f"{system.name}: loading, {system.dtype} on {', '.join(devices)}")
    if recipe.own_process and len(devices) > 1:
        with ExitStack() as stack:
            yield [stack.enter_context(ProcessScorer(recipe, device)) for device in devices]
    else:
        yield [recipe.scorer(device) for device in devices]


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
    yield from score_here(loaded() if loaded else _loaded(recipe, how, name), shards)


def _loaded(recipe: Recipe, how: How, name: str) -> list[Scorer]:
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
        counts: The summary of them for the manifest and the terminal.
        what: For the terminal.
    """
    [target] = stage.outputs

    def compute() -> Mapping[str, Any]:
        metrics = work()
        write_metrics(target, metrics)
        return counts(metrics)

    stage.run(compute, what=what)
    return read_metrics(target, form)


def versions(*libraries: str) -> dict[str, str]:
    """The versions of the toolkit and of the libraries that made the predictions."""
    return {one: version(one) for one in ("tashika", *libraries)}


LOCAL_LIBRARIES = ("torch", "transformers", "tokenizers")
"""What a model on this machine runs with."""
