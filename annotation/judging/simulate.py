"""A rehearsal with simulated annotators: programs that answer through the server's real interface, as people do.

What they answer is stated: a suite's `plausible` stands in for the truth, and each of them answers the opposite with a
known probability; where words are asked for, the suite's `words` draws them, wrong ones with that probability. What is
known of an item (`Page.truth`, and the file of gold questions) goes before, and where people say what an item is and
nothing is known, it is drawn. Gold questions are answered by all of them, with the same probability of errors; no
training is. Their answers lie on the server like anybody's, and bear the name "simulated" wherever they go. Where
people have judged nothing is simulated: see `mixing`; `forget` takes a simulation back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from threading import Event
from typing import Any

from tashika.annotation.judging.columns import strings
from tashika.annotation.judging.lock import alone
from tashika.annotation.judging.mixing import refuse_beside_people
from tashika.annotation.judging.people import simulated_email
from tashika.annotation.judging.projects import find_project
from tashika.annotation.judging.push import families
from tashika.annotation.judging.questionnaires import by_project, crews, gold_questions
from tashika.annotation.labelling import (
    AGAINST,
    FOR,
    SEVERAL,
    AnswerPage,
    Drawer,
    FormPage,
    LabelsPage,
    Page,
    RatingPage,
    Row,
    TextPage,
    VotePage,
    WordsPage,
)
from tashika.annotation.labelstudio.account import Address
from tashika.annotation.labelstudio.client import Server, Task, http_client, refused, speaking_to
from tashika.annotation.labelstudio.signup import open_account
from tashika.annotation.settings import AnnotateSettings, SimulationSettings
from tashika.annotation.words.responses import known_words
from tashika.core.annotators import SIMULATED
from tashika.core.counts import counted
from tashika.core.draws import chance, order_key
from tashika.core.errors import ConfigError, InputError
from tashika.core.progress import bar, say
from tashika.core.suites.discovery import suite_argument
from tashika.core.workspace import Workspace


@dataclass(frozen=True)
class Actor:
    """A simulated annotator.

    Attributes:
        name: Such as `simulated-1`.
        error_rate: How often the answer is the opposite of what is plausible.
        user: The number of the account.
        token: The account's own.
    """

    name: str
    error_rate: float
    user: int
    token: str

    def __repr__(self) -> str:
        return f"Actor({self.name!r})"


Saying = bool | str | Sequence[str] | None
"""Whether it is for the item, a choice, several, or words; None for a skip."""

Work = tuple[int, Saying]
"""A task, and what is said of it."""


def answer(item_id: str, truth: bool, name: str, error_rate: float, simulation: SimulationSettings) -> bool | None:
    """How a simulated annotator judges an item; it depends on seed, name and item alone.

    Args:
        item_id: The item.
        truth: What is plausible.
        name: The annotator's.
        error_rate: How often the opposite is said.
        simulation: The seed and the rate of skips.

    Returns:
        True for the item, False against it, None for a skip.
    """
    if chance(simulation.seed, "skip", name, item_id) < simulation.skip_rate:
        return None
    return truth != (chance(simulation.seed, "error", name, item_id) < error_rate)


def assign_tie(task: Task, actors: Sequence[Actor], annotators: int) -> list[Actor]:
    """Who breaks a tie: the last actor, once the server wants more answers than were asked for at first."""
    open_again = task.wanted > max(annotators, len(task.users))
    return [actor for actor in actors[-1:] if open_again and actor.user not in task.users]


def assign(
    task: Task,
    actors: Sequence[Actor],
    annotators: int,
    seed: int,
    wanted: int | None = None,
    skipping: Set[int] = frozenset(),
) -> list[Actor]:
    """Who has still to answer a task: as many as are missing, in an order that depends on seed and item alone.

    Args:
        task: The task.
        actors: Who may be asked.
        annotators: How many judge an item at most.
        seed: Draws the order.
        wanted: How many answers the server wants, where that may be fewer than `annotators`.
        skipping: The accounts of those who skip it: then another one is asked in their place.
    """
    ranked = sorted(actors, key=lambda actor: order_key(seed, "assign", actor.name, task.item_id))
    asked: list[Actor] = []
    for actor in ranked[:annotators]:
        if wanted is None or sum(before.user not in skipping for before in asked) < wanted:
            asked.append(actor)
    missing = max(len(asked) - len(task.users), 0)
    return [actor for actor in asked if actor.user not in task.users][:missing]


def simulate(
    address: Address,
    workspace: Workspace,
    pages: Sequence[Page],
    settings: AnnotateSettings,
    *,
    despite_accounts: bool = False,
) -> int:
    """Lets simulated annotators answer whatever is still open.

    Args:
        address: The server.
        workspace: Where the items lie, and the judgments.
        pages: The kinds.
        settings: The annotators' error rates, and how many of them judge an item.
        despite_accounts: See `mixing.refuse_beside_people`.

    Returns:
        The number of answers given.

    Raises:
        ConfigError: There are fewer simulated annotators than an item needs.
        InputError: Nothing was pushed, or people have judged items of the suite or have accounts to do so.
        OutsideError: The server failed; what was answered stays, and the next run resumes from there.
    """
    simulation = settings.simulation
    most = max(settings.people(page.kind) for page in pages)
    if len(simulation.error_rates) < most + settings.breaks_ties:
        message = (
            f"{counted(len(simulation.error_rates), 'simulated annotator')} cannot give "
            f"{counted(most, 'answer')} an item"
        )
        message += " and break ties" if settings.breaks_ties else ""
        raise ConfigError(message, where="[annotate.simulation] error_rates")
    with alone(workspace.annotation):
        server = Server(address)
        refuse_beside_people(server, workspace, despite_accounts=despite_accounts)
        done = 0
        for crew, projects in crews(workspace, by_project(workspace, pages)):
            actors = cast_actors(server, address, simulation, crew)
            members = ", ".join(f"{actor.name} (wrong {actor.error_rate:.0%})" for actor in actors)
            say(
                f"simulated annotators, which are programs: {members}; "
                f"seed {simulation.seed}, skips {simulation.skip_rate:.0%}"
            )
            done += sum(_simulate_kind(server, workspace, page, actors, settings) for page in projects)
        return done


def crew_names(crew: int, simulation: SimulationSettings) -> list[str]:
    """The names of a crew: one an error rate, numbered on from the crew before."""
    size = len(simulation.error_rates)
    return [f"{SIMULATED}{number}" for number in range(crew * size + 1, (crew + 1) * size + 1)]


def cast_actors(server: Server, address: Address, simulation: SimulationSettings, crew: int = 0) -> list[Actor]:
    """Opens an account for each simulated annotator of a crew."""
    numbers = {email: number for number, email in server.users().items()}
    names = crew_names(crew, simulation)
    invitation = server.invitation()
    tokens = {
        name: open_account(address, invitation, simulated_email(name), exists=simulated_email(name) in numbers)
        for name in names
    }
    numbers = {email: number for number, email in server.users().items()}
    return [
        Actor(name, rate, numbers[simulated_email(name)], tokens[name])
        for name, rate in zip(names, simulation.error_rates, strict=True)
    ]


def _simulate_kind(
    server: Server, workspace: Workspace, page: Page, actors: Sequence[Actor], settings: AnnotateSettings
) -> int:
    project = find_project(server, workspace, page, server.identity())
    if project is None:
        hint = f"Run `tashika annotate push {suite_argument(page.suite)}` first."
        raise InputError(f"the server has no project {page.title!r}", where=server.url, hint=hint)
    tasks = sorted(server.tasks(project.project_id), key=lambda task: task.task_id)
    todo = plan_answers(workspace, page, tasks, actors, settings)
    total = sum(map(len, todo.values()))
    if not total:
        say(f"{page.name}: nothing left to answer for the simulated annotators")
        return 0
    with bar(f"simulated annotators answer {page.name} tasks", total) as advance:
        _answer_all(server.url, page, todo, advance)
    say(f"{page.name}: {counted(total, 'simulated answer')} given")
    return total


def plan_answers(
    workspace: Workspace, page: Page, tasks: Sequence[Task], actors: Sequence[Actor], settings: AnnotateSettings
) -> dict[Actor, list[Work]]:
    """What each simulated annotator has still to judge; tasks whose item is not in the workspace are left alone."""
    simulation = settings.simulation
    sayings = statements(workspace, page, [task.item_id for task in tasks], simulation)
    todo: dict[Actor, list[Work]] = {actor: [] for actor in actors}
    judges = actors[:-1] if settings.breaks_ties else actors
    people = settings.people(page.kind)
    gold = set(strings(gold_questions(page, workspace.read_items(page.kind)), "item_id"))
    for task in tasks:
        if task.item_id in sayings:
            says = sayings[task.item_id]
            if task.item_id in gold:
                asked = assign(task, judges, len(judges), simulation.seed)
            elif settings.stops:
                skipping = {actor.user for actor in judges if says(actor) is None}
                asked = assign(task, judges, people, simulation.seed, task.wanted, skipping)
            else:
                asked = assign(task, judges, people, simulation.seed)
            if settings.kinds[page.kind].tie_breaker and task.item_id not in gold:
                asked += assign_tie(task, actors, people)
            for actor in asked:
                todo[actor].append((task.task_id, says(actor)))
    return todo


def statements(
    workspace: Workspace, page: Page, item_ids: Sequence[str], simulation: SimulationSettings
) -> Mapping[str, Callable[[Actor], Saying]]:
    """How each simulated annotator judges each item: for, against, a choice, words, or None for a skip."""
    rows = families(workspace.read_items(page.kind), item_ids)
    if isinstance(page, WordsPage):
        draw = page.words(workspace)
        known = {item_id: {"known_answers": words} for item_id, words in known_words(page).items()}
        return {
            row["item_id"]: partial(_words, {**row, **known.get(row["item_id"], {})}, draw, simulation)
            for row, _ in rows
        }
    if isinstance(page, FormPage | TextPage):
        return {row["item_id"]: partial(say_form, page, row, _truth(page, row), simulation) for row, _ in rows}
    if isinstance(page, AnswerPage):
        choices = list(page.choices)
        return {
            row["item_id"]: partial(_choice, row["item_id"], page.right_choice(row), choices, simulation)
            for row, _ in rows
        }
    assert isinstance(page, VotePage)
    return {row["item_id"]: _vote(page, row, parents, simulation) for row, parents in rows}


def _truth(page: Page, row: Row) -> str | None:
    """What is right: what the file of gold questions says, else what the page knows; None where neither does."""
    by_file = page.gold.get(row["item_id"])
    return page.truth(row) if by_file is None else by_file.answer


def _vote(
    page: VotePage, row: Row, parents: Sequence[Row], simulation: SimulationSettings
) -> Callable[[Actor], Saying]:
    """The choice that is known to be right or another one; where none is known for or against what is plausible."""
    known = _truth(page, row)
    if known is not None:
        return partial(_choice, row["item_id"], known, list(page.choices), simulation)
    return partial(_verdict, row["item_id"], page.plausible(row, parents), simulation)


def _verdict(item_id: str, truth: bool, simulation: SimulationSettings, actor: Actor) -> bool | None:
    return answer(item_id, truth, actor.name, actor.error_rate, simulation)


def _choice(
    item_id: str, right: str, choices: Sequence[str], simulation: SimulationSettings, actor: Actor
) -> str | None:
    """The right choice, or with the annotator's error rate one of the others."""
    knows = answer(item_id, True, actor.name, actor.error_rate, simulation)
    if knows is None:
        return None
    others = [choice for choice in choices if choice != right]
    return right if knows else others[int(chance(simulation.seed, "choice", actor.name, item_id) * len(others))]


def say_form(
    page: FormPage | TextPage, row: Row, truth: str | None, simulation: SimulationSettings, actor: Actor
) -> Saying:
    """What a simulated annotator says an item is: what is known, else what is drawn for the item; or an error.

    An error is another label, one label more or less, the point beside it, the other side, or another text.
    """
    item_id, seed = row["item_id"], simulation.seed
    knows = answer(item_id, True, actor.name, actor.error_rate, simulation)
    if knows is None:
        return None
    if isinstance(page, TextPage):
        right = truth or f"simulated text {order_key(seed, 'truth', item_id).hex()[:8]}"
        return (right if knows else f"simulated error {order_key(seed, 'text', actor.name, item_id).hex()[:8]}",)
    right = truth or page.labels[int(chance(seed, "truth", item_id) * len(page.labels))]
    drawn = chance(seed, "choice", actor.name, item_id)
    said = right.split(SEVERAL) if knows else _wrong(page, right, drawn)
    choices = [page.choice_of(label, item_id) for label in said]
    return choices if isinstance(page, LabelsPage) else choices[0]


def _wrong(page: FormPage, right: str, drawn: float) -> list[str]:
    """A wrong answer, by a number in [0, 1)."""
    if isinstance(page, RatingPage):
        place = page.labels.index(right)
        beside = [page.labels[at] for at in (place - 1, place + 1) if 0 <= at < len(page.labels)]
        return [beside[int(drawn * len(beside))]]
    if isinstance(page, LabelsPage):
        taken = set(right.split(SEVERAL))
        others = [taken ^ {label} for label in page.labels if taken != {label}]
        return page.joined(others[int(drawn * len(others))]).split(SEVERAL)
    others_of_one = [label for label in page.labels if label != right]
    return [others_of_one[int(drawn * len(others_of_one))]]


def _words(row: Row, draw: Drawer, simulation: SimulationSettings, actor: Actor) -> Sequence[str] | None:
    if answer(row["item_id"], True, actor.name, 0.0, simulation) is None:
        return None
    return draw(row, actor.name, actor.error_rate, simulation.seed)


def _answer_all(url: str, page: Page, todo: Mapping[Actor, Sequence[Work]], advance: Callable[[int], None]) -> None:
    # One connection an annotator: side by side the server answers two to three times as many a second.
    stop = Event()
    with ThreadPoolExecutor(len(todo)) as pool:
        jobs = [pool.submit(_answer, url, page, actor, work, advance, stop) for actor, work in todo.items()]
        try:
            wait(jobs, return_when=FIRST_EXCEPTION)
        finally:
            stop.set()  # after an error or Ctrl-C the others end with the answer at hand
        for job in jobs:
            job.result()


def _answer(
    url: str, page: Page, actor: Actor, work: Sequence[Work], advance: Callable[[int], None], stop: Event
) -> None:
    with http_client(url) as session:
        session.headers["Authorization"] = f"Token {actor.token}"
        for task_id, body in bodies(page, work):
            if stop.is_set():
                return
            with speaking_to(url):
                reply = session.post(f"{url}/api/tasks/{task_id}/annotations/", json=body)
            if reply.status_code != 201:
                raise refused(reply, url)
            advance(1)


def bodies(page: Page, work: Sequence[Work]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yields each task with the annotation that Label Studio's own page would send."""
    target = page.target
    for task_id, statement in work:
        if statement is None:
            yield task_id, {"result": [], "was_cancelled": True}
            continue
        name, kind = page.controls[0]
        if kind == "choices":
            value = {"choices": _taken(page, statement)}
        else:
            value = {"text": ["\n".join(_words_of(statement))]}
        yield task_id, {"result": [{"from_name": name, "type": kind, "value": value, "to_name": target}]}


def _taken(page: Page, statement: Saying) -> list[str]:
    """The choices on the page."""
    if isinstance(statement, str):
        return [statement]
    if isinstance(statement, Sequence):
        return list(statement)
    assert isinstance(page, VotePage)
    return [page.choice_that_counts(FOR if statement else AGAINST)]


def _words_of(statement: Saying) -> Sequence[str]:
    assert isinstance(statement, Sequence)
    return statement
