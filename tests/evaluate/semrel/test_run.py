"""Models that cannot be scored on semantic relations."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tashika.core.files import write_rows
from tashika.core.records import item_row, item_schema
from tashika.core.workspace import Workspace
from tests.hostile import KINDS_OF_BREAKS, Trap, assert_refused, broken_model


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A build of one probe."""
    made = Workspace(tmp_path / "work", "semrel")
    key = {"target": "dog", "relation": "hypernymy"}
    payloads: dict[str, dict[str, Any]] = {
        "probe": {"prompt": "[DET] [W] is a [V]", "text": "a dog is a", "questionnaire": 1, "known_answers": None},
        "relatum": {"word": "animal", "distance": 1, "origins": ["wordnet"]},
    }
    for kind, payload in payloads.items():
        row = item_row("semrel", kind, tuple(key.values()), {**key, **payload}, builder="test", version="1")
        write_rows(made.item_file(kind), [row], item_schema("semrel", kind))
    (made.items / "vocabulary.txt").write_text("animal\ndog\n")
    return made


@pytest.mark.parametrize("how", KINDS_OF_BREAKS)
@pytest.mark.parametrize("family", ["bert", "llama"])
def test_a_broken_model_is_refused(
    workspace: Workspace,
    tmp_path: Path,
    tashika: Callable[..., Any],
    tiny_model: Callable[[str], str],
    trap: Trap,
    family: str,
    how: str,
) -> None:
    model = broken_model(tiny_model(family), tmp_path / "model", how, trap)
    ran = tashika("evaluate", "semrel", "--model", model, "--device", "cpu", "--work", workspace.root)
    assert_refused(ran.code, ran.err, model, trap)
