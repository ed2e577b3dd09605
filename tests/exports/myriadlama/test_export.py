from __future__ import annotations

from typing import Any

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
