"""Answers that leave the server and come back, as the judgments show them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tashika.annotation.judging.judgments import WITHDRAWN, append_judgments, marked, number_of, shards
from tashika.core.errors import InputError
from tashika.core.workspace import Workspace


@pytest.fixture
def version(samples: ModuleType) -> Any:
    def make(number: int, second: int, problem: str | None = None, **fields: Any) -> dict[str, Any]:
        time = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=second)
        return dict(samples.judgment("i", "ada", annotation_id=number, created_at=time, problem=problem, **fields))

    return make


def problems(samples: ModuleType, *rows: dict[str, Any]) -> list[tuple[int, int, str | None]]:
    table = marked(samples.judgment_table(*rows)).to_pylist()
    return [(row["annotation_id"], row["created_at"].second, row["problem"]) for row in table]


def test_all_versions_of_a_withdrawn_answer_are_and_no_other(samples: ModuleType, version: Any) -> None:
    rows = [version(1, 1), version(2, 1), version(1, 2), version(1, 2, WITHDRAWN)]
    assert problems(samples, *rows) == [(1, 1, WITHDRAWN), (2, 1, None), (1, 2, WITHDRAWN)]


def test_the_same_number_on_another_server_is_another_answer(samples: ModuleType, version: Any) -> None:
    rows = [version(1, 1), version(1, 1, server="other"), version(1, 1, WITHDRAWN)]
    assert problems(samples, *rows) == [(1, 1, WITHDRAWN), (1, 1, None)]


def test_an_answer_that_is_back_counts_again(samples: ModuleType, version: Any) -> None:
    rows = [version(1, 1), version(1, 1, WITHDRAWN), version(1, 1)]
    assert problems(samples, *rows) == [(1, 1, None)]
    assert problems(samples, *rows, version(1, 1, WITHDRAWN)) == [(1, 1, WITHDRAWN)]


def test_a_later_answer_under_a_number_that_was_free_again_does_not_bring_the_first_back(
    samples: ModuleType, version: Any
) -> None:
    rows = [version(1, 1), version(1, 1, WITHDRAWN), version(1, 5)]
    assert problems(samples, *rows) == [(1, 1, WITHDRAWN), (1, 5, None)]


def test_a_version_has_its_own_number_of_63_bits() -> None:
    numbers = {number_of((server, answer, time)) for server in "ab" for answer in range(20) for time in range(20)}
    assert len(numbers) == 800
    assert all(0 <= number < 1 << 63 for number in numbers)


def test_judgments_that_cannot_be_read_are_not_none(
    workspace: Workspace, samples: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(path: Path) -> list[str]:
        raise PermissionError(13, "Permission denied", str(path))

    assert shards(workspace) == []
    append_judgments(workspace, [samples.judgment("i", "ada")])
    assert [path.name for path in shards(workspace)] == ["part-000001.parquet"]
    with monkeypatch.context() as patch:
        patch.setattr("os.listdir", refused)
        with pytest.raises(InputError, match="cannot be read: Permission denied"):
            shards(workspace)
    moved = workspace.judgments.rename(workspace.annotation / "elsewhere")
    workspace.judgments.symlink_to(workspace.annotation / "a disk that is not there")
    with pytest.raises(InputError, match="cannot be read: No such file"):
        shards(workspace)
    workspace.judgments.unlink()
    workspace.judgments.symlink_to(moved)
    assert len(shards(workspace)) == 1
    workspace.judgments.unlink()
    workspace.judgments.write_text("no folder")
    with pytest.raises(InputError, match="cannot be read: Not a directory"):
        shards(workspace)
