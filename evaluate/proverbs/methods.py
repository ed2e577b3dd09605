"""What only this suite can say in a methods paragraph."""

from __future__ import annotations

from typing import Final

from tashika.evaluate.suite import Methods

METHODS: Final = Methods(
    building=(
        "Each proverb was paired with a variant that should mean the same (of the other gender, number, "
        "animal, object or wording), and both were put as questions."
    ),
    asking="Models gave five short answers to each question and scored each of their answers from 1 to 10.",
    metric=(
        "The main score is the share of pairs on whose two sides the scores are spread differently by a "
        "Siegel–Tukey test; lower is better, and its interval is over proverbs."
    ),
)
