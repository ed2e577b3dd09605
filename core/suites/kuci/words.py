"""The words of KUCI: relations between events, the parts of a data set, and how an answer is put to a model.

Source: Omura, Kawahara and Kurohashi (2020; see core/suites/kuci/README.md), sections 3 and 4.
"""

from __future__ import annotations

from typing import Final, Literal, get_args

Relation = Literal["cause", "condition"]
RELATIONS: Final[tuple[Relation, ...]] = get_args(Relation)
JAPANESE: Final[dict[Relation, str]] = {"cause": "原因・理由", "condition": "条件"}
"""As KNP names them."""

Split = Literal["train", "validation", "test"]
SPLITS: Final[tuple[Split, ...]] = get_args(Split)

Conditions = Literal["both", "without_similarity", "without_length"]
CONDITIONS: Final[tuple[Conditions, ...]] = get_args(Conditions)
"""Which conditions the wrong options of a question meet: both as published, or one less, for the ablations."""

OPTIONS: Final = 4
"""Of a question: the consequent, and three of other pairs."""
