"""What follows a predicate and shows how it is meant: evaluations such as なければならない, aspect and the like.

The patterns read the keys of tokens, each followed by a slash, so that one pattern covers all inflections:
なければなりません is `ない/ば/成る/ます/ず/`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from tashika.builders.kuci.analysis.ginza.tokens import Token

_NEG = r"(?:ない|無い|ます/ず|ず)"
_GOOD = r"(?:良い|宜しい|結構|ok)"
_STOP = r"(?:(?:ね|な|よ|さ)/)*(?:[。.!！?？…]+/)*$"
_ADVISED = r"(?:効果的|理想的|効果/的|理想/的|便利|有効|無難|得策|賢明|最適|確実|ベスト|御勧め)"
_BAD = rf"(?:(?:行く|成る|行ける)/{_NEG}|駄目)"

EVALUATIONS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        ("ほうがいい", rf"方/(?:が/|は/)?(?:{_GOOD}|増し|無難)/"),
        ("たらいい", rf"たら/(?:{_GOOD}/|(?:どう/)?{_STOP})"),
        ("ばいい", rf"ば/{_GOOD}/"),
        ("といい", rf"と/{_GOOD}/"),
        ("ば幸い", r"(?:ば|たら|と)/(?:幸い|幸甚)/"),
        ("といい", rf"(?:ば|たら|と)/{_ADVISED}/"),
        ("たらいけない", rf"(?:ば|たら|と)/{_BAD}/"),
        ("なければならない", rf"(?:ない|ず)/(?:ば|て/は)/{_BAD}/"),
        ("ないといけない", rf"(?:ない|ず)/と/(?:{_BAD}/|{_STOP})"),
        ("なければならない", rf"ない/(?:ば|て/は)/{_STOP}"),
        ("てはいけない", rf"て/は/{_BAD}/"),
        ("てもいい", rf"て/も/(?:{_GOOD}|大丈夫|構う/{_NEG}|平気)/"),
        ("なくていい", rf"ない/て/{_GOOD}/"),
        ("てもいい", rf"て/{_GOOD}/か/"),
        ("てほしい", r"て/(?:欲しい|貰う/たい|頂く/たい)/"),
        ("べきだ", r"べし/"),
        ("しかない", r"(?:より/)?(?:他/|ほか/)?しか/無い/|より/(?:他/)?無い/"),
        ("ざるを得ない", rf"ず/を/得る/{_NEG}/"),
        ("必要がある", r"必要/(?:が/|は/)?(?:有る|無い)/"),
        ("わけにはいかない", rf"訳/に/は/行く/{_NEG}/"),
    )
)
"""What a speaker thinks of an event: KNP's モダリティ-評価."""

THANKS: Final = re.compile(
    r"(?:ば|たら|なら|と)/(?:、/)?(?:(?:迚も|とても|大変|非常/に|本当/に|誠/に|誠に|凄い)/)*(?:助かる|嬉しい|有り難い|幸い)/"
)
"""Behind `THANKED`, a request or a courtesy."""
THANKED: Final = frozenset({"貰う", "頂く", "呉れる", "下さる", "成れる", "なれる", "出来る"})

PERMITS: Final = re.compile(rf"て/(?:{_GOOD}|構う/{_NEG})/(?:(?:です|ます)/)?(?:の/(?:だ|です)/)?{_STOP}")
"""Behind a verb at the end of a sentence, what somebody may do: 帰ってよろしい; not この店は安くていい."""

_ASKED = r"(?:貰う|頂く|呉れる|下さる)/(?:ます/)?(?:(?:ない|ず)/)?(?:です/)?か/"
_PARTICLES = r"(?:(?:ね|よ|な|わ|さ|か|の|ぞ|ぜ)/)*$"

MOODS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = tuple(
    (name, re.compile(rf"(?:^|/)(?:{pattern})"))  # whole keys: 素晴らしい is not らしい
    for name, pattern in (
        # Requests and commands: 依頼, 命令.
        ("てください", r"下さる命/|て/頂戴/"),
        ("てくれ", r"呉れる命/"),
        ("てくれますか", _ASKED),
        ("なさい", r"為さる命/"),
        ("命令形", rf"命/{_PARTICLES}"),
        ("て", rf"(?:動|為る|貰う|下さる|呉れる|ない|られる|れる|させる|せる)/(?:(?:てる|とく)/)?て/{_PARTICLES}"),
        # Proposals and will: 勧誘, 意志.
        ("ませんか", r"ます/ず/か/"),
        ("よう", r"志/"),
        ("つもりだ", r"積もり/"),
        # Wishes: 願望. たくなる is about what happens, たがる about what somebody else does.
        ("たい", r"たい/(?!成る|為る)"),
        # Guesses: 認識-推量, 認識-蓋然性, 認識-証拠性.
        ("だろう", r"推/"),
        ("かもしれない", rf"か/も/(?:(?:知れる|知る|分かる)/|{_PARTICLES})"),
        ("に違いない", r"に/(?:違い|相違)/"),
        ("はずだ", r"筈/"),
        ("らしい", r"らしい/"),
        ("ようだ", r"様助/(?:だ|です)/"),
        ("そうだ", r"そう助/(?:だ|です)/"),
        # Questions: 疑問.
        ("か", rf"か/{_PARTICLES}"),
    )
)
"""How a speaker means an event: the others of KNP's モダリティ."""

ABSORBED: Final = re.compile(
    r"(?:て/(?:も/|は/|ばかり/|さえ/)?(?:居る|仕舞う|来る|行く|見る|置く|有る|貰う|頂く|呉れる|下さる|上げる|遣る|御覧|見せる|おる|おく|居らっしゃる|ちょうだい|頂戴)/)"
    rf"|(?:て/(?:堪る|仕方|仕様)/(?:が/)?{_NEG}/)"
    rf"|(?:(?:の/)?か/も/(?:知れる|知る|分かる)/{_NEG}/)"
    rf"|(?:に/(?:違い|相違)/{_NEG}/)"
    r"|(?:こと/(?:が|は|も)/(?:出来る|有る|無い|多い|少ない)/(?!て/))"
    r"|(?:と/(?:思う|考える)/)"
    r"|(?:(?:よう|こと)/に/(?:成る|なれる|為る|心掛ける)/)"
    r"|(?:(?:筈|積もり|予定|訳)/(?:(?:が|は)/無い/)?)"
    r"|(?:(?:の/)?(?:で|じゃ)/(?:は/|も/)?(?:有る|御座る|無い|ない)/)"
    r"|(?:(?:は|も|さえ)/(?:為る)/)"
    r"|(?:の/(?:(?:だ|です)/|(?=か/)))|(?:か/な/?$)"
)
"""Expressions that belong to the predicate they follow and are no event of their own."""

DOUBTS: Final = ("だろう", "でしょう", "たろう", "かも", "はず", "筈", "のに")
"""With these a past main clause after たら is a supposition and no story."""


def mood(tokens: Sequence[Token], head: int, stop: int) -> str:
    """How a predicate is meant, of the names in `MOODS`; empty for a plain statement.

    Args:
        tokens: Of the sentence.
        head: The predicate's main word.
        stop: The place after its tail. A て with which the sentence ends is looked at as well: 食べてね is a request.
    """
    while stop < len(tokens) and (tokens[stop].key == "て" or tokens[stop].tag == "助詞-終助詞"):
        stop += 1
    last = all(one.sign for one in tokens[stop:])
    if last and _forbids(tokens, head, stop):
        return "な"
    if last and _commands(tokens[head:stop]):
        return "命令形"
    keys = "".join(f"{_mood_key(one)}/" for one in tokens[head:stop])
    return next((name for name, pattern in MOODS if pattern.search(keys) and (last or name not in _AT_THE_END)), "")


def _forbids(tokens: Sequence[Token], head: int, stop: int) -> bool:
    """Whether な behind a verb's dictionary form forbids: 嘘をつくな; behind いい or だ it does not."""
    return any(
        token.surface == "な"
        and token.tag == "助詞-終助詞"
        and before.tag.startswith("動詞")
        and before.form.startswith("終止形")
        and before.norm not in _UNFORBIDDEN
        for before, token in zip(tokens[head:stop], tokens[head + 1 : stop], strict=False)
    )


def _commands(tail: Sequence[Token]) -> bool:
    """Whether よ behind a verb's stem commands: 戦いに備えよ."""
    return any(
        after.surface == "よ" and before.tag.startswith("動詞") and before.form == "連用形-一般"
        for before, after in pairwise(tail)
    )


_UNFORBIDDEN: Final = frozenset({"出来る", "有る", "要る", "分かる", "見える", "聞こえる"})
"""Nobody is forbidden what he does not do at will: な behind these is an exclamation."""


def announces(tokens: Sequence[Token], start: int, head: int) -> bool:
    """Whether a predicate is what its writer does by writing: 宜しくお願い致します, ご連絡します, お待ちしております.

    Args:
        tokens: Of the sentence.
        start: The predicate's first word.
        head: Its main word.
    """
    first, main = tokens[start], tokens[head]
    if first.norm in _ASKING or main.norm in _ASKING or _reassures(tokens, head):
        return True
    humble = tokens[start - 1].norm == "御" if start and tokens[start - 1].tag == "接頭辞" else False
    behind = tokens[head + 1] if head + 1 < len(tokens) else None
    noun = start < head and first.tag == "名詞-普通名詞-サ変可能" and main.norm in _HUMBLE
    if main.norm in _HUMBLER and head > 1 and tokens[head - 1].noun and tokens[head - 2].norm == "御":
        return True  # お暇いたします
    return humble and (noun or (behind is not None and behind.norm in _HUMBLE and main.form.startswith("連用形")))


def _reassures(tokens: Sequence[Token], head: int) -> bool:
    """ご心配なく, ご遠慮なく at the end of a sentence."""
    main = tokens[head]
    ends = all(token.sign for token in tokens[head + 1 :])
    return (
        ends and main.norm == "無い" and main.form.startswith("連用形") and head > 1 and tokens[head - 2].norm == "御"
    )


def trailing_mood(tokens: Sequence[Token], place: int) -> str:
    """How a sentence is meant that ends in a noun and particles: 明日は雨かも, ご安心を.

    Args:
        tokens: Of the sentence.
        place: The token behind the noun.
    """
    keys = "".join(token.key + "/" for token in tokens[place:] if not token.sign)
    if keys == "を/":
        return "お願いする"
    return "か" if keys == "か/" else "かもしれない" if keys.startswith("か/も/") else ""


_ASKING: Final = frozenset({"御願い", "願う", "願い"})
_HUMBLE: Final = frozenset({"為る", "致す", "申し上げる", "申す"})

_HUMBLER: Final = _HUMBLE - {"為る"}

_AT_THE_END: Final = frozenset({"て", "命令形", "か"})
"""Elsewhere て continues, and 命令形 is にせよ or であれ."""


def _mood_key(token: Token) -> str:
    """A token's key, with its form where that shows the mood, and with what distinguishes よう and そう from others."""
    if token.form == "命令形":
        return f"{token.key}命" if token.key in {"下さる", "呉れる", "為さる"} else "命"
    if token.form == "意志推量形":
        return "推" if token.norm in {"だ", "です", "た", "ない"} or token.tag.startswith("形容詞") else "志"
    if "助動詞語幹" in token.tag:
        return {"よう": "様助", "みたい": "様助", "そう": "そう助"}.get(token.surface, token.key)
    return "動" if token.tag.startswith("動詞") and token.key not in _KEPT else token.key


_KEPT: Final = frozenset({"貰う", "頂く", "呉れる", "下さる", "知れる", "知る", "分かる", "成る", "為る"})
