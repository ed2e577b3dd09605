"""MyriadLAMA's figures show what they must; what holds for all figures is tested in `reporting`."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from tashika.evaluate.myriadlama.plots import accuracy_distribution, reliability_diagram
from tashika.evaluate.myriadlama.wording_plots import Spread, reach_of
from tests.evaluate.myriadlama.figures import BINS, DRAWS, FIGURES, draws
from tests.evaluate.pages import texts_of


def test_the_bins_say_their_counts() -> None:
    assert "2 bins of 5–6 prompts each" in texts_of(reliability_diagram(BINS, "model"))


def test_the_single_prompt_score_is_marked_where_there_is_one() -> None:
    marked = texts_of(FIGURES["distribution"]("model"))
    assert "our first template 25.0%" in marked
    assert "all prompts 20.0%" in marked
    without = accuracy_distribution(DRAWS, pooled=0.2, single=None, name="model")
    assert not any("one prompt" in text for text in texts_of(without))


def test_draws_that_are_all_alike() -> None:
    alike = draws(0.2, 0.2, (0, 5, 0), (-0.3, 0.1, 0.3, 0.7))
    axis = [text for text in texts_of(accuracy_distribution(alike, pooled=0.2, single=None, name="m")) if "%" in text]
    assert any(text.startswith("20.0") for text in axis)


def test_relations_are_named_and_the_best_stands_on_top() -> None:
    svg = FIGURES["relations"]("model")
    height = {
        "".join(each.itertext()).strip(): float(each.get("y", "nan"))
        for each in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    }
    assert height["capital  P36"] < height["P19"]  # y grows downwards


def test_the_axis_of_all_models_shows_their_scores_and_no_more() -> None:
    low, high = reach_of([Spread("one", draws(0.1, 0.2, (1,), (0.1, 0.2)), 0.15, 0.3), Spread("two", DRAWS, 0.2, None)])
    assert (low, high) == pytest.approx((0.1 - 0.012, 0.3 + 0.012))  # 6 % of the 20 points between
    alike = draws(0.5, 0.5, (1,), (0.0, 1.0))
    assert reach_of([Spread("one", alike, 0.5, None)]) == pytest.approx((0.49, 0.51))
    whole = draws(0.0, 1.0, (1,), (0.0, 1.0))
    assert reach_of([Spread("one", whole, 0.5, None)]) == (-0.02, 1.02)
