from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tashika.builders.proverbs.list import Proverb
from tashika.builders.proverbs.pairs import Ask, Finder, Pair
from tashika.builders.proverbs.variants import Proposal, VariantSettings


def proverb(text: str, *topics: Any, variant: str = "", change: str = "", origin: str = "") -> Proverb:
    return Proverb(text, "English", topics, "", variant, change, origin, 1)


class Model:
    """Proposes what it was told, and counts who asks."""

    def __init__(self, **told: str) -> None:
        self.told = told
        self.asked: list[str] = []

    def __call__(self, texts: Sequence[str]) -> list[list[Proposal]]:
        self.asked += texts
        first = [text.split()[0] for text in texts]
        return [[Proposal(self.told[word], "object")] if word in self.told else [] for word in first]


def finder(
    proverbs: list[Proverb], model: Ask | None = None, most: int = 9, *, balance: bool = False, **values: Any
) -> Finder:
    settings = VariantSettings(**{"instruction": "", "mode": "many", **values})
    return Finder(proverbs, settings, most, 0, model, balance=balance)


def told(pairs: list[Pair]) -> set[tuple[str, str, str]]:
    return {(pair.topic, pair.variant.text, pair.variant.maker) for pair in pairs}


POTS = proverb("Pots boil over quickly.", "wisdom", variant="Pans boil over quickly.", change="object")
DOGS = proverb("Dogs bark at night.", "wisdom", "society")
MEN = proverb("Men die.", "gender", "society")


def test_each_topic_has_its_own_way() -> None:
    model = Model(Dogs="Dogs bark at noon.", Men="Men sleep.")
    found = finder([POTS, DOGS, MEN], model)
    assert told(found.pairs()) == {
        ("wisdom", "Pans boil over quickly.", "written"),
        ("society", "Dogs bark at noon.", "model"),
        ("gender", "Women die.", "swap"),
    }
    assert sorted(model.asked) == ["Dogs bark at night.", "Men die."]
    assert found.short() == {"gender": 8, "wisdom": 8, "society": 8}


def test_the_model_first_and_where_it_fails_the_list() -> None:
    bad, good = Model(Pots="Pots boil over quickly!"), Model(Pots="Kettles boil over quickly.")
    first = finder([POTS], bad, use=("model", "written"))
    assert told(first.pairs()) == {("wisdom", "Pans boil over quickly.", "written")}
    assert [(refused.text, refused.reason) for refused in first.refused] == [
        ("Pots boil over quickly!", "is unchanged")
    ]
    assert told(finder([POTS], good, use=("model", "written")).pairs()) == {
        ("wisdom", "Kettles boil over quickly.", "model")
    }


def test_nobody_is_asked_more_than_is_needed() -> None:
    proverbs = [proverb(f"Dogs bark {n} times.", "wisdom") for n in ("two", "three", "four", "five")]
    asked: list[str] = []

    def howling(texts: Sequence[str]) -> list[list[Proposal]]:
        asked.extend(texts)
        return [[Proposal(text.replace("bark", "howl"), "object")] for text in texts]

    assert len(finder(proverbs, howling, most=2).pairs()) == 2
    assert len(asked) == 2


def test_no_text_stands_twice() -> None:
    mirrored = [proverb("Boys will be boys.", "gender"), proverb("Girls will be girls.", "gender")]
    assert len(finder(mirrored).pairs()) == 1
    twins = [
        proverb("Pots boil over.", "wisdom", variant="Pans boil over.", change="object"),
        proverb("Kettles boil over.", "wisdom", variant="Pans boil over.", change="object"),
        proverb("Cats sleep all day.", "society", variant="Pots boil over.", change="wording"),
    ]
    found = finder(twins)
    assert len(found.pairs()) == 1
    assert {refused.reason for refused in found.refused} == {"repeats another proverb or variant"}


def test_a_proverb_that_cannot_be_swapped_says_why() -> None:
    found = finder([proverb("Jack is a man.", "gender")])
    assert found.pairs() == []
    assert [tuple(refused) for refused in found.refused] == [
        ("gender", "Jack is a man.", "swap", "", "names a person: Jack")
    ]


def test_the_lists_order_is_no_matter() -> None:
    proverbs = [
        proverb(f"Dogs bark {n} times.", "wisdom", variant=f"Cats howl {n} times.", change="animal") for n in "bcdefg"
    ]
    one, two = (told(finder(order, most=3).pairs()) for order in (proverbs, proverbs[::-1]))
    assert one == two
    assert len(one) == 3
