"""Which words count, the control questions, the table of responses, and the published file as judgments."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from tashika.annotation.command import app
from tashika.annotation.judging.judgments import append_judgments
from tashika.annotation.semrel.pages import PAGES
from tashika.annotation.semrel.published import content_digest, import_responses
from tashika.annotation.settings import AnnotateSettings, ControlSettings, KindSettings
from tashika.annotation.votes.verdicts import count_votes
from tashika.annotation.words.responses import TWICE, agreement, collect_responses, report_people, review
from tashika.core.errors import InputError
from tashika.core.files import read_json, read_table
from tashika.core.records import RESPONSE, VERDICT
from tashika.core.workspace import Workspace

(PAGE,) = PAGES
SETTINGS = AnnotateSettings(annotators=4, kinds={"probe": KindSettings()})


class Lemmas:
    """In the place of WordNet."""

    version = "3.0"

    def lemma(self, word: str) -> str:
        return word.removesuffix("s")


LEMMA = Lemmas().lemma


@pytest.fixture(autouse=True)
def _lemmas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tashika.annotation.semrel.pages.open_wordnet", Lemmas)


@pytest.fixture
def ids(semrel: ModuleType) -> dict[str, str]:
    """dog0 and dog1 are two probes of one target and relation, and so are cat0 and cat1."""
    rows = {f"{target}{place}": semrel.probe(target, place) for target in ("dog", "cat") for place in (0, 1)}
    rows["control"] = semrel.probe("", relation="control", known=["Saturdays", "Sunday"])
    return {name: row["item_id"] for name, row in rows.items()}


@pytest.fixture
def say(samples: ModuleType, ids: dict[str, str]) -> Any:
    numbers = iter(range(1, 1000))

    def said(name: str, annotator: str, text: str | None, **values: Any) -> dict[str, Any]:
        row: dict[str, Any] = samples.judgment(
            ids[name], annotator, None, **{"kind": "probe", "text": text, "annotation_id": next(numbers), **values}
        )
        return row

    return said


def table_of(workspace: Workspace) -> list[dict[str, Any]]:
    return read_table(workspace.annotation / "responses.parquet", RESPONSE).to_pylist()


def test_the_later_of_two_answers_to_one_target_and_relation_does_not_count(
    probes: Workspace, samples: ModuleType, ids: dict[str, str], say: Any
) -> None:
    rows = [
        say("dog1", "ada", "animal"),
        say("dog0", "ada", "pet"),  # the second probe of dog
        say("cat0", "ada", "animal"),
        say("dog0", "grace", "animal"),
        say("dog0", "grace", "canine"),  # changes her mind about the same probe
        say("dog1", "published-1", "pet", server="file:r.json"),
        say("dog0", "published-1", "pet", server="file:r.json"),  # a position is not a person
        say("cat1", "mary", None, problem="no words"),
        say("cat0", "mary", "pet"),
        say("cat1", "rosa", "pet"),
        say("cat1", "rosa", None, skipped=True),  # taken back
    ]
    reviewed = review(probes.read_items("probe"), samples.judgment_table(*rows), LEMMA, 0.3)
    counted = {(row["item_id"], row["annotator"]): row["text"] for row in reviewed.counted}
    assert counted == {
        (ids["dog1"], "ada"): "animal",
        (ids["cat0"], "ada"): "animal",
        (ids["dog0"], "grace"): "canine",
        (ids["dog0"], "published-1"): "pet",
        (ids["dog1"], "published-1"): "pet",
        (ids["cat0"], "mary"): "pet",
    }
    assert (reviewed.twice, reviewed.careless) == (1, [])
    # An answer that is edited later than the second one was given still came first.
    edited = {**rows[0], "created_at": rows[-1]["created_at"], "text": "mammal"}
    again = review(probes.read_items("probe"), samples.judgment_table(*rows, edited), LEMMA, 0.3)
    assert {row["text"] for row in again.counted if row["annotator"] == "ada"} == {"mammal", "animal"}


def test_who_misses_more_than_the_share_of_the_control_questions_is_careless(
    probes: Workspace, samples: ModuleType, semrel: ModuleType
) -> None:
    controls = [semrel.probe("", relation="control", known=[f"word {number}", "x"]) for number in range(4)]
    semrel.write(probes, controls)
    texts = {"ada": ["x"] * 4, "grace": ["no"] + ["the X's"] * 3, "mary": ["no", "no", "x", "a\nWord 3"]}
    rows = [
        samples.judgment(control["item_id"], name, None, kind="probe", text=text, annotation_id=number)
        for name, said in texts.items()
        for number, (control, text) in enumerate(zip(controls, said, strict=True))
    ]
    table = samples.judgment_table(*rows)
    for share, careless in ((0.3, ["mary"]), (0.2, ["grace", "mary"]), (0.5, [])):
        reviewed = review(probes.read_items("probe"), table, lambda word: word.removesuffix("'s"), share)
        assert reviewed.careless == careless
    assert [reviewed.people[name].missed for name in ("ada", "grace", "mary")] == [0, 1, 2]
    assert reviewed.counted == []


def fill(workspace: Workspace, say: Any) -> None:
    append_judgments(
        workspace,
        [
            say("dog0", "ada", "The Animals\n--\nPet, pets"),
            say("dog0", "grace", "animal"),
            say("control", "ada", "a Saturday"),
            say("control", "grace", "Monday"),
            say("dog1", "grace", "canine"),
            say("cat0", "mary", None, problem="empty result"),
            say("cat0", "rosa", None, skipped=True),
        ],
    )


def test_the_table_of_responses_and_the_summary(probes: Workspace, say: Any, ids: dict[str, str]) -> None:
    fill(probes, say)
    count_votes(probes, PAGES, SETTINGS)
    rows = [(row["annotator"], row["place"], row["raw"], row["answer"]) for row in table_of(probes)]
    assert rows == [
        ("ada", 1, "The Animals", "animal"),
        ("ada", 2, "Pet", "pet"),
        ("ada", 3, "pets", "pet"),
        ("grace", 1, "animal", "animal"),
    ]
    assert {row["item_id"] for row in table_of(probes)} == {ids["dog0"]}
    assert read_table(probes.verdict_file, VERDICT).num_rows == 0
    summary = read_json(probes.annotation / "validation.json")["probe"]
    expected = {"form": "words", "items": 4, "judged": 1, "annotators": 2, "votes": 2, "answers": 4, "skips": 1}
    expected |= {
        "controls": 1,
        "careless": {"grace": {"answered": 1, "missed": 1, "skipped": 0}},
        "careless_left_out": False,
    }
    expected |= {"problems": {TWICE: 1, "empty result": 1}, "left_out": {"answers without a letter": 1}}
    expected |= {"accepted": 0, "rejected": 0, "simulated": False, "acceptance_rate": None}
    assert {key: summary[key] for key in expected} == expected
    gold = {name: (entry["gold_missed"], entry["gold_answered"]) for name, entry in summary["by_annotator"].items()}
    assert gold == {"ada": (0, 1), "grace": (1, 1), "mary": (0, 0), "rosa": (0, 0)}


def test_careless_people_can_be_left_out(probes: Workspace, say: Any) -> None:
    fill(probes, say)
    count_votes(probes, PAGES, SETTINGS)
    count_votes(probes, PAGES, SETTINGS, without_careless=True)
    assert {row["annotator"] for row in table_of(probes)} == {"ada"}
    summary = read_json(probes.annotation / "validation.json")["probe"]
    assert summary["problems"]["by an annotator who missed too many control questions"] == 1
    assert {name for name, entry in summary["by_annotator"].items() if entry["left_out"]} == {"grace"}
    patient = SETTINGS.model_copy(update={"controls": ControlSettings(most_missed=1.0)})
    count_votes(probes, PAGES, patient, without_careless=True)
    assert {row["annotator"] for row in table_of(probes)} == {"ada", "grace"}


def test_after_a_pull_careless_people_are_told(
    probes: Workspace, say: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    report_people(probes, PAGES, SETTINGS)
    assert capsys.readouterr().err == ""
    fill(probes, say)
    report_people(probes, PAGES, SETTINGS)
    printed = capsys.readouterr().err
    assert "grace missed 1 of 1 control question, more than 30%" in printed
    assert "1 answer is not counted: same target and relation twice" in printed
    assert "answered probes and no control" not in printed
    append_judgments(probes, [say("cat0", "june", "pet"), say("cat0", "published-1", "pet", server="file:r")])
    append_judgments(probes, [say("control", "june", "Sunday", problem="saved by another account")])
    report_people(probes, PAGES, SETTINGS)
    assert "answered probes and no control question: june\n" in capsys.readouterr().err
    append_judgments(probes, [say("control", "june", "?", problem="answers without a letter")])
    report_people(probes, PAGES, SETTINGS)
    printed = capsys.readouterr().err
    assert "june missed 1 of 1 control question" in printed
    assert "answered probes and no control" not in printed
    assert "skipped control" not in printed
    append_judgments(probes, [say("control", "june", None, skipped=True)])
    report_people(probes, PAGES, AnnotateSettings(controls=ControlSettings(most_missed=1.0)))
    assert "skipped control questions, which are missed only by who skips more than half: june 1" in (
        capsys.readouterr().err
    )

    def missing() -> None:
        raise InputError("found no WordNet")

    monkeypatch.setattr("tashika.annotation.semrel.pages.open_wordnet", missing)
    report_people(probes, PAGES, SETTINGS)
    assert "not checked: found no WordNet" in capsys.readouterr().err


def test_agreement_of_words() -> None:
    said = [("i", "a", "x"), ("i", "a", "y"), ("i", "b", "x"), ("i", "c", "z"), ("j", "a", "x"), ("j", "b", "y")]
    rows = [{"item_id": item, "annotator": person, "answer": word} for item, person, word in [*said, ("k", "a", "x")]]
    measures = agreement(rows)
    # Item i: pairs ab 1/2, ac 0, bc 0; item j: 0. Item k has one person.
    assert measures["mean_jaccard"] == pytest.approx((1 / 6 + 0) / 2, abs=1e-6)
    assert (measures["same_first_word"], measures["items_with_two_people"]) == (0.5, 2)
    assert agreement([])["mean_jaccard"] is None


def published(path: Path, semrel: ModuleType, dog: Any, **more: Any) -> Path:
    content = {"dog": {"hyp": {semrel.PROMPTS[0]: dog}}, **more}
    path.write_text(json.dumps(content))
    return path


def test_a_published_file_becomes_judgments_once(
    probes: Workspace, semrel: ModuleType, ids: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = {"hyp": {semrel.PROMPTS[0]: [["bird"]]}, "xyz": {"p": []}}
    path = published(tmp_path / "r.json", semrel, [["Animals", "pet"], ["animal"]], raven=other)
    assert import_responses(probes, PAGE, path, simulated=False) == 2
    printed = capsys.readouterr().err
    assert "1 probes of it are no items here" in printed
    assert "build semrel --responses" in printed
    assert "by 2 positions, not persons" in printed
    assert import_responses(probes, PAGE, path, simulated=False) == 0
    assert "lists of two" not in capsys.readouterr().err
    people = {f"published-{content_digest(path)}-{position}" for position in (1, 2)}
    count_votes(probes, PAGES, SETTINGS)
    rows = [(row["item_id"], row["annotator"][-1], row["raw"], row["simulated"]) for row in table_of(probes)]
    assert rows == [
        (ids["dog0"], "1", "Animals", False),
        (ids["dog0"], "1", "pet", False),
        (ids["dog0"], "2", "animal", False),
    ]
    assert {row["annotator"] for row in table_of(probes)} == people
    summary = read_json(probes.annotation / "validation.json")["probe"]
    assert (summary["annotators"], summary["positions"], summary["simulated"]) == (2, 2, False)


@pytest.mark.parametrize("name", ["r.json", "s.json"])
def test_a_file_of_other_content_is_of_other_people(
    name: str, probes: Workspace, semrel: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cat = {"hyp": {semrel.PROMPTS[0]: [["feline"]]}}
    first = published(tmp_path / "r.json", semrel, [["animal"], ["pet"]], cat=cat)
    assert import_responses(probes, PAGE, first, simulated=False) == 3
    second = published(tmp_path / name, semrel, [["mammal"], ["pet"]])
    assert import_responses(probes, PAGE, second, simulated=False) == 2
    assert "1 of its probes has lists of two or more files" in capsys.readouterr().err
    count_votes(probes, PAGES, SETTINGS)
    assert [row["answer"] for row in table_of(probes)].count("pet") == 2
    assert {row["answer"] for row in table_of(probes)} == {"animal", "pet", "mammal", "feline"}
    assert read_json(probes.annotation / "validation.json")["probe"]["positions"] == 4


def test_the_same_content_is_the_same_file_whatever_its_name_and_blanks(
    probes: Workspace, semrel: ModuleType, tmp_path: Path
) -> None:
    first = published(tmp_path / "r.json", semrel, [["animal"], ["pet"]])
    assert import_responses(probes, PAGE, first, simulated=False) == 2
    second = tmp_path / "s.json"
    second.write_text(json.dumps(json.loads(first.read_text()), indent=2))
    assert import_responses(probes, PAGE, second, simulated=False) == 0


def test_a_file_without_any_probe_of_ours_is_refused(probes: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_text(json.dumps({"raven": {"hyp": {"[W] is a [V]": [["bird"]]}}}))
    with pytest.raises(InputError, match="none of its 1 probes is among the items"):
        import_responses(probes, PAGE, path, simulated=False)


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words], env={"COLUMNS": "200"})


def test_the_commands(probes: Workspace, semrel: ModuleType, tmp_path: Path) -> None:
    config = tmp_path / "semrel.toml"
    config.write_text('[annotate]\nannotators = 4\n[annotate.kinds.probe]\nmode = "all"\n')
    options = ("--work", probes.root, "--config", config)
    path = published(tmp_path / "r.json", semrel, [["animal"], ["", "pet"]])
    result = run("import-responses", "semrel", path, "--simulated", *options)
    assert result.exit_code == 0
    assert "1 answers that are empty" in result.output
    assert run("vote", "semrel", "--leave-out-careless", *options).exit_code == 0
    digest = content_digest(path)
    assert {row["annotator"] for row in table_of(probes)} == {f"simulated-published-{digest}-{n}" for n in (1, 2)}
    summary = read_json(probes.annotation / "validation.json")["probe"]
    assert (summary["simulated"], summary["simulation"]["annotators"]) == (True, [])
    # A probe can be decided upon by a named person, but not be written anew.
    item = probes.read_items("probe")["item_id"].to_pylist()[0]
    for text, wrong in (("other", "no text here"), ("", "")):
        decisions = tmp_path / "d.csv"
        decisions.write_text(f"item_id,decision,text,name\n{item},rejected,{text},Ada\n")
        assert wrong in str(run("adjudicate", "semrel", decisions, *options).exception)
    assert run("vote", "semrel", *options).exit_code == 0
    assert probes.read_verdicts()["decision"].to_pylist() == ["rejected"]


@pytest.mark.parametrize(
    "words", [("vote", "myriadlama", "--leave-out-careless"), ("import-responses", "myriadlama", "f")]
)
def test_a_suite_that_asks_for_no_words_is_told(words: tuple[str, ...], tmp_path: Path) -> None:
    result = run(*words, "--work", tmp_path)
    assert isinstance(result.exception, InputError)
    assert "nobody is asked for words in myriadlama" in str(result.exception)


def test_turns_are_in_the_order_of_the_answers_and_of_positions_and_programs_by_name(
    probes: Workspace, samples: ModuleType, ids: dict[str, str], say: Any
) -> None:
    rows = [
        say("dog0", "zoe", "pet"),
        say("dog0", "ada", "animal"),
        say("dog0", "zoe", "dog\npet", annotation_id=1),  # edited later, and still the first
        say("cat0", "published-x-10", "cat", server="file:x", annotation_id=5),
        say("cat0", "published-x-2", "pet", server="file:x", annotation_id=9),
        say("cat1", "simulated-2", "pet", simulated=True),
        say("cat1", "simulated-1", "pet", simulated=True),
    ]
    items = probes.read_items("probe")
    table, _ = collect_responses(
        items, samples.judgment_table(*rows), LEMMA, AnnotateSettings(), without_careless=False
    )
    turns = {(row["item_id"], row["annotator"]): row["turn"] for row in table.to_pylist()}
    assert turns == {
        (ids["dog0"], "zoe"): 1,
        (ids["dog0"], "ada"): 2,
        (ids["cat0"], "published-x-2"): 1,
        (ids["cat0"], "published-x-10"): 2,
        (ids["cat1"], "simulated-1"): 1,
        (ids["cat1"], "simulated-2"): 2,
    }
    places = [(row["place"], row["answer"]) for row in table.to_pylist() if row["annotator"] == "zoe"]
    assert places == [(1, "dog"), (2, "pet")]
