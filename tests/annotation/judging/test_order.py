"""In which order items come to people."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tashika.annotation.judging.columns import strings
from tashika.annotation.judging.order import (
    Ordering,
    Vectors,
    farthest_first,
    hashed_ngrams,
    read_scores,
    spread,
    text_of,
)
from tashika.annotation.judging.order_model import open_scorer
from tashika.annotation.judging.push import families, push
from tashika.annotation.labelling import Page
from tashika.annotation.settings import AnnotateSettings, KindSettings
from tashika.core.errors import InputError
from tashika.core.workspace import Workspace
from tests.evaluate.conftest import make_model
from tests.studio import Studio


@pytest.fixture
def arrange(workspace: Workspace, pages: list[Page]) -> Callable[[Ordering], list[str]]:
    """Orders the templates of the small workspace."""
    table = workspace.read_items("template")
    item_ids = sorted(strings(table, "item_id"))
    return lambda ordering: ordering.arrange(pages[0], table, item_ids, partial(families, table))


def test_listed_is_by_id_and_shuffled_by_seed(arrange: Callable[[Ordering], list[str]]) -> None:
    listed, first = arrange(Ordering()), arrange(Ordering("shuffled", 1))
    assert listed == sorted(listed)
    assert sorted(first) == listed
    assert first == arrange(Ordering("shuffled", 1))
    assert len({tuple(order) for order in (listed, first, arrange(Ordering("shuffled", 2)))}) == 3


def test_the_least_certain_come_first_and_what_has_no_score_last(arrange: Callable[[Ordering], list[str]]) -> None:
    listed = arrange(Ordering())
    scores = {item_id: number % 5 for number, item_id in enumerate(listed[:-1])}
    ordered = arrange(Ordering("uncertain", scores=scores))
    assert ordered[-1] == listed[-1]
    assert [scores[item_id] for item_id in ordered[:-1]] == sorted(scores.values(), reverse=True)
    with pytest.raises(InputError, match="nothing says how uncertain an item is"):
        arrange(Ordering("uncertain"))


class Line:
    """A model that places texts on a line, the first at 0, the next at 1, 10, 4 and so on."""

    def uncertainty(self, texts: Sequence[str]) -> Sequence[float]:
        return [float(len(text)) for text in texts]

    def vectors(self, texts: Sequence[str]) -> Vectors:
        return np.array([[place] for place in (0, 1, 10, 4)[: len(texts)]] + [[4]] * (len(texts) - 4), dtype=np.float32)


def test_each_point_is_the_farthest_from_those_before() -> None:
    # The mean of 0, 1, 10 and 4 is 3.75: 4 is first. Then 10 (6 away), 0 (4 away), and 1.
    assert farthest_first(Line().vectors(["", "", "", ""]), 9) == [3, 2, 0, 1]
    assert farthest_first(Line().vectors(["", "", "", ""]), 2) == [3, 2]
    assert farthest_first(np.zeros((0, 3), np.float32), 2) == []
    same = np.array([[0.0], [0.0], [5.0]], dtype=np.float32)
    assert farthest_first(same, 3) == [0, 2, 1]  # what is there already comes last


@given(arrays(np.float32, (7, 2), elements=st.integers(-9, 9).map(float)), st.integers(1, 6))
def test_no_choice_of_as_many_points_is_twice_as_near(points: Vectors, count: int) -> None:
    """Gonzalez's bound, against every choice of `count` points as centres."""
    from itertools import combinations

    def radius(chosen: Sequence[int]) -> float:
        gaps = np.linalg.norm(points[:, None] - points[list(chosen)][None], axis=2)
        return float(gaps.min(axis=1).max())

    order = farthest_first(points, 7)
    assert sorted(order) == list(range(7))
    best = min(radius(chosen) for chosen in combinations(range(7), count))
    assert radius(order[:count]) <= 2 * best + 1e-4


def test_texts_of_the_same_characters_lie_together() -> None:
    same, spaced, near, far = hashed_ngrams(
        ["Paris is in France", " paris  is in FRANCE ", "Paris is in Texas", "花より団子"]
    )
    assert np.allclose(same, spaced)
    assert np.linalg.norm(same - near) < np.linalg.norm(same - far)
    assert np.allclose(np.linalg.norm([same, near, far], axis=1), 1.0)
    assert np.isfinite(hashed_ngrams([""])).all()


def test_gold_questions_stand_between_the_others() -> None:
    assert spread(list("abcdefgh"), ["1", "2"]) == list("ab1cdef2gh")
    assert spread([], list("12")) == ["1", "2"]
    assert spread(list("ab"), []) == ["a", "b"]


@given(st.lists(st.integers(), max_size=20), st.lists(st.text(max_size=2), max_size=20))
def test_spreading_keeps_both_orders(some: list[int], others: list[str]) -> None:
    mixed = spread([str(number) for number in some], [f"gold {text}" for text in others])
    assert [item for item in mixed if not item.startswith("gold")] == list(map(str, some))
    assert [item for item in mixed if item.startswith("gold")] == [f"gold {text}" for text in others]


def test_scores_are_read_from_csv_and_parquet(tmp_path: Path) -> None:
    table, csv = tmp_path / "scores.parquet", tmp_path / "scores.csv"
    pq.write_table(pa.table({"item_id": ["a", "b"], "entropy": [0.5, 2.0]}), table)
    assert read_scores(table) == {"a": 0.5, "b": 2.0}
    csv.write_text("item_id,probability\na,0.5\nb,1\nc,0.25\n")
    assert read_scores(csv) == pytest.approx({"a": 1.0, "b": 0.0, "c": 0.811278}, abs=1e-6)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("item_id,score\na,1\n", "found the columns item_id, score; expected item_id and entropy or probability"),
        ("item_id,probability\na,1.5\n", "found the probability '1.5'"),
        ("item_id,entropy\na,nan\n", "found the entropy 'nan'"),
        ("item_id,entropy\na\n", "another number of fields"),
        ("item_id,entropy\n", "no scores"),
    ],
)
def test_what_is_no_score_is_refused(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(content)
    with pytest.raises(InputError, match=message):
        read_scores(path)
    with pytest.raises(InputError, match="no such file"):
        read_scores(tmp_path / "none.csv")


def test_an_item_is_read_by_its_text_or_by_what_people_see(workspace: Workspace, pages: list[Page]) -> None:
    (row, parents), *_ = families(
        workspace.read_items("template"), strings(workspace.read_items("template"), "item_id")
    )
    assert text_of(pages[0], row, parents) == row["text"]
    shown = text_of(pages[0], {**row, "text": ""}, parents)
    assert "<" not in shown
    assert row["relation_label"] in shown


@pytest.mark.parametrize("family", ["gpt2", "bert"])
def test_a_model_that_expects_everything_alike_is_as_uncertain_as_can_be(tmp_path: Path, family: str) -> None:
    scorer = open_scorer(str(make_model(family, tmp_path / family)))
    model: Any = scorer.loaded.model
    model.get_output_embeddings().weight.data.zero_()
    if family == "bert":
        model.get_output_embeddings().bias.data.zero_()
    size = model.get_output_embeddings().weight.shape[0]
    scores = scorer.uncertainty(["the capital of france is paris", "a"])
    assert scores == pytest.approx([math.log(size)] * 2, abs=1e-4)
    vectors = scorer.vectors(["the capital of france is paris", "a", "a"])
    assert vectors.shape[0] == 3
    assert np.allclose(vectors[1], vectors[2])
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)


def test_people_get_the_items_in_that_order(fresh_studio: Studio, workspace: Workspace, pages: list[Page]) -> None:
    settings = AnnotateSettings(kinds={"template": KindSettings()})
    table = workspace.read_items("template")
    scores = {item_id: float(number) for number, item_id in enumerate(strings(table, "item_id"))}
    push(fresh_studio.server, workspace, pages[:1], settings, dry=False, ordering=Ordering("uncertain", scores=scores))
    project = fresh_studio.server.project(pages[0].title)
    assert project is not None
    tasks = sorted(fresh_studio.server.tasks(project.project_id), key=lambda task: task.task_id)
    assert [task.item_id for task in tasks] == strings(table, "item_id")[::-1]
    with fresh_studio.api() as api:
        first = api.get(f"/api/projects/{project.project_id}/next").json()
    assert first["data"]["item_id"] == tasks[0].item_id
