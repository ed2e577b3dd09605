"""The paragraph on a working directory that is known number by number."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tashika.core.files import read_json, write_json, write_text
from tashika.core.workspace import Workspace
from tashika.evaluate.metrics import ReleaseInfo, SystemInfo
from tashika.evaluate.reporting.methods import methods, write_methods
from tests.core.overview.world import everything_done
from tests.core.test_cli import Run
from tests.evaluate.kuci import toy_scores as kuci
from tests.evaluate.pages import rewrite
from tests.exports.judged import entry
from tests.plugin import toys


@pytest.fixture(autouse=True)
def _plugin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")  # 14 November 2023
    monkeypatch.setattr("tashika.core.stages.source_commit", lambda: "0123456789ab")
    with toys.installed():
        yield


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Three people have accepted six riddles; one model was scored."""
    workspace = everything_done(tmp_path)
    write_text(workspace.release / "README.md", "---\npretty_name: Riddles\nlicense: cc0-1.0\n---\n# license: no\n")
    model = SystemInfo(
        name="tiny", kind="causal", revision="sha256:" + "ab" * 32, dtype="fp32", device="cpu", note=None,
        parameters=134_515_008,
    )  # fmt: skip
    release = ReleaseInfo(version="0.1.0", digest="d1", simulated=False)
    about = {"model": model.model_dump(), "release": release.model_dump()}
    versions = {"tashika": "0.1.0", "torch": "2"}
    write_json(workspace.evaluate / "tiny" / "metrics.json", {**about, "versions": versions})
    return workspace


def test_every_number_of_the_run_is_there(workspace: Workspace) -> None:
    data, annotation, release, evaluation = methods(workspace)
    assert data == ("Sources: riddles.csv. The build of 2023-11-14 made these candidates: 6 of the kind “riddle”.")
    assert annotation == (
        "Of the kind “riddle”, 6 candidates were judged by 3 people, 18 votes in all (3.0 each). Rule of the vote: "
        "strict majority, minimum 2, with at least 2 votes; 6 accepted, 0 rejected and 0 undecided. Agreement: "
        "Krippendorff's alpha 0.700, the same answer in 90.0 %."
    )
    assert release == (
        "The release, version 0.1.0 (content digest d1, licence cc0-1.0), has these rows: 6 in “riddles”."
    )
    assert evaluation == (
        "Scored: tiny (causal model; 135M parameters; revision sha256:abababababab; fp32; run “tiny”). Scores were "
        "computed on 2023-11-14 by Tashika 0.1.0 (commit 0123456789ab), with torch 2."
    )


def test_simulated_annotators_are_called_so(workspace: Workspace) -> None:
    programs = {"annotators": [{"name": "simulated-1", "error_rate": 0.02}, {"name": "simulated-2", "error_rate": 0.1}]}
    summary = {**entry(6, 3), "people": 0, "simulated": True, "simulation": programs}
    write_json(workspace.annotation / "validation.json", {"riddle": summary})
    annotation = methods(workspace)[1]
    assert "were judged by 3 simulated annotators (programs)" in annotation
    assert "they are programs and err in 2.0 % to 10.0 % of their answers" in annotation
    assert "no person has judged these candidates" in annotation
    write_json(workspace.annotation / "validation.json", {"riddle": {**summary, "people": 1}})
    annotation = methods(workspace)[1]
    assert "no person" not in annotation
    assert "Annotators who are called simulated are programs" in annotation


def test_a_sample_of_candidates_and_of_the_release_is_called_a_sample(tmp_path: Path) -> None:
    workspace = kuci.REPORT.make(tmp_path)
    scores = sorted(workspace.evaluate.glob("*/metrics.json"))

    def asked_ten(metrics: dict[str, dict[str, object]]) -> None:
        metrics["sampling"] |= {"whole": False, "limit": 10}

    for path in scores:
        rewrite(path, asked_ten)
    write_json(workspace.annotation / "validation.json", {"pair": {**entry(4, 3), "mode": "audit", "items": 90}})
    text = "\n".join(methods(workspace))
    assert "4 of 90 candidates, a random sample, were judged" in text
    assert "a sample of 10 questions" in text


def test_nothing_but_scores_lies_here(tmp_path: Path) -> None:
    workspace = toys.toy_pages(tmp_path)
    (workspace.release / "release.json").unlink()
    [evaluation] = methods(workspace)
    assert evaluation.startswith("Scored: other (causal model; revision rev-7; fp32; run “other”); tiny (")


def test_the_export_has_the_text_and_the_papers(tashika: Run, tmp_path: Path) -> None:
    workspace = kuci.REPORT.make(tmp_path)
    code, out, err = tashika("report", "kuci", "--work", tmp_path, "--export", tmp_path / "out")
    assert code == 0, err
    assert {str(tmp_path / "out" / name) for name in ("methods.txt", "papers.bib")} <= set(out.splitlines())
    text = (tmp_path / "out" / "methods.txt").read_text(encoding="utf-8")
    assert text == "\n\n".join(methods(workspace)) + "\n"
    bibtex = (tmp_path / "out" / "papers.bib").read_text(encoding="utf-8")
    assert bibtex.startswith("@inproceedings{omura-etal-2020-kuci,\n  title     = {基本イベント")
    assert "aclanthology.org/2020.emnlp-main.192" in (workspace.evaluate / "report.html").read_text(encoding="utf-8")


def test_signs_of_markup_come_back_as_they_were(tmp_path: Path) -> None:
    page = '<blockquote class="methods">\n<p>a &lt;b&gt; &amp; c</p>\n<p>“d”</p>\n</blockquote>'
    assert write_methods(page, tmp_path) == [tmp_path / "methods.txt"]
    assert (tmp_path / "methods.txt").read_text(encoding="utf-8") == "a <b> & c\n\n“d”\n"


def test_a_card_that_a_person_has_changed_changes_the_paragraph(workspace: Workspace) -> None:
    assert "licence cc0-1.0" in methods(workspace)[2]
    (workspace.release / "README.md").write_text("---\nlicense: other\nlicense_name: my own terms\n---\n")
    assert "licence my own terms" in methods(workspace)[2]
    assert read_json(workspace.release / "release.json")["version"] == "0.1.0"
