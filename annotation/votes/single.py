"""What a single answer decides where it counts for all: an adjudicator's, or the one that a curator knows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tashika.annotation.labelling import (
    AGAINST,
    FOR,
    AnswerPage,
    ChoicePage,
    FormPage,
    LabelsPage,
    Page,
    RatingPage,
    VotePage,
)
from tashika.annotation.votes.vote import ACCEPTED, REJECTED, UNDECIDED

_DECISIONS: Final = {FOR: ACCEPTED, AGAINST: REJECTED}


def decided_by(page: Page, label: str | None, text: str | None) -> tuple[str, str | None]:
    """The decision of a sound answer, and its text as a verdict has it.

    Args:
        page: What was asked; no page that asks for words.
        label: The choice, or the labels joined, as a judgment has them; None on a page that asks for a text.
        text: The text or the correction, if there is one.
    """
    if isinstance(page, FormPage):
        return ACCEPTED, label_text(page, page.parts(str(label)))
    if isinstance(page, AnswerPage):
        return ACCEPTED, None
    if isinstance(page, VotePage):
        decision = _DECISIONS.get(page.choices[str(label)], UNDECIDED)
        return decision, text if decision == ACCEPTED else None
    assert not isinstance(page, ChoicePage)
    return ACCEPTED, text or None


def label_text(page: FormPage, labels: Sequence[str]) -> str:
    """What a verdict has for some labels of a page: the label, all of them joined, or the number of a point."""
    if isinstance(page, LabelsPage):
        return page.joined(labels)
    return str(page.value(labels[0])) if isinstance(page, RatingPage) else labels[0]
