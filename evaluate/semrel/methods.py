"""What only this suite can say in a methods paragraph."""

from __future__ import annotations

from typing import Final

from tashika.evaluate.suite import Methods

METHODS: Final = Methods(
    building=(
        "Target words were put into prompts that ask for one of six semantic relations; the words that have a "
        "relation to a target were collected as its relata."
    ),
    asking="Models and people completed each probe with a ranked list of words.",
    metric=(
        "The main score is alpha of the relation that was asked for, averaged over the relations: how well relata of "
        "that relation are found among the words given; its interval is over targets."
    ),
)
