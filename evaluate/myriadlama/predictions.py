"""A model's predictions as arrays: what the table holds, checked, with names replaced by dense numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tashika.core.errors import InputError
from tashika.evaluate.myriadlama.metrics import Asked, Coverage

Codes = npt.NDArray[np.int32]

PREDICTION: Final[pa.Schema] = pa.schema(
    [
        pa.field("item_id", pa.string(), nullable=False),  # the prompt's, see core.records.prompt_halves
        pa.field("relation", pa.dictionary(pa.int16(), pa.string()), nullable=False),
        pa.field("pair", pa.int32(), nullable=False),  # number of the subject-relation pair in the release
        pa.field("template_id", pa.dictionary(pa.int32(), pa.string()), nullable=False),
        pa.field("subject_alias_id", pa.dictionary(pa.int32(), pa.string()), nullable=False),
        pa.field("rank", pa.int32()),  # of the best correct object, 1 is the top; null when not scored
        pa.field("probability", pa.float32()),
        pa.field("top_token", pa.int32()),
        pa.field("top_word", pa.dictionary(pa.int32(), pa.string())),  # what the token says, without a space before it
        pa.field("top_probability", pa.float32()),
        pa.field("top_10_probability", pa.float32()),  # of the ten most probable tokens together
        pa.field("problem", pa.string()),  # why the prompt was not scored; null when it was
    ]
)
"""One row a prompt: `predictions.parquet`."""

VERSION: Final = 2
"""Of `PREDICTION`; with a new one, predictions are made again."""

COLUMNS: Final = (
    "relation",
    "pair",
    "template_id",
    "subject_alias_id",
    "rank",
    "top_word",
    "top_probability",
    "top_10_probability",
    "problem",
)
"""The columns of `PREDICTION` that the scores need: read only these to save memory."""


@dataclass(frozen=True)
class Predictions:
    """One model's answered prompts; n rows, P subject–relation pairs, T templates, A subject aliases, R relations.

    Numbers are dense and follow the sorted names, so that the order of rows changes nothing.

    Attributes:
        pair: (n,) the subject–relation pair, below P.
        template: (n,) the template, below T.
        alias: (n,) the subject's alias, below A.
        rank: (n,) rank of the best correct object, 1 is the top.
        answer: (n,) the number of the word that the most probable token says. Equation 5 compares tokens; two tokens
            that differ only in the space before the word are one answer.
        top_probability: (n,) its probability, the model's confidence.
        top_10_probability: (n,) of the ten most probable tokens together.
        relation_of_pair: (P,) the relation of each pair, below R.
        relation_of_template: (T,) the relation of each template, below R.
        relations: R names.
        templates: T item ids.
        aliases: A item ids.
        coverage: What was asked, what was answered, and why the rest was left out.
    """

    pair: Codes
    template: Codes
    alias: Codes
    rank: Codes
    answer: Codes
    top_probability: npt.NDArray[np.float32]
    top_10_probability: npt.NDArray[np.float32]
    relation_of_pair: Codes
    relation_of_template: Codes
    relations: tuple[str, ...]
    templates: tuple[str, ...]
    aliases: tuple[str, ...]
    coverage: Coverage

    @property
    def name_key(self) -> npt.NDArray[np.int64]:
        """(n,) a number for each pair with a name of its subject: the pair times A, plus the alias."""
        return self.pair.astype(np.int64) * len(self.aliases) + self.alias

    @classmethod
    def from_table(cls, table: pa.Table) -> Predictions:
        """Reads a table of `PREDICTION`; rows with a problem are left out and counted.

        Args:
            table: A table that has at least `COLUMNS`, its rows in any order.

        Raises:
            InputError: A column is missing, no row was scored, a scored row lacks a value or holds an impossible one,
                a pair or template stands under two relations, or a prompt stands twice.
        """
        missing = [name for name in COLUMNS if name not in table.column_names]
        if missing:
            raise InputError(f"the column {missing[0]!r} is missing; found {', '.join(table.column_names)}")
        scored = table.select(COLUMNS[:-1]).filter(pc.is_null(table["problem"]))
        _check_values(table, scored)
        relation, relations = _numbered(scored["relation"])
        pair, pairs = _numbered(scored["pair"])
        template, templates = _numbered(scored["template_id"])
        alias, aliases = _numbered(scored["subject_alias_id"])
        _check_repeats(pair, template, alias)
        return cls(
            pair=pair,
            template=template,
            alias=alias,
            rank=_array(scored["rank"]).astype(np.int32, copy=False),
            answer=_numbered(scored["top_word"])[0],
            top_probability=_array(scored["top_probability"]).astype(np.float32, copy=False),
            top_10_probability=_array(scored["top_10_probability"]).astype(np.float32, copy=False),
            relation_of_pair=_only_relation(pair, relation, pairs, "pair"),
            relation_of_template=_only_relation(template, relation, templates, "template"),
            relations=tuple(relations),
            templates=tuple(templates),
            aliases=tuple(aliases),
            coverage=_coverage(table, len(pairs), len(templates), len(relations)),
        )


def dense(keys: npt.NDArray[np.int64]) -> tuple[Codes, npt.NDArray[np.int64]]:
    """Numbers equal keys alike: the number of each (in order of appearance), and the key of each number."""
    encoded = pa.array(keys).dictionary_encode()
    return _array(encoded.indices), _array(encoded.dictionary)


def _array(column: Any) -> npt.NDArray[Any]:
    array: npt.NDArray[Any] = (
        column.to_numpy(zero_copy_only=False) if isinstance(column, pa.Array) else (column.to_numpy())
    )
    return array


def _numbered(column: Any) -> tuple[Codes, list[Any]]:
    """Replaces names by the numbers of the sorted names that occur."""
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    merged: Any = column.combine_chunks()
    codes, names = _array(merged.indices), merged.dictionary.to_pylist()
    occurs = np.bincount(codes, minlength=len(names)) > 0
    order = sorted(np.flatnonzero(occurs).tolist(), key=names.__getitem__)
    number = np.zeros(len(names), np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    return number[codes], [names[place] for place in order]


def _check_values(table: pa.Table, scored: pa.Table) -> None:
    if scored.num_rows == 0:
        reasons = ", ".join(_reasons(table)) or "the table is empty"
        raise InputError(
            f"the model answered none of {table.num_rows:,} prompts: {reasons}",
            hint="Choose another model, or a release whose templates and objects this model can answer.",
        )
    for name in scored.column_names:
        if scored[name].null_count:
            raise InputError(f"{scored[name].null_count:,} rows without a problem have no {name}")
    lowest = pc.min(scored["rank"]).as_py()
    if lowest < 1:
        raise InputError(f"found the rank {lowest}; ranks start at 1")
    for name in ("top_probability", "top_10_probability"):
        confidence = _array(scored[name])
        if not bool(np.all((confidence >= 0) & (confidence <= 1 + 1e-4))):  # a sum of float32 may end above 1
            raise InputError(f"{name} holds values outside 0 to 1, or NaN")


def _check_repeats(pair: Codes, template: Codes, alias: Codes) -> None:
    """A prompt that stands twice would count twice."""
    subject, _ = dense(pair.astype(np.int64) * (int(alias.max()) + 1) + alias)
    keys = subject.astype(np.int64) * (int(template.max()) + 1) + template
    keys.sort()
    repeats = int(np.count_nonzero(keys[1:] == keys[:-1]))
    if repeats:
        raise InputError(f"{repeats:,} prompts stand more than once", hint="Delete the file and evaluate again.")


def _only_relation(codes: Codes, relation: Codes, names: list[Any], what: str) -> Codes:
    of = np.zeros(len(names), np.int32)
    of[codes] = relation
    wrong = np.flatnonzero(of[codes] != relation)
    if wrong.size:
        raise InputError(f"the {what} {names[codes[wrong[0]]]} stands under two relations")
    return of


def _reasons(table: pa.Table) -> dict[str, int]:
    """Why prompts were left out, the most frequent reason first."""
    counts = _counts(table["problem"].drop_null())
    return dict(sorted(counts.items(), key=lambda reason: (-reason[1], reason[0])))


def _counts(column: Any) -> dict[str, int]:
    counted: Any = pc.value_counts(column)
    return {row["values"]: row["counts"] for row in counted.to_pylist()}


def _coverage(table: pa.Table, pairs: int, templates: int, relations: int) -> Coverage:
    """Asked and answered: prompts, pairs, templates and relations, with the reasons for what was left out."""
    reasons = _reasons(table)
    left_out = sum(reasons.values())
    asked = {name: len(pc.unique(table[name])) for name in ("pair", "template_id", "relation")}
    return Coverage(
        prompts=Asked(asked=table.num_rows, scored=table.num_rows - left_out),
        pairs=Asked(asked=asked["pair"], scored=pairs),
        templates=Asked(asked=asked["template_id"], scored=templates),
        relations=Asked(asked=asked["relation"], scored=relations),
        left_out=reasons,
        asked_by_relation=_counts(table["relation"]),
    )
