"""What only this suite can say in a methods paragraph."""

from __future__ import annotations

from typing import Final

from tashika.evaluate.suite import Methods

METHODS: Final = Methods(
    building=(
        "Facts are triples of a subject, a relation and an object; names of subjects, and templates that "
        "express each relation, some of them paraphrased by a language model, were collected as candidates, "
        "and every accepted template was filled with every name of a subject."
    ),
    asking=(
        "Models filled the blank of each prompt, the object being one token of their vocabulary unless "
        "another way is named."
    ),
    metric=(
        "The main score is Acc@1, the share of the prompts whose likeliest object is right; its interval is "
        "over relations."
    ),
)
