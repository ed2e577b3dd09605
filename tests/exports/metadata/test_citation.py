"""`CITATION.cff` and the BibTeX of a release."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tashika.core.release_words import Author
from tashika.exports.metadata.citation import NOBODY_SAID, bibtex
from tashika.exports.release import Export, read_record

Make = Callable[..., Export]
ADA = Author(name="Lovelace, Ada", orcid="0000-0002-1825-0097", affiliation="Analytical Society")


def cited(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((folder / "CITATION.cff").read_text(encoding="utf-8"))
    return found


def test_without_authors_the_file_says_so_and_has_what_the_format_requires(release: Path) -> None:
    found = cited(release)
    assert found["authors"] == [{"name": NOBODY_SAID}]
    assert {"cff-version", "message", "title", "authors"} <= set(found)
    assert (found["cff-version"], found["type"], found["version"]) == ("1.2.0", "dataset", "0.1.0")
    assert not {"date-released", "doi", "url"} & set(found)


def test_authors_are_persons_or_groups(make_export: Make) -> None:
    export = make_export(authors=(ADA, Author(name="The Engine Group")), date="2026-11-23", doi="10.57967/hf/1")
    export.run()
    found = cited(export.workspace.release)
    assert found["authors"] == [
        {
            "family-names": "Lovelace",
            "given-names": "Ada",
            "affiliation": "Analytical Society",
            "orcid": "https://orcid.org/0000-0002-1825-0097",
        },
        {"name": "The Engine Group"},
    ]
    assert found["date-released"] == "2026-11-23"  # text: the format's dates are strings
    assert found["doi"] == "10.57967/hf/1"


@pytest.mark.parametrize(
    ("license", "key", "value"),
    [
        ("apache-2.0", "license", "Apache-2.0"),
        ("cc-by-sa-4.0", "license", "CC-BY-SA-4.0"),
        ("cdla-permissive-2.0", "license-url", "https://spdx.org/licenses/CDLA-Permissive-2.0.html"),
        ("etalab-2.0", "license-url", "https://huggingface.co/docs/hub/repositories-licenses"),
    ],
)
def test_the_licence_stands_as_spdx_has_it(make_export: Make, license: str, key: str, value: str) -> None:
    export = make_export(license=license)
    export.run()
    assert cited(export.workspace.release)[key] == value


def test_the_release_as_bibtex(make_export: Make) -> None:
    export = make_export(
        authors=(ADA, Author(name="R & D Group")),
        date="2026-11-23",
        url="https://example.org/a_b",
        pretty_name="A 50% set",
    )
    export.run()
    record = read_record(export.workspace)
    note = f"Dataset, content digest {record['digest'][:16]}; judged by simulated annotators, all of it or a part"
    assert bibtex(export.about(record)).splitlines() == [
        "@misc{a-50-set-0.1.0,",
        r"  title   = {{A 50\% set}},",
        r"  author  = {Lovelace, Ada and {R \& D Group}},",
        "  year    = {2026},",
        "  version = {0.1.0},",
        "  url     = {https://example.org/a_b},",
        f"  note    = {{{note}}},",
        "}",
    ]
