"""The labelling pages of KUCI: pairs of events, questions by which people are measured, and questions that are judged.

Source: Omura, Kawahara and Kurohashi (2020; see core/suites/kuci/README.md), sections 3.3 and
3.4. Both pages are in Japanese, as the data are.

People see a pair's two events and not the sentence that they come from: that sentence says ので or から, and so claims
what is asked. A condition is asked about like a cause, as in the paper.

People answer a sample of the published questions of the test part. Nothing of an item that shows the right option goes
to the server: whoever has an account there can read a task's data. What they get wrong stays in the release.

Whoever must choose cannot say that two options fit. So people also tick all options that fit, which is not in the
paper; the release marks the questions in which more than one does.

The paper's authors judged pairs with and without the condition Basic (section 3.2); `sense` is for that.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import Any, Final

from tashika.annotation.labelling import AGAINST, FOR, NEITHER, SEVERAL, AnswerPage, LabelsPage, Row, VotePage
from tashika.annotation.markup import large
from tashika.annotation.wording.dressing import NOTE
from tashika.core.suites.kuci.words import NONE, OPTIONS
from tashika.core.texts import text_key

CAUSE: Final = "A は B の原因・理由である"
OTHER: Final = "その他の関係、もしくは関係がない"
"""The two choices of the paper's section 3.3, word for word."""

SENSIBLE: Final = "常識をもとに理解できる"
SENSELESS: Final = "理解できない"
"""The two choices on a pair by which the condition Basic is tried; the paper says 常識をもとに理解できる."""

PLACES: Final = tuple(str(place) for place in range(1, OPTIONS + 1))
"""The choices of a question: its options' places, from 1."""

_DEBRIS = re.compile(r"[{}<>|\[\]\\#@*+=_~^]|https?|www")
"""What is left of markup or an address."""

_MOST_SHARED = 0.5
"""Share of the words of both events that may stand in both, where a pair is to look right."""

_SAME = 0.58
"""A cosine from which a simulated person takes a wrong option for fitting; people look at what it says."""

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

    It looks at the wording alone: both events read like text, the consequent has more than one word, and the two are
    about different things.
    """
    reads_like_text = _reads_like_text(row["antecedent"]) and _reads_like_text(row["consequent"])
    says_enough = len(row["consequent_words"]) > 1
    differ = row["antecedent_event"] != row["consequent_event"] and _shared_words(row) <= _MOST_SHARED
    return reads_like_text and says_enough and differ


def _reads_like_text(clause: str) -> bool:
    """Whether a clause has a letter, and nothing that is left of markup or an address."""
    return any(character.isalpha() for character in clause) and not _DEBRIS.search(clause)


def _shared_words(row: Row) -> float:
    """The share of the words of both events that stand in both."""
    antecedent = {text_key(word) for word in row["antecedent_words"]}
    consequent = {text_key(word) for word in row["consequent_words"]}
    return len(antecedent & consequent) / max(len(antecedent | consequent), 1)


def question_data(row: Row, _parents: Sequence[Row]) -> dict[str, Any]:
    """What a question's task shows: the context and the numbered options, and nothing that gives the right one away."""
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


def fitting_places(row: Row) -> str:
    """What a simulated person takes for fitting: the right option, and any that is nearly a paraphrase of it."""
    alike = [
        place
        for place, (number, similarity) in enumerate(zip(PLACES, row["similarities"], strict=True))
        if number == right_place(row) or similarity >= _SAME
    ]
    return SEVERAL.join(PLACES[place] for place in alike)


def sense_data(row: Row, _parents: Sequence[Row]) -> dict[str, Any]:
    """What the task of a pair shows that was drawn to try Basic: both events, and not the sample that it is of."""
    return pair_data(row, ())


def plausible_sense(row: Row, _parents: Sequence[Row]) -> bool:
    """Whether common sense explains a pair; stands in for a person's judgment and is only for the simulation."""
    return _reads_like_text(row["antecedent"]) and _reads_like_text(row["consequent"])


PAGES = (
    VotePage(
        suite="kuci",
        kind="pair",
        note_control=NOTE,
        title="Tashika KUCI pair",
        choices={CAUSE: FOR, OTHER: AGAINST},
        task_data=pair_data,
        plausible=plausible_pair,
        agreement_by="relation",
    ),
    AnswerPage(
        suite="kuci",
        kind="question",
        note_control=NOTE,
        title="Tashika KUCI question",
        choices=dict.fromkeys(PLACES, NEITHER),
        task_data=question_data,
        right_choice=right_place,
        agreement_by="relation",
        only={"conditions": "both", "split": "test"},
        made_by="tashika build kuci",
    ),
    LabelsPage(
        suite="kuci",
        kind="fit",
        note_control=NOTE,
        title="Tashika KUCI fit",
        choices=dict.fromkeys((*PLACES, NONE), NEITHER),
        labels=(*PLACES, NONE),
        task_data=question_data,
        truth=fitting_places,
        made_by="tashika build kuci",
    ),
    VotePage(
        suite="kuci",
        kind="sense",
        note_control=NOTE,
        title="Tashika KUCI sense",
        choices={SENSIBLE: FOR, SENSELESS: AGAINST},
        task_data=sense_data,
        plausible=plausible_sense,
        made_by="tashika build kuci --try-basic",
    ),
)
"""In the order in which people are asked: questions are made of the pairs that people accepted, and then judged."""
