"""What MyriadLAMA asks of causal models: the prompts of the lite set that end with their blank; see `exports.tasks`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tashika.core.cloze import OBJECT_SLOT
from tashika.core.files import read_table
from tashika.exports.arrow import compute as pc
from tashika.exports.tasks.task import Task

LAST: Final = "blank_last"
"""The column that says whether nothing that is to be known follows the blank."""

_TASK: Final = Task(
    id="myriadlama",
    meaning="the object of a fact, for a blank at the end of a prompt",
    config="lite",
    split="test",
    kind="cloze",
    input="prompt",
    prompt="{{ prompt }}",
    target="answers",
    blank=OBJECT_SLOT,
    where=((LAST, "==", True),),
    metadata=("relation", "pair", "template_id", "weight"),
)


def tasks(folder: Path) -> tuple[Task, ...]:
    """The task over the lite set; none where no prompt of it ends with its blank, as in Japanese."""
    file = folder / "lite" / "lite.parquet"
    if not file.is_file() or not pc.any(read_table(file).column(LAST)).as_py():
        return ()
    return (_TASK,)
