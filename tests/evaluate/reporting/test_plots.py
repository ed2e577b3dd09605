"""Figures: sound XML that a page can hold, the same bytes for the same data, and what they must show."""

import re
import xml.etree.ElementTree as ET

import pytest

from tashika.evaluate.reporting.plots import accuracy_distribution, relation_accuracy, reliability_diagram
from tashika.evaluate.tempripple.plots import accuracy_by_hop

BINS = [{"count": 6, "confidence": 0.84, "acc@1": 0.8}, {"count": 5, "confidence": 0.35, "acc@1": 0.15}]
DRAWS = {"min": 0.1, "max": 0.3, "histogram": {"counts": [1, 3, 2], "edges": [0.1, 0.15, 0.25, 0.3]}}
RELATIONS = {
    "P36": {"acc@1": 0.4, "by_template": {"min": 0.1, "max": 0.7}},
    "P19": {"acc@1": 0.2, "by_template": {"min": 0.0, "max": 0.3}},
}
HOPS = [
    {"hop": 1, "with_context": True, "accuracy": 0.8, "interval": {"low": 0.7, "high": 0.9}},
    {"hop": 0, "with_context": True, "accuracy": 0.95, "interval": None},
    {"hop": 0, "with_context": False, "accuracy": 0.5, "interval": {"low": 0.4, "high": 0.6}},
    {"hop": 1, "with_context": False, "accuracy": None, "interval": None},
]
FIGURES = {
    "reliability": lambda name: reliability_diagram(BINS, name),
    "distribution": lambda name: accuracy_distribution(DRAWS, pooled=0.2, single=0.25, name=name),
    "hops": lambda name: accuracy_by_hop(HOPS, age="new", chance=0.25, name=name),
    "relations": lambda name: relation_accuracy(RELATIONS, {"P36": "capital"}, name),
}


@pytest.fixture(params=sorted(FIGURES))
def draw(request):
    return FIGURES[request.param]


def texts(svg):
    return ["".join(each.itertext()).strip() for each in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def test_the_same_data_give_the_same_bytes(draw):
    assert draw("model") == draw("model")


def test_a_figure_is_xml_with_a_name_and_no_date_or_outside_address(draw):
    svg = draw("a model")
    root = ET.fromstring(svg)
    assert "a model" in root.get("aria-label")
    assert root.get("viewBox")
    assert root.get("width") is None
    assert set(re.findall(r"https?://[^\"]+", svg)) == {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    assert not re.search(r"\b20\d\d-\d\d-\d\d", svg)


def test_colours_are_the_page_s(draw):
    svg = draw("model")
    assert "var(--main, #0072b2)" in svg
    assert re.sub(r"var\([^)]*\)", "", svg).count("#0") == 0  # no stand-in is left


def test_a_name_with_markup_or_dollars_is_plain_text(draw):
    root = ET.fromstring(draw('<b>"$x_1$ & co'))
    assert '<b>"$x_1$ & co' in root.get("aria-label")


def test_figures_on_one_page_share_no_id(draw):
    ids = [re.findall(r'\bid="([^"]+)"', draw(name)) for name in ("one", "two")]
    assert ids[0]
    assert not set(ids[0]) & set(ids[1])
    links = re.findall(r'(?:url\(|href=")#([^")]+)', draw("one"))
    assert set(links) <= set(ids[0])


def test_the_bins_say_their_counts():
    assert "2 bins of 5–6 prompts each" in texts(reliability_diagram(BINS, "model"))


def test_the_single_prompt_score_is_marked_where_there_is_one():
    marked = texts(FIGURES["distribution"]("model"))
    assert "one prompt a fact 25.0%" in marked
    assert "all prompts 20.0%" in marked
    without = accuracy_distribution(DRAWS, pooled=0.2, single=None, name="model")
    assert not any("one prompt" in text for text in texts(without))


def test_draws_that_are_all_alike():
    alike = {"min": 0.2, "max": 0.2, "histogram": {"counts": [0, 5, 0], "edges": [-0.3, 0.1, 0.3, 0.7]}}
    axis = [text for text in texts(accuracy_distribution(alike, pooled=0.2, single=None, name="m")) if "%" in text]
    assert any(text.startswith("20.0") for text in axis)


def test_relations_are_named_and_the_best_stands_on_top():
    svg = FIGURES["relations"]("model")
    height = {
        "".join(each.itertext()).strip(): float(each.get("y"))
        for each in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    }
    assert height["capital  P36"] < height["P19"]  # y grows downwards


def test_hops_conditions_and_chance_are_named():
    found = texts(FIGURES["hops"]("model"))
    assert {"without context", "with context", "chance", "new fact", "hop 1"} <= set(found)


def test_conditions_differ_in_more_than_colour():
    svg = FIGURES["hops"]("model")
    dashed = re.findall(r"stroke-dasharray", svg)
    assert dashed  # the line without context, and chance
    assert "var(--main, #0072b2)" in svg
    assert "var(--second, #d55e00)" in svg


def test_hops_of_which_nothing_was_answered():
    cells = [{"hop": 2, "with_context": context, "accuracy": None, "interval": None} for context in (False, True)]
    assert "hop 2" in texts(accuracy_by_hop(cells, age="old", chance=0.25, name="model"))
