"""The work list of a release: which template meets which subject alias for which pair, without spelling any out.

The factors (pairs, aliases, templates) are small; their product runs to millions. `WorkList` keeps the factors and
the number of the first prompt of each pair, and makes the codes of any stretch of the product on demand, in the
order of the release's own prompts: pair, then subject alias, then template.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tashika.core.errors import InputError
from tashika.core.files import read_table
from tashika.core.records import prompt_halves
from tashika.evaluate.engine.arrays import Codes
from tashika.evaluate.myriadlama.predictions import PREDICTION
from tashika.evaluate.release_tables import read_identity


@dataclass(frozen=True)
class Release:
    """A release's factors, and which release it is.

    Attributes:
        version: Of the release.
        digest: Of its facts, aliases and templates.
        simulated: Whether programs played the people who validated it.
        facts: One row a unique triple, with `object_aliases`.
        aliases: One row a name.
        templates: One row a template.
        lama: LAMA's own prompts, of `core.suites.myriadlama.lama`; None where the release has none.
        lite: The lite set, with `pair`, `template_id` and `subject_alias_id`; None where the release has none.
    """

    version: str
    digest: str
    simulated: bool
    facts: pa.Table
    aliases: pa.Table
    templates: pa.Table
    lama: pa.Table | None = None
    lite: pa.Table | None = None


TABLES: Final = ("facts/facts.parquet", "aliases/aliases.parquet", "templates/templates.parquet")
"""What prompts are made of."""

LAMA_TABLE: Final = "lama_uhn/lama_uhn.parquet"
"""In a release that was built from LAMA's files."""

LITE_TABLE: Final = "lite/lite.parquet"
"""In a release that has a lite set."""


def read_release(folder: Path) -> Release:
    """Reads a release's factors.

    Raises:
        MissingStageError: There is no release.
        InputError: A file of it is missing, broken or changed.
    """
    identity = read_identity(folder, TABLES[0], "Run `tashika export myriadlama` first.")
    facts, aliases, templates = (read_table(identity.file(name)) for name in TABLES)
    lama, lite = (
        read_table(identity.file(name)) if (folder / name).is_file() else None for name in (LAMA_TABLE, LITE_TABLE)
    )
    return Release(
        identity.version,
        identity.digest,
        identity.simulated,
        facts,
        aliases,
        templates,
        lama,
        lite,
    )


class Stretch(NamedTuple):
    """Successive prompts, (n,) each: places in a work list's pairs, aliases and templates."""

    pair: Codes
    alias: Codes
    template: Codes


@dataclass(frozen=True)
class WorkList:
    """The prompts of a release, or of a sample of it, as a product that is expanded on demand.

    There are P pairs, A aliases of subjects, T templates and F facts.

    Attributes:
        pair_number: (P,) each pair's number in the whole release.
        pair_relation: (P,) its relation's place in `relations`.
        relations: Names, sorted.
        alias_ids: A item ids, an entity's beside each other.
        alias_texts: A names.
        template_ids: T item ids, a relation's beside each other.
        template_texts: T texts with [X] and [Y].
        alias_start: (P,) the first alias of the pair's subject.
        alias_count: (P,) how many it has.
        template_start: (P,) the first template of the pair's relation.
        template_count: (P,) how many it has.
        fact_pair: (F,) the pair of each fact.
        fact_object: F object ids.
        fact_answers: F lists of the object's names.
    """

    pair_number: Codes
    pair_relation: Codes
    relations: tuple[str, ...]
    alias_ids: tuple[str, ...]
    alias_texts: tuple[str, ...]
    template_ids: tuple[str, ...]
    template_texts: tuple[str, ...]
    alias_start: Codes
    alias_count: Codes
    template_start: Codes
    template_count: Codes
    fact_pair: Codes
    fact_object: tuple[str, ...]
    fact_answers: tuple[tuple[str, ...], ...]

    @cached_property
    def offsets(self) -> Codes:
        """(P + 1,) the number of the first prompt of each pair, and of all prompts."""
        return np.concatenate([[0], np.cumsum(self.alias_count * self.template_count)])

    def __len__(self) -> int:
        return int(self.offsets[-1])

    def stretch(self, start: int, stop: int) -> Stretch:
        """The prompts from `start` up to `stop`."""
        number = np.arange(start, stop, dtype=np.int64)
        pair = np.searchsorted(self.offsets, number, side="right") - 1
        alias, template = np.divmod(number - self.offsets[pair], self.template_count[pair])
        return Stretch(pair, self.alias_start[pair] + alias, self.template_start[pair] + template)

    @cached_property
    def _halves(self) -> tuple[Any, Any]:
        template, alias = (prompt_halves(pa.array(ids, pa.string())) for ids in (self.template_ids, self.alias_ids))
        return template, alias

    def identity(self, at: Stretch) -> dict[str, Any]:
        """The columns of `PREDICTION` that say which prompts these are, with ids as of `core.records.prompt_halves`."""
        template, alias = self._halves
        halves: tuple[Any, Any] = (template.take(pa.array(at.template)), alias.take(pa.array(at.alias)))
        item = pc.binary_join_element_wise(*halves, "")
        return {
            "item_id": item,
            "relation": _coded("relation", self.pair_relation[at.pair], self.relations),
            "pair": pa.array(self.pair_number[at.pair].astype(np.int32)),
            "template_id": _coded("template_id", at.template, self.template_ids),
            "subject_alias_id": _coded("subject_alias_id", at.alias, self.alias_ids),
        }


def _coded(name: str, codes: Codes, words: Sequence[str]) -> Any:
    """A dictionary column that holds only the words that occur: Parquet writes the dictionary with every row group."""
    kind: Any = PREDICTION.field(name).type
    used, index = np.unique(codes, return_inverse=True)
    here = pa.array([words[place] for place in used.tolist()], pa.string())
    return pa.DictionaryArray.from_arrays(pa.array(index).cast(kind.index_type), here)


def work_list(release: Release) -> WorkList:
    """All prompts of a release.

    Raises:
        InputError: The release has no facts, or a relation without templates, or a subject without names.
    """
    facts = release.facts.sort_by([("relation", "ascending"), ("subject", "ascending"), ("object", "ascending")])
    if facts.num_rows == 0:
        raise InputError("the release has no facts")
    relation, subject = (np.asarray(facts[name].to_pylist(), dtype=object) for name in ("relation", "subject"))
    changes = np.concatenate([[True], (relation[1:] != relation[:-1]) | (subject[1:] != subject[:-1])])
    first = np.flatnonzero(changes)
    aliases, alias_span = _grouped(release.aliases, "entity", subject[first])
    templates, template_span = _grouped(release.templates, "relation", relation[first])
    names = tuple(sorted(set(relation)))
    place = {name: number for number, name in enumerate(names)}
    return WorkList(
        pair_number=np.arange(len(first)),
        pair_relation=np.asarray([place[name] for name in relation[first]]),
        relations=names,
        alias_ids=aliases[0],
        alias_texts=aliases[1],
        template_ids=templates[0],
        template_texts=templates[1],
        alias_start=alias_span[0],
        alias_count=alias_span[1],
        template_start=template_span[0],
        template_count=template_span[1],
        fact_pair=np.cumsum(changes) - 1,
        fact_object=tuple(str(entity) for entity in facts["object"].to_pylist()),
        fact_answers=tuple(tuple(names or ()) for names in facts["object_aliases"].to_pylist()),
    )


def _grouped(table: pa.Table, key: str, wanted: Any) -> tuple[tuple[Any, Any], tuple[Codes, Codes]]:
    """Ids and texts of the rows under the wanted keys, equal keys beside each other; start and count by wanted key."""
    keys: list[str] = [str(value) for value in table[key].to_pylist()]
    known = set(wanted)
    rows = sorted((number for number, name in enumerate(keys) if name in known), key=lambda number: keys[number])
    start: dict[str, int] = {}
    count: dict[str, int] = {}
    for place, number in enumerate(rows):
        start.setdefault(keys[number], place)
        count[keys[number]] = count.get(keys[number], 0) + 1
    missing = sorted(known - set(start))
    if missing:
        raise InputError(f"the release has nothing under the {key} {missing[0]}", hint="Export the release again.")
    taken = table.take(pa.array(rows, pa.int64()))
    columns = tuple(taken["item_id"].to_pylist()), tuple(taken["text"].to_pylist())
    return columns, (np.asarray([start[name] for name in wanted]), np.asarray([count[name] for name in wanted]))
