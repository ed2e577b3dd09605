"""A token of GiNZA as the rules see it: words, tags and a head, without spaCy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

OPENING, CLOSING = "「『（(【〈《［[", "」』）)】〉》］]"
SENTENCE_ENDS = "。！？!?"
_VERBAL_HEADS = ("動詞", "形容詞")


@dataclass(frozen=True, slots=True)
class Token:
    """A token.

    Attributes:
        index: Its number in the sentence.
        surface: As it stands in the text.
        norm: Sudachi's normalised form.
        tag: UniDic's part of speech: 動詞-一般, 助詞-格助詞 …
        form: How it is inflected: 連用形-一般 …; empty where it is not.
        relation: Its dependency to its head, as Universal Dependencies name it.
        head: The number of its head; its own for a root.
    """

    index: int
    surface: str
    norm: str
    tag: str
    form: str = ""
    relation: str = "ROOT"
    head: int = 0

    @property
    def key(self) -> str:
        """What the patterns are written in: the norm, but for forms of だ, た and て that join clauses."""
        if self.tag == "助動詞":
            return self._auxiliary_key()
        if self.tag == "助詞-接続助詞":
            return {"で": "て", "ちゃ": "て/は", "じゃ": "て/は"}.get(self.surface, self.norm)
        if self.surface == "ん" and self.tag == "助詞-準体助詞":
            return "の"
        return self.surface if self.surface in _FORMAL_NOUNS else _SPELLINGS.get(self.norm, self.norm)

    def _auxiliary_key(self) -> str:
        if self.norm == "だ" and self.surface in {"で", "に", "な", "じゃ"}:
            return self.surface
        if self.form == "仮定形-融合":  # なきゃ, なけりゃ
            return f"{self.norm}/ば"
        if self.norm in {"た", "だ"} and self.form.startswith("仮定形"):
            return "たら" if self.surface in {"たら", "だら"} else "なら"
        return _SPELLINGS.get(self.norm, self.norm)

    @property
    def sign(self) -> bool:
        """Whether it is punctuation, a symbol or a space."""
        return self.tag.startswith(("補助記号", "空白", "記号"))

    @property
    def noun(self) -> bool:
        """Whether it can head a noun phrase."""
        return self.tag.startswith(("名詞", "代名詞", "接尾辞-名詞的"))

    @property
    def inflected(self) -> bool:
        """Whether it is a verb or an adjective in い."""
        return self.tag.startswith(_VERBAL_HEADS)


_FORMAL_NOUNS = frozenset({"こと", "もの", "ため", "せい"})
_SPELLINGS = {
    "事": "こと",
    "物": "もの",
    "為": "ため",
    "所為": "せい",
    "ほう": "方",
    "御陰": "おかげ",
    "お陰": "おかげ",
    "故": "ゆえ",
    "余り": "あまり",
    "けれども": "けれど",
    "けど": "けれど",
    "時": "とき",
}


def depths(tokens: Sequence[Token]) -> list[int]:
    """How many brackets are open at each token; brackets that nothing closes count for nothing."""
    depth, by_place = 0, []
    for token in tokens:
        if token.surface and token.surface in CLOSING:
            depth = max(0, depth - 1)
        by_place.append(depth)
        if token.surface and token.surface in OPENING:
            depth += 1
    return by_place if depth == 0 else [0] * len(by_place)
