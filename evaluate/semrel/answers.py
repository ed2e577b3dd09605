"""`answers.parquet`: what a system, a model or the people, answered to each probe."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import pyarrow as pa

NOBODY: Final = "nobody answered"
"""The problem of a probe that no person answered."""

SPLIT_TARGET: Final = "the target is several tokens"
"""The problem of a probe whose target is not one token of the model."""

_FIELDS: list[pa.Field[Any]] = [
    pa.field("item_id", pa.string(), nullable=False),
    pa.field("target", pa.string(), nullable=False),
    pa.field("relation", pa.string(), nullable=False),
    pa.field("prompt", pa.string(), nullable=False),
    pa.field("k", pa.int32(), nullable=False),  # words that are read, at most
    pa.field("words", pa.list_(pa.string())),  # ranked; null where there is a problem
    pa.field("problem", pa.string()),  # why there is no answer; null where there is one
]
ANSWERS: Final[pa.Schema] = pa.schema(_FIELDS)
"""One row for each probe."""

_VOTES: Final[pa.Field[Any]] = pa.field("votes", pa.list_(pa.int32()))
PEOPLE_ANSWERS: Final[pa.Schema] = pa.schema([*_FIELDS, _VOTES])
"""The people's, with how many of them gave each word; null in files of older versions, whose ties are alphabetical."""


class AskedProbe(NamedTuple):
    """A probe; see `core.suites.semrel` for what its columns hold."""

    item_id: str
    target: str
    relation: str
    prompt: str
    text: str


def answer_row(probe: AskedProbe, k: int, words: Sequence[str] | None, problem: str | None) -> dict[str, Any]:
    """A row of `ANSWERS`; one of `words` and `problem` is None."""
    asked = {name: getattr(probe, name) for name in ("item_id", "target", "relation", "prompt")}
    return {**asked, "k": k, "words": words, "problem": problem}
