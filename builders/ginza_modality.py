"""What follows a predicate and says how it is meant: evaluations such as なければならない, aspect and the like.

The patterns read the keys of tokens, each followed by a slash, so that one pattern covers all inflections:
なければなりません is `ない/ば/成る/ます/ず/`.
"""

from __future__ import annotations

import re
from typing import Final

_NEG = r"(?:ない|無い|ます/ず|ず)"
_GOOD = r"(?:良い|宜しい|結構|ok)"
_BAD = rf"(?:(?:行く|成る|行ける)/{_NEG}|駄目)"

EVALUATIONS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        ("ほうがいい", rf"方/(?:が/|は/)?(?:{_GOOD}|増し|無難)/"),
        ("たらいい", rf"たら/{_GOOD}/"),
        ("ばいい", rf"ば/{_GOOD}/"),
        ("といい", rf"と/{_GOOD}/"),
        ("なければならない", rf"(?:ない|ず)/(?:ば|て/は)/{_BAD}/"),
        ("ないといけない", rf"(?:ない|ず)/と/(?:{_BAD}/|$)"),
        ("なければならない", r"ない/(?:ば|て/は)/(?:[。!！]/)?$"),
        ("てはいけない", rf"て/は/{_BAD}/"),
        ("てもいい", rf"て/も/(?:{_GOOD}|大丈夫|構う/{_NEG}|平気)/"),
        ("なくていい", rf"ない/て/{_GOOD}/"),
        ("てほしい", r"て/(?:欲しい|貰う/たい|頂く/たい)/"),
        ("べきだ", r"べし/"),
        ("しかない", r"(?:より/)?(?:他/|ほか/)?しか/無い/|より/(?:他/)?無い/"),
        ("ざるを得ない", rf"ず/を/得る/{_NEG}/"),
        ("必要がある", r"必要/(?:が/|は/)?(?:有る|無い)/"),
        ("わけにはいかない", rf"訳/に/は/行く/{_NEG}/"),
    )
)
"""What a speaker thinks of an event: KNP's モダリティ-評価. A wish or a request (たい, てください) is none of them."""

ABSORBED: Final = re.compile(
    r"(?:て/(?:も/|は/|ばかり/|さえ/)?(?:居る|仕舞う|来る|行く|見る|置く|有る|貰う|頂く|呉れる|下さる|上げる|遣る|御覧|見せる|おる|おく|居らっしゃる|ちょうだい|頂戴)/)"
    rf"|(?:て/(?:堪る|仕方|仕様)/(?:が/)?{_NEG}/)"
    rf"|(?:か/も/(?:知れる|知る|分かる)/{_NEG}/)"
    rf"|(?:に/(?:違い|相違)/{_NEG}/)"
    r"|(?:こと/(?:が|は|も)/(?:出来る|有る|無い|多い|少ない)/(?!て/))"
    r"|(?:と/(?:思う|考える)/)"
    r"|(?:(?:よう|こと)/に/(?:成る|なれる|為る|心掛ける)/)"
    r"|(?:(?:筈|積もり|予定|訳)/(?:(?:が|は)/無い/)?)"
    r"|(?:(?:の/)?(?:で|じゃ)/(?:は/|も/)?(?:有る|御座る|無い|ない)/)"
    r"|(?:(?:は|も|さえ)/(?:為る)/)"
    r"|(?:の/(?:だ|です)/)|(?:か/な/?$)"
)
"""Expressions that belong to the predicate they follow and tell no event of their own."""

DOUBTS: Final = ("だろう", "でしょう", "たろう", "かも", "はず", "筈", "のに")
"""With these a past main clause after たら is a supposition and no story."""
