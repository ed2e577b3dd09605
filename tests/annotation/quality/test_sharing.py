"""How far people give the same words, by hand."""

from __future__ import annotations

from tashika.annotation.quality.sharing import mean_interval, shared_words, sharing_lines


def response(item: str, relation: str, annotator: str, answer: str, place: int = 1) -> dict[str, object]:
    return {"item_id": item, "relation": relation, "annotator": annotator, "answer": answer, "place": place}


def test_shared_words_by_relation() -> None:
    rows = [
        response("1", "antonym", "a", "cold"),
        response("1", "antonym", "b", "cold"),
        response("2", "antonym", "a", "wet"),
        response("2", "antonym", "b", "damp"),
        response("3", "part", "a", "leg"),
        response("3", "part", "a", "tail", 2),
        response("3", "part", "b", "tail"),
        response("4", "part", "a", "alone"),
    ]
    shares = shared_words(rows)
    assert shares["by_relation"] == {
        "antonym": {"items": 2, "mean_jaccard": 0.5, "interval": [0.0, 1.0]},
        "part": {"items": 1, "mean_jaccard": 0.5, "interval": None},
    }
    assert shares["interval"] == [0.0, 1.0]
    summary = {"probe": {"agreement": {"mean_jaccard": 0.5, **shares}}, "older": {"agreement": {"mean_jaccard": 0.5}}}
    assert list(sharing_lines(summary, ["probe", "older", "none"])) == [
        "probe: two people share 50.0% (0.0% to 100.0%) of their words on a probe (Jaccard, 95 % interval over probes)",
        "  antonym: 50.0% (0.0% to 100.0%), 2 probes",
        "  part: 50.0%, 1 probe",
    ]


def test_without_words_there_is_nothing() -> None:
    assert shared_words([])["by_relation"] == {}
    assert mean_interval([0.5]) is None
