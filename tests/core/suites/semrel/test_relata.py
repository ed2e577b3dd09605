from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tashika.core.errors import ConfigError
from tashika.core.settings import validated
from tashika.core.suites.semrel.relata import RelataSettings, Relatum, find_relata
from tashika.core.suites.semrel.wordnet import WordNet
from tashika.core.suites.semrel.words import Relation

HEADER = "  1 WordNet 3.0 Copyright 2006 by somebody.\n"


@pytest.fixture(scope="module")
def wordnet(tmp_path_factory: pytest.TempPathFactory) -> WordNet:
    """A dog is a canine is an animal; a pack has dogs, which have tails; "domestic dog" is a synonym."""
    folder = tmp_path_factory.mktemp("wordnet")
    synsets: dict[str, tuple[str, list[tuple[str, str]]]] = {
        "animal": ("animal 0", [("~", "canine")]),
        "canine": ("canine 0", [("@", "animal"), ("~", "dog")]),
        "dog": ("dog 0 domestic_dog 0", [("@", "canine"), ("#m", "pack"), ("%p", "tail")]),
        "pack": ("pack 0", [("%m", "dog")]),
        "tail": ("tail 0", [("#p", "dog")]),
    }
    offsets: dict[str, int] = dict.fromkeys(synsets, 0)
    for _ in range(2):  # the second time with the offsets of the first
        text = HEADER
        for name, (words, pointers) in synsets.items():
            offsets[name] = len(text)
            leads = "".join(f" {symbol} {offsets[other]:08d} n 0000" for symbol, other in pointers)
            text += f"{offsets[name]:08d} 05 n {len(words.split()) // 2:02x} {words} {len(pointers):03d}{leads} | x  \n"
    (folder / "data.noun").write_text(text)
    places = {word: offsets[name] for name, (words, _) in synsets.items() for word in words.split()[::2]}
    index = "".join(f"{word} n 1 0 1 0 {place:08d}  \n" for word, place in places.items())
    (folder / "index.noun").write_text(HEADER + index)
    (folder / "noun.exc").write_text("geese goose\n")
    return WordNet(folder)


@pytest.fixture
def settings(tmp_path: Path) -> RelataSettings:
    hyperlex = tmp_path / "hyperlex.txt"
    hyperlex.write_text(
        "WORD1 WORD2 POS TYPE AVG_SCORE\n"
        "dog animal N hyp-2 6.0\n"
        "dog being N hyp-4 6.0\n"
        "dog poodle N r-hyp-1 1.0\n"
        "dog hound N syn 5.0\n"
        "dog cat N ant 0.0\n"
        "dog tail N mero 1.0\n"
        "tail dog N mero 1.0\n"
        "idea thought N mero 1.0\n"
        "dog cat N cohyp 0.0\n"
    )
    norms = tmp_path / "norms.csv"
    norms.write_text("category,instance\nanimal,dog\npet,dog\npet,guinea pig\n")
    return RelataSettings(hyperlex=str(hyperlex), norms=str(norms))


def words(relata: dict[tuple[str, Relation], dict[str, Relatum]]) -> dict[tuple[str, Relation], list[str]]:
    return {key: list(found) for key, found in relata.items()}


def test_the_sources_are_put_together(wordnet: WordNet, settings: RelataSettings) -> None:
    left_out = Counter[str]()
    found = find_relata(["dog"], wordnet, settings, None, left_out)
    assert found == {
        ("dog", "hypernymy"): {
            "canine": Relatum(1, ["wordnet"]),
            "pet": Relatum(1, ["norms"]),
            "animal": Relatum(2, ["wordnet", "hyperlex", "norms"]),
        },
        ("dog", "hyponymy"): {"poodle": Relatum(1, ["hyperlex"])},
        ("dog", "holonymy"): {"pack": Relatum(1, ["wordnet"])},
        ("dog", "meronymy"): {"tail": Relatum(1, ["wordnet", "hyperlex"])},
        ("dog", "antonymy"): {"cat": Relatum(1, ["hyperlex"])},
        ("dog", "synonymy"): {"hound": Relatum(1, ["hyperlex"])},
    }
    assert left_out == {
        "hyperlex: cohyp": 1,
        "hyperlex: hypernymy farther than 2": 1,
        "hyperlex: hyponymy farther than 2": 1,  # the same pair, from its other end
        "hyperlex: part and whole not to be told apart": 1,
        "relata of several words": 1,
    }


def test_pairs_hold_from_both_ends(wordnet: WordNet, settings: RelataSettings) -> None:
    assert words(find_relata(["poodle", "pet", "cat", "hound", "tail"], wordnet, settings)) == {
        ("poodle", "hypernymy"): ["dog"],
        ("pet", "hyponymy"): ["dog"],
        ("cat", "antonymy"): ["dog"],
        ("hound", "synonymy"): ["dog"],
        ("tail", "holonymy"): ["dog"],
    }


def test_a_vocabulary_and_several_words(wordnet: WordNet, settings: RelataSettings) -> None:
    left_out = Counter[str]()
    found = find_relata(["dog", "pet"], wordnet, settings, ["animal", "pack", "tail"], left_out)
    assert words(found) == {
        ("dog", "hypernymy"): ["animal"],
        ("dog", "holonymy"): ["pack"],
        ("dog", "meronymy"): ["tail"],
    }
    assert left_out["relata outside the vocabulary"] == 6  # canine, pet, poodle, cat, hound; dog as a pet
    several = find_relata(["dog", "pet"], wordnet, settings.model_copy(update={"one_word": False}))
    assert words(several)["dog", "synonymy"] == ["domestic_dog", "hound"]
    assert words(several)["pet", "hyponymy"] == ["dog", "guinea_pig"]


def test_distances_are_settings_and_those_not_named_stay(wordnet: WordNet, settings: RelataSettings) -> None:
    near = settings.model_copy(update={"distance": RelataSettings(distance={"hypernymy": 1}).distance})
    assert near.distance["hyponymy"] == 2
    found = find_relata(["dog", "animal"], wordnet, near)
    assert "animal" in found["dog", "hypernymy"]  # the norms have it still
    assert found["dog", "hypernymy"]["animal"] == Relatum(1, ["norms"])
    assert found["animal", "hyponymy"]["dog"] == Relatum(2, ["wordnet", "hyperlex", "norms"])


def test_a_target_that_nobody_knows_has_no_entry(wordnet: WordNet, settings: RelataSettings) -> None:
    assert find_relata(["blorf"], wordnet, settings) == {}


def test_the_packaged_norms_are_the_default(wordnet: WordNet) -> None:
    assert find_relata(["robin"], wordnet, RelataSettings()) == {
        ("robin", "hypernymy"): {"bird": Relatum(1, ["norms"])}
    }


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"distance": {"hypernymy": 0}}, "hypernymy must be 1 or more"),
        ({"distance": {"antonymy": 2}}, "antonymy has no distance but 1"),
        ({"distance": {"friendship": 1}}, "distance.friendship"),
        ({"senses": "some"}, "senses"),
        ({"wordnet": "3.1"}, "wordnet"),
    ],
)
def test_bad_settings_are_told(content: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        validated(RelataSettings, content, "semrel.toml [build]")
