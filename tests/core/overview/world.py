"""A working directory in which the plugin's suite has gone all the way, made by stages as the rooms make it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tashika.core.files import hash_file, write_json, write_text
from tashika.core.stages import Stage
from tashika.core.workspace import Workspace
from tests.exports.judged import entry
from tests.plugin import toys


def everything_done(root: Path, *, simulated: bool = False) -> Workspace:
    """Six riddles that three people have accepted, a release of them, one scored model and its page."""
    workspace = Workspace(root, toys.SUITE.name)
    toys.fill(workspace)
    items, shard = workspace.item_file("riddle"), workspace.judgments / "part-000001.parquet"
    for path in (workspace.pushed / "riddle.parquet", shard):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(items.read_bytes())  # only that it is there counts, and how many rows it has
    if simulated:
        summary = workspace.annotation / "validation.json"
        write_json(summary, {"riddle": {**entry(6, 3), "people": 0, "simulated": True}})
    votes = [workspace.verdict_file, workspace.annotation / "validation.json"]
    _made("build-riddles", workspace.items, [], [items])
    _made("annotate-vote", workspace.annotation, [shard, items], votes)
    release = {
        "version": "0.1.0",
        "digest": "d1",
        "simulated": simulated,
        "files": {"riddles/all.parquet": {"rows": 6}},
    }
    write_json(workspace.release / "release.json", release)
    export = Stage(
        "export", workspace.base, [items], {}, [workspace.release / "release.json"], [workspace.verdict_file]
    )
    export.run(dict, what="export")
    metrics = score(workspace, "tiny")
    write_text(workspace.evaluate / "report.html", "a page")
    _made("report", workspace.evaluate, [metrics], [workspace.evaluate / "report.html"])
    return workspace


def score(workspace: Workspace, name: str, digest: str = "d1") -> Path:
    """Writes the scores of a model."""
    folder = workspace.evaluate / name
    metrics = folder / "metrics.json"
    write_json(metrics, {"model": {"name": name}, "release": {"version": "0.1.0", "digest": digest}})
    _made("metrics", folder, [], [metrics])
    return metrics


def _made(name: str, folder: Path, inputs: list[Path], outputs: list[Path]) -> None:
    Stage(name, folder, inputs, {}, outputs).run(lambda: {"rows": 1}, what=name)


def states(steps: Any) -> Mapping[str, str]:
    """Step -> its state."""
    return {step.name: step.state for step in steps}


def digests(root: Path) -> Mapping[str, str]:
    """The content of all files."""
    return {path.relative_to(root).as_posix(): hash_file(path) for path in sorted(root.rglob("*")) if path.is_file()}
