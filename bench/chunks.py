"""What a second version of a release costs on a store that keeps equal chunks once, such as the Hub's (Xet).

Usage: python bench/chunks.py [--subjects 600] [--folder FOLDER]

Facts, names and templates are synthetic; the prompts are made of them and written as a release writes them. The store
is hf_xet's own on this machine (`local://`), so that chunks and what is new of them are those of a real upload. Each
way to write Parquet has a store of its own: first the whole release, then the same with one change.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import numpy as np
import pyarrow as pa

from tashika.core.records import item_id
from tashika.exports import parquet
from tashika.exports.arrow import ascending
from tashika.exports.myriadlama.cloze_plan import cloze_files, with_names
from tashika.exports.myriadlama.schema import CONFIGS
from tashika.exports.myriadlama.settings import LiteSettings

SUITE: Final = "myriadlama"
RELATIONS: Final = 41
TEMPLATES: Final = 20
ALIASES: Final = 2
ROWS_A_SHARD: Final = 500_000

Tables = Mapping[str, pa.Table]

_WORDS: Final = np.array(["alder", "birch", "cedar", "dune", "ember", "fjord", "grove", "heath", "isle", "jade"])
_SYLLABLES: Final = np.array(["ka", "ri", "to", "na", "mo", "su", "le", "va", "do", "pe", "shi", "ra", "en", "ul"])

SMALL: Final = {"min_chunk_size": 32 * 1024, "max_chunk_size": 128 * 1024}
FIXED: Final = {"use_content_defined_chunking": False, "write_page_index": False}
WAYS: Final[Mapping[str, tuple[int, Mapping[str, Any]]]] = {
    "pages after so many bytes, groups of 100,000 rows (before)": (100_000, FIXED),
    "pages after so many bytes": (0, FIXED),
    "content-defined pages, groups of 100,000 rows": (100_000, {}),
    "content-defined pages (now)": (0, {}),
    "content-defined pages of 32 to 128 KiB": (0, {"use_content_defined_chunking": SMALL}),
}
"""Rows of a row group, 0 for as many as now, and what differs in the writer's options."""


def make_tables(subjects: int) -> dict[str, pa.Table]:
    """Facts, names and templates of `subjects` subjects a relation."""
    draw = np.random.default_rng(0)

    def name(syllables: int) -> str:
        return "".join(draw.choice(_SYLLABLES, syllables)).capitalize()

    templates, aliases, facts = [], [], []
    objects = [f"Q9{number:06d}" for number in range(2_000)]
    for entity in objects:
        aliases.append({"entity": entity, "text": f"{name(3)} {name(2)}"})
    for relation in range(RELATIONS):
        pid = f"P{relation + 1:04d}"
        for number in range(TEMPLATES):
            words = " ".join(draw.choice(_WORDS, 4))
            templates.append({"relation": pid, "text": f"[X] {words} {number} of [Y]."})
        for subject in range(subjects):
            entity = f"Q{relation:02d}{subject:06d}"
            aliases += [{"entity": entity, "text": f"{name(2)} {name(3)}"} for _ in range(ALIASES)]
            facts.append({"relation": pid, "subject": entity, "object": str(draw.choice(objects))})
    return {"templates": _table(templates), "aliases": _table(aliases), "facts": _table(facts)}


def _table(rows: list[dict[str, Any]]) -> pa.Table:
    for row in rows:
        row["item_id"] = item_id(SUITE, "made", *map(str, row.values()))
    return pa.Table.from_pylist(rows)


def whole(tables: Tables) -> dict[str, pa.Table]:
    """The tables of a release, with every column that it has: what this does not need is empty."""
    aliases = tables["aliases"].sort_by(ascending("entity", "text"))
    first = np.concatenate(
        [[True], np.diff(aliases.column("entity").dictionary_encode().combine_chunks().indices) != 0]
    )
    aliases = aliases.append_column("is_label", pa.array(first))
    named = with_names(tables["facts"].sort_by(ascending("relation", "subject", "object")), aliases)
    made = {"facts": named, "aliases": aliases, "templates": tables["templates"].sort_by(ascending("relation", "text"))}
    return {name: _completed(table, name) for name, table in made.items()}


def _completed(table: pa.Table, config: str) -> pa.Table:
    types = {"string": pa.string(), "bool": pa.bool_(), "int32": pa.int32(), "strings": pa.list_(pa.string())}
    for name, column in CONFIGS[config].columns.items():
        if name not in table.column_names:
            table = table.append_column(name, pa.nulls(table.num_rows, types[column.type]))
    return table.select(list(CONFIGS[config].columns))


# --- changes


def corrected(tables: Tables) -> dict[str, pa.Table]:
    """One template of one relation has another text, and stays in its place."""
    rows = tables["templates"].to_pylist()
    rows[200] |= {"text": rows[200]["text"].replace(" of [Y]", " from [Y]")}
    return {**tables, "templates": pa.Table.from_pylist(rows)}


def dropped(tables: Tables) -> dict[str, pa.Table]:
    """One template of one relation is rejected."""
    templates = tables["templates"]
    return {**tables, "templates": pa.concat_tables([templates.slice(0, 200), templates.slice(201)])}


def added(tables: Tables) -> dict[str, pa.Table]:
    """Ten more facts, with names of new subjects, in different relations."""
    facts = tables["facts"].to_pylist()
    more = [{**facts[number * len(facts) // 10], "subject": f"Q77{number:06d}"} for number in range(10)]
    names = [{"entity": row["subject"], "text": f"New {number}"} for number, row in enumerate(more)]
    more = [{key: row[key] for key in ("relation", "subject", "object")} for row in more]
    return {
        **tables,
        "facts": pa.concat_tables([tables["facts"], _table(more).select(tables["facts"].column_names)]),
        "aliases": pa.concat_tables([tables["aliases"], _table(names).select(tables["aliases"].column_names)]),
    }


def rejected(tables: Tables) -> dict[str, pa.Table]:
    """One template in a hundred is rejected, here and there."""
    keep = np.arange(tables["templates"].num_rows) % 100 != 50
    return {**tables, "templates": tables["templates"].filter(pa.array(keep))}


CHANGES: Final[tuple[Callable[[Tables], dict[str, pa.Table]], ...]] = (corrected, dropped, added, rejected)


# --- the store


def write_release(tables: Tables, folder: Path, way: tuple[int, Mapping[str, Any]]) -> int:
    """Writes the files of a release; gives the number of prompts."""
    options = parquet.writer_options
    size, changed = way
    rows = 0
    with (
        patch.object(parquet, "writer_options", lambda suite, config: {**options(suite, config), **changed}),
        patch.object(parquet, "ROWS_A_GROUP", size or parquet.ROWS_A_GROUP),
    ):
        for file in cloze_files(SUITE, whole(tables), ROWS_A_SHARD, LiteSettings(pairs=0)):
            file.write(folder / file.path, lambda _rows: None)
            rows += file.rows if file.config == "prompts" else 0
    return rows


def upload(folder: Path, store: Path) -> tuple[int, int]:
    """Sends a folder to a store on this machine; gives all bytes, and those that are new to the store."""
    import hf_xet

    store.mkdir(parents=True, exist_ok=True)
    commit = hf_xet.XetSession().new_upload_commit(endpoint=f"local://{store}")
    for path in sorted(folder.rglob("*.parquet")):
        commit.start_upload_file(str(path))
    metrics = commit.wait_to_finish().dedup_metrics
    return int(metrics.total_bytes), int(metrics.new_bytes)


def measure(tables: Tables, folder: Path) -> Iterator[str]:
    """Yields the lines of the table."""
    yield f"| way | bytes | written in | {' | '.join((make.__doc__ or '').split('.')[0] for make in CHANGES)} |"
    yield "|---|---:|---:|" + "---:|" * len(CHANGES)
    for number, (way, options) in enumerate(WAYS.items()):
        store = folder / f"store-{number}"
        started = time.perf_counter()
        write_release(tables, folder / "first", options)
        seconds = time.perf_counter() - started
        total, _ = upload(folder / "first", store)
        cells = []
        for change in CHANGES:
            shutil.copytree(store, folder / "again")
            write_release(change(tables), folder / "second", options)
            everything, new = upload(folder / "second", folder / "again")
            cells.append(f"{new:,} ({new / everything:.0%})")
            shutil.rmtree(folder / "second")
            shutil.rmtree(folder / "again")
        shutil.rmtree(folder / "first")
        yield f"| {way} | {total:,} | {seconds:.1f} s | {' | '.join(cells)} |"


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--subjects", type=int, default=600, help="of each of the 41 relations")
    parser.add_argument("--folder", type=Path, help="where the files lie meanwhile; a temporary one by default")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        tables = make_tables(given.subjects)
        rows = RELATIONS * TEMPLATES * given.subjects * ALIASES
        print(f"{rows:,} prompts; new bytes of a second upload, and their share of all\n")
        for line in measure(tables, Path(folder)):
            print(line, flush=True)


if __name__ == "__main__":
    main()
