"""The log of a suite's folder: chained, whole after a kill, and without who wants to be forgotten."""

from __future__ import annotations

import json
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.core.audit import WHO_VARIABLE, audit_file, chained, read_audit, record, redact
from tashika.core.errors import InputError
from tashika.core.files import hash_file, hash_value
from tashika.core.stages import Stage
from tests.conftest import Ran


@pytest.fixture
def base(tmp_path: Path) -> Path:
    (tmp_path / "work" / "riddles" / "annotation").mkdir(parents=True)
    return tmp_path / "work" / "riddles"


def lines_of(base: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in audit_file(base).read_text().splitlines()]


def test_each_line_has_the_digest_of_the_one_before(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(WHO_VARIABLE, "Ada")
    record(base / "annotation", "annotate-push", {"tasks": 12, "name": "Ada Lovelace", "rate": 0.5})
    record(base, "publish", facts={"tag": "v1.0.0"}, digests={"release/release.json": "0" * 64})
    first, second = lines_of(base)
    assert (first["who"], first["counts"], first["before"], first["line"]) == ("Ada", {"tasks": 12}, "", 1)
    assert (second["before"], second["line"], second["facts"]) == (hash_value(first), 2, {"tag": "v1.0.0"})
    assert stat.S_IMODE(audit_file(base).stat().st_mode) == 0o600
    assert read_audit(base) == [first, second]


def test_the_account_on_the_machine_is_not_named(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(WHO_VARIABLE, raising=False)
    monkeypatch.setenv("LOGNAME", "grace.hopper")
    record(base, "build")
    assert "grace" not in audit_file(base).read_text()
    assert lines_of(base)[0]["who"].startswith("user-")


def test_a_stage_leaves_a_line_with_what_it_made(base: Path) -> None:
    stage = Stage("annotate-vote", base / "annotation", outputs=[base / "annotation" / "verdicts.parquet"])

    def work() -> dict[str, Any]:
        stage.outputs[0].write_text("made")
        return {"accepted": 3, "by": {"ada": 1}}

    stage.run(work, what="verdicts")
    stage.run(work, what="verdicts")  # nothing to do
    (line,) = lines_of(base)
    assert (line["what"], line["counts"]) == ("annotate-vote", {"accepted": 3})
    assert line["files"] == {"annotation/verdicts.parquet": hash_file(stage.outputs[0])}


def test_outside_of_a_suite_there_is_no_log(tmp_path: Path) -> None:
    record(tmp_path, "build")
    assert list(tmp_path.iterdir()) == []


@given(cut=st.integers(1, 400))
def test_a_line_that_a_kill_has_cut_is_none(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    base = tmp_path_factory.mktemp("work") / "riddles"
    (base / "items").mkdir(parents=True)
    for what in ("build", "annotate-push", "annotate-pull"):
        record(base, what)
    whole = audit_file(base).read_bytes()
    last = whole.splitlines(keepends=True)[-1]
    audit_file(base).write_bytes(whole[: -min(cut, len(last))])
    assert [entry["what"] for entry in read_audit(base)] == ["build", "annotate-push"]
    record(base, "annotate-vote")
    assert [entry["what"] for entry in read_audit(base)] == ["build", "annotate-push", "annotate-vote"]


def test_many_at_once(base: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: record(base, f"evaluate-{number}"), range(40)))
    assert {entry["what"] for entry in read_audit(base)} == {f"evaluate-{number}" for number in range(40)}


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda lines: lines[:1] + lines[2:], 2),  # a line is lost
        (lambda lines: lines[1:], 1),  # the first ones are
        (lambda lines: [lines[0].replace(b'"tasks": 1', b'"tasks": 9'), *lines[1:]], 2),
        (lambda lines: [lines[0], lines[2], lines[1], lines[3]], 2),
        (lambda lines: [*lines[:2], b"[]", lines[3]], 3),
        (lambda lines: [*lines[:2], b'{"line": 3', lines[3]], 3),
        (lambda lines: [*lines[:3], lines[3].replace(b"annotator-ab", b"annotator-cd")], 4),
    ],
)
def test_where_the_chain_breaks_is_said(base: Path, change: Any, line: int) -> None:
    for number in range(3):
        record(base, "annotate-push", {"tasks": number + 1})
    record(base, "annotate-vote", people=["annotator-ab"])
    lines = audit_file(base).read_bytes().splitlines()
    audit_file(base).write_bytes(b"".join(each + b"\n" for each in change(lines)))
    with pytest.raises(InputError, match=f"the chain breaks at line {line}"):
        read_audit(base)


def test_who_is_forgotten_is_taken_out_and_the_chain_holds(base: Path) -> None:
    record(base, "annotate-vote", {"accepted": 3}, people=["annotator-ab", "annotator-cd"])
    record(base, "annotate-vote", people=["annotator-cd"])
    record(base, "export")
    last = chained(read_audit(base)[-1])
    assert redact(base, ["annotator-ab", "annotator-ef"]) == 1
    assert "annotator-ab" not in audit_file(base).read_text()
    entries = read_audit(base)
    assert chained(entries[-1]) == last
    assert ["people" in entry for entry in entries] == [False, True, False]
    record(base, "publish")
    assert len(read_audit(base)) == 4
    assert redact(base, ["annotator-ab"]) == 0


@pytest.mark.parametrize("damage", [b"\xff\xfe", b"[1]", b"{", b"7"])
def test_a_damaged_log_holds_up_no_work_and_nobody_who_wants_to_be_forgotten(base: Path, damage: bytes) -> None:
    record(base, "build")
    record(base, "annotate-vote", people=["annotator-ab"])
    with audit_file(base).open("ab") as file:
        file.write(damage + b" annotator-ab\n")
    record(base, "export")
    with pytest.raises(InputError, match="the chain breaks at line 3"):
        read_audit(base)
    redact(base, ["annotator-ab"])
    assert b"annotator-ab" not in audit_file(base).read_bytes()
    assert len(audit_file(base).read_bytes().splitlines()) == 4


def test_the_command_shows_it_and_says_where_it_breaks(tashika: Any, base: Path) -> None:
    record(base, "annotate-push", {"tasks": 12})
    record(base, "publish", facts={"tag": "v1.0.0", "fingerprint": "0" * 64})
    ran: Ran = tashika("audit", "--work", str(base.parent))
    assert ran.code == 0
    assert "tasks 12" in ran.out
    assert "tag v1.0.0" in ran.out
    assert "the chain holds" in ran.out
    printed = tashika("audit", "--json", "--work", str(base.parent)).out.splitlines()
    assert [json.loads(line) for line in printed] == lines_of(base)
    audit_file(base).write_bytes(audit_file(base).read_bytes().replace(b'"tasks": 12', b'"tasks": 11'))
    broken: Ran = tashika("audit", "--work", str(base.parent))
    assert broken.code == 2
    assert "the chain breaks at line 2" in " ".join(broken.err.split())
