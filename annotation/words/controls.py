"""Control questions: who reads carelessly.

A control counts as missed if nothing that was typed is a known answer, also if what was typed is no answer at all. A
skip is a person's right, and counted separately; but who skips more than half of the controls has missed the skipped
ones, or skipping all would be the way past them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from tashika.annotation.judging.columns import compute
from tashika.annotation.judging.validation import NOT_BY_THE_PERSON
from tashika.core.answers import read_answer, split_answers
from tashika.core.counts import counted

Lemma = Callable[[str], str]


@dataclass
class Checked:
    """How a person did on the control questions.

    Attributes:
        typed: To how many of them the person typed something, or sent an empty answer.
        wrong: In how many of these there is no known answer.
        skipped: How many the person skipped.
    """

    typed: int = 0
    wrong: int = 0
    skipped: int = 0

    @property
    def skips_count(self) -> bool:
        """Whether the skipped ones are missed: they are more than half."""
        return self.skipped > self.typed

    @property
    def answered(self) -> int:
        """How many count."""
        return self.typed + (self.skipped if self.skips_count else 0)

    @property
    def missed(self) -> int:
        """How many of those were missed."""
        return self.wrong + (self.skipped if self.skips_count else 0)

    @property
    def share(self) -> float:
        """The share that was missed, 0 to 1; 0 for a person who answered none."""
        return self.missed / self.answered if self.answered else 0.0

    def describe(self) -> str:
        """What was missed, in a few words, with the skips."""
        skips = f", {self.skipped} of them skipped" if self.skips_count else f" ({self.skipped} more skipped)"
        return f"{self.missed} of {counted(self.answered, 'control question')}{skips if self.skipped else ''}"


def check_controls(known: Mapping[str, Collection[str]], judgments: pa.Table, lemma: Lemma) -> dict[str, Checked]:
    """How each person did who met a control question.

    Args:
        known: The known answers, by control.
        judgments: Rows of `records.JUDGMENT`; judgments of other items are left out. Of a person's judgments on a
            control the last sound one counts, or the last of those with a problem if there is none.
        lemma: See `core.answers.read_answer`.
    """
    right = {item_id: {read_answer(answer, lemma) for answer in answers} for item_id, answers in known.items()}

    def is_wrong(row: Mapping[str, Any]) -> bool:
        words = [] if row["problem"] else split_answers(row["text"] or "")
        return not right[row["item_id"]] & {read_answer(word, lemma) for word in words}

    return check_people(right, judgments, is_wrong)


def check_people(
    known: Collection[str], judgments: pa.Table, is_wrong: Callable[[Mapping[str, Any]], bool]
) -> dict[str, Checked]:
    """How each person did who met an item whose answer is known.

    Args:
        known: The ids of these items.
        judgments: See `check_controls`.
        is_wrong: Whether a judgment that is no skip misses the answer.
    """
    rows = judgments.filter(compute.is_in(judgments["item_id"], value_set=pa.array(list(known), pa.string())))
    last: dict[tuple[str, str], dict[str, Any]] = {}
    for row in sorted(rows.to_pylist(), key=lambda row: (not row["problem"], row["created_at"], row["annotation_id"])):
        if row["problem"] not in NOT_BY_THE_PERSON:
            last[row["annotator"], row["item_id"]] = row
    people: dict[str, Checked] = {}
    for (name, _), row in last.items():
        checked = people.setdefault(name, Checked())
        if row["skipped"]:
            checked.skipped += 1
        else:
            checked.typed += 1
            checked.wrong += is_wrong(row)
    return people
