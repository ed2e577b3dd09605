"""What people said of the questions, one column each: which options fit, and whether most of them answered right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import pyarrow as pa

from tashika.core.suites.kuci.words import NONE, Answered, Several
from tashika.core.workspace import Workspace
from tashika.exports.arrow import values

_ANSWERED: Final[Mapping[str, Answered]] = {"accepted": "right", "rejected": "wrong", "undecided": "undecided"}


class Fitting(NamedTuple):
    """What people find of a question.

    Attributes:
        more_than_one: Whether several options fit.
        places: Of the options that fit, from 0; none where nothing was decided.
    """

    more_than_one: Several = "not judged"
    places: tuple[int, ...] = ()


def fitting(decision: str, text: str | None) -> Fitting:
    """What the verdict on an item of the kind "fit" says: each option that more than half of the people ticked fits.

    Args:
        decision: Of the verdict; "accepted" where every option is decided, and something is.
        text: Its labels, a line each: places from 1, or `NONE`. Both together contradict each other, and decide
            nothing.
    """
    labels = (text or "").split("\n") if decision == "accepted" else []
    places = tuple(sorted(int(label) - 1 for label in labels if label != NONE))
    if not labels or (places and NONE in labels):
        return Fitting("undecided")
    return Fitting("yes" if len(places) > 1 else "no", places)


def with_judgments(workspace: Workspace, questions: pa.Table) -> pa.Table:
    """Questions with the columns `more_than_one`, `fitting` and `people`, see `exports.kuci.schema`."""
    fits, answered = _verdicts(workspace)
    ids = values(questions, "item_id")
    found = [fits.get(item_id, Fitting()) for item_id in ids]
    columns = {
        "more_than_one": pa.array([one.more_than_one for one in found], pa.string()),
        "fitting": pa.array([list(one.places) for one in found], pa.list_(pa.int32())),
        "people": pa.array([answered.get(item_id, "not asked") for item_id in ids], pa.string()),
    }
    for name, column in columns.items():
        questions = questions.append_column(name, column)
    return questions


def _verdicts(workspace: Workspace) -> tuple[dict[str, Fitting], dict[str, Answered]]:
    """By question: which options fit, and what most people answered."""
    if not workspace.verdict_file.exists():
        return {}, {}
    rows: list[dict[str, Any]] = workspace.read_verdicts().select(["item_id", "kind", "decision", "text"]).to_pylist()
    answered = {row["item_id"]: _ANSWERED[row["decision"]] for row in rows if row["kind"] == "question"}
    if not workspace.item_file("fit").exists():
        return {}, answered
    items = workspace.read_items("fit").select(["item_id", "question"]).to_pylist()
    question = {item["item_id"]: item["question"] for item in items}
    judged = [row for row in rows if row["kind"] == "fit" and row["item_id"] in question]
    return {question[row["item_id"]]: fitting(row["decision"], row["text"]) for row in judged}, answered
