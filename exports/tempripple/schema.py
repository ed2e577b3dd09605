"""The configurations of the release of tempripple, and their columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tashika.core.suites import Column
from tashika.core.suites.columns import DATE
from tashika.core.suites.tempripple import FACT, HISTORY, QUESTION, RELATED
from tashika.exports.schema import ITEM_ID, VOTES_CAST, VOTES_FOR, Config


def _day(name: str) -> Column:
    meaning = f"the first day that `{name}` may mean, as a date: 2025-03-01 of 2025-03; empty where nothing is stated"
    return Column(DATE, meaning, optional=True)


_FACT_ID: Final = Column("string", "id of the row in `facts` that it hangs on")

DERIVED: Final[Mapping[str, Mapping[str, Column]]] = {
    "questions": {
        "subject_label": Column("string", "the label of `subject`"),
        "relation_label": Column("string", "the label of `relation`"),
        "last_relation_label": Column("string", "the label of `last_relation`"),
    },
    "facts": {"start_day": _day("start")},
    "history": {
        "relation_label": Column("string", "the label of `relation`"),
        "start_day": _day("start"),
        "end_day": _day("end"),
    },
    "related": {},
}
"""Columns that follow from others, by configuration. They are not part of a release's digest: a release of an earlier
version, which lacks them, has the same content."""

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
            **DERIVED["questions"],
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
            **DERIVED["facts"],
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
            **DERIVED["history"],
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
