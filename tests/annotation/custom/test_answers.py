"""What people's answers to pages of a suite file come to, from the annotation as Label Studio has it to the files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import pyarrow as pa
import pytest
from typer.testing import CliRunner

from tashika.annotation.adjudicating.decision_file import adjudicate
from tashika.annotation.command import app
from tashika.annotation.gold.check import gold_lines
from tashika.annotation.judging.judgments import append_judgments, read_judgments
from tashika.annotation.judging.push import task_of
from tashika.annotation.judging.pushed import write_pushed
from tashika.annotation.judging.questionnaires import to_judge
from tashika.annotation.judging.validation import read_answer
from tashika.annotation.labelling import Page, pages_of
from tashika.annotation.labelstudio.client import Task
from tashika.annotation.votes.gone import find_gone, gone_lines
from tashika.annotation.votes.verdicts import count_votes
from tashika.core.custom.suite import CustomSuite
from tashika.core.errors import ConfigError, InputError, MissingStageError
from tashika.core.files import write_rows
from tashika.core.records import JUDGMENT
from tashika.core.suites import discovery
from tashika.core.workspace import Workspace
from tashika.exports.validation import read_validation
from tests.annotation.custom.samples import KINDS, page_of, settings_of


def choices(*taken: Any, name: str = "answer") -> dict[str, Any]:
    return {"from_name": name, "to_name": "t", "type": "choices", "value": {"choices": list(taken)}}


def typed(text: str, name: str = "answer") -> dict[str, Any]:
    return {"from_name": name, "to_name": "t", "type": "textarea", "value": {"text": [text]}}


def said(page: Page, *parts: Any, data: dict[str, Any] | None = None) -> tuple[str | None, str | None, str | None]:
    annotation = {"id": 1, "completed_by": 2, "was_cancelled": False, "result": list(parts)}
    answer = read_answer(annotation, page, {2: "somebody"}, data)
    return answer.label, answer.text, answer.problem


@pytest.mark.parametrize(
    ("kind", "parts", "expected"),
    [
        ("pair", [choices("It follows")], ("entails", None, None)),
        ("pair", [choices("entails")], (None, None, "unknown choice")),
        ("pair", [choices("It follows", "Neither")], (None, None, "not exactly one choice")),
        ("topic", [choices("art", "sport")], ("sport\nart", None, None)),
        ("topic", [choices("art", "art")], (None, None, "choice taken twice")),
        ("topic", [choices("art", "music")], (None, None, "unknown choice")),
        ("topic", [choices()], (None, None, "no choice")),
        ("topic", [choices(1)], (None, None, "no choice")),
        ("quality", [choices("4")], ("4", None, None)),
        ("quality", [choices("6")], (None, None, "unknown choice")),
        ("saying", [typed(" a text ")], (None, "a text", None)),
        ("saying", [typed(" ")], (None, None, "no text")),
        ("saying", [typed("x" * 2_001)], (None, "x" * 2_000, "text too long")),
        ("saying", [], (None, None, "empty result")),
        ("saying", [choices("a")], (None, None, "unknown control")),
        ("riddle", [choices("sound", name="verdict"), typed("new", "correction")], ("sound", "new", None)),
        ("riddle", [typed("hm", "note")], (None, None, "not exactly one choice")),
    ],
)
def test_answers_are_read_by_their_form(
    six: CustomSuite, kind: str, parts: list[Any], expected: tuple[str | None, ...]
) -> None:
    assert said(page_of(six, kind), *parts) == expected


def test_a_preference_is_kept_by_its_column_and_not_by_its_side(six: CustomSuite, custom: ModuleType) -> None:
    page = page_of(six, "duel")
    for number in range(8):
        data = task_of(page, custom.item("duel", str(number)), [])
        column = "left_text" if data["left"] == "one" else "other"
        assert said(page, choices("left"), data=data) == (column, None, None)
    assert said(page, choices("same"), data=data) == ("same", None, None)
    assert said(page, choices("left_text"), data=data) == (None, None, "unknown choice")


def test_an_empty_text_may_be_an_answer(tmp_path: Path, custom: ModuleType) -> None:
    (page,) = custom.one_kind(tmp_path, 'form = "text"\nrequired = false').load("annotation")
    assert said(page) == (None, "", None)
    assert said(page, typed(" ")) == (None, "", None)


def test_a_note_is_kept_beside_the_answer(six: CustomSuite) -> None:
    annotation = {
        "id": 1, "completed_by": 2, "was_cancelled": False,
        "result": [choices("sound", name="verdict"), typed(" odd one ", "note")],
    }  # fmt: skip
    answer = read_answer(annotation, page_of(six, "riddle"), {2: "somebody"})
    assert (answer.label, answer.text, answer.note, answer.problem) == ("sound", None, "odd one", None)


def test_shards_without_notes_are_still_read(six: CustomSuite, tmp_path: Path, samples: ModuleType) -> None:
    workspace = Workspace(tmp_path, "riddles")
    older = pa.schema(list(JUDGMENT)[:-1])
    row = samples.judgment("i", "a")
    write_rows(workspace.judgments / "part-000001.parquet", [row], older)
    append_judgments(workspace, [{**row, "annotator": "b", "note": "hm"}])
    assert read_judgments(workspace)["note"].to_pylist() == [None, "hm"]
    write_rows(workspace.judgments / "part-000003.parquet", [row], pa.schema(list(JUDGMENT)[:3]))
    with pytest.raises(InputError, match="expected item_id"):
        read_judgments(workspace)


# Counting


def judged(workspace: Workspace, samples: ModuleType, kind: str, said_by: Sequence[Sequence[str | None]]) -> list[str]:
    """Writes what people said of the items of a kind; gives the items."""
    ids: list[Any] = workspace.read_items(kind)["item_id"].to_pylist()
    write_pushed(workspace, kind, "ls", 1, [Task(number, item, frozenset()) for number, item in enumerate(ids)])
    field = "text" if kind == "saying" else "label"
    rows = [
        samples.judgment(item, f"p{place}", None, kind=kind, annotation_id=place, skipped=each is None) | {field: each}
        for item, people in zip(ids, said_by, strict=True)
        for place, each in enumerate(people)
    ]
    append_judgments(workspace, rows)
    return ids


def test_all_forms_are_counted_into_verdicts_answers_and_a_summary(
    six: CustomSuite, work: Workspace, samples: ModuleType
) -> None:
    ids = {
        "riddle": judged(work, samples, "riddle", [["sound"] * 3, ["unsound"] * 3, ["odd"] * 3]),
        "pair": judged(
            work, samples, "pair", [["entails"] * 3, ["neutral", "entails", "neutral"], ["neutral", "entails"]]
        ),
        "topic": judged(work, samples, "topic", [["art\nsport"] * 2, ["art", "sport"], ["science"] * 3]),
        "quality": judged(work, samples, "quality", [["1", "2", "2"], ["5", "5", "4"], ["3"]]),
        "duel": judged(work, samples, "duel", [["left_text"] * 3, ["other"] * 3, ["left_text", "left_text", "same"]]),
        "saying": judged(work, samples, "saying", [["a", "b"], ["c"], ["d", "d", "e"]]),
    }
    settings, pages = settings_of(six), pages_of("riddles", settings_of(six))
    with pytest.raises(MissingStageError, match="annotate vote"):
        work.read_answers()
    count_votes(work, pages, settings)
    answers = {row["item_id"]: row for row in work.read_answers().to_pylist()}
    assert set(answers) == {item for kind in KINDS[1:] for item in ids[kind]}
    keys = [(row["kind"], row["item_id"]) for row in answers.values()]
    assert keys == sorted(keys)
    assert [answers[item]["label"] for item in ids["pair"]] == ["entails", "neutral", None]
    assert [answers[item]["labels"] for item in ids["topic"]] == [["sport", "art"], [], ["science"]]
    assert [answers[item]["median"] for item in ids["quality"]] == [2.0, 5.0, None]
    assert [answers[item]["label"] for item in ids["duel"]] == ["left_text", "other", "left_text"]
    assert [answers[item]["votes"] for item in ids["duel"]] == [[3, 0, 0], [0, 3, 0], [2, 0, 1]]
    assert [answers[item]["texts"] for item in ids["saying"]] == [["a", "b"], ["c"], ["d", "d", "e"]]
    verdicts = {row["item_id"]: row for row in work.read_verdicts().to_pylist()}
    assert [verdicts[item]["decision"] for item in ids["riddle"]] == ["accepted", "rejected", "undecided"]
    assert verdicts[ids["topic"][0]]["text"] == "sport\nart"

    summary = read_validation(work)
    assert [summary[kind].form for kind in KINDS] == ["votes", "labels", "labels", "ratings", "preferences", "texts"]
    assert [summary[kind].accepted for kind in KINDS] == [1, 2, 2, 2, 3, 2]
    assert summary["pair"].given == {"contradicts": 0, "entails": 5, "neutral": 3}
    assert summary["pair"].decided == {"contradicts": 0, "entails": 1, "neutral": 1}
    assert summary["topic"].agreement.krippendorff_alpha is not None
    assert summary["quality"].agreement.scale == "ordinal"
    rating = summary["quality"].rating
    assert rating is not None
    assert (rating.points, rating.median) == (5, 3.5)
    assert rating.mean == pytest.approx((5 / 3 + 14 / 3) / 2, abs=1e-6)
    preferences = summary["duel"].preferences
    assert preferences is not None
    assert {name: (each.wins, each.losses) for name, each in preferences.entries.items()} == {"S": (2, 1), "T": (1, 2)}
    assert preferences.entries["S"].strength == pytest.approx(2 / 3, abs=1e-4)
    assert summary["saying"].answers == 6

    words = ["vote", str(six.path), "--work", str(work.root)]
    result = CliRunner().invoke(app, words, env={"COLUMNS": "140"})
    assert result.exit_code == 0, result.output
    assert "pair: 2 of 3 items decided by 3 people" in result.output
    assert "S: preferred in 66.7% of 3 comparisons" in result.output


def test_an_adjudication_is_in_verdicts_and_answers(
    six: CustomSuite, work: Workspace, samples: ModuleType, tmp_path: Path
) -> None:
    ids = judged(work, samples, "quality", [["1", "2"], ["5"], ["3", "3"]])
    settings = settings_of(six)
    pages = [page_of(six, "quality")]
    path = tmp_path / "decisions.csv"
    path.write_text(f"item_id,decision,text,name\n{ids[1]},accepted,4,Ada\n{ids[2]},rejected,,Ada\n")
    assert adjudicate(work, path, dict.fromkeys(ids, pages[0])).new == 2
    count_votes(work, pages, settings)
    verdicts = {row["item_id"]: row for row in work.read_verdicts().to_pylist()}
    answers = {row["item_id"]: row for row in work.read_answers().to_pylist()}
    assert [verdicts[item]["decision"] for item in ids] == ["accepted", "accepted", "rejected"]
    assert [verdicts[item]["text"] for item in ids] == ["1.5", "4", None]
    assert [answers[item]["median"] for item in ids] == [1.5, 4.0, None]


# A suite file that changes after the votes


def reopened(folder: Path, page: str, custom: ModuleType) -> CustomSuite:
    """The suite file of one kind after a change of its page."""
    discovery._opened.clear()
    return cast(CustomSuite, custom.one_kind(folder, page))


VERDICT = 'choices = {{ sound = "{}", fine = "for", bad = "against" }}\ncorrect = "{}"'


@pytest.mark.parametrize(
    ("changed", "decision", "text"),
    [
        (("for", "truth"), "accepted", "a riddle"),
        (("against", "text"), "rejected", None),
        (("neither", "text"), "undecided", None),
    ],
)
def test_votes_are_counted_again_after_a_change_of_what_they_are_counted_by(
    tmp_path: Path,
    custom: ModuleType,
    samples: ModuleType,
    capsys: pytest.CaptureFixture[str],
    changed: tuple[str, str],
    decision: str,
    text: str | None,
) -> None:
    suite = reopened(tmp_path, VERDICT.format("for", "text"), custom)
    work = Workspace(tmp_path / "work", "riddles")
    (riddle,) = rows = [custom.item("riddle", "a riddle")]
    custom.write(work, "riddle", rows)
    write_pushed(work, "riddle", "ls", 1, [Task(1, riddle["item_id"], frozenset())])
    votes = [samples.judgment(riddle["item_id"], person, "sound", kind="riddle") for person in "ab"]
    append_judgments(work, [{**vote, "text": "a riddle"} for vote in votes])
    for _ in range(2):
        count_votes(work, suite.load("annotation"), settings_of(suite))
    (verdict,) = work.read_verdicts().to_pylist()
    assert (verdict["decision"], verdict["text"]) == ("accepted", None)  # the correction gives the text again
    assert "nothing to do" in capsys.readouterr().err

    suite = reopened(tmp_path, VERDICT.format(*changed), custom)
    count_votes(work, suite.load("annotation"), settings_of(suite))
    (verdict,) = work.read_verdicts().to_pylist()
    assert (verdict["decision"], verdict["text"]) == (decision, text)
    assert "nothing to do" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("before", "after", "said_by", "line", "votes"),
    [
        (
            'form = "label"\nlabels = ["yes", "neutral"]',
            'form = "label"\nlabels = ["yes", "neither"]',
            [["yes", "yes", "neutral"], ["neutral", "neutral", None]],
            "3 judgments say 'neutral',",
            2,
        ),
        (
            'choices = { sound = "for", unsound = "against", odd = "neither" }',
            'choices = { fine = "for", unsound = "against", strange = "neither" }',
            [["sound", "sound", "odd"], ["unsound", "unsound", "unsound"]],
            "3 judgments say 'sound' or 'odd',",
            3,
        ),
        (
            'form = "labels"\nlabels = ["art", "sport", "science"]',
            'form = "labels"\nlabels = ["art", "science"]',
            [["art\nsport", "art", "science"], ["art", "art", "art"]],
            "1 judgment says 'sport',",
            5,
        ),
        (
            'form = "rating"\nscale = 5',
            'form = "rating"\nscale = 4',
            [["5", "4", "5"], ["1", "1", "1"]],
            "2 judgments say '5',",
            4,
        ),
    ],
)
def test_answers_that_the_page_no_longer_has_are_named_and_counted(
    tmp_path: Path,
    custom: ModuleType,
    samples: ModuleType,
    before: str,
    after: str,
    said_by: list[list[str | None]],
    line: str,
    votes: int,
) -> None:
    suite = reopened(tmp_path, before, custom)
    work = Workspace(tmp_path / "work", "riddles")
    custom.write(work, "riddle", [custom.item("riddle", f"riddle {number}") for number in range(2)])
    judged(work, samples, "riddle", said_by)
    assert gone_lines(work, suite.load("annotation")) == []
    count_votes(work, suite.load("annotation"), settings_of(suite))
    assert read_validation(work)["riddle"].problems == {}

    discovery._opened.clear()
    custom.one_kind(tmp_path, after)
    discovery._opened.clear()
    for command in ("vote", "status"):
        words = [command, str(suite.path), "--work", str(work.root)]
        result = CliRunner().invoke(app, words, env={"COLUMNS": "400"})
        assert result.exit_code == 0, result.output
        assert f"riddle: {line} which is no answer of this page any more: not counted;" in result.output
        assert "nothing to do" not in result.output
    summary = read_validation(work)["riddle"]
    gone = sum(len([each for each in people if each]) for people in said_by) - votes
    assert (summary.votes, summary.problems) == (votes, {"answer that the page no longer has": gone})


def test_an_answer_given_anew_takes_the_place_of_one_that_is_gone(
    tmp_path: Path, custom: ModuleType, samples: ModuleType
) -> None:
    (page,) = custom.one_kind(tmp_path, 'form = "label"\nlabels = ["yes", "neither"]').load("annotation")
    told = [("a", "neutral", 1), ("a", "neither", 2), ("b", "yes", 3), ("b", "neutral", 4)]
    rows = [samples.judgment("i", name, label, kind="riddle", annotation_id=number) for name, label, number in told]
    rows.append(samples.judgment("i", "c", None, kind="riddle", skipped=True))
    rows.append(samples.judgment("i", "d", None, kind="riddle", problem="empty result"))
    gone = find_gone(page, samples.judgment_table(*rows))
    assert gone.select(["annotator", "label"]).to_pylist() == [{"annotator": "b", "label": "neutral"}]


def test_a_page_that_asks_for_a_text_now_has_none_of_the_labels(
    tmp_path: Path, custom: ModuleType, samples: ModuleType
) -> None:
    work = Workspace(tmp_path / "work", "riddles")
    rows = [samples.judgment("i", "a", "yes", kind="riddle"), samples.judgment("i", "b", None, kind="riddle")]
    append_judgments(work, [rows[0], {**rows[1], "text": "a text"}])
    for page, name in (('form = "text"', "'yes'"), ('form = "label"\nlabels = ["yes", "no"]', "a text")):
        (line,) = gone_lines(work, reopened(tmp_path, page, custom).load("annotation"))
        assert line.startswith(f"riddle: 1 judgment says {name}, which is no answer")


def test_a_gold_question_is_not_missed_by_an_answer_that_is_gone(
    tmp_path: Path, custom: ModuleType, samples: ModuleType
) -> None:
    suite = custom.one_kind(tmp_path, 'form = "label"\nlabels = ["yes", "neither"]\ngold = "gold"')
    work = Workspace(tmp_path / "work", "riddles")
    custom.write(work, "riddle", [custom.item("riddle", str(number), gold="neither") for number in range(2)])
    judged(work, samples, "riddle", [["neutral", "yes"], ["neutral", "yes"]])
    assert gold_lines(work, suite.load("annotation"), settings_of(suite)) == [
        "riddle: p1 missed 2 of 2 control questions, more than 30%"
    ]


# Gold questions


def test_gold_questions_check_people_and_are_not_voted(tmp_path: Path, custom: ModuleType, samples: ModuleType) -> None:
    form = 'form = "label"\nlabels = ["a", "b"]\ngold = "gold"'
    suite = custom.one_kind(tmp_path, form)
    work = Workspace(tmp_path / "work", "riddles")
    rows = [custom.item("riddle", str(number), gold="a" if number < 3 else None) for number in range(5)]
    custom.write(work, "riddle", rows)
    settings, (page,) = settings_of(suite), suite.load("annotation")
    assert set(to_judge(page, work.read_items("riddle"), settings)) == {row["item_id"] for row in rows}
    gold = {row["item_id"] for row in rows[:3]}
    # p0 knows all, p1 misses all, p2 misses one and skips one, which is no more than half.
    given: dict[str, list[str | None]] = {item: ["a", "b", "a"] for item in gold} | {
        row["item_id"]: ["a", "b", "b"] for row in rows[3:]
    }
    first, second = sorted(gold)[:2]
    given[first], given[second] = ["a", "b", "b"], ["a", "b", None]
    judged(work, samples, "riddle", [given[item] for item in sorted(given)])
    assert gold_lines(work, [page], settings) == [
        "riddle: p1 missed 3 of 3 control questions, more than 30%",
        "riddle: p2 missed 1 of 2 control questions (1 more skipped), more than 30%",
    ]
    count_votes(work, [page], settings)
    assert not gold & set(work.read_verdicts()["item_id"].to_pylist())
    summary = read_validation(work)["riddle"]
    assert (summary.items, summary.controls, summary.judged) == (2, 3, 2)
    assert {name: (each.answered, each.missed) for name, each in summary.careless.items()} == {
        "p1": (3, 3),
        "p2": (2, 1),
    }
    assert work.read_answers()["label"].to_pylist() == ["b", "b"]
    count_votes(work, [page], settings.model_copy(update={"minimum_votes": 1}), without_careless=True)
    assert work.read_answers()["label"].to_pylist() == ["a", "a"]
    assert read_validation(work)["riddle"].careless_left_out is True


def test_a_sample_is_drawn_from_what_is_no_gold_question(tmp_path: Path, custom: ModuleType) -> None:
    suite = custom.one_kind(tmp_path, 'gold = "gold"\nmode = "audit"\nsample = 2')
    work = Workspace(tmp_path / "work", "riddles")
    rows = [custom.item("riddle", str(number), gold="accept" if number < 3 else None) for number in range(9)]
    custom.write(work, "riddle", rows)
    (page,) = suite.load("annotation")
    chosen = to_judge(page, work.read_items("riddle"), settings_of(suite))
    gold = {row["item_id"] for row in rows[:3]}
    assert len(chosen) == 5
    assert gold <= set(chosen)


# Rules


def test_a_rule_is_refused_where_nothing_is_decided_by_one(six: CustomSuite) -> None:
    settings = settings_of(six).model_copy(update={"rule": "dawid-skene"})
    with pytest.raises(ConfigError, match="'dawid-skene' does not apply to quality items: the median") as error:
        pages_of("riddles", settings)
    assert 'Add rule = "majority" to [annotate.kinds.quality]' in str(error.value)
    own = {**settings.kinds, "saying": settings.kinds["saying"].model_copy(update={"rule": "weighted"})}
    with pytest.raises(ConfigError, match="does not apply to saying items: all answers are collected") as error:
        pages_of("riddles", settings.model_copy(update={"rule": "majority", "kinds": own}))
    assert "[annotate.kinds.saying] rule" in str(error.value)


def test_the_rules_of_a_suite_file_are_those_of_the_settings(tmp_path: Path, custom: ModuleType) -> None:
    text = custom.suite_text({kind: custom.SIX[kind] for kind in ("riddle", "quality")})
    text = text.replace("seed = 3", 'seed = 3\nrule = "unanimous"').replace("scale = 5", 'scale = 5\nrule = "majority"')
    settings = settings_of(custom.open_text(tmp_path, text))
    assert (settings.rule_of("riddle"), settings.rule_of("quality")) == ("unanimous", "majority")
    with pytest.raises(ConfigError, match="leave `tie_breaker` out"):
        settings_of(custom.open_text(tmp_path, text.replace("note = true", "note = true\ntie_breaker = true")))


def test_vote_takes_a_rule_and_says_where_it_changes_nothing(
    six: CustomSuite, work: Workspace, samples: ModuleType
) -> None:
    for kind in KINDS:
        answer = {"riddle": "sound", "pair": "entails", "topic": "art", "quality": "2", "duel": "other", "saying": "a"}
        judged(work, samples, kind, [[answer[kind]] * 2] * 3)
    arguments = ["vote", str(six.path), "--work", str(work.root), "--rule"]
    result = CliRunner().invoke(app, [*arguments, "dawid-skene"], env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    assert "quality and saying: no rule decides here, so --rule dawid-skene changes nothing" in result.stderr
    assert "pair: by the model of Dawid and Skene 0 of 3 verdicts differ" in result.output
    summary = read_validation(work)
    assert {kind: summary[kind].rule for kind in ("topic", "quality", "saying")} == {
        "topic": "the model of Dawid and Skene for each label",
        "quality": "median",
        "saying": "none: texts are collected",
    }
    assert {row["posterior"] for row in work.read_verdicts().to_pylist()} == {1.0, None}
    result = CliRunner().invoke(app, [*arguments, "weighted"])
    assert isinstance(result.exception, InputError)
    result = CliRunner().invoke(app, [*arguments[:-1], "--leave-out", "p1", "--leave-out", "p7"])
    assert "nobody called 'p7'" in str(result.exception)
    result = CliRunner().invoke(app, [*arguments[:-1], "--leave-out", "p1"], env={"COLUMNS": "200"})
    assert "pair: without p1, 3 of 3 verdicts (accepted to undecided 3) differ" in result.output
    assert "p1 (left out)" in result.output


def test_votes_are_weighted_by_gold_questions(tmp_path: Path, custom: ModuleType, samples: ModuleType) -> None:
    suite = custom.one_kind(tmp_path, 'form = "label"\nlabels = ["a", "b"]\ngold = "gold"\nrule = "weighted"')
    work = Workspace(tmp_path / "work", "riddles")
    rows = [custom.item("riddle", str(number), gold="a" if number < 4 else None) for number in range(5)]
    custom.write(work, "riddle", rows)
    gold = {row["item_id"] for row in rows[:4]}
    # p0 knows all four, p1 and p2 one: (4 + 1) / 6 against (1 + 1) / 6 each, so they count against what they say.
    given = {row["item_id"]: ["b", "a", "a"] for row in rows}
    for place, item in enumerate(sorted(gold)):
        given[item] = ["a", "a", "a"] if place == 0 else ["a", "b", "b"]
    judged(work, samples, "riddle", [given[item] for item in sorted(given)])
    count_votes(work, suite.load("annotation"), settings_of(suite))
    (verdict,) = work.read_verdicts().to_pylist()
    assert (verdict["text"], verdict["votes_for"]) == ("b", 1)
    assert verdict["posterior"] == pytest.approx(20 / 21, abs=1e-6)  # odds of 5 · 2 · 2
    summary = read_validation(work)["riddle"]
    assert summary.differs_from_majority is not None
    assert summary.differs_from_majority.description == "1 of 1 verdicts (another text 1)"
