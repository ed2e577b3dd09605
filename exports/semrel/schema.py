"""The configurations of the release of semrel, and their columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tashika.core.suites import Column
from tashika.core.suites.semrel import PROBE, RELATUM
from tashika.exports.schema import ITEM_ID, Config

_PROBE_ID: Final = Column("string", "id of the row in `probes` that it answers")

CONFIGS: Final[Mapping[str, Config]] = {
    "probes": Config(
        "probes",
        "probes",
        "a target word in a prompt that asks for a relation, up to the blank",
        {
            "item_id": ITEM_ID,
            **PROBE.only("target", "relation", "prompt", "text", "questionnaire"),
        },
    ),
    "relata": Config(
        "relata",
        "relata",
        "a word that has a relation to a target",
        {
            "item_id": ITEM_ID,
            **RELATUM.only("target", "relation", "word", "distance", "origins"),
        },
    ),
    "answers": Config(
        "answers",
        "answers",
        "a probe that was answered, with the words that were given in their order of frequency",
        {
            "item_id": _PROBE_ID,
            **PROBE.only("target", "relation", "prompt"),
            "answers": Column(
                "strings", "different words, the most frequent first, ties in the order of first mention"
            ),
            "counts": Column("integers", "how many annotators gave each of them"),
            "people": Column("int32", "how many annotators answered"),
            "simulated": Column("bool", "whether any of them was a program"),
        },
        product=True,
    ),
    "responses": Config(
        "responses",
        "responses",
        "a word that one annotator gave to a probe",
        {
            "item_id": _PROBE_ID,
            **PROBE.only("target", "relation", "prompt"),
            "annotator": Column("string", "a pseudonym, or a position in a published file", repeats=True),
            "place": Column("int32", "of the word among those of this annotator for this probe, from 1"),
            "raw": Column("string", "as it was typed"),
            "answer": Column("string", "in lower case, without article and marks, its last word as a lemma"),
            "simulated": Column("bool", "whether the annotator was a program"),
            "turn": Column(
                "int32", "of this annotator among those of the probe, from 1: who answered first", optional=True
            ),
        },
        product=True,
    ),
    "vocabulary": Config(
        "vocabulary",
        "vocabulary",
        "a word that every model under test has as one token: what a model may answer",
        {
            "item_id": Column("string", "id of the word"),
            "word": Column("string", "the word, in lower case"),
        },
    ),
}
"""Configurations by name."""
