"""Documents of a release: written from it, listed with their hashes, and gone when nothing writes them any more."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from tashika.core.errors import InputError
from tashika.core.files import hash_file, read_json
from tashika.core.workspace import Workspace
from tashika.exports.documents import Draft
from tashika.exports.publish import Publication
from tashika.exports.release import Export

Make = Callable[..., Export]


def citation(draft: Draft) -> Mapping[str, str]:
    return {"CITATION.txt": f"{draft.settings.pretty_name} {draft.record['version']}\n"}


def tasks(draft: Draft) -> Mapping[str, str]:
    return {f"tasks/{name}.yaml": f"dataset_name: {name}\n" for name in draft.suite.configs}


def test_documents_are_written_and_listed_with_their_hashes(workspace: Workspace, make_export: Make) -> None:
    record = replace(make_export(), documents=(citation, tasks)).run()
    text = (workspace.release / "CITATION.txt").read_text(encoding="utf-8")
    assert text.endswith(f" {record['version']}\n")
    assert "tasks/prompts.yaml" in record["documents"]
    for path, described in record["documents"].items():
        file = workspace.release / path
        assert described == {"bytes": file.stat().st_size, "sha256": hash_file(file)}


def test_a_document_that_nothing_writes_any_more_is_removed(workspace: Workspace, make_export: Make) -> None:
    replace(make_export(), documents=(citation, tasks)).run()
    own = workspace.release / "tasks" / "own.yaml"
    own.write_text("ours\n", encoding="utf-8")
    replace(make_export(), documents=(citation,)).run()
    assert list(read_json(workspace.release / "release.json")["documents"]) == ["CITATION.txt"]
    assert [path.name for path in (workspace.release / "tasks").iterdir()] == ["own.yaml"]


def test_a_deleted_document_is_written_again(workspace: Workspace, make_export: Make) -> None:
    export = replace(make_export(), documents=(citation,))
    export.run()
    file = workspace.release / "CITATION.txt"
    text = file.read_text(encoding="utf-8")
    file.unlink()
    replace(make_export(), documents=(citation,)).run()
    assert file.read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    "path", ["README.md", "release.json", "prompts/more.txt", "judgments/more.txt", "/tmp/a", "../a", "a/.hidden", ""]
)
def test_a_document_may_not_lie_where_something_else_does(make_export: Make, path: str) -> None:
    with pytest.raises(ValueError, match="no place of its own"):
        replace(make_export(), documents=(lambda _: {path: "text"},)).run()


def test_two_documents_may_not_have_one_path(make_export: Make) -> None:
    with pytest.raises(ValueError, match=r"'CITATION\.txt' has no place of its own"):
        replace(make_export(), documents=(citation, citation)).run()


def test_a_changed_document_is_not_published(workspace: Workspace, make_export: Make) -> None:
    replace(make_export(), documents=(citation,)).run()
    file: Path = workspace.release / "CITATION.txt"
    file.write_text("another\n", encoding="utf-8")
    with pytest.raises(InputError, match="not the file that the export wrote") as caught:
        Publication(workspace, "group/name").require_sound()
    assert caught.value.where == str(file)
