"""The release as questions: what is refused, what a limit draws."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.core.errors import InputError, MissingStageError
from tashika.core.suites.proverbs.words import TOPICS
from tashika.evaluate.proverbs.questions import ProverbPair, draw_pairs, in_order, read_release
from tests.evaluate.proverbs.world import pair_row, write_release


def test_a_release_is_read_by_topic(tmp_path: Path) -> None:
    release = read_release(write_release(tmp_path / "release", pairs=3))
    assert (release.version, release.digest, release.simulated) == ("0.1.0", "d" * 64, True)
    assert [pair.topic for pair in release.pairs] == [topic for topic in TOPICS for _ in range(3)]
    first, second = in_order(release.pairs)[:2]
    assert (first.side, second.side) == ("proverb", "variant")
    assert (first.text, second.text) == (release.pairs[0].question, release.pairs[0].variant_question)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"topic": "weather"}, "found the topic 'weather', expected gender, wisdom, society"),
        ({"question": " "}, "question is empty"),
        ({"variant_question": None}, "variant_question is empty"),
        ({"variant_question": "Why is it said that gender 0 is old?"}, "both questions are 'Why is it said"),
    ],
)
def test_a_pair_that_cannot_be_asked_is_named(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    row = {**pair_row("gender", 0), **changes}
    with pytest.raises(InputError, match=message) as caught:
        read_release(write_release(tmp_path / "release", rows=[pair_row("gender", 1), row]))
    assert row["item_id"] in str(caught.value)


def test_a_release_that_is_none_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingStageError, match="tashika export proverbs"):
        read_release(tmp_path)
    twice = [pair_row("gender", 0), pair_row("gender", 0)]
    with pytest.raises(InputError, match="the same id stands above"):
        read_release(write_release(tmp_path / "twice", rows=twice))
    with pytest.raises(InputError, match="the column 'topic' is missing"):
        read_release(write_release(tmp_path / "column", rows=[{"item_id": "x"}]))


@given(st.lists(st.tuples(st.sampled_from(TOPICS), st.integers(0, 30)), unique=True), st.integers(1, 8), st.integers())
def test_a_smaller_limit_draws_some_of_what_a_larger_one_draws(
    keys: list[tuple[str, int]], limit: int, seed: int
) -> None:
    pairs = [ProverbPair(f"{topic}{number}", topic, "a", "b") for topic, number in keys]
    drawn, more = (draw_pairs(pairs, count, seed) for count in (limit, limit + 1))
    assert set(drawn) <= set(more) <= set(pairs)
    assert list(drawn) == [pair for pair in pairs if pair in drawn]
    for topic in TOPICS:
        of = sum(pair.topic == topic for pair in pairs)
        assert sum(pair.topic == topic for pair in drawn) == min(limit, of)
    assert draw_pairs(pairs[::-1], limit, seed) == drawn[::-1]
    assert draw_pairs(pairs, None, seed) == tuple(pairs)
