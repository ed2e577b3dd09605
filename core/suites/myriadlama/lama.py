"""LAMA's own prompts, as a table that goes from the build over the release to the evaluation."""

from __future__ import annotations

from typing import Final

import pyarrow as pa

LAMA_FILE: Final = "lama-uhn.parquet"
"""Among the items of a build from LAMA's files."""

LAMA_COLUMNS: Final = {
    "item_id": "id of the row",
    "relation": "Wikidata property",
    "template": "LAMA's own template of the relation",
    "subject": "Wikidata item",
    "object": "Wikidata item",
    "subject_label": "what LAMA calls the subject",
    "object_label": "what LAMA calls the object, the only right answer",
    "uhn_filter": "LAMA-UHN's filters that were applied: none, string, or full",
}
"""Columns, and what they mean; all are strings."""

LAMA_SCHEMA: Final = pa.schema([pa.field(name, pa.string(), nullable=False) for name in LAMA_COLUMNS])
