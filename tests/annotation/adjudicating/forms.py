"""A page of each form, without a suite."""

from __future__ import annotations

from typing import Any, Final

from tashika.annotation.labelling import (
    AGAINST,
    FOR,
    NEITHER,
    LabelPage,
    LabelsPage,
    Page,
    PreferencePage,
    RatingPage,
    TextPage,
    VotePage,
)

SHARED: Final[dict[str, Any]] = {
    "suite": "s", "kind": "k", "title": "t", "summary": "", "markup": "<View/>",
    "task_data": lambda row, _parents: dict(row),
}  # fmt: skip
CHOICES: Final = {"yes": FOR, "no": AGAINST, "odd": NEITHER}
FORMS: Final[dict[str, Page]] = {
    "one": LabelPage(**SHARED, choices={}, labels=("a", "b"), words={"a": "the first"}),
    "several": LabelsPage(**SHARED, choices={}, labels=("a", "b", "c")),
    "rating": RatingPage(**SHARED, choices={}, labels=("bad", "fair", "good")),
    "preference": PreferencePage(**SHARED, choices={}, labels=("mine", "yours", "same"), between=("mine", "yours")),
    "vote": VotePage(**SHARED, choices=CHOICES, plausible=lambda _row, _parents: True),
    "correctable": VotePage(**SHARED, choices=CHOICES, plausible=lambda _row, _parents: True, text_control="fix"),
    "text": TextPage(**SHARED, text_control="answer"),
}
