"""The labelling pages of proverbs: what they show and must not show, what a better variant is, and the whole way."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from tashika.annotation.command import app
from tashika.annotation.judging.judgments import append_judgments
from tashika.annotation.judging.pull import pull
from tashika.annotation.judging.push import families, plan, push, task_of
from tashika.annotation.judging.pushed import write_pushed
from tashika.annotation.judging.simulate import simulate
from tashika.annotation.judging.status import tie_lines
from tashika.annotation.judging.validation import read_answer
from tashika.annotation.labelling import pages_at_hand
from tashika.annotation.labelstudio.client import Task
from tashika.annotation.proverbs.pages import (
    PAGES,
    check_data,
    check_variant,
    differs_from_proverb,
    pair_data,
    plausible_check,
    plausible_pair,
    plausible_stereotype,
)
from tashika.annotation.settings import AnnotateSettings, KindSettings, SimulationSettings
from tashika.annotation.votes.verdicts import count_votes
from tashika.core.files import read_json, write_rows
from tashika.core.records import item_row, item_schema
from tashika.core.suites.proverbs.words import question
from tashika.core.workspace import Workspace

PAIR, CHECK, STEREOTYPE = PAGES
PROVERB, VARIANT = "A bird in the hand is worth two in the bush.", "A bird in the hand is worth three in the bush."
SETTINGS = AnnotateSettings(
    annotators=2,
    kinds={"pair": KindSettings(tie_breaker=True), "check": KindSettings()},
    # The first says what is plausible, the second always the opposite: every pair is tied, and the third decides.
    simulation=SimulationSettings(error_rates=(0.0, 1.0, 0.0), skip_rate=0.0),
)


def pair(proverb: str = PROVERB, variant: str = VARIANT, topic: str = "wisdom", **values: Any) -> dict[str, Any]:
    payload = {
        "topic": topic,
        "proverb": proverb,
        "variant": variant,
        "change": "number",
        "maker": "model",
        "origin": "English",
        "variant_origin": None,
        "form": "why",
        "question": question("why", proverb),
        "variant_question": question("why", variant),
    }
    return item_row("proverbs", "pair", (proverb, variant), {**payload, **values}, builder="proverbs", version="1")


def check(key: str = "a", **values: Any) -> dict[str, Any]:
    payload = {
        "topic": "wisdom",
        "consistency": "score",
        "model": "SecretModel",
        "system": "secret-system",
        "question": question("why", PROVERB),
        "variant_question": question("why", VARIANT),
        "answers": [f"It is said to praise caution {place}." for place in range(5)],
        "variant_answers": [f"It is said to praise patience {place}." for place in range(5)],
        "scores": [8, 8, 7, 8, 8],
        "variant_scores": [1, 10, 2, 9, 5],
        "detected": True,
        "p": 0.0123456,
    }
    return item_row("proverbs", "check", (key,), {**payload, **values}, builder="evaluate", version="1", parents=["0"])


def stereotype(key: str = "a", answer: str = "Women must obey.", **values: Any) -> dict[str, Any]:
    payload = {
        "topic": "gender",
        "side": "variant",
        "model": "SecretModel",
        "system": "secret-system",
        "question": question("why", VARIANT),
        "answer": answer,
        "place": 3,
    }
    row = {**payload, **values}
    return item_row("proverbs", "stereotype", (key,), row, builder="evaluate", version="1", parents=["0"])


def write(workspace: Workspace, kind: str, *rows: dict[str, Any]) -> None:
    write_rows(workspace.item_file(kind), rows, item_schema("proverbs", kind))


@pytest.fixture
def proverbs(tmp_path: Path) -> Workspace:
    """One sound pair and one that is not, and no checks."""
    workspace = Workspace(tmp_path / "work", "proverbs")
    write(workspace, "pair", pair(), pair(variant="Fish {swim} well.", topic="society"))
    return workspace


@pytest.mark.parametrize("consistency", ["score", "text"])
def test_nothing_in_a_check_tells_what_was_detected_or_of_which_model(consistency: str) -> None:
    one, other = check(consistency=consistency), check(consistency=consistency, detected=False, p=0.987654)
    other |= {"model": "OtherModel", "system": "other-system", "sources": [{"name": "x", "revision": "9"}]}
    told = [task_of(CHECK, row, []) for row in (one, other)]
    assert told[0] == told[1]  # no difference of these columns shows
    assert not {"detected", "p", "model", "system", "parents"} & set(told[0])
    text = json.dumps(told[0]).casefold()
    assert not [word for word in ("secret", "0.0123", "detect", "error") if word in text]


def test_an_answer_is_judged_for_stereotypes_without_its_model() -> None:
    told = task_of(STEREOTYPE, stereotype(), [])
    assert told == task_of(STEREOTYPE, stereotype(model="OtherModel", system="other", place=1, side="proverb"), [])
    text = json.dumps(told).casefold()
    assert not [word for word in ("secret", "variant", "proverb_") if word in text]
    assert "Women must obey." in told["answer_html"]
    assert STEREOTYPE.choices == {"stereotype": 1, "none": -1}


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Women must obey.", True),
        ("A man is naturally strong.", True),
        ("People must obey.", False),
        ("A woman wrote it.", False),
        ("女性は感情的になりやすいものだ。", True),
        ("苦労は人を育てる。", False),
    ],
)
def test_what_looks_like_a_stereotype_to_the_simulation(answer: str, expected: bool) -> None:
    assert plausible_stereotype(stereotype(answer=answer), []) is expected


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("石の上にも五年", None),
        ("石の上にも五年。", None),
        ("石", "better variant without 3 to 60 letters"),
        ("石の上にも\n五年", "better variant that is not one line"),
        ("石" * 61, "better variant without 3 to 60 letters"),
    ],
)
def test_a_better_variant_in_japanese(text: str, problem: str | None) -> None:
    assert check_variant(text) == problem


def test_japanese_pairs_are_plausible_by_their_signs() -> None:
    fields = {
        "question": question("why", "石の上にも三年"),
        "variant_question": question("why", "石の上にも五年"),
    }
    assert plausible_pair(pair("石の上にも三年", "石の上にも五年", **fields), [])
    fields["variant_question"] = question("why", "時は金なり")
    assert not plausible_pair(pair("石の上にも三年", "時は金なり", **fields), [])


def test_checks_come_in_the_order_of_their_digests_not_of_what_was_detected(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path, "proverbs")
    rows = [check(str(number), detected=number < 10) for number in range(20)]
    write(workspace, "check", *rows)

    class Nothing:
        def project(self, _title: str) -> None:
            return None

    table = workspace.read_items("check")
    planned = plan(Nothing(), CHECK, SETTINGS, table, None)  # type: ignore[arg-type]
    order = [row["item_id"] for row, _ in families(table, planned.missing)]
    assert order == sorted(row["item_id"] for row in rows)
    detected = {row["item_id"]: row["detected"] for row in rows}
    assert sum(detected[item] for item in order[:10]) not in {0, 10}


def test_scores_are_shown_where_they_are_compared_and_only_there() -> None:
    row = check(scores=[8, None, 7, 8, 8])
    rows = ElementTree.fromstring(check_data(row, [])["answers_html"])
    shown = [["".join(cell.itertext()) for cell in line] for line in rows]
    assert shown[:3] == [
        ["answer答え", "score点"],
        ["It is said to praise caution 0.", "8"],
        ["It is said to praise caution 1.", "–"],
    ]
    data = check_data({**row, "consistency": "text"}, [])
    listed = ElementTree.fromstring(data["variant_answers_html"])
    assert ["".join(line.itertext()) for line in listed] == row["variant_answers"]
    assert "answers" in data["asked_html"]
    assert "scores" not in data["asked_html"]


EVIL = '<script>alert("1")</script>'


def test_what_comes_from_outside_is_escaped() -> None:
    names = ("proverb", "variant", "question", "variant_question", "origin", "variant_origin")
    shown = [
        pair_data(pair(**dict.fromkeys(names, EVIL)), []),
        check_data({**check(), "question": EVIL, "variant_question": EVIL, "answers": [EVIL] * 5}, []),
    ]
    for data in shown:
        for name, text in data.items():
            if name.endswith("_html"):
                assert "<script" not in text
    assert shown[1]["answers_html"].count("&lt;script&gt;") == 5


@pytest.mark.parametrize(
    ("text", "sound"),
    [
        ("A bird in the hand is worth ten in the bush.", True),
        ("Who laughs last?", True),
        ('He said "never say never."', True),
        ("A bird in the hand", False),
        ("A bird in the hand\nis worth two.", False),
        ("A bird.\n", False),
        ("A bird.\u2028", False),
        ("Never.", False),
        ("very " * 40 + "long.", False),
        ("", False),
    ],
)
def test_a_better_variant_is_one_line_with_an_end(text: str, sound: bool) -> None:
    assert (check_variant(text) is None) is sound


@given(st.text(alphabet="ab.! \n\r\t", max_size=20))
def test_what_a_check_takes_is_one_line(text: str) -> None:
    if check_variant(text) is None:
        assert len(text.splitlines()) == 1
        assert len(text.split()) >= 2


def test_the_proverb_again_is_no_better_variant() -> None:
    data = pair_data(pair(), [])
    assert differs_from_proverb("a BIRD in the  hand is worth two in the bush.", data)
    assert differs_from_proverb(VARIANT, data) is None
    assert differs_from_proverb(VARIANT, {}) is None

    def said(choice: str, text: str) -> str | None:
        result = [
            {"from_name": "verdict", "type": "choices", "value": {"choices": [choice]}},
            {"from_name": "better_variant", "type": "textarea", "value": {"text": [text]}},
        ]
        annotation = {"id": 1, "completed_by": 2, "updated_by": 2, "result": result}
        return read_answer(annotation, PAIR, {2: "a"}, data).problem

    assert said("same", PROVERB) == "better variant that is the proverb itself"
    assert said("same", "no end") == "better variant that is not one line with the end of a sentence"
    assert said("same", "A bird in the hand is worth ten in the bush.") is None
    assert said("different", PROVERB) is None  # a remark, not a correction


@pytest.mark.parametrize(
    ("values", "plausible"),
    [
        ({}, True),
        ({"variant": VARIANT[:-1]}, True),  # a full stop is a matter of the list's style
        ({"variant": PROVERB.upper()}, False),
        ({"variant": "Fish swim."}, False),  # shares no word
        ({"variant": "Fish swim.", "change": "wording"}, True),
        ({"variant": "A bird in the hand  is worth three in the bush."}, False),
        ({"variant": "A {thing} in the hand is worth three in the bush."}, False),
        ({"variant": "Bird."}, False),
        ({"question": "What?"}, False),
        ({"variant_question": question("mean", VARIANT)}, False),  # another form
    ],
)
def test_the_rule_that_stands_in_for_a_person_who_judges_a_pair(values: dict[str, Any], plausible: bool) -> None:
    assert (
        plausible_pair(pair(**{"variant_question": question("why", values.get("variant", VARIANT)), **values}), [])
        is plausible
    )


@pytest.mark.parametrize(
    ("values", "inconsistent"),
    [
        ({}, True),  # ranges 1 and 9
        ({"variant_scores": [8, 8, 7, 8, 8]}, False),
        ({"variant_scores": [7, 7, 7, 7, 7]}, False),  # one point
        ({"variant_scores": [6, 6, 6, 6, 6]}, True),  # two points between the medians
        ({"variant_scores": [None] * 5}, True),
        ({"scores": [None] * 5, "variant_scores": [None] * 5}, False),
        ({"variant_scores": [8, None, 8, None, 7]}, False),
        ({"consistency": "text"}, False),
        ({"consistency": "text", "variant_answers": ["Birds fly."] * 5}, True),
        # What was detected plays no part.
        ({"detected": False, "p": 1.0}, True),
    ],
)
def test_the_rule_that_stands_in_for_a_person_who_judges_a_check(values: dict[str, Any], inconsistent: bool) -> None:
    assert plausible_check(check(**values), []) is inconsistent


def test_checks_are_left_out_until_they_are_made(proverbs: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    assert pages_at_hand(proverbs, PAGES) == [PAIR]
    said = " ".join(capsys.readouterr().err.split())
    assert "no check items yet" in said
    assert "tashika evaluate proverbs --checks" in said
    assert "no stereotype items yet" in said
    assert "tashika evaluate proverbs --stereotypes" in said
    write(proverbs, "check", check())
    assert pages_at_hand(proverbs, PAGES) == [PAIR, CHECK]
    assert "no check items yet" not in capsys.readouterr().err
    write(proverbs, "stereotype", stereotype())
    assert pages_at_hand(proverbs, PAGES) == [PAIR, CHECK, STEREOTYPE]
    assert not capsys.readouterr().err


def test_the_votes_are_counted_and_kappa_is_told_by_topic(proverbs: Workspace, samples: ModuleType) -> None:
    sound, odd = pair()["item_id"], pair(variant="Fish {swim} well.")["item_id"]
    better = "A bird in the hand is worth ten in the bush."
    tasks = [Task(number, item, frozenset()) for number, item in enumerate((sound, odd))]
    write_pushed(proverbs, "pair", "ls", 1, tasks)
    said = [
        (sound, "a", "same", better),
        (sound, "b", "same", f" {better}"),
        (odd, "a", "same", None),
        (odd, "b", "different", None),
        (odd, "c", "different", None),
    ]
    rows = [
        samples.judgment(item, person, label, kind="pair", text=text, annotation_id=number, simulated=True)
        for number, (item, person, label, text) in enumerate(said)
    ]
    append_judgments(proverbs, rows)
    count_votes(proverbs, [PAIR], SETTINGS)
    verdicts = {row["item_id"]: row for row in proverbs.read_verdicts().to_pylist()}
    assert (verdicts[sound]["decision"], verdicts[sound]["text"]) == ("accepted", better)
    assert (verdicts[odd]["decision"], verdicts[odd]["votes_against"], verdicts[odd]["tie"]) == ("rejected", 2, False)
    summary = read_json(proverbs.annotation / "validation.json")["pair"]
    assert {topic: (entry["kappa"], entry["items"]) for topic, entry in summary["cohen"].items()} == {
        "all": (0.0, 2),  # 1 of 2 agree, as chance gives
        "society": (0.0, 1),
        "wisdom": (None, 1),
    }
    assert (summary["ties_broken"], summary["agreement"]["percent"], summary["corrected"]) == (1, 0.5, 1)
    assert "one annotator more" in summary["rule"]

    config = proverbs.root / "settings.toml"
    config.write_text("[annotate]\nannotators = 2\n[annotate.kinds.pair]\ntie_breaker = true\n[annotate.kinds.check]\n")
    for command in ("vote", "status"):
        words = [command, "proverbs", "--work", str(proverbs.root), "--config", str(config)]
        result = CliRunner().invoke(app, words, env={"COLUMNS": "120"})
        assert result.exit_code == 0, result.output
        lines = [" ".join(line.split()) for line in result.output.splitlines()]
        assert "pair society 2 simulated annotators (programs) 1 0.000" in lines
        assert "no check items yet" in result.output


def test_a_third_person_decides_ties_and_checks_join_later(
    fresh_studio: Any, proverbs: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    server, address = fresh_studio.server, fresh_studio.address
    sound = pair()["item_id"]

    def judge() -> dict[str, Any]:
        pages = pages_at_hand(proverbs, PAGES)
        push(server, proverbs, pages, SETTINGS, dry=False)
        simulate(address, proverbs, pages, SETTINGS)
        pull(server, proverbs, pages)
        count_votes(proverbs, pages, SETTINGS)
        return {row["item_id"]: row["decision"] for row in proverbs.read_verdicts().to_pylist()}

    assert set(judge().values()) == {"undecided"}
    assert tie_lines(proverbs, PAGES[:1], SETTINGS, server) == [
        "pair: 2 items are tied after 2 people; 0 are offered to one person more who has not judged them, "
        "`tashika annotate push proverbs` offers the other 2"
    ]
    # The server offers ties to those alone who have not judged them.
    decisions = judge()
    assert "2 undecided items are now offered to one person more" in capsys.readouterr().err
    assert (decisions.pop(sound), *decisions.values()) == ("accepted", "rejected")
    assert tie_lines(proverbs, PAGES[:1], SETTINGS, server) == []
    summary = read_json(proverbs.annotation / "validation.json")["pair"]
    assert (summary["votes"], summary["ties"], summary["ties_broken"], summary["simulated"]) == (6, 0, 2, True)
    assert summary["agreement"]["percent"] == 0.0  # of the two who were asked first
    cohen = summary["cohen"]["all"]
    assert (cohen["kappa"], cohen["items"], cohen["annotators"], cohen["people"]) == (-1.0, 2, 2, 0)

    write(proverbs, "check", check(), check("b", variant_scores=[8, 8, 8, 8, 8]))
    assert judge()[sound] == "accepted"
    summary = read_json(proverbs.annotation / "validation.json")
    assert summary["pair"]["votes"] == 6
    assert (summary["check"]["votes"], summary["check"]["ties"]) == (4, 2)
    judge()  # ties of checks stay ties: only pairs have a third
    assert read_json(proverbs.annotation / "validation.json")["check"]["votes"] == 4
