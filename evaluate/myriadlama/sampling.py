"""A seeded sample of a release's prompts, for models that are too slow for all of them.

A sample is drawn by factor: pairs stratified by relation, templates of a relation, aliases of a subject. Every pair
of a relation keeps the same templates, which the fluctuation over templates (BELIEF, section 3.2) needs. A larger
sample of the same seed holds the smaller one's templates and aliases.

`Sample` has limits that are the same for all relations, of everything in the release. `Design` is a plan's: pairs by
relation, and only of what the model can answer; a larger design of the same seed holds a smaller one altogether.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from tashika.core.draws import shuffled
from tashika.core.errors import InputError
from tashika.evaluate.engine.arrays import Codes
from tashika.evaluate.myriadlama.lite.frame import Frame
from tashika.evaluate.myriadlama.metrics import DesignSize, Drawn, Limits, Sampling
from tashika.evaluate.myriadlama.prompts import WorkList

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
        for name, limit in self._limits().items():
            if limit is not None and limit < 1:
                raise InputError(f"found the limit of {limit} {name}; it must be at least 1")

    def _limits(self) -> dict[str, int | None]:
        return {"pairs": self.pairs, "templates": self.templates, "aliases": self.aliases}

    @property
    def whole(self) -> bool:
        """Whether nothing is left out."""
        return all(limit is None for limit in self._limits().values())

    @property
    def parts(self) -> tuple[str, ...]:
        """What stands for it in a folder's name, such as `300-pairs`."""
        return tuple(f"{limit}-{name}" for name, limit in self._limits().items() if limit is not None)


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
        order = shuffled(work.template_ids, sample.seed)
        kept = _first_of_each(work.template_start, work.template_count, order, sample.templates, usable) | ~usable
        work = _keep_templates(work, kept)
    if sample.aliases is not None:
        order = shuffled(work.alias_ids, sample.seed)
        everything = np.ones(len(order), dtype=bool)
        kept = _first_of_each(work.alias_start, work.alias_count, order, sample.aliases, everything)
        work = _keep_aliases(work, kept)
    return work


def describe(sample: Sample, work: WorkList, drawn: WorkList) -> Sampling:
    """What a sample drew of what, for the metrics."""
    return Sampling(
        whole=sample.whole,
        seed=sample.seed,
        limits=Limits(pairs=sample.pairs, templates=sample.templates, aliases=sample.aliases),
        pairs=Drawn(drawn=len(drawn.pair_number), of=len(work.pair_number)),
        templates=Drawn(drawn=int(used_templates(drawn).sum()), of=len(work.template_ids)),
        prompts=Drawn(drawn=len(drawn), of=len(work)),
    )


def used_templates(work: WorkList) -> Mask:
    """(T,) whether any pair of the list is asked with a template."""
    used = np.zeros(len(work.template_ids), dtype=bool)
    for start, count in set(zip(work.template_start.tolist(), work.template_count.tolist(), strict=True)):
        used[start : start + count] = True
    return used


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


@dataclass(frozen=True)
class Design:
    """How much of a frame is asked, relation by relation.

    Attributes:
        pairs: Pairs of each relation.
        templates: Templates of each relation; None for all.
        names: Names of each subject; None for all.
    """

    pairs: tuple[int, ...]
    templates: int | None = None
    names: int | None = None

    def describe(self, frame: Frame, prompts: int) -> DesignSize:
        """For the metrics.

        Args:
            frame: What is drawn from.
            prompts: Prompts of the design.
        """
        return DesignSize(
            pairs=sum(self.pairs),
            templates=self.templates,
            aliases=self.names,
            pairs_by_relation=dict(zip(frame.relations, self.pairs, strict=True)),
            prompts=prompts,
        )

    def holds(self, other: Design) -> bool:
        """Whether the other's prompts are among this design's, drawn with one seed."""
        return (
            _within(other.templates, self.templates)
            and _within(other.names, self.names)
            and all(few <= many for few, many in zip(other.pairs, self.pairs, strict=True))
        )


def _within(few: int | None, many: int | None) -> bool:
    """Whether a limit is at most another; None is no limit."""
    return many is None or (few is not None and few <= many)


@dataclass(frozen=True)
class Order:
    """A release with its pairs, templates and names in the order in which they are drawn.

    Attributes:
        work: The pairs of the frame, in its order; names of a subject and templates of a relation in the order of
            drawing, those templates that the frame does not have behind the others.
        frame: What is drawn from.
        turn: (P,) the turn at which each pair of the frame is drawn among those of its relation, from 0.
    """

    work: WorkList
    frame: Frame
    turn: Codes

    @classmethod
    def of(cls, work: WorkList, frame: Frame, seed: int) -> Order:
        """Puts everything in order."""
        place = np.argsort(work.pair_number, kind="stable")
        work = _keep_pairs(work, place[np.searchsorted(work.pair_number[place], frame.pairs)])
        known = {name for ids in frame.templates for name in ids}
        last = np.asarray([name not in known for name in work.template_ids])
        templates = _reordered(work.template_start, work.template_count, shuffled(work.template_ids, seed), last)
        names = _reordered(work.alias_start, work.alias_count, shuffled(work.alias_ids, seed))
        work = replace(
            work,
            template_ids=tuple(work.template_ids[place] for place in templates),
            template_texts=tuple(work.template_texts[place] for place in templates),
            alias_ids=tuple(work.alias_ids[place] for place in names),
            alias_texts=tuple(work.alias_texts[place] for place in names),
        )
        return cls(work, frame, turns(frame.relation, shuffled(map(str, frame.pairs.tolist()), seed)))

    def take(self, design: Design, without: Design | None = None) -> WorkList:
        """The prompts of a design, save those of a smaller one.

        Args:
            design: What is wanted.
            without: What has been asked already; `design` must hold it. A pair of which some has been asked stands
                in the list up to twice: with the new names, and with the old names and the new templates.
        """
        of = self.frame.relation
        chosen = np.flatnonzero(self.turn < np.asarray(design.pairs)[of])
        names = _at_most(self.work.alias_count, design.names)
        templates = _at_most(self.frame.widths[of], design.templates)
        if without is None:
            return _part(self.work, chosen, (0 * chosen, names[chosen]), (0 * chosen, templates[chosen]))
        old = self.turn[chosen] < np.asarray(without.pairs)[of[chosen]]
        met, again = chosen[~old], chosen[old]
        asked = np.minimum(names, _at_most(self.work.alias_count, without.names))[again]
        seen = np.minimum(templates, _at_most(self.frame.widths[of], without.templates))[again]
        rows = np.concatenate([met, again, again])
        begin_names = np.concatenate([0 * met, asked, 0 * again])
        end_names = np.concatenate([names[met], names[again], asked])
        begin_templates = np.concatenate([0 * met, 0 * again, seen])
        some = np.flatnonzero((begin_names < end_names) & (begin_templates < templates[rows]))
        return _part(
            self.work,
            rows[some],
            (begin_names[some], end_names[some]),
            (begin_templates[some], templates[rows][some]),
        )


def _at_most(count: Codes, limit: int | None) -> Codes:
    return count if limit is None else np.minimum(count, limit)


def _reordered(start: Codes, count: Codes, *keys: Codes) -> list[int]:
    """Places of all rows with each group in rising order of the keys, the last key first."""
    moved = np.arange(len(keys[0]))
    for begin, size in set(zip(start.tolist(), count.tolist(), strict=True)):
        rows = np.arange(begin, begin + size)
        moved[rows] = rows[np.lexsort([key[rows] for key in keys])]
    return [int(row) for row in moved]


def _part(work: WorkList, rows: Codes, names: tuple[Codes, Codes], templates: tuple[Codes, Codes]) -> WorkList:
    """The pairs of these rows, a row perhaps twice, each with its names and templates from one place to another."""
    facts = np.argsort(work.fact_pair, kind="stable")
    count = np.bincount(work.fact_pair, minlength=len(work.pair_number))
    begin = (np.cumsum(count) - count)[rows]
    of = np.repeat(np.arange(len(rows)), count[rows])
    within = np.arange(len(of)) - np.repeat(np.cumsum(count[rows]) - count[rows], count[rows])
    taken = facts[begin[of] + within].tolist()
    return replace(
        work,
        pair_number=work.pair_number[rows],
        pair_relation=work.pair_relation[rows],
        alias_start=work.alias_start[rows] + names[0],
        alias_count=names[1] - names[0],
        template_start=work.template_start[rows] + templates[0],
        template_count=templates[1] - templates[0],
        fact_pair=of,
        fact_object=tuple(work.fact_object[fact] for fact in taken),
        fact_answers=tuple(work.fact_answers[fact] for fact in taken),
    )


def work_of(work: WorkList, pair: Codes, *, alias: Codes, template: Codes) -> WorkList:
    """A list of single prompts, in the order given; each stands for itself, so a pair may stand in it several times.

    Args:
        work: The whole release.
        pair: (n,) places of pairs.
        alias: (n,) places of names, each of its pair's subject.
        template: (n,) places of templates, each of its pair's relation.
    """
    first, begin = alias - work.alias_start[pair], template - work.template_start[pair]
    return _part(work, pair, (first, first + 1), (begin, begin + 1))


def turns(group: Codes, order: Codes) -> Codes:
    """(n,) the turn, from 0, of each row among those of its group by rising order."""
    rows = np.lexsort((order, group))
    ranked = group[rows]
    turn = np.empty(len(rows), dtype=np.int64)
    turn[rows] = np.arange(len(rows)) - np.searchsorted(ranked, ranked)
    return turn
