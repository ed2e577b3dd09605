"""The front matter of the card: what the Hub and `datasets` read of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml
from datasets import load_dataset_builder
from datasets.info import DatasetInfosDict

from tashika.core.files import write_json
from tashika.exports.card import CARD_FILE, Card, merged
from tashika.exports.release import Export
from tashika.exports.schema import features

Make = Callable[..., Export]


def front(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((folder / CARD_FILE).read_text(encoding="utf-8").split("---\n")[1])
    return found


def test_datasets_reads_features_and_splits_out_of_it(kuci_release: Path) -> None:
    entries = front(kuci_release)["dataset_info"]
    infos = DatasetInfosDict.from_dataset_card_data(_CardData(entries))
    for name, info in infos.items():
        assert info.features == features("kuci", name)
        for split, described in info.splits.items():
            path = kuci_release / name / f"{split}.parquet"
            assert described.num_examples == pq.read_metadata(path).num_rows
    assert "questions" in infos


class _CardData(dict[str, Any]):
    """What `datasets` takes for the front matter of a card."""

    def __init__(self, entries: list[dict[str, Any]]) -> None:
        super().__init__(dataset_info=entries)


def test_datasets_finds_it_in_the_folder(release: Path, tmp_path: Path) -> None:
    builder = load_dataset_builder(str(release), "facts", cache_dir=str(tmp_path / "cache"))
    assert builder.info.features == features("myriadlama", "facts")
    assert builder.info.splits["test"].num_examples == 20


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"license": "apache-2.0"}, (None, None)),
        ({"license": "other"}, ("terms-of-the-sources", "LICENSE")),
        (
            {"license": "other", "license_name": "house", "license_link": "https://example.org/terms"},
            ("house", "https://example.org/terms"),
        ),
    ],
    ids=["known", "sources", "own"],
)
def test_another_licence_has_a_name_and_a_place(
    make_export: Make, values: dict[str, str], expected: tuple[str | None, str | None]
) -> None:
    export = make_export(**values)
    export.run()
    found = front(export.workspace.release)
    assert (found.get("license_name"), found.get("license_link")) == expected


def test_what_was_said_of_another_licence_goes_with_it() -> None:
    there = "---\nlicense: other\nlicense_name: house\nlicense_link: LICENSE\nviewer: false\n---\n"
    text = merged(Card({"license": "cc0-1.0", "tags": []}, "# New"), there, "README.md")
    assert yaml.safe_load(text.split("---\n")[1]) == {"license": "cc0-1.0", "viewer": False, "tags": []}


@pytest.mark.parametrize(
    ("simulated", "people", "values", "expected"),
    [
        (True, 0, {}, ["machine-generated"]),
        (True, 2, {}, ["other", "machine-generated"]),
        (False, 3, {"annotations_creators": ("crowdsourced",)}, ["crowdsourced"]),
    ],
    ids=["programs", "both", "people"],
)
def test_who_annotated_is_said_in_the_hubs_words(
    samples: Any,
    make_export: Make,
    simulated: bool,
    people: int,
    values: dict[str, Any],
    expected: list[str],
) -> None:
    export = make_export()
    summary = samples.validation(simulated=simulated)
    for entry in summary.values():
        entry |= {"annotators": 3, "people": people, "simulated": simulated}
    write_json(export.workspace.annotation / "validation.json", summary)
    export = make_export(**values)
    export.run()
    assert front(export.workspace.release)["annotations_creators"] == expected


def test_where_the_items_come_from_is_said_in_the_hubs_words(release: Path) -> None:
    found = front(release)
    assert found["source_datasets"] == ["extended|other-wikidata"]
    assert found["language_creators"] == ["found", "machine-generated"]


def test_who_wrote_the_texts_can_be_said(make_export: Make) -> None:
    export = make_export(language_creators=("expert-generated",))
    export.run()
    assert front(export.workspace.release)["language_creators"] == ["expert-generated"]


def test_texts_of_a_file_that_nobody_knows_are_not_said_to_be_found(kuci_release: Path) -> None:
    found = front(kuci_release)
    assert found["source_datasets"] == ["original"]
    assert found["language_creators"] == ["other"]
