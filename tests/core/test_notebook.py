from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tashika.core.errors import InputError, MissingStageError
from tashika.core.files import write_json, write_rows
from tashika.core.notebook import Notebook, open_workspace
from tashika.core.records import JUDGMENT, VERDICT, item_row, item_schema
from tashika.core.workspace import Workspace
from tests.core.custom.test_reading import SOUND

ROWS: list[dict[str, Any]] = [
    {"text": "What has an eye and cannot see?", "options": ["needle", "bell"], "answer": 0, "topic": "things"},
    {"text": "What has a neck and no head?", "options": ["shoe", "bottle"], "answer": 1, "topic": "things"},
]
CARD = """---
configs:
- config_name: question
  data_files:
  - split: test
    path: question/test.parquet
---
"""


@pytest.fixture
def riddles(tmp_path: Path) -> Notebook:
    """A suite of one file, and an empty working directory."""
    for name in ("riddles.csv", "guide.md"):
        (tmp_path / name).write_text("text\n")
    (tmp_path / "suite.toml").write_text(SOUND)
    return open_workspace(tmp_path, tmp_path / "work")


def fill(workspace: Workspace) -> list[str]:
    """Writes what the stages would, and returns the ids of the items."""
    items = [
        item_row(
            "riddles", "question", [row["text"]], row, builder="table", version="1", sources=[("riddles.csv", None)]
        )
        for row in ROWS
    ]
    write_rows(workspace.item_file("question"), items, item_schema("riddles", "question"))
    ids = [str(item["item_id"]) for item in items]
    for part, name in enumerate(("Ada", "Ben")):
        judgments = [_judgment(item, name, number) for number, item in enumerate(ids)]
        write_rows(workspace.judgments / f"part-{part:06d}.parquet", judgments, JUDGMENT)
    verdict = {
        "kind": "question",
        "votes_for": 2,
        "votes_against": 0,
        "votes_cast": 2,
        "rule": "majority",
        "tie": False,
    }
    rows = [{"item_id": item, "decision": "accepted", "text": None, "adjudicator": None, **verdict} for item in ids]
    write_rows(workspace.verdict_file, rows, VERDICT)
    return ids


def _judgment(item: str, annotator: str, number: int) -> dict[str, object]:
    return {
        "item_id": item, "kind": "question", "annotator": annotator, "label": "sound", "text": None, "seconds": 3.5,
        "skipped": False, "prefilled": False, "created_at": datetime(2026, 1, 1, tzinfo=UTC), "problem": None,
        "simulated": False, "server": "s", "project_id": 1, "task_id": number, "annotation_id": number,
    }  # fmt: skip


def test_tables_are_frames(riddles: Notebook) -> None:
    ids = fill(riddles.workspace)
    items = riddles.items("question")
    assert list(items["item_id"]) == ids
    assert list(items["text"]) == [row["text"] for row in ROWS]
    assert list(items["options"][1]) == ["shoe", "bottle"]
    judgments = riddles.judgments()
    assert list(judgments["annotator"]) == ["Ada", "Ada", "Ben", "Ben"]
    counted = judgments.merge(riddles.verdicts(), on="item_id").groupby("item_id")["votes_for"].max()
    assert counted.to_dict() == dict.fromkeys(ids, 2)


def test_a_release_and_scores(riddles: Notebook) -> None:
    workspace = riddles.workspace
    (workspace.release / "question").mkdir(parents=True)
    pq.write_table(pa.table({"text": ["a", "b"]}), workspace.release / "question" / "test.parquet")
    (workspace.release / "README.md").write_text(CARD)
    write_json(workspace.release / "release.json", {})
    assert list(riddles.release("question")["text"]) == ["a", "b"]
    assert len(riddles.release()) == 2
    with pytest.raises(InputError, match="train"):
        riddles.release("question", "train")
    with pytest.raises(InputError, match="answer"):
        riddles.release("answer")
    assert riddles.systems() == []
    scores = workspace.evaluate / "smollm2-1a2b3c"
    write_json(scores / "metrics.json", {"accuracy": 0.5})
    pq.write_table(pa.table({"item_id": ["a"], "choice": [1]}), scores / "predictions.parquet")
    assert riddles.systems() == ["smollm2-1a2b3c"]
    assert riddles.metrics("smollm2-1a2b3c") == {"accuracy": 0.5}
    assert list(riddles.predictions("smollm2-1a2b3c")["choice"]) == [1]
    with pytest.raises(InputError, match=r"(?s)no system 'gpt'.*Scored: smollm2-1a2b3c"):
        riddles.metrics("gpt")


def test_what_is_missing_says_what_to_run(riddles: Notebook, tmp_path: Path) -> None:
    path = tmp_path / "suite.toml"
    for read, command in (
        (lambda: riddles.items("question"), f"build {path}"),
        (riddles.judgments, f"annotate pull {path}"),
        (riddles.verdicts, f"annotate vote {path}"),
        (riddles.answers, f"annotate vote {path}"),
        (riddles.release, f"export {path}"),
    ):
        with pytest.raises(MissingStageError) as caught:
            read()
        assert f"`tashika {command}`" in str(caught.value)
    with pytest.raises(InputError, match="Kinds: question"):
        riddles.items("riddle")


def test_a_stage_runs_as_on_the_command_line(tmp_path: Path) -> None:
    facts = open_workspace("myriadlama", tmp_path)
    facts.run("build", "--facts-only", "--limit", "1")
    assert set(facts.items("fact")["kind"]) == {"fact"}
    with pytest.raises(InputError, match="No such option"):
        facts.run("build", "--fcats-only")
    with pytest.raises(MissingStageError, match="Run `tashika annotate vote myriadlama` first"):
        facts.run("export")


@pytest.mark.parametrize("command", [["annotate", "serve"], ["serve", "llm"], ["annotate"], []])
def test_a_server_is_not_run_from_python(tmp_path: Path, command: list[str]) -> None:
    with pytest.raises(InputError, match="is not run from Python"):
        open_workspace("myriadlama", tmp_path).run(*command)


def test_an_unknown_suite(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no suite 'riddels'"):
        open_workspace("riddels", tmp_path)
