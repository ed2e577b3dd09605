"""Which proverbs make the pairs of which topic: a proverb in one topic only, as many pairs a topic as are wanted."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Mapping, Sequence

from tashika.core.files import hash_value
from tashika.core.suites.proverbs.words import TOPICS, Topic


def drawn_order(texts: Sequence[str], seed: int) -> list[int]:
    """The places of the texts in an order that the seed draws; it hangs on no other text, and on no file's order."""
    return sorted(range(len(texts)), key=lambda place: (hash_value([seed, texts[place]]), texts[place]))


def taken_in_turn(order: Sequence[int], ways: Mapping[int, Hashable]) -> list[int]:
    """The order in which the proverbs of each way take turns, as far as there are some of it; the others keep theirs.

    Args:
        order: Places of proverbs.
        ways: Of some of them, in which way each goes. The way of the first has the first turn.
    """
    queues: dict[Hashable, deque[int]] = {}
    for place in order:
        if place in ways:
            queues.setdefault(ways[place], deque()).append(place)
    turns = []
    while queues:
        turns += [queue.popleft() for queue in queues.values()]
        queues = {way: queue for way, queue in queues.items() if queue}
    in_turn = iter(turns)
    return [next(in_turn) if place in ways else place for place in order]


def assigned(possible: Mapping[int, Sequence[Topic]], most: int) -> dict[int, Topic]:
    """Gives each proverb a topic so that as many as can be have one, and no topic more than `most`.

    Earlier proverbs keep a topic once they have one, though another one if that makes room (augmenting paths,
    H. W. Kuhn 1955).

    Args:
        possible: By proverb the topics that it may have.
        most: Proverbs of a topic, at most.
    """
    given: dict[int, Topic] = {}

    def room(topic: Topic, asked: set[Topic]) -> bool:
        """Whether one more finds room in the topic, if need be by moving another one out of it."""
        asked.add(topic)
        inside = [proverb for proverb, own in given.items() if own == topic]
        if len(inside) < most:
            return True
        for proverb in inside:
            for other in possible[proverb]:
                if other not in asked and room(other, asked):
                    given[proverb] = other
                    return True
        return False

    for proverb, topics in possible.items():
        asked: set[Topic] = set()
        # The emptier topic first, so that no topic starves while there is room for all.
        for topic in sorted(topics, key=lambda name: (sum(own == name for own in given.values()), TOPICS.index(name))):
            if topic not in asked and room(topic, asked):
                given[proverb] = topic
                break
    return given
