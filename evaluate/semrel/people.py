"""People as a system like any other: their answers to each probe, ranked (paper, section 3.3).

Both ways in give the same: the published response file, and the responses that the annotation room wrote.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import pyarrow as pa

from tashika.core.annotators import Annotators
from tashika.core.answers import answers_by_person, people_with, read_answer
from tashika.core.files import hash_value
from tashika.core.suites.semrel.responses import ProbeKey, ResponseFile
from tashika.evaluate.semrel.answers import NOBODY, PEOPLE_ANSWERS, AskedProbe, answer_row
from tashika.evaluate.semrel.metrics_model import PeopleInfo
from tashika.evaluate.semrel.ties import rank_words

_WANTED: Final = ("item_id", "annotator", "place", "answer", "simulated", "turn")


@dataclass(frozen=True)
class People:
    """What people answered.

    Attributes:
        votes: Probe's item id -> its words, the most frequent first, ties in the order of first mention, and how many
            people gave each; none is empty.
        answers: How many answers these were made of.
        annotators: Who gave them, people and programs apart; None where nobody knows (the published file).
        dropped: What was left out, and how often.
    """

    votes: Mapping[str, Mapping[str, int]]
    answers: int
    annotators: Annotators | None
    dropped: Mapping[str, int]

    @property
    def simulated(self) -> bool:
        """Whether programs are among those who answered."""
        return self.annotators is not None and self.annotators.simulated

    @property
    def lists(self) -> dict[str, list[str]]:
        """Probe's item id -> its words, ranked."""
        return {probe: list(votes) for probe, votes in self.votes.items()}

    @property
    def digest(self) -> str:
        """Of the words by frequency, whatever the order of ties: what models are asked depends on no more."""
        in_order = (
            (probe, rank_words(list(votes), list(votes.values()), "alphabetical").words)
            for probe, votes in sorted(self.votes.items())
        )
        return hash_value([[probe, list(words)] for probe, words in in_order])

    @property
    def votes_digest(self) -> str:
        """Of the lists in their order, with the votes."""
        return hash_value([[probe, list(votes.items())] for probe, votes in sorted(self.votes.items())])

    def table(self, probes: Iterable[AskedProbe]) -> pa.Table:
        """Their answers to probes, as a system's: one that nobody answered has that as its problem, and k = 0."""
        rows = []
        for probe in probes:
            votes = self.votes.get(probe.item_id, {})
            row = answer_row(probe, len(votes), list(votes) or None, None if votes else NOBODY)
            rows.append({**row, "votes": list(votes.values()) or None})
        return pa.Table.from_pylist(rows, schema=PEOPLE_ANSWERS)

    def describe(self) -> PeopleInfo:
        """For `metrics.json`."""
        return PeopleInfo(
            probes=len(self.votes),
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
        votes = people_with(answers)
        if votes:
            lists[ids[probe]] = votes
    return People(lists, count - empty, None, {"answers without a letter": empty} if empty else {})


def people_of_table(table: pa.Table, known: Iterable[str]) -> People:
    """The people of `core.records.RESPONSE` rows.

    Args:
        table: The rows, in any order.
        known: Item ids of the probes at hand; answers to others, and to control questions, are counted and left out.
    """
    probes = set(known)
    by_probe: dict[str, list[dict[str, Any]]] = {}
    people, programs = set[str](), set[str]()
    elsewhere = empty = count = 0
    wanted = [name for name in _WANTED if name in table.column_names]  # older files lack `turn`
    for row in table.select(wanted).to_pylist():
        if row["item_id"] not in probes:
            elsewhere += 1
        elif not row["answer"]:
            empty += 1
        else:
            count += 1
            (programs if row["simulated"] else people).add(row["annotator"])
            by_probe.setdefault(row["item_id"], []).append(row)
    lists = {probe: people_with(answers_by_person(rows).values()) for probe, rows in by_probe.items()}
    left = {"answers to control questions and to probes that are not here": elsewhere, "answers that are empty": empty}
    annotators = Annotators(len(people | programs), len(people))
    return People(lists, count, annotators, {what: n for what, n in left.items() if n})
