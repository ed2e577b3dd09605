"""Every example, from an empty folder to its report, with real servers and the packaged model."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple

import pyarrow.parquet as pq
import pytest

from tashika.core.files import read_json
from tests.core.test_cli import Run
from tests.studio import Studio

EXAMPLES = Path(__file__).parents[2] / "examples"
STEPS = ("push", "simulate", "pull", "vote", "status")


class Example(NamedTuple):
    """What an example is and makes.

    Attributes:
        suite: The suite's name.
        kind: Its kind of item.
        least: How many items it has at least.
        most: How many at most.
        answers: The column that people's answers become, and what may stand there; None where they accept or reject.
        title: Of its report.
    """

    suite: str
    kind: str
    least: int
    most: int
    answers: tuple[str, set[str]] | None
    title: str


MADE = {
    "nli": Example(
        "nli-pairs", "pair", 39, 39, ("label", {"entailment", "neutral", "contradiction"}),
        "Does the second sentence follow?",
    ),
    "trivia": Example("trivia", "question", 60, 60, None, "Capitals, headquarters, makers"),
    # How many replies of the model have both answers depends on the machine's arithmetic.
    "preference": Example(
        "short-or-long", "pair", 1, 18, ("preferred", {"short", "long", "same"}), "A short answer or a long one?"
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One working directory for all, so that the packaged model is made ready once."""
    return tmp_path_factory.mktemp("examples") / "work"


@pytest.fixture
def _server(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TASHIKA_LABEL_STUDIO_URL", studio.address.url)
    monkeypatch.setenv("TASHIKA_LABEL_STUDIO_TOKEN", studio.address.token)


def test_every_example_is_tested() -> None:
    assert {path.parent.name for path in EXAMPLES.glob("*/suite.toml")} == set(MADE)


@pytest.mark.slow
@pytest.mark.usefixtures("_server")
@pytest.mark.parametrize("name", MADE)
def test_an_example_from_the_first_to_the_last_command(tashika: Run, tmp_path: Path, work: Path, name: str) -> None:
    example = MADE[name]
    folder = Path(shutil.copytree(EXAMPLES / name, tmp_path / name))
    commands: list[tuple[str | Path, ...]] = [
        ("build", folder),
        *(("annotate", step, folder) for step in STEPS),
        ("export", folder),
        ("models", "smollm2"),
        ("evaluate", folder, "--model", work / "models" / "smollm2"),
        ("report", folder),
    ]
    assert tashika("check", folder)[0] == 0
    for command in commands:
        code, out, err = tashika(*command, "--work", work)
        assert code == 0, f"{command}: {out}{err}"
    made = work / example.suite
    items = pq.read_table(made / "items" / f"{example.kind}.parquet").num_rows
    assert example.least <= items <= example.most
    files = [path for path in (made / "release").rglob("*.parquet") if path.parent.name != "judgments"]
    released = [row for path in files for row in pq.read_table(path).to_pylist()]
    assert 0 < len(released) <= items
    if example.answers:
        column, allowed = example.answers
        assert _names(released, column, made / "release", tmp_path / "opened") <= allowed
    assert read_json(made / "release" / "release.json")["simulated"] is True
    (metrics,) = (made / "evaluate").glob("*/metrics.json")
    assert read_json(metrics)["model"]["name"] == "smollm2"
    page = (made / "evaluate" / "report.html").read_text(encoding="utf-8")
    assert example.title in page
    assert "Simulated annotators" in page or "simulated" in page
    for command in commands[:1]:
        code, _, err = tashika(*command, "--work", work)
        assert code == 0
        assert "nothing to do" in err


def _names(rows: list[dict[str, object]], column: str, release: Path, cache: Path) -> set[str]:
    """The labels of a column that `datasets` stores as numbers, by their names."""
    from datasets import load_dataset

    parts = load_dataset(str(release), cache_dir=str(cache)).values()
    assert len(rows) == sum(len(part) for part in parts)
    return {part.features[column].int2str(value) for part in parts for value in part[column]}
