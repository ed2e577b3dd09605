"""What begins a clause and joins it to the sentence before, and is no part of its event: しかし, つまり, あっ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from tashika.builders.kuci.analysis.brackets import BRACKETS, CLOSING

_PARTS_OF_SPEECH: Final = frozenset({"接続詞", "感動詞"})
"""As both UniDic and JUMAN name them; an interjection is one before a sign alone: not あっという間に."""

_PHRASE_WORDS = """
しかし けれど けれども だけど だが ですが でも ただ ただし もっとも とはいえ それでも なのに だから
ですから なので したがって 従って よって そこで それで すると それなら では じゃ じゃあ そして それから
それに そのうえ その上 また さらに 更に 更には さらには 加えて しかも おまけに まして つまり 要するに
すなわち 即ち 言い換えれば 例えば たとえば ちなみに なお 因みに 実は 実際 事実 特に とくに 一方 一方で
逆に 反対に 反面 その反面 その一方で その代わり そのかわり ところが ところで さて そもそも そのため
そのために このため その結果 この結果 その後 その際 その場合 この場合 そうして こうして そうすると
いずれにせよ いずれにしても とにかく ともかく もちろん 勿論 確かに たしかに 正直 あと あとは まず 次に
最後に 正直に言うと 正直言って 残念ながら 幸い 幸いにも 当然 なぜなら というのも
"""
_PHRASES: Final = frozenset(_PHRASE_WORDS.split())
"""What stands before a comma, however an analyser divides it."""

_UNDIVIDED: Final = frozenset({"でも", "だけど", "だから", "ですから", "なので", "それでも", "しかし", "けれども"})
"""Those that need no comma behind them where a clause begins."""

_ADVERBS: Final = frozenset({"また", "又"})
"""Conjunctions only before a comma: また来年も泊まる."""

_COMMAS: Final = frozenset("、，,")
_BREAKS: Final = frozenset({"…", "‥", "・", "...", "―", "—"})
"""Behind a predicate, what is before them is another sentence."""
_COLONS: Final = frozenset({"：", ":"})
"""What is before them names what is behind, but for numbers (10:30)."""
_ENDS: Final = frozenset({"動詞", "形容詞", "助動詞", "判定詞", "接尾辞"})
_LONGEST: Final = 6


class Word(NamedTuple):
    """What is looked at of a morpheme.

    Attributes:
        surface: As it stands in the text.
        pos: Its part of speech, without subdivisions.
        sign: Whether it is punctuation or a symbol.
    """

    surface: str
    pos: str
    sign: bool


def lead_in(words: Sequence[Word]) -> int:
    """How many words of a clause lead it in: those up to a break (…, :), conjunctions, interjections, signs.

    An opening bracket ends a lead-in. Where nothing would be left of the clause there is none.
    """
    place = past_breaks(words)
    while (step := _step(words, place)) > 0:
        place += step
    return place if any(not word.sign for word in words[place:]) else 0


def past_breaks(words: Sequence[Word]) -> int:
    """The place behind the last break; … is one behind a predicate, : behind anything."""
    past, depth = 0, 0
    for place, word in enumerate(words):
        depth += (word.surface in BRACKETS) - (word.surface in CLOSING)
        if not depth and _breaks(words, place) and any(not one.sign for one in words[place:]):
            past = place + 1
    return past


def _breaks(words: Sequence[Word], place: int) -> bool:
    before = next((one for one in reversed(words[:place]) if not one.sign), None)
    if before is None or not words[place].sign:
        return False
    surface = words[place].surface
    if surface in _COLONS:
        return not before.surface[-1].isdigit()
    if surface == "・" and words[place - 1].surface != surface:
        return False  # between two of a kind
    return surface in _BREAKS and before.pos in _ENDS


def _step(words: Sequence[Word], place: int) -> int:
    """How many words from a place on are one lead-in, with the sign behind it."""
    if place >= len(words):
        return 0
    word = words[place]
    if word.sign:
        return 0 if word.surface in BRACKETS else 1
    behind = words[place + 1] if place + 1 < len(words) else word
    if behind.sign and word.pos in _PARTS_OF_SPEECH:
        return 1
    if word.pos == "接続詞" and word.surface not in _ADVERBS:
        return 2 if behind.surface in {"は", "で"} else 1  # 更には, 一方で
    for length in range(min(_LONGEST, len(words) - place), 0, -1):
        phrase = "".join(one.surface for one in words[place : place + length])
        comma = "".join(one.surface for one in words[place + length : place + length + 1]) in _COMMAS
        if (phrase in _PHRASES and comma) or phrase in _UNDIVIDED:
            return length
    return 0
