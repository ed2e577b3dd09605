"""Every check on a release that fails just this one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tashika.core.errors import InputError
from tashika.core.files import hash_file, read_json
from tashika.core.records import prompt_id
from tashika.exports import checks
from tashika.exports.checks import GENERIC, Check, Problem, ReleaseFiles, message_of, run_checks
from tashika.exports.myriadlama import cloze_checks
from tashika.exports.myriadlama.cloze_checks import CLOZE
from tashika.exports.parquet import write_table
from tashika.exports.schema import configs_of

ALL = (*GENERIC, *CLOZE)
Rows = list[dict[str, Any]]
SUITE = "myriadlama"


class Draft:
    """A release to break: rows of each configuration that are written back, with a record that fits them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.record = read_json(folder / "release.json")
        self.rows: dict[str, Rows] = {name: self._read(name) for name in configs_of(SUITE)}

    def _read(self, name: str) -> Rows:
        files = sorted((self.folder / name).glob("*.parquet"))
        rows = pa.concat_tables([pq.read_table(file) for file in files]).to_pylist()
        for file in files:
            file.unlink()
        return rows

    def rename(self, old: str, new: str) -> None:
        """Gives an item another id wherever it is named, the halves in prompts' ids included."""
        for rows in self.rows.values():
            for row in rows:
                for name, value in row.items():
                    row[name] = new if value == old else value
        for row in self.rows["prompts"]:
            row["item_id"] = prompt_id(row["template_id"], row["subject_alias_id"])

    def written(self) -> ReleaseFiles:
        files = {}
        for name, rows in self.rows.items():
            path = self.folder / name / f"{name}.parquet"
            table = pa.Table.from_pylist(rows, schema=_schema(name))
            write_table(path, table, SUITE, name)
            files[f"{name}/{name}.parquet"] = {"rows": len(rows), "sha256": hash_file(path)}
            self.record["counts"][configs_of(SUITE)[name].count] = len(rows)
        self.record["files"] = files
        return ReleaseFiles(self.folder, self.record)


def _schema(name: str) -> pa.Schema:
    from tashika.exports.schema import features

    return features(SUITE, name).arrow_schema


@pytest.fixture
def draft(release: Path) -> Draft:
    return Draft(release)


def failing(found: ReleaseFiles) -> dict[str, list[Problem]]:
    problems = {check.__name__: list(check(found)) for check in ALL}
    return {name: those for name, those in problems.items() if those}


def test_a_sound_release_passes_all(draft: Draft) -> None:
    assert failing(draft.written()) == {}


# Each of these breaks a release in one way, and returns the id of the item that is broken.


def break_form(draft: Draft) -> str:
    old = draft.rows["facts"][0]["item_id"]
    draft.rename(old, old.upper() if old.upper() != old else f"{old[:-1]}g")
    return str(draft.rows["facts"][0]["item_id"])


def repeat_id(draft: Draft) -> str:
    draft.rows["facts"][1]["item_id"] = draft.rows["facts"][0]["item_id"]
    return str(draft.rows["facts"][0]["item_id"])


def repeat_half(draft: Draft) -> str:
    first, second = (draft.rows["facts"][index]["item_id"] for index in (0, 1))
    draft.rename(second, first[:16] + second[16:])
    return str(first)


def drop_slot(draft: Draft) -> str:
    draft.rows["templates"][0]["text"] = draft.rows["templates"][0]["text"].replace("[Y]", "")
    return str(draft.rows["templates"][0]["item_id"])


def repeat_template(draft: Draft) -> str:
    first, second = draft.rows["templates"][:2]
    second["text"] = f"{first['text'].upper()}!"
    return str(second["item_id"])


def drop_parent(draft: Draft) -> str:
    row = next(row for row in draft.rows["templates"] if row["origin"] == "paraphrase")
    row["parent"] = None
    return str(row["item_id"])


def repeat_fact(draft: Draft) -> str:
    first, second = draft.rows["facts"][:2]
    draft.rows["facts"][1] = {**first, "item_id": second["item_id"]}
    return str(second["item_id"])


def strange_relation(draft: Draft) -> str:
    draft.rows["facts"][0]["relation"] = "P9999"
    return str(draft.rows["facts"][0]["item_id"])


def nameless_object(draft: Draft) -> str:
    draft.rows["facts"][0]["object"] = "Q9999"
    return str(draft.rows["facts"][0]["item_id"])


def repeat_name(draft: Draft) -> str:
    row = next(row for row in draft.rows["aliases"] if row["text"] == "Nihon")
    row["text"] = "Nippon"
    return str(next(row["item_id"] for row in reversed(draft.rows["aliases"]) if row["text"] == "Nippon"))


def blank_name(draft: Draft) -> str:
    draft.rows["aliases"][0]["text"] = " "
    return str(draft.rows["aliases"][0]["item_id"])


def orphan_prompt(draft: Draft) -> str:
    # the last one, so that an unknown template does not also break the order
    stranger = "f" * 32
    row = {**draft.rows["prompts"][-1], "template_id": stranger}
    draft.rows["prompts"].append({**row, "item_id": prompt_id(stranger, row["subject_alias_id"]), "pair": 99})
    return str(draft.rows["prompts"][-1]["item_id"])


def foreign_prompt_id(draft: Draft) -> str:
    draft.rows["prompts"][3]["item_id"] = "0" * 32
    return "0" * 32


def swap_prompts(draft: Draft) -> str:
    rows = draft.rows["prompts"]
    rows[0], rows[1] = rows[1], rows[0]
    return str(rows[1]["item_id"])


def fill_blank(draft: Draft) -> str:
    draft.rows["prompts"][0]["prompt"] = "Paris is the capital of France."
    return str(draft.rows["prompts"][0]["item_id"])


def no_answers(draft: Draft) -> str:
    draft.rows["prompts"][0]["answers"] = []
    return str(draft.rows["prompts"][0]["item_id"])


def blank_answer(draft: Draft) -> str:
    draft.rows["prompts"][5]["answers"] = ["Berlin", ""]
    return str(draft.rows["prompts"][5]["item_id"])


BREAKS: list[tuple[Check, Callable[[Draft], str]]] = [
    (checks.ids_are_well_formed, break_form),
    (checks.ids_are_unique, repeat_id),
    (checks.halves_are_unique, repeat_half),
    (cloze_checks.templates_have_both_slots, drop_slot),
    (cloze_checks.templates_differ, repeat_template),
    (cloze_checks.paraphrases_have_parents, drop_parent),
    (cloze_checks.facts_differ, repeat_fact),
    (cloze_checks.facts_have_templates, strange_relation),
    (cloze_checks.facts_have_names, nameless_object),
    (cloze_checks.names_differ, repeat_name),
    (cloze_checks.names_are_not_blank, blank_name),
    (cloze_checks.prompts_have_parents, orphan_prompt),
    (cloze_checks.prompts_have_composed_ids, foreign_prompt_id),
    (cloze_checks.prompts_are_in_order, swap_prompts),
    (cloze_checks.prompts_keep_the_blank, fill_blank),
    (cloze_checks.prompts_have_answers, no_answers),
    (cloze_checks.prompts_have_answers, blank_answer),
]


@pytest.mark.parametrize(("check", "damage"), BREAKS, ids=[damage.__name__ for _, damage in BREAKS])
def test_a_broken_row_fails_its_check_alone(draft: Draft, check: Check, damage: Callable[[Draft], str]) -> None:
    item = damage(draft)
    found = draft.written()
    problems = failing(found)
    assert list(problems) == [check.__name__]  # type: ignore[attr-defined]
    assert [problem.item for problem in next(iter(problems.values()))] == [item]
    with pytest.raises(InputError) as caught:
        run_checks(found, ALL)
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
    broken = {check for check, _ in BREAKS}
    apart = {checks.files_are_listed, checks.columns_are_declared, checks.counts_equal_the_files}
    assert set(ALL) == broken | apart
    assert all(message_of(check).endswith(".") for check in ALL)


def test_the_record_is_json_with_a_hash_for_each_file(release: Path) -> None:
    record = json.loads((release / "release.json").read_text(encoding="utf-8"))
    assert {path: hash_file(release / path) for path in record["files"]} == {
        path: described["sha256"] for path, described in record["files"].items()
    }
