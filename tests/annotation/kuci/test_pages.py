"""The labelling pages of KUCI: what they show and must not show, who answers how, and the whole way."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from tashika.annotation.command import app
from tashika.annotation.judging.judgments import append_judgments
from tashika.annotation.judging.pull import pull
from tashika.annotation.judging.push import plan, push, task_of
from tashika.annotation.judging.pushed import write_pushed
from tashika.annotation.judging.questionnaires import to_judge
from tashika.annotation.judging.simulate import Actor, bodies, plan_answers, simulate
from tashika.annotation.judging.status import status_tables
from tashika.annotation.kuci.pages import CAUSE, OTHER, PAGES, pair_data, plausible_pair, question_data, right_place
from tashika.annotation.labelling import AGAINST, FOR, pages_at_hand, pages_of
from tashika.annotation.labelstudio.client import Task
from tashika.annotation.settings import AnnotateSettings, KindSettings, SimulationSettings
from tashika.annotation.votes.verdicts import count_votes
from tashika.annotation.wording.words import Look
from tashika.core.errors import ConfigError
from tashika.core.files import read_json
from tashika.core.settings import load_section, validated
from tashika.core.workspace import Workspace

PAIR, QUESTION, FIT, SENSE = PAGES
SETTINGS = AnnotateSettings(
    annotators=3,
    kinds={"pair": KindSettings(), "question": KindSettings(mode="audit", sample=4, annotators=5)},
    # Each question is asked of all five, and one of them never knows.
    simulation=SimulationSettings(error_rates=(0.0, 0.0, 0.0, 0.0, 1.0), skip_rate=0.0),
)


@pytest.fixture
def kuci(tmp_path: Path, kuci_samples: ModuleType) -> Workspace:
    """One sound pair and one that is not, and no questions."""
    workspace = Workspace(tmp_path / "work", "kuci")
    bad = kuci_samples.pair(consequent="http://x", consequent_words=["http"])
    kuci_samples.write(workspace, "pair", kuci_samples.pair(), bad)
    return workspace


def test_the_choices_of_a_pair_are_those_of_the_paper() -> None:
    assert PAIR.choices == {"A は B の原因・理由である": FOR, "その他の関係、もしくは関係がない": AGAINST}
    japanese = PAIR.with_look(Look("ja"))
    for choice in PAIR.choices:
        assert f"<b>{choice}</b>" in japanese.instructions
        assert f'value="{choice}"' in japanese.xml
        assert f'alias="{choice}"' in PAIR.xml


def test_a_pair_is_shown_without_its_sentence(kuci_samples: ModuleType) -> None:
    row = kuci_samples.pair(text="この文は見せない。", sid="secret")
    text = json.dumps(task_of(PAIR, row, []), ensure_ascii=False)
    assert "お腹が空いたので" in text
    assert "見せない" not in text
    assert "secret" not in text


def test_nothing_in_a_question_tells_the_right_option(kuci_samples: ModuleType) -> None:
    row = kuci_samples.question(2)
    told = task_of(QUESTION, row, [])
    assert set(told) == {"context", "options", "context_html", "options_html", "item_id", "suite", "kind"}
    judged = task_of(FIT, kuci_samples.fit(2), [])
    assert {name for name in told if judged[name] != told[name]} == {"item_id", "kind"}
    # Whichever option is right, the task is the same.
    for answer in range(4):
        similarities = [1.0 if place == answer else 0.4 for place in range(4)]
        other = {**row, "answer": answer, "similarities": similarities, "pair": "p", "parents": ["p"]}
        assert task_of(QUESTION, other, []) == told
    lines = ElementTree.fromstring(question_data(row, [])["options_html"])
    shown = [["".join(cell.itertext()) for cell in line] for line in lines]
    assert shown == [["1", "汗をかく"], ["2", "コーヒーを飲む"], ["3", "ご飯を食べる"], ["4", "眠くなる"]]
    assert right_place(row) == "3"


def test_nothing_in_a_pair_tells_which_sample_it_is_of(kuci_samples: ModuleType) -> None:
    shown = [task_of(SENSE, kuci_samples.sense(samples=names), []) for names in (["any"], ["basic"], ["any", "basic"])]
    assert shown[0] == shown[1] == shown[2]
    assert "basic" not in json.dumps(shown[0])


@pytest.mark.parametrize(("language", "none"), [("ja", "どれも当てはまらない"), ("en", "none of them")])
def test_people_tick_all_options_that_fit(language: Any, none: str) -> None:
    page = FIT.with_look(Look(language))
    (control,) = ElementTree.fromstring(page.xml).iter("Choices")
    assert control.attrib["choice"] == "multiple"
    choices = [(choice.get("alias", choice.attrib["value"]), choice.attrib["hotkey"]) for choice in control]
    assert choices == [("1", "1"), ("2", "2"), ("3", "3"), ("4", "4"), ("none", "5")]
    assert f'value="{none}"' in page.xml
    assert not page.decides  # a key more may come
    assert "鼻水が止まりません ／ くしゃみが出る" in page.instructions


def test_what_comes_from_outside_is_escaped(kuci_samples: ModuleType) -> None:
    evil = '<script>alert("1")</script>'
    shown = [
        pair_data(kuci_samples.pair(evil, evil), []),
        question_data(kuci_samples.question(context=evil, options=[evil] * 4), []),
    ]
    for data in shown:
        assert not [name for name, text in data.items() if name.endswith("_html") and "<script" in text]
    assert shown[1]["options_html"].count("&lt;script&gt;") == 4


@pytest.mark.parametrize(
    ("values", "plausible"),
    [
        ({}, True),
        ({"consequent": "ご飯を #食べる"}, False),
        ({"consequent": "…"}, False),
        ({"consequent_words": ["食べる"]}, False),
        ({"consequent_event": "腹:ガ:空く"}, False),
        ({"consequent_words": ["お腹", "が", "空いた"]}, False),
        ({"relation": "condition", "marker": ""}, True),
    ],
)
def test_the_rule_that_stands_in_for_a_person(
    values: dict[str, Any], plausible: bool, kuci_samples: ModuleType
) -> None:
    assert plausible_pair(kuci_samples.pair(**values), []) is plausible


def test_people_are_asked_test_questions_of_the_published_set_alone(kuci: Workspace, kuci_samples: ModuleType) -> None:
    rows = [kuci_samples.question(number) for number in range(6)]
    others = [kuci_samples.question(10, split="train"), kuci_samples.question(11, split="validation")]
    others += [kuci_samples.question(number, conditions="without_length") for number in range(6)]
    kuci_samples.write(kuci, "question", *rows, *others)
    table = kuci.read_items("question")
    drawn = to_judge(QUESTION, table, SETTINGS)
    assert len(drawn) == 4
    assert set(drawn) <= {row["item_id"] for row in rows}

    class Nothing:
        def project(self, _title: str) -> None:
            return None

    assert plan(Nothing(), QUESTION, SETTINGS, table, None).items == 6  # type: ignore[arg-type]


def test_questions_are_left_out_until_they_are_made(
    kuci: Workspace, kuci_samples: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    assert pages_at_hand(kuci, PAGES) == [PAIR]
    assert "`tashika build kuci` makes them" in " ".join(capsys.readouterr().err.split())
    kuci_samples.write(kuci, "question", kuci_samples.question())
    assert pages_at_hand(kuci, PAGES) == [PAIR, QUESTION]
    kuci_samples.write(kuci, "fit", kuci_samples.fit())
    kuci_samples.write(kuci, "sense", kuci_samples.sense())
    assert pages_at_hand(kuci, PAGES) == list(PAGES)


# Settings


def test_a_kind_may_want_more_people_than_the_others() -> None:
    assert (SETTINGS.people("pair"), SETTINGS.people("question")) == (3, 5)
    few = {"kinds": {"question": {"annotators": 1}}}
    with pytest.raises(ConfigError, match="only 1 person judges"):
        validated(AnnotateSettings, few, "file [annotate]")


def test_what_is_measured_has_no_ties_to_break() -> None:
    settings = AnnotateSettings(kinds={"question": KindSettings(tie_breaker=True)})
    with pytest.raises(ConfigError, match="no ties to break"):
        pages_of("kuci", settings)


@pytest.mark.parametrize("name", ["kuci.toml", "kuci-demo.toml"])
def test_the_packaged_settings_have_pages_and_people_enough(name: str) -> None:
    from tashika.core.settings import packaged

    settings = load_section("kuci", "annotate", AnnotateSettings, packaged(name))
    assert [page.kind for page in pages_of("kuci", settings)] == ["pair", "question", "fit", "sense"]
    assert settings.people("fit") == settings.people("sense") == 3
    assert (settings.kinds["question"].sample, settings.people("question")) == (100, 5)
    assert len(settings.simulation.error_rates) >= 5


# Simulation


def test_a_simulated_person_errs_to_any_of_the_wrong_options(kuci: Workspace, kuci_samples: ModuleType) -> None:
    rows = [kuci_samples.question(number) for number in range(200)]
    kuci_samples.write(kuci, "question", *rows)
    actors = [Actor(f"simulated-{number}", rate, number, "t") for number, rate in enumerate((0, 0, 0, 0.3, 1), 1)]
    tasks = [Task(number, row["item_id"], frozenset()) for number, row in enumerate(rows)]
    todo = plan_answers(kuci, QUESTION, tasks, actors, SETTINGS)
    assert todo == plan_answers(kuci, QUESTION, tasks, actors, SETTINGS)
    right = {number: right_place(row) for number, row in enumerate(rows)}
    hits = [sum(right[task] == said for task, said in todo[actor]) for actor in actors]
    assert hits[:3] == [200, 200, 200]
    assert hits[3] == pytest.approx(140, abs=25)
    assert hits[4] == 0
    offsets = [(int(str(said)) - int(right[task])) % 4 for task, said in todo[actors[4]]]
    assert min(offsets.count(offset) for offset in (1, 2, 3)) > 40
    ((_, body),) = bodies(QUESTION, [(1, "3")])
    assert body["result"] == [
        {"from_name": "verdict", "type": "choices", "value": {"choices": ["3"]}, "to_name": "options"}
    ]


def test_too_few_simulated_people_for_a_kind_are_refused(kuci: Workspace) -> None:
    from tashika.annotation.labelstudio.account import Address

    settings = SETTINGS.model_copy(update={"simulation": SimulationSettings()})
    with pytest.raises(ConfigError, match="3 simulated annotators cannot give 5 answers"):
        simulate(Address("http://127.0.0.1:1", "t"), kuci, PAGES, settings)


# Counting


def test_people_are_measured_and_status_tells_how_many_are_wanted(
    kuci: Workspace, kuci_samples: ModuleType, samples: ModuleType
) -> None:
    rows = [kuci_samples.question(number) for number in range(3)]
    train = kuci_samples.question(9, split="train")  # it was in the test part when it was pushed
    kuci_samples.write(kuci, "question", *rows, train)
    tasks = [Task(number, row["item_id"], frozenset()) for number, row in enumerate((*rows, train))]
    write_pushed(kuci, "question", "ls", 1, tasks)
    said = ("11114", "22211", "33344", "44444")  # right: 1, 2, 3
    judgments = [
        samples.judgment(row["item_id"], f"p{place}", digit, kind="question", annotation_id=place)
        for row, digits in zip((*rows, train), said, strict=True)
        for place, digit in enumerate(digits)
    ]
    append_judgments(kuci, judgments)
    count_votes(kuci, [QUESTION], SETTINGS)
    summary = read_json(kuci.annotation / "validation.json")["question"]
    assert (summary["form"], summary["items"], summary["judged"], summary["accepted"]) == ("answers", 3, 3, 3)
    human = summary["human"]
    assert (human["questions"], human["people"], human["accuracy"], human["simulated"]) == (3, 5, 1.0, False)
    assert human["single"] == pytest.approx(10 / 15, abs=1e-6)
    assert summary["agreement"]["items_with_two_votes"] == 3
    assert summary["agreement"]["fleiss_kappa"] is not None  # of five people an item, not of three
    assert kuci.read_verdicts().num_rows == 3

    kinds = status_tables(kuci, [PAIR, QUESTION], SETTINGS, None)[0]
    assert kinds.title == "kuci: 3 people a pair, 5 people a question"
    config = kuci.root / "settings.toml"
    config.write_text('[annotate.kinds.question]\nmode = "audit"\nsample = 4\nannotators = 5\n')
    words = ["status", "kuci", "--work", str(kuci.root), "--config", str(config)]
    result = CliRunner().invoke(app, words, env={"COLUMNS": "120"})
    assert result.exit_code == 0, result.output
    assert "question: 5 people are right on 100.0% of 3" in result.output


def test_pairs_are_judged_and_then_questions_answered(
    fresh_studio: Any, kuci: Workspace, kuci_samples: ModuleType
) -> None:
    server, address = fresh_studio.server, fresh_studio.address
    sound = kuci_samples.pair()["item_id"]

    def judge() -> dict[str, Any]:
        pages = pages_at_hand(kuci, PAGES)
        push(server, kuci, pages, SETTINGS, dry=False)
        simulate(address, kuci, pages, SETTINGS)
        pull(server, kuci, pages)
        count_votes(kuci, pages, SETTINGS)
        return {row["item_id"]: row for row in kuci.read_verdicts().to_pylist()}

    verdicts = judge()
    assert verdicts.pop(sound)["decision"] == "accepted"
    assert [row["decision"] for row in verdicts.values()] == ["rejected"]

    rows = [kuci_samples.question(number) for number in range(3)]
    kuci_samples.write(kuci, "question", *rows, kuci_samples.question(7, split="train"))
    verdicts = judge()
    assert {verdicts[row["item_id"]]["votes_cast"] for row in rows} == {5}
    summary = read_json(kuci.annotation / "validation.json")
    assert (summary["pair"]["votes"], summary["pair"]["agreement"]["items_with_two_votes"]) == (6, 2)
    human = summary["question"]["human"]
    assert (human["questions"], human["annotators"], human["people"]) == (3, 5, 0)
    assert (human["accuracy"], human["single"]) == (1.0, 0.8)
    assert human["simulated"] is True
    for page, people in ((PAIR, 3), (QUESTION, 5)):
        project = server.project(page.title)
        assert project.annotators == people
    labels = {row["label"] for row in _judgments(kuci) if row["kind"] == "pair"}
    assert labels == {CAUSE, OTHER}


def _judgments(workspace: Workspace) -> list[dict[str, Any]]:
    from tashika.annotation.judging.judgments import read_judgments

    return read_judgments(workspace).to_pylist()


def test_options_are_ticked_and_the_majority_of_each_counts(
    fresh_studio: Any, kuci: Workspace, kuci_samples: ModuleType
) -> None:
    """The second question has an option that is nearly a paraphrase of the answer, which simulated people tick too."""
    server, address = fresh_studio.server, fresh_studio.address
    rows = [kuci_samples.fit(0), kuci_samples.fit(1, similarities=[0.59, 1.0, 0.41, 0.5])]
    kuci_samples.write(kuci, "fit", *rows)
    kuci_samples.write(kuci, "sense", kuci_samples.sense(), kuci_samples.sense("http://x", samples=["any"]))
    settings = AnnotateSettings(
        annotators=3,
        kinds={"fit": KindSettings(), "sense": KindSettings()},
        simulation=SimulationSettings(error_rates=(0.0, 0.0, 0.0), skip_rate=0.0),
    )
    push(server, kuci, [FIT, SENSE], settings, dry=False)
    simulate(address, kuci, [FIT, SENSE], settings)
    pull(server, kuci, [FIT, SENSE])
    count_votes(kuci, [FIT, SENSE], settings)
    verdicts = {row["item_id"]: row for row in kuci.read_verdicts().to_pylist()}
    assert [verdicts[row["item_id"]]["text"] for row in rows] == ["1", "1\n2"]
    answers = {row["item_id"]: row["labels"] for row in kuci.read_answers().to_pylist()}
    assert [answers[row["item_id"]] for row in rows] == [["1"], ["1", "2"]]
    assert sorted(row["decision"] for row in verdicts.values() if row["kind"] == "sense") == ["accepted", "rejected"]
    summary = read_json(kuci.annotation / "validation.json")
    assert (summary["fit"]["form"], summary["fit"]["decided"]) == (
        "labels",
        {"1": 2, "2": 1, "3": 0, "4": 0, "none": 0},
    )
    assert summary["fit"]["agreement"]["krippendorff_alpha"] == pytest.approx(1.0)
