"""Figures: sound XML that a page can hold, the same bytes for the same data, and what they must show."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from tashika.core.reporting.plots import MAIN, SECOND, collected_pdfs, drawing, for_a_file, is_collecting
from tashika.evaluate.tempripple.plots import accuracy_by_hop
from tests.evaluate.myriadlama import figures as myriadlama
from tests.evaluate.pages import texts_of

HOPS: list[Any] = [
    SimpleNamespace(hop=1, with_context=True, accuracy=0.8, interval=SimpleNamespace(low=0.7, high=0.9)),
    SimpleNamespace(hop=0, with_context=True, accuracy=0.95, interval=None),
    SimpleNamespace(hop=0, with_context=False, accuracy=0.5, interval=SimpleNamespace(low=0.4, high=0.6)),
    SimpleNamespace(hop=1, with_context=False, accuracy=None, interval=None),
]
FIGURES: Mapping[str, Callable[[str], str]] = {
    "hops": lambda name: accuracy_by_hop(HOPS, age="new", chance=0.25, name=name),
    **myriadlama.FIGURES,
}


@pytest.fixture(params=sorted(FIGURES))
def draw(request: pytest.FixtureRequest) -> Callable[[str], str]:
    return FIGURES[request.param]


def test_a_figure_is_xml_with_a_name_and_no_date_or_outside_address(draw: Callable[[str], str]) -> None:
    svg = draw("a model")
    root = ET.fromstring(svg)
    assert "a model" in root.attrib["aria-label"]
    assert root.get("viewBox")
    assert root.get("width") is None
    assert set(re.findall(r"https?://[^\"]+", svg)) == {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    assert not re.search(r"\b20\d\d-\d\d-\d\d", svg)


def test_colours_are_the_page_s(draw: Callable[[str], str]) -> None:
    svg = draw("model")
    assert "var(--main, #0072b2)" in svg
    assert re.sub(r"var\([^)]*\)", "", svg).count("#0") == 0  # no stand-in is left


def test_a_name_with_markup_or_dollars_is_plain_text(draw: Callable[[str], str]) -> None:
    root = ET.fromstring(draw('<b>"$x_1$ & co'))
    assert '<b>"$x_1$ & co' in root.attrib["aria-label"]


def test_figures_on_one_page_share_no_id(draw: Callable[[str], str]) -> None:
    ids = [re.findall(r'\bid="([^"]+)"', draw(name)) for name in ("one", "two")]
    assert ids[0]
    assert not set(ids[0]) & set(ids[1])
    links = re.findall(r'(?:url\(|href=")#([^")]+)', draw("one"))
    assert set(links) <= set(ids[0])


def test_hops_conditions_and_chance_are_named() -> None:
    found = texts_of(FIGURES["hops"]("model"))
    assert {"without context", "with context", "chance", "new fact", "hop 1"} <= set(found)


def test_conditions_differ_in_more_than_colour() -> None:
    svg = FIGURES["hops"]("model")
    dashed = re.findall(r"stroke-dasharray", svg)
    assert dashed  # the line without context, and chance
    assert "var(--main, #0072b2)" in svg
    assert "var(--second, #d55e00)" in svg


def test_hops_of_which_nothing_was_answered() -> None:
    cells: list[Any] = [
        SimpleNamespace(hop=2, with_context=context, accuracy=None, interval=None) for context in (False, True)
    ]
    assert "hop 2" in texts_of(accuracy_by_hop(cells, age="old", chance=0.25, name="model"))


def test_a_pdf_has_the_colours_of_the_page_and_no_stand_in() -> None:
    with collected_pdfs() as pdfs, drawing(1.0, "Lines") as (figure, result):
        axes = figure.add_subplot()
        axes.plot([0, 1], [0, 1], color=MAIN)
        axes.plot([0, 1], [1, 0], color=SECOND)
    pdf = pdfs[result[0].strip()]
    assert pdf is not None
    words = pdf.split()
    assert [b"0.0000000000", b"0.4470588235", b"0.6980392157", b"RG"] in _fours(words)
    assert [b"0.8352941176", b"0.3686274510", b"0.0000000000", b"RG"] in _fours(words)
    assert b"0.0039215686" not in words  # the red of every stand-in


def _fours(words: list[bytes]) -> list[list[bytes]]:
    return [words[place : place + 4] for place in range(len(words))]


def test_a_pdf_whose_font_lacks_a_character_is_none() -> None:
    with collected_pdfs() as pdfs, drawing(1.0, "Words") as (figure, result):
        figure.add_subplot().set_xlabel("諺")
    assert pdfs == {result[0].strip(): None}


def test_figures_are_kept_only_while_they_are_collected() -> None:
    assert not is_collecting()
    with collected_pdfs() as pdfs:
        assert is_collecting()
    with drawing(1.0, "Nothing") as (figure, _):
        figure.add_subplot()
    assert pdfs == {}


def test_a_figure_as_a_file_has_colours_and_a_size() -> None:
    with drawing(1.0, "Lines") as (figure, result):
        figure.add_subplot().plot([0, 1], [0, 1], color=MAIN)
    text = for_a_file(result[0])
    assert "var(" not in text
    assert "#0072b2" in text
    assert re.match(r'<\?xml [^>]+>\n<svg width="338\.4" height="72" ', text)
