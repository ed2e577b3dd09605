"""`statistics.json`: figures of the sample counted by hand, and columns by worked examples."""

from __future__ import annotations

import json
import statistics as standard
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import given
from hypothesis import strategies as st

from tashika.core.suites.columns import Column
from tashika.exports.metadata.statistics import ColumnStatistics


def counted(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "statistics.json").read_text())
    return found


def of_column(column: Column, *batches: Any) -> dict[str, Any]:
    statistics = ColumnStatistics(column)
    for batch in batches:
        statistics.add(batch)
    return statistics.summary()


def test_the_sample_is_described(release: Path) -> None:
    found = counted(release)
    assert {name: config["rows"] for name, config in found["configurations"].items()} == {
        "facts": 20, "aliases": 36, "templates": 10, "prompts": 134, "lite": 6,
    }  # fmt: skip
    assert found["configurations"]["templates"]["columns"]["origin"]["values"] == {"manual": 6, "paraphrase": 4}
    assert found["configurations"]["prompts"]["splits"] == {"test": 134}
    template = found["kinds"]["template"]
    assert template["votes_an_item"] == round(template["votes"] / template["judged"], 4)
    assert template["agreement"]["krippendorff_alpha"] is not None
    assert template["simulated"] is True


def test_every_split_has_its_rows(kuci_release: Path) -> None:
    splits = counted(kuci_release)["configurations"]["questions"]["splits"]
    for split, rows in splits.items():
        assert pq.read_table(kuci_release / "questions" / f"{split}.parquet").num_rows == rows


def test_text_has_lengths_and_values_that_repeat() -> None:
    column = Column("string", "a text")
    found = of_column(column, pa.array(["no", "yes", None]), pa.array(["no", "no", "yes"]))
    assert found == {
        "type": "string",
        "empty": 1,
        "characters": {"least": 2, "mean": 2.4, "median": 2, "greatest": 3},
        "values": {"no": 3, "yes": 2},
    }


def test_values_that_hardly_repeat_are_not_listed() -> None:
    assert "values" not in of_column(Column("string", "a text"), pa.array(["a", "b", "c", "a"]))
    many = pa.array([str(number % 40) for number in range(400)])
    assert "values" not in of_column(Column("string", "a text"), many)


def test_labels_go_by_their_names_and_lists_by_their_entries() -> None:
    label = Column("label", "a label", names=("no", "yes"))
    assert of_column(label, pa.array([1, 1, 0, 1]))["values"] == {"yes": 3, "no": 1}
    labels = Column("labels", "labels", names=("no", "yes"))
    found = of_column(labels, pa.array([[0, 1], [1], [], [1]]))
    assert found["values"] == {"yes": 3, "no": 1}
    assert found["entries"] == {"least": 0, "mean": 1.0, "median": 1, "greatest": 2}


def test_numbers_have_ends_and_a_mean() -> None:
    found = of_column(Column("float64", "a number"), pa.array([0.5, None]), pa.array([2.5]))
    assert found == {"type": "float64", "empty": 1, "numbers": {"least": 0.5, "mean": 1.5, "greatest": 2.5}}


@given(st.lists(st.lists(st.text(max_size=6), min_size=1, max_size=9), min_size=1, max_size=4))
def test_lengths_are_those_of_all_batches_together(batches: list[list[str]]) -> None:
    found = of_column(Column("string", "a text"), *(pa.array(batch) for batch in batches))["characters"]
    sizes = [len(text) for batch in batches for text in batch]
    assert (found["least"], found["greatest"]) == (min(sizes), max(sizes))
    assert found["median"] == standard.median_low(sizes)
    assert found["mean"] == round(standard.mean(sizes), 2)
