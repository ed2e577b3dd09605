"""Questions of the packaged pairs: what the build guarantees, and what baselines then cannot find."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tashika.builders.kuci.questions.questions import questions
from tashika.builders.kuci.questions.settings import QuestionSettings
from tashika.builders.kuci.questions.word_vectors import open_vectors
from tashika.builders.kuci.settings import BuildSettings
from tashika.builders.kuci.stages import Kuci
from tashika.core.settings import load_section, packaged
from tashika.core.suites.kuci.words import CONDITIONS, SPLITS
from tashika.core.workspace import Workspace
from tashika.evaluate.kuci.asking import BASELINES, baseline_choices, baseline_system
from tashika.evaluate.kuci.baselines import BagSettings
from tashika.evaluate.kuci.questions import KuciQuestion

Row = Mapping[str, Any]

BY_CONSTRUCTION = ("least-used", "reuse-clue", "form-by-marker-clue", "style-clue", "most-frequent-place")
"""Baselines of which the build guarantees that they learn nothing: whatever a text is like, it is right in a quarter of
the questions that show it, and all options have one form."""

pytestmark = pytest.mark.slow  # it analyses the packaged text


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    settings = load_section("kuci", "build", BuildSettings, packaged("kuci-demo.toml"))
    builder = Kuci(Workspace(tmp_path_factory.mktemp("work"), "kuci"), settings)
    builder.build_pairs()
    rows: list[dict[str, Any]] = builder.workspace.read_items("pair").to_pylist()
    return rows


@pytest.fixture(scope="module")
def drawn(pairs: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """By name of the settings, the questions."""
    vectors = open_vectors()
    demo = load_section("kuci", "build", BuildSettings, packaged("kuci-demo.toml")).questions
    paper = load_section("kuci", "build", BuildSettings, Path("paper")).questions.model_copy(
        update={"split": demo.split}
    )
    return {"demo": questions(pairs, vectors, demo)[0], "paper": questions(pairs, vectors, paper)[0]}


def test_the_demo_has_questions_in_every_part(drawn: dict[str, list[dict[str, Any]]]) -> None:
    counts = Counter((row["conditions"], row["split"]) for row in drawn["demo"])
    assert all(counts[conditions, split] >= 40 for conditions in CONDITIONS for split in SPLITS), counts


def test_each_text_is_used_alike(drawn: dict[str, list[dict[str, Any]]]) -> None:
    for conditions in CONDITIONS:
        for split in SPLITS:
            rows = [row for row in drawn["demo"] if (row["conditions"], row["split"]) == (conditions, split)]
            shown = Counter(option for row in rows for option in row["options"])
            right = Counter(row["options"][row["answer"]] for row in rows)
            assert all(shown[text] == 4 * right[text] for text in shown)


def test_options_have_one_form(drawn: dict[str, list[dict[str, Any]]]) -> None:
    assert all(len(set(row["forms"])) == 1 for row in drawn["demo"])
    assert any(len(set(row["forms"])) > 1 for row in drawn["paper"])


def test_baselines_find_nothing_that_the_paper_leaves(
    pairs: list[dict[str, Any]], drawn: dict[str, list[dict[str, Any]]]
) -> None:
    """No test that luck decides: rules that the construction excludes are right in a quarter, but for rounding."""
    markers = {pair["item_id"]: pair["marker"] for pair in pairs}
    found = {name: accuracies(rows, markers) for name, rows in drawn.items()}
    for name in BY_CONSTRUCTION:
        assert found["demo"][name] == pytest.approx(0.25, abs=0.01), name
    assert found["paper"]["least-used"] > 0.35
    assert found["paper"]["form-by-marker-clue"] > 0.33


def accuracies(rows: Sequence[Row], markers: Mapping[str, str]) -> dict[str, float]:
    """Of the published set, over all parts, by baseline."""
    parts = {
        split: [
            KuciQuestion(
                row["pair"],
                row["context"],
                tuple(row["options"]),
                row["answer"],
                tuple(row["similarities"]),
                row["relation"],
                row["pair"],
                tuple(row["forms"]),
            )
            for row in rows
            if (row["conditions"], row["split"]) == ("both", split)
        ]
        for split in SPLITS
    }
    shares = {}
    for name in BASELINES:
        if name in BY_CONSTRUCTION:
            choices = baseline_choices(baseline_system(name), parts, markers, BagSettings())
            right = sum(
                chosen == question.answer
                for split, places in choices.items()
                for chosen, question in zip(places.tolist(), parts[split], strict=True)
            )
            shares[name] = right / sum(map(len, choices.values()))
    return shares


def test_settings_of_the_paper_are_those_it_names() -> None:
    paper = load_section("kuci", "build", BuildSettings, Path("paper"))
    left_out = {"balance": False, "even": False, "match": (), "refuse_empty": False, "kinship": 1.0, "own_part": False}
    assert paper.questions == QuestionSettings(**left_out)
    assert not paper.filters.modality
