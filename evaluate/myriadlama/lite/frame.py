"""The frame that samples of a release are drawn from: every prompt that a model can answer, known before it is asked.

Which pairs have an answer in one token, and which templates a model can use, follows from the tokenizer and the
templates' form alone. So the sizes of all strata are known, and only the answers have to be estimated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tashika.core.errors import InputError
from tashika.evaluate.engine.arrays import Codes
from tashika.evaluate.myriadlama.answers import Answers
from tashika.evaluate.myriadlama.fluctuation import Cells
from tashika.evaluate.myriadlama.predictions import Predictions
from tashika.evaluate.myriadlama.prompts import WorkList

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Frame:
    """R relations, P subject-relation pairs, at most L templates a relation; what cannot be answered is not in it.

    Attributes:
        relations: R names, sorted.
        pairs: (P,) each pair's number in the release, rising.
        relation: (P,) its relation's place in `relations`.
        aliases: (P,) how many names its subject has.
        templates: R lists of the ids of each relation's templates, sorted; a template's place in it is its slot.
        answerable: (P, L) whether the pair can be answered with the template of a slot.
    """

    relations: tuple[str, ...]
    pairs: Codes
    relation: Codes
    aliases: Codes
    templates: tuple[tuple[str, ...], ...]
    answerable: Mask

    @classmethod
    def of(cls, work: WorkList, answers: Answers, usable: Mask, forms: Codes) -> Frame:
        """The frame of a model.

        Args:
            work: The whole release.
            answers: The model's one-token answers in it.
            usable: (T,) the templates that it can answer.
            forms: (T,) the form that an answer takes in each template.

        Raises:
            InputError: The model can answer nothing.
        """
        has = answers.count > 0
        fits = [
            [slot for slot in range(start, start + count) if usable[slot]]
            for start, count in zip(work.template_start.tolist(), work.template_count.tolist(), strict=True)
        ]
        ids = np.asarray(work.template_ids, dtype=object)
        slots = [sorted(places, key=lambda place: str(ids[place])) for places in fits]
        able = np.zeros((len(slots), max((len(places) for places in slots), default=0)), dtype=bool)
        for pair, places in enumerate(slots):
            able[pair, : len(places)] = has[forms[places], pair] if places else False
        names = {
            int(relation): [str(ids[place]) for place in slots[pair]]
            for pair, relation in enumerate(work.pair_relation.tolist())
        }
        return cls._without_unanswerable(
            work.relations,
            work.pair_number,
            work.pair_relation,
            work.alias_count,
            [names.get(place, []) for place in range(len(work.relations))],
            able,
        )

    @classmethod
    def of_predictions(cls, table: pa.Table) -> Frame:
        """The frame of a run that was asked everything, as the run itself shows it.

        Args:
            table: Predictions of a whole release.
        """
        predictions = Predictions.from_table(table)
        names = np.unique(predictions.name_key) // len(predictions.aliases)
        of_template = predictions.relation_of_template
        return cls(
            predictions.relations,
            pair_numbers(table),
            predictions.relation_of_pair.astype(np.int64),
            np.bincount(names),
            tuple(
                tuple(predictions.templates[place] for place in np.flatnonzero(of_template == relation))
                for relation in range(len(predictions.relations))
            ),
            Cells.of(predictions).count > 0,
        )

    @classmethod
    def _without_unanswerable(
        cls,
        relations: Sequence[str],
        pairs: Codes,
        relation: Codes,
        aliases: Codes,
        templates: Sequence[Sequence[str]],
        able: Mask,
    ) -> Frame:
        kept = able.any(axis=1)
        if not kept.any():
            raise InputError(
                "the model can answer no prompt of the release",
                hint="Choose another model, or a release whose templates and objects this model can answer.",
            )
        order = np.flatnonzero(kept)[np.argsort(pairs[kept], kind="stable")]
        used = np.unique(relation[order])
        ids, columns = [], np.zeros((len(order), able.shape[1]), dtype=bool)
        for place in used.tolist():
            rows = relation[order] == place
            slots = np.flatnonzero(able[order[rows]].any(axis=0))
            columns[np.ix_(np.flatnonzero(rows), np.arange(len(slots)))] = able[np.ix_(order[rows], slots)]
            ids.append(tuple(templates[place][slot] for slot in slots.tolist()))
        width = max(len(names) for names in ids)
        return cls(
            tuple(relations[place] for place in used.tolist()),
            pairs[order],
            np.searchsorted(used, relation[order]),
            aliases[order],
            tuple(ids),
            columns[:, :width],
        )

    def of_relations(self, names: Sequence[str]) -> Frame:
        """The part of the frame that is about some of its relations."""
        kept = np.asarray([name in set(names) for name in self.relations])
        if kept.all():
            return self
        templates = [ids for ids, fine in zip(self.templates, kept, strict=True) if fine]
        width = max((len(ids) for ids in templates), default=0)
        rows = kept[self.relation]
        return Frame(
            tuple(name for name, fine in zip(self.relations, kept, strict=True) if fine),
            self.pairs[rows],
            (np.cumsum(kept) - 1)[self.relation[rows]],
            self.aliases[rows],
            tuple(templates),
            self.answerable[rows, :width],
        )

    @cached_property
    def sizes(self) -> Codes:
        """(R,) pairs of each relation."""
        return np.bincount(self.relation, minlength=len(self.relations))

    @cached_property
    def widths(self) -> Codes:
        """(R,) templates of each relation."""
        return np.asarray([len(ids) for ids in self.templates])

    @cached_property
    def prompts(self) -> Codes:
        """(P,) prompts of each pair."""
        return np.asarray(self.aliases * self.answerable.sum(axis=1))

    @cached_property
    def weights(self) -> Floats:
        """(R, L) pairs that each template can ask: what a draw of it weighs."""
        return np.stack([self.answerable[self.relation == place].sum(axis=0) for place in range(len(self.relations))])


def pair_numbers(table: pa.Table) -> Codes:
    """The release's numbers of the pairs that were answered, rising: the names behind `Predictions.pair`."""
    scored = table.filter(pc.is_null(table["problem"]))
    return np.sort(pc.unique(scored["pair"]).to_numpy()).astype(np.int64)
