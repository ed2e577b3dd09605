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

NONE: Final = "none"
"""What people take where no option of a question fits."""

Several = Literal["yes", "no", "undecided", "not judged"]
SEVERAL: Final[tuple[Several, ...]] = get_args(Several)
"""Whether people find that more than one option of a question fits."""

Answered = Literal["right", "wrong", "undecided", "not asked"]
ANSWERED: Final[tuple[Answered, ...]] = get_args(Answered)
"""What most people chose who were asked a question."""

BASIC: Final = "basic"
ANY: Final = "any"
"""The samples of pairs by which the condition Basic is tried: of those that meet it, and of all reliable ones."""

# How a question is put to a model that was not trained on the questions.

JOINT: Final = "、"
"""Between the context and an option: お腹が空いたので、ご飯を食べる."""

CUE: Final = "答え:"
"""The last line of a prompt that lists the options by letter."""

INSTRUCTION: Final = (
    "文脈に続く文として最も適切なものを選択肢から一つ選び、その記号 (A, B, C, D のどれか) だけを答えてください。"
)
"""The system message for chat models."""
