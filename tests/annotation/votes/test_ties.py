"""What waits for one person more, and who is offered it."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType
from typing import Any, cast

import pytest

from tashika.annotation.judging.simulate import Actor, assign_tie, plan_answers, simulate
from tashika.annotation.labelling import Page, choice_pages
from tashika.annotation.labelstudio.account import Address
from tashika.annotation.labelstudio.client import Server, Task
from tashika.annotation.settings import AnnotateSettings, KindSettings, SimulationSettings
from tashika.annotation.votes.rules import Accuracy, Rule
from tashika.annotation.votes.ties import Ties, among, answers_on_server, find_ties, offer, tie_line
from tashika.core.errors import ConfigError
from tashika.core.workspace import Workspace

SETTINGS = AnnotateSettings(
    annotators=2,
    kinds={"template": KindSettings(tie_breaker=True)},
    simulation=SimulationSettings(error_rates=(0.0, 0.0, 0.0), skip_rate=0.0),
)


def waiting(samples: ModuleType, page: Page, *said: tuple[str, str | None], ended: tuple[str, ...] = ()) -> Ties:
    """What waits after these answers on the item "i": (person, choice), no choice for a skip, "?" for a broken one."""
    rows = [
        samples.judgment(
            "i",
            person,
            None if choice in {None, "?"} else choice,
            skipped=choice is None,
            problem="empty result" if choice == "?" else None,
            annotation_id=number,
        )
        for number, (person, choice) in enumerate(said)
    ]
    (asked,) = choice_pages([page])
    return among(samples.judgment_table(*rows), asked, SETTINGS, ended)


def test_what_two_people_leave_undecided_waits(samples: ModuleType, pages: list[Page]) -> None:
    page = pages[0]
    tie = (("a", "valid"), ("b", "invalid"))
    assert waiting(samples, page, *tie) == Ties({"i": 2}, frozenset("i"))
    assert waiting(samples, page, *tie, ended=("i",)).answers == {}
    assert waiting(samples, page, *tie, ("c", "valid")).answers == {}
    assert waiting(samples, page, ("a", "valid"), ("b", "valid")).answers == {}
    assert waiting(samples, page, ("a", "valid")).answers == {}  # somebody is still to answer
    # The server does not count skips: it offers the item to another person by itself.
    assert waiting(samples, page, ("a", "valid"), ("b", None)).answers == {}
    assert waiting(samples, page, ("a", "valid"), ("b", None), ("c", "invalid")) == Ties({"i": 2}, frozenset("i"))
    # But it counts what is no judgment.
    assert waiting(samples, page, ("a", "valid"), ("b", "?")) == Ties({"i": 2}, frozenset())


def test_what_a_rule_decides_is_no_tie(samples: ModuleType, pages: list[Page]) -> None:
    """Of two people one is right twice as often by the gold questions: by their weights the vote is no tie."""
    (page, *_) = choice_pages(pages)
    rows = [samples.judgment("i", person, label, annotation_id=n) for n, (person, label) in enumerate(
        [("a", "valid"), ("b", "invalid")]
    )]  # fmt: skip
    table = samples.judgment_table(*rows)
    accurate = Rule("weighted", Accuracy({"a": (9, 10), "b": (6, 10)}))
    assert among(table, page, SETTINGS, rule=accurate).answers == {}
    alike = Rule("weighted", Accuracy({"a": (9, 10), "b": (9, 10)}))
    assert among(table, page, SETTINGS, rule=alike).tied == frozenset("i")
    nobody_weighed = Rule("weighted")
    assert among(table, page, SETTINGS, rule=nobody_weighed) == among(table, page, SETTINGS)


def test_an_answer_that_was_changed_is_one_answer(samples: ModuleType) -> None:
    rows = [samples.judgment("i", "a", label, annotation_id=7) for label in ("valid", "invalid")]
    rows.append(samples.judgment("i", "b", annotation_id=7, server="another"))
    assert answers_on_server(samples.judgment_table(*rows)) == {"i": 2}
    assert answers_on_server(samples.judgment_table()) == {}


def test_without_judgments_or_the_setting_nothing_waits(
    workspace: Workspace, pages: list[Page], settings: AnnotateSettings
) -> None:
    assert find_ties(workspace, pages[0], SETTINGS).answers == {}
    assert find_ties(workspace, pages[0], settings).answers == {}


def test_a_tied_task_is_offered_once() -> None:
    asked: list[tuple[int, int]] = []

    class Recorder:
        def ask_more(self, task_id: int, wanted: int) -> None:
            asked.append((task_id, wanted))

    ties = Ties({"a": 2, "b": 2}, frozenset("a"))
    tasks = [Task(1, "a", frozenset({1, 2}), 2), Task(2, "b", frozenset({1, 2}), 3), Task(3, "c", frozenset(), 2)]
    assert offer(cast(Server, Recorder()), tasks, ties) == 1
    assert asked == [(1, 3)]


def test_what_waits_is_tie_line(pages: list[Page]) -> None:
    ties = Ties({"a": 2, "b": 2, "c": 2}, frozenset("ab"))
    assert tie_line(pages[0], Ties({}, frozenset()), SETTINGS, None) is None
    line = tie_line(pages[0], ties, SETTINGS, None)
    assert line == "template: 2 items are tied after 2 people and 1 lacks votes that count; one person more decides"
    by_model = tie_line(pages[0], replace(ties, rule="dawid-skene"), SETTINGS, None)
    assert by_model is not None
    assert by_model.startswith("template: 2 items have equally likely answers after 2 people and 1 lack")
    tasks = [Task(number, item, frozenset(), 3) for number, item in enumerate("abc")]
    assert "3 are offered to one person more" in str(tie_line(pages[0], ties, SETTINGS, tasks))
    assert "push" not in str(tie_line(pages[0], ties, SETTINGS, tasks))
    assert "`tashika annotate push myriadlama` offers the other 2" in str(tie_line(pages[0], ties, SETTINGS, tasks[:1]))


def test_the_last_simulated_person_breaks_ties_and_does_nothing_else(workspace: Workspace, pages: list[Page]) -> None:
    actors = [Actor(f"simulated-{number}", 0.0, number, "t") for number in (1, 2, 3)]
    items: list[Any] = workspace.read_items("template")["item_id"].to_pylist()[:3]

    def asked(*tasks: Task) -> dict[str, list[int]]:
        todo = plan_answers(workspace, pages[0], tasks, actors, SETTINGS)
        return {actor.name: [task_id for task_id, _ in work] for actor, work in todo.items()}

    fresh = Task(1, items[0], frozenset(), 2)
    tied = Task(2, items[1], frozenset({1, 2}), 3)
    ended = Task(3, items[2], frozenset({1, 2}), 2)
    assert asked(fresh, tied, ended) == {"simulated-1": [1], "simulated-2": [1], "simulated-3": [2]}
    assert assign_tie(Task(2, items[1], frozenset({1, 2, 3}), 3), actors, 2) == []
    assert assign_tie(Task(2, items[1], frozenset({1, 2, 3}), 4), actors, 2) == []  # nobody judges twice


def test_too_few_simulated_people_to_break_ties_are_refused(workspace: Workspace, pages: list[Page]) -> None:
    two = SETTINGS.model_copy(update={"simulation": SimulationSettings(error_rates=(0.1, 0.1))})
    with pytest.raises(ConfigError, match="2 simulated annotators cannot give 2 answers an item and break ties"):
        simulate(Address("http://127.0.0.1:1", "t"), workspace, pages, two)
