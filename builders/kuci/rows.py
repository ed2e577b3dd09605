"""Pairs and questions as rows of their items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tashika.builders.kuci.analysis.records import Backend
from tashika.builders.kuci.confidence import confidence
from tashika.builders.kuci.forms import form_of, is_empty
from tashika.builders.kuci.pairs import Pair
from tashika.core.records import item_row

SUITE: Final = "kuci"
BUILDER: Final = "kuci"
VERSION: Final = "1"

Row = dict[str, Any]
Sources = Sequence[tuple[str, str | None]]


def pair_row(pair: Pair, backend: Backend, sources: Sources) -> Row:
    """A pair as an item.

    Args:
        pair: The pair.
        backend: What analysed its sentence.
        sources: What it comes from.
    """
    row = pair.row
    payload = {
        "sid": row["sid"],
        "text": row["text"],
        "relation": row["relation"],
        "marker": row["marker"],
        "confidence": confidence(row["relation"], row["marker"]),
        "antecedent": row["antecedent"]["text"],
        "consequent": row["consequent"]["text"],
        "antecedent_words": row["antecedent"]["words"],
        "consequent_words": row["consequent"]["words"],
        "antecedent_event": pair.antecedent[0],
        "consequent_event": pair.consequent[0],
        "consequent_form": form_of(row["consequent"]),
        "consequent_empty": is_empty(row["consequent"]),
        "borrowed": pair.borrowed,
        "backend": backend,
    }
    return item_row(SUITE, "pair", pair.key, payload, builder=BUILDER, version=VERSION, sources=sources)


def question_row(made: Mapping[str, Any], sources: Sources) -> Row:
    """A question as an item.

    Args:
        made: What `questions` gives, with its parents.
        sources: What it comes from.
    """
    payload = {name: value for name, value in made.items() if name != "parents"}
    key = (made["conditions"], made["pair"], *made["options"])
    return item_row(
        SUITE, "question", key, payload, builder=BUILDER, version=VERSION, sources=sources, parents=made["parents"]
    )
