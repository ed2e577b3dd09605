"""How many people each item is asked of: fewer where the verdict is fixed, more where the first people disagree.

The server offers a task until as many people as it wants have answered it. So it is made to want no more of decided
items, and one more of contested ones, by what was pulled: after a pull, by `push` and by `watch`. What a decided item
was spared is counted as saved.

Gold questions stay open to everybody, since they check the people (see `gold.everybody`). Ties that one more person
breaks are offered by `votes.ties`; an item that waits for that is not touched here. What was adjudicated needs no more
votes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from tashika.annotation.adjudicating.decisions import read_adjudications
from tashika.annotation.judging.columns import compute, flat, having, strings
from tashika.annotation.judging.judgments import read_judgments, shards
from tashika.annotation.judging.overlap import (
    LabelsTally,
    LabelTally,
    Tally,
    VerdictTally,
    is_decided,
    is_uncontested,
)
from tashika.annotation.judging.questionnaires import gold_questions, to_judge
from tashika.annotation.labelling import FOR, LabelPage, LabelsPage, Page, PreferencePage, VotePage
from tashika.annotation.labelstudio.client import Server, Task
from tashika.annotation.settings import AnnotateSettings
from tashika.annotation.votes.forms import collect_form
from tashika.annotation.votes.ties import Ties, answers_on_server, offer
from tashika.annotation.votes.vote import UNDECIDED, Ballot, collect, normalise
from tashika.core.counts import counted
from tashika.core.errors import ConfigError
from tashika.core.progress import bar
from tashika.core.records import JUDGMENT
from tashika.core.workspace import Workspace

StoppingPage = VotePage | LabelPage | LabelsPage | PreferencePage
"""Pages whose votes can decide an item before everybody has voted."""

STOPPING_RULES = ("majority", "unanimous")
"""Rules by which a verdict can be fixed before all votes are cast."""


@dataclass(frozen=True)
class Asked:
    """How many people the items of a project are asked of.

    Attributes:
        page: The page.
        people: How many judge an item at most.
        wanted: Of each item, how many shall be asked.
        answers: How many answers each has on the server, skips not counted; items without any are left out.
        closed: Items that need no more answers, though fewer than `people` have answered them.
        gold: Items whose answer is known.
    """

    page: Page
    people: int
    wanted: Mapping[str, int]
    answers: Mapping[str, int]
    closed: frozenset[str]
    gold: frozenset[str] = frozenset()

    @property
    def saved(self) -> int:
        """Votes that need not be given."""
        return sum(self.people - self.answers[item_id] for item_id in self.closed)

    @property
    def votes(self) -> int:
        """All votes that would be given without stopping."""
        return self.people * (len(self.wanted) - len(self.gold))

    @property
    def line(self) -> str | None:
        """The votes saved, in words; None where there are none."""
        if not self.closed:
            return None
        early = f"{counted(len(self.closed), 'item')} decided early"
        return f"{self.page.name}: {self.saved:,} of {counted(self.votes, 'vote')} not needed, {early}"


@dataclass(frozen=True)
class Changes:
    """What the server was made to want.

    Attributes:
        stopped: Tasks that people get no more.
        raised: Tasks that more people get than before.
    """

    stopped: int
    raised: int


def refuse_rule(page: Page, settings: AnnotateSettings) -> None:
    """Refuses to stop items early by a rule for which every vote on any item matters to the verdicts on all.

    Raises:
        ConfigError: The settings ask for it.
    """
    rule = settings.rule_of(page.kind)
    if settings.stops and isinstance(page, StoppingPage) and rule not in STOPPING_RULES:
        reason = f"the rule {rule} weighs people by all of their votes, and no verdict is fixed before the last of them"
        hint = (
            f"Leave stop_early and adaptive out, or set rule to {' or '.join(STOPPING_RULES)}; "
            f"`tashika annotate vote --rule {rule}` counts the votes by it all the same."
        )
        raise ConfigError(f"{page.kind}: {reason}", where="[annotate]", hint=hint)


def people_at_first(page: Page, settings: AnnotateSettings) -> int:
    """How many people are asked about an item of a page before anything is known of it.

    A training asks one, and its tasks are opened to everybody one by one: a project that asks several begins, for
    whoever comes later, with what others have answered, in no order.
    """
    if page.training:
        return 1
    people = settings.people(page.kind)
    return min(settings.minimum_votes, people) if settings.adaptive and isinstance(page, StoppingPage) else people


def asked(workspace: Workspace, page: Page, settings: AnnotateSettings) -> Asked:
    """How many people shall be asked about each item of a project, by what was pulled.

    Args:
        workspace: Where items, judgments and adjudications lie.
        page: The page.
        settings: Whether items are stopped early, and how many people judge one.
    """
    table = workspace.read_items(page.kind)
    item_ids = to_judge(page, table, settings)
    people = settings.people(page.kind)
    gold = frozenset(strings(gold_questions(page, table), "item_id"))
    if page.training or not (settings.stops and isinstance(page, StoppingPage)):
        return Asked(page, people, dict.fromkeys(item_ids, people), {}, frozenset(), gold)
    judgments = having(read_judgments(workspace), "kind", page.kind) if shards(workspace) else JUDGMENT.empty_table()
    ended = {row["item_id"] for row in read_adjudications(workspace) if row["decision"] != UNDECIDED}
    voted = [item_id for item_id in item_ids if item_id not in gold]
    plan = ask(page, voted, judgments, settings, ended)
    return Asked(page, people, {**plan.wanted, **dict.fromkeys(gold, people)}, plan.answers, plan.closed, gold)


def ask(
    page: StoppingPage,
    item_ids: Sequence[str],
    judgments: pa.Table,
    settings: AnnotateSettings,
    ended: Iterable[str] = (),
) -> Asked:
    """As `asked`, of judgments on the items of one kind that are voted on; those of `ended` need no more votes."""
    answers = answers_on_server(judgments.filter(compute.is_in(judgments["item_id"], value_set=_texts(item_ids))))
    people, first, ended = settings.people(page.kind), people_at_first(page, settings), set(ended)
    ties_are_broken = settings.kinds[page.kind].tie_breaker
    wanted = dict.fromkeys(item_ids, first)
    closed = set()
    for item_id, tally in tallies(page, sorted(answers), judgments, settings):
        given = answers[item_id]
        done = item_id in ended or is_decided(
            tally, given, people, settings.minimum_votes, ties_are_broken=ties_are_broken
        )
        if done or (settings.adaptive and is_uncontested(tally, settings.minimum_votes)):
            wanted[item_id] = min(given, people)
            closed |= {item_id} if given < people else set()
        elif given >= first:
            wanted[item_id] = min(given + 1, people)
    return Asked(page, people, wanted, answers, frozenset(closed))


def answers_left(plan: Asked, ties: Ties, given: Mapping[str, int]) -> dict[str, int]:
    """How many answers more each item of a project gets, as far as it is known today.

    Args:
        plan: See `asked`.
        ties: Items that one more person decides.
        given: How many answers each has on the server, see `ties.answers_on_server`.
    """
    return {
        item_id: max(wanted + (item_id in ties.answers) - given.get(item_id, 0), 0)
        for item_id, wanted in plan.wanted.items()
    }


def still_to_answer(
    workspace: Workspace, page: Page, settings: AnnotateSettings, met: Mapping[str, int]
) -> dict[str, int]:
    """How many people more may answer each of some undecided items before it is open for good.

    Where ties are broken one person more is waited for than an item gets at first. What was taken from people early
    waits for nobody.

    Args:
        workspace: See `asked`, as for `page` and `settings`.
        page: The page of the whole kind.
        settings: People an item.
        met: How many people have met each item.
    """
    closed = asked(workspace, page, settings).closed
    people = settings.people(page.kind) + settings.kinds[page.kind].tie_breaker
    return {item_id: 0 if item_id in closed else max(people - count, 0) for item_id, count in met.items()}


def tallies(
    page: StoppingPage, item_ids: Sequence[str], judgments: pa.Table, settings: AnnotateSettings
) -> Iterator[tuple[str, Tally]]:
    """Yields the votes on each item."""
    by_all = settings.rule_of(page.kind) == "unanimous"
    if isinstance(page, VotePage):
        ballot = collect(_texts(item_ids), judgments, page.choices)
        votes_for, typed = ballot.cast(FOR).tolist(), _typed(ballot)
        against = ballot.cast(-FOR).tolist()
        for place, item_id in enumerate(ballot.item_ids.to_pylist()):
            yield str(item_id), VerdictTally(votes_for[place], against[place], typed.get(place, 0), by_all)
        return
    form = collect_form(page, _texts(item_ids), judgments)
    cast = form.cast.tolist()
    for place, (item_id, counts) in enumerate(zip(form.item_ids.to_pylist(), form.counts().tolist(), strict=True)):
        several = isinstance(page, LabelsPage)
        yield str(item_id), LabelsTally(counts, cast[place], by_all) if several else LabelTally(counts, by_all)


def _typed(ballot: Ballot) -> dict[int, int]:
    """How many supporters of an item typed the correction that most of them typed, by the item's position."""
    supports = [vote == FOR for vote in ballot.choices.values()]
    texts = normalise(flat(ballot.votes, "text")).to_pylist()
    counts = Counter(
        (item, text)
        for item, label, text in zip(ballot.items.tolist(), ballot.labels.tolist(), texts, strict=True)
        if text is not None and supports[label]
    )
    most: dict[int, int] = {}
    for (item, _), count in counts.items():
        most[item] = max(most.get(item, 0), count)
    return most


def _texts(item_ids: Sequence[str]) -> pa.StringArray:
    return pa.array(item_ids, pa.string())


def bring_to_server(server: Server, tasks: Iterable[Task], plan: Asked, ties: Ties) -> Changes:
    """Has the server want as many answers of each task as planned.

    Args:
        server: Where the tasks are.
        tasks: All tasks of the project, as they were before.
        plan: See `asked`.
        ties: Items that one more person decides; their tasks stay as they are.
    """
    todo = [
        (task, wanted)
        for task in tasks
        for wanted in [plan.wanted.get(task.item_id, task.wanted)]
        if task.item_id not in ties.answers
        and task.item_id not in plan.gold
        and (wanted > task.wanted or (wanted < task.wanted and wanted < plan.people))
    ]
    if todo:
        with bar(f"asking more or fewer people about {plan.page.name} items", len(todo)) as advance:
            for task, wanted in todo:
                server.ask_more(task.task_id, wanted, complete=plan.answers.get(task.item_id, 0) >= wanted)
                advance(1)
    raised = sum(wanted > task.wanted for task, wanted in todo)
    return Changes(len(todo) - raised, raised)


def adapt(server: Server, page: Page, tasks: Sequence[Task], plan: Asked, ties: Ties) -> list[str]:
    """Offers ties to one person more, and brings a project's other tasks to what is planned.

    Returns:
        What was done, in lines.
    """
    opened, changes = offer(server, tasks, ties), bring_to_server(server, tasks, plan, ties)
    lines = (
        [f"{page.name}: {counted(opened, 'undecided item is', 'undecided items are')} now offered to one person more"]
        if opened
        else []
    )
    if changes.raised:
        lines.append(
            f"{page.name}: {counted(changes.raised, 'item is', 'items are')} now offered to more people than before"
        )
    if plan.line:
        lines.append(f"{plan.line}; {changes.stopped:,} more taken from people now")
    return lines


def saved_lines(workspace: Workspace, pages: Sequence[Page], settings: AnnotateSettings) -> list[str]:
    """The votes that early stopping saves by what was pulled, a line a kind."""
    if not settings.stops:
        return []
    lines = [asked(workspace, page, settings).line for page in pages if isinstance(page, StoppingPage)]
    return [line for line in lines if line]
