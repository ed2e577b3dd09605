"""The same bytes from a real Ray cluster on this machine, with workers that are killed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tashika.builders.kuci.analysis import ray_pool as analysis_ray
from tashika.builders.kuci.analysis.shards import Outcome, Scale, run_shards
from tashika.builders.kuci.analysis.work import Input
from tashika.core.errors import OutsideError
from tashika.core.ray_cluster import Attempts

sys.path.append(str(Path(__file__).parents[4]))
from tests.builders.kuci.analysis.fake_analyzer import CountWords, Fake

TEXTS = ["雨 ガ 降る", "BAD", "はい", "KILL", "雪 ガ 降る", "晴れ"]
INPUTS: list[Input] = [(f"a.txt:{number}", text) for number, text in enumerate(TEXTS)]


def _run(folder: Path, scale: Scale, deaths: Path) -> Outcome:
    return run_shards(INPUTS, CountWords(), Fake(deaths), folder, settings={}, scale=scale)


@pytest.mark.usefixtures("ray")
def test_a_cluster_gives_the_same_bytes_though_workers_die(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis_ray, "_AT_ONCE", 40)  # several rounds
    alone = _run(tmp_path / "alone", Scale("here", sentences=2), tmp_path)
    (tmp_path / "life-1").touch()
    spread = _run(tmp_path / "ray", Scale("ray", sentences=2), tmp_path)
    assert not (tmp_path / "life-1").exists()
    assert alone.write(tmp_path / "a.parquet") == spread.write(tmp_path / "b.parquet") == 5
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()
    assert list(alone.failures()) == list(spread.failures())
    for one, two in zip(alone.paths, spread.paths, strict=True):
        assert one.read_bytes() == two.read_bytes()


@pytest.mark.usefixtures("ray")
def test_a_shard_that_always_kills_is_named(tmp_path: Path) -> None:
    for number in range(9):
        (tmp_path / f"life-{number}").touch()
    with pytest.raises(OutsideError, match=r"shard 00001 \(a.txt:2 to a.txt:3\)"):
        _run(tmp_path / "ray", Scale("ray", sentences=2), tmp_path)


def test_attempts_are_forgotten_when_they_end() -> None:
    attempts = Attempts()
    assert [attempts.begin("a"), attempts.begin("a"), attempts.begin("b")] == [1, 2, 1]
    attempts.end("a")
    assert attempts.begin("a") == 1
