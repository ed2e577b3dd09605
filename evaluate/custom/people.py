"""A model among the people who were asked the same: against their majority, and against all of them but one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tashika.core.custom.release_form import EvaluateForm
from tashika.evaluate.custom.estimates import ratio, share
from tashika.evaluate.custom.metrics_model import AgainstPeople

if TYPE_CHECKING:
    from tashika.evaluate.custom.metrics import Row


def against_people(rows: Sequence[Row], form: EvaluateForm) -> AgainstPeople | None:
    """Compares a model with people; None where the release does not say how people voted on labels.

    A person is compared with what most of the others on the item say, so the model is compared with the same: else it
    would be measured by a majority that holds one voice more. Intervals are by a bootstrap over items.
    """
    voted = [row for row in rows if _fits(row) and row.found["correct"] is not None]
    if not voted:
        return None
    counts = np.asarray([_counted(row) for row in voted], dtype=np.float64)
    decided = counts[:, 2] > 0
    return AgainstPeople(
        majority=share([bool(row.found["correct"]) for row in voted]),
        one=ratio(counts[decided, 0], counts[decided, 2], form),
        model=ratio(counts[decided, 1], counts[decided, 2], form),
        undecided=int(counts[:, 3].sum()),
    )


def _fits(row: Row) -> bool:
    return bool(row.item.target.names) and sum(row.item.votes) > 1


def _counted(row: Row) -> tuple[int, int, int, int]:
    """Of the people on an item: who agree with the others, with whose others the model agrees, decided, undecided."""
    votes, place = row.item.votes, row.found["place"]
    agreeing = model = decided = undecided = 0
    for label, count in enumerate(votes):
        rest = [other - (at == label) for at, other in enumerate(votes)]
        most = max(rest)
        if not count:
            continue
        if rest.count(most) > 1:
            undecided += count
            continue
        decided += count
        agreeing += count * (rest.index(most) == label)
        model += count * (rest.index(most) == place)
    return agreeing, model, decided, undecided
