"""Gold questions of published suites: votes for and against, questions with a right answer, and words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pyarrow as pa

from tashika.annotation.commands.shared import load_pages
from tashika.annotation.gold.verdicts import known_verdicts
from tashika.annotation.judging.questionnaires import by_project, to_judge
from tashika.annotation.judging.simulate import Actor, plan_answers
from tashika.annotation.kuci.pages import PAGES as KUCI
from tashika.annotation.labelling import Known, Page
from tashika.annotation.labelstudio.client import Task
from tashika.annotation.semrel.pages import PAGES as SEMREL
from tashika.annotation.settings import AnnotateSettings, KindSettings, SimulationSettings
from tashika.annotation.words.responses import known_words, review
from tashika.core.records import JUDGMENT
from tashika.core.workspace import Workspace
from tests.annotation.gold.samples import write_gold

SETTINGS = AnnotateSettings(
    annotators=2,
    kinds={"template": KindSettings(tie_breaker=True)},
    simulation=SimulationSettings(error_rates=(0.0, 0.0, 1.0, 0.0), skip_rate=0.0),
)


WORDS = AnnotateSettings(
    annotators=2,
    kinds={"probe": KindSettings()},
    simulation=SimulationSettings(error_rates=(0.0, 0.0, 1.0), skip_rate=0.0),
)


def actors() -> list[Actor]:
    rates = SETTINGS.simulation.error_rates
    return [Actor(f"simulated-{number}", rate, number, "t") for number, rate in enumerate(rates, 1)]


def test_the_place_of_the_file_counts_from_the_settings(workspace: Workspace, tmp_path: Path) -> None:
    first, second, *_ = workspace.read_items("template")["item_id"].to_pylist()
    folder = tmp_path / "mine"
    folder.mkdir()
    write_gold(folder / "gold.csv", [[str(first), "valid", "why"], [str(second), "invalid", ""]])
    config = folder / "settings.toml"
    config.write_text('suite = "myriadlama"\n[annotate.gold]\nfile = "gold.csv"\nmost_missed = 0.1\n')
    settings, pages = load_pages("myriadlama", config, workspace.root)
    assert (settings.most_missed, settings.gold.training) == (0.1, 0)
    page = next(page for page in pages if page.kind == "template")
    assert {item: known.answer for item, known in page.gold.items()} == {first: "valid", second: "invalid"}
    verdicts = {row["item_id"]: row for row in known_verdicts(page, workspace.read_items("template"))}
    assert [(verdicts[item]["decision"], verdicts[item]["rule"]) for item in (str(first), str(second))] == [
        ("accepted", "gold"),
        ("rejected", "gold"),
    ]


def test_simulated_annotators_all_answer_gold_questions_with_their_error_rates(
    workspace: Workspace, pages: list[Page]
) -> None:
    page = next(page for page in pages if page.kind == "template")
    ids = [str(item) for item in workspace.read_items("template")["item_id"].to_pylist()]
    page = replace(page, gold={ids[0]: Known("invalid")})
    tasks = [Task(number, item, frozenset(), wanted=1_000) for number, item in enumerate(ids)]
    todo = plan_answers(workspace, page, tasks, actors(), SETTINGS)
    said = {actor.name: dict(work).get(0) for actor, work in todo.items()}
    # The last one breaks ties and does nothing else; a gold question is no tie.
    assert said == {"simulated-1": "invalid", "simulated-2": "invalid", "simulated-3": "valid", "simulated-4": None}
    judges = [actor.name for actor, work in todo.items() for number, _ in work if number == 1]
    assert len([name for name in judges if name != "simulated-4"]) == 2


def test_a_question_whose_answer_is_known_is_right(kuci_samples: ModuleType, tmp_path: Path) -> None:
    workspace = Workspace(tmp_path, "kuci")
    row = kuci_samples.question(2)
    kuci_samples.write(workspace, "question", row)
    page = replace(KUCI[1], gold={row["item_id"]: Known("3")})
    (verdict,) = known_verdicts(page, workspace.read_items("question"))
    assert (verdict["decision"], verdict["text"], verdict["votes_cast"]) == ("accepted", None, 0)


def test_a_probe_of_known_answer_checks_people_and_is_no_response(probes: Workspace, samples: ModuleType) -> None:
    items = probes.read_items("probe")
    rows = {(row["target"], row["questionnaire"]): row["item_id"] for row in items.to_pylist()}
    gold, other = rows["dog", 1], rows["cat", 1]
    page = replace(SEMREL[0], gold={gold: Known("pet\nfriend")})
    said = [
        samples.judgment(item, name, None, kind="probe", text=text, annotation_id=number)
        for number, (item, name, text) in enumerate(
            [(gold, "a", "house\nFriend"), (gold, "b", "stone"), (other, "a", "feline"), (other, "b", "animal")], 1
        )
    ]
    judgments = pa.Table.from_pylist(said, schema=JUDGMENT)
    reviewed = review(items, judgments, str, 0.3, known_words(page))
    assert reviewed.careless == ["b"]
    assert [row["item_id"] for row in reviewed.counted] == [other, other]
    parts = by_project(probes, [page])
    asked = [set(to_judge(part, items, WORDS)) for part in parts]
    assert gold in asked[0]
    assert gold not in asked[1]  # a gold question belongs to one questionnaire
    tasks = [Task(1, gold, frozenset())]
    todo = plan_answers(probes, page, tasks, actors()[:3], WORDS)
    words = {actor.name: work[0][1] for actor, work in todo.items() if work}
    assert set(words) == {"simulated-1", "simulated-2", "simulated-3"}
    assert set(words["simulated-1"]) <= {"pet", "friend"}  # type: ignore[arg-type]
    assert not set(words["simulated-3"]) & {"pet", "friend"}  # type: ignore[arg-type]
