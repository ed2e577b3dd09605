"""People and programs are counted apart, in words too."""

from __future__ import annotations

from typing import Any

import pytest

from tashika.core.annotators import Annotators


@pytest.mark.parametrize(
    ("summary", "told", "mark", "name"),
    [
        ({"annotators": 1, "people": 1, "simulated": False}, "1 person", "", "people"),
        ({"annotators": 1_200, "people": 1_200}, "1,200 people", "", "people"),
        ({}, "0 people", "", "people"),
        (
            {"annotators": 1, "people": 0, "simulated": True},
            "1 simulated annotator (program)",
            " (simulated annotators)",
            "simulated annotators",
        ),
        (
            {"annotators": 5, "people": 2, "simulated": True},
            "2 people and 3 simulated annotators (programs)",
            " (people and simulated annotators)",
            "people and simulated annotators",
        ),
        # As earlier versions wrote it.
        ({"annotators": 4, "simulated": False}, "4 people", "", "people"),
        ({"people": 4, "simulated": False}, "4 people", "", "people"),
        (
            {"annotators": 4, "simulated": True},
            "4 annotators, simulated ones (programs) among them",
            " (simulated annotators among them)",
            "annotators",
        ),
        (
            {"people": 4, "simulated": True},
            "4 annotators, simulated ones (programs) among them",
            " (simulated annotators among them)",
            "annotators",
        ),
    ],
)
def test_nobody_is_called_what_he_is_not(summary: dict[str, Any], told: str, mark: str, name: str) -> None:
    found = Annotators.of(summary)
    assert (found.description, found.mark, found.name) == (told, mark, name)
    assert found.simulated == bool(mark)
