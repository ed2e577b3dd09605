"""The labelling page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tashika.annotation.labelling import AGAINST, FOR, Row, VotePage
from tashika.annotation.markup import large


def riddle_data(row: Row, _parents: Sequence[Row]) -> dict[str, Any]:
    """What a task shows."""
    return {"riddle_html": large(row["text"]), "answer_html": large(row["options"][row["answer"]])}


PAGES = (
    VotePage(
        suite="riddles",
        kind="riddle",
        package="riddles",
        title="Riddles",
        summary="Is the riddle sound and its answer right?",
        choices={"sound": FOR, "unsound": AGAINST},
        task_data=riddle_data,
        plausible=lambda row, _parents: row["text"].endswith("?"),
    ),
)
