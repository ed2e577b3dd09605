from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from tashika.builders.proverbs.selection import assigned, drawn_order
from tashika.core.suites.proverbs.words import TOPICS, Topic

POSSIBLE = st.lists(st.lists(st.sampled_from(TOPICS), unique=True), max_size=6)


def test_one_gives_way_to_another() -> None:
    possible: dict[int, list[Topic]] = {0: ["gender", "wisdom"], 1: ["gender"], 2: ["wisdom"], 3: ["wisdom", "society"]}
    assert assigned(possible, 1) == {0: "wisdom", 1: "gender", 3: "society"}


@given(POSSIBLE, st.integers(1, 2))
def test_as_many_as_can_be(topics: list[list[Topic]], most: int) -> None:
    given_topics = assigned(dict(enumerate(topics)), most)
    assert all(topic in topics[place] for place, topic in given_topics.items())
    assert all(list(given_topics.values()).count(topic) <= most for topic in TOPICS)
    choices = product(*([None, *own] for own in topics))
    sound = (c for c in choices if all(c.count(topic) <= most for topic in TOPICS))
    assert len(given_topics) == max(sum(each is not None for each in c) for c in sound)


def test_the_order_is_the_texts_and_the_seeds() -> None:
    texts = [f"proverb {n}" for n in range(20)]
    order = [texts[place] for place in drawn_order(texts, 0)]
    backwards = texts[::-1]
    assert [backwards[place] for place in drawn_order(backwards, 0)] == order
    assert [texts[place] for place in drawn_order(texts, 1)] != order
    without = [text for text in texts if text != order[3]]
    assert [without[place] for place in drawn_order(without, 0)] == [text for text in order if text != order[3]]
