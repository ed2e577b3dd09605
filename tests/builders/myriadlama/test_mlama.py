"""Files in mLAMA's format, made by hand; none of its lines stand here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tashika.builders.myriadlama.facts import Fact
from tashika.builders.myriadlama.manual import manual_templates
from tashika.builders.myriadlama.mlama import MLama, find_mlama
from tashika.builders.myriadlama.settings import BuildSettings
from tashika.builders.templates import read_templates
from tashika.core.errors import ConfigError, InputError
from tashika.core.settings import load_section, overridden, packaged

TEMPLATES = [
    {"relation": "P36", "template": "[X] の 首都 は [Y] です 。"},
    {"relation": "P19", "template": "[X]は[Y]で生まれました。"},
    {"relation": "P20", "template": "[X]は[Y]、[Y]で亡くなりました。"},
    {"relation": "place_of_birth", "template": "[X]は[Y]で生まれた。"},
]
CAPITAL = {"sub_uri": "Q17", "obj_uri": "Q1490", "sub_label": "日本", "obj_label": "東京", "uuid": "u-1", "lineid": 3}


def lines(rows: list[Any]) -> str:
    return "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows)


def mlama(folder: Path, rows: list[Any], templates: list[Any] | None = None) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "templates.jsonl").write_text(lines(TEMPLATES if templates is None else templates))
    (folder / "P36.jsonl").write_text(lines(rows))
    (folder / "place_of_birth.jsonl").write_text(lines([CAPITAL]))
    return folder


def files_of(folder: Path, language: str = "ja") -> MLama:
    files = find_mlama(folder, language)
    assert files is not None
    return files


def settings(**values: Any) -> BuildSettings:
    return overridden(load_section("myriadlama", "build", BuildSettings), {"languages": ["ja"], **values})


def test_the_folder_of_all_languages_and_that_of_one(tmp_path: Path) -> None:
    mlama(tmp_path / "ja", [CAPITAL])
    mlama(tmp_path / "de", [CAPITAL])
    assert files_of(tmp_path) == files_of(tmp_path / "ja")
    files = files_of(tmp_path)
    assert files.templates == {"P36": "[X]の首都は[Y]です。", "P19": "[X]は[Y]で生まれました。"}
    assert list(files.unsound) == ["P20"]
    assert files.read_facts(["P19", "P36"]) == [Fact("P36", "Q17", "Q1490", "日本", "東京")]


def test_lama_itself_is_no_mlama_and_an_empty_folder_is_neither(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"found neither LAMA's relations.jsonl nor mLAMA's templates.jsonl"):
        find_mlama(tmp_path, "ja")
    folder = mlama(tmp_path, [CAPITAL])
    (folder / "relations.jsonl").write_text('{"relation": "P36"}\n')
    assert find_mlama(tmp_path, "ja") is None


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    mlama(tmp_path, [CAPITAL])
    (tmp_path / "P999.jsonl").write_text(lines([CAPITAL]))
    assert files_of(tmp_path).summary(["P19", "P36"]) == (
        "mLAMA, Japanese: files of facts for 1 of 2 relations, 2 templates; no facts of P19; not used, since there are "
        "no templates: P999; unsound template of P20, '[X]は[Y]、[Y]で亡くなりました。': [Y] stands 2 times, "
        "expected once; not read: place_of_birth"
    )


def test_labels_are_composed_and_a_fact_counts_once(tmp_path: Path) -> None:
    again = {**CAPITAL, "sub_label": "ハ\u3099リ", "uuid": "u-2"}
    facts = files_of(mlama(tmp_path, [again, again])).read_facts(["P36"])
    assert [fact.subject_label for fact in facts] == ["バリ"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([CAPITAL, "{broken"], r"P36\.jsonl:2: not valid JSON"),
        ([{**CAPITAL, "obj_label": "東\ud842"}], r"P36\.jsonl:1: not valid JSON: half a character"),
        ([{**CAPITAL, "obj_label": " "}], r"P36\.jsonl:1: a label is empty"),
        ([{key: CAPITAL[key] for key in CAPITAL if key != "sub_uri"}], r"P36\.jsonl:1: the field 'sub_uri' is missing"),
        ([{**CAPITAL, "sub_uri": "/m/0abc"}], r"P36\.jsonl:1: found '/m/0abc', expected an item id"),
        ([{**CAPITAL, "obj_label": ["東京"]}], "a label is empty or no text"),
        ([], "the file is empty"),
    ],
)
def test_what_is_wrong_in_a_file_of_facts(tmp_path: Path, rows: list[Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        files_of(mlama(tmp_path, rows)).read_facts(["P36"])


@pytest.mark.parametrize(
    ("templates", "message"),
    [
        ([TEMPLATES[0], TEMPLATES[0]], "templates.jsonl:2: a second template of P36"),
        ([{"relation": "P36", "template": 3}], "a relation or a template is no text"),
        ([{"relation": "P36"}], "the field 'template' is missing"),
        ([], "the file is empty"),
    ],
)
def test_what_is_wrong_in_a_file_of_templates(tmp_path: Path, templates: list[Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        find_mlama(mlama(tmp_path, [CAPITAL], templates), "ja")


def test_another_language_than_the_builds(tmp_path: Path) -> None:
    mlama(tmp_path / "de", [CAPITAL])
    with pytest.raises(InputError, match="mLAMA has no folder ja here; found de"):
        find_mlama(tmp_path, "ja")
    with pytest.raises(InputError, match="found mLAMA's files in German, expected Japanese") as caught:
        find_mlama(tmp_path / "de", "ja")
    assert 'languages = ["de"]' in str(caught.value.hint)
    with pytest.raises(InputError, match="no facts found"):
        files_of(mlama(tmp_path / "ja", [CAPITAL])).read_facts(["P19"])


def test_whose_templates_are_taken(tmp_path: Path) -> None:
    files = files_of(mlama(tmp_path / "mlama", [CAPITAL]))
    ours = manual_templates(settings(), None, files)
    assert len(ours.relations) == 41
    assert ours.source("P19", ours.relations["P19"].manual[0])[0] == "myriadlama_templates_ja.toml"

    beside = manual_templates(settings(lama_templates="beside", relations=["P19", "P36"]), None, files)
    assert [len(relation.manual) for relation in beside.relations.values()] == [6, 6]
    assert beside.source("P19", "[X]は[Y]で生まれました。")[0] == "mLAMA files, templates.jsonl"
    assert beside.source("P19", beside.relations["P19"].manual[0])[0] == "myriadlama_templates_ja.toml"

    only = manual_templates(settings(lama_templates="only"), None, files)
    assert {name: relation.manual for name, relation in only.relations.items()} == {
        "P19": ("[X]は[Y]で生まれました。",),
        "P36": ("[X]の首都は[Y]です。",),
    }
    assert only.relations["P36"].label == "capital"


def test_a_language_without_packaged_templates(tmp_path: Path) -> None:
    german = [{"relation": "P36", "template": "[X]s Hauptstadt ist [Y]."}]
    files = files_of(mlama(tmp_path / "de", [CAPITAL], german), "de")
    chosen = settings(languages=["de"])
    assert list(manual_templates(chosen, None, files).relations) == ["P36"]
    with pytest.raises(ConfigError, match=r"no packaged templates in German.* found English and Japanese"):
        manual_templates(chosen, None, None)
    with pytest.raises(InputError, match="no templates for P19"):
        manual_templates(settings(languages=["de"], relations=["P19"]), None, files)


def test_packaged_templates_by_language() -> None:
    english = manual_templates(settings(languages=["mul", "en"]), None, None)
    assert english.relations == read_templates(packaged("myriadlama_templates.toml")).relations
    assert english.files == [packaged("myriadlama_templates.toml")]
    assert "の" in manual_templates(settings(), None, None).relations["P36"].manual[0]
