"""From rows to items: types, conditions, duplicates, near-duplicates and a sample; what is left out is counted."""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import IO, Any

from tashika.builders.custom.rows import RawRow, Source
from tashika.builders.custom.values import MisfitError, read_row
from tashika.core.custom.build_form import KindForm, NearDuplicates
from tashika.core.custom.row_check import RowCheck
from tashika.core.custom.templating import condition
from tashika.core.draws import order_key
from tashika.core.errors import InputError
from tashika.core.records import item_row
from tashika.core.texts import shingles

BUILDER, VERSION = "custom", "1"
_PERMUTATIONS = 128
_LONGEST_SHOWN = 200
_ERRORS_SHOWN = 9
_ROWS_LOOKED_AT = 100_000
Item = dict[str, Any]


@dataclass
class LeftOut:
    """What does not become an item, by reason; each is a line of `KIND.refused.tsv`.

    Attributes:
        lines: Where the lines go; None keeps no list.
        counts: By reason, without the values that were found.
    """

    lines: IO[str] | None = None
    counts: Counter[str] = field(default_factory=Counter)

    def add(self, where: str, reason: str, kind_of_reason: str | None = None) -> None:
        """Counts one."""
        self.counts[kind_of_reason or reason] += 1
        if self.lines is not None:
            self.lines.write(f"{where}\t{_one_line(reason)}\n")


def _one_line(text: str) -> str:
    return " ".join(text.split())[:_LONGEST_SHOWN]


def items_of(
    suite: str, kind: str, form: KindForm, source: Source, left_out: LeftOut, check: RowCheck = lambda _: None
) -> Iterator[Item]:
    """The items of a kind, one after the other; only ids, and what a sample keeps, stay in memory.

    Args:
        suite: The suite's name.
        kind: The kind's.
        form: What it says of columns, key, conditions and duplicates.
        source: The candidates.
        left_out: Is told what does not become an item.
        check: Says what is wrong with a row whose types are right.

    Raises:
        InputError: A row does not fit, or a key stands twice, and the suite file has these as errors.
    """
    items = _without_doubles(_typed(suite, kind, form, source, left_out, check), form, left_out)
    if form.near_duplicates:
        items = _apart(items, form.near_duplicates, left_out)
    found = (item for item, _ in items)
    return found if form.sample is None else _sample(found, form.sample, form.seed, left_out)


def _typed(
    suite: str, kind: str, form: KindForm, source: Source, left_out: LeftOut, check: RowCheck
) -> Iterator[tuple[Item, str]]:
    """Rows with the types of their columns, for which the condition holds."""
    holds = condition(form.where, f"[build.kinds.{kind}] where") if form.where else None
    strict = form.bad == "error" and not source.lenient
    sources = [(source.name, source.revision)]
    for raw in source.rows:
        try:
            values = _read(raw, form, source, check)
        except MisfitError as error:
            if strict:
                raise _errors(raw.where, error, form, source, check) from error
            left_out.add(raw.where, str(error), _kind_of(str(error)))
            continue
        if holds is not None and not holds(values):
            left_out.add(raw.where, "`where` is false")
            continue
        key = [str(values[name]) for name in form.key]
        generation = raw.generation
        yield (
            item_row(
                suite, kind, key, values, builder=BUILDER, version=VERSION, sources=sources, generation=generation
            ),
            raw.where,
        )


def _read(raw: RawRow, form: KindForm, source: Source, check: RowCheck) -> dict[str, Any]:
    if raw.refused is not None:
        raise MisfitError(raw.refused)
    row = read_row(raw.values, form.columns, texts=source.texts, separator=form.separator)
    problem = check(row)
    if problem:
        raise MisfitError(problem)
    return row


def _errors(where: str, error: MisfitError, form: KindForm, source: Source, check: RowCheck) -> InputError:
    """The error of a row, with those of the rows after it: who mends a table wants to see them together."""
    more: list[str] = []
    for raw in islice(source.rows, _ROWS_LOOKED_AT):
        try:
            _read(raw, form, source, check)
        except MisfitError as misfit:
            more.append(f"{raw.where}: {misfit}")
    shown = more[:_ERRORS_SHOWN]
    if len(more) > len(shown):
        shown.append(f"and {len(more) - len(shown):,} rows more")
    hint = 'Correct the table, or have such rows left out and counted: bad = "refuse".'
    return InputError(str(error), where=where, hint="\n  ".join([*shown, hint]))


def _kind_of(reason: str) -> str:
    """A reason without what was found, so that a thousand of a sort are one line."""
    return re.sub(r"found .*?(, expected|$)", r"found another value\1", reason)


def _without_doubles(
    items: Iterable[tuple[Item, str]], form: KindForm, left_out: LeftOut
) -> Iterator[tuple[Item, str]]:
    """Items whose key no earlier one has."""
    seen: set[bytes] = set()
    for item, where in items:
        digest = bytes.fromhex(item["item_id"])
        if digest in seen:
            found = ", ".join(f"{name} {item[name]!r}" for name in form.key)
            if form.duplicates == "error":
                hint = 'Name more columns as `key`, or have repeats left out and counted: duplicates = "refuse".'
                raise InputError(f"an earlier row has the same key: {found[:200]}", where=where, hint=hint)
            left_out.add(where, f"an earlier row has the same key: {found}", "an earlier row has the same key")
            continue
        seen.add(digest)
        yield item, where


def _apart(items: Iterable[tuple[Item, str]], form: NearDuplicates, left_out: LeftOut) -> Iterator[tuple[Item, str]]:
    """Items that are not nearly the same as an earlier one; or all of them, and how many are."""
    from datasketch import MinHash, MinHashLSH

    index = MinHashLSH(threshold=form.threshold, num_perm=_PERMUTATIONS)
    for item, where in items:
        sketch = MinHash(num_perm=_PERMUTATIONS)
        sketch.update_batch(shingles("\n".join(str(item[name]) for name in form.columns)))
        near = list(index.query(sketch))
        if near:
            action = "is left out" if form.action == "drop" else "stays"
            left_out.add(
                where, f"nearly the same as {min(near)}, and {action}", f"nearly the same as another: {action}"
            )
            if form.action == "drop":
                continue
        index.insert(item["item_id"], sketch)
        yield item, where


def _sample(items: Iterable[Item], size: int, seed: int, left_out: LeftOut) -> Iterator[Item]:
    """A sample that does not depend on the order of the rows, in the order of the rows."""
    total = 0

    def ranked() -> Iterator[tuple[bytes, int, Item]]:
        nonlocal total
        for place, item in enumerate(items):
            total += 1
            yield order_key(seed, item["item_id"]), place, item

    chosen = heapq.nsmallest(size, ranked(), key=lambda entry: entry[:2])
    if total > len(chosen):
        left_out.counts["not in the sample"] += total - len(chosen)
    return (item for _, _, item in sorted(chosen, key=lambda entry: entry[1]))
