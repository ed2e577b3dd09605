"""The adjudication page: the kind's own page with the votes, and nobody's name."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from tashika.annotation.adjudicating.pages import adjudication_page, not_adjudicated
from tashika.annotation.adjudicating.panel import PANEL, panel, with_panel
from tashika.annotation.adjudicating.statements import Statement, Statements
from tashika.annotation.labelling import FormPage, all_pages
from tashika.annotation.wording.words import Look
from tashika.core.custom.suite import CustomSuite
from tests.annotation.adjudicating.forms import FORMS

HOSTILE = '<script>alert("x")</script>$text</td>'


@pytest.mark.parametrize("suite", ["kuci", "myriadlama", "proverbs", "semrel", "tempripple"])
def test_every_page_of_a_suite_takes_the_panel_or_says_why_not(suite: str) -> None:
    for page in all_pages(suite):
        if not_adjudicated(page):
            assert page.kind in {"probe", "question"}
            continue
        shown = adjudication_page(page)
        root = ElementTree.fromstring(shown.xml)
        (votes,) = root.findall(f".//HyperText[@value='${PANEL}']")
        order = list(root.iter())
        tag, name = page.main_control
        control = root.find(f".//{tag}[@name='{name}']")
        assert control is not None
        assert order.index(votes) < order.index(control)
        assert shown.target == page.target
        assert (shown.controls, shown.instructions) == (page.controls, page.instructions)
        assert len(shown.title) <= 50
        assert shown.title != page.title


def said(label: str) -> Statements:
    return Statements((Statement("p", label, None, None, False),))


def test_the_panel_speaks_the_language_of_the_page() -> None:
    (page, *_) = all_pages("myriadlama")
    japanese = page.with_look(Look("ja"))
    assert "<b>適切</b> 1" in panel(japanese, "i", said("valid"), 0, "ja")
    assert "<b>valid</b> 1" in panel(page, "i", said("valid"), 0)
    shown = adjudication_page(japanese, "ja")
    assert shown.summary == shown.headline == f"裁定：{japanese.headline}"


def test_the_panel_has_the_words_of_a_page_made_from_a_suite_file(six: CustomSuite) -> None:
    (page,) = (page for page in six.load("annotation") if page.kind == "duel")
    japanese = page.with_look(Look("ja"))
    assert isinstance(japanese, FormPage)
    side = japanese.choice_of("other", "i")
    word = {"left": "左", "right": "右"}[side]
    html = panel(japanese, "i", said("other"), 0, "ja")
    assert f"<b>{japanese.words_on_page[side]}</b> 1" in html
    assert word in html
    assert "other" not in html


def test_the_question_stays_with_its_choices() -> None:
    xml = '<View><Text name="t" value="$t"/><Header value="?"/><View><Choices name="v" toName="t"/></View></View>'
    root = ElementTree.fromstring(with_panel(xml, ("Choices", "v")))
    assert [child.tag for child in root] == ["Text", "View", "Header", "View"]
    assert root[1][0].get("value") == "What people said, in random order"
    assert "順不同" in str(ElementTree.fromstring(with_panel(xml, ("Choices", "v"), "ja"))[1][0].get("value"))
    with pytest.raises(ValueError, match="no Choices named 'other'"):
        with_panel(xml, ("Choices", "other"))


def test_the_panel_escapes_what_people_wrote_and_names_nobody() -> None:
    said = Statements(
        (
            Statement("annotator-ada", "yes", HOSTILE, "a & b", True),
            Statement("annotator-bob", "no", None, None, False),
        ),
        skipped=1,
    )
    html = panel(FORMS["correctable"], "i", said, 3)
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "a &amp; b" in html
    assert "annotator-" not in html
    assert "<b>no</b> 1 · <b>yes</b> 1 · skipped 1" in html
    assert "Simulated annotators (programs)" in html
    assert "Nobody has voted" in panel(FORMS["vote"], "i", Statements(), 3)
    assert "<table" not in panel(FORMS["vote"], "i", Statements(said.votes[1:]), 3)


def test_positions_do_not_identify_people_but_are_the_same_each_time() -> None:
    said = Statements(tuple(Statement(f"p{n}", "yes", None, f"note {n}", False) for n in range(4)))
    orders = set()
    for item in map(str, range(12)):
        html = panel(FORMS["vote"], item, said, 3)
        assert html == panel(FORMS["vote"], item, Statements(said.votes[::-1]), 3)
        orders.add(tuple(sorted(range(4), key=lambda n: html.index(f"note {n}"))))
    assert len(orders) > 3


def test_labels_are_shown_as_the_page_has_them_and_sides_instead_of_columns() -> None:
    assert "the first" in panel(FORMS["one"], "i", Statements((Statement("p", "a", None, None, False),)), 0)
    html = panel(FORMS["preference"], "i", Statements((Statement("p", "mine", None, None, False),)), 0)
    assert "mine" not in html
    assert "left" in html or "right" in html
    gone = panel(FORMS["preference"], "i", Statements((Statement("p", "hers", None, None, False, counts=False),)), 0)
    assert "hers" not in gone
    assert "no longer has" in gone
    texts = panel(FORMS["text"], "i", Statements((Statement("p", None, "words\nof mine", None, False),)), 0)
    assert "words\nof mine" in texts
