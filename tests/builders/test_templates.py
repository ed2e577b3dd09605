from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.builders.templates import (
    Relation,
    filled,
    problem_of,
    read_named_templates,
    read_templates,
    relation_key,
    tidied,
)
from tashika.core.cloze import normalised
from tashika.core.errors import ConfigError, InputError
from tashika.core.settings import packaged
from tashika.core.writing import closes


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "templates.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_packaged_file_has_five_for_each_of_the_41_relations() -> None:
    relations = read_templates(packaged("myriadlama_templates.toml")).relations
    assert len(relations) == 41
    assert {len(relation.manual) for relation in relations.values()} == {5}


def test_the_packaged_templates_can_be_asked_left_to_right_and_as_questions() -> None:
    for name, relation in read_templates(packaged("myriadlama_templates.toml")).relations.items():
        endings = [manual.split("[Y]")[1] for manual in relation.manual]
        assert sum(ending in {"", "."} for ending in endings) >= 3, name
        assert any(len(ending) > 1 for ending in endings), name
        assert any("?" in manual for manual in relation.manual), name


def test_the_japanese_templates_cover_the_same_relations_and_can_be_asked_left_to_right() -> None:
    english = read_templates(packaged("myriadlama_templates.toml")).relations
    relations = read_templates(packaged("myriadlama_templates_ja.toml"), "ja").relations
    assert list(relations) == list(english)
    for name, relation in relations.items():
        last = [closes(manual.split("[Y]")[1]) for manual in relation.manual]
        assert len(last) == 5, name
        assert 3 <= sum(last) < 5, name
        assert any("か。[Y]" in manual for manual in relation.manual), name
        assert bool(relation.hint) == bool(english[name].hint), name


@pytest.mark.parametrize(
    ("language", "template"),
    [
        ("ja", "[X]の首都は[Y]です。"),
        ("zh-hans", "[X]的首都是[Y]。"),
        ("th", "เมืองหลวงของ[X]คือ[Y]"),
        ("ar", "عاصمة [X] هي [Y]."),
        ("ar", "[X] مدينة في [Y]؟"),
        ("he", "[X] נולד ב[Y]."),
        ("de", "[X]s Hauptstadt heißt „[Y]“."),
        ("ko", "[X]의 수도는 [Y]이다."),
        ("tr", "[X]'in başkenti [Y]'dir."),
        ("fi", "[X]n pääkaupunki on [Y]."),
        ("fr", "Quelle est la capitale de [X]\u00a0? [Y]."),
        ("fa", "[X] در [Y] به دنیا می\u200cآید."),
        ("hi", "[X] की राजधानी [Y] है।"),
        ("ru", "Столица [X] — [Y]."),
        ("sr", "Главни град [X] је [Y]."),
        ("sr", "Glavni grad [X] je [Y]."),
    ],
)
def test_templates_of_other_languages(language: str, template: str) -> None:
    assert problem_of(template, language) is None


@pytest.mark.parametrize(
    ("language", "template", "problem"),
    [
        ("en", "[X]の首都は[Y]です。", "`languages` in [build] begins with English"),
        ("en", "[X]s capital is [Y].", "glued to a word"),
        ("ja", "The capital of [X] is [Y].", "not written in Japanese"),
        ("ja", "[X]的首都是[Y]。", "not written in Japanese"),
        ("zh", "[X]の首都は[Y]です。", "not written in Chinese"),
        ("ja", "re[X]の首都は[Y]です。", "glued to a word"),
        ("ja", "[X][Y]の首都", "glued to a word"),
        ("ja", "[X]の首都は東京です。", "[Y] stands 0 times"),
        ("ja", "[X]の首都は[Y]、[Y]です。", "[Y] stands 2 times"),
        ("ja", "［X］の首都は［Y］です。", "full-width brackets"),
        ("ja", "[Ｘ]の首都は[Y]です。", "full-width brackets or letters"),
        ("ja", "[X]の「首都は[Y]です。", "open quotation mark"),
        ("ja", "[X]の首都は[Y]：", "announces"),
        ("ja", "[X]の首都は\ud842[Y]です。", "half a character"),
        ("de", "[X] heißt „[Y].", "open quotation mark"),
        ("ru", "The capital of [X] is [Y].", "not written in Russian"),
        ("ar", "[X]ل [Y].", "glued to a word"),
    ],
)
def test_what_is_no_template_of_a_language(language: str, template: str, problem: str) -> None:
    assert problem in (problem_of(template, language) or "")


def test_templates_are_composed_and_without_idle_spaces() -> None:
    relation = Relation(language="ja", label="l", description="d", manual=("[X] は ハ\u3099リ の [Y] です。",))
    assert relation.manual == ("[X]はバリの[Y]です。",)
    assert tidied("[X] is  in [Y].") == "[X] is  in [Y]."


def test_templates_of_two_languages_in_one_relation(tmp_path: Path) -> None:
    table = '[P36]\nlabel="l"\ndescription="d"\nmanual={}\n'
    mixed = write(tmp_path, table.format('["[X] is in [Y].", "Столица [X] — [Y]."]'))
    with pytest.raises(ConfigError, match="in the letters of different languages"):
        read_templates(mixed)
    with pytest.raises(ConfigError, match=r"\[X\] is in \[Y\].': is not written in Japanese"):
        read_templates(write(tmp_path, table.format('["[X]は[Y]です。", "[X] is in [Y]."]')), "ja")


def test_a_file_may_say_its_language(tmp_path: Path) -> None:
    table = '[P36]\nlabel="l"\ndescription="d"\nmanual=["[X]は[Y]です。"]\n'
    path = write(tmp_path, f'language = "ja"\n{table}')
    assert read_templates(path, "ja").relations["P36"].language == "ja"
    with pytest.raises(ConfigError, match=r"found templates in Japanese .* expected English"):
        read_templates(path)
    with pytest.raises(ConfigError, match="all tables are in one language"):
        read_templates(write(tmp_path, f'{table}language = "ja"\n'), "ja")


@pytest.mark.parametrize(
    ("template", "problem"),
    [
        ("[X] was born in a town.", "[Y] stands 0 times"),
        ("[X] and [X] were born in [Y].", "[X] stands 2 times"),
        ("[X] was born in [Y], yes, [Y].", "[Y] stands 2 times"),
        ("[X] [Y]", "says nothing"),
        ("[X][Y] city", "glued"),
        ("**[X] was born in [Y].**", "markup"),
        ("<think>[X] and [Y]</think>", "markup"),
        ('Here are 19 paraphrases of "[X] was born in [Y]":', "announces"),
        ('[X] is called "[Y].', "open quotation mark"),
        ("[X]'s home is [Y]\nand more", "line breaks"),
        ("re[X] is [Y].", "glued"),
        ("[X] of [Z] is [Y].", "brackets"),
        ("[X] " + "very " * 80 + "[Y].", "longer than"),
    ],
)
def test_what_is_no_template(template: str, problem: str) -> None:
    assert problem in (problem_of(template) or "")


@pytest.mark.parametrize(
    "template", ["[X] was born in [Y].", "[X]'s home is [Y]", "Where is [X]? [Y].", "“[X]” is by [Y]"]
)
def test_what_is_a_template(template: str) -> None:
    assert problem_of(template) is None


def test_duplicates_differ_in_case_punctuation_and_spacing_alone() -> None:
    assert normalised("[X]  was born, in [Y]!") == normalised("[x] Was born in [Y]")
    assert normalised("[X] was born in [Y].") != normalised("[Y] was born in [X].")


NAMES = st.text(min_size=1).filter(lambda text: text.isprintable())


@given(NAMES, NAMES)
def test_filling_puts_each_name_in_its_slot_alone(subject: str, value: str) -> None:
    assert filled("<[X]|[Y]>", subject, value) == f"<{subject}|{value}>"
    assert filled("<[Y]|[X]>", subject, value) == f"<{value}|{subject}>"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[P19\n", "not valid TOML"),
        ('[P19]\nlabel="b"\ndescription="d"\nmanual=["[X] was born."]', r"\[Y\] stands 0 times"),
        ('[P19]\nlabel="b"\ndescription="d"\nmanual=["[X] in [Y].", "[X] in [Y]"]', "repeats"),
        ('[P19]\nlabel="b"\ndescription="d"\nmanual=[]', "no template"),
        ('[P19]\nlabel="b"\nmanual=["[X] in [Y]."]', "description is missing"),
        ('[P19]\nlabel="b"\ndescription="d"\nmanuel=["[X] in [Y]."]', "manu"),
    ],
)
def test_a_broken_file_is_refused_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(ConfigError, match=message) as caught:
        read_templates(path)
    assert str(path) in str(caught.value)


def test_an_empty_file_and_a_wrong_table(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the file is empty"):
        read_templates(write(tmp_path, ""))
    with pytest.raises(InputError, match="expected a property id"):
        read_templates(write(tmp_path, "[Q19]\n"))


def test_an_unknown_relation_is_named() -> None:
    with pytest.raises(InputError, match="no templates for P99999"):
        read_templates(packaged("myriadlama_templates.toml")).select(("P19", "P99999"))


def test_tables_of_relations_by_name_need_no_more_than_templates(tmp_path: Path) -> None:
    path = write(tmp_path, '["mentor of"]\nmanual = ["[X] taught [Y]."]\n')
    (relation,) = read_named_templates(path, {"mentor_of": "Mentor of"}).values()
    assert (relation.label, relation.description) == ("Mentor of", "[X] has the relation “Mentor of” to [Y].")
    packaged_ones = read_named_templates(packaged("myriadlama_templates.toml"), {})
    assert packaged_ones["place_of_birth"] == packaged_ones["p19"]
    with pytest.raises(InputError, match="a second table of the relation 'Mentor_of'"):
        read_named_templates(write(tmp_path, '["mentor of"]\nmanual = ["[X] taught [Y]."]\n[Mentor_of]\n'), {})
    with pytest.raises(ConfigError, match="manual is missing"):
        read_named_templates(write(tmp_path, "[mentor_of]\n"), {})
    with pytest.raises(ConfigError, match="should be a valid dictionary"):
        read_named_templates(write(tmp_path, "mentor_of = 3\n"), {})


def test_a_relations_key_is_no_property_id() -> None:
    assert relation_key("Place of  Birth") == relation_key("place_of_birth") == "place_of_birth"
    assert relation_key("P19") == "p19"
    assert relation_key("出身地") == "出身地"
    assert relation_key("?") == ""
