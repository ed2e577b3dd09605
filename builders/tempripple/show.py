"""Figure 2 of TempRIPPLE: for one subject, its facts new and old, and a chain of questions that hangs on each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from tashika.core.errors import InputError

Row = Mapping[str, Any]


def blocks(subject: str, fact: pa.Table, history: pa.Table, question: pa.Table) -> Iterator[str]:
    """Yields the lines of the example blocks of a subject.

    Each tenure has its statement with its time, its own question, and one chain of related questions: the longest
    there is. Each holds the one before, unless that had too few options to be asked.

    Args:
        subject: An item id.
        fact: The fact items.
        history: The history items.
        question: The question items.

    Raises:
        InputError: Nothing of this subject was accepted.
    """
    facts = [row for row in _rows(fact) if row["subject"] == subject]
    if not facts:
        known = sorted({str(value) for value in fact["subject"].to_pylist()})
        some = ", ".join(known[:8])
        raise InputError(f"no history of {subject} was accepted", hint=f"Subjects are, among others: {some}.")
    questions = [row for row in _rows(question) if row["subject"] == subject]
    tenures = [row for row in _rows(history) if row["subject"] == subject]
    for row in facts:
        for tenure in tenures:
            if tenure["parents"][0] == row["item_id"]:
                yield from _tenure_block(row, tenure, [one for one in questions if tenure["item_id"] in one["parents"]])
                yield ""


def _tenure_block(fact: Row, tenure: Row, questions: Sequence[Row]) -> Iterator[str]:
    label = fact["relation_label"]
    when = f"{tenure['start']}, {tenure['end'] or 'open'}"
    yield f"{tenure['age']} fact: ({when}, {fact['subject_label']}, {label}, {tenure['object_label']})"
    for row in sorted(questions, key=lambda row: (row["hop"], row["item_id"])):
        if row["hop"] == 0:
            yield f"  hop 0  {row['text']} -> {_answers(row)}"
    for row in _longest_chain(questions):
        yield f"  hop {row['hop']}  {row['text']} -> {_answers(row)}"


def _longest_chain(questions: Sequence[Row]) -> list[Row]:
    """The path that has a question at most of its hops, the first by id of several; from its first hop to its last."""
    related = {row["parents"][-1]: row for row in questions if row["hop"]}
    chains = [[related[parent] for parent in row["parents"][2:] if parent in related] for row in related.values()]
    return min(chains, key=lambda chain: (-len(chain), -chain[-1]["hop"], chain[-1]["item_id"]), default=[])


def _answers(row: Row) -> str:
    return "; ".join(row["answers"])


def _rows(table: pa.Table) -> list[Row]:
    return list(table.to_pylist())
