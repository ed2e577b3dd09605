"""The card says what the settings did."""

from __future__ import annotations

from tashika.exports.kuci.card import CARD, card_text

OURS = {
    "similarity": [0.4, 0.6],
    "length": [0.5, 2.0],
    "bins": "counts",
    "balance": True,
    "even": True,
    "match": ["tense", "style"],
    "refuse_empty": True,
    "split": [6, 2, 2],
    "own_part": True,
}
PAPER = {
    **OURS,
    "filters": {"modality": False, "demonstratives": True},
    "balance": False,
    "even": False,
    "match": [],
    "refuse_empty": False,
    "own_part": False,
}


def test_the_card_follows_the_settings() -> None:
    ours, paper = (" ".join(card_text(settings).building) for settings in (OURS, PAPER))
    assert "of the question's own part" in ours
    assert "of any part" in paper
    assert "the answer's tense and style (polite or plain)" in ours
    assert "may have another form" in paper
    assert "exactly three times as often as it is an answer" in ours
    assert "as often as it happens" in paper
    assert "Too frequent basic events, demonstratives, unknown words and modality were" in ours
    assert "Too frequent basic events, demonstratives and unknown words were" in paper
    assert "divided 6 : 2 : 2" in ours
    assert "好きだ" in ours
    assert "好きだ" not in paper


def test_without_questions_the_card_says_nothing_of_them() -> None:
    assert card_text({}) is CARD


def test_over_all_parts_where_options_are_of_any() -> None:
    assert "Over all parts each text" in " ".join(card_text({**OURS, "own_part": False}).building)
