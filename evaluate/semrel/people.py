"""People as a system like any other: their answers to each probe, ranked (paper, section 3.3).

Both ways in give the same: the published response file, and the responses that the annotation room wrote.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import pyarrow as pa

from tashika.core.annotators import Annotators
from tashika.core.answers import ranked, read_answer
from tashika.core.files import hash_value
from tashika.core.suites.semrel.responses import ProbeKey, ResponseFile
from tashika.evaluate.semrel.answers import ANSWERS, NOBODY, AskedProbe, answer_row
from tashika.evaluate.semrel.metrics_model import PeopleInfo


@dataclass(frozen=True)
class People:
    """What people answered.

    Attributes:
        lists: Probe's item id -> its words, ranked; none is empty.
        answers: How many answers these were made of.
        annotators: Who gave them, people and programs apart; None where nobody knows (the published file).
        dropped: What was left out, and how often.
    """

    lists: Mapping[str, Sequence[str]]
    answers: int
    annotators: Annotators | None
    dropped: Mapping[str, int]

    @property
    def simulated(self) -> bool:
        """Whether programs are among those who answered."""
        return self.annotators is not None and self.annotators.simulated

    @property
    def digest(self) -> str:
        """Of the ranked lists."""
        return hash_value([[probe, list(words)] for probe, words in sorted(self.lists.items())])

    def table(self, probes: Iterable[AskedProbe]) -> pa.Table:
        """Their answers to probes, as a system's: one that nobody answered has that as its problem, and k = 0."""
        rows = []
        for probe in probes:
            words = self.lists.get(probe.item_id)
            rows.append(answer_row(probe, len(words or ()), words or None, None if words else NOBODY))
        return pa.Table.from_pylist(rows, schema=ANSWERS)

    def describe(self) -> PeopleInfo:
        """For `metrics.json`."""
        return PeopleInfo(
            probes=len(self.lists),
            answers=self.answers,
            annotators=self.annotators and self.annotators.total,
            people=self.annotators and self.annotators.people,
            simulated=self.simulated,
            dropped=dict(self.dropped),
            digest=self.digest,
        )


def people_of_file(file: ResponseFile, lemma: Callable[[str], str], ids: Mapping[ProbeKey, str]) -> People:
    """The people of a published response file.

    Args:
        file: As it was read.
        lemma: See `core.answers.read_answer`.
        ids: The item id of each probe that is asked; the others are passed over.
    """
    read = cache(lambda raw: read_answer(raw, lemma))
    lists = {}
    count = empty = 0
    for probe, people in file.by_probe().items():
        if probe not in ids:
            continue
        answers = [[read(raw) for raw in person] for person in people]
        empty += sum(not answer for person in answers for answer in person)
        count += sum(map(len, answers))
        words = ranked(answers)
        if words:
            lists[ids[probe]] = words
    return People(lists, count - empty, None, {"answers without a letter": empty} if empty else {})


def people_of_table(table: pa.Table, known: Iterable[str]) -> People:
    """The people of `core.records.RESPONSE` rows.

    Args:
        table: The rows, in any order.
        known: Item ids of the probes at hand; answers to others, and to control questions, are counted and left out.
    """
    probes = set(known)
    by_probe: dict[str, dict[str, list[str]]] = {}
    people, programs = set[str](), set[str]()
    elsewhere = empty = count = 0
    columns = (table[name].to_pylist() for name in ("item_id", "annotator", "answer", "simulated"))
    for item_id, annotator, answer, simulated in zip(*columns, strict=True):
        if item_id not in probes:
            elsewhere += 1
        elif not answer:
            empty += 1
        else:
            count += 1
            (programs if simulated else people).add(annotator)
            by_probe.setdefault(item_id, {}).setdefault(annotator, []).append(answer)
    lists = {probe: ranked(answers.values()) for probe, answers in by_probe.items()}
    left = {"answers to control questions and to probes that are not here": elsewhere, "answers that are empty": empty}
    annotators = Annotators(len(people | programs), len(people))
    return People(lists, count, annotators, {what: n for what, n in left.items() if n})
