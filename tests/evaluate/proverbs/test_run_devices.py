"""Two devices and a Ray cluster write the bytes that one process writes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tashika.evaluate.options import EngineName
from tashika.evaluate.proverbs import steps
from tashika.evaluate.proverbs.answers import Outcome
from tashika.evaluate.proverbs.run import Run, evaluate_model
from tashika.evaluate.systems import How
from tests.evaluate.proverbs.world import SMALL


def bytes_of(run: Run, monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    """Every table of a run whose statements are put where a tiny model has none; all of them are judged."""
    words = ("a", "is", "London", "Paris", "Ada", "born", "the", "of", "capital")
    made = [
        Outcome(words[(place * place + group) % 9] + " b" * place, None, 1, "")
        for group in range(6)
        for place in range(5)
    ]
    with monkeypatch.context() as patch:
        patch.setattr(steps, "ask_statements", lambda *_: made)
        evaluate_model(run)
    return {path.relative_to(run.folder).as_posix(): path.read_bytes() for path in run.folder.rglob("*.parquet")}


LIKELY = {**SMALL, "scoring": "likelihood", "score": {"prompt": "{ANSWER}? {QUESTION}"}, "judge_tokens": 60}


@pytest.mark.slow
def test_two_devices_write_the_same_bytes_as_one(
    a_run: Callable[..., Run], tiny_model: Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Likelihoods and the judge; replies are those of `test_two_devices_give_the_same_replies_as_one`."""
    llama = tiny_model("llama")
    one = bytes_of(a_run(llama, work=tmp_path / "one", **LIKELY), monkeypatch)
    two = bytes_of(a_run(llama, work=tmp_path / "two", how=How("cpu,cpu", "fp32"), **LIKELY), monkeypatch)
    assert one == two
    [file] = tmp_path.glob("one/proverbs/evaluate/*/answers.parquet")
    assert pq.read_table(file)["consistency"].null_count == 0


@pytest.mark.slow
@pytest.mark.parametrize("asking", ["five", "one"])
def test_two_devices_give_the_same_replies_as_one(
    asking: str, a_run: Callable[..., Run], tiny_model: Callable[[str], str], tmp_path: Path
) -> None:
    tables = []
    for name, device in (("one", "cpu"), ("two", "cpu,cpu")):
        how = How(device, "fp32")
        run = a_run(tiny_model("gpt2"), work=tmp_path / name, how=how, asking=asking, attempts=2, **SMALL)
        evaluate_model(run)
        tables.append([run.path(step).read_bytes() for step in ("statements", "scores")])
    assert tables[0] == tables[1]


def test_a_ray_cluster_writes_the_same_bytes_as_one_process(
    ray: Any,
    a_run: Callable[..., Run],
    tiny_model: Callable[[str], str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    llama = tiny_model("llama")
    one = bytes_of(a_run(llama, work=tmp_path / "one", **LIKELY), monkeypatch)
    assert bytes_of(a_run(llama, work=tmp_path / "ray", how=How("cpu", "fp32", "ray"), **LIKELY), monkeypatch) == one
    asked = []
    engines: tuple[tuple[str, EngineName], ...] = (("one", "local"), ("ray", "ray"))
    for name, engine in engines:
        run = a_run(tiny_model("gpt2"), work=tmp_path / name, how=How("cpu", "fp32", engine), attempts=1, **SMALL)
        evaluate_model(run)
        asked.append([run.path(step).read_bytes() for step in ("statements", "scores")])
    assert asked[0] == asked[1]
