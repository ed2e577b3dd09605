from __future__ import annotations

from tashika.core.suites.kuci.drawing import filtered, kinship


def test_the_filters_are_those_of_the_build() -> None:
    plain = "Too frequent basic events, demonstratives, unknown words and modality were filtered out."
    assert filtered({}) == filtered({"filters": {"least_confidence": 0.0}}) == plain
    chosen = {"filters": {"unknown_words": False, "modality": False, "least_confidence": 0.75}}
    assert filtered(chosen) == (
        "Too frequent basic events and demonstratives were filtered out. So were pairs with a confidence below 0.75."
    )


def test_the_kinship_is_that_of_the_build() -> None:
    assert "a cosine of 0.45 at most with the context" in kinship({"kinship": 0.45})
    assert kinship({}) == kinship({"kinship": 1.0})
    assert "some are right answers too" in kinship({})
