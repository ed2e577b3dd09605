"""The whole build on a small WordNet: what becomes a target, a relatum and a probe, and what it makes of bad input."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tashika.core.records import item_schema
from tashika.core.suites.semrel.words import RELATIONS

Run = Callable[..., Any]
Row = dict[str, Any]

# name: (words, pointers to others); in the form of wndb(5WN)
SYNSETS: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "animal": ("animal", [("~", "dog"), ("~", "cat")]),
    "dog": ("dog hound", [("@", "animal"), ("%p", "tail"), ("~i", "laika")]),
    "cat": ("cat", [("@", "animal")]),
    "laika": ("Laika", [("@i", "dog")]),
    "tail": ("tail", [("#p", "dog"), ("@", "part")]),
    "part": ("part piece", [("~", "tail"), ("~", "salt"), ("~", "night"), ("~", "day")]),
    "salt": ("salt table_salt", [("@", "part")]),
    "night": ("night", [("!", "day"), ("@", "part")]),
    "day": ("day", [("!", "night"), ("@", "part")]),
}
WORDS = "dog\ncat\nanimal\nhound\ntail\nday\nnight\nsalt\npart\npiece\nthe\n"


def write_wordnet(folder: Path) -> None:
    folder.mkdir()
    header = "  1 WordNet 3.0 Copyright 2006 by somebody.\n"
    offsets: dict[str, int] = dict.fromkeys(SYNSETS, 0)
    text = ""
    for _ in range(2):  # the second time with the offsets of the first
        text = header
        for name, (words, pointers) in SYNSETS.items():
            offsets[name] = len(text)
            ends = {"!": "0101"}
            leads = "".join(f" {sign} {offsets[other]:08d} n {ends.get(sign, '0000')}" for sign, other in pointers)
            listed = " ".join(f"{word} 0" for word in words.split())
            text += f"{offsets[name]:08d} 05 n {len(words.split()):02x} {listed} {len(pointers):03d}{leads} | x  \n"
    (folder / "data.noun").write_text(text)
    index = {word.lower(): offsets[name] for name, (words, _) in SYNSETS.items() for word in words.split()}
    lines = (f"{word} n 1 0 1 0 {place:08d}  \n" for word, place in sorted(index.items()))
    (folder / "index.noun").write_text(header + "".join(lines))
    (folder / "noun.exc").write_text("geese goose\n")
    (folder / "cntlist.rev").write_text(
        "day%1:28:00:: 1 9\nnight%1:28:00:: 1 5\npart%1:24:00:: 1 3\ntail%1:05:00:: 1 1\n"
    )


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a small WordNet, norms, a vocabulary and settings."""
    write_wordnet(tmp_path / "wordnet")
    monkeypatch.setenv("TASHIKA_WORDNET", str(tmp_path / "wordnet"))
    (tmp_path / "norms.csv").write_text("category,instance\nanimal,dog\nanimal,cat\nanimal,unicorn\n")
    (tmp_path / "words.txt").write_text(WORDS)
    write_config(tmp_path)
    return tmp_path


def write_config(place: Path, build: str = "", enough: int = 2) -> Path:
    numbers = "".join(f"{relation} = {enough}\n" for relation in RELATIONS)
    text = f"[build]\nmodels = ['{place}/words.txt']\n{build}\n[build.enough]\n{numbers}"
    file = place / "semrel.toml"
    file.write_text(f"{text}[build.relata]\nnorms = '{place}/norms.csv'\n")
    return file


def build(tashika: Run, place: Path, *options: Any) -> Any:
    return tashika("build", "semrel", "--work", place / "work", "--config", place / "semrel.toml", *options)


def rows(place: Path, kind: str) -> list[Row]:
    table = pq.read_table(place / "work" / "semrel" / "items" / f"{kind}.parquet")
    assert table.schema.names == item_schema("semrel", kind).names
    return list(table.to_pylist())


def content(place: Path, name: str = "targets.json") -> Any:
    return json.loads((place / "work" / "semrel" / "items" / name).read_text(encoding="utf-8"))


def test_the_lists_come_first_and_wordnet_fills_up(place: Path, tashika: Run) -> None:
    ran = build(tashika, place)
    assert ran.code == 0, ran.err
    found = content(place)
    assert found["pairs"]["hypernymy"] == ["cat", "dog"]  # enough without WordNet
    assert found["pairs"]["hyponymy"] == ["animal", "part"]  # part is the only other that has hyponyms and was tagged
    assert found["pairs"]["antonymy"] == ["day", "night"]
    assert found["filled"]["antonymy"] == 2
    assert found["steps"]["HyperLex and norms"] == [
        ["candidates", 4],
        ["nouns in WordNet", 3],
        ["in the shared vocabulary", 3],
        ["with a relatum", 3],
    ]
    assert "with a relatum" in ran.out
    assert (place / "work/semrel/items/vocabulary.txt").read_text() == "".join(
        f"{word}\n" for word in sorted(WORDS.split())
    )


def test_relata_of_a_target_are_of_every_relation(place: Path, tashika: Run) -> None:
    build(tashika, place)
    found = {(row["target"], row["relation"], row["word"]): row for row in rows(place, "relatum")}
    assert {key[1:] for key in found if key[0] == "dog"} == {
        ("hypernymy", "animal"),
        ("meronymy", "tail"),
        ("synonymy", "hound"),
    }
    row = found["dog", "hypernymy", "animal"]
    assert (row["distance"], row["origins"]) == (1, ["wordnet", "norms"])
    assert [source["name"] for source in row["sources"]] == ["WordNet", "category norms"]


def test_probes_are_filled_prompts_and_controls_are_among_them(place: Path, tashika: Run) -> None:
    build(tashika, place, "--targets", "wordnet")
    found = rows(place, "probe")
    asked = [row for row in found if row["known_answers"] is None]
    controls = [row for row in found if row["known_answers"]]
    assert len({row["item_id"] for row in found}) == len(found)
    assert {row["questionnaire"] for row in controls} == {row["questionnaire"] for row in asked}
    assert {(row["target"], row["relation"]) for row in controls} == {("", "control")}
    texts = {row["text"] for row in asked}
    assert {"a dog is one particular sort of", "salt is one particular sort of"} <= texts
    assert content(place, "statistics.json")["relations"]["antonymy"]["probes"] == 2 * 9


def test_a_second_run_has_nothing_to_do_and_another_source_is_another_build(place: Path, tashika: Run) -> None:
    build(tashika, place)
    assert build(tashika, place).err.count("nothing to do") == 2
    (place / "norms.csv").write_text("category,instance\nanimal,dog\n")
    assert build(tashika, place).err.count("nothing to do") == 0
    write_config(place, "questionnaire_size = 5")
    assert build(tashika, place).err.count("nothing to do") == 1  # the relata are the same
    (place / "words.txt").write_text(WORDS + "laika\n")
    assert build(tashika, place).err.count("nothing to do") == 0


def test_a_second_build_without_the_options_keeps_ones_own_data(place: Path, tashika: Run) -> None:
    file = place / "responses.json"
    file.write_text(json.dumps({"dog": {"hyp": {"[DET] [W] is [DET] [V]": [["animal"]]}}}), encoding="utf-8")
    (place / "few.txt").write_text("dog\nanimal\n")
    build(tashika, place, "--responses", file, "--model", place / "few.txt", "--targets", "lists")
    probes = rows(place, "probe")
    ran = tashika("build", "semrel", "--work", place / "work")
    assert ran.code == 0, ran.err
    for name in ("config", "responses", "model", "targets"):
        assert f"as in the build before (--{name})" in ran.err
    assert ran.err.count("nothing to do") == 2
    assert rows(place, "probe") == probes
    other = build(tashika, place, "--model", place / "words.txt")
    assert f"--model was {place}/few.txt in the build before and is {place}/words.txt now" in other.err


def test_a_manifest_knows_no_folder(place: Path, tashika: Run) -> None:
    build(tashika, place)
    for manifest in (place / "work/semrel/items").glob("*.manifest.json"):
        assert str(place) not in manifest.read_text(encoding="utf-8")


def test_a_response_files_prompts_stand_in_for_ours(place: Path, tashika: Run) -> None:
    file = place / "responses.json"
    answers = [["tail"], ["animal", "pet"]]
    content_of_file = {
        "dog": {"mero": {"parts of [DET] [W] include [DET] [V]": answers}, "hyp": {"[DET] [W] is [DET] [V]": answers}},
        "day": {"holo": {"[DET] [W] is in [DET] [V]": answers}, "ant": {"[DET] [W] is not [V]": answers}},
        "unicorn": {"hyp": {"[DET] [W] is [DET] [V]": answers}},
        "cat": {"hyper": {"[DET] [W] is [DET] [V]": answers}},
    }
    file.write_text(json.dumps(content_of_file), encoding="utf-8")
    ran = build(tashika, place, "--responses", file)
    assert ran.code == 0, ran.err
    asked = {(row["target"], row["relation"], row["text"]) for row in rows(place, "probe") if not row["known_answers"]}
    assert asked == {
        ("dog", "meronymy", "parts of the dog include the"),  # as the people of the file read them
        ("dog", "hypernymy", "the dog is the"),
        ("day", "antonymy", "the day is not"),
    }
    assert "1 probes of the unknown relation 'hyper'" in ran.err
    assert "dropped 2 of 5 targets with their relation" in ran.err
    assert "day (holonymy), unicorn (hypernymy)" in ran.err
    assert "synonymy: 0 probes, since there are no prompts for it" in ran.err


def test_the_article_of_a_response_files_prompts_is_a_setting(place: Path, tashika: Run) -> None:
    file, settings = place / "responses.json", place / "semrel.toml"
    prompts = {"the {0} is the {1}": [["animal", "pet"]]}  # an older version of the file
    file.write_text(json.dumps({"dog": {"hyp": prompts}}), encoding="utf-8")
    written = settings.read_text(encoding="utf-8")
    settings.write_text(written.replace("[build]", '[build]\narticles = "by_sound"', 1), encoding="utf-8")
    ran = build(tashika, place, "--responses", file)
    assert ran.code == 0, ran.err
    [probe] = [row for row in rows(place, "probe") if not row["known_answers"]]
    assert (probe["prompt"], probe["text"]) == ("[DET] [W] is [DET] [V]", "a dog is")


def test_show_prints_relata_and_probes(place: Path, tashika: Run) -> None:
    ran = build(tashika, place, "--show", "dog")
    assert "hypernymy: animal (1)" in ran.out
    assert "a dog is one particular sort of ___" in ran.out
    again = build(tashika, place, "--show", "blorf")
    assert again.code == 2
    assert "'blorf' is no target" in again.err


def test_a_dry_run_does_nothing(place: Path, tashika: Run) -> None:
    ran = build(tashika, place, "--dry-run")
    assert ran.code == 0
    assert "antonymy: 9 prompts" in ran.err
    assert not (place / "work").exists()


def test_without_models_the_vocabulary_is_wordnets(place: Path, tashika: Run) -> None:
    write_config(place)
    file = place / "semrel.toml"
    file.write_text(file.read_text().replace(f"'{place}/words.txt'", ""))
    assert build(tashika, place).code == 0
    assert content(place)["vocabulary"]["models"] == {"WordNet": {"words": 11}}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("dog\ncat\ndog\nanimal\n", None),
        ("zebra\ncrocodile\n", "splits every target: 0 of 4 candidates"),
        ("unicorn\n", "no target is left (HyperLex and norms: candidates 4, nouns in WordNet 3"),
        ("dog\nguinea pig\n", "expected one word a line"),
    ],
)
def test_bad_vocabularies_are_told(place: Path, tashika: Run, words: str, message: str | None) -> None:
    (place / "words.txt").write_text(words)
    ran = build(tashika, place)
    if message is None:
        assert ran.code == 0
        assert "words.txt: dropped 1 duplicates, 3 words are left" in ran.err
    else:
        assert ran.code == 2
        assert message in ran.err


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("prompts = 'no/such.toml'", "no such file"),
        ("controls = 'no/such.tsv'", "no such file"),
        ("wordnet = 'no/such/folder'", "found no WordNet"),
        ("targets = 'all'", "targets"),
        ("colour = 'red'", "colour"),
    ],
)
def test_bad_settings_are_told(place: Path, tashika: Run, setting: str, message: str) -> None:
    write_config(place, setting)
    ran = build(tashika, place)
    assert ran.code == 2
    assert message in ran.err


def test_empty_norms_are_told(place: Path, tashika: Run) -> None:
    (place / "norms.csv").write_text("category,instance\n")
    ran = build(tashika, place)
    assert ran.code == 2
    assert "no pair of category and instance" in ran.err
