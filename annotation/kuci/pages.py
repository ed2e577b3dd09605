"""The labelling pages of KUCI: pairs of events, and questions by which people are measured.

Source: Omura, Kawahara and Kurohashi, a commonsense inference data set based on basic events (2020), sections 3.3 and
3.4. Both pages are in Japanese, as the data are.

People see a pair's two events and not the sentence that they come from: that sentence says ので or から, and so claims
what is asked. A condition is asked about like a cause, as in the paper.

People answer a sample of the published questions of the test part. Nothing of an item that tells the right option goes
to the server: whoever has an account there can read a task's data. What they get wrong stays in the release.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import Any, Final

from tashika.annotation.labelling import AGAINST, FOR, NEITHER, Page, Row
from tashika.annotation.markup import large
from tashika.core.suites.kuci.words import OPTIONS
from tashika.core.texts import text_key

CAUSE: Final = "A は B の原因・理由である"
OTHER: Final = "その他の関係、もしくは関係がない"
"""The two choices of the paper's section 3.3, word for word."""

PLACES: Final = tuple(str(place) for place in range(1, OPTIONS + 1))
"""The choices of a question: its options' places, from 1."""

_DEBRIS = re.compile(r"[{}<>|\[\]\\#@*+=_~^]|https?|www")
_MOST_SHARED = 0.5  # of the words of both events
_ROW = "border:1px solid #d1d5db;padding:8px 14px;vertical-align:baseline;font-size:20px;line-height:1.6"
_PLACE = f"{_ROW};width:1.5em;text-align:center;color:#6b7280;font-weight:600"


def pair_data(row: Row, _parents: Sequence[Row]) -> dict[str, Any]:
    """What a pair's task shows: both events."""
    return {
        "antecedent": row["antecedent"],
        "consequent": row["consequent"],
        "antecedent_html": large(row["antecedent"]),
        "consequent_html": large(row["consequent"]),
    }


def plausible_pair(row: Row, _parents: Sequence[Row]) -> bool:
    """Whether a pair looks right; stands in for a person's judgment and is only for the simulation.

    It looks at the form alone: both events have a letter and no debris, the consequent says more than one word, they
    are not one event, and they share no more than half of their words.
    """
    one, other = (set(map(text_key, row[f"{side}_words"])) for side in ("antecedent", "consequent"))
    texts = (row["antecedent"], row["consequent"])
    return (
        all(any(map(str.isalpha, text)) and not _DEBRIS.search(text) for text in texts)
        and len(row["consequent_words"]) > 1
        and row["antecedent_event"] != row["consequent_event"]
        and len(one & other) / max(len(one | other), 1) <= _MOST_SHARED
    )


def question_data(row: Row, _parents: Sequence[Row]) -> dict[str, Any]:
    """What a question's task shows: the context and the numbered options, and nothing that tells the right one."""
    lines = "".join(
        f'<tr><td style="{_PLACE}">{place}</td><td style="{_ROW}">{html.escape(option)}</td></tr>'
        for place, option in zip(PLACES, row["options"], strict=True)
    )
    return {
        "context": row["context"],
        "options": list(row["options"]),
        "context_html": large(f"{row['context']}、…"),
        "options_html": f'<table style="border-collapse:collapse;width:100%">{lines}</table>',
    }


def right_place(row: Row) -> str:
    """The choice that is a question's right option."""
    return PLACES[row["answer"]]


PAGES = (
    Page(
        suite="kuci",
        kind="pair",
        title="Tashika KUCI pair",
        summary="A は B の原因・理由ですか。一組を何人かが判断し、過半数の判断をとります。",
        choices={CAUSE: FOR, OTHER: AGAINST},
        task_data=pair_data,
        plausible=plausible_pair,
    ),
    Page(
        suite="kuci",
        kind="question",
        title="Tashika KUCI question",
        summary="文脈に続く文として、最も適切なものを四つから選びます。",
        choices=dict.fromkeys(PLACES, NEITHER),
        task_data=question_data,
        right_choice=right_place,
        only={"conditions": "both", "split": "test"},
        made_by="tashika build kuci",
    ),
)
"""In the order in which people are asked; the second once questions were made of the pairs that people accepted."""
