from __future__ import annotations

from tashika.core.suites.kuci.drawing import filtered


def test_the_filters_are_those_of_the_build() -> None:
    plain = "Too frequent basic events, demonstratives, unknown words and modality were filtered out."
    assert filtered({}) == filtered({"filters": {"least_confidence": 0.0}}) == plain
    chosen = {"filters": {"unknown_words": False, "modality": False, "least_confidence": 0.75}}
    assert filtered(chosen) == (
        "Too frequent basic events and demonstratives were filtered out. So were pairs with a confidence below 0.75."
    )
