from __future__ import annotations

from pathlib import Path

import pytest

from tashika.builders.tempripple.properties import Articles, Changing, Stable, read_properties
from tashika.core.errors import ConfigError
from tashika.core.settings import packaged, packaged_data

SOUND = """
[changing]
P35 = { label = "head of state", ask = "Who", noun = "head of state of {subject}" }
[stable]
P26 = { label = "spouse", question = "Who is the spouse of {subject}?", noun = "the spouse of {subject}", \
types = ["person"], start = "start" }
P569 = { label = "date of birth", question = "When is the birthday of {subject}?", noun = "", \
types = ["person"], datatype = "time" }
[classes.person]
Q5 = "human"
"""

CHANGING = "P6 P17 P27 P35 P36 P54 P69 P102 P108 P140 P159 P169 P286 P488 P551 P937"
STABLE = """
P17 P19 P20 P21 P22 P25 P26 P27 P30 P36 P37 P38 P39 P40 P50 P57 P58 P69 P84 P85 P86 P91 P98 P101 P103 P106 P112 P115
P118 P119 P138 P140 P155 P156 P161 P166 P172 P218 P279 P282 P361 P452 P495 P498 P569 P570 P571 P641 P740 P1340 P1376
P1971 P3373
"""


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "properties.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_packaged_file_has_the_16_and_the_53() -> None:
    properties = read_properties(packaged("tempripple_properties.toml"))
    assert sorted(properties.changing) == sorted(CHANGING.split())
    assert sorted(properties.stable) == sorted(STABLE.split())


def test_the_packaged_file_keeps_what_is_sensitive_off_and_knows_the_implicit_starts() -> None:
    stable = read_properties(packaged("tempripple_properties.toml")).stable
    assert {pid for pid, one in stable.items() if not one.enabled} == {"P91", "P140", "P172"}
    starts = {pid: one.start for pid, one in stable.items() if one.start != "free"}
    assert starts == {
        **dict.fromkeys(("P20", "P119", "P570"), "death"),
        "P26": "start",
        "P40": "birth of object",
        **dict.fromkeys(("P39", "P166"), "point or start"),
    }
    literals = {pid: one.datatype for pid, one in stable.items() if one.datatype != "item"}
    assert literals == {
        **dict.fromkeys(("P569", "P570", "P571"), "time"),
        "P1971": "quantity",
        **dict.fromkeys(("P218", "P498"), "string"),
    }


def test_nothing_is_asked_of_a_literal_in_the_packaged_file() -> None:
    stable = read_properties(packaged("tempripple_properties.toml")).stable
    assert not any(one.noun for one in stable.values() if one.datatype != "item")


def test_every_class_of_the_demo_has_a_type() -> None:
    classes = read_properties(packaged("tempripple_properties.toml")).classes
    lines = packaged_data("tempripple/facts/P31.tsv").read_text("utf-8")
    assert {line.split("\t")[1] for line in lines.splitlines()[1:]} <= classes.keys()
    assert classes["Q5"] == "person"
    assert classes["Q6979593"] == "national team"


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    articles = '[articles]\nnames = ["Hague"]\nnever = ["Emirates"]'
    properties = read_properties(write(tmp_path, SOUND + articles))
    head = Changing("P35", "head of state", "Who", "head of state of {subject}")
    assert properties.changing == {"P35": head}
    person = frozenset({"person"})
    assert properties.stable == {
        "P26": Stable(
            "P26", "spouse", "Who is the spouse of {subject}?", "the spouse of {subject}", person, "item", "start"
        ),
        "P569": Stable("P569", "date of birth", "When is the birthday of {subject}?", "", person, "time"),
    }
    assert properties.classes == {"Q5": "person"}
    assert properties.articles == Articles(names=frozenset({"Hague"}), never=frozenset({"Emirates"}))


def test_articles_may_be_missing(tmp_path: Path) -> None:
    assert read_properties(write(tmp_path, SOUND)).articles == Articles()


@pytest.mark.parametrize(
    ("found", "broken", "place", "message"),
    [
        ("[changing]", "[changing", "", "not valid TOML"),
        ("P569 =", "P26 =", "", "not valid TOML"),  # the same property twice
        ("[changing]", "[changed]", "", "changing is missing"),
        ("[classes.person]", "[more]\n[classes.person]", "", "more: Extra inputs"),
        ("P35 =", "Q35 =", "[changing]", "'Q35', expected a property id"),
        ("P26 =", "P026 =", "[stable]", "'P026', expected a property id"),
        ('ask = "Who"', 'asks = "Who"', "[changing] P35", "ask is missing"),
        ('ask = "Who"', 'ask = "who"', "[changing] P35", "ask: .*capital letter"),
        ('ask = "Who"', 'ask = ""', "[changing] P35", "ask: .*capital letter"),
        ('ask = "Who"', 'ask = "Who", tense = "is"', "[changing] P35", "tense: Extra inputs"),
        ('"head of state of {subject}"', '"head of state"', "[changing] P35", "noun: .*{subject} once"),
        ('"head of state of {subject}"', '"the head of {subject}"', "[changing] P35", "noun: .*no article"),
        ('label = "spouse"', 'label = ""', "[stable] P26", "label: .*expected a text"),
        ('label = "spouse"', 'label = " spouse"', "[stable] P26", "label: .*blanks"),
        ("spouse of {subject}?", "spouse of {subject}", "[stable] P26", "question: .* [?] at the end"),
        ("Who is the spouse of {subject}?", "Who is {subject}'s spouse?", "[stable] P26", "question: .*clings"),
        ("Who is the spouse", "who is the spouse", "[stable] P26", "question: .*capital letter"),
        ("the spouse of {subject}", "the spouse of {object}", "[stable] P26", "{subject} once"),
        ('"the spouse of {subject}"', '"the {spouse} of {subject}"', "[stable] P26", "noun: .*no other braces"),
        ('start = "start"', 'start = "birth"', "[stable] P26", "start: .*'free', 'death', 'start'"),
        ('datatype = "time"', 'datatype = "date"', "[stable] P569", "datatype: .*'item', 'time'"),
        ('types = ["person"], start', 'types = ["spouse"], start', "[stable] P26", "the type 'spouse' has no table"),
        ('Q5 = "human"', 'P5 = "human"', "[classes.person]", "'P5', expected an item id"),
        ('Q5 = "human"', 'Q5 = "human"\n[classes.man]\nQ5 = "human"', "[classes.man]", "Q5 stands under person"),
        ('Q5 = "human"', 'Q5 = "human"\n[articles]\nname = []', "[articles]", "name: Extra inputs"),
    ],
)
def test_a_broken_file_is_refused_with_its_place(
    tmp_path: Path, found: str, broken: str, place: str, message: str
) -> None:
    assert SOUND.count(found) == 1 or found == "the spouse of {subject}"
    path = write(tmp_path, SOUND.replace(found, broken))
    with pytest.raises(ConfigError, match=message) as caught:
        read_properties(path)
    assert f"{path} {place}".strip() in str(caught.value)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such file"):
        read_properties(tmp_path / "none.toml")
