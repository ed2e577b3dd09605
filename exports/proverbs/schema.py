"""The configurations of the release of proverbs, and their columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tashika.core.suites.proverbs import PAIR
from tashika.exports.schema import ITEM_ID, VOTES_CAST, VOTES_FOR, Config

CONFIGS: Final[Mapping[str, Config]] = {
    "pairs": Config(
        "pairs",
        "pairs",
        "a proverb and a variant that should mean the same, each as a question",
        {
            "item_id": ITEM_ID,
            **PAIR.only(
                "topic",
                "proverb",
                "variant",
                "change",
                "maker",
                "origin",
                "variant_origin",
                "form",
                "question",
                "variant_question",
                "direction",
            ),
            "votes_for": VOTES_FOR,
            "votes_cast": VOTES_CAST,
        },
    ),
}
"""Configurations by name."""
