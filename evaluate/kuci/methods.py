"""What only this suite can say in a methods paragraph."""

from __future__ import annotations

from typing import Final

from tashika.evaluate.suite import Methods

METHODS: Final = Methods(
    building=(
        "Clauses of sentences that hold basic events (frequent pairs of a predicate and its argument) and "
        "that a word marks as cause or condition were taken as pairs; each accepted pair gave a multiple-"
        "choice question whose wrong options are the second events of other pairs."
    ),
    asking="Models were shown the first event of a pair and chose the one of four options that usually follows.",
    metric=(
        "The main score is accuracy, the share of the questions of the test part on which the right option was chosen."
    ),
)
