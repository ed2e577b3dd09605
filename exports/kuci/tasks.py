"""What KUCI asks of models that were not trained on it; see `exports.tasks`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tashika.core.suites.kuci.words import CUE, INSTRUCTION, JOINT
from tashika.exports.tasks.task import Choices, Letters, Task

_BEFORE: Final = "{{ context }}" + JOINT

_MEANINGS: Final[Mapping[str, str]] = {
    "questions": "which event follows the context best",
    "questions_without_similarity": "the same with wrong options that need not be similar to the right one",
    "questions_without_length": "the same with wrong options of any length",
}


def _task(config: str, meaning: str) -> Task:
    return Task(
        id=config.replace("questions", "kuci"),
        meaning=meaning,
        config=config,
        split="test",
        kind="multiple_choice",
        input="context",
        prompt=_BEFORE,
        target="answer",
        joint="",
        choices=Choices(column="options"),
        letters=Letters(_BEFORE, CUE, INSTRUCTION),
        fewshot_split="train",
        metadata=("relation", "pair"),
    )


TASKS: Final = tuple(_task(config, meaning) for config, meaning in _MEANINGS.items())
"""The published set, and the sets for the ablations."""
