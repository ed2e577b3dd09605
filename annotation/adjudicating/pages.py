"""The adjudication page of a kind: the kind's own page, with what people said above the question."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tashika.annotation.adjudicating.panel import with_panel
from tashika.annotation.labelling import AnswerPage, FormPage, Page, TextPage, VotePage, WordsPage, fitting_title

BECAUSE: Final = "adjudicated_because"
"""The name that a task has for why its item is adjudicated."""

UNDECIDED_BY_VOTE, AUDITED = "undecided", "audit"

_SUMMARY: Final = {"en": "Adjudication: ", "ja": "裁定："}
"""What stands before the summary of a kind, by language."""


def adjudication_page(page: Page, language: str = "en") -> Page:
    """The page of a kind's adjudication project; answers on it are read as those on the kind's own.

    Args:
        page: The kind's own page.
        language: Of the panel's heading, and of the summary.
    """
    return replace(
        page,
        title=fitting_title(f"{page.title} adjudication"),
        summary=f"{_SUMMARY.get(language, _SUMMARY['en'])}{page.headline}",
        markup=with_panel(page.xml, page.main_control, language),
        guidelines=page.instructions,
    )


def adjudication_name(page: Page) -> str:
    """What the adjudication project of a kind is called in files."""
    return f"{page.kind}-adjudication"


def not_adjudicated(page: Page) -> str | None:
    """Why nothing of a kind goes to an adjudicator in Label Studio; None for a kind that does."""
    if isinstance(page, WordsPage):
        return "people answer in words, and every answer is kept as it is: no answer is the right one"
    if isinstance(page, AnswerPage):
        return "the right answer is known: people are measured by these questions, and not the questions by people"
    if not isinstance(page, VotePage | FormPage | TextPage):
        return "nothing is voted"
    return None
