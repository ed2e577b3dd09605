from __future__ import annotations

from typing import Any

import pytest

from tashika.core.settings import load_section
from tashika.core.suites.myriadlama import OWN_FACTS
from tashika.core.workspace import Workspace
from tashika.exports.myriadlama.export import EXPORT
from tashika.exports.plan import ExportSettings
from tashika.exports.release import Export


def own(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    sources = [{"name": "own facts, wikidata.csv", "revision": "0123"}]
    return [{**row, "builder": OWN_FACTS, "sources": sources} for row in rows]


def test_the_card_of_ones_own_facts_does_not_call_them_wikidatas(workspace: Workspace, samples: Any) -> None:
    settings = load_section("myriadlama", "export", ExportSettings)
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
    settings = load_section("myriadlama", "export", ExportSettings)
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
