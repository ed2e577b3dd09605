"""The candidate objects of each relation: what a correct object of any number of tokens is ranked among.

All objects that a release has for a relation, with all their released names. They are taken from the whole release,
also where a sample of it is asked, so that a sample is no easier than the whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tashika.core.tokenizing import CARRIERS
from tashika.evaluate.engine.arrays import Codes
from tashika.evaluate.myriadlama.prompts import WorkList


@dataclass(frozen=True)
class Candidates:
    """The objects of one relation, with their names.

    Attributes:
        objects: O item ids, sorted.
        names: N names, those of an object beside each other, its label first.
        first: (O,) the first name of each object.
    """

    objects: tuple[str, ...]
    names: tuple[str, ...]
    first: Codes

    def labels(self) -> tuple[str, ...]:
        """O labels."""
        return tuple(self.names[place] for place in self.first.tolist())


def candidates_of(work: WorkList) -> tuple[Candidates, ...]:
    """The candidates of each relation of a whole release, in the order of its relations."""
    found: list[dict[str, tuple[str, ...]]] = [{} for _ in work.relations]
    relation = work.pair_relation[work.fact_pair].tolist()
    for place, entity, names in zip(relation, work.fact_object, work.fact_answers, strict=True):
        found[place][entity] = names
    return tuple(_candidates(names) for names in found)


def _candidates(names: Mapping[str, Sequence[str]]) -> Candidates:
    objects = tuple(sorted(names))
    counts = [len(names[entity]) for entity in objects]
    return Candidates(
        objects,
        tuple(name for entity in objects for name in names[entity]),
        np.cumsum([0, *counts[:-1]], dtype=np.int64),
    )


def correct_places(work: WorkList, candidates: Sequence[Candidates]) -> tuple[Codes, ...]:
    """For each pair the places of its correct objects among the candidates of its relation."""
    place = [{entity: number for number, entity in enumerate(one.objects)} for one in candidates]
    correct: list[set[int]] = [set() for _ in work.pair_number]
    for pair, entity in zip(work.fact_pair.tolist(), work.fact_object, strict=True):
        correct[pair].add(place[int(work.pair_relation[pair])][entity])
    return tuple(np.asarray(sorted(places), dtype=np.int64) for places in correct)


def pieces_of(tokenizer: Any, names: Sequence[str], form: int) -> list[list[int] | None]:
    """The tokens of each name where it stands in this form; None where one of them is unknown or special.

    Args:
        tokenizer: The model's.
        names: Names of objects.
        form: START, SPACED or ATTACHED, see `core.tokenizing`.
    """
    before, joined = CARRIERS[form]
    options = {"add_special_tokens": False, "return_attention_mask": False}
    lead = tokenizer([before], **options)["input_ids"][0] if before else []
    refused = {*tokenizer.all_special_ids, tokenizer.unk_token_id}
    pieces: list[list[int] | None] = []
    for row in tokenizer([joined + name for name in names], **options)["input_ids"]:
        own = row[len(lead) :]
        fits = row[: len(lead)] == lead and own and not refused.intersection(own)
        pieces.append(own if fits else None)
    return pieces


@dataclass(frozen=True)
class Steps:
    """What a masked model is asked for the names of a relation in one form; see `candidate_scoring`.

    There are S steps, W wanted tokens and N names.

    Attributes:
        filled: S lists of tokens that stand in the blank already.
        masks: (S,) masks behind them; the first of these is asked.
        count: (S,) tokens that are wanted there.
        tokens: (W,) these tokens, step by step.
        entries: (E,) places in `tokens`, name by name: a name's log-likelihood is their sum.
        name: (E,) the name that each belongs to.
        usable: (N,) whether a name can be said in the model's vocabulary.
    """

    filled: tuple[tuple[int, ...], ...]
    masks: Codes
    count: Codes
    tokens: Codes
    entries: Codes
    name: Codes
    usable: Any

    @classmethod
    def of(cls, pieces: Sequence[Sequence[int] | None]) -> Steps:
        """The steps of these names' tokens. Names of one length that begin alike share steps."""
        wanted: dict[tuple[int, tuple[int, ...]], dict[int, list[int]]] = {}
        for number, row in enumerate(pieces):
            for at, token in enumerate(row or ()):
                assert row is not None
                wanted.setdefault((len(row), tuple(row[:at])), {}).setdefault(token, []).append(number)
        steps = sorted(wanted)
        entries = [(place, number) for place, number in _entries([wanted[step] for step in steps])]
        order = sorted(entries, key=lambda entry: (entry[1], entry[0]))
        return cls(
            filled=tuple(filled for _, filled in steps),
            masks=np.asarray([length - len(filled) for length, filled in steps], dtype=np.int64),
            count=np.asarray([len(wanted[step]) for step in steps], dtype=np.int64),
            tokens=np.asarray([token for step in steps for token in wanted[step]], dtype=np.int64),
            entries=np.asarray([place for place, _ in order], dtype=np.int64),
            name=np.asarray([number for _, number in order], dtype=np.int64),
            usable=np.asarray([row is not None for row in pieces], dtype=bool),
        )

    @property
    def longest(self) -> int:
        """Tokens of the longest name."""
        return max(
            (len(filled) + masks for filled, masks in zip(self.filled, self.masks.tolist(), strict=True)), default=0
        )

    def scores(self, values: Any) -> Any:
        """(N,) the log-likelihood of each name; minus infinity of one that cannot be said.

        Args:
            values: (W,) the log-probabilities of the wanted tokens.
        """
        sums = np.bincount(self.name, values[self.entries], minlength=len(self.usable))
        return np.where(self.usable, sums, -np.inf)


def _entries(steps: Sequence[Mapping[int, Sequence[int]]]) -> list[tuple[int, int]]:
    """(place of a wanted token, name) for every token of every name."""
    tokens = [names for step in steps for names in step.values()]
    return [(place, number) for place, names in enumerate(tokens) for number in names]
