"""Counts of what facts, names and templates make together, computed without making it (paper, Table 1)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def product_counts(templates: pa.Table, aliases: pa.Table, facts: pa.Table) -> dict[str, int]:
    """Counts of Table 1, from the factors alone.

    A pair (s, r) has n_aliases(s) x n_templates(r) prompts; a fact (s, r, o) has n_aliases(o) times as many derived
    triples.

    Args:
        templates: Column `relation`.
        aliases: Column `entity`.
        facts: Columns `relation`, `subject` and `object`.

    Returns:
        `unique_triples`, `derived_triples`, `pairs`, `prompts`.
    """
    pairs = facts.select(["relation", "subject"]).group_by(["relation", "subject"]).aggregate([])

    def prompts(table: pa.Table) -> Ints:
        names = _frequencies(aliases.column("entity"), table.column("subject"))
        return names * _frequencies(templates.column("relation"), table.column("relation"))

    answers = _frequencies(aliases.column("entity"), facts.column("object"))
    return {
        "unique_triples": facts.num_rows,
        "derived_triples": int(np.sum(prompts(facts) * answers)),
        "pairs": pairs.num_rows,
        "prompts": int(np.sum(prompts(pairs))),
    }


def _frequencies(values: Any, wanted: Any) -> Ints:
    """How often each of the wanted keys stands among the values."""
    counted: Any = values.combine_chunks().value_counts()
    place = pc.index_in(wanted.combine_chunks(), value_set=counted.field("values"))
    return np.asarray(pc.fill_null(counted.field("counts").take(place), 0), dtype=np.int64)
