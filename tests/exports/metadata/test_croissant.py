"""`croissant.json` against its reference implementation, on a release of every suite."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import mlcroissant
import pyarrow.parquet as pq
import pytest

from tashika.core.release_words import Author
from tashika.exports.metadata.rai import REQUIRED
from tashika.exports.release import Export

Make = Callable[..., Export]
RELEASES = ("release", "ripple_release", "proverb_release", "kuci_release")


@pytest.fixture(params=RELEASES)
def any_release(request: pytest.FixtureRequest) -> Path:
    folder: Path = request.getfixturevalue(request.param)
    return folder


def described(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "croissant.json").read_text())
    return found


def as_plain(value: Any) -> Any:
    """Text where the library gives bytes, lists for arrays, None for an empty cell, a day for a moment in it."""
    listed = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(listed, list):
        return [as_plain(entry) for entry in listed]
    if isinstance(listed, bytes):
        return listed.decode()
    if isinstance(listed, date):  # of which pandas' moments are a kind, and its empty one
        return None if listed != listed else listed.strftime("%Y-%m-%d")  # noqa: PLR0124
    if isinstance(listed, int | float) and not isinstance(listed, bool):
        return None if math.isnan(listed) else round(float(listed), 5)
    return listed


def in_order(rows: Iterable[dict[str, Any]]) -> list[str]:
    """Rows that can be compared, in an order of their own: files are read in another one than they are listed."""
    plain = ({name: as_plain(value) for name, value in row.items() if name != "split"} for row in rows)
    return sorted(json.dumps(row, sort_keys=True) for row in plain)


def rows_by_reference(folder: Path, config: str) -> Iterator[dict[str, Any]]:
    dataset = mlcroissant.Dataset(jsonld=folder / "croissant.json")
    for record in dataset.records(record_set=config):
        yield {name.removeprefix(f"{config}/"): as_plain(value) for name, value in record.items()}


def test_the_reference_implementation_finds_no_fault(any_release: Path) -> None:
    metadata = mlcroissant.Dataset(jsonld=any_release / "croissant.json").metadata
    assert not metadata.ctx.issues.errors
    # The date is a person's to say.
    assert [issue for issue in metadata.ctx.issues.warnings if "datePublished" not in issue] == []
    assert metadata.data_limitations
    assert metadata.data_annotation_platform == ["Label Studio, with projects made by Tashika"]


def test_it_reads_the_rows_of_every_configuration(any_release: Path) -> None:
    record = json.loads((any_release / "release.json").read_text())
    sets = [part for part in described(any_release)["recordSet"] if "data" not in part]
    assert sets
    for part in sets:
        config = part["@id"]
        files = [path for path in record["files"] if path.startswith(f"{config}/")]
        expected = [row for path in files for row in pq.read_table(any_release / path).to_pylist()]
        assert in_order(rows_by_reference(any_release, config)) == in_order(expected)


def test_a_split_is_read_off_the_file(kuci_release: Path) -> None:
    found = list(rows_by_reference(kuci_release, "questions"))
    for split in {row["split"] for row in found}:
        rows = pq.read_table(kuci_release / "questions" / f"{split}.parquet").num_rows
        assert sum(row["split"] == split for row in found) == rows
    assert {row["split"] for row in found} <= {"train", "validation", "test"}


def test_every_file_stands_there_with_its_hash(any_release: Path) -> None:
    files = json.loads((any_release / "release.json").read_text())["files"]
    objects = {part["contentUrl"]: part for part in described(any_release)["distribution"] if "contentUrl" in part}
    assert {path: part["sha256"] for path, part in objects.items()} == {
        path: file["sha256"] for path, file in files.items()
    }


def test_what_neurips_asks_for_is_there(any_release: Path) -> None:
    assert [name for name in REQUIRED if name not in described(any_release)] == []


def test_simulated_annotators_are_called_so(release: Path) -> None:
    found = described(release)
    assert found["rai:hasSyntheticData"] is True
    assert "simulated-annotations" in found["keywords"]
    assert found["rai:dataLimitations"][0].startswith("Simulated annotators (programs) judged this release")
    assert any("simulated annotators (programs)" in json.dumps(part) for part in found["prov:wasGeneratedBy"])
    assert any(
        tool.startswith("Simulated annotators of template items") for tool in found["rai:machineAnnotationTools"]
    )


def test_what_a_person_says_takes_the_place_of_the_suites_words(make_export: Make) -> None:
    export = make_export(
        authors=(
            Author(name="Lovelace, Ada", orcid="0000-0002-1825-0097", affiliation="Analytical Society"),
            Author(name="The Engine Group"),
        ),
        date="2026-11-23",
        biases=("It is about engines.",),
        maintenance="Write to the group.",
        annotator_demographics=("Two engineers.",),
    )
    export.run()
    found = described(export.workspace.release)
    assert found["rai:dataBiases"] == ["It is about engines."]
    assert found["rai:dataReleaseMaintenancePlan"] == "Write to the group."
    assert found["rai:annotatorDemographics"] == ["Two engineers."]
    assert found["datePublished"] == "2026-11-23"
    assert found["creator"] == [
        {
            "@type": "sc:Person",
            "name": "Ada Lovelace",
            "url": "https://orcid.org/0000-0002-1825-0097",
            "affiliation": {"@type": "sc:Organization", "name": "Analytical Society"},
        },
        {"@type": "sc:Organization", "name": "The Engine Group"},
    ]
    metadata = mlcroissant.Dataset(jsonld=export.workspace.release / "croissant.json").metadata
    assert not metadata.ctx.issues.errors
    assert not metadata.ctx.issues.warnings


def test_other_words_of_the_suite_make_the_documents_again(make_export: Make) -> None:
    export = make_export()
    export.run()
    text = replace(export.plan.card or export.suite.card, limits=("Only one limit.",))
    replace(export, plan=replace(export.plan, card=text)).run()
    assert described(export.workspace.release)["rai:dataLimitations"][1:] == ["Only one limit."]
