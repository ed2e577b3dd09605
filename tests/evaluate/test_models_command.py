"""`tashika models`."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from tashika.evaluate.models_command import app


def test_a_model_is_prepared_under_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tashika.core.models.prepare_smollm2", lambda target: target)
    result = CliRunner().invoke(app, ["smollm2", "--work", str(tmp_path)])
    assert result.stdout.strip() == str(tmp_path / "models" / "smollm2")
