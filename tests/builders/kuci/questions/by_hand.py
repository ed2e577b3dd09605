"""Pairs and word vectors by hand, of which questions are made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tashika.builders.kuci.questions.settings import QuestionSettings
from tashika.builders.kuci.questions.word_vectors import WordVectors

# Cosines with 答 (1, 0): .41, .44, .5, .56, .59 within the range; .3 and .8 outside; 食 is at the edge.
COSINES = {"下": 0.41, "低": 0.44, "中": 0.5, "高": 0.56, "上": 0.59, "遠": 0.3, "近": 0.8, "端": 0.4}


def together(**more: Any) -> QuestionSettings:
    """Settings under which a handful of pairs is enough: each question draws for itself, and from any part."""
    return QuestionSettings(**{"own_part": False, "balance": False, "even": False, **more})


def vectors(table: Mapping[str, Sequence[float]]) -> WordVectors:
    rows = {word: row for row, word in enumerate(table)}
    return WordVectors(rows.get, np.array(list(table.values()), dtype=np.float64), name="small")


HAND = vectors({"答": (2.0, 0.0)} | {word: (cosine, (1 - cosine**2) ** 0.5) for word, cosine in COSINES.items()})


PLAIN = "non-past plain statement"


def pair(
    identity: str, antecedent: str, consequent: str, events: tuple[str, str] = ("", ""), form: str = PLAIN
) -> dict[str, Any]:
    return {
        "item_id": identity,
        "relation": "cause",
        "antecedent": antecedent.replace(" ", ""),
        "consequent": consequent.replace(" ", ""),
        "antecedent_words": antecedent.split(),
        "consequent_words": consequent.split(),
        "antecedent_event": events[0],
        "consequent_event": events[1],
        "consequent_form": form,
        "consequent_empty": False,
    }


def others(*words: str) -> list[dict[str, Any]]:
    return [pair(f"p{place}", f"前{word} と", word) for place, word in enumerate(words)]


def of(rows: Sequence[dict[str, Any]], identity: str, conditions: str = "both") -> dict[str, Any]:
    (found,) = (row for row in rows if row["pair"] == identity and row["conditions"] == conditions)
    return found


def wrong(row: Mapping[str, Any]) -> set[str]:
    return {option for place, option in enumerate(row["options"]) if place != row["answer"]}
