"""Predicates with everything that belongs to them, found in the morphemes rather than in the parse.

GiNZA's tags are steady where its labels are not: an auxiliary verb may be `fixed`, `aux` or a clause of its own. So a
predicate is a head and the tail of auxiliaries after it; the parse only shows what depends on what.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from tashika.builders.kuci.analysis.ginza.markers import MISHAPS, NOMINAL, NOMINAL_MARKERS, Link, link_of, may_mark
from tashika.builders.kuci.analysis.ginza.modality import (
    ABSORBED,
    EVALUATIONS,
    PERMITS,
    THANKED,
    THANKS,
    announces,
    mood,
)
from tashika.builders.kuci.analysis.ginza.tokens import SENTENCE_ENDS, Token
from tashika.builders.kuci.analysis.records import Predicate, Voice

STATIVE_VERBS = frozenset(
    {"有る", "居る", "出来る", "要る", "違う", "足りる", "異なる", "分かる", "過ぎる", "見える", "聞こえる"}
)
_CONJUNCTIVE = "連用形"


@dataclass(frozen=True, slots=True)
class Chunk:
    """A predicate in the text.

    Attributes:
        start: The number of its first token.
        head: Of its main word.
        stop: The number after the last token of its tail and link.
        predicate: What it is.
        link: How it continues.
        stative: Whether it is a state, where ため is a cause even without た.
    """

    start: int
    head: int
    stop: int
    predicate: Predicate
    link: Link
    stative: bool = False


class _Reader:
    """Reads one predicate: its head, then its tail."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self.text = ""
        self.places: list[int] = []  # where each token's keys begin in the text of all keys
        for token in tokens:
            self.places.append(len(self.text))
            self.text += f"{token.key}/"
        self.places.append(len(self.text))
        self.numbers = {place: number for number, place in enumerate(self.places)}

    def after(self, number: int) -> str:
        """The keys from a token on."""
        return self.text[self.places[number] :]

    def advance(self, number: int, keys: int) -> int | None:
        """The token that stands so many characters of keys after another; None within a token."""
        return self.numbers.get(self.places[number] + keys)


@dataclass(slots=True)
class _Tail:
    """What is known of a predicate from its tail, while the tail is read."""

    stop: int
    passive: bool = False
    causative: bool = False
    negations: int = 0
    past: bool = False
    stative: bool = False
    modality: str = ""
    thought: bool = False
    compound: str = ""


def chunks_of(tokens: Sequence[Token]) -> list[Chunk]:
    """All predicates of a sentence, in their order; they do not overlap."""
    reader, chunks, number = _Reader(tokens), [], 0
    while number < len(tokens):
        chunk = _chunk(reader, number)
        if chunk is None:
            number += 1
        else:
            chunks.append(chunk)
            number = max(chunk.stop, number + 1)
    return chunks


def may_link(tokens: Sequence[Token]) -> bool:
    """Whether a predicate of a sentence may have a link that marks a relation, whatever depends on what.

    The parse decides which words are a predicate; but its link stands behind it in any case, so a sentence without any
    need not be parsed.
    """
    reader = _Reader(tokens)
    places = (number for number in range(1, len(tokens)) if may_mark(reader.text, reader.places[number]))
    return any(_marks(reader, number) for number in places)


def _marks(reader: _Reader, number: int) -> bool:
    """Whether a link that begins at a token marks a relation."""
    rest = reader.after(number)
    link = link_of(rest)
    if link is not None and link.relation is not None:
        return _fits(reader.tokens[number - 1], reader.tokens[number], link)
    return NOMINAL.match(rest) is not None


def _chunk(reader: _Reader, number: int) -> Chunk | None:
    token = reader.tokens[number]
    if token.inflected:
        return None if _like_particle(reader.tokens, number) else _inflected(reader, number)
    if token.noun or token.tag.startswith(("形状詞", "副詞", "接尾辞-形状詞的")):
        return _nominal(reader, number)
    return None


def _like_particle(tokens: Sequence[Token], number: int) -> bool:
    """Whether a verb makes a particle of the one before it: 熱に対して弱い, 人によって違う."""
    token, before = tokens[number], tokens[number - 1] if number else None
    behind = tokens[number + 1] if number + 1 < len(tokens) else None
    joined = before is not None and before.tag == "助詞-格助詞" and token.relation in {"fixed", "case"}
    if token.norm == "為る" and [one.key for one in tokens[number + 1 : number + 3]] == ["て", "も"]:
        return False  # 雨が降ったとしても
    return joined and behind is not None and behind.key in {"て", "て/は"}


def _inflected(reader: _Reader, number: int) -> Chunk | None:
    tokens, token = reader.tokens, reader.tokens[number]
    kind: Literal["動", "形", "判"] = "形" if token.tag.startswith("形容詞") else "動"
    lemma, start, head = token.norm, number, number
    following = tokens[number + 1] if number + 1 < len(tokens) else None
    if kind == "形" and token.form.startswith(_CONJUNCTIVE) and following is not None:
        if following.norm in _BECOME and following.tag.startswith("動詞"):  # 眠くなる
            lemma, kind, head = f"{token.norm}+{following.norm}", "動", number + 1
        elif not (
            following.tag in {"助動詞", "助詞-接続助詞"}
            or following.norm == "無い"
            or following.sign
            or following.norm in {"は", "も", "過ぎる"}
        ):
            return None  # an adverb: 早く寝る
    before = tokens[number - 1] if number else None
    if before is not None and _verbal_noun(before, token):
        lemma, start = f"{before.norm}+{token.norm}", number - 1
    tail = _tail(reader, head + 1, head)
    if tail.compound:
        lemma = f"{token.surface}{tail.compound}"
    return _finish(reader, Chunk(start, head, tail.stop, Predicate(lemma, kind), Link("inner")), tail)


def _nominal(reader: _Reader, number: int) -> Chunk | None:
    tokens, token = reader.tokens, reader.tokens[number]
    kind: Literal["形", "判"] = "形" if token.tag.startswith("形状詞") or _like_adjective(reader, number) else "判"
    following = tokens[number + 1] if number + 1 < len(tokens) else None
    if following is None or _verbal_noun(token, following):
        return None  # the end of the sentence is read by the rules, 勉強する with its verb
    if following.norm == "過ぎる" or following.tag.startswith("接尾辞-動詞的"):  # 派手すぎる, 嫌がる
        excess = following.norm == "過ぎる"
        predicate = Predicate(token.norm if excess else f"{token.norm}{following.norm}", "形" if excess else "動")
        return _with_tail(reader, number, number + 1, predicate)
    if following.key == "に":
        third = tokens[number + 2] if number + 2 < len(tokens) else None
        become = kind == "形" and following.tag == "助動詞" and third is not None and third.norm in _BECOME
        if become and third is not None:  # 上手になる
            return _with_tail(reader, number, number + 2, Predicate(f"{token.norm}+{third.norm}", "動"))
        return None
    lemma, start = noun_lemma(tokens, number)
    cause = _nominal_cause(reader, number, Predicate(lemma, "判"), start) if token.noun else None
    return cause or _copula(reader, number, Predicate(lemma, kind), start)


def _nominal_cause(reader: _Reader, number: int, predicate: Predicate, start: int) -> Chunk | None:
    """A noun before のため, のおかげで, のせいで, のあまり.

    A purpose (健康のために, 改善のため) has the form of a cause, so ため is certain only behind what nobody aims at.
    """
    match = NOMINAL.match(reader.after(number + 1))
    stop = reader.advance(number + 1, match.end()) if match else None
    if match is None or stop is None:
        return None
    name = next(one for one in match.groups() if one)
    link = Link("cause", NOMINAL_MARKERS[name], certain=name != "ため" or reader.tokens[number].norm in MISHAPS)
    return Chunk(start, number, stop, predicate, link, stative=True)


def _copula(reader: _Reader, number: int, predicate: Predicate, start: int) -> Chunk | None:
    following = reader.tokens[number + 1]
    if following.tag != "助動詞" or following.norm not in {"だ", "です", "らしい"}:
        return None
    rest = reader.after(number + 1)
    if following.key == "で" and predicate.kind == "判" and not rest.startswith(("で/は/", "で/有る/", "で/も/")):
        return None
    return _with_tail(reader, start, number, predicate)


def _with_tail(reader: _Reader, start: int, head: int, predicate: Predicate) -> Chunk:
    tail = _tail(reader, head + 1, head)
    return _finish(reader, Chunk(start, head, tail.stop, predicate, Link("inner")), tail)


def _verbal_noun(noun: Token, verb: Token) -> bool:
    """Whether a word and the verb after it are one predicate: 勉強する, 寝坊する, すっきりする; not そうする."""
    if verb.norm not in _LIGHT_VERBS or not noun.tag.startswith(("名詞", "副詞", "形状詞", "接尾辞")):
        return False
    if noun.tag == "名詞-普通名詞-サ変可能" or (verb.relation == "aux" and verb.head == noun.index):
        return True
    plain = {"副詞", "名詞-普通名詞-一般", "形状詞-一般"}
    return verb.norm in {"為る", "出来る"} and noun.tag in plain and noun.norm not in _PRO_ADVERBS


def _like_adjective(reader: _Reader, number: int) -> bool:
    token = reader.tokens[number]
    return token.tag == "名詞-普通名詞-形状詞可能" and reader.after(number + 1).startswith(
        ("な/", "に/", "だ/", "です/", "で/", "なら/")
    )


def noun_lemma(tokens: Sequence[Token], number: int) -> tuple[str, int]:
    """The key of the noun that ends at a token, with its suffix joined, and where it begins."""
    start = number
    while (
        start
        and tokens[start].tag.startswith("接尾辞")
        and tokens[start - 1].tag.startswith(("名詞", "接尾辞", "代名詞"))
    ):
        start -= 1
    return "".join(one.norm for one in tokens[start : number + 1]), start


def _tail(reader: _Reader, number: int, head: int) -> _Tail:
    tail = _Tail(number)
    while tail.stop < len(reader.tokens):
        rest = reader.after(tail.stop)
        if not (_evaluation(reader, tail, rest) or _absorbed(reader, tail, rest) or _auxiliary(reader, tail, head)):
            break
    return tail


def _evaluation(reader: _Reader, tail: _Tail, rest: str) -> bool:
    match = THANKS.match(rest) if _thanked(reader.tokens, tail.stop) else None
    stop = reader.advance(tail.stop, match.end()) if match else None
    if stop is not None:
        tail.stop, tail.past, tail.stative = stop, False, True
        tail.modality = tail.modality or "ば幸い"
        return True
    if PERMITS.match(rest) and reader.tokens[tail.stop - 1].tag.startswith(("動詞", "助動詞")):
        tail.stop, tail.past, tail.modality, tail.stative = len(reader.tokens), False, tail.modality or "てもいい", True
        return True
    for name, pattern in EVALUATIONS:
        match = pattern.match(rest)
        stop = reader.advance(tail.stop, match.end()) if match else None
        if stop is not None and stop > tail.stop:
            tail.stop, tail.past, tail.modality = stop, False, tail.modality or name
            tail.stative = True
            return True
    return False


def _thanked(tokens: Sequence[Token], stop: int) -> bool:
    before = tokens[stop - 1]
    return (tokens[stop - 2] if before.key == "た" and stop > 1 else before).norm in THANKED


def _absorbed(reader: _Reader, tail: _Tail, rest: str) -> bool:
    match = ABSORBED.match(rest)
    stop = reader.advance(tail.stop, match.end()) if match else None
    if match is None or stop is None or stop <= tail.stop:
        return False
    keys = match.group()
    if "か/も/" not in keys and "違い" not in keys and keys.endswith(("ない/", "無い/")):
        tail.negations += 1
    tail.stative = keys.startswith(("て/居る", "て/おる", "て/有る", "こと/", "の/")) or tail.stative
    if not keys.startswith(("の/", "か/")):
        tail.past = False
    if keys.startswith("と/"):
        tail.thought = True
    tail.stop = stop
    return True


def _auxiliary(reader: _Reader, tail: _Tail, head: int) -> bool:
    token, before = reader.tokens[tail.stop], reader.tokens[tail.stop - 1]
    if token.key in {"たら", "なら"} or token.key.endswith("/ば"):
        return False
    if token.tag == "助動詞":
        if token.key == "で":
            return False
        tail.passive |= token.norm in {"れる", "られる"}
        tail.causative |= token.norm in {"せる", "させる"}
        tail.negations += token.norm in {"ない", "ず", "ぬ", "まい"}
        tail.past = token.norm == "た" or (tail.past and token.norm in {"です", "だ", "らしい"})
        tail.stative |= token.norm in {"ない", "ず", "ぬ", "たい", "てる"}
    elif token.norm == "無い" and token.tag.startswith("形容詞") and before.form.startswith("連用形"):
        tail.negations += 1
        tail.stative = True
    elif not (token.tag.startswith(_SUFFIXES) or _verb_in_tail(reader.tokens, tail, head)):
        return False
    tail.stop += 1
    return True


def _verb_in_tail(tokens: Sequence[Token], tail: _Tail, head: int) -> bool:
    """Whether the next token is a verb (or に before one) that makes one predicate with what stands before it."""
    token, before = tokens[tail.stop], tokens[tail.stop - 1]
    if token.tag.startswith("動詞") and token.norm == "させる":
        tail.causative = True
        return True
    if token.norm in _BECOME and tail.stop - 1 > head and before.surface.endswith(("く", "に")):
        tail.past = False
        return before.tag.startswith(_SUFFIXES) or before.tag == "助動詞"  # 行きたくなる, 使えなくなる, 届きやすくなる
    if not before.inflected or not before.form.startswith(("連用形", "語幹")):
        return False
    if token.key == "に" and _goes(tokens, tail.stop + 1):
        tail.stop += 1  # 遊びに来る
        return True
    if token.tag.startswith("動詞-非自立可能"):
        if token.norm not in _ASPECTS and tail.stop - 1 == head:
            tail.compound = token.norm
        return True
    return False


_SUFFIXES = (
    "形状詞-助動詞語幹",
    "名詞-助動詞語幹",
    "接尾辞-動詞的",
    "接尾辞-形容詞的",
    "接尾辞-形状詞的",
    "助詞-終助詞",
)
_LIGHT_VERBS = frozenset({"為る", "出来る", "致す", "下さる", "為さる", "させる"})
_PRO_ADVERBS = frozenset(["然う", "そう", "どう", "如何", "斯う", "こう", "ああ", "もう", "まだ", "よく", "良く"])
_BECOME = frozenset({"成る", "為る", "なれる"})
_ASPECTS = frozenset({"為さる", "過ぎる", "始める", "続ける", "終わる", "出す", "終える", "掛ける", "為る"})


def _goes(tokens: Sequence[Token], number: int) -> bool:
    return number < len(tokens) and tokens[number].norm in {"行く", "来る"}


def _finish(reader: _Reader, chunk: Chunk, tail: _Tail) -> Chunk:
    tokens, stop = reader.tokens, tail.stop
    predicate = replace(
        chunk.predicate,
        voice=_voice(tail),
        negated=tail.negations % 2 == 1,
        past=tail.past,
        modality=tail.modality or _mood(tokens, chunk, tail),
    )
    stative = (
        tail.stative or predicate.kind != "動" or predicate.lemma in STATIVE_VERBS or _potential(tokens[chunk.head])
    )
    link, stop = _link(reader, stop, predicate, stative)
    return replace(chunk, predicate=predicate, link=link, stop=stop, stative=stative)


def _mood(tokens: Sequence[Token], chunk: Chunk, tail: _Tail) -> str:
    if announces(tokens, chunk.start, chunk.head):
        return "お願いする"
    return mood(tokens, chunk.head, tail.stop) or ("と思う" if tail.thought else "")


def _voice(tail: _Tail) -> Voice:
    if tail.causative:
        return "causative-passive" if tail.passive else "causative"
    return "passive" if tail.passive else "active"


def _potential(token: Token) -> bool:
    """Whether a verb is a potential one: 行ける, normalised to 行く."""
    return (
        token.tag.startswith("動詞")
        and token.norm[-1:] in "うくぐすつぬぶむる"
        and token.surface[:1] == token.norm[:1]
        and (token.form.startswith("連用形-一般") or token.form.startswith(("未然形", "終止形", "連体形")))
        and _row(token)
    )


def _row(token: Token) -> bool:
    stem = token.surface.removesuffix("る")
    return stem[-1:] in "えけげせてねべめれ" and not token.norm.endswith(f"{stem[-1:]}る")


def _link(reader: _Reader, stop: int, predicate: Predicate, stative: bool) -> tuple[Link, int]:
    tokens = reader.tokens
    if all(one.sign or one.tag == "助詞-終助詞" for one in tokens[stop:]):
        last = tokens[stop - 1]
        if not last.key.endswith("/ば"):
            return Link("end"), len(tokens)
    if stop < len(tokens) and tokens[stop].surface in SENTENCE_ENDS:
        return Link("end"), stop
    link = link_of(reader.after(stop))
    end = reader.advance(stop, link.keys) if link else None
    if link is not None and end is not None and end > stop and _fits(tokens[stop - 1], tokens[stop], link):
        return _named(link, predicate, stative), end
    if stop < len(tokens) and tokens[stop - 1].form.startswith(_CONJUNCTIVE) and tokens[stop].surface in "、,，":
        return Link("weak"), stop
    return Link("inner"), stop


def _fits(before: Token, token: Token, link: Link) -> bool:
    """Whether the tag of the marker's first token allows the link: から and と also mark nouns and quotations."""
    if link.marker == "と" and (before.form == "意志推量形" or before.norm == "まい"):
        return False  # 行こうと行くまいと
    if link.marker in {"から", "からか", "からこそ", "と"}:
        return token.tag in {"助詞-接続助詞", "助動詞", "助詞-準体助詞"} or token.key == "もの"
    if token.surface == "が":
        return token.tag == "助詞-接続助詞" and before.form.startswith(("終止形", "意志推量形"))
    return True


def _named(link: Link, predicate: Predicate, stative: bool) -> Link:
    if link.marker == "ため":
        if predicate.past:
            return replace(link, marker="タ形+ため")
        # 痩せるために走る states a purpose; a state cannot be one, and the rules decide by the subject.
        return replace(link, marker="状態述語+ため") if stative else replace(link, certain=False)
    return replace(link, marker="") if link.marker in {"たら", "と"} else link
