"""`LICENSE` of a release."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from tashika.exports.metadata.licences import licence_of
from tashika.exports.plan import ExportSettings
from tashika.exports.release import Export

Make = Callable[..., Export]


def text_of(export: Export) -> str:
    export.run()
    return (export.workspace.release / "LICENSE").read_text(encoding="utf-8")


def test_a_licence_that_comes_along_has_its_whole_text(make_export: Make) -> None:
    text = text_of(make_export(license="apache-2.0"))
    assert "Licence: Apache License 2.0 (SPDX: Apache-2.0)" in text
    assert "TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION" in text
    assert "- Wikidata" in text


def test_another_one_is_pointed_to(make_export: Make) -> None:
    text = text_of(make_export(license="cc-by-4.0"))
    assert "Its text: https://creativecommons.org/licenses/by/4.0/legalcode" in text


def test_a_notice_that_must_go_along_does(make_export: Make) -> None:
    export = make_export(license="other")
    card = replace(export.plan.card or export.suite.card, notice="Keep this notice.")
    text = text_of(replace(export, plan=replace(export.plan, card=card)))
    assert "No one licence covers this release" in text
    assert text.endswith("\nKeep this notice.\n")


@pytest.mark.parametrize(
    ("values", "name", "link"),
    [
        ({"license": "other"}, "no one licence: each part is under the terms of its source", ""),
        ({"license": "other", "license_name": "house", "license_link": "LICENSE"}, "house", "LICENSE"),
        ({"license": "mit"}, "MIT License", "https://spdx.org/licenses/MIT.html"),
    ],
)
def test_what_a_licence_is_called(values: dict[str, str], name: str, link: str) -> None:
    licence = licence_of(ExportSettings(pretty_name="A", **values))
    assert (licence.name, licence.link) == (name, link)
