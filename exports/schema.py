"""The configurations of a release and their columns, as `datasets.Features` and Arrow see them.

Each suite names its own in `exports/SUITE/schema.py`, from the columns of its kinds and some of its own.

Arrow's types say what `datasets.load_dataset` needs, but for the names of labels: files with labels carry the features
in their metadata.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from tashika.core.suites.columns import LABELS, LISTS, Column
from tashika.core.suites.discovery import suite_named

if TYPE_CHECKING:
    from datasets import Features


@dataclass(frozen=True)
class Config:
    """One configuration of a release: what `datasets.load_dataset(name, CONFIG)` opens.

    Attributes:
        folder: Where its Parquet files lie in the release.
        count: The key in the release's counts that states its rows.
        meaning: What a row is, for the card.
        columns: Its columns in order.
        product: Its rows are combinations of other configurations' rows, or hang on one and bear its id: they may be
            very many, and their ids are not checked against each other.
        splits: Its parts. What is for training as well has several, each in a file of its name; what only measures
            models is one part, "test", whatever its files are called.
    """

    folder: str
    count: str
    meaning: str
    columns: Mapping[str, Column]
    product: bool = False
    splits: tuple[str, ...] = ("test",)


ITEM_ID: Final = Column("string", "id of the item, the same from candidate to vote to score")
VOTES_FOR: Final = Column("int32", "people who accepted it; empty if nobody was asked")
VOTES_CAST: Final = Column("int32", "people who judged it; empty if nobody was asked")

JUDGMENTS: Final = "judgments"
"""The configuration of single judgments, and its key in the release's counts."""

_JUDGED: Final = Config(
    JUDGMENTS,
    JUDGMENTS,
    "what one annotator said last of one item that was voted on, released or not",
    {
        "item_id": ITEM_ID,
        "kind": Column("string", "kind of item", repeats=True),
        "annotator": Column("string", "a pseudonym that this release alone has, or the name of a program"),
        "choice": Column(
            "string",
            "what was chosen; several labels a line each; empty for a skip and where people wrote",
            optional=True,
            repeats=True,
        ),
        "counts_as": Column(
            "string",
            "`for`, `against` or `neither`, where items are voted for or against; empty elsewhere",
            optional=True,
            repeats=True,
        ),
        "seconds": Column("float32", "how long it took, in whole seconds; empty where unknown", optional=True),
        "skipped": Column("bool", "whether the annotator passed the item over"),
        "counted": Column("bool", "whether it was among the votes that decided"),
        "simulated": Column("bool", "whether the annotator was a program"),
    },
    product=True,
    splits=("train",),
)


def configs_of(suite: str) -> Mapping[str, Config]:
    """The configurations of a suite's release, by name: its own, and the single judgments on its items."""
    configs: Mapping[str, Config] = suite_named(suite).load("exports").configs
    return configs if JUDGMENTS in configs else {**configs, JUDGMENTS: _JUDGED}


def features(suite: str, config: str) -> Features:
    """The `datasets.Features` of a configuration.

    Raises:
        KeyError: There is no such suite or configuration.
    """
    from datasets import Features

    return Features({name: _feature(column) for name, column in configs_of(suite)[config].columns.items()})


def _feature(column: Column) -> Any:
    from datasets import ClassLabel, List, Value

    if column.type in LABELS:
        label = ClassLabel(names=list(column.names))
        return List(label) if LABELS[column.type] else label
    return List(Value(LISTS[column.type])) if column.type in LISTS else Value(column.type)


def arrow_schema(suite: str, config: str) -> pa.Schema:
    """The Arrow schema of a configuration's files, with its features in the metadata.

    Columns that repeat are dictionaries in memory; in Parquet they are plain columns in dictionary encoding.
    """
    plain = features(suite, config).arrow_schema
    columns = configs_of(suite)[config].columns
    fields = [field.with_type(_coded(field.type)) if columns[field.name].repeats else field for field in plain]
    return pa.schema(fields, metadata=plain.metadata)


def _coded(plain: pa.DataType) -> pa.DataType:
    """Strings, and lists of them, as dictionaries; numbers as they are."""
    if pa.types.is_list(plain):
        return pa.list_(_coded(plain.value_type))
    return pa.dictionary(pa.int32(), plain) if pa.types.is_string(plain) else plain


def has_labels(suite: str, config: str) -> bool:
    """Whether a configuration has columns of labels, whose names its files must carry."""
    return any(column.type in LABELS for column in configs_of(suite)[config].columns.values())


def repeating(suite: str, config: str) -> list[str]:
    """Paths in Parquet of the columns to store in dictionary encoding."""
    columns = configs_of(suite)[config].columns
    return [
        f"{name}.list.element" if column.type == "strings" else name
        for name, column in columns.items()
        if column.repeats or column.type == "strings"
    ]
