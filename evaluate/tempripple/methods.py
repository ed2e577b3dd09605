"""What only this suite can say in a methods paragraph."""

from __future__ import annotations

from typing import Final

from tashika.evaluate.suite import Methods

METHODS: Final = Methods(
    building=(
        "Facts were taken that changed in a stated window of time, with their whole history, and related "
        "facts up to three hops away; questions with four options ask for the new object, the old ones and "
        "the related facts."
    ),
    asking="Each question was asked without and with the new fact as a sentence before it.",
    metric=(
        "The main score is accuracy without the new fact, the share of the questions on which the right "
        "option was chosen; its interval is over changing facts."
    ),
    settings={"window": "the window", "history_from": "histories from", "hops": "hops up to"},
)
