"""The plan of a release of facts, names and templates, once it is known which of them go in."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from tashika.core.cloze import OBJECT_SLOT
from tashika.core.suites.myriadlama.counts import product_counts
from tashika.core.writing import closes
from tashika.exports.arrow import Array, array, column
from tashika.exports.arrow import compute as pc
from tashika.exports.myriadlama.expansion import Expansion, expansion, spans
from tashika.exports.myriadlama.lite import lite_set
from tashika.exports.myriadlama.schema import CONFIGS, RELATION_NAME
from tashika.exports.myriadlama.settings import LiteSettings
from tashika.exports.myriadlama.tasks import LAST
from tashika.exports.parquet import Advance, write_config
from tashika.exports.plan import PlannedFile
from tashika.exports.schema import arrow_schema
from tashika.exports.tables import table_file

FACTOR_CONFIGS = ("facts", "aliases", "templates")


def with_names(facts: pa.Table, aliases: pa.Table) -> pa.Table:
    """The facts with all names of their subjects and objects, the label first.

    Args:
        facts: Columns `subject` and `object`.
        aliases: Columns `entity` and `text`, sorted by entity with its label first.
    """
    for role in ("subject", "object"):
        facts = facts.append_column(f"{role}_aliases", _names(column(facts, role), aliases))
    return facts


def with_relation_names(facts: pa.Table, templates: pa.Table) -> pa.Table:
    """The facts with the names of their relations.

    Args:
        facts: A column `relation`, each of which has a template.
        templates: Columns `relation` and `relation_label`.
    """
    place = pc.index_in(column(facts, "relation"), value_set=column(templates, "relation"))
    return facts.append_column(RELATION_NAME, column(templates, "relation_label").take(place))


def _names(entities: Array, aliases: pa.Table) -> Any:
    grouped = aliases.group_by("entity", use_threads=False).aggregate([("text", "list")])
    return column(grouped, "text_list").take(pc.index_in(entities, value_set=column(grouped, "entity")))


def cloze_counts(templates: pa.Table, aliases: pa.Table, facts: pa.Table) -> dict[str, int]:
    """The counts of a release: those of its factors and, without expanding it, of its product."""
    return {
        "templates": templates.num_rows,
        "manual_templates": int(pc.sum(pc.equal(templates.column("origin"), "manual")).as_py() or 0),
        **product_counts(templates, aliases, facts),
        "relations": len(facts.column("relation").unique()),
        "subjects": len(facts.column("subject").unique()),
        "aliases": aliases.num_rows,
    }


def cloze_files(
    suite: str, tables: Mapping[str, pa.Table], rows_a_shard: int, lite: LiteSettings
) -> tuple[PlannedFile, ...]:
    """The files of a release: one a factor, as many shards of prompts as are needed, and the lite set.

    Args:
        suite: The suite, whose configurations are called facts, aliases, templates, prompts and lite.
        tables: The factors by configuration, sorted.
        rows_a_shard: Prompts in a file.
        lite: How large the lite set is.
    """
    product = expansion(tables["templates"], tables["aliases"], tables["facts"])
    factors = (table_file(suite, name, tables[name]) for name in FACTOR_CONFIGS)
    return (*factors, *_shards(suite, product, rows_a_shard), *_lite(suite, product, tables, lite))


def _lite(
    suite: str, product: Expansion, tables: Mapping[str, pa.Table], lite: LiteSettings
) -> tuple[PlannedFile, ...]:
    """The file of the lite set; none where none is wanted."""
    if not lite.pairs:
        return ()
    chosen = lite_set(product, tables["templates"], tables["facts"], lite)
    columns = {**product.columns(chosen.rows), "weight": pa.array(chosen.weight)}
    columns[LAST] = pa.array([closes(str(text).partition(OBJECT_SLOT)[2]) for text in columns["prompt"].to_pylist()])
    schema = arrow_schema(suite, "lite")
    table = pa.table([columns[name] for name in schema.names], schema=schema)
    return (table_file(suite, "lite", table),)


def _shards(suite: str, product: Expansion, rows_a_shard: int) -> tuple[PlannedFile, ...]:
    starts = range(0, product.rows, rows_a_shard)
    folder = CONFIGS["prompts"].folder
    return tuple(
        _shard(suite, product, start, min(start + rows_a_shard, product.rows), f"{folder}/prompts-{number}-of-{total}")
        for start, number, total in ((start, f"{n:05d}", f"{len(starts):05d}") for n, start in enumerate(starts))
    )


def _shard(suite: str, product: Expansion, start: int, stop: int, stem: str) -> PlannedFile:
    def write(path: Path, advance: Advance) -> int:
        batches = product.batches(start, stop, arrow_schema(suite, "prompts"))
        return write_config(path, batches, suite, "prompts", advance)

    return PlannedFile(f"{stem}.parquet", "prompts", stop - start, write)


def nameless(facts: pa.Table, aliases: pa.Table) -> Any:
    """True for each fact whose subject or object has no row in `aliases`, which is sorted by entity."""
    known = column(aliases, "entity")
    counts = [spans(known, column(facts, role)).count for role in ("subject", "object")]
    return array((counts[0] == 0) | (counts[1] == 0))
