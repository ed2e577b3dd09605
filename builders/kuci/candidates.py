"""The pairs of clauses that a text's relations connect: one row a relation, with all that later steps ask of it.

Nothing is left out here, so that another choice of filters needs no second analysis of the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from tashika.builders.kuci.analysis.records import Clause, Failure, Sentence
from tashika.core.files import replacing

_ARGUMENT: Final = pa.struct(
    [
        pa.field("case", pa.string(), nullable=False),
        pa.field("lemma", pa.string(), nullable=False),
        pa.field("explicit", pa.bool_(), nullable=False),
    ]
)
EVENT: Final = pa.struct(
    [
        pa.field("text", pa.string(), nullable=False),  # as it stands, without the signs at its ends
        pa.field("words", pa.list_(pa.string()), nullable=False),  # surfaces of its morphemes, no signs
        pa.field("predicate", pa.string(), nullable=False),  # the analyser's key
        pa.field("predicate_kind", pa.string(), nullable=False),  # 動, 形 or 判
        pa.field("voice", pa.string(), nullable=False),
        pa.field("negated", pa.bool_(), nullable=False),
        pa.field("past", pa.bool_(), nullable=False),
        pa.field("modality", pa.string(), nullable=False),  # empty for none
        pa.field("arguments", pa.list_(_ARGUMENT), nullable=False),  # as they stand, the one next to the predicate last
        pa.field("unknown", pa.bool_(), nullable=False),  # a word that the analyser's dictionary lacks
        pa.field("demonstrative", pa.bool_(), nullable=False),
    ]
)
"""One side of a pair: a clause."""

_CANDIDATE: Final[tuple[pa.Field[Any], ...]] = (
    pa.field("sid", pa.string(), nullable=False),
    pa.field("text", pa.string(), nullable=False),
    pa.field("relation", pa.string(), nullable=False),  # one of core.suites.kuci.words.RELATIONS
    pa.field("marker", pa.string(), nullable=False),  # empty for たら and と
    pa.field("certain", pa.bool_(), nullable=False),
    pa.field("clauses", pa.int32(), nullable=False),  # of the sentence
    pa.field("modifier", pa.int32(), nullable=False),  # the number of the antecedent's clause
    pa.field("head", pa.int32(), nullable=False),  # the number of the consequent's clause
    pa.field("antecedent", EVENT, nullable=False),
    pa.field("consequent", EVENT, nullable=False),
)
CANDIDATE: Final = pa.schema(_CANDIDATE)
"""One relation between two clauses of a sentence."""


def candidates_of(sentence: Sentence) -> list[dict[str, Any]]:
    """Every relation of a sentence as a row of `CANDIDATE`, in their order."""
    return [
        {
            "sid": sentence.sid,
            "text": sentence.text,
            "relation": relation.label,
            "marker": relation.marker,
            "certain": relation.certain,
            "clauses": len(sentence.clauses),
            "modifier": relation.modifier,
            "head": relation.head,
            "antecedent": _event(sentence, sentence.clauses[relation.modifier]),
            "consequent": _event(sentence, sentence.clauses[relation.head]),
        }
        for relation in sentence.relations
    ]


def _event(sentence: Sentence, clause: Clause) -> dict[str, Any]:
    inside = sentence.inside(clause)
    predicate = clause.predicate
    return {
        "text": sentence.clause_text(clause),
        "words": list(sentence.words(clause)),
        "predicate": predicate.lemma,
        "predicate_kind": predicate.kind,
        "voice": predicate.voice,
        "negated": predicate.negated,
        "past": predicate.past,
        "modality": predicate.modality,
        "arguments": [{"case": one.case, "lemma": one.lemma, "explicit": one.explicit} for one in clause.arguments],
        "unknown": any(one.unknown for one in inside),
        "demonstrative": any(one.demonstrative for one in inside),
    }


class Candidates:
    """A job for `analysis_shards.run_shards`: every relation of every sentence."""

    name = "candidates"
    schema = CANDIDATE
    relations_only = True

    def open(self) -> None:
        """Needs nothing."""

    def rows(self, results: Iterable[Sentence | Failure]) -> pa.Table:
        """The candidates of a shard, in the order of its sentences."""
        rows = [row for one in results if isinstance(one, Sentence) for row in candidates_of(one)]
        return pa.Table.from_pylist(rows, schema=CANDIDATE)


def read_candidates(path: Path) -> Iterator[dict[str, Any]]:
    """Streams the rows of a file of candidates."""
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches():
            yield from batch.to_pylist()


_COLUMNS: Final = (
    "sid",
    "relation",
    "marker",
    "certain",
    "antecedent",
    "consequent",
    "antecedent_predicate",
    "consequent_predicate",
    "text",
)
_NO_BREAKS: Final = str.maketrans("\t\r\n", "   ")


def write_candidates_table(path: Path, candidates: Iterable[Mapping[str, Any]]) -> int:
    """Writes candidates for people to read: tab-separated values with a head; returns the number of rows."""
    count = 0
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as table:
        table.write("\t".join(_COLUMNS) + "\n")
        for row in candidates:
            table.write("\t".join(value.translate(_NO_BREAKS) for value in _values(row)) + "\n")
            count += 1
    return count


def _values(row: Mapping[str, Any]) -> tuple[str, ...]:
    antecedent, consequent = row["antecedent"], row["consequent"]
    return (
        row["sid"],
        row["relation"],
        row["marker"],
        "yes" if row["certain"] else "no",
        antecedent["text"],
        consequent["text"],
        antecedent["predicate"],
        consequent["predicate"],
        row["text"],
    )
