from __future__ import annotations

import pytest

from tashika.evaluate.kuci.glossary import glossary


@pytest.mark.parametrize(
    ("built_with", "said", "other"),
    [
        ({}, "0.4 to 0.6", "equally wide"),  # a release of an older version
        ({"bins": "counts"}, "not of each third of the range", "equally wide"),
        ({"bins": "widths", "similarity": [0.3, 0.7]}, "equally wide", "0.4"),
    ],
)
def test_similarity_is_that_of_the_release(built_with: dict[str, object], said: str, other: str) -> None:
    words = dict(glossary(built_with))
    assert said in words["Condition Similarity"]
    assert other not in words["Condition Similarity"]
    assert "0.5 to 2 times as many words" in words["Condition Length"]
    assert all(words.values())
