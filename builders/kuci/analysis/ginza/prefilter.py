"""Which sentences may hold a relation, by their letters: the others need not be analysed, which takes long."""

from __future__ import annotations

import re
from typing import Final

_MARKERS: Final = re.compile(
    "から|[のんも]で|こと(?:も|だし|ですし|とて)|事も|だけ(?:に|あ|の)"
    "|ため|為|お(?:かげ|蔭|陰)|御(?:蔭|陰)|せい|所為|ゆえ|故|あまり|余り"
    "|ば|なら|[ただ]ら"
    "|[きぎりみにびち]ゃ"  # なきゃ, すりゃ: ば drawn into its verb
    # と behind what ends a clause: 降ると, ないと, 静かだと, 行きませんと; not と言う, と思う.
    "|[うくぐすつぬぶむるいだんえ]と(?!いう|言[わいうえおっ]|思[わいうえおっ])"
)
"""A part of every marker in `markers`, and of every spelling that GiNZA reads as one of them."""


def may_relate(text: str) -> bool:
    """Whether a sentence has letters of a marker before its last two ones, which end it."""
    return _MARKERS.search(text, 0, len(text.rstrip("。．.！？!?…」』）) "))) is not None
