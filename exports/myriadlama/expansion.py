"""Prompts as a product: every name of a subject, set into every template of its relation.

Nothing here holds the product. `Expansion` keeps the factors (templates, aliases, subject-relation pairs) and makes
any stretch of the product's rows from them with array operations, so memory grows with the factors alone. The
counts of the product are sums over the factors (Zhao, Yoshinaga and Oba, Table 1 and section A.1.1.1).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tashika.core.cloze import SUBJECT_SLOT
from tashika.core.records import prompt_halves
from tashika.exports.arrow import Array, array, ascending, column
from tashika.exports.arrow import compute as pc

ROWS_A_GROUP = 100_000
"""Prompts in a row group of the release, and in memory at a time."""

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Span:
    """Rows of a sorted table that share a key: `start[i]` and `count[i]` belong to the i-th key asked for."""

    start: Ints
    count: Ints


def spans(sorted_keys: Array, wanted: Array) -> Span:
    """Where the rows of each wanted key lie in a column that is sorted by key.

    Args:
        sorted_keys: Keys, equal ones beside each other, shape (rows,).
        wanted: Keys to look up, shape (n,).

    Returns:
        Starts and counts, shape (n,) each; the count of a key that does not occur is 0.
    """
    runs = pc.run_end_encode(sorted_keys, run_end_type=pa.int64()) if len(sorted_keys) else None
    if runs is None:
        nothing = np.zeros(len(wanted), dtype=np.int64)
        return Span(nothing, nothing)
    ends = np.asarray(runs.run_ends, dtype=np.int64)
    starts = np.concatenate([[0], ends[:-1]])
    position = pc.index_in(wanted, value_set=runs.values)
    known = np.asarray(position.is_valid())
    place = np.asarray(position.fill_null(0), dtype=np.int64)
    return Span(np.where(known, starts[place], 0), np.where(known, (ends - starts)[place], 0))


@dataclass(frozen=True)
class Names:
    """Answers of each pair: codes into `words`, those of pair i at `start[i]` and `count[i]` of them."""

    words: Array
    codes: Ints
    start: Ints
    count: Ints


@dataclass(frozen=True)
class Expansion:
    """The product of pairs, subject aliases and templates, as rows numbered from 0 to `rows`.

    Rows are ordered by pair (relation, then subject), then by alias, then by template, both in the order of their
    tables.
    """

    relations: Array
    subjects: Array
    template_span: Span
    alias_span: Span
    template_ids: Array
    heads: Array
    tails: Array
    template_halves: Array
    alias_ids: Array
    alias_texts: Array
    alias_halves: Array
    answers: Names
    offsets: Ints

    @property
    def rows(self) -> int:
        """The number of prompts."""
        return int(self.offsets[-1])

    def batches(self, start: int, stop: int, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        """Yields the rows from `start` up to `stop`, `ROWS_A_GROUP` at a time, in the columns of `schema`."""
        for first in range(start, stop, ROWS_A_GROUP):
            columns = self.columns(np.arange(first, min(first + ROWS_A_GROUP, stop), dtype=np.int64))
            yield pa.RecordBatch.from_arrays([columns[name] for name in schema.names], schema=schema)

    def columns(self, number: Ints) -> dict[str, Array]:
        """The columns of some rows, by name; those that repeat are dictionaries.

        Args:
            number: (n,) the rows, rising.
        """
        pair = np.searchsorted(self.offsets, number, side="right") - 1
        within = number - self.offsets[pair]
        templates_here = self.template_span.count[pair]
        alias = self.alias_span.start[pair] + within // templates_here
        template = self.template_span.start[pair] + within % templates_here
        alias_rows, template_rows = array(alias), array(template)
        filled = pc.binary_join_element_wise(
            self.heads.take(template_rows), self.alias_texts.take(alias_rows), self.tails.take(template_rows), ""
        )
        ids = pc.binary_join_element_wise(
            self.template_halves.take(template_rows), self.alias_halves.take(alias_rows), ""
        )
        return {
            "item_id": ids,
            "relation": _dictionary(self.relations, pair),
            "pair": array(pair.astype(np.int32)),
            "subject": _dictionary(self.subjects, pair),
            "template_id": _dictionary(self.template_ids, template),
            "subject_alias_id": _dictionary(self.alias_ids, alias),
            "prompt": filled,
            "answers": self._answers(pair),
        }

    def _answers(self, pair: Ints) -> Any:
        """The list of answers of each row, its words coded by a dictionary of the words that occur."""
        lengths = self.answers.count[pair]
        ends = np.cumsum(lengths)
        shift = np.repeat(self.answers.start[pair] - (ends - lengths), lengths)
        codes = self.answers.codes[shift + np.arange(len(shift))]
        offsets = np.concatenate([[0], ends]).astype(np.int32)
        return pa.ListArray.from_arrays(array(offsets), _dictionary(self.answers.words, codes))


def _dictionary(words: Array, codes: Ints) -> Any:
    """`words.take(codes)` as a dictionary array that holds each word that occurs once, in the words' own order."""
    low, high = int(codes.min()), int(codes.max())
    present = np.zeros(high - low + 1, dtype=bool)
    present[codes - low] = True
    used = np.flatnonzero(present) + low
    place = np.cumsum(present, dtype=np.int32) - 1
    here = words.take(array(used)).dictionary_encode()  # a word may stand at two places
    index = np.asarray(here.indices)[place[codes - low]]
    return pa.DictionaryArray.from_arrays(array(index.astype(np.int32)), here.dictionary)


def expansion(templates: pa.Table, aliases: pa.Table, facts: pa.Table) -> Expansion:
    """Prepares the product.

    Args:
        templates: `item_id`, `relation` and `text`, sorted by relation; each text with the subject slot once.
        aliases: `item_id`, `entity` and `text`, sorted by entity.
        facts: `relation`, `subject` and `object`, sorted by these three.
    """
    pairs = facts.select(["relation", "subject"]).group_by(["relation", "subject"], use_threads=False).aggregate([])
    pairs = pairs.sort_by(ascending("relation", "subject"))
    relations, subjects = column(pairs, "relation"), column(pairs, "subject")
    template_span = spans(column(templates, "relation"), relations)
    alias_span = spans(column(aliases, "entity"), subjects)
    parts = pc.split_pattern(column(templates, "text"), SUBJECT_SLOT, max_splits=1)
    template_ids, alias_ids = column(templates, "item_id"), column(aliases, "item_id")
    return Expansion(
        relations=relations,
        subjects=subjects,
        template_span=template_span,
        alias_span=alias_span,
        template_ids=template_ids,
        heads=pc.list_element(parts, 0),
        tails=pc.list_element(parts, 1),
        template_halves=prompt_halves(template_ids),
        alias_ids=alias_ids,
        alias_texts=column(aliases, "text"),
        alias_halves=prompt_halves(alias_ids),
        answers=_answers(facts, aliases),
        offsets=np.concatenate([[0], np.cumsum(template_span.count * alias_span.count)]),
    )


def _answers(facts: pa.Table, aliases: pa.Table) -> Names:
    """All names of all objects of each pair, a name that two objects share once; facts are sorted by pair."""
    names = spans(column(aliases, "entity"), column(facts, "object"))
    ends = np.cumsum(names.count)
    rows = np.repeat(names.start - (ends - names.count), names.count) + np.arange(int(ends[-1]) if len(ends) else 0)
    words = column(aliases, "text").dictionary_encode()
    codes = np.asarray(words.indices, dtype=np.int64)[rows]
    pair = np.repeat(_pair_numbers(facts), names.count)
    key = pair * max(len(words.dictionary), 1) + codes
    first = np.sort(np.unique(key, return_index=True)[1])
    pair, codes = pair[first], codes[first]
    count = np.bincount(pair, minlength=int(pair[-1]) + 1 if len(pair) else 0).astype(np.int64)
    return Names(words.dictionary, codes, np.cumsum(count) - count, count)


def _pair_numbers(facts: pa.Table) -> Ints:
    """Shape (facts,): the number of each fact's pair, in the order of the facts."""
    relation = np.asarray(column(facts, "relation").dictionary_encode().indices)
    subject = np.asarray(column(facts, "subject").dictionary_encode().indices)
    changes = (np.diff(relation) != 0) | (np.diff(subject) != 0)
    return np.concatenate([[0], np.cumsum(changes)]).astype(np.int64)
