"""A release whose files are not what its `release.json` lists is scored in no suite."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from tashika.core.errors import InputError, MissingStageError
from tashika.core.files import hash_file
from tashika.core.suites.discovery import all_suites
from tashika.core.workspace import Workspace
from tashika.evaluate.compare_command import app as compare
from tashika.evaluate.custom.questions import read_release as read_custom
from tashika.evaluate.kuci.questions import read_release as read_kuci
from tashika.evaluate.myriadlama.prompts import read_release as read_myriadlama
from tashika.evaluate.proverbs.questions import read_release as read_proverbs
from tashika.evaluate.release_tables import read_identity
from tashika.evaluate.semrel.probes import read_source
from tashika.evaluate.tempripple.questions import read_release as read_tempripple
from tests.evaluate.custom.toy_scores import riddle_scores
from tests.evaluate.pages import rewrite
from tests.exports.drafts import ReleaseToys, export_toys
from tests.exports.kuci import breaks as kuci
from tests.exports.myriadlama import breaks as myriadlama
from tests.exports.proverbs import breaks as proverbs
from tests.exports.semrel import breaks as semrel
from tests.exports.tempripple import breaks as tempripple
from tests.plugin import toys as riddles

RIDDLES = "riddles/test.parquet"


class Scored(NamedTuple):
    """A suite's release, and an answer in it.

    Attributes:
        toys: They export it.
        read: Reads it as `tashika evaluate` does, and returns the digest that scores bear.
        file: A table that the scores depend on.
        column: One in it that holds what is right, or what is asked.
    """

    toys: ReleaseToys
    read: Callable[[Workspace], str | None]
    file: str
    column: str


def read_riddles(workspace: Workspace) -> str:
    """As the plugin's evaluation does."""
    known = read_identity(workspace.release, RIDDLES, "")
    known.file(RIDDLES)
    return known.digest


SUITES = (
    Scored(kuci.RELEASE, lambda work: read_kuci(work.release).digest, "questions/test.parquet", "answer"),
    Scored(myriadlama.RELEASE, lambda work: read_myriadlama(work.release).digest, "facts/facts.parquet", "object"),
    Scored(proverbs.RELEASE, lambda work: read_proverbs(work.release).digest, "pairs/test.parquet", "question"),
    Scored(semrel.RELEASE, lambda work: read_source(work).revision, "relata/relata.parquet", "word"),
    Scored(
        tempripple.RELEASE, lambda work: read_tempripple(work.release).digest, "questions/questions.parquet", "answer"
    ),
    Scored(riddles.RELEASE, read_riddles, RIDDLES, "answer"),
)


@pytest.fixture(scope="module", autouse=True)
def _plugin() -> Iterator[None]:
    with riddles.installed():
        yield


@pytest.fixture(scope="module", params=SUITES, ids=lambda scored: scored.toys.suite)
def scored(request: pytest.FixtureRequest) -> Scored:
    found: Scored = request.param
    return found


@pytest.fixture(scope="module")
def exported(scored: Scored, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A suite's release; read only."""
    return export_toys(scored.toys, tmp_path_factory.mktemp(scored.toys.suite))


@pytest.fixture
def workspace(exported: Workspace, tmp_path: Path) -> Workspace:
    """A suite's release, to be changed."""
    shutil.copytree(exported.root, tmp_path, dirs_exist_ok=True)
    return Workspace(tmp_path, exported.suite)


def change(file: Path, column: str) -> None:
    """Gives the first row another value of a column."""
    table = pq.read_table(file)
    values: list[Any] = table[column].to_pylist()
    values[0] = values[0] ^ 1 if isinstance(values[0], int) else f"{values[0]} or so"
    place = table.column_names.index(column)
    field = table.schema.field(column)
    pq.write_table(table.set_column(place, field, pa.array(values, field.type)), file)


def test_every_suite_is_tested_here() -> None:
    assert {each.toys.suite for each in SUITES} == set(all_suites())


def test_one_changed_answer_is_not_scored(scored: Scored, workspace: Workspace) -> None:
    assert scored.read(workspace)
    file = workspace.release / scored.file
    before = hash_file(file)
    change(file, scored.column)
    with pytest.raises(InputError, match="the file was changed after the export") as error:
        scored.read(workspace)
    assert error.value.where == str(file)
    assert before[:12] in error.value.message
    assert "Export or download it again" in (error.value.hint or "")


def test_a_table_that_is_not_listed_is_not_scored(scored: Scored, workspace: Workspace) -> None:
    rewrite(workspace.release / "release.json", lambda record: record["files"].pop(scored.file))
    with pytest.raises(InputError, match=r"found a file that release\.json does not list"):
        read_identity(workspace.release, scored.file, "").file(scored.file)


def test_without_its_record_a_release_is_scored_under_a_digest_of_its_files(
    scored: Scored, workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = scored.read(workspace)
    (workspace.release / "release.json").unlink()
    assert "release.json" not in capsys.readouterr().err
    digest = scored.read(workspace)
    assert digest != listed
    assert "has no release.json: nothing says of which version its files are" in capsys.readouterr().err.replace(
        "\n", " "
    )
    change(workspace.release / scored.file, scored.column)
    assert scored.read(workspace) != digest


def test_a_release_that_an_export_was_killed_in_is_none(scored: Scored, workspace: Workspace) -> None:
    (workspace.release / "release.json").unlink()
    (workspace.base / "release.part").mkdir()
    with pytest.raises(MissingStageError, match="there is no release yet"):
        read_identity(workspace.release, scored.file, "")


def test_a_record_of_an_earlier_version_lists_no_files(scored: Scored, workspace: Workspace) -> None:
    rewrite(workspace.release / "release.json", lambda record: record.pop("files"))
    assert scored.read(workspace)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ('{"version": "1.0.0", "dig', "not valid JSON"),
        ("[]", "found a JSON list, expected an object"),
        ('{"version": "1.0.0"}', "the key 'digest' is missing"),
        ('{"version": 1, "digest": "ab"}', "'version' is a int, expected a str"),
        ('{"version": "1.0.0", "digest": "ab", "files": []}', "'files' lists no files by their paths"),
    ],
)
def test_a_damaged_record_is_named_with_what_to_do(content: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "release.json").write_text(content)
    with pytest.raises(InputError, match=problem) as error:
        read_identity(tmp_path, "x/x.parquet", "")
    assert error.value.where == str(tmp_path / "release.json")
    assert error.value.hint == "Export the release again."


def test_suites_of_ones_own_and_compare_look_too(tmp_path: Path) -> None:
    suite, workspace = riddle_scores(tmp_path)
    [file] = workspace.release.glob("*/test.parquet")
    path = file.relative_to(workspace.release).as_posix()
    record = workspace.release / "release.json"
    rewrite(record, lambda content: content.update(files={path: {"sha256": hash_file(file)}}))
    assert read_custom(suite, workspace.release).items
    arguments = [str(suite.path), "good", "poor", "--work", str(workspace.root)]
    assert CliRunner().invoke(compare, arguments).exit_code == 0
    rewrite(record, lambda content: content.update(files={path: {"sha256": "0" * 64}}))
    with pytest.raises(InputError, match="changed after the export"):
        read_custom(suite, workspace.release)
    refused = CliRunner().invoke(compare, arguments)
    assert "changed after the export" in str(refused.exception)
