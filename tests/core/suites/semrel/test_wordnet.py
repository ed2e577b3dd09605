from __future__ import annotations

from pathlib import Path

import pytest

from tashika.core.errors import InputError
from tashika.core.suites.semrel.wordnet import WordNet, open_wordnet
from tashika.core.suites.semrel.words import RELATIONS, Relation

# name: (words, [(symbol, other synset, words between which it holds, "" for the synsets)], gloss)
Synsets = dict[str, tuple[list[str], list[tuple[str, str, str]], str]]
SYNSETS: Synsets = {
    "animal": (["animal", "beast"], [("~", "dog", ""), ("~", "cat", "")], "a living being | not a plant"),
    "dog": (
        ["dog", "Domestic_dog"],
        [("@", "animal", ""), ("~", "poodle", ""), ("~i", "laika", ""), ("#m", "pack", ""), ("%p", "tail", "")],
        "it barks",
    ),
    "cat": (["cat"], [("@", "animal", "")], "it does not"),
    "poodle": (["poodle"], [("@", "dog", ""), ("~", "toy", "")], "a curly one"),
    "toy": (["toy_poodle"], [("@", "poodle", "")], "a small one"),
    "laika": (["Laika"], [("@i", "dog", "")], "she was in space"),
    "pack": (["pack"], [("%m", "dog", "")], "they run together"),
    "tail": (["tail"], [("#p", "dog", ""), ("%s", "hair", "")], "it wags"),
    "hair": (["hair"], [("#s", "tail", "")], "what a tail is made of"),
    "man": (["man", "adult_male"], [("!", "woman", "0101")], "no woman"),
    "woman": (["woman", "adult_female"], [("!", "man", "0101"), ("~", "dog2", "")], "no man"),
    "dog2": (["frump", "dog"], [("@", "woman", "")], "an unkind word"),
    "glasses": (["glasses"], [], "one looks through them"),
    "glass": (["glass"], [], "windows have it"),
    "box": (["box"], [], "it has a lid"),
    "boxful": (["boxful"], [], "what goes into it"),
    "child": (["child"], [], "a young one"),
    "axe": (["axe"], [], "it cuts wood"),
    "church": (["church"], [], "it has a steeple"),
    "self": (["mirror"], [("@", "self2", "")], "the first sense of two, one above the other"),
    "self2": (["mirror", "reflector"], [("~", "self", "")], "the second"),
    "verbal": (["walk"], [("+", "walk.v", "")], "a derived one"),
}
HEADER = "  1 This is the licence.\n  2 WordNet {version} Copyright 2006 by somebody.\n"


def write_wordnet(folder: Path, version: str = "3.0", exceptions: str | None = "children child\naxes ax axe\n") -> Path:
    """Writes a small WordNet with right byte offsets; a word's senses are in the order of `SYNSETS`."""
    folder.mkdir(parents=True, exist_ok=True)
    header = HEADER.format(version=version)
    offsets = dict.fromkeys(SYNSETS, 0)

    def line(name: str) -> str:
        words, pointers, gloss = SYNSETS[name]
        listed = " ".join(f"{word} 0" for word in words)
        leads = "".join(
            f" {symbol} {offsets.get(other, 17):08d} {'n' if other in offsets else 'v'} {ends or '0000'}"
            for symbol, other, ends in pointers
        )
        return f"{offsets[name]:08d} 05 n {len(words):02x} {listed} {len(pointers):03d}{leads} | {gloss}  \n"

    place = len(header)
    for name in SYNSETS:  # the length of a line does not depend on the offsets in it
        offsets[name] = place
        place += len(line(name))
    (folder / "data.noun").write_text(header + "".join(line(name) for name in SYNSETS))
    senses: dict[str, list[int]] = {}
    for name, (words, _, _) in SYNSETS.items():
        for word in words:
            senses.setdefault(word.lower(), []).append(offsets[name])
    entries = (
        f"{word} n {len(found)} 2 @ ~ {len(found)} 0 {' '.join(f'{offset:08d}' for offset in found)}  \n"
        for word, found in sorted(senses.items())
    )
    (folder / "index.noun").write_text(header + "".join(entries))
    if exceptions is not None:
        (folder / "noun.exc").write_text(exceptions)
    return folder


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> WordNet:
    return open_wordnet(write_wordnet(tmp_path_factory.mktemp("wordnet")))


@pytest.fixture(scope="module")
def real() -> WordNet:
    try:
        return open_wordnet()
    except InputError as error:
        pytest.skip(f"WordNet is not installed: {error.message}")


def test_hypernyms_and_hyponyms_are_counted_in_steps(small: WordNet) -> None:
    assert small.relata("poodle", "hypernymy", 2) == {"dog": 1, "domestic_dog": 1, "animal": 2, "beast": 2}
    assert small.relata("poodle", "hypernymy") == {"dog": 1, "domestic_dog": 1}
    assert small.relata("animal", "hyponymy", 2) == {"cat": 1, "dog": 1, "domestic_dog": 1, "laika": 2, "poodle": 2}


def test_wholes_and_parts_are_not_confused(small: WordNet) -> None:
    assert small.relata("tail", "holonymy") == {"dog": 1, "domestic_dog": 1}
    assert small.relata("tail", "meronymy") == {"hair": 1}
    assert small.relata("dog", "holonymy") == {"pack": 1}
    assert small.relata("dog", "meronymy") == {"tail": 1}
    assert small.relata("dog", "meronymy", 2) == {"tail": 1, "hair": 2}


def test_antonymy_holds_between_words_and_synonymy_within_a_synset(small: WordNet) -> None:
    assert small.relata("man", "antonymy") == {"woman": 1}
    assert small.relata("adult_male", "antonymy") == {}
    assert small.relata("adult male", "synonymy") == {"man": 1}


def test_all_senses_or_the_first(small: WordNet) -> None:
    assert small.relata("dog", "hypernymy") == {"adult_female": 1, "animal": 1, "beast": 1, "woman": 1}
    assert small.relata("dog", "hypernymy", senses="first") == {"animal": 1, "beast": 1}
    assert small.relata("dog", "synonymy", senses="first") == {"domestic_dog": 1}


def test_named_instances_count_or_not(small: WordNet) -> None:
    assert small.relata("Laika", "hypernymy") == {"dog": 1, "domestic_dog": 1}
    assert small.relata("laika", "hypernymy", instances=False) == {}
    assert small.relata("dog", "hyponymy", senses="first", instances=False) == {"poodle": 1}


def test_a_word_is_not_its_own_relatum_but_its_synonym_may_be_above_it(small: WordNet) -> None:
    assert small.relata("mirror", "hypernymy", 2) == {"reflector": 1}
    assert small.relata("mirror", "synonymy") == {"reflector": 1}


def test_unknown_words_and_other_parts_of_speech_have_no_relata(small: WordNet) -> None:
    assert [small.relata("blorf", relation, 2) for relation in RELATIONS] == [{}] * 6
    assert [small.relata("walk", relation, 2) for relation in RELATIONS] == [{}] * 6
    assert not small.is_noun("blorf")
    assert small.is_noun("Adult Male")


@pytest.mark.parametrize(
    ("word", "lemma"),
    [
        ("dogs", "dog"),
        ("Adult  Males", "adult_male"),
        ("glasses", "glasses"),
        ("glass", "glass"),
        ("boxes", "box"),
        ("boxesful", "boxful"),
        ("churches", "church"),
        ("women", "woman"),
        ("children", "child"),
        ("axes", "axe"),
        ("ass", "ass"),
        ("blorfs", "blorfs"),
        ("", ""),
    ],
)
def test_plurals_lose_their_endings(small: WordNet, word: str, lemma: str) -> None:
    assert small.lemma(word) == lemma


@pytest.mark.parametrize("exceptions", [None, ""])
def test_without_its_list_of_exceptions_our_own_stands_in(tmp_path: Path, exceptions: str | None) -> None:
    wordnet = open_wordnet(write_wordnet(tmp_path, exceptions=exceptions))
    assert wordnet.lemma("children") == "child"


def test_glosses_come_with_their_words(small: WordNet) -> None:
    glosses = list(small.glosses())
    assert len(glosses) == len(SYNSETS)
    assert glosses[0] == (["animal", "beast"], "a living being | not a plant")
    assert glosses[5] == (["laika"], "she was in space")


def test_both_layouts_and_versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_wordnet(tmp_path / "package" / "dict", "3.1", exceptions=None)
    assert open_wordnet(tmp_path / "package").version == "3.1"
    monkeypatch.setenv("TASHIKA_WORDNET", str(tmp_path / "package"))
    assert open_wordnet().folder == tmp_path / "package" / "dict"
    assert open_wordnet(write_wordnet(tmp_path / "other")).version == "3.0"


def test_a_missing_wordnet_is_told_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"nowhere: found no WordNet[\s\S]*make setup"):
        open_wordnet(tmp_path / "nowhere")
    monkeypatch.setenv("TASHIKA_WORDNET", str(tmp_path / "elsewhere"))
    with pytest.raises(InputError, match=r"elsewhere: found no WordNet[\s\S]*TASHIKA_WORDNET"):
        open_wordnet()
    write_wordnet(tmp_path / "half")
    (tmp_path / "half" / "index.noun").unlink()
    with pytest.raises(InputError, match=r"index.noun: there is no such file"):
        open_wordnet(tmp_path / "half")


@pytest.mark.parametrize(
    ("name", "before", "after", "message"),
    [
        ("data.noun", "a derived one  \n", "a deri", r"data.noun: found no line end"),
        ("data.noun", "WordNet 3.0 Copyright", "WordNet", r"data.noun: found no line 'WordNet VERSION"),
        ("data.noun", "it barks", "it barks loud", r"data.noun: found no synset at byte \d+"),
        ("index.noun", "poodle n 1", "poodle v 1", r"index.noun:\d+: found 'poodle v 1 .*expected 'LEMMA n"),
        ("index.noun", "poodle n 1", "poodle n 3", r"index.noun:\d+: found 'poodle n 3"),
        ("index.noun", "poodle n 1", "poodle n x", r"index.noun:\d+: found 'poodle n x"),
        ("noun.exc", "children child", "children", r"noun.exc:1: found 'children', expected a plural"),
    ],
)
def test_broken_files_are_told_with_their_place(
    tmp_path: Path, name: str, before: str, after: str, message: str
) -> None:
    path = write_wordnet(tmp_path) / name
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after))
    with pytest.raises(InputError, match=message):
        open_wordnet(tmp_path)


def test_files_cut_off_between_lines_are_told(tmp_path: Path) -> None:
    for name, message in (("data.noun", "no synset at byte"), ("index.noun", r"found \d+ synsets; data.noun has 22")):
        path = write_wordnet(tmp_path) / name
        path.write_text("".join(path.read_text().splitlines(keepends=True)[:-3]))
        with pytest.raises(InputError, match=message):
            open_wordnet(tmp_path)


def test_a_broken_synset_is_told_when_it_is_read(tmp_path: Path) -> None:
    path = write_wordnet(tmp_path) / "data.noun"
    path.write_text(path.read_text().replace("n 01 poodle 0 002", "n 01 poodle 0 009"))
    wordnet = open_wordnet(tmp_path)
    with pytest.raises(InputError, match=r"data.noun: found '\d+ 05 n 01 poodle .* at byte \d+"):
        wordnet.relata("poodle", "hypernymy")


def test_the_real_one_knows_what_everybody_knows(real: WordNet) -> None:
    assert real.version in {"3.0", "3.1"}
    assert "hand" in real.relata("finger", "holonymy")
    assert "finger" in real.relata("hand", "meronymy")
    assert "hand" not in real.relata("finger", "meronymy")
    assert "forest" in real.relata("tree", "holonymy")
    assert "bicycle" in real.relata("pedal", "holonymy")
    assert real.relata("dog", "hypernymy", 2)["canine"] == 1
    assert real.relata("canine", "hyponymy", 2)["poodle"] == 2
    assert real.relata("niece", "antonymy") == {"nephew": 1}
    assert "automobile" in real.relata("car", "synonymy", senses="first")
    assert [real.lemma(word) for word in ("mice", "news", "ice creams")] == ["mouse", "news", "ice_cream"]


def test_in_the_real_one_every_relation_is_the_other_way_round_as_well(real: WordNet) -> None:
    inverses: tuple[tuple[Relation, Relation], ...] = (
        ("hypernymy", "hyponymy"),
        ("holonymy", "meronymy"),
        ("antonymy", "antonymy"),
    )
    for word in ("dog", "car", "hand", "tree", "water", "music", "king"):
        for relation, inverse in inverses:
            for relatum, distance in real.relata(word, relation, 2).items():
                assert real.relata(relatum, inverse, 2)[word] == distance
