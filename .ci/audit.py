"""Looks pinned packages up among the known vulnerabilities of the package index, by pip-audit.

    python .ci/audit.py PIP_AUDIT (FILE | NAME==VERSION)…

Leaves with 1 where one is known. Where the service does not answer, or does not know the packages, "not scanned" is
printed and the exit code is 0: no network is no vulnerability. pip-audit itself would leave with 0 for packages that it
has not found, and with 1 for a broken connection.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_SECONDS = 600


def main(words: Sequence[str]) -> int:
    """Scans and prints; see the module."""
    program, *given = words
    found = 0
    with tempfile.TemporaryDirectory() as folder:
        apart = Path(folder) / "packages.txt"
        apart.write_text("".join(f"{word}\n" for word in given if "==" in word), encoding="utf-8")
        for file in [*(word for word in given if "==" not in word), *([str(apart)] if apart.stat().st_size else [])]:
            name = Path(file).name
            scanned, why = _scan(program, file)
            print(f"{name}: {why}" if scanned is None else _summary(name, scanned))
            found += sum(len(package["vulns"]) for package in scanned or () if "vulns" in package)
    return 1 if found else 0


def _scan(program: str, file: str) -> tuple[list[dict[str, Any]] | None, str]:
    """What pip-audit says of each package; None, and why, where it says nothing."""
    command = [program, "--disable-pip", "--no-deps", "--progress-spinner", "off", "-f", "json", "-r", file]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        return None, f"not scanned: no answer within {_SECONDS} s"
    try:
        packages: list[dict[str, Any]] = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError, TypeError):
        last = (done.stderr.strip().splitlines() or [f"pip-audit left with {done.returncode}"])[-1]
        return None, f"not scanned: {last[:300]}"
    if not any("vulns" in package for package in packages):
        return None, f"not scanned: the service knows none of the {len(packages)} packages"
    return packages, ""


def _summary(name: str, packages: Sequence[dict[str, Any]]) -> str:
    """What is known, a line each."""
    known = [package for package in packages if "vulns" in package]
    lines = [f"{name}: {len(known)} packages scanned"]
    lines += [
        f"  not scanned: {package['name']} ({package['skip_reason']})" for package in packages if "vulns" not in package
    ]
    for package in known:
        for one in package["vulns"]:
            mended = f"mended in {', '.join(one['fix_versions'])}" if one.get("fix_versions") else "not mended yet"
            lines.append(f"  {package['name']} {package['version']}: {one['id']}, {mended}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
