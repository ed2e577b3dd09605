"""What a heat map of models by groups calls its models."""

from __future__ import annotations

import pytest

from tashika.evaluate.reporting.heat_map import heat_map, legend, shown_names
from tests.evaluate.pages import texts_of


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (["bert", "roberta"], ["bert", "roberta"]),
        (["wordnet-bert", "wordnet-bert-half"], ["wordnet-\nbert", "wordnet-\nbert-half"]),
        (["simulated annotators", "opt"], ["simulated\nannotators", "opt"]),
        (["a-very-long-name-of-a-model-indeed", "opt"], ["a-very-...", "opt"]),  # four lines
        (["abcdefghijklm", "abcdefghijkln"], ["model 1", "model 2"]),  # nowhere to break, and cut alike
        (["日本語", "opt"], ["model 1", "model 2"]),
    ],
)
def test_long_names_are_broken_into_lines_before_they_are_cut(names: list[str], shown: list[str]) -> None:
    assert shown_names(names, 10, "model", 3) == shown


def test_names_in_lines_need_no_legend() -> None:
    names = ["wordnet-bert", "wordnet-bert-half", "simulated annotators", "smollm2"]
    assert legend(names, ["all"]) == []
    svg = heat_map(names, ["all"], [[0.1, 0.2, 0.3, None]], title="x", words=str, scale=(0.0, 1.0))
    assert {"wordnet-", "bert-half", "annotators", "smollm2"} <= set(texts_of(svg))


def test_many_models_are_rows_and_so_keep_their_names() -> None:
    models, groups = [f"a model with a name, {letter}" for letter in "abcdefghi"], ["cause", "condition"]
    assert legend(models, groups) == []
    values = [[0.1] * 9, [0.2] * 9]
    figure = heat_map(models, groups, values, title="t", words=lambda value: f"{value:.1f}", scale=(0.0, 1.0))
    assert "model 1" not in figure
    assert legend([*models[:8], "日本語"], groups) == [
        *(f"model {number} is {name}" for number, name in enumerate(models[:8], start=1)),
        "model 9 is 日本語",
    ]
