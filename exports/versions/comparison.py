"""What differs between two versions of a release: items added, dropped and changed, joined by their ids.

Rows that are made of other rows (prompts of templates and names) are counted and not compared: what differs in them
follows from what they are made of.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import pyarrow as pa

from tashika.core.errors import InputError
from tashika.core.files import read_table
from tashika.exports.arrow import compute as pc
from tashika.exports.checks import ReleaseFiles
from tashika.exports.schema import Config, configs_of

What = Literal["verdict", "options", "text", "other"]
WHAT: Final[Mapping[What, str]] = {
    "text": "changed text",
    "options": "changed options or answers",
    "verdict": "changed verdict",
    "other": "changed otherwise",
}
"""What may have changed of an item that both versions have, and how it is called."""

_COLUMNS: Final[Mapping[What, str]] = {
    "verdict": "votes_for votes_cast votes label labels rating mean spread preferred more_than_one fitting people",
    "options": "options answer answers option_pairs option_set lure",
}
"""Columns that say what changed by their names."""

_ID: Final = "item_id"
_SHOWN_COLUMNS: Final = 3

Fates = Callable[[Sequence[str]], Mapping[str, str]]
"""Why items that were released are not any more, by id; an id that is missing has no known reason."""


@dataclass(frozen=True)
class Example:
    """An item that was added or dropped, or one column of a changed item.

    Attributes:
        item: Its id.
        text: What it is, in the words of its first columns.
        column: The changed column; None where the whole item is new or gone.
        before: What stood there.
        after: What stands there.
    """

    item: str
    text: str
    column: str | None = None
    before: Any = None
    after: Any = None


@dataclass(frozen=True)
class Group:
    """Items that were changed alike.

    Attributes:
        ids: All of them, in order.
        examples: Some of them.
        columns: How many items changed in each column.
    """

    ids: tuple[str, ...]
    examples: tuple[Example, ...]
    columns: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class ConfigChanges:
    """What differs in a configuration.

    Attributes:
        name: Of the configuration.
        rows: Before and after.
        compared: Whether its rows were compared; those of products are only counted.
        added: Items that only the second version has.
        dropped: Items that only the first version has, by reason.
        changed: Items that both have, by what changed; an item may be in several groups.
        new_columns: Columns that only the second version has.
        lost_columns: Columns that only the first version has.
    """

    name: str
    rows: tuple[int, int]
    compared: bool = False
    added: Group = Group((), ())
    dropped: Mapping[str, Group] = field(default_factory=dict)
    changed: Mapping[What, Group] = field(default_factory=dict)
    new_columns: tuple[str, ...] = ()
    lost_columns: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing differs."""
        groups = (self.added.ids, self.dropped, self.changed, self.new_columns, self.lost_columns)
        return self.rows[0] == self.rows[1] and not any(groups)


@dataclass(frozen=True)
class Changes:
    """What differs between two versions.

    Attributes:
        suite: Of both.
        versions: The first and the second.
        digests: Of their contents.
        simulated: Whether programs judged in the place of people, in the first and in the second.
        configs: By configuration.
        left_out: Items that were built and not released, by reason: before and after; those alone that differ.
    """

    suite: str
    versions: tuple[str, str]
    digests: tuple[str, str]
    simulated: tuple[bool, bool]
    configs: tuple[ConfigChanges, ...]
    left_out: Mapping[str, tuple[int, int]]

    @property
    def is_empty(self) -> bool:
        """Whether the rows of both are the same."""
        return all(config.is_empty for config in self.configs)


def compare(before: ReleaseFiles, after: ReleaseFiles, fates: Fates = lambda _: {}, examples: int = 3) -> Changes:
    """Compares two versions of a release.

    Args:
        before: The first; of its products there need not be any files.
        after: The second.
        fates: Says why items were dropped.
        examples: How many to keep of each group.

    Raises:
        InputError: They are of two suites, or a file is broken.
    """
    suites = [str(release.record["suite"]) for release in (before, after)]
    if suites[0] != suites[1]:
        raise InputError(
            f"found releases of {suites[0]} and {suites[1]}; expected two versions of one", where=str(after.folder)
        )
    out = [release.record.get("left_out", {}) for release in (before, after)]
    counts = {reason: (int(out[0].get(reason, 0)), int(out[1].get(reason, 0))) for reason in {**out[0], **out[1]}}
    declared = configs_of(suites[0])
    return Changes(
        suite=suites[0],
        versions=(str(before.record["version"]), str(after.record["version"])),
        digests=(str(before.record["digest"]), str(after.record["digest"])),
        simulated=(bool(before.record["simulated"]), bool(after.record["simulated"])),
        configs=tuple(
            _config(name, config, before, after, fates, examples)
            for name, config in declared.items()
            if _rows(before, config) or _rows(after, config)
        ),
        left_out={reason: pair for reason, pair in sorted(counts.items()) if pair[0] != pair[1]},
    )


def files_of(record: Mapping[str, Any], config: Config) -> list[str]:
    """The Parquet files of a configuration that a record lists."""
    return sorted(path for path in record["files"] if path.rpartition("/")[0] == config.folder)


def _rows(release: ReleaseFiles, config: Config) -> int:
    return sum(int(release.record["files"][path]["rows"]) for path in files_of(release.record, config))


def _config(
    name: str, config: Config, before: ReleaseFiles, after: ReleaseFiles, fates: Fates, examples: int
) -> ConfigChanges:
    rows = (_rows(before, config), _rows(after, config))
    if config.product:
        return ConfigChanges(name, rows)
    old, new = _table(before, config), _table(after, config)
    if _repeats(old) or _repeats(new):
        return ConfigChanges(name, rows)
    # A version without rows has no file, and says nothing of columns.
    columns = (set(old.schema.names), set(new.schema.names)) if all(rows) else (set[str](), set[str]())
    return ConfigChanges(
        name,
        rows,
        compared=True,
        added=_whole(_only(new, old), examples),
        dropped=_dropped(_only(old, new), fates, examples),
        changed=_changed(old, new, examples),
        new_columns=tuple(sorted(columns[1] - columns[0])),
        lost_columns=tuple(sorted(columns[0] - columns[1])),
    )


def _table(release: ReleaseFiles, config: Config) -> pa.Table:
    """A configuration in the order of its ids; without columns but the id where it has no file.

    Raises:
        InputError: A file is broken, or has no ids.
    """
    tables = []
    for path in files_of(release.record, config):
        table = read_table(release.folder / path)
        if _ID not in table.schema.names:
            raise InputError("found no column item_id", where=str(release.folder / path))
        tables.append(table)
    if not tables:
        return pa.table({_ID: pa.array([], pa.string())})
    return pa.concat_tables(tables, promote_options="permissive").combine_chunks().sort_by(_ID)


def _repeats(table: pa.Table) -> bool:
    """Whether an id stands in several rows, which then cannot be told apart."""
    return int(pc.count_distinct(table.column(_ID)).as_py()) < table.num_rows


def _only(table: pa.Table, other: pa.Table) -> pa.Table:
    """Rows whose ids the other table lacks."""
    known = pc.is_in(table.column(_ID), value_set=other.column(_ID).combine_chunks())
    return table.filter(pc.invert(known))


def _whole(table: pa.Table, examples: int) -> Group:
    """Items that only one version has."""
    ids = tuple(str(value) for value in table.column(_ID).to_pylist())
    rows = table.slice(0, examples).to_pylist()
    return Group(ids, tuple(Example(str(row[_ID]), shown(row)) for row in rows))


def _dropped(table: pa.Table, fates: Fates, examples: int) -> dict[str, Group]:
    """Items that only the first version has, by what became of them."""
    ids = [str(value) for value in table.column(_ID).to_pylist()]
    reasons = fates(ids) if ids else {}
    places: dict[str, list[int]] = defaultdict(list)
    for place, item in enumerate(ids):
        places[reasons.get(item, "")].append(place)
    return {reason: _whole(table.take(pa.array(rows)), examples) for reason, rows in sorted(places.items())}


def _changed(old: pa.Table, new: pa.Table, examples: int) -> dict[What, Group]:
    """Items that both versions have and that differ in a column that both have."""
    shared = new.filter(pc.is_in(new.column(_ID), value_set=old.column(_ID).combine_chunks()))
    place = pc.index_in(shared.column(_ID).combine_chunks(), value_set=old.column(_ID).combine_chunks())
    earlier = old.take(place)
    differing: dict[What, dict[str, list[int]]] = defaultdict(dict)
    for name in shared.schema.names:
        if name != _ID and name in earlier.schema.names:
            rows = _differing(earlier.column(name), shared.column(name))
            if rows:
                differing[what_of(name, shared.schema.field(name).type)][name] = rows
    return {what: _changed_group(earlier, shared, differing[what], examples) for what in WHAT if differing.get(what)}


def what_of(column: str, kind: pa.DataType) -> What:
    """What it is that changes with a column."""
    for what, names in _COLUMNS.items():
        if column in names.split():
            return what
    inner = kind.value_type if pa.types.is_list(kind) or pa.types.is_dictionary(kind) else kind
    return "text" if pa.types.is_string(inner) else "other"


def _differing(old: Any, new: Any) -> list[int]:
    """Places where two columns differ; an empty place equals an empty one."""
    if old.type != new.type or pa.types.is_nested(new.type):
        pairs: Iterable[tuple[Any, Any]] = zip(old.to_pylist(), new.to_pylist(), strict=True)
        return [place for place, (one, other) in enumerate(pairs) if one != other]
    empty = pc.and_(pc.is_null(old, nan_is_null=True), pc.is_null(new, nan_is_null=True))
    same = pc.or_(pc.fill_null(pc.equal(old, new), False), empty)
    return list(pc.indices_nonzero(pc.invert(same)).to_pylist())


def _changed_group(old: pa.Table, new: pa.Table, columns: Mapping[str, list[int]], examples: int) -> Group:
    first: dict[int, str] = {}
    for name, rows in columns.items():
        for row in rows:
            first.setdefault(row, name)
    rows = sorted(first)
    ids = new.column(_ID).take(pa.array(rows, pa.int64())).to_pylist()
    shown_rows = [_example(old, new, row, first[row]) for row in rows[:examples]]
    return Group(tuple(map(str, ids)), tuple(shown_rows), {name: len(places) for name, places in columns.items()})


def _example(old: pa.Table, new: pa.Table, row: int, column: str) -> Example:
    before, after = old.slice(row, 1).to_pylist()[0], new.slice(row, 1).to_pylist()[0]
    return Example(str(after[_ID]), shown(after), column, before[column], after[column])


def shown(row: Mapping[str, Any]) -> str:
    """An item in the words of its first columns: the longest of these if there is a text, else some of them."""
    texts = {
        name: value
        for name, value in row.items()
        if isinstance(value, str) and value and not name.endswith("_id") and value != row[_ID]
    }
    for name in ("text", "question", "context", "prompt"):
        if name in texts:
            return texts[name]
    labels = [value for name, value in texts.items() if name.endswith("_label")]
    return " · ".join((labels or list(texts.values()))[:_SHOWN_COLUMNS]) or str(row[_ID])
