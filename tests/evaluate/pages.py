"""What the tests of all reports do with a page."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tashika.core.files import write_json
from tashika.core.workspace import Workspace
from tashika.evaluate.command import report


def words_of(page: str) -> str:
    """The text of a page, without markup, styles and figures' code."""
    text = re.sub(r"<style.*?</style>|<[^>]+>", " ", page, flags=re.DOTALL)
    return re.sub(r"\s+", " ", text.replace("&#39;", "'"))


def texts_of(svg: str) -> list[str]:
    """The texts of a figure."""
    elements = ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    return ["".join(each.itertext()).strip() for each in elements]


def rewrite(path: Path, change: Callable[[Any], object]) -> None:
    """Changes what a JSON file says."""
    content = json.loads(path.read_text(encoding="utf-8"))
    change(content)
    write_json(path, content)


def assert_written_once(
    write_report: Callable[[Workspace], Path], workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    """A second run is a no-op, and the bytes follow the scores."""
    first = write_report(workspace).read_bytes()
    capsys.readouterr()
    write_report(workspace)
    assert "nothing to do" in capsys.readouterr().err
    (workspace.evaluate / "report.html").unlink()
    assert write_report(workspace).read_bytes() == first


def assert_command_writes(workspace: Workspace) -> None:
    """`tashika report SUITE` writes the page of its suite and says where."""
    result = CliRunner().invoke(report, [workspace.suite, "--work", str(workspace.root)])
    assert result.exit_code == 0
    assert result.stdout.strip() == str(workspace.evaluate / "report.html")
