"""The same shards through a real Ray cluster on this machine, with workers and a driver that are killed."""

from __future__ import annotations

import json
import os
import pickle
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psutil
import pyarrow as pa
import pytest

from tashika.core import ray_cluster
from tashika.core.errors import InputError, OutsideError
from tashika.core.ray_cluster import Attempts
from tashika.evaluate.engine import ray_engine
from tashika.evaluate.engine.ray_engine import Scorer, write_predictions_ray
from tashika.evaluate.engine.shards import Shard, plan, write_predictions
from tashika.evaluate.myriadlama.predictions import PREDICTION
from tashika.evaluate.myriadlama.prompts import WorkList, read_release, work_list
from tashika.evaluate.myriadlama.recipe import PromptRecipe

KEY = "k" * 64


@pytest.fixture
def work(release_folder: Path) -> WorkList:
    return work_list(read_release(release_folder))


@pytest.fixture
def single(tiny_model: Callable[[str], str], work: WorkList, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> bytes:
    """The file of predictions that one process writes, in shards of twelve prompts."""
    recipe = _recipe(tiny_model("bert"), work)
    target = tmp_path / "single" / "predictions.parquet"
    write_predictions([recipe.scorer()], _shards(target, work), target, PREDICTION, "test")
    return target.read_bytes()


def _recipe(name: str, work: WorkList, device: str = "cpu") -> PromptRecipe:
    return PromptRecipe(name, "masked", device, "fp32", work, threads=1)


def _shards(target: Path, work: WorkList) -> list[Shard]:
    return plan(target, KEY, len(work), 12)


def _deadly(recipe: PromptRecipe, deaths: Path) -> PromptRecipe:
    """A recipe with which a worker is killed while it loads, and another one as it begins the last shard."""

    @dataclass(frozen=True)
    class Deadly(PromptRecipe):  # within a function, so that it is sent to the workers by value
        def scorer(self, device: str | None = None) -> Any:
            die_once("loading")
            engine = super().scorer(device)
            prepare = engine.prepare

            def prepare_or_die(start: int, stop: int) -> Any:
                if stop == len(recipe.work):
                    die_once("scoring")
                return prepare(start, stop)

            object.__setattr__(engine, "prepare", prepare_or_die)
            return engine

    def die_once(when: str) -> None:
        try:
            (deaths / when).open("x").write(str(os.getpid()))
        except FileExistsError:
            return
        os.kill(os.getpid(), signal.SIGKILL)

    return Deadly(**vars(recipe))


DRIVER = """
import json, os, signal, sys
from pathlib import Path

import psutil

from tashika.evaluate.engine import ray_engine
from tashika.evaluate.myriadlama.prompts import read_release, work_list
from tashika.evaluate.myriadlama.recipe import PromptRecipe
from tashika.evaluate.engine.shards import plan

model, release, target, seen = sys.argv[1:]
write_shard = ray_engine.write_shard


def write_one(shard, table):
    write_shard(shard, table)
    listening = []
    family = [psutil.Process(), *psutil.Process().children(recursive=True)]
    for process in family:
        found = process.net_connections("inet")
        listening += [one.laddr.ip for one in found if one.status == psutil.CONN_LISTEN]
    Path(seen).write_text(json.dumps([{process.pid: process.name() for process in family}, listening]))
    os.kill(os.getpid(), signal.SIGKILL)


ray_engine.write_shard = write_one
work = work_list(read_release(Path(release)))
todo = plan(Path(target), "k" * 64, len(work), 12)
recipe = PromptRecipe(model, "masked", "cpu", "fp32", work, threads=1)
ray_engine.write_predictions_ray(recipe, todo, Path(target), "test")
"""


def _end(family: dict[str, str]) -> None:
    """Waits until the processes of a cluster have ended after their driver.

    Two that hold no model are left out: Ray's agents try for another minute to tell of it, and then end as well.
    """
    left = [int(pid) for pid, name in family.items() if not name.endswith("Agent") and psutil.pid_exists(int(pid))]
    _, alive = psutil.wait_procs([psutil.Process(pid) for pid in left], timeout=60)
    assert [one for one in alive if one.status() != psutil.STATUS_ZOMBIE] == []


def test_a_driver_and_workers_that_are_killed_change_no_bit(
    ray: Any,
    single: bytes,
    tiny_model: Callable[[str], str],
    release_folder: Path,
    work: WorkList,
    tmp_path: Path,
) -> None:
    target, seen, deaths = tmp_path / "ray" / "predictions.parquet", tmp_path / "seen.json", tmp_path / "deaths"
    command = [sys.executable, "-c", DRIVER, tiny_model("bert"), str(release_folder), str(target), str(seen)]
    ended = subprocess.run(command, capture_output=True, check=False, text=True)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    family, listening = json.loads(seen.read_text())
    assert {address.removeprefix("::ffff:") for address in listening} == {"127.0.0.1"}
    assert sum("MapWorker" in name for name in family.values()) == 2
    _end(family)

    todo = _shards(target, work)
    before = {shard.path: shard.path.stat() for shard in todo if shard.path.is_file()}
    assert (len(before), len(todo), target.exists()) == (1, 5, False)
    deaths.mkdir()
    count = write_predictions_ray(_deadly(_recipe(tiny_model("bert"), work), deaths), todo, target, "test")
    assert {path.name for path in deaths.iterdir()} == {"loading", "scoring"}
    assert len({path.read_text() for path in deaths.iterdir()}) == 2
    assert count == len(work)
    assert target.read_bytes() == single
    for path, stat in before.items():
        assert (path.stat().st_ino, path.stat().st_mtime_ns) == (stat.st_ino, stat.st_mtime_ns)


def test_a_model_that_a_machine_cannot_load_is_an_error_that_names_both(
    ray: Any, work: WorkList, tmp_path: Path
) -> None:
    target = tmp_path / "predictions.parquet"
    missing = str(tmp_path / "nowhere")
    with pytest.raises(InputError, match="there is no such folder") as found:
        write_predictions_ray(_recipe(missing, work), _shards(target, work)[:1], target, "test")
    assert found.value.where == f"{missing} (on {socket.gethostname()})"
    assert not target.exists()


def test_a_shard_on_which_workers_die_again_and_again_ends_the_run(
    ray: Any, tiny_model: Callable[[str], str], work: WorkList
) -> None:
    attempts = ray.remote(num_cpus=0)(Attempts).remote()
    scorer = Scorer(ray.put(_recipe(tiny_model("bert"), work)), "cpu", attempts, 1)
    row = pa.table({"number": [3], "start": [0], "stop": [4]})
    answers = [pickle.loads(scorer(row)["result"][0].as_py()) for _ in range(5)]
    assert [isinstance(answer, pa.Table) for answer in answers] == [True, True, True, True, False]
    with pytest.raises(OutsideError, match="shard 3") as found:
        raise answers[-1]
    assert "memory" in (found.value.hint or "")


def test_loading_may_be_tried_again_after_it_went_well() -> None:
    attempts = Attempts()
    assert [attempts.begin("loading"), attempts.begin("loading")] == [1, 2]
    attempts.end("loading")
    assert attempts.begin("loading") == 1


def test_a_fault_of_ours_comes_back_with_its_traceback(ray: Any, work: WorkList) -> None:
    class Faulty:
        def scorer(self, device: str) -> Any:
            raise ZeroDivisionError(device)

    scorer = Scorer(ray.put(Faulty()), "cpu", ray.remote(num_cpus=0)(Attempts).remote(), 1)
    error = pickle.loads(scorer(pa.table({"number": [0], "start": [0], "stop": [4]}))["result"][0].as_py())
    assert isinstance(error, ZeroDivisionError)
    assert socket.gethostname() in error.__notes__[0]
    assert "in scorer" in error.__notes__[0]


def test_a_cluster_without_a_gpu_is_no_place_for_cuda(
    ray: Any, tiny_model: Callable[[str], str], work: WorkList, tmp_path: Path
) -> None:
    target = tmp_path / "predictions.parquet"
    with pytest.raises(InputError, match="no machine of the Ray cluster has a GPU"):
        write_predictions_ray(_recipe(tiny_model("bert"), work, "cuda"), _shards(target, work), target, "test")


@pytest.mark.parametrize(
    ("device", "threads", "expected"),
    [
        ("cpu", 1, (2 + 5, {"num_cpus": 1.0})),
        ("cpu", 2, (1 + 2, {"num_cpus": 2.0})),
        ("cpu", 9, (1, {"num_cpus": 5.0})),
        ("cuda", None, (4, {"num_gpus": 1.0})),
    ],
)
def test_every_machine_holds_as_many_workers_as_it_has_room_for(
    device: str, threads: int | None, expected: Any, work: WorkList
) -> None:
    class Nodes:
        @staticmethod
        def nodes() -> list[dict[str, Any]]:
            return [
                {"Alive": True, "Resources": {"CPU": 2.0}},
                {"Alive": True, "Resources": {"CPU": 5.0, "GPU": 4.0}},
                {"Alive": False, "Resources": {"CPU": 64.0, "GPU": 8.0}},
            ]

    recipe = PromptRecipe("model", "masked", device, "fp32", work, threads=threads)
    assert ray_engine._pool(Nodes, recipe) == expected


def test_workers_get_the_threads_of_this_process(work: WorkList) -> None:
    import torch

    recipe = PromptRecipe("model", "masked", "cpu", "fp32", work)
    assert recipe.pinned().threads == torch.get_num_threads()
    assert replace(recipe, threads=3).pinned().threads == 3
    assert replace(recipe, device="cuda").pinned().threads is None


def test_a_client_address_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "ray://127.0.0.1:10001")
    with pytest.raises(InputError, match="Ray Client"):
        ray_cluster._connect(None)


def test_a_cluster_that_is_not_there_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = "127.0.0.1:{1}".format(*free.getsockname())
    monkeypatch.setenv("RAY_ADDRESS", address)
    with pytest.raises(OutsideError, match="refused") as found:
        ray_cluster._connect(None)
    assert found.value.where == f"RAY_ADDRESS={address}"


def test_without_ray_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, work: WorkList, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(OutsideError, match=r"tashika\[ray\]"):
        write_predictions_ray(_recipe("model", work), [], tmp_path / "predictions.parquet", "test")
