"""The analysers by their names."""

from __future__ import annotations

from typing import get_args

import pytest
from pydantic import ValidationError

from tashika.builders.kuci.analysis.analyzers import KEYS, RULES, AnalyzerSettings, open_analyzer
from tashika.builders.kuci.analysis.ginza import analyzer as ginza_analyzer
from tashika.builders.kuci.analysis.ginza.analyzer import Ginza
from tashika.builders.kuci.analysis.records import Backend, Failure
from tashika.core.errors import OutsideError


def test_ginza_comes_with_the_toolkit_and_takes_the_settings(ginza: Ginza, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ginza_analyzer, "load_model", lambda **_: ginza.model)  # which is loaded once a test run
    analyzer = open_analyzer(AnalyzerSettings().backend, AnalyzerSettings(longest=5))
    assert (analyzer.backend, analyzer.keys) == ("ginza", KEYS["ginza"])
    (found,) = analyzer.analyze([("a", "雨が降るので帰る")])
    assert isinstance(found, Failure)
    assert found.reason == "longer than 5 characters"


def test_files_of_knp() -> None:
    analyzer = open_analyzer("knp-file", AnalyzerSettings())
    assert (analyzer.backend, analyzer.keys) == ("knp-file", KEYS["knp-file"])


def test_knp_takes_its_commands() -> None:
    settings = AnalyzerSettings(juman_command="/nowhere/juman")
    with pytest.raises(OutsideError, match="/nowhere/juman"):
        open_analyzer("knp", settings)


def test_every_backend_has_keys() -> None:
    assert set(KEYS) == set(RULES) == set(get_args(Backend))


@pytest.mark.parametrize(
    "wrong",
    [{"timeout": 0}, {"timeout": "inf"}, {"longest": 0}, {"backend": "mecab"}, {"knp_command": ""}, {"knp": "knp"}],
)
def test_wrong_settings(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        AnalyzerSettings.model_validate(wrong)
