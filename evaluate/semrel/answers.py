"""`answers.parquet`: what a system, a model or the people, answered to each probe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
_LISTS: Final = [pa.field(name, pa.list_(pa.string())) for name in ("shared", "words", "tokens")]
BY_VOCABULARY: Final[pa.Field[Any]] = pa.field("by_vocabulary", pa.struct(_LISTS))
"""A model's ranked words by the vocabulary that they are sought in, one of them being `words`; null for people, where
there is a problem, and in files of earlier versions."""

ANSWERS: Final[pa.Schema] = pa.schema([*_FIELDS, BY_VOCABULARY])
"""One row for each probe. It grew by its last column: see `core.files.read_grown_table`."""

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


def answer_row(
    probe: AskedProbe,
    k: int,
    words: Sequence[str] | None,
    problem: str | None,
    by_vocabulary: Mapping[str, Sequence[str]] | None = None,
) -> dict[str, Any]:
    """A row of `ANSWERS`; one of `words` and `problem` is None."""
    asked = {name: getattr(probe, name) for name in ("item_id", "target", "relation", "prompt")}
    return {**asked, "k": k, "words": words, "problem": problem, BY_VOCABULARY.name: by_vocabulary}
