"""The configurations of the release of myriadlama, and their columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tashika.core.suites import Column
from tashika.core.suites.myriadlama import ALIAS, ENTITY, FACT, RELATION, TEMPLATE
from tashika.core.suites.myriadlama.lama import LAMA_COLUMNS
from tashika.exports.schema import ITEM_ID, Config

RELATION_NAME: Final = "relation_label"
"""Of facts it follows from the templates, and is not part of a release's digest."""

_PROMPT: Final = {
    "item_id": Column("string", "id of the prompt: half its template's id, half its alias's"),
    "relation": Column("string", RELATION, repeats=True),
    "pair": Column("int32", "number of the subject-relation pair", repeats=True),
    "subject": Column("string", ENTITY, repeats=True),
    "template_id": Column("string", "id of the row in `templates`", repeats=True),
    "subject_alias_id": Column("string", "id of the row in `aliases`", repeats=True),
    "prompt": Column("string", "the text"),
    "answers": Column("strings", "every name of every correct object of the pair", repeats=True),
}

CONFIGS: Final[Mapping[str, Config]] = {
    "facts": Config(
        "facts",
        "unique_triples",
        "a unique triple: subject, relation, object",
        {
            "item_id": ITEM_ID,
            **FACT.only("relation", "subject", "object", "subject_label", "object_label", "origin"),
            "subject_aliases": Column("strings", "all released names of the subject, the label first"),
            "object_aliases": Column("strings", "all released names of the object, the label first"),
            RELATION_NAME: Column("string", "the relation's name, as `templates` has it"),
        },
    ),
    "aliases": Config(
        "aliases",
        "aliases",
        "a name of a subject or object",
        {
            "item_id": ITEM_ID,
            **ALIAS.only("entity", "entity_label", "text", "language", "is_label"),
        },
    ),
    "templates": Config(
        "templates",
        "templates",
        "a way to express a relation, with `[X]` for the subject and `[Y]` for the object",
        {
            "item_id": ITEM_ID,
            **TEMPLATE.only("relation", "relation_label", "text", "origin"),
            "parent": Column("string", "for a paraphrase, the id of the manual template it rephrases"),
            "votes_for": Column("int32", "people who accepted it"),
            "votes_cast": Column("int32", "people who judged it"),
        },
    ),
    "prompts": Config(
        "prompts",
        "prompts",
        "a template with a name of a subject filled in; `[Y]` is left for the model",
        _PROMPT,
        product=True,
    ),
    "lite": Config(
        "lite",
        "lite_prompts",
        "a prompt of the lite set: a small, fixed part of `prompts` that stands for them, the same for all models",
        {
            **_PROMPT,
            "weight": Column("float64", "prompts that it stands for: a mean with these weights estimates that of all"),
            "blank_last": Column("bool", "whether nothing but final signs follows `[Y]`: a causal model can answer"),
        },
        product=True,
    ),
    "lama_uhn": Config(
        "lama_uhn",
        "lama_prompts",
        "a fact of LAMA with LAMA's own template, of a release that was built from LAMA's files",
        {name: Column("string", meaning) for name, meaning in LAMA_COLUMNS.items()},
    ),
}
"""Configurations by name."""
