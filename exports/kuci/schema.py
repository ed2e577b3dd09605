"""The configurations of the release of kuci, and their columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tashika.core.suites import Column
from tashika.core.suites.kuci import PAIR, QUESTION
from tashika.core.suites.kuci.words import SPLITS
from tashika.exports.schema import ITEM_ID, VOTES_CAST, VOTES_FOR, Config

_QUESTION: Final = {
    "item_id": ITEM_ID,
    **QUESTION.only("context", "options", "answer", "forms", "relation", "pair"),
}

ORIGINS: Final = "option_origins"
"""The configuration of what gives answers away."""

_ORIGINS: Final = {
    "item_id": Column("string", "id of the row in one of the configurations of questions"),
    **QUESTION.only("similarities"),
    "option_pairs": Column("strings", "ids of the rows in `pairs` that the options are from"),
}

_JUDGED: Final = {
    "more_than_one": Column(
        "string",
        "whether people find that more than one option fits: `yes`, `no`, `undecided` or `not judged`",
    ),
    "fitting": Column("integers", "places, from 0, of the options that people find to fit; none where undecided"),
    "people": Column(
        "string", "what most people chose who had to choose one: `right`, `wrong`, `undecided` or `not asked`"
    ),
}
"""What people said of a question of the published set."""

CONFIGS: Final[Mapping[str, Config]] = {
    "pairs": Config(
        "pairs",
        "pairs",
        "two basic events of a sentence, the first being a cause of the second, or its condition",
        {
            "item_id": ITEM_ID,
            **PAIR.only(
                "sid",
                "text",
                "relation",
                "marker",
                "confidence",
                "antecedent",
                "consequent",
                "antecedent_words",
                "consequent_words",
                "antecedent_event",
                "consequent_event",
                "consequent_form",
                "consequent_empty",
                "borrowed",
                "backend",
            ),
            "votes_for": VOTES_FOR,
            "votes_cast": VOTES_CAST,
        },
        splits=("train",),
    ),
    "questions": Config(
        "questions",
        "questions",
        "a context with four options, as published: the wrong ones meet Similarity and Length",
        {**_QUESTION, **_JUDGED},
        splits=SPLITS,
    ),
    "questions_without_similarity": Config(
        "questions_without_similarity",
        "questions_without_similarity",
        "the same context with wrong options that meet Length alone, for the ablation",
        _QUESTION,
        splits=SPLITS,
    ),
    "questions_without_length": Config(
        "questions_without_length",
        "questions_without_length",
        "the same context with wrong options that meet Similarity alone, for the ablation",
        _QUESTION,
        splits=SPLITS,
    ),
    ORIGINS: Config(
        ORIGINS,
        ORIGINS,
        "where the four options of a question are from: **it gives the answers away**, and is no input of a model",
        _ORIGINS,
        product=True,
    ),
}
"""Configurations by name."""
