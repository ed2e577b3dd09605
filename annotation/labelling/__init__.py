"""What a suite declares of its labelling pages; nothing here knows a suite.

For each kind of item that people judge, a suite's `PAGES` hold a page: what it looks like, what a task shows, and what
people are asked: to vote (`VotePage`), to answer a question (`AnswerPage`), to write words (`WordsPage`), or to say
what the item is (`LabelPage`, `LabelsPage`, `RatingPage`, `PreferencePage`, `TextPage`; see `annotation.votes.forms`).
"""

from __future__ import annotations

from tashika.annotation.labelling.asking import (
    AnswerPage,
    ChoicePage,
    Drawer,
    FormPage,
    LabelPage,
    LabelsPage,
    Lemmatiser,
    PreferencePage,
    RatingPage,
    TextPage,
    VotePage,
    WordsPage,
    choice_pages,
    form_pages,
    words_pages,
)
from tashika.annotation.labelling.choosing import all_pages, pages_at_hand, pages_of, takes_rule
from tashika.annotation.labelling.page import (
    AGAINST,
    FOR,
    LEFT,
    LONGEST_TEXT,
    LONGEST_TITLE,
    NEITHER,
    RIGHT,
    SEVERAL,
    SIDES_SEED,
    Known,
    Page,
    Row,
    fitting_title,
    no_objection,
    nothing_known,
    training_title,
)

__all__ = [
    "AGAINST",
    "FOR",
    "LEFT",
    "LONGEST_TEXT",
    "LONGEST_TITLE",
    "NEITHER",
    "RIGHT",
    "SEVERAL",
    "SIDES_SEED",
    "AnswerPage",
    "ChoicePage",
    "Drawer",
    "FormPage",
    "Known",
    "LabelPage",
    "LabelsPage",
    "Lemmatiser",
    "Page",
    "PreferencePage",
    "RatingPage",
    "Row",
    "TextPage",
    "VotePage",
    "WordsPage",
    "all_pages",
    "choice_pages",
    "fitting_title",
    "form_pages",
    "no_objection",
    "nothing_known",
    "pages_at_hand",
    "pages_of",
    "takes_rule",
    "training_title",
    "words_pages",
]
