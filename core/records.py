"""The records that the rooms exchange: their Arrow schemas, and the ids that connect them.

One id leads from a builder's row through the people's votes to the row of the release and the score of a model.
It is a digest of what the candidate *is* (suite, kind and key), so that it stays the same over runs and machines.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

import pyarrow as pa

from tashika.core.suites.columns import arrow_fields
from tashika.core.suites.discovery import suite_named

ID_LENGTH: Final = 32
"""Hex digits of an item id: 128 bits, no collision to be expected below 10^18 items."""

_SOURCE = pa.struct([pa.field("name", pa.string(), nullable=False), pa.field("revision", pa.string())])
_GENERATION = pa.struct(
    [
        pa.field("model", pa.string(), nullable=False),
        pa.field("prompt_hash", pa.string(), nullable=False),
        pa.field("sampling", pa.string(), nullable=False),  # the settings as JSON
    ]
)

ITEM_FIELDS: Final[tuple[pa.Field[Any], ...]] = (
    pa.field("item_id", pa.string(), nullable=False),
    pa.field("suite", pa.string(), nullable=False),
    pa.field("kind", pa.string(), nullable=False),
    pa.field("builder", pa.string(), nullable=False),
    pa.field("builder_version", pa.string(), nullable=False),
    pa.field("sources", pa.list_(_SOURCE), nullable=False),
    pa.field("parents", pa.list_(pa.string()), nullable=False),
    pa.field("generation", _GENERATION),
)
"""What every item has, whatever its kind; `generation` is null unless a language model wrote the text."""

_JUDGMENT: Final[tuple[pa.Field[Any], ...]] = (
    pa.field("item_id", pa.string(), nullable=False),
    pa.field("kind", pa.string(), nullable=False),
    pa.field("annotator", pa.string(), nullable=False),  # a pseudonym
    pa.field("label", pa.string()),
    pa.field("text", pa.string()),  # a correction, or a free answer
    pa.field("seconds", pa.float32()),
    pa.field("skipped", pa.bool_(), nullable=False),
    pa.field("prefilled", pa.bool_(), nullable=False),  # an untouched prediction
    pa.field("created_at", pa.timestamp("us", tz="UTC"), nullable=False),
    pa.field("problem", pa.string()),  # why it is not voted; null for a sound one
    pa.field("simulated", pa.bool_(), nullable=False),
    pa.field("server", pa.string(), nullable=False),
    pa.field("project_id", pa.int64(), nullable=False),
    pa.field("task_id", pa.int64(), nullable=False),
    pa.field("annotation_id", pa.int64(), nullable=False),
    pa.field("note", pa.string()),  # what the person remarked; shards of earlier versions lack it
)
JUDGMENT: Final = pa.schema(_JUDGMENT)
"""What one person said of one item. Append-only: the latest of one annotator counts, the rest stay."""

_VERDICT: Final[tuple[pa.Field[Any], ...]] = (
    pa.field("item_id", pa.string(), nullable=False),
    pa.field("kind", pa.string(), nullable=False),
    pa.field("decision", pa.string(), nullable=False),  # one of DECISIONS
    pa.field("text", pa.string()),  # the corrected text that the voters agree on
    pa.field("votes_for", pa.int32(), nullable=False),
    pa.field("votes_against", pa.int32(), nullable=False),
    pa.field("votes_cast", pa.int32(), nullable=False),
    pa.field("rule", pa.string(), nullable=False),
    pa.field("tie", pa.bool_(), nullable=False),
    pa.field("adjudicator", pa.string()),
    # Of the decision, or of the likeliest answer where there is none; null where the rule gives no probability.
    pa.field("posterior", pa.float64()),  # verdicts of earlier versions lack it
)
VERDICT: Final = pa.schema(_VERDICT)
"""The decision on an item."""

DECISIONS: Final = ("accepted", "rejected", "undecided")

_ANSWER: Final[tuple[pa.Field[Any], ...]] = (
    pa.field("item_id", pa.string(), nullable=False),
    pa.field("kind", pa.string(), nullable=False),
    pa.field("votes", pa.list_(pa.int32()), nullable=False),  # by label, point or column, as the page has them
    pa.field("label", pa.string()),  # the decided one; of a preference the column
    pa.field("labels", pa.list_(pa.string()), nullable=False),  # the decided ones, where there may be several
    pa.field("median", pa.float32()),  # of a rating; points count from 1
    pa.field("mean", pa.float32()),
    pa.field("spread", pa.float32()),  # standard deviation of the votes
    pa.field("texts", pa.list_(pa.string()), nullable=False),  # what people wrote, where they were asked to
)
ANSWER: Final = pa.schema(_ANSWER)
"""What people say an item is, beside its verdict: `annotation/answers.parquet`."""

_RESPONSE: Final[tuple[pa.Field[Any], ...]] = (
    pa.field("item_id", pa.string(), nullable=False),  # the probe's
    pa.field("target", pa.string(), nullable=False),
    pa.field("relation", pa.string(), nullable=False),
    pa.field("prompt", pa.string(), nullable=False),
    pa.field("annotator", pa.string(), nullable=False),  # a pseudonym
    pa.field("place", pa.int32(), nullable=False),  # of the answer among those of this person, from 1
    pa.field("raw", pa.string(), nullable=False),  # as it was typed
    pa.field("answer", pa.string(), nullable=False),  # as core.responses reads it
    pa.field("simulated", pa.bool_(), nullable=False),
    pa.field("turn", pa.int32()),  # of the person among those who answered the probe, from 1; null in older files
)
RESPONSE: Final = pa.schema(_RESPONSE)
"""One word that a person gave to a probe: `annotation/responses.parquet`."""


_STATEMENT: Final[tuple[pa.Field[Any], ...]] = (
    pa.field("item_id", pa.string(), nullable=False),
    pa.field("kind", pa.string(), nullable=False),
    pa.field("annotator", pa.string(), nullable=False),  # the pseudonym of the judgments
    pa.field("released_as", pa.string(), nullable=False),  # the pseudonym of a release
    pa.field("choice", pa.string()),  # several labels a line each; null for a skip, and where people write
    pa.field("counts_as", pa.string()),  # "for", "against" or "neither", where an item is voted for or against
    pa.field("seconds", pa.float32()),
    pa.field("skipped", pa.bool_(), nullable=False),
    pa.field("counted", pa.bool_(), nullable=False),  # whether it is among the votes
    pa.field("simulated", pa.bool_(), nullable=False),
)
STATEMENT: Final = pa.schema(_STATEMENT)
"""What one person said last of one item that votes decide, or that they skipped it: `annotation/statements.parquet`."""


def item_schema(suite: str, kind: str) -> pa.Schema:
    """The schema of the item table of one kind.

    Raises:
        KeyError: The suite has no such kind.
    """
    return pa.schema([*ITEM_FIELDS, *arrow_fields(suite_named(suite).kind(kind).columns)])


def item_id(suite: str, kind: str, *key: str) -> str:
    """The id of the item that suite, kind and key describe: 32 hex digits, the same on every machine.

    Args:
        suite: The suite's name.
        kind: The kind of item in the suite.
        *key: What makes the item this one and no other, such as subject, relation and object.
    """
    text = json.dumps([suite, kind, *key], ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:ID_LENGTH]


def prompt_halves(ids: Any) -> Any:
    """The first half of each id: a prompt's id is the half of its template's id, and that of its subject alias's.

    A prompt is a product, and there are millions of them. Composed in this way its id leads to both parents
    without a table, and a column of prompt ids compresses to little more than the two columns of halves.

    Args:
        ids: (n,) strings, the ids of templates, or of subjects' aliases.

    Returns:
        (n,) strings of half the length.
    """
    from pyarrow import compute

    cut: Any = compute.utf8_slice_codeunits  # its stub does not know that `stop` may be given by place
    return cut(ids, 0, ID_LENGTH // 2)


def item_row(  # noqa: PLR0913 - one argument a column
    suite: str,
    kind: str,
    key: Iterable[str],
    payload: Mapping[str, Any],
    *,
    builder: str,
    version: str,
    sources: Iterable[tuple[str, str | None]] = (),
    parents: Iterable[str] = (),
    generation: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """One row of an item table, complete with its id.

    Args:
        suite: The suite's name.
        kind: The kind of item in the suite.
        key: What identifies the item, see `item_id`.
        payload: The kind's own columns.
        builder: The name of the builder that made it.
        version: The builder's version.
        sources: Pairs of a source's name and its revision.
        parents: Ids of the items that this one was made from.
        generation: `model`, `prompt_hash` and `sampling` of a generated text.
    """
    return {
        "item_id": item_id(suite, kind, *key),
        "suite": suite,
        "kind": kind,
        "builder": builder,
        "builder_version": version,
        "sources": [{"name": name, "revision": revision} for name, revision in sources],
        "parents": list(parents),
        "generation": dict(generation) if generation else None,
        **payload,
    }
