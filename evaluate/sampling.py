"""A seeded sample of a release's prompts, for models that are too slow for all of them.

A sample is drawn by factor: pairs stratified by relation, templates of a relation, aliases of a subject. Every pair
of a relation keeps the same templates, which the fluctuation over templates (BELIEF, section 3.2) needs. A larger
sample of the same seed holds the smaller one's templates and aliases.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from tashika.core.errors import InputError
from tashika.evaluate.prompts import Codes, WorkList

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Sample:
    """How much of a release is asked; None is all.

    Attributes:
        pairs: Subject-relation pairs in all, shared out among the relations by their size.
        templates: Templates of each relation, among those that the model can answer.
        aliases: Names of each subject.
        seed: Of the draw.
    """

    pairs: int | None = None
    templates: int | None = None
    aliases: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("pairs", "templates", "aliases"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise InputError(f"found the limit of {value} {name}; it must be at least 1")

    @property
    def whole(self) -> bool:
        """Whether nothing is left out."""
        return self.pairs is None and self.templates is None and self.aliases is None

    def describe(self, work: WorkList, drawn: WorkList) -> dict[str, Any]:
        """What was drawn of what, for the metrics."""
        return {
            "whole": self.whole,
            "seed": self.seed,
            "limits": {"pairs": self.pairs, "templates": self.templates, "aliases": self.aliases},
            "pairs": {"drawn": len(drawn.pair_number), "of": len(work.pair_number)},
            "templates": {"drawn": int(_used_templates(drawn).sum()), "of": len(work.template_ids)},
            "prompts": {"drawn": len(drawn), "of": len(work)},
        }


def draw(work: WorkList, sample: Sample, usable: Mask) -> WorkList:
    """Draws a sample.

    Args:
        work: The whole release.
        sample: How much of it.
        usable: (T,) whether the model can answer a template at all. Templates that it cannot answer stay in, so that
            they are counted as left out, and do not use up the limit.
    """
    if sample.whole:
        return work
    pairs = _draw_pairs(work, sample)
    work = _keep_pairs(work, pairs)
    if sample.templates is not None:
        order = _shuffled(work.template_ids, sample.seed)
        kept = _first_of_each(work.template_start, work.template_count, order, sample.templates, usable) | ~usable
        work = _keep_templates(work, kept)
    if sample.aliases is not None:
        order = _shuffled(work.alias_ids, sample.seed)
        everything = np.ones(len(order), dtype=bool)
        kept = _first_of_each(work.alias_start, work.alias_count, order, sample.aliases, everything)
        work = _keep_aliases(work, kept)
    return work


def _used_templates(work: WorkList) -> Mask:
    used = np.zeros(len(work.template_ids), dtype=bool)
    for start, count in set(zip(work.template_start.tolist(), work.template_count.tolist(), strict=True)):
        used[start : start + count] = True
    return used


def _shuffled(ids: Iterable[str], seed: int) -> Codes:
    """A number for each id that depends on nothing but the id and the seed."""
    digests = (hashlib.sha256(f"{seed}:{one}".encode()).digest()[:7] for one in ids)
    return np.asarray([int.from_bytes(digest) for digest in digests], dtype=np.int64)


def _draw_pairs(work: WorkList, sample: Sample) -> Codes:
    """Places of the drawn pairs: each relation gets its share, the largest remainders the rest."""
    total = len(work.pair_number)
    if sample.pairs is None or sample.pairs >= total:
        return np.arange(total)
    sizes = np.bincount(work.pair_relation, minlength=len(work.relations))
    exact = sizes * sample.pairs / total
    share = np.floor(exact).astype(np.int64)
    rest = sample.pairs - int(share.sum())
    share[np.argsort(share - exact, kind="stable")[:rest]] += 1
    order = np.random.default_rng(sample.seed).permutation(total)
    order = order[np.argsort(work.pair_relation[order], kind="stable")]
    begins = np.cumsum(sizes) - sizes
    within = np.arange(total) - np.repeat(begins, sizes)
    return np.sort(order[within < np.repeat(share, sizes)])


def _keep_pairs(work: WorkList, pairs: Codes) -> WorkList:
    place = np.full(len(work.pair_number), -1)
    place[pairs] = np.arange(len(pairs))
    facts = np.flatnonzero(place[work.fact_pair] >= 0)
    return replace(
        work,
        pair_number=work.pair_number[pairs],
        pair_relation=work.pair_relation[pairs],
        alias_start=work.alias_start[pairs],
        alias_count=work.alias_count[pairs],
        template_start=work.template_start[pairs],
        template_count=work.template_count[pairs],
        fact_pair=place[work.fact_pair[facts]],
        fact_object=tuple(work.fact_object[fact] for fact in facts),
        fact_answers=tuple(work.fact_answers[fact] for fact in facts),
    )


def _first_of_each(start: Codes, count: Codes, order: Codes, limit: int, among: Mask) -> Mask:
    """Marks, in every group, the `limit` rows of lowest order among those allowed."""
    kept = np.zeros(len(order), dtype=bool)
    for begin, size in set(zip(start.tolist(), count.tolist(), strict=True)):
        rows = np.arange(begin, begin + size)
        rows = rows[among[rows]]
        kept[rows[np.argsort(order[rows], kind="stable")[:limit]]] = True
    return kept


def _compacted(start: Codes, count: Codes, kept: Mask) -> tuple[Codes, Codes]:
    """Start and count of the same groups when only the marked rows are left."""
    before = np.concatenate([[0], np.cumsum(kept)])
    return before[start], before[start + count] - before[start]


def _keep_templates(work: WorkList, kept: Mask) -> WorkList:
    start, count = _compacted(work.template_start, work.template_count, kept)
    rows = np.flatnonzero(kept)
    ids, texts = (tuple(column[row] for row in rows) for column in (work.template_ids, work.template_texts))
    return replace(work, template_ids=ids, template_texts=texts, template_start=start, template_count=count)


def _keep_aliases(work: WorkList, kept: Mask) -> WorkList:
    start, count = _compacted(work.alias_start, work.alias_count, kept)
    rows = np.flatnonzero(kept)
    ids, texts = (tuple(column[row] for row in rows) for column in (work.alias_ids, work.alias_texts))
    return replace(work, alias_ids=ids, alias_texts=texts, alias_start=start, alias_count=count)
