"""The rules on sentences made for them; `relations` is what each finds, as (label, marker, antecedent, consequent)."""

from __future__ import annotations

import pytest

from tashika.builders.kuci.analysis.ginza.analyzer import Ginza
from tashika.builders.kuci.analysis.records import Clause, Sentence


def analysed(ginza: Ginza, text: str) -> Sentence:
    (found,) = ginza.analyze([("s1", text)])
    assert isinstance(found, Sentence), found
    return found


def relations(ginza: Ginza, text: str, *, certain: bool = True) -> list[tuple[str, str, str, str]]:
    found = analysed(ginza, text)
    return [
        (
            each.label,
            each.marker,
            found.clause_text(found.clauses[each.modifier]),
            found.clause_text(found.clauses[each.head]),
        )
        for each in found.relations
        if each.certain == certain
    ]


def main_clause(ginza: Ginza, text: str) -> Clause:
    return analysed(ginza, text).clauses[-1]


@pytest.mark.parametrize(
    ("label", "marker", "antecedent", "consequent"),
    [
        ("cause", "ので", "雪が積もったので", "家で一日を過ごした"),
        ("cause", "ので", "彼は親切なので", "みんなに好かれる"),
        ("cause", "ので", "明日は試験なので", "今夜は早く寝ます"),
        ("cause", "から", "道が凍っているから", "ゆっくり歩いてください"),
        ("cause", "から", "部屋が静かだから", "本がよく読める"),
        ("cause", "からこそ", "毎日練習したからこそ", "試合に勝てた"),
        ("cause", "せいで", "夜遅くまで起きていたせいで", "授業中に眠くなった"),
        ("cause", "せいか", "薬を飲んだせいか", "頭がぼんやりする"),
        ("cause", "おかげで", "友達が手伝ってくれたおかげで", "仕事が早く終わった"),
        ("cause", "タ形+ため", "電池が切れたため", "時計が止まった"),
        ("cause", "タ形+ため", "橋が壊れたために", "村へ行けない"),
        ("cause", "状態述語+ため", "荷物が重いため", "タクシーを呼びます"),
        ("cause", "状態述語+ため", "図書館が休みであるため", "家で勉強します"),
        ("cause", "状態述語+ため", "鍵がないため", "部屋に入れません"),
        ("cause", "状態述語+ため", "許可が必要なため", "役所に書類を出した"),
        ("cause", "ため", "台風が近づくため", "試合を延期します"),
        ("cause", "〜のあまり", "寒さのあまりに", "体が震えた"),
        ("cause", "〜のため", "停電のため", "授業が中止になった"),  # nobody aims at it
        ("cause", "〜のため", "ひどい渋滞のために", "バスが遅れた"),
        ("cause", "からこそ", "子どもが泣くものだからこそ", "親は困る"),
        ("cause", "ので", "食べたあとも喉が渇くので", "お茶を飲んだ"),
        ("cause", "ことから", "形が星に似ていることから", "その名がついた"),
        ("cause", "こともあって", "給料が安いこともあって", "会社を辞めた"),
        ("cause", "ものだから", "犬が吠えるものだから", "子どもが泣いてしまった"),
        ("cause", "だけに", "値段が高いだけに", "味がいい"),
        ("cause", "ゆえに", "体が小さいゆえに", "力が弱い"),
        ("cause", "あまり", "先を急ぐあまり", "大事な書類を忘れた"),
        ("condition", "", "お湯が沸いたら", "火を止めてください"),
        ("condition", "", "春になると", "桜が咲く"),
        ("condition", "", "鍵をかけないと", "泥棒が入る"),
        ("condition", "", "明日が雨だったら", "試合は中止になる"),
        ("condition", "〜ば", "薬を飲めば", "熱が下がる"),
        ("condition", "〜ば", "値段が安ければ", "二つ買います"),
        ("condition", "〜ば", "急がなければ", "電車に遅れる"),
        ("condition", "〜なら", "海へ行くなら", "水着を持っていこう"),
        ("condition", "〜なら", "体調が悪いのなら", "会社を休みなさい"),
        ("condition", "〜なら", "部屋が静かなら", "よく眠れる"),
    ],
)
def test_every_marker_is_found_with_both_clauses(
    ginza: Ginza, label: str, marker: str, antecedent: str, consequent: str
) -> None:
    assert relations(ginza, f"{antecedent}、{consequent}。") == [(label, marker, antecedent, consequent)]


@pytest.mark.parametrize(
    "text",
    [
        "子どものための本を買った。",  # adnominal
        "痩せるために毎日走る。",  # purpose
        "勝つためには、練習が必要だ。",
        "約束したからには、最後までやる。",
        "寒いからといって、寝てばかりいるな。",
        "東京から電車で帰った。",  # origin
        "家に帰ってから、手を洗う。",
        "涙が出るほど、映画に感動した。",
        "魚を釣ろうと、川へ行った。",
        "明日は晴れるといいですね。",
        "もっと早く起きればよかった。",
        "先生に聞いたらいいよ。",
        "早く宿題をしなければならない。",
        "薬を飲まないといけない。",
        "ここで写真を撮ってはいけません。",
        "雨が降っても、試合をします。",  # concessive
        "薬を飲んだのに、熱が下がらない。",
        "高いけど、よく売れる。",
        "努力したが、試験に落ちた。",
        "窓を開けたら、虫が入ってきた。",  # a story
        "駅に着くと、友達が待っていた。",
        "天気予報によると、明日は雪が降る。",
        "日本といえば、富士山が有名だ。",
        "父は車を買うと言った。",  # quoted
        "笑うと、寿命が延びると言われている。",
        "母は雨が降ると思っている。",
        "どうすれば、英語が上手になりますか。",
        "食べれば食べるほど、太る。",
        "ご飯を食べながら、テレビを見る。",
        "雨が降ると困る人のことを考える。",  # within an adnominal clause
        "寒いからではなく、疲れて帰る。",
        "雨が降ったから。私は行かない。",  # two sentences
        "「雨が降ると困る」と母が言う。",
        "健康のためには、運動が必要だ。",  # に with a particle behind it is a purpose
        "将来のためにも、貯金をしている。",
        "連絡していただけると幸いです。",  # requests
        "ご返信をいただければ助かります。",
        "簡単に言うと、水が氷になる。",  # how it is looked at
        "簡単に言ってしまうと、価格が高い。",
        "全体を見ると、売上が伸びている。",
        "将来を考えると、不安になる。",
        "去年と比較すると、雨が多い。",
        "大きく分類すると、三種類ある。",
        "もしかしたら、雨が降る。",
        "必要であれば、表を直すこともできる。",
        "すると、時刻が表示される。",
        "起きると同時に、電話が鳴った。",
        "年を取るとともに、体力が落ちる。",
        "必ず勝つと確信している。",  # quoted, though the と is tagged as a conjunction
        "雨が降ると予想される。",
        "彼は正しいと言い切る。",
        "嘘をついたらいけない。",
        "ここで遊んだらだめだ。",
        "弟は機嫌が悪いと、父が言っている。",
        "値段は必ず下がると固く信じている。",
        "父が来ようと来まいと、私は出かける。",
        "彼女は休むため、早く帰った。",  # the topic is who means to
        "友達となら、楽しいよ。",
        "一度でいいから、海を見る。",
        "私でよければ、荷物を持ちます。",
        "もしよろしければ、お茶をどうぞ。",
        "もし欲しければ、台所にパンがある。",
        "お望みなら、写真を送ります。",
        "興味があれば、明日も店は開いている。",
        "私のことでしたら、心配いりません。",
        "値段を除けば、いい店だ。",
        "別の言葉に言い換えると、これは失敗だ。",
        "天気の問題を別にすれば、旅行は楽しかった。",
        "空の色から判断すると、明日は雨だ。",
        "費用を考慮に入れると、電車が安い。",
        "一見すると、この石は宝石だ。",
        "ひょっとすると、母は家にいない。",
        "早く起きなさい、さもないと遅刻するよ。",
        "簡単にまとめると、店が二つある。",
        "お手伝いできたら嬉しいです。",
        "夜に散歩すると効果的です。",
        "今日は生きるので精一杯だ。",
        "食べれば食べるほど太る。",
        "病気は治る」と聞いたので、安心した。",  # a bracket lacks its other one
        "頭が痛いので、薬を飲んだ…だから今は眠い。",  # another sentence
    ],
)
def test_what_only_looks_like_a_relation_is_none(ginza: Ginza, text: str) -> None:
    assert relations(ginza, text) == []


@pytest.mark.parametrize(
    "text",
    [
        "健康のために野菜を食べる。",
        "サッカーなら、彼が上手だ。",
        "安全のため、門を閉める。",
        "父がくれたもので、大切にしている。",
    ],
)
def test_where_the_marker_does_not_decide_the_relation_is_doubtful(ginza: Ginza, text: str) -> None:
    assert relations(ginza, text) == []
    assert len(relations(ginza, text, certain=False)) == 1


@pytest.mark.parametrize(
    ("text", "antecedent", "consequent"),
    [
        ("「はい」と答えたので、話が進んだ。", "「はい」と答えたので", "話が進んだ"),
        ("雨が降ったので、（昨日は）休んだ。", "雨が降ったので", "（昨日は）休んだ"),
        ("驚くほどの規模で燃えたので、消防車が来た。", "驚くほどの規模で燃えたので", "消防車が来た"),
        ("食べてからも喉が渇くので、水を飲んだ。", "喉が渇くので", "水を飲んだ"),
        ("テレビを見ると、目が疲れる。", "テレビを見ると", "目が疲れる"),
        ("じっと見ていると、目が疲れる。", "じっと見ていると", "目が疲れる"),
        ("荷物をまとめると、部屋が広くなる。", "荷物をまとめると", "部屋が広くなる"),
        ("しかし、鍵がないので、部屋に入れない。", "鍵がないので", "部屋に入れない"),
        ("でも急がないと、電車に遅れる。", "急がないと", "電車に遅れる"),
        ("雨が降ったので、つまり、試合が中止になった。", "雨が降ったので", "試合が中止になった"),
        ("そのため、道が凍ると、車が滑る。", "道が凍ると", "車が滑る"),
        ("料理は苦手だ…あっ、でも時間があるから、作る。", "時間があるから", "作る"),
        ("質問: 鍵をなくすと、家に入れない。", "鍵をなくすと", "家に入れない"),
        ("声が出ないほど驚いたので、水を飲んだ。", "声が出ないほど驚いたので", "水を飲んだ"),
        ("何を買ってよいか分からないので、母に聞いた。", "何を買ってよいか分からないので", "母に聞いた"),
        ("この布は熱に対しては弱いので、水で洗う。", "この布は熱に対しては弱いので", "水で洗う"),
        ("「雪で電車が止まったので、歩いて帰った。", "雪で電車が止まったので", "歩いて帰った"),
        ("肌を触ると、何故か冷たく感じる。", "肌を触ると", "何故か冷たく感じる"),
        ("宿が親切だったから、また来年も泊まる。", "宿が親切だったから", "また来年も泊まる"),
    ],
)
def test_clauses_are_cut_between_phrases_and_keep_their_brackets(
    ginza: Ginza, text: str, antecedent: str, consequent: str
) -> None:
    assert [pair[2:] for pair in relations(ginza, text)] == [(antecedent, consequent)]


@pytest.mark.parametrize(
    ("text", "demonstrative"),
    [
        ("時間があれば、映画を見る。", False),
        ("雨であれば、試合は中止だ。", False),
        ("雨が降りそうだったので、傘を持った。", False),
        ("あれを食べたので、お腹を壊した。", True),
        ("そう言われたので、家に帰った。", True),
        ("こんな雨なので、家にいる。", True),
    ],
)
def test_demonstratives_are_known_by_their_part_of_speech(ginza: Ginza, text: str, demonstrative: bool) -> None:
    assert any(morpheme.demonstrative for morpheme in analysed(ginza, text).morphemes) is demonstrative


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("時間ないので、急ぐ。", [("未", "時間")]),
        ("「映画」を見る。", [("ヲ", "映画")]),
        ("昨日行った。", []),
        ("三人来た。", []),
    ],
)
def test_a_noun_is_an_argument_in_brackets_and_without_a_particle(
    ginza: Ginza, text: str, arguments: list[tuple[str, str]]
) -> None:
    clause = analysed(ginza, text).clauses[0]
    assert [(argument.case, argument.lemma) for argument in clause.arguments] == arguments


def test_a_supposition_in_the_past_is_a_condition(ginza: Ginza) -> None:
    found = relations(ginza, "早く家を出たら、電車に間に合っただろう。")
    assert [each[:2] for each in found] == [("condition", "")]


@pytest.mark.parametrize(
    ("text", "lemma", "kind", "arguments"),
    [
        ("弟が公園で犬に水をやる。", "遣る", "動", [("ガ", "弟"), ("デ", "公園"), ("ニ", "犬"), ("ヲ", "水")]),
        ("夜は友達と話す。", "話す", "動", [("未", "夜"), ("ト", "友達")]),
        ("山から町へ帰る。", "帰る", "動", [("カラ", "山"), ("ヘ", "町")]),
        ("朝に運動をする。", "為る", "動", [("ニ", "朝"), ("ヲ", "運動")]),
        ("英語を勉強する。", "勉強+為る", "動", [("ヲ", "英語")]),
        ("今朝は寝坊した。", "寝坊+為る", "動", None),
        ("ケーキを食べ過ぎる。", "食べ過ぎる", "動", [("ヲ", "ケーキ")]),
        ("猫が部屋に入ってくる。", "入る", "動", [("ガ", "猫"), ("ニ", "部屋")]),
        ("友達が家に遊びに来る。", "遊ぶ", "動", None),
        ("窓を閉め切る。", "閉め切る", "動", [("ヲ", "窓")]),
        ("部屋が暖かくなる。", "暖かい+成る", "動", [("ガ", "部屋")]),
        ("試合が延期になる。", "成る", "動", [("ガ", "試合"), ("ニ", "延期")]),
        ("風が強い。", "強い", "形", [("ガ", "風")]),
        ("海が静かだ。", "静か", "形", [("ガ", "海")]),
        ("父は医者だ。", "医者", "判", [("ガ", "父")]),
    ],
)
def test_predicates_and_their_arguments(
    ginza: Ginza, text: str, lemma: str, kind: str, arguments: list[tuple[str, str]] | None
) -> None:
    clause = main_clause(ginza, text)
    assert (clause.predicate.lemma, clause.predicate.kind) == (lemma, kind)
    assert all(each.explicit for each in clause.arguments)
    if arguments is not None:
        assert [(each.case, each.lemma) for each in clause.arguments] == arguments


@pytest.mark.parametrize(
    ("text", "voice", "negated", "past"),
    [
        ("犬が吠える。", "active", False, False),
        ("先生に叱られた。", "passive", False, True),
        ("子どもに本を読ませる。", "causative", False, False),
        ("毎日野菜を食べさせられる。", "causative-passive", False, False),
        ("今日は雨が降りませんでした。", "active", True, True),
        ("この部屋は寒くない。", "active", True, False),
        ("海は静かではなかった。", "active", True, True),
        ("雨が降るかもしれない。", "active", False, False),
        ("足が痛くて歩けなくなった。", "active", True, True),
        ("友達を待っていた。", "active", False, True),
    ],
)
def test_voice_negation_and_tense(ginza: Ginza, text: str, voice: str, negated: bool, past: bool) -> None:
    predicate = main_clause(ginza, text).predicate
    assert (predicate.voice, predicate.negated, predicate.past) == (voice, negated, past)


@pytest.mark.parametrize(
    ("text", "modality"),
    [
        ("明日は晴れるといいな。", "といい"),
        ("駅で聞けばいいですよ。", "ばいい"),
        ("医者に行ったらいい。", "たらいい"),
        ("傘を持っていったほうがいいです。", "ほうがいい"),
        ("部屋を掃除しなければなりません。", "なければならない"),
        ("早く寝なきゃいけない。", "なければならない"),
        ("薬を飲まなくてはならない。", "なければならない"),
        ("水をやらないといけない。", "ないといけない"),
        ("ここで走ってはいけない。", "てはいけない"),
        ("先に帰ってもいいよ。", "てもいい"),
        ("約束は守るべきだ。", "べきだ"),
        ("歩いて帰るしかない。", "しかない"),
        ("傘を買う必要がある。", "必要がある"),
        ("水を飲みたい。", "たい"),
        ("水を飲みたかったです。", "たい"),
        ("窓を開けてください。", "てください"),
        ("ここでお待ちください。", "てください"),
        ("車に気をつけてちょうだい。", "てください"),
        ("静かにしてくれ。", "てくれ"),
        ("荷物を持ってもらえますか。", "てくれますか"),
        ("野菜を食べてね。", "て"),
        ("火に触らないで。", "て"),
        ("早く寝なさい。", "なさい"),
        ("薬を飲め。", "命令形"),
        ("一緒に歌を歌いませんか。", "ませんか"),
        ("花を選びましょう。", "よう"),
        ("公園へ行こうか。", "よう"),
        ("家で休もうと思う。", "よう"),
        ("明日は雪が降ると思う。", "と思う"),
        ("宜しくお願い致します。", "お願いする"),
        ("またご連絡いたします。", "お願いする"),
        ("ご来店をお待ちしております。", "お願いする"),
        ("嘘をつくな。", "な"),
        ("雨が降るのかもしれない。", "かもしれない"),
        ("車を買うつもりだ。", "つもりだ"),
        ("手紙を書いてほしい。", "てほしい"),
        ("薬を飲まないと。", "ないといけない"),
        ("先生に聞いてみたら？", "たらいい"),
        ("もう家に帰っていいよ。", "てもいい"),
        ("この傘を使ってくれて構わない。", "てもいい"),
        ("冬の寒さに備えよ。", "命令形"),
        ("ここで待っててね。", "て"),
        ("父に電話しといて。", "て"),
        ("明日は雪かも。", "かもしれない"),
        ("薬はもう飲んだのか？", "か"),
        ("どうぞご遠慮なく。", "お願いする"),
        ("駅までの道にご注意を。", "お願いする"),
        ("そろそろお暇いたします。", "お願いする"),
        ("雨が降るだろう。", "だろう"),
        ("雨が降るかもしれない。", "かもしれない"),
        ("雪が降りそうだ。", "そうだ"),
        ("父が帰ったようだ。", "ようだ"),
        ("この薬で風邪が治りますか。", "か"),
        # What happens, and is not meant in any other way.
        ("魚を食べる。", ""),
        ("海の景色が素晴らしい。", ""),
        ("水を飲みたくなる。", ""),
        ("弟は水を飲みたがる。", ""),
        ("姉が傘を貸してくれる。", ""),
        ("花が咲いている。", ""),
        ("この店は安くていい。", ""),
        ("今夜は星がよく見えるな。", ""),
        ("頭が痛くて。", ""),
        ("雪が降り出した。", ""),
    ],
)
def test_what_is_said_beside_the_event(ginza: Ginza, text: str, modality: str) -> None:
    found = analysed(ginza, text)
    assert found.clauses[-1].predicate.modality == modality
    assert found.relations == ()


def test_a_te_form_is_a_clause_only_with_an_argument(ginza: Ginza) -> None:
    assert len(analysed(ginza, "雨が降ったので、急いで帰った。").clauses) == 2
    assert len(analysed(ginza, "雨が降ったので、傘を借りて帰った。").clauses) == 3


def test_clauses_cover_the_sentence(ginza: Ginza) -> None:
    found = analysed(ginza, "窓を開けて、風を入れると、部屋が涼しくなる。")
    assert "".join("".join(m.surface for m in found.morphemes[c.start : c.stop]) for c in found.clauses) == found.text
    assert [(each.modifier, each.head) for each in found.relations] == [(1, 2)]
