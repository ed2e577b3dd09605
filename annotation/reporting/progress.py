"""How far the judging is by kind and by annotator, from what was pulled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import pyarrow as pa

from tashika.annotation.judging.columns import compute, having
from tashika.annotation.judging.stopping import answers_left, asked
from tashika.annotation.labelling import Page
from tashika.annotation.settings import AnnotateSettings
from tashika.annotation.votes.ties import answers_on_server, find_ties
from tashika.annotation.votes.vote import latest_statements
from tashika.core.records import DECISIONS
from tashika.core.workspace import Workspace


@dataclass(frozen=True)
class KindProgress:
    """How far a kind is.

    Attributes:
        kind: Its name.
        wanted: Items that people judge, gold questions among them.
        asked: Answers that are wanted of all of them together, as far as it is known: fewer where items are stopped
            early, more where contested ones are offered on.
        people: People an item.
        begun: Items with at least one answer.
        complete: Items with as many answers as are wanted.
        answers: Answers given, the last of each person on each item.
        left: Answers that are still wanted.
        decisions: Items by decision, of the last count of the votes.
        times: When the answers were given.
    """

    kind: str
    wanted: int
    asked: int
    people: int
    begun: int
    complete: int
    answers: int
    left: int
    decisions: Mapping[str, int]
    times: Sequence[datetime] = ()

    @property
    def share(self) -> float:
        """How much of the wanted answers is there, 0 to 1."""
        return (self.asked - self.left) / self.asked if self.asked else 0.0


def kind_progress(
    workspace: Workspace, page: Page, settings: AnnotateSettings, judgments: pa.Table, verdicts: pa.Table | None
) -> KindProgress:
    """How far a kind is.

    Args:
        workspace: Where the items lie.
        page: The kind's page.
        settings: People an item.
        judgments: Rows of `records.JUDGMENT` of the kind.
        verdicts: Rows of `records.VERDICT`; None before the first count.
    """
    plan, ties = asked(workspace, page, settings), find_ties(workspace, page, settings)
    left = answers_left(plan, ties, answers_on_server(judgments))
    answers = latest_statements(judgments)
    an_item = Counter(answers["item_id"].to_pylist())
    decisions = (
        Counter(having(verdicts, "kind", page.kind)["decision"].to_pylist()) if verdicts is not None else Counter()
    )
    return KindProgress(
        kind=page.kind,
        wanted=len(plan.wanted),
        asked=sum(plan.wanted.values()) + sum(item_id in plan.wanted for item_id in ties.answers),
        people=plan.people,
        begun=sum(an_item[item_id] > 0 for item_id in plan.wanted),
        complete=sum(not count for count in left.values()),
        answers=answers.num_rows,
        left=sum(left.values()),
        decisions={decision: decisions[decision] for decision in DECISIONS} if decisions else {},
        times=[time for time in answers["created_at"].to_pylist() if time is not None],
    )


@dataclass
class Person:
    """What an annotator did.

    Attributes:
        name: A pseudonym, or the name of a simulated annotator.
        simulated: Whether it is a program.
        answers: By kind, the last on each item.
        skips: Items passed over.
        problems: Answers that are no judgment.
        first: The first answer.
        last: The last one.
        measures: What `validation.json` says of the annotator, by kind.
    """

    name: str
    simulated: bool = False
    answers: Counter[str] = field(default_factory=Counter)
    skips: int = 0
    problems: int = 0
    first: datetime | None = None
    last: datetime | None = None
    measures: dict[str, Mapping[str, Any]] = field(default_factory=dict)


def people_of(judgments: pa.Table, kinds: Iterable[str], summary: Mapping[str, Any]) -> list[Person]:
    """The annotators by name.

    Args:
        judgments: Rows of `records.JUDGMENT` of all kinds.
        kinds: The kinds that the report shows.
        summary: The content of `validation.json`.
    """
    people: dict[str, Person] = {}
    kinds = list(kinds)
    judgments = judgments.filter(compute.is_in(judgments["kind"], value_set=pa.array(kinds, pa.string())))
    for row in judgments.select(["annotator", "simulated", "skipped", "problem", "created_at"]).to_pylist():
        person = people.setdefault(row["annotator"], Person(row["annotator"]))
        person.simulated |= row["simulated"]
        person.skips += row["skipped"] and row["problem"] is None
        person.problems += row["problem"] is not None
        person.first = min(person.first or row["created_at"], row["created_at"])
        person.last = max(person.last or row["created_at"], row["created_at"])
    for row in latest_statements(judgments).select(["annotator", "kind"]).to_pylist():
        people[row["annotator"]].answers[row["kind"]] += 1
    for kind in kinds:
        for name, measures in summary.get(kind, {}).get("by_annotator", {}).items():
            people.setdefault(name, Person(name)).measures[kind] = measures
    return [people[name] for name in sorted(people)]
