"""What must hold of a lite set."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pyarrow as pa

from tashika.exports.arrow import compute as pc
from tashika.exports.checks import Check, Problem, ReleaseFiles, flagged

_OF_PROMPTS: Final = ("item_id", "relation", "pair", "subject", "template_id", "subject_alias_id", "prompt", "answers")


def lite_prompts_are_prompts(release: ReleaseFiles) -> Iterator[Problem]:
    """Every row of the lite set stands among the prompts, with the same columns, and none stands twice."""
    if not release.paths("lite"):
        return
    lite = _plain(release.table("lite").select(_OF_PROMPTS))
    [file] = release.paths("lite")
    known: dict[str, Any] = {}
    for _, batch in release.stream("prompts", list(_OF_PROMPTS)):
        ids = _plain(pa.table(batch.columns, names=batch.schema.names))
        for row in ids.filter(pc.is_in(ids.column("item_id"), value_set=lite.column("item_id"))).to_pylist():
            known[row["item_id"]] = row
    for row in lite.to_pylist():
        if known.pop(row["item_id"], None) != row:
            yield Problem(file, row["item_id"], repr(row["prompt"]))


def lite_weights_are_above_zero(release: ReleaseFiles) -> Iterator[Problem]:
    """Every row of the lite set stands for some prompts."""
    if not release.paths("lite"):
        return
    [file] = release.paths("lite")
    lite = release.table("lite")
    yield from flagged(file, lite, pc.invert(pc.greater(lite.column("weight"), 0.0)), "weight")


def _plain(table: pa.Table) -> pa.Table:
    """Strings as such, where they came as dictionaries."""
    columns = [
        column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
        for column in table.columns
    ]
    return pa.table(columns, names=table.column_names)


LITE: Final[tuple[Check, ...]] = (lite_prompts_are_prompts, lite_weights_are_above_zero)
"""The checks of the lite set; a release without one passes them."""
