"""Ties that a person more decides: items that are undecided though as many people as wanted have been asked.

Label Studio's community edition assigns nobody. But a task of which more answers are wanted is offered again, and only
to those who have not answered it. So a push after a pull has the server want one answer more of each such task.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from tashika.annotation.adjudicating.decisions import read_adjudications
from tashika.annotation.gold.check import check_gold, rule_for
from tashika.annotation.judging.columns import compute, flat, having, strings
from tashika.annotation.judging.judgments import WITHDRAWN, read_judgments, shards
from tashika.annotation.judging.questionnaires import to_judge, voted
from tashika.annotation.labelling import ChoicePage, Page
from tashika.annotation.labelstudio.client import Server, Task
from tashika.annotation.options import RuleName
from tashika.annotation.settings import AnnotateSettings
from tashika.annotation.votes.rules import MAJORITY, Rule
from tashika.annotation.votes.vote import UNDECIDED, collect, decide
from tashika.core.counts import counted
from tashika.core.records import JUDGMENT
from tashika.core.suites.discovery import suite_argument
from tashika.core.workspace import Workspace


@dataclass(frozen=True)
class Ties:
    """The items of a kind that wait for one person more.

    Attributes:
        answers: How many answers each has on the server, skips not counted, by item.
        tied: Those of them with as many votes for as against, or equally likely by the rule; the others lack votes that
            count.
        rule: The name of the rule.
    """

    answers: Mapping[str, int]
    tied: frozenset[str]
    rule: RuleName = "majority"


def find_ties(workspace: Workspace, page: Page, settings: AnnotateSettings) -> Ties:
    """What waits for one person more, as far as it was pulled; adjudicated items do not wait.

    Args:
        workspace: Where judgments and adjudications lie.
        page: The kind; without `tie_breaker` in its settings nothing of it waits.
        settings: People an item, and the minimum of votes.
    """
    if page.training or not (
        isinstance(page, ChoicePage) and settings.kinds[page.kind].tie_breaker and shards(workspace)
    ):
        return Ties({}, frozenset())
    table, everything = workspace.read_items(page.kind), having(read_judgments(workspace), "kind", page.kind)
    on_items = flat(voted(page, table), "item_id")
    judgments = everything.filter(compute.is_in(everything["item_id"], value_set=on_items))
    ended = {row["item_id"] for row in read_adjudications(workspace) if row["decision"] != UNDECIDED}
    ended |= {*on_items.to_pylist()}.difference(to_judge(page, table, settings))
    gold = check_gold(page, table, everything, settings.most_missed) if page.checks_people else None
    return among(judgments, page, settings, ended, rule_for(page, settings, gold))


def among(
    judgments: pa.Table,
    page: ChoicePage,
    settings: AnnotateSettings,
    ended: Iterable[str] = (),
    rule: Rule = MAJORITY,
) -> Ties:
    """As `find_ties`, of judgments on the items of one kind that are voted on; the items of `ended` do not wait.

    A rule that weighs people weighs them by all of these judgments. Before it can weigh anybody the majority counts.
    """
    answers = answers_on_server(judgments)
    ended = set(ended)
    people = settings.people(page.kind)
    asked = pa.array((item for item, count in answers.items() if count >= people and item not in ended), pa.string())
    ballot = collect(pa.array(answers, pa.string()), judgments, page.choices)
    rule = rule if rule.can_weigh else MAJORITY
    decided = decide(ballot, page.kind, settings.minimum_votes, rule=rule)
    undecided = having(decided.filter(compute.is_in(decided["item_id"], value_set=asked)), "decision", UNDECIDED)
    waiting = strings(undecided, "item_id")
    tied = undecided.filter(undecided["tie"])
    return Ties({item: answers[item] for item in waiting}, frozenset(strings(tied, "item_id")), rule.name)


def answers_on_server(judgments: pa.Table) -> dict[str, int]:
    """How many answers the server counts of each item: one an annotation, sound or not, unless it is a skip."""
    given = JUDGMENT.empty_table() if not judgments.num_rows else judgments.filter(compute.invert(judgments["skipped"]))
    given = given.filter(compute.not_equal(compute.fill_null(given["problem"], ""), WITHDRAWN))
    each = given.select(["item_id", "server", "annotation_id"]).group_by(["item_id", "server", "annotation_id"])
    counts = each.aggregate([]).group_by("item_id").aggregate([([], "count_all")])
    return {row["item_id"]: int(row["count_all"]) for row in counts.to_pylist()}


def offer(server: Server, tasks: Iterable[Task], ties: Ties) -> int:
    """Has the server ask one person more about each tied task that it does not offer yet.

    Returns:
        How many tasks it offers now that it did not offer before.
    """
    opened = 0
    for task in tasks:
        wanted = ties.answers.get(task.item_id, 0) + 1
        if wanted > 1 and task.wanted < wanted:
            server.ask_more(task.task_id, wanted)
            opened += 1
    return opened


def tie_line(page: Page, ties: Ties, settings: AnnotateSettings, tasks: Sequence[Task] | None) -> str | None:
    """How many items wait for one person more, in a line; None if none does.

    Args:
        page: The kind.
        ties: What waits.
        settings: People an item.
        tasks: The tasks on the server; None if it cannot be reached.
    """
    if not ties.answers:
        return None
    lacking = len(ties.answers) - len(ties.tied)
    alike = ("item has equally likely answers", "items have equally likely answers")
    tied = alike if Rule(ties.rule).has_posterior else ("item is tied", "items are tied")
    asked = counted(settings.people(page.kind), "person")
    line = f"{page.name}: {counted(len(ties.tied), *tied)} after {asked}"
    line += f" and {counted(lacking, 'lacks', 'lack')} votes that count" if lacking else ""
    if tasks is None:
        return f"{line}; one person more decides"
    offered = {task.item_id for task in tasks if task.wanted > ties.answers.get(task.item_id, task.wanted)}
    hidden = len(ties.answers) - len(offered)
    line += f"; {counted(len(offered), 'is', 'are')} offered to one person more who has not judged them"
    return (
        f"{line}, `tashika annotate push {suite_argument(page.suite)}` offers the other {hidden:,}" if hidden else line
    )
