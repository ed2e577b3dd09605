"""Every check of every release that fails just this one; those of a suite are in `test_check_conformance.py`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tashika.core.errors import InputError
from tashika.core.files import hash_file
from tashika.exports import checks
from tashika.exports.checking.run import form_checks, require_passed, run_checks
from tashika.exports.checks import GENERIC, Check, message_of
from tests.exports.drafts import Draft, failing


@pytest.fixture
def draft(release: Path) -> Draft:
    return Draft(release)


# Each of these breaks a release in one way, and returns the id of the item that is broken.


def rename(draft: Draft, old: str, new: str) -> None:
    """Gives an item another id wherever it is named, the halves in prompts' ids included."""
    for path, rows in draft.files.items():
        for row in rows:
            row.update({name: new for name, value in row.items() if value == old})
            if path.startswith("prompts/"):
                row["item_id"] = row["template_id"][:16] + row["subject_alias_id"][:16]


def break_form(draft: Draft) -> str:
    old = draft.rows("facts")[0]["item_id"]
    rename(draft, old, old.upper() if old.upper() != old else f"{old[:-1]}g")
    return str(draft.rows("facts")[0]["item_id"])


def repeat_id(draft: Draft) -> str:
    draft.rows("facts")[1]["item_id"] = draft.rows("facts")[0]["item_id"]
    return str(draft.rows("facts")[0]["item_id"])


def repeat_half(draft: Draft) -> str:
    first, second = (draft.rows("facts")[index]["item_id"] for index in (0, 1))
    rename(draft, second, first[:16] + second[16:])
    return str(first)


BREAKS: list[tuple[Check, Callable[[Draft], str]]] = [
    (checks.ids_are_well_formed, break_form),
    (checks.ids_are_unique, repeat_id),
    (checks.halves_are_unique, repeat_half),
]


@pytest.mark.parametrize(("check", "damage"), BREAKS, ids=[damage.__name__ for _, damage in BREAKS])
def test_a_broken_row_fails_its_check_alone(draft: Draft, check: Check, damage: Callable[[Draft], str]) -> None:
    item = damage(draft)
    found = draft.written()
    problems = failing(found)
    assert list(problems) == [check.__name__]
    assert [problem.item for problem in next(iter(problems.values()))] == [item]
    with pytest.raises(InputError) as caught:
        require_passed(run_checks(form_checks(found, ())))
    assert caught.value.message.startswith(message_of(check))
    assert item in str(caught.value.where)


def test_a_wrong_count_fails_its_check_alone(draft: Draft) -> None:
    found = draft.written()
    draft.record["counts"]["prompts"] += 1
    problems = failing(found)
    assert list(problems) == ["counts_equal_the_files"]
    assert problems["counts_equal_the_files"][0].found == "prompts 135, but 134 rows in prompts/"


def test_a_stray_file_fails_the_listing(draft: Draft) -> None:
    found = draft.written()
    (found.folder / "facts" / "more.parquet").write_bytes((found.folder / "facts" / "facts.parquet").read_bytes())
    assert [problem.file for problem in checks.files_are_listed(found)] == ["facts/more.parquet"]


def test_a_missing_and_a_changed_file_fail_the_listing(draft: Draft) -> None:
    found = draft.written()
    (found.folder / "templates" / "templates.parquet").unlink()
    with (found.folder / "facts" / "facts.parquet").open("ab") as file:
        file.write(b"more")
    problems = {problem.file: problem.found for problem in checks.files_are_listed(found)}
    assert problems == {
        "templates/templates.parquet": "no such file",
        "facts/facts.parquet": "other content than was written",
    }


def test_a_column_of_another_type_fails_its_check_alone(draft: Draft) -> None:
    found = draft.written()
    path = found.folder / "aliases" / "aliases.parquet"
    table = pq.read_table(path)
    index = table.schema.get_field_index("is_label")
    pq.write_table(table.set_column(index, "is_label", table.column("is_label").cast(pa.string())), path)
    draft.record["files"]["aliases/aliases.parquet"]["sha256"] = hash_file(path)
    problems = failing(found)
    assert list(problems) == ["columns_are_declared"]
    assert problems["columns_are_declared"][0].found == "is_label: bool, is_label: string"


def test_every_check_has_a_message_and_a_break() -> None:
    apart = {checks.files_are_listed, checks.columns_are_declared, checks.counts_equal_the_files}
    assert set(GENERIC) == {check for check, _ in BREAKS} | apart
    assert all(message_of(check).endswith(".") for check in GENERIC)


def test_the_record_is_json_with_a_hash_for_each_file(release: Path) -> None:
    record = json.loads((release / "release.json").read_text(encoding="utf-8"))
    assert {path: hash_file(release / path) for path in record["files"]} == {
        path: described["sha256"] for path, described in record["files"].items()
    }
