"""The configurations of the release of tempripple, and their columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tashika.core.suites import Column
from tashika.core.suites.tempripple import FACT, HISTORY, QUESTION, RELATED
from tashika.exports.schema import ITEM_ID, VOTES_CAST, VOTES_FOR, Config

_FACT_ID: Final = Column("string", "id of the row in `facts` that it hangs on")
_HISTORY_ID: Final = Column("string", "id of the row in `history` that it hangs on")

CONFIGS: Final[Mapping[str, Config]] = {
    "questions": Config(
        "questions",
        "questions",
        "a question on a tenure or on a related fact, with its options and the new fact as context",
        {
            "item_id": ITEM_ID,
            "fact_id": _FACT_ID,
            "history_id": _HISTORY_ID,
            "related_id": Column("string", "id of the row in `related` that it asks about; empty at hop 0"),
            **QUESTION.only(
                "task",
                "hop",
                "place",
                "subject",
                "relation",
                "last_relation",
                "text",
                "context",
                "options",
                "answer",
                "answers",
                "reasoning",
                "option_set",
                "lure",
                "counterpart",
                "certainty",
            ),
            "votes_for": VOTES_FOR,
            "votes_cast": VOTES_CAST,
        },
    ),
    "facts": Config(
        "facts",
        "facts",
        "a subject and a property whose object changed in the window, with its newest object",
        {
            "item_id": ITEM_ID,
            **FACT.only(
                "subject", "relation", "object", "subject_label", "relation_label", "object_label", "start", "statement"
            ),
            "votes_for": VOTES_FOR,
            "votes_cast": VOTES_CAST,
            **FACT.only("window", "history_from"),
        },
    ),
    "history": Config(
        "history",
        "history",
        "a tenure: an object of a changing fact and its time",
        {
            "item_id": ITEM_ID,
            "fact_id": _FACT_ID,
            **HISTORY.only(
                "subject",
                "relation",
                "object",
                "subject_label",
                "object_label",
                "age",
                "place",
                "start",
                "end",
                "years",
                "also_true",
            ),
        },
    ),
    "related": Config(
        "related",
        "related",
        "a fact that did not change, at the end of a path from the object of a tenure",
        {
            "item_id": ITEM_ID,
            "fact_id": _FACT_ID,
            "history_id": _HISTORY_ID,
            "parent": Column("string", "id of the row of the hop before; empty at hop 1"),
            **RELATED.only(
                "age",
                "hop",
                "subject",
                "relation",
                "objects",
                "subject_label",
                "relation_label",
                "object_labels",
                "also_true",
                "certainty",
            ),
            "path_relations": Column("strings", "properties on the path, from the changing fact to this one"),
            "path_subjects": Column("strings", "subjects on the path, one a property"),
            "path_subject_labels": Column("strings", "their labels"),
        },
    ),
}
"""Configurations by name."""
