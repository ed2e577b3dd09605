from __future__ import annotations

import pytest

from tashika.builders.kuci.confidence import COUNTED, Counted, confidence
from tashika.core.suites.kuci.words import Relation


@pytest.mark.parametrize(
    ("relation", "marker", "expected"),
    [
        ("cause", "ので", 0.761),  # 236 of 310
        ("cause", "タ形+ため", 0.92),  # 23 of 25
        ("condition", "", 0.718),  # たら and と: 107 of 149
        ("cause", "せいで", 0.782),  # not counted, as all causes: 277 of 354
        ("condition", "〜なら", 0.741),  # 172 of 232
    ],
)
def test_confidence_is_the_share_of_right_pairs_by_laplaces_rule(
    relation: Relation, marker: str, expected: float
) -> None:
    assert confidence(relation, marker) == expected


def test_a_few_right_pairs_are_not_certain() -> None:
    assert Counted(3, 3).share == 0.8
    assert all(0 < counted.right <= counted.pairs for counted in COUNTED.values())
