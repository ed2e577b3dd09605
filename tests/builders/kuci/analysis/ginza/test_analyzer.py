from __future__ import annotations

import sys
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tashika.builders.kuci.analysis.analyzers import AnalyzerSettings
from tashika.builders.kuci.analysis.ginza.analyzer import LONGEST, Ginza
from tashika.builders.kuci.analysis.records import Failure, Sentence
from tashika.core.errors import OutsideError


def one(ginza: Ginza, text: str) -> Sentence:
    (found,) = ginza.analyze([("s1", text)])
    assert isinstance(found, Sentence), found
    return found


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.text(max_size=40)
        | st.text(alphabet="雨が降るので、家にいたらならばと「」ため。 　+*#EOS\n😀", max_size=40)
        | st.text(alphabet=st.characters(codec=None), max_size=10),
        max_size=4,
    )
)
def test_any_text_is_a_sentence_with_its_own_letters_or_a_failure(ginza: Ginza, texts: list[str]) -> None:
    found = list(ginza.analyze((str(number), text) for number, text in enumerate(texts)))
    assert [one.sid for one in found] == [str(number) for number in range(len(texts))]
    for text, result in zip(texts, found, strict=True):
        assert result.text == text
        if isinstance(result, Sentence):
            assert "".join(morpheme.surface for morpheme in result.morphemes) == text
            ends = [(clause.start, clause.stop) for clause in result.clauses]
            assert all(start < stop for start, stop in ends)
            assert all(first[1] <= second[0] for first, second in pairwise(ends))
            assert all(0 <= link.modifier < link.head < len(ends) for link in result.relations)


@pytest.mark.parametrize("text", ["", " ", "\u3000\t", "\n"])
def test_a_blank_text_is_a_failure(ginza: Ginza, text: str) -> None:
    assert list(ginza.analyze([("s1", text)])) == [Failure("s1", text, "blank text")]


def test_a_very_long_line_is_a_failure_and_the_rest_goes_on(ginza: Ginza) -> None:
    long, huge = "あ" * 10_000, "雨" * 20_000
    found = list(ginza.analyze([("a", "雨が降る。"), ("b", long), ("c", huge), ("d", "雪が降る。")]))
    assert [type(each) for each in found] == [Sentence, Failure, Failure, Sentence]
    assert isinstance(found[1], Failure)
    assert {each.reason for each in found[1:3] if isinstance(each, Failure)} == {f"longer than {LONGEST} characters"}


def test_what_the_model_itself_refuses_is_a_failure_of_its_own(ginza: Ginza, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ginza, "longest", 100_000)
    found = list(ginza.analyze([("a", "雨が降る。"), ("b", "あ" * 17_000), ("c", "雪が降る。")]))
    assert [type(each) for each in found] == [Sentence, Failure, Sentence]
    assert isinstance(found[1], Failure)
    assert found[1].reason.startswith("GiNZA failed: ")
    assert not any(sign.isdigit() for sign in found[1].reason)


def test_sentences_are_as_long_as_the_settings_say() -> None:
    assert AnalyzerSettings().longest == LONGEST


def test_a_half_of_a_surrogate_pair_is_a_failure(ginza: Ginza) -> None:
    (found,) = ginza.analyze([("s1", "雨\ud800")])
    assert isinstance(found, Failure)
    assert found.reason == "a character that is not Unicode"


@pytest.mark.parametrize(
    "text", ["+ * # EOS", "元気だね😀👍🏽", "あ\x07い\x00う", "全角　空白  二つ", " 前と後 ", "ﾊﾝｶｸＵＳＢ"]
)
def test_odd_characters_stay_as_they_are(ginza: Ginza, text: str) -> None:
    assert "".join(morpheme.surface for morpheme in one(ginza, text).morphemes) == text


def test_batches_do_not_change_results(ginza: Ginza, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [
        (str(number), text)
        for number, text in enumerate(["雨が降るので、寝る。", "", "寝ると治る。", "猫だ。", "走る。"])
    ]
    expected = list(ginza.analyze(texts))
    monkeypatch.setattr(ginza, "batch", 2)
    assert list(ginza.analyze(texts)) == expected


def test_morphemes_tell_place_part_of_speech_and_kind(ginza: Ginza) -> None:
    found = one(ginza, "その店でお腹が空いた。")
    assert [(m.surface, m.lemma, m.pos) for m in found.morphemes[:5]] == [
        ("その", "其の", "連体詞"),
        ("店", "店", "名詞"),
        ("で", "で", "助詞"),
        ("お腹", "御腹", "名詞"),
        ("が", "が", "助詞"),
    ]
    assert [m.start for m in found.morphemes[:4]] == [0, 2, 3, 4]
    assert [m.surface for m in found.morphemes if m.demonstrative] == ["その"]
    assert [m.surface for m in found.morphemes if m.sign] == ["。"]


def test_words_that_the_dictionary_lacks_are_unknown_but_numbers_and_emoji_are_not(ginza: Ginza) -> None:
    found = one(ginza, "ケロリンパが2026年に来た😀")
    assert [m.surface for m in found.morphemes if m.unknown] == ["ケロリンパ"]


def test_provenance_names_versions(ginza: Ginza) -> None:
    told = ginza.describe()
    assert told["model"] == "ja_ginza"
    assert told["ja-ginza"] == "5.3.0"
    assert ginza.keys == "sudachi"
    assert ginza.backend == "ginza"


def test_without_the_extra_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(OutsideError, match="japanese"):
        Ginza()
