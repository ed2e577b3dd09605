"""A release under examination: its files, and what it was made from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from tashika.core.release_checks import ChecksForm
from tashika.exports.arrow import array
from tashika.exports.arrow import compute as pc
from tashika.exports.checking.shape import Shape, plain_shape
from tashika.exports.checks import Problem, ReleaseFiles
from tashika.exports.documents import Draft
from tashika.exports.provenance import Provenance, provenance

SHOWN = 80
"""How many characters of a text a result shows."""


class Text(NamedTuple):
    """A text of a release.

    Attributes:
        config: Its configuration.
        path: Its file.
        item: The item's id.
        column: The column.
        text: The text itself; None where the cell is empty.
    """

    config: str
    path: str
    item: str
    column: str
    text: str | None

    def problem(self, words: str) -> Problem:
        """What is wrong with it."""
        return Problem(self.path, self.item, f"{words} in `{self.column}`")


class Row(NamedTuple):
    """A row of a release.

    Attributes:
        path: Its file.
        split: The part that it belongs to.
        item: The item's id.
        values: Of the columns that were asked for, in their order.
    """

    path: str
    split: str
    item: str
    values: tuple[Any, ...]

    def words(self) -> str:
        """All its values as one text; those of a list in an order of their own, which is not what tells rows apart."""
        return "\n".join(
            "\n".join(sorted(value)) if isinstance(value, list) else str(value or "") for value in self.values
        )


@dataclass(frozen=True, eq=False)
class Examined:
    """A release, written or about to be.

    Attributes:
        draft: Its files, record and settings, and what it was planned from.
        verdicts: What people said of the items; None where nobody was asked.
        unwritten: Configurations that the draft goes without.
    """

    draft: Draft
    verdicts: pa.Table | None = None
    unwritten: frozenset[str] = frozenset()

    @cached_property
    def release(self) -> ReleaseFiles:
        """Its files."""
        return ReleaseFiles(self.draft.folder, self.draft.record, self.unwritten)

    @property
    def checks(self) -> ChecksForm:
        """The thresholds."""
        return self.draft.settings.checks

    @cached_property
    def provenance(self) -> Provenance:
        """Where its items came from."""
        text = self.draft.plan.card or self.draft.suite.card
        return provenance(self.draft.plan.items, text.licences)

    def shapes(self) -> Iterator[tuple[str, Shape]]:
        """The configurations that have rows, each with its shape."""
        declared = self.draft.suite.shapes
        for name, config in self.release.configs.items():
            shape = declared[name] if name in declared else plain_shape(config)
            if shape != Shape() and self.release.paths(name):
                yield name, shape

    def split_of(self, config: str, path: str) -> str:
        """The part that a file belongs to."""
        splits = self.release.configs[config].splits
        return splits[0] if len(splits) == 1 else path.rpartition("/")[2].removesuffix(".parquet")

    def rows(self, config: str, columns: Sequence[str]) -> Iterator[Row]:
        """The rows of a configuration, with some of their columns."""
        names = list(dict.fromkeys(["item_id", *columns]))
        for path, batch in self.release.stream(config, names):
            split = self.split_of(config, path)
            lists = [batch.column(name).to_pylist() for name in ("item_id", *columns)]
            for item, *values in zip(*lists, strict=True):
                yield Row(path, split, str(item), tuple(values))

    def texts(self, matching: str | None = None, empty: bool = False) -> Iterator[Text]:
        """The texts of all configurations, those of lists one by one.

        Args:
            matching: A regular expression (RE2): only texts that it finds something in.
            empty: Yields the texts without a visible character, and empty cells, in place of the others.
        """
        for config, shape in self.shapes():
            for column in shape.texts:
                yield from self.column_texts(config, column, matching, empty)

    def column_texts(
        self, config: str, column: str, matching: str | None = None, empty: bool = False
    ) -> Iterator[Text]:
        """The texts of one column; see `texts`."""
        for path, batch in self.release.stream(config, ["item_id", column]):
            ids, texts = batch.column("item_id"), _plain(batch.column(column))
            parents: Any = None
            if pa.types.is_list(texts.type):
                parents, texts = pc.list_parent_indices(texts), _plain(pc.list_flatten(texts))
            if empty:
                wanted = pc.fill_null(pc.equal(pc.utf8_trim_whitespace(texts), ""), True)
            elif matching is not None:
                wanted = pc.fill_null(pc.match_substring_regex(texts, matching), False)
            else:
                wanted = pc.is_valid(texts)
            places = np.flatnonzero(np.asarray(wanted))
            rows = places if parents is None else np.asarray(parents)[places]
            for item, text in zip(
                ids.take(array(rows)).to_pylist(), texts.take(array(places)).to_pylist(), strict=True
            ):
                yield Text(config, path, str(item), column, text)


def _plain(values: Any) -> Any:
    """Strings as such, where they came as a dictionary."""
    return values.dictionary_decode() if pa.types.is_dictionary(values.type) else values


def shown(text: str) -> str:
    """A text as a result quotes it, cut where it is long."""
    return repr(text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…")
