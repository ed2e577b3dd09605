"""KNP's output made sentences. The blocks are our own, in KNP's form; what the tests do not look at is left out."""

from __future__ import annotations

import pytest

from tashika.builders.kuci.analysis.knp.sentence import convert, load_pyknp, read_block, surfaces_of
from tashika.builders.kuci.analysis.records import Argument, Failure, Relation, Sentence

PARTICLE = "助詞 9 格助詞 1 * 0 * 0 NIL <付属>"
NOUN = "名詞 6 普通名詞 1 * 0 * 0"
VERB = "動詞 2 * 0 母音動詞 1 基本形 2"
COMMA = "、 、 、 特殊 1 読点 2 * 0 * 0 NIL <記号>"


def read(*lines: str, sid: str = "a1", text: str | None = None) -> Sentence:
    found = read_block("\n".join([f"# S-ID:{sid} KNP:5.0-", *lines, "EOS"]), sid, text)
    assert isinstance(found, Sentence), found
    return found


def phrase(place: int, features: str, *words: str) -> list[str]:
    """A phrase of one base phrase, which depends on that with the number `place`."""
    return [f"* {place}D {features}", f"+ {place}D {features}", *words]


def word(surface: str, key: str, rest: str = NOUN, features: str = "") -> str:
    tail = f'"代表表記:{key}" <正規化代表表記:{key}>{features}' if key else f"NIL <x>{features}"
    return f"{surface} {surface} {surface} {rest} {tail}"


def noun(place: int, surface: str, key: str, particle: str, tie: str, more: str = "") -> list[str]:
    features = f"<体言><係:{tie}><正規化代表表記:{key}>{more}"
    return phrase(place, features, word(surface, key), f"{particle} {particle} {particle} {PARTICLE}")


def verb(place: int, surface: str, key: str, more: str, *words: str) -> list[str]:
    features = f"<用言:動><用言代表表記:{key}>{more}"
    return phrase(place, features, word(surface, key.split("?", maxsplit=1)[0], VERB), *words)


END = "<節-区切><節-主辞>"


def two_clauses(function: str, end: str = END) -> Sentence:
    """雪が積もると、バスが遅れる, whose first clause has a function."""
    return read(
        *noun(1, "雪", "雪/ゆき", "が", "ガ格"),
        *verb(3, "積もると", "積もる/つもる", f"{END}{function}", COMMA),
        *noun(3, "バス", "バス/ばす", "が", "ガ格"),
        *verb(-1, "遅れる", "遅れる/おくれる", end),
    )


def test_clauses_with_their_predicates_and_arguments() -> None:
    sentence = two_clauses("<節-機能-条件>")
    assert sentence.text == "雪が積もると、バスが遅れる"
    assert [sentence.clause_text(one) for one in sentence.clauses] == ["雪が積もると", "バスが遅れる"]
    assert [one.predicate.lemma for one in sentence.clauses] == ["積もる/つもる", "遅れる/おくれる"]
    assert sentence.clauses[0].arguments == (Argument("ガ", "雪/ゆき"),)
    assert sentence.clauses[1].arguments == (Argument("ガ", "バス/ばす"),)
    assert [one.start for one in sentence.morphemes] == [0, 1, 2, 6, 7, 9, 10]
    assert [one.surface for one in sentence.morphemes if one.sign] == ["、"]


@pytest.mark.parametrize(
    ("function", "relation"),
    [
        ("<節-機能-条件>", Relation(0, 1, "condition", "")),
        ("<節-機能-条件:〜ば>", Relation(0, 1, "condition", "〜ば")),
        ("<節-機能-条件:〜なら>", Relation(0, 1, "condition", "〜なら")),
        ("<節-機能-原因・理由:タ形+ため>", Relation(0, 1, "cause", "タ形+ため")),
        ("<節-機能疑-原因・理由:から>", Relation(0, 1, "cause", "から", certain=False)),
        ("<節-機能疑-条件:〜なら>", Relation(0, 1, "condition", "〜なら", certain=False)),
        ("<節-機能疑-条件:〜ば><節-機能-条件:〜ば>", Relation(0, 1, "condition", "〜ば")),
    ],
)
def test_functions_are_relations(function: str, relation: Relation) -> None:
    assert two_clauses(function).relations == (relation,)


@pytest.mark.parametrize(
    "function",
    [
        "",
        "<節-機能-条件-逆条件:〜ても>",
        "<節-機能疑-条件-逆条件:〜ても>",
        "<節-機能-時間経過-後>",
        "<節-機能疑-目的:サ変名詞+に>",
        "<節-前向き機能-原因・理由:だから>",
    ],
)
def test_other_functions_are_none(function: str) -> None:
    assert two_clauses(function).relations == ()


def test_a_function_in_another_sentence_is_none() -> None:
    assert two_clauses("", f"{END}<節-前向き機能-原因・理由:だから>").relations == ()
    assert two_clauses("", f"{END}<節-機能-条件>").relations == ()  # there is nothing that it depends on


def test_the_head_of_a_clause_may_be_another_base_phrase() -> None:
    sentence = read(
        *noun(1, "皿", "皿/さら", "が", "ガ格"),
        *verb(2, "落ちた", "落ちる/おちる", "<時制:過去><係:連格><節-主辞>"),
        *phrase(
            3,
            "<体言><機能的基本句><節-機能-原因・理由:タ形+ため><正規化代表表記:為/ため><節-区切>",
            word("ため", "為/ため"),
            COMMA,
        ),
        *verb(-1, "拾う", "拾う/ひろう", END),
    )
    first, second = sentence.clauses
    assert sentence.clause_text(first) == "皿が落ちたため"
    assert (first.predicate.lemma, first.predicate.past) == ("落ちる/おちる", True)
    assert first.arguments == (Argument("ガ", "皿/さら"),)
    assert second.arguments == ()
    assert sentence.relations == (Relation(0, 1, "cause", "タ形+ため"),)


def test_a_noun_with_suru_is_one_predicate() -> None:
    sentence = read(
        *phrase(
            1,
            "<サ変><係:ヲ格><体言><態:未定><正規化代表表記:掃除/そうじ><節-主辞>",
            word("掃除", "掃除/そうじ"),
            f"を を を {PARTICLE}",
        ),
        *verb(2, "しなければ", "する/する", "<機能的基本句><否定表現><節-区切><節-機能-条件:〜ば>", COMMA),
        *verb(-1, "汚れる", "汚れる/よごれる", END),
    )
    said = sentence.clauses[0].predicate
    assert (said.lemma, said.kind, said.negated, said.voice) == ("掃除/そうじ", "動", True, "active")
    assert sentence.clauses[0].arguments == (Argument("ヲ", "掃除/そうじ"),)


@pytest.mark.parametrize(
    ("features", "voice"),
    [
        ("<用言代表表記:叱る/しかる+れる/れる><態:受動>", "passive"),
        ("<用言代表表記:叱る/しかる+れる/れる><態:受動|可能>", "passive"),
        ("<用言代表表記:叱る/しかる+れる/れる>", "passive"),
        ("<用言代表表記:叱る/しかる+せる/せる><態:使役>", "causative"),
        ("<用言代表表記:叱る/しかる+せる/せる+られる/られる>", "causative-passive"),
        ("<用言代表表記:叱る/しかる+せる/せる+られる/られる><態:使役&受動>", "causative-passive"),
        ("<用言代表表記:叱る/しかる~テ形+いる/いる>", "active"),
        ("<用言代表表記:叱る/しかる><態:未定>", "active"),
    ],
)
def test_voice_is_told_apart_from_the_key(features: str, voice: str) -> None:
    sentence = read(*phrase(-1, f"<用言:動>{features}{END}", word("しかられる", "叱る/しかる", VERB)))
    said = sentence.clauses[0].predicate
    assert (said.lemma, said.voice) == ("叱る/しかる", voice)


def test_readings_stay_unless_case_analysis_chose_one() -> None:
    both = "空く/あく~テ形+いる/いる?空く/すく~テ形+いる/いる"
    assert read(*verb(-1, "空く", both, END)).clauses[0].predicate.lemma == "空く/あく?空く/すく"
    chosen = f"{END}<標準用言代表表記:空く/すく>"
    assert read(*verb(-1, "空く", both, chosen)).clauses[0].predicate.lemma == "空く/すく"


@pytest.mark.parametrize(
    "said",
    [
        "片付け/かたづけ",  # 片付けした
        "片付け/かたづけ+する/する~テ形+いる/いる",
        "片付け/かたづけ+する/する+れる/れる",
        "片付け/かたづけ+する/する",
    ],
)
def test_a_noun_with_suru_has_one_key_however_knp_writes_it(said: str) -> None:
    assert read(*verb(-1, "片付けした", said, END)).clauses[0].predicate.lemma == "片付け/かたづけ"
    assert read(*verb(-1, "する", "する/する", END)).clauses[0].predicate.lemma == "する/する"


@pytest.mark.parametrize(("use", "kind"), [("動", "動"), ("形", "形"), ("判", "判"), ("強:判", "判")])
def test_kinds(use: str, kind: str) -> None:
    sentence = read(*phrase(-1, f"<用言:{use}><用言代表表記:静かだ/しずかだ>{END}", word("静かだ", "静かだ/しずかだ")))
    assert sentence.clauses[0].predicate.kind == kind


def test_a_sentence_without_a_predicate_is_a_clause_of_its_noun() -> None:
    sentence = read(*phrase(-1, "<体言><正規化代表表記:朝/あさ>", word("朝", "朝/あさ")))
    assert [(one.predicate.lemma, one.predicate.kind) for one in sentence.clauses] == [("朝/あさ", "判")]


def test_topics_and_arguments_outside_their_clause() -> None:
    sentence = read(
        *noun(3, "弟", "弟/おとうと", "は", "未格"),
        *phrase(2, "<体言><係:無格><正規化代表表記:お菓子/おかし>", word("お菓子", "お菓子/おかし")),
        *verb(3, "落とせば", "落とす/おとす", f"{END}<節-機能-条件:〜ば>", COMMA),
        *verb(-1, "泣く", "泣く/なく", END),
    )
    assert sentence.clauses[0].arguments == (Argument("未", "お菓子/おかし"),)
    assert sentence.clauses[1].arguments == (Argument("未", "弟/おとうと", explicit=False),)


def test_times_without_a_particle_are_no_arguments() -> None:
    time = phrase(1, "<時間><体言><係:無格><正規化代表表記:毎朝/まいあさ>", word("毎朝", "毎朝/まいあさ"))
    assert read(*time, *verb(-1, "走る", "走る/はしる", END)).clauses[0].arguments == ()


@pytest.mark.parametrize(
    "analysis",
    [
        "<格解析結果:叱る/しかる:動1:ガ/N/弟/0/0/1;ヲ/C/猫/1/0/1;ニ/U/-/-/-/-;デ/O/家/1/1/9>",
        "<述語項構造:叱る/しかる:動1:ガ/N/弟/0/0/3;ヲ/C/猫/0/1/4;ニ/E/著者/0/-1/5;デ/O/家/1/1/6>",
    ],
)
def test_case_analysis_comes_before_the_dependents(analysis: str) -> None:
    sentence = read(
        *noun(2, "弟", "弟/おとうと", "は", "未格"),
        *noun(2, "猫", "猫/ねこ", "も", "未格"),
        *verb(-1, "叱る", "叱る/しかる", f"{END}{analysis}"),
    )
    # デ lies one sentence back.
    assert sentence.clauses[0].arguments == (Argument("ガ", "弟/おとうと"), Argument("ヲ", "猫/ねこ"))


def adnominal(function: str, head: int) -> Sentence:
    """雨が降ったので父が洗った車が汚れる, where ので depends on 洗った or 汚れる."""
    return read(
        *noun(1, "雨", "雨/あめ", "が", "ガ格"),
        *verb(head, "降ったので", "降る/ふる", f"{END}{function}"),
        *noun(3, "父", "父/ちち", "が", "ガ格"),
        *verb(4, "洗った", "洗う/あらう", "<係:連格><節-区切:連体修飾><節-主辞>"),
        *noun(5, "車", "車/くるま", "が", "ガ格"),
        *verb(-1, "汚れる", "汚れる/よごれる", END),
    )


def test_an_adnominal_clause_goes_with_the_clause_that_it_stands_in() -> None:
    sentence = adnominal("", 5)
    assert [sentence.clause_text(one) for one in sentence.clauses] == ["雨が降ったので", "父が洗った車が汚れる"]
    assert sentence.clauses[1].predicate.lemma == "汚れる/よごれる"
    assert sentence.clauses[1].arguments == (Argument("ガ", "車/くるま"),)


@pytest.mark.parametrize(("head", "clause"), [(5, 2), (3, 1)])
def test_a_relation_over_an_adnominal_clause_is_not_between_the_last_two(head: int, clause: int) -> None:
    sentence = adnominal("<節-機能-原因・理由:ので>", head)
    assert [sentence.clause_text(one) for one in sentence.clauses] == ["雨が降ったので", "父が洗った", "車が汚れる"]
    assert sentence.relations == (Relation(0, clause, "cause", "ので"),)


def test_a_chain_of_relations_each_to_its_head() -> None:
    sentence = read(
        *verb(2, "寒いから", "寒い/さむい", f"{END}<節-機能-原因・理由:から>"),
        *verb(2, "出たら", "出る/でる", f"{END}<節-機能-条件>"),
        *verb(-1, "震える", "震える/ふるえる", END),
    )
    assert sentence.relations == (Relation(0, 2, "cause", "から"), Relation(1, 2, "condition", ""))


@pytest.mark.parametrize(
    ("label", "relations"),
    [
        ("a1/3/原因・理由", (Relation(0, 1, "cause", ""),)),
        ("a1/3/原因・理由(逆方向)", (Relation(1, 0, "cause", ""),)),
        ("a0/3/対比;a1/3/条件(順方向)", (Relation(0, 1, "condition", ""),)),
        ("b1/3/原因・理由", ()),
        ("a1/99/原因・理由", ()),
        ("a1/1/原因・理由", ()),
        ("a1/3/条件-逆条件", ()),
        ("原因・理由", ()),
        ("a1/x/条件", ()),
    ],
)
def test_labels_of_other_producers(label: str, relations: tuple[Relation, ...]) -> None:
    assert two_clauses(f"<談話関係:{label}>").relations == relations


def test_a_label_and_a_function_of_one_kind_are_one_relation_with_its_marker() -> None:
    assert two_clauses("<節-機能-条件:〜ば><談話関係:a1/3/条件>").relations == (Relation(0, 1, "condition", "〜ば"),)


def test_modality() -> None:
    sentence = read(*verb(-1, "歩く", "歩く/あるく", f"{END}<モダリティ-評価:強><モダリティ-意志>"))
    assert sentence.clauses[0].predicate.modality == "評価:強,意志"


@pytest.mark.parametrize(
    ("key", "more", "modality"),
    [
        ("良い/よい", "", "評価"),
        ("成る/なる?鳴る/なる", "<否定表現>", "評価"),
        ("成る/なる?鳴る/なる", "", ""),
        ("治る/なおる", "", ""),
    ],
)
def test_what_judges_a_condition_alone_is_no_event(key: str, more: str, modality: str) -> None:
    sentence = read(
        *verb(1, "休めば", "休む/やすむ", f"{END}<節-機能-条件:〜ば>"), *verb(-1, "いい", key, f"{END}{more}")
    )
    assert sentence.clauses[1].predicate.modality == modality


def test_good_weather_is_an_event() -> None:
    sentence = read(
        *verb(2, "晴れれば", "晴れる/はれる", f"{END}<節-機能-条件:〜ば>"),
        *noun(2, "気分", "気分/きぶん", "が", "ガ格"),
        *verb(-1, "いい", "良い/よい", END),
    )
    assert sentence.clauses[1].predicate.modality == ""


def test_unknown_words_demonstratives_and_numbers() -> None:
    sentence = read(
        *phrase(1, "<指示詞><係:連格>", "その その その 指示詞 7 連体詞形態指示詞 2 * 0 * 0 NIL <x>"),
        *noun(2, "ヌルポ", "ヌルポ/ヌルポ", "を", "ヲ格")[:2],
        f'ヌルポ ぬるぽ ヌルポ {NOUN} "未知語:カタカナ 代表表記:ヌルポ/ヌルポ" <未知語:カタカナ>',
        f'３ さん ３ {NOUN} "カテゴリ:数量 未知語:数字" <未知語:数字>',
        "ω ω ω 未定義語 15 その他 1 * 0 * 0 NIL <x>",
        f"ギョエ ぎょえ ギョエ {NOUN} NIL <未知語>",
        *verb(-1, "見る", "見る/みる", END),
    )
    assert [one.surface for one in sentence.morphemes if one.unknown] == ["ヌルポ", "ω", "ギョエ"]
    assert [one.surface for one in sentence.morphemes if one.demonstrative] == ["その"]


def test_a_base_phrase_that_is_a_demonstrative_marks_its_first_word() -> None:
    sentence = read(*noun(1, "例の", "例の/れいの", "を", "ヲ格", "<指示詞>"), *verb(-1, "見る", "見る/みる", END))
    assert [one.surface for one in sentence.morphemes if one.demonstrative] == ["例の"]


def test_half_width_signs_and_eos_as_words() -> None:
    signs = [f"{sign} {sign} {sign} 特殊 1 記号 5 * 0 * 0 NIL <x>" for sign in "*+#"]
    eos = f"EOS EOS EOS {NOUN} NIL <x>"
    space = r"\  \  \  特殊 1 空白 6 * 0 * 0 NIL <x>"
    sentence = read(*phrase(1, "<係:未格>", *signs, eos, space), *verb(-1, "見る", "見る/みる", END))
    assert sentence.text == "＊＋＃EOS 見る"


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (["EOS"], "no word"),
        (["# S-ID:a1", "EOS"], "no word"),
        (["* -1D <x>", "+ -1D <x>", "EOS"], "no word"),
        (["* 1D <x>", "+ 1D <x>", *noun(-1, "雪", "雪/ゆき", "が", "ガ格"), "EOS"], "cannot be read"),
        (["* 7D <x>", "+ 7D <x>", f"雪 ゆき 雪 {NOUN} NIL <x>", "EOS"], "cannot be read"),
        (["* -1D <x>", "+ -1D <x>", "雪 ゆき 雪", "EOS"], "cut short"),
        ([";; Too many morphemes", "EOS"], "Too many morphemes"),
        ([f"雪 ゆき 雪 {NOUN} NIL <x>", "EOS"], "no word"),
        (["* -1D <x>", f"雪 ゆき 雪 {NOUN} NIL <x>", "+ -1D <x>", f"が が が {PARTICLE}", "EOS"], "cannot be read"),
    ],
)
def test_broken_blocks_are_failures(lines: list[str], reason: str) -> None:
    found = read_block("\n".join(lines), "a1")
    assert isinstance(found, Failure)
    assert found.sid == "a1"
    assert reason in found.reason


def test_a_dependency_that_goes_back_ends() -> None:
    sentence = read(
        *verb(0, "寒いから", "寒い/さむい", f"{END}<節-機能-原因・理由:から>"),
        *verb(0, "震える", "震える/ふるえる", END),
    )
    assert sentence.relations == ()


def test_words_of_another_sentence_are_a_failure() -> None:
    block = "\n".join([*verb(-1, "見る", "見る/みる", END), "EOS"])
    assert isinstance(read_block(block, "a1", "見る"), Sentence)
    found = read_block(block, "a1", "聞く")
    assert isinstance(found, Failure)
    assert found.reason == "KNP's words are not those of the sentence"
    assert found.text == "聞く"


def test_surfaces_of_juman_leave_homographs_out() -> None:
    assert surfaces_of("空く あく 空く 動詞\n@ 空く すく 空く 動詞\n。 。 。 特殊\nEOS\n") == "空く。"


def test_convert_takes_a_blist() -> None:
    blist = load_pyknp().BList("\n".join([*verb(-1, "見る", "見る/みる", END), "EOS"]), pattern=r"^EOS$")
    assert convert(blist, "x", "見る").sid == "x"
