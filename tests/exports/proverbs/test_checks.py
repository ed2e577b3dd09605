"""Special cases of the checks on a release of proverbs; `test_check_conformance.py` breaks each check alone."""

from __future__ import annotations

from pathlib import Path

from tests.exports.drafts import Draft, failing
from tests.exports.proverbs.breaks import pair


def test_a_pair_that_shares_one_text_is_another_pair(proverb_release: Path) -> None:
    draft = Draft(proverb_release)
    text = "A bird in the hand is worth ten in the bush."
    row = {**pair(draft, "bird"), "item_id": "c" * 32, "variant": text}
    row["variant_question"] = "What does it mean to say a bird in the hand is worth ten in the bush?"
    draft.rows("pairs").append(row)
    assert failing(draft.written()) == {}
