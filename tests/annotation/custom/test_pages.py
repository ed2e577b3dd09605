"""Pages that are made from a suite file: their form, what they show and must not show, and what is refused."""

from __future__ import annotations

import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import pytest

from tashika.annotation.custom.pages import pages_of_suite, project_title
from tashika.annotation.judging.push import task_of
from tashika.annotation.labelling import AGAINST, FOR, NEITHER, ChoicePage, Page, PreferencePage, VotePage
from tashika.annotation.settings import AnnotateSettings
from tashika.annotation.wording.words import Look
from tashika.core.custom.suite import CustomSuite
from tashika.core.errors import ConfigError, InputError
from tests import test_conformance as conformance

NOTE_TAGS = {"Collapse", "Panel", "TextArea"}
MARKUP = '<script>alert("x")</script>'
SIX = {
    "riddle": ("Choices", "verdict"),
    "pair": ("Choices", "answer"),
    "topic": ("Choices", "answer"),
    "quality": ("Choices", "answer"),
    "duel": ("Choices", "answer"),
    "saying": ("TextArea", "answer"),
}


def pages_by_kind(suite: CustomSuite) -> dict[str, Page]:
    return {page.kind: page for page in suite.load("annotation")}


@pytest.mark.parametrize("kind", list(SIX))
def test_each_form_has_a_page_that_holds_what_every_page_must(
    six: CustomSuite, custom: ModuleType, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conformance, "SUITES", (six,))
    page = pages_by_kind(six)[kind]
    assert page.main_control == SIX[kind]
    conformance.test_a_page_shows_what_its_tasks_hold(page)
    conformance.test_choices_on_the_page_are_those_that_count(page)
    conformance.test_what_a_page_shows_as_markup_is_escaped(page)


def test_what_counts_and_what_labels_are_called(six: CustomSuite) -> None:
    pages = pages_by_kind(six)
    verdict = pages["riddle"]
    assert isinstance(verdict, VotePage)
    assert verdict.choices == {"sound": FOR, "unsound": AGAINST, "odd": NEITHER}
    assert (verdict.text_control, verdict.text_column, verdict.note_control) == ("correction", "text", "note")
    label: Any = pages["pair"]
    assert list(label.choices) == ["It follows", "Neither", "It contradicts"]
    assert label.labels == ("entails", "neutral", "contradicts")
    assert label.label_of("It follows", {}) == "entails"
    assert label.choice_of("contradicts", "i") == "It contradicts"
    rating: Any = pages["quality"]
    assert rating.labels == ("1", "2", "3", "4", "5")
    assert isinstance(pages["duel"], ChoicePage)
    assert list(pages["duel"].choices) == ["left", "right", "same"]


def test_the_sides_of_a_preference_are_drawn_and_the_task_does_not_tell(six: CustomSuite, custom: ModuleType) -> None:
    page = pages_by_kind(six)["duel"]
    assert isinstance(page, PreferencePage)
    rows = [custom.item("duel", f"question {number}") for number in range(200)]
    first_left = 0
    for row in rows:
        data = task_of(page, row, [])
        assert {data["left"], data["right"]} == {"one", "two"}
        column = "left_text" if data["left"] == "one" else "other"
        assert page.label_of("left", data) == column
        assert page.choice_of(column, row["item_id"]) == "left"
        assert page.label_of("same", data) == "same"
        assert not {"left_text", "other", "by_one", "by_other"} & set(data)
        first_left += data["left"] == "one"
    assert 70 < first_left < 130
    # An answer is read by the draw that its task was made with, whatever the settings say by now.
    data = task_of(page, rows[0], [])
    from dataclasses import replace

    assert all(replace(page, seed=seed).label_of("left", data) == page.label_of("left", data) for seed in range(20))


def test_columns_that_tell_the_answer_are_not_shown(tmp_path: Path, custom: ModuleType) -> None:
    page = custom.one_kind(tmp_path, 'gold = "gold"\nexpected = "truth"').load("annotation")[0]
    data = task_of(page, custom.item("riddle", "What?", gold="accept", truth="reject"), [])
    assert set(data) == {"text", "text_html", "options", "options_html", "item_id", "suite", "kind"}
    shown = custom.one_kind(tmp_path / "b", 'gold = "gold"\nshow = ["text", "gold"]')
    with pytest.raises(ConfigError, match="'gold', and as `gold` it must not be seen"):
        pages_of_suite(shown)


def test_hostile_texts_stay_texts_on_the_page_and_in_the_guidelines(tmp_path: Path, custom: ModuleType) -> None:
    form = f"""form = "label"
ask = '''{MARKUP} costs $text or $5?'''
labels = ['''"/><Text name="x" value="gold"/>''', '''{MARKUP}''', "plain & simple"]"""
    (page,) = custom.one_kind(tmp_path, form).load("annotation")
    root = ElementTree.fromstring(page.xml)
    assert {tag.tag for tag in root.iter()} <= {"View", "Style", "Header", "HyperText", "Choices", "Choice"} | NOTE_TAGS
    assert [choice.attrib["value"] for choice in root.iter("Choice")][1:] == [MARKUP, "plain & simple"]
    (asked,) = [tag.attrib["value"] for tag in root.iter("Header") if "costs" in tag.attrib["value"]]
    assert "$text" not in asked  # Label Studio would put the column there
    assert "$5" not in asked
    assert "<script" not in page.instructions
    assert "Riddles &amp; &lt;i&gt;answers&lt;/i&gt;" in page.instructions


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ('form = "label"\nlabels = ["a", "$text"]', "cannot be shown"),
        ('form = "label"\nlabels = ["a", "b\\nc"]', "cannot be shown"),
        ('form = "label"\nlabels = ["a", " b"]', "cannot be shown"),
        ('form = "labels"\nlabels = ["a", "b|c"]', "cannot be shown"),
        ('form = "label"\nlabels = { a = "same words", b = "same words" }', "the same words"),
    ],
)
def test_choices_that_cannot_be_told_apart_or_read_back_are_refused(
    tmp_path: Path, custom: ModuleType, form: str, words: str
) -> None:
    with pytest.raises(ConfigError, match=words):
        pages_of_suite(custom.one_kind(tmp_path, form))


def test_columns_with_the_names_of_others_are_refused(tmp_path: Path, custom: ModuleType) -> None:
    columns = 'text = "string", text_html = "string"'
    with pytest.raises(ConfigError, match="'text' has a name that tasks need"):
        pages_of_suite(custom.one_kind(tmp_path, "", columns))


def test_lists_are_numbered_and_empty_values_marked(six: CustomSuite, custom: ModuleType) -> None:
    page = pages_by_kind(six)["pair"]
    data = page.task_data(custom.item("pair", "a\n<b>", options=["x", MARKUP]), [])
    rows = [["".join(cell.itertext()) for cell in line] for line in ElementTree.fromstring(data["options_html"])]
    assert rows == [["1", "x"], ["2", MARKUP]]
    assert "a\n&lt;b&gt;" in data["text_html"]
    assert "–" in data["truth_html"]


def test_a_long_title_is_cut_and_stays_its_own() -> None:
    assert project_title("riddles", "question") == "Tashika riddles question"
    long = [project_title("r" * 40, kind) for kind in ("questions_of_one", "questions_of_two")]
    assert len(set(long)) == 2
    assert max(map(len, long)) <= 50


@pytest.mark.parametrize(
    ("form", "value", "known"),
    [
        ("", "accept", "accept"),
        ('form = "labels"\nlabels = ["a", "b", "c"]', "c|a", "a\nc"),
        ('form = "rating"\nscale = ["bad", "good"]', "good", "good"),
        ('form = "text"', "Anything", "Anything"),
        ("", None, None),
        ("", "", None),
    ],
)
def test_known_answers_are_read_in_the_form_of_judgments(
    tmp_path: Path, custom: ModuleType, form: str, value: str | None, known: str | None
) -> None:
    (page,) = custom.one_kind(tmp_path, f'{form}\ngold = "gold"').load("annotation")
    row = custom.item("riddle", "t", gold=value)
    assert page.known(row) == known
    assert page.truth(row) == known


def test_a_known_answer_that_is_none_names_the_item(tmp_path: Path, custom: ModuleType) -> None:
    (page,) = custom.one_kind(tmp_path, 'gold = "gold"').load("annotation")
    row = custom.item("riddle", "t", gold="perhaps")
    with pytest.raises(InputError, match=rf"{row['item_id']} has 'perhaps'.*expected 'accept', 'reject'"):
        page.known(row)


# Pages of the user's own

OWN = """<View>
  <Text name="t" value="$text"/><HyperText name="o" value="$options_html"/>
  <Choices name="answer" toName="t"><Choice value="a"/><Choice value="はい" alias="b"/></Choices>
</View>"""
LABEL = 'form = "label"\nlabels = ["a", "b"]\npage = "own.xml"'


def test_a_page_of_the_users_own_is_taken_as_it_is(tmp_path: Path, custom: ModuleType) -> None:
    (page,) = custom.one_kind(tmp_path, LABEL, own__xml=OWN).load("annotation")
    assert page.xml == OWN
    assert page.target == "t"


@pytest.mark.parametrize(
    ("found", "put", "words"),
    [
        ("</View>", "", "no well-formed XML"),
        ('<Choice value="a"/>', "", "the choices of 'answer' are 'b'; expected 'a', 'b'"),
        ('name="answer"', 'name="verdict"', 'expected a <Choices name="answer" toName="…">, found none'),
        ('toName="t"', 'toName="u"', "is about 'u'"),
        ("$text", "$gold_", r"shows \$gold_, which no task holds"),
        ("$options_html", "$options", "it is not escaped; use \\$options_html"),
        ('<Text name="t" value', '<Image name="t" value', "<Image> takes \\$text; show texts with"),
        ('value="$options_html"', 'value="&lt;b&gt;"', "expected <HyperText value="),
        ("<Text ", '<Text valueType="url" ', "a text is shown, not loaded"),
        ("<Choices ", '<Header value="It says: $nothing"/><Choices ', r"shows \$nothing"),
        ("</View>", "<ReactCode>fetch(1)</ReactCode></View>", "<ReactCode> is no tag of a page"),
        ("<Choices ", '<Choices choice="multiple" ', 'choice="multiple"; expected "single"'),
        ("</View>", '<TextArea name="extra" toName="t"/></View>', "answers from it are not read"),
        ("<View>", "<!DOCTYPE x [<!ENTITY e 'e'>]><View>", "document type"),
    ],
)
def test_what_is_wrong_with_a_page_of_the_users_own_is_told(
    tmp_path: Path, custom: ModuleType, found: str, put: str, words: str
) -> None:
    assert found in OWN
    with pytest.raises(ConfigError, match=words) as told:
        pages_of_suite(custom.one_kind(tmp_path, LABEL, own__xml=OWN.replace(found, put)))
    assert str(told.value.where).endswith("own.xml")


ALL_KEYS = """
[annotate]
annotators = 4
minimum_votes = 3
rule = "unanimous"
seed = 7
order = "shuffled"
stop_early = true
adaptive = true
language = "ja"
note = false
one_key = false
quota = 20

[annotate.gold]
file = "gold.csv"
training = 1
most_missed = 0.2

[annotate.controls]
too_fast = 1.5
most_missed = 0.4

[annotate.adjudication]
audit = 0.25

[annotate.simulation]
seed = 1
error_rates = [0.5]
skip_rate = 0.5
"""


def test_every_key_of_the_file_arrives_in_the_settings(tmp_path: Path, custom: ModuleType) -> None:
    own = 'rule = "dawid-skene"\nparts = 3\nannotators = 5\nnote = true\nmode = "audit"\nsample = 2\n'
    suite = custom.open_text(tmp_path, custom.suite_text({"riddle": (custom.COLUMNS, own)}, rest=ALL_KEYS))
    written = tomllib.loads(ALL_KEYS)["annotate"]
    read = custom.settings_of(suite).model_dump(mode="json")
    kinds = read.pop("kinds")
    assert read == written
    assert set(written) == set(AnnotateSettings.model_fields) - {"kinds"}  # the test names every key there is
    assert kinds == {
        "riddle": {
            "mode": "audit", "sample": 2, "annotators": 5, "tie_breaker": False, "rule": "dawid-skene", "parts": 3,
        }
    }  # fmt: skip
    page = pages_by_kind(suite)["riddle"]
    assert page.look == Look("ja", note=True, one_key=False)
    assert "このままで正しいですか。" in page.headline


@pytest.mark.parametrize("section", ["gold", "controls", "adjudication", "simulation"])
def test_a_key_that_is_not_known_is_refused(tmp_path: Path, custom: ModuleType, section: str) -> None:
    rest = f"[annotate.{section}]\nno_such_key = 1\n"
    suite = custom.open_text(tmp_path, custom.suite_text({"riddle": custom.SIX["riddle"]}, rest=rest))
    with pytest.raises(ConfigError, match=f"{section}.no_such_key"):
        custom.settings_of(suite)
