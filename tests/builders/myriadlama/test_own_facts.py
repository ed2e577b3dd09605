from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tashika.annotation.markup import wikidata_link
from tashika.builders.myriadlama.own_facts import entity_id, read_own_facts
from tashika.core.errors import InputError
from tests.hostile import bomb

TABLE = """subject,relation,object,aliases,object_aliases
Goryokaku,Lies in,Hakodate,Fort Goryokaku| Goryokaku Park |,HKD
"Toshi, the cat",has the colour,black,Toshi,
"Toshi, the cat",has  the colour,white,toshi|Toshi-chan,

Hakodate,lies_in,Hokkaido,,
Goryokaku,lies in,Hakodate,Goryōkaku,
"""


def write(tmp_path: Path, text: str, name: str = "facts.csv") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_rows_of_one_name_are_one_entity_and_several_objects_several_facts(tmp_path: Path) -> None:
    found = read_own_facts(write(tmp_path, TABLE))
    assert [(fact.relation, fact.subject_label, fact.object_label) for fact in found.facts] == [
        ("lies_in", "Goryokaku", "Hakodate"),
        ("has_the_colour", "Toshi, the cat", "black"),
        ("has_the_colour", "Toshi, the cat", "white"),
        ("lies_in", "Hakodate", "Hokkaido"),
    ]
    assert found.facts[0].object == found.facts[3].subject == entity_id("Hakodate")
    assert found.facts[1].pair == found.facts[2].pair
    assert found.duplicates == 1
    assert found.relations == {"lies_in": "Lies in", "has_the_colour": "has the colour"}
    assert found.names[entity_id("Goryokaku")] == ["Fort Goryokaku", "Goryokaku Park", "Goryōkaku"]
    assert found.names[entity_id("Toshi, the cat")] == ["Toshi", "Toshi-chan"]
    assert found.names[entity_id("Hakodate")] == ["HKD"]


def test_ids_are_readable_the_same_and_no_wikidata_ids() -> None:
    assert entity_id("Fort Goryokaku").startswith("fort-goryokaku-")
    assert entity_id("Q42") == entity_id("Q42") != entity_id("q42")
    assert entity_id("五稜郭") != entity_id("函館")
    assert entity_id("+").startswith("name-")
    for name in ("Q42", "P19", "Q42 "):
        assert "href" not in wikidata_link(entity_id(name))


def test_tabs_gz_and_a_byte_order_mark_are_the_same_facts(tmp_path: Path) -> None:
    comma = read_own_facts(write(tmp_path, "subject,relation,object\na,r,b\n"))
    tab = read_own_facts(write(tmp_path, "\ufeffobject\tsubject\trelation\nb\ta\tr\n", "facts.tsv"))
    packed = tmp_path / "facts.csv.gz"
    packed.write_bytes(gzip.compress(b"subject,relation,object\r\na,r,b\r\n"))
    assert comma.facts == tab.facts == read_own_facts(packed).facts


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "facts.csv:1: the column 'subject' is missing; found nothing"),
        ("subject,object\na,b\n", "facts.csv:1: the column 'relation' is missing; found subject, object"),
        (
            "subject,relation,object,alias\n",
            "facts.csv:1: found the column 'alias', expected subject, relation, object",
        ),
        ("subject,relation,object,object\n", "facts.csv:1: the column 'object' is named twice"),
        ("subject,relation,object\n", "facts.csv: no facts found"),
        ("subject,relation,object\na,r,b\n,r,b\n", "facts.csv:3: the subject is empty"),
        ("subject,relation,object\na, ,b\n", "facts.csv:2: the relation is empty"),
        ("subject,relation,object\na,r,\n", "facts.csv:2: the object is empty"),
        ("subject,relation,object\na,?!,b\n", "facts.csv:2: the relation '?!' has no letter or digit in it"),
        ("subject,relation,object\na b,r,a  b\n", "facts.csv:2: the object is the subject, 'a b'"),
        ("subject,relation,object\na,r,b,c\n", "facts.csv:2: found 4 fields, expected 3; a name with a comma in it"),
        ("subject,relation,object\na,r\n", "facts.csv:2: found 2 fields, expected 3"),
        ("subject,relation,object\na [Y],r,b\n", "facts.csv:2: subject: found a template's slot in the name 'a [Y]'"),
        ("subject,relation,object\na\x07,r,b\n", "facts.csv:2: subject: found control characters"),
        (f"subject,relation,object\na,r,{'b' * 301}\n", "facts.csv:2: object: longer than 300 characters"),
        ('subject,relation,object\n"a\nb",r,c\nd,r,d\n', "facts.csv:4: the object is the subject"),
        ('subject,relation,object\n"a"b,r,c\n', "facts.csv:2: not CSV"),
    ],
)
def test_what_is_no_fact_is_told_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(InputError) as caught:
        read_own_facts(path)
    assert str(caught.value).startswith(f"{tmp_path}/{message}")


def test_all_bad_rows_are_told_at_once(tmp_path: Path) -> None:
    path = write(tmp_path, "subject,relation,object\n" + "a,r,a\n" * 8)
    with pytest.raises(InputError) as caught:
        read_own_facts(path)
    lines = str(caught.value).splitlines()
    assert [line.split(":")[1] for line in (lines[0], *lines[2:7])] == ["2", "3", "4", "5", "6", "7"]
    assert lines[-1] == "and 2 more rows"


def test_what_is_no_table_is_told(tmp_path: Path) -> None:
    packed = tmp_path / "facts.csv.gz"
    packed.write_bytes(gzip.compress(b"subject,relation,object\na,r,b\n")[:-9])
    for path, message in (
        (tmp_path / "missing.csv", "there is no such file"),
        (write(tmp_path, "x", "facts.xlsx"), "found a file of the form .xlsx, expected .csv or .tsv"),
        (packed, "cut short or damaged"),
    ):
        with pytest.raises(InputError, match=message):
            read_own_facts(path)
    (tmp_path / "latin.csv").write_bytes(b"subject,relation,object\nK\xf6ln,r,b\n")
    with pytest.raises(InputError, match="not UTF-8"):
        read_own_facts(tmp_path / "latin.csv")


def test_templates_are_found_by_the_relations_name_or_label(tmp_path: Path) -> None:
    found = read_own_facts(write(tmp_path, "subject,relation,object\nx,Lies in,y\nx,colour,z\nx,P36,w\n"))
    templates = write(
        tmp_path,
        '[lies_in]\nmanual = ["[X] lies in [Y]."]\n["tint"]\nlabel = "Colour"\nmanual = ["[X] is [Y]."]\n'
        '[P36]\nmanual = ["[X] has [Y]."]\n',
        "templates.toml",
    )
    relations = found.with_templates(templates, ())
    assert [(key, one.label, one.manual) for key, one in relations.items()] == [
        ("colour", "Colour", ("[X] is [Y].",)),
        ("lies_in", "Lies in", ("[X] lies in [Y].",)),
        ("p36", "P36", ("[X] has [Y].",)),
    ]
    assert list(found.with_templates(templates, ["LIES IN"])) == ["lies_in"]
    with pytest.raises(InputError, match=r"facts.csv: no facts of the relation 'size'; found 'Lies in', 'colour'"):
        found.with_templates(templates, ["size"])


def test_a_relation_without_templates_is_told_with_what_to_write(tmp_path: Path) -> None:
    found = read_own_facts(write(tmp_path, "subject,relation,object\nx,lies in,y\nx,mentor of,z\nx,has,z\n"))
    templates = write(tmp_path, '[lies_in]\nmanual = ["[X] lies in [Y]."]\n', "templates.toml")
    with pytest.raises(InputError) as caught:
        found.with_templates(templates, ())
    text = str(caught.value)
    assert text.startswith(
        f"{tmp_path}/facts.csv:3: templates.toml has no templates for the relation 'mentor of' and 1 more"
    )
    assert '["mentor of"]\nmanual = ["..."]\n["has"]\n' in text


def test_a_line_that_would_fill_the_memory_is_refused(tmp_path: Path, short_lines: None) -> None:
    path = bomb(tmp_path / "facts.csv.gz", b"subject,relation,object\n", b",a,b\n")
    with pytest.raises(InputError, match="a line of more than 1 MiB"):
        read_own_facts(path)
