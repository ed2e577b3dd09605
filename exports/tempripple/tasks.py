"""What TempRIPPLE asks of models, without the new fact and with it; see `exports.tasks`."""

from __future__ import annotations

from typing import Final

from tashika.core.suites.tempripple.words import BETWEEN, CONTEXT_LINE, CUE, INSTRUCTION, QUESTION_LINE
from tashika.exports.tasks.task import Choices, Letters, Task

_QUESTION: Final = QUESTION_LINE.replace("{question}", "{{ text }}")
_CONTEXT: Final = CONTEXT_LINE.replace("{context}", "{{ context }}") + BETWEEN


def _task(name: str, meaning: str, before: str) -> Task:
    return Task(
        id=name,
        meaning=meaning,
        config="questions",
        split="test",
        kind="multiple_choice",
        input="text",
        prompt=f"{before}{_QUESTION}\n{CUE}",
        target="answer",
        choices=Choices(column="options"),
        letters=Letters(before + _QUESTION, CUE, INSTRUCTION),
        metadata=("task", "hop", "place", "relation", "last_relation", "counterpart"),
    )


TASKS: Final = (
    _task("tempripple", "questions on facts that changed, and on what hangs on them", ""),
    _task("tempripple_context", "the same questions behind the new fact", _CONTEXT),
)
