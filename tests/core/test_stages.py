from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tashika.core.files import write_text
from tashika.core.stages import Stage


@pytest.fixture
def runs(tmp_path: Path) -> Callable[..., int]:
    """Runs a stage that copies its input and returns how often its work was done so far."""
    (tmp_path / "in.txt").write_text("one")
    done: list[None] = []

    def run(**settings: Any) -> int:
        output = tmp_path / "out.txt"
        stage = Stage("copy", tmp_path, inputs=[tmp_path / "in.txt"], settings=settings, outputs=[output])

        def work() -> dict[str, int]:
            done.append(None)
            write_text(output, (tmp_path / "in.txt").read_text())
            return {"rows": 1}

        assert stage.run(work, what="a copy")["counts"] == {"rows": 1}
        return len(done)

    return run


def test_the_same_input_and_settings_are_a_no_op_that_says_so(
    runs: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert runs(a=1) == 1
    assert runs(a=1) == 1
    assert "a copy: nothing to do" in capsys.readouterr().err


def test_other_settings_are_done(runs: Callable[..., int]) -> None:
    assert runs(a=1) == 1
    assert runs(a=2) == 2


@pytest.mark.parametrize("name", ["in.txt", "out.txt"])
def test_a_file_that_changed_is_noticed(runs: Callable[..., int], tmp_path: Path, name: str) -> None:
    assert runs() == 1
    (tmp_path / name).write_text("changed")
    assert runs() == 2


@pytest.mark.parametrize("name", ["out.txt", "copy.manifest.json"])
def test_a_file_that_is_gone_is_made_again(runs: Callable[..., int], tmp_path: Path, name: str) -> None:
    assert runs() == 1
    (tmp_path / name).unlink()
    assert runs() == 2


def test_a_broken_manifest_vouches_for_nothing(runs: Callable[..., int], tmp_path: Path) -> None:
    assert runs() == 1
    (tmp_path / "copy.manifest.json").write_text('{"finger')
    assert runs() == 2


def test_failed_work_leaves_no_manifest(tmp_path: Path) -> None:
    stage = Stage("fails", tmp_path)

    def work() -> dict[str, int]:
        raise RuntimeError

    with pytest.raises(RuntimeError):
        stage.run(work, what="it")
    assert stage.manifest() is None
