from __future__ import annotations

from typing import Any

import pytest

from tashika.core.files import read_table, write_rows
from tashika.core.records import item_id
from tashika.core.settings import load_section
from tashika.core.suites.myriadlama import OWN_FACTS
from tashika.core.suites.myriadlama.lama import LAMA_FILE, LAMA_SCHEMA
from tashika.core.workspace import Workspace
from tashika.exports.myriadlama.export import EXPORT
from tashika.exports.release import Export


def own(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    sources = [{"name": "own facts, wikidata.csv", "revision": "0123"}]
    return [{**row, "builder": OWN_FACTS, "sources": sources} for row in rows]


def test_the_card_of_ones_own_facts_does_not_call_them_wikidatas(workspace: Workspace, samples: Any) -> None:
    settings = load_section("myriadlama", "export", EXPORT.settings)
    assert EXPORT.plan(workspace, settings).card is None
    samples.write_items(workspace, "fact", own(samples.fact_rows()))
    samples.write_items(workspace, "alias", own(samples.alias_rows()))
    record = Export(workspace, settings, EXPORT, EXPORT.plan(workspace, settings)).run()
    assert record["counts"]["relations"] == 3
    card = (workspace.release / "README.md").read_text(encoding="utf-8")
    assert "| own facts, wikidata.csv | 0123 | see the source |" in card
    assert "Relational facts of our own" in card
    assert "Wikidata labels" not in card
    assert "CC0 1.0" not in card
    assert "(paper)" not in card


def japanese(rows: list[dict[str, Any]], columns: dict[str, Any]) -> list[dict[str, Any]]:
    return [{**row, **columns} for row in rows]


def test_a_card_says_which_language_names_and_templates_are_in(
    workspace: Workspace, samples: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = load_section("myriadlama", "export", EXPORT.settings)
    sources = [{"name": "myriadlama_templates_ja.toml", "revision": "0123"}]
    samples.write_items(workspace, "alias", japanese(samples.alias_rows(), {"language": "ja"}))
    templates = [{**row, "sources": sources} if row["origin"] == "manual" else row for row in samples.template_rows()]
    samples.write_items(workspace, "template", templates)
    card = EXPORT.plan(workspace, settings).card
    assert card is not None
    assert card.limits[-1] == "Names and templates are Japanese."
    assert 'set language = ["ja"] there' in capsys.readouterr().err
    EXPORT.plan(workspace, settings.model_copy(update={"language": ("ja",)}))
    assert capsys.readouterr().err == ""


def lama_row(relation: str, subject: str, value: str) -> dict[str, str]:
    return {
        "item_id": item_id("myriadlama", "lama-uhn", relation, subject, value),
        "relation": relation,
        "template": "The capital of [X] is [Y] .",
        "subject": subject,
        "object": value,
        "subject_label": "French Republic",
        "object_label": "Paris",
        "uhn_filter": "string",
    }


def test_lamas_own_prompts_are_a_configuration_where_there_are_any(workspace: Workspace) -> None:
    settings = load_section("myriadlama", "export", EXPORT.settings)
    without = Export(workspace, settings, EXPORT, EXPORT.plan(workspace, settings)).run()
    assert "lama_prompts" not in without["counts"]
    assert not (workspace.release / "lama_uhn").exists()
    rows = [lama_row("P36", "Q142", "Q90"), lama_row("P36", "Q999", "Q90")]  # nothing is released of the second
    write_rows(workspace.items / LAMA_FILE, rows, LAMA_SCHEMA)
    record = Export(workspace, settings, EXPORT, EXPORT.plan(workspace, settings)).run()
    assert record["counts"]["lama_prompts"] == 1
    assert record["digest"] != without["digest"]
    [kept] = read_table(workspace.release / "lama_uhn" / "lama_uhn.parquet").to_pylist()
    assert kept == rows[0]
    assert "lama_uhn" in (workspace.release / "README.md").read_text(encoding="utf-8")
    (workspace.items / LAMA_FILE).unlink()
    assert Export(workspace, settings, EXPORT, EXPORT.plan(workspace, settings)).run() == without
    assert not list(workspace.release.glob("lama_uhn/*.parquet"))
