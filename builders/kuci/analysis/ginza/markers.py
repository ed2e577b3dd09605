"""How the end of a predicate ties its clause to what follows: the markers of cause and condition, and their doubles.

Markers are named as KNP names them. The patterns read the keys of the tokens after a predicate and its auxiliaries
(`builders.kuci.analysis.ginza.tokens`), each followed by a slash.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from tashika.core.suites.kuci.words import RELATIONS, Relation

Tie = Literal["cause", "condition", "adverbial", "weak", "inner", "end"]


@dataclass(frozen=True, slots=True)
class Link:
    """How a predicate continues.

    Attributes:
        tie: A relation, another adverbial clause, a weak one (て, 連用形) that is a clause only with arguments,
            a clause within a phrase (adnominal, quoted, nominalised), or the sentence's end.
        marker: KNP's word for it.
        keys: How many keys of tokens it takes.
        certain: Whether the marker decides.
    """

    tie: Tie
    marker: str = ""
    keys: int = 0
    certain: bool = True

    @property
    def relation(self) -> Relation | None:
        """The relation that it marks, if any."""
        return next((one for one in RELATIONS if one == self.tie), None)


_NOT_NEXT = r"(?!は/|も/|の/|だ/|です/|なら/|な/|で/|か/)"

_SAID: Final = (
    "(?:言う|言い切る|思う|考える|聞く|信じる|信ずる|感じる|呼ぶ|為る|述べる|語る|願う|祈る|誓う|疑う|見る|見做す|見込む"
    "|恐れる|怖れる|答える|叫ぶ|伝える|書く|教える|申す|申し上げる|認める|決める|決め付ける|名付ける|悟る|思い込む|訴える|称する"
    "|確信|予想|予測|推測|期待|判断|認識|指摘|主張|説明|発表|報告|断言|約束|宣言|仮定|想定|評価|解釈|勘違い|錯覚|誤解|警告|告白|命令|提案|決意|心配|懸念|噂)"
)
"""Behind と what is said or thought, and no consequence. Without a slash, so that と stays outside the predicate."""

_LINKS: Final[tuple[tuple[Tie, str, str, bool], ...]] = (
    # Causes. What a longer expression denies stands before its shorter one.
    ("adverbial", "", r"から/(?:に/は/|と/(?:言う|いう)/|って/|とて/)(?:て/)?(?:も/)?", True),
    ("cause", "からこそ", r"(?:(?:の|もの)/(?:だ|です)/)?から/こそ/", True),
    ("cause", "からか", r"(?:の/だ/)?から/か/", True),
    ("inner", "", r"から/(?:だ|です|で)/", True),
    ("cause", "ものだから", r"もの/(?:だ|です)/から/", True),
    ("cause", "から", r"(?:の/)?(?:だ/|です/)?から/(?!は/|も/|まで/|の/)", True),
    ("inner", "", r"の/で/(?:は/|も/|精一杯/|手一杯/|有る/|御座る/|無い/|ない/)", True),
    ("cause", "ので", r"の/で/", True),
    ("cause", "ことから", r"こと/から/(?!始まる|始める|成る/|来る/|言う/|分かる/|も/|は/)", True),
    ("cause", "こともあって", r"(?:と/言う/)?こと/も/有る/(?:て/)?", True),
    ("cause", "ことだし", r"こと/(?:だ|です)/し/", True),
    ("cause", "こととて", r"こと/とて/", True),
    ("cause", "だけあって", r"だけ/(?:の/こと/は/)?有る/て/", True),
    ("cause", "だけに", r"だけ/に/(?!為る|成る|為|は/|も/)", True),
    ("cause", "もので", r"もの/で/(?!は/|も/|有る/)", False),  # or a copula: 父がくれたもので、大切にしている
    ("cause", "ため", rf"ため/(?:に/)?+{_NOT_NEXT}", True),
    ("cause", "おかげで", r"おかげ/(?:様/)?で/(?!は/|も/)", True),
    ("cause", "おかげか", r"おかげ/か/", True),
    ("cause", "せいで", r"せい/で/(?!は/|も/)", True),
    ("cause", "せいか", r"せい/か/", True),
    ("cause", "ゆえに", r"(?:が/)?ゆえ/(?:に/)?+(?!の/|は/)", True),
    ("cause", "あまり", r"あまり/(?:に/)?+(?!の/|は/|も/)", True),
    # Conditions.
    ("adverbial", "", r"ば/こそ/", True),
    ("condition", "〜ば", r"ば/", True),
    ("condition", "〜なら", r"(?:の/)?なら/(?:ば/)?(?!で/は|では/|ず/)", True),
    ("condition", "たら", r"たら/(?:ば/)?(?!最後|しい/)", True),
    ("adverbial", "", r"と/(?:同時|共|とも)/(?:に/)?", True),  # at the same time, as
    ("inner", "", rf"と/(?:{_SAID}|の/|か/|も/|は/)", True),
    ("inner", "", r"の/(?:が|を|は|も)/", True),
    ("condition", "と", r"と/", True),
    # Other clauses beside the main one.
    ("adverbial", "", r"て/(?:(?:から|より)/(?:は/|も/)?|(?:も|は)/)|たって/|(?:だ/)?って/も/", True),
    (
        "adverbial",
        "",
        r"(?:の/)?(?:だ/|です/)?けれど/(?:も/)?|(?:の/)?(?:だ/|です/)?が/|の/に/(?!は/)|もの/の/|癖/に/",
        True,
    ),
    ("adverbial", "", r"(?:ながら|たり|つつ|し|や否や|なり|とも|ど|ども)/(?:も/)?", True),
    (
        "adverbial",
        "",
        r"(?:まま|とき|前|後|間|内|度|際|途端|場合|所|ところ|頃|直前|直後|代わり|一方|為|通り|ため)/(?:に/|で/|は/|に/は/|も/|まで/|から/)*(?=、|$)",
        True,
    ),
    ("adverbial", "", r"(?:前|度|際|途端|ため|内|代わり)/に/(?:は/|も/)?", True),
    ("inner", "", r"(?:ほど|程|くらい|位)/(?!の/|、/)(?:に/|も/|は/)?+(?!、/)", True),  # how much: 泣くほど辛い
    ("adverbial", "", r"(?:まで|ほど|程|くらい|位|より)/(?!の/)(?:に/|も/|は/)?", True),
    ("adverbial", "", r"よう/(?:に/)?(?:と/)?(?=、)", True),
    ("weak", "", r"て/", True),
)
SAYING: Final = re.compile(rf"{_SAID}(?:\+為る)?")
"""The same as the key of a predicate."""
_RELATING: Final = re.compile("|".join(pattern for tie, _, pattern, _ in _LINKS if tie in RELATIONS))
_COMPILED: Final = tuple((tie, marker, re.compile(pattern), certain) for tie, marker, pattern, certain in _LINKS)

NOMINAL: Final = re.compile(
    r"の/(?:(ため)/(?:に/)?+|(おかげ)/(?:様/)?で/|(せい)/で/|(あまり)/(?:に/)?+)(?!は/|も/|の/|だ/|です/|なら/)"
)
"""A noun as a cause, where it names an event: 〜のため."""
_MISHAP_WORDS = """
病気 病 風邪 怪我 骨折 高熱 頭痛 腹痛 体調不良 不良 癌 過労 疲労 寝不足 睡眠不足 不足 高齢 老齢 老化 死
死亡 死去 急死 事故 故障 停電 断水 停止 火事 火災 爆発 渋滞 混雑 遅延 遅れ 欠陥 不具合 障害 破損 損傷
劣化 騒音 汚染 ストライキ 天候 悪天候 雨 大雨 豪雨 長雨 雪 大雪 吹雪 嵐 風 強風 台風 霧 濃霧 雷 寒さ
暑さ 猛暑 地震 津波 洪水 干魃 旱魃 災害 噴火 不況 不景気 倒産 破産 失業 失敗 貧困 貧乏 赤字 戦争 内戦
紛争 都合 事情 無知 不注意 ミス 過失 ストレス 恐怖 緊張
"""
MISHAPS: Final = frozenset(_MISHAP_WORDS.split())
"""Nouns that are no purpose before のため: they happen to people."""
NOMINAL_MARKERS: Final = {"ため": "〜のため", "おかげ": "〜のおかげで", "せい": "〜のせいで", "あまり": "〜のあまり"}


def link_of(keys: str) -> Link | None:
    """The link that a string of keys begins with, if any."""
    for tie, marker, pattern, certain in _COMPILED:
        match = pattern.match(keys)
        if match:
            return Link(tie, marker, match.end(), certain)
    return None


def may_mark(keys: str, start: int) -> bool:
    """Whether a marker of a relation may stand at a place of a string of keys: `link_of` and `NOMINAL` decide."""
    return _RELATING.match(keys, start) is not None or NOMINAL.match(keys, start) is not None
