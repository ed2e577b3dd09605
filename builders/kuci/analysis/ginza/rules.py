"""Clauses and their relations from GiNZA's parse, by rules in the manner of KNP's.

A clause is a run of morphemes up to and with a predicate that is tied to a later one; adnominal, quoted and
nominalised predicates stay within the clause around them. As with KNP, a て-form or 連用形 without an argument of its
own (歩いて帰る) is part of the clause that it describes.

What the rules do not do:

| not done | example |
|---|---|
| 〜て and 連用形 are never causes | 風邪を引いて休んだ |
| relations across sentences, and in brackets | 雨だ。だから行かない |
| omitted subjects are not found | |
| ため after an event without a subject of its own is taken for a purpose | 冬は乾燥するため加湿器を置く |
| 〜のため is a cause behind `MISHAPS` alone, もので may be a copula: else `certain` is false | 改善のため休む |
| られる of possibility counts as passive | 見つけられた |
| たら and と before a past main clause are stories, even where they are causes | 薬を飲んだら治った |
| a topic's case is the parser's guess | 洗濯はあきらめる: ガ |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from tashika.builders.kuci.analysis.brackets import BRACKETS, is_torn
from tashika.builders.kuci.analysis.ginza.chunks import Chunk, chunks_of, noun_lemma
from tashika.builders.kuci.analysis.ginza.markers import SAYING, Link
from tashika.builders.kuci.analysis.ginza.modality import DOUBTS, trailing_mood
from tashika.builders.kuci.analysis.ginza.tokens import SENTENCE_ENDS, Token, depths
from tashika.builders.kuci.analysis.lead_ins import Word, lead_in, past_breaks
from tashika.builders.kuci.analysis.records import Argument, Clause, Predicate, Relation

RULES_VERSION: Final = "4"
"""Goes up when these rules, or the patterns that they use, find something else: what was built before is then built
anew."""

_CASES = {
    "が": "ガ",
    "を": "ヲ",
    "に": "ニ",
    "で": "デ",
    "と": "ト",
    "へ": "ヘ",
    "から": "カラ",
    "まで": "マデ",
    "より": "ヨリ",
}
_TOPICS = frozenset({"は", "も", "しか", "だけ", "ばかり", "さえ", "こそ", "でも", "って", "なんて", "くらい", "など"})
_FUNCTIONAL_WITH_TO = frozenset({"言う", "比べる", "為る", "成る", "思う", "考える", "来る"})
_FUNCTIONAL_WITH_NI = frozenset({"因る", "依る", "拠る", "比べる", "従う", "関する", "対する", "よる"})
_EMPTY_CONDITIONS = frozenset(
    {
        "出来る",
        "良い",
        "宜しい",
        "可能",
        "必要",
        "何",
        "然う",
        "其れ",
        "有る+為る",
        "為る",
        "欲しい",
        "望む",
        "差し支え無い",
        "ひょっと+為る",
        "若しか+為る",
    }
)
"""Predicates that are no event where nothing stands before them: できれば, もしよければ, すると."""
_SUPPOSING = frozenset({"もし", "若し", "もしも", "若しも", "万が一", "万一", "仮に", "若しか", "ひょっと", "然も"})
"""Adverbs that do not make an event of an empty condition: もしよければ, ひょっとしたら, さもないと."""
_OFFERS = frozenset({"興味", "関心", "必要", "機会", "希望", "差し支え", "都合"})
"""What is there or not where somebody may only do something if he likes: 興味があれば."""
_TAKEN_INTO = frozenset({"考慮", "勘定", "計算", "念頭"})
_SPOKEN = frozenset(
    {"言う", "考える", "比べる", "言い換える", "言い替える", "例える", "除く"}
    | {f"{noun}+為る" for noun in ("比較", "大別", "換言", "総合", "要約", "推測", "想像", "判断", "一見", "別")}
)
"""Predicates of conditions that say how something is looked at, and no event: 簡単に言うと, 去年と比較すると."""
_ORDERING = frozenset({"纏める"} | {f"{noun}+為る" for noun in ("分類", "整理", "計算")})
"""The same where they have no object but words and numbers: 簡単にまとめると; not 荷物をまとめると."""
_LOOKED_AT = frozenset(
    {"全体", "結果", "データ", "数字", "数値", "表", "図", "グラフ", "例", "状況"}
    | {"現状", "内容", "動き", "推移", "歴史", "傾向", "割合", "統計"}
)
"""What 見ると looks at without anybody seeing something."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """The clauses of a sentence in tokens, and their relations."""

    clauses: tuple[Clause, ...]
    relations: tuple[Relation, ...]


@dataclass(frozen=True, slots=True)
class _Part:
    """A clause with what it was made from."""

    clause: Clause
    chunk: Chunk


def analyse(tokens: Sequence[Token]) -> Analysis:
    """The clauses and relations of a sentence, whose places are numbers of tokens."""
    nesting = depths(tokens)
    chunks = [one for one in chunks_of(tokens) if nesting[one.head] == 0]
    parts = _parts(tokens, chunks)
    relations = tuple(
        one for number in range(len(parts)) if (one := _relation(tokens, chunks, parts, number)) is not None
    )
    return Analysis(tuple(one.clause for one in parts), relations)


def _parts(tokens: Sequence[Token], chunks: Sequence[Chunk]) -> list[_Part]:
    parts: list[_Part] = []
    start = 0
    for chunk in chunks:
        if chunk.link.tie == "inner":
            continue
        arguments = _arguments(tokens, chunks, chunk, start)
        if chunk.link.tie == "weak" and not arguments:
            continue
        stop = _past_signs(tokens, chunk.stop)
        parts.append(_Part(Clause(start, stop, chunk.predicate, arguments), chunk))
        start = stop
    rest = _rest(tokens, chunks, start)
    if rest is not None:
        parts.append(rest)
    elif parts and start < len(tokens):
        last = parts[-1]
        parts[-1] = _Part(
            Clause(last.clause.start, len(tokens), last.clause.predicate, last.clause.arguments), last.chunk
        )
    return parts


def _past_signs(tokens: Sequence[Token], stop: int) -> int:
    while stop < len(tokens) and tokens[stop].sign and tokens[stop].tag != "補助記号-括弧開":
        stop += 1
    return stop


def _rest(tokens: Sequence[Token], chunks: Sequence[Chunk], start: int) -> _Part | None:
    """The last clause where nothing marks its end: it stops at a noun (今日は休み) or an odd form."""
    words = [one for one in tokens[start:] if not one.sign and not one.tag.startswith(("助詞", "感動詞"))]
    if not words:
        return None
    last = words[-1]
    for chunk in chunks:
        if start <= chunk.head and chunk.start <= last.index < chunk.stop:
            break
    else:
        if not (last.noun or last.tag.startswith(("形状詞", "副詞"))):
            return None
        lemma, begin = noun_lemma(tokens, last.index)
        mood = trailing_mood(tokens, last.index + 1)
        chunk = Chunk(begin, last.index, last.index + 1, Predicate(lemma, "判", modality=mood), Link("end"), True)
    arguments = _arguments(tokens, chunks, chunk, start)
    return _Part(Clause(start, len(tokens), chunk.predicate, arguments), chunk)


def _arguments(tokens: Sequence[Token], chunks: Sequence[Chunk], chunk: Chunk, start: int) -> tuple[Argument, ...]:
    own = range(chunk.start, max(chunk.stop, chunk.head + 1))
    arguments: list[tuple[Token, str]] = []
    for token in tokens[start : chunk.start]:
        if not (token.noun or token.relation in {"nsubj", "obj", "obl"}):
            continue
        case = _case(tokens, token, chunk)
        # The parser hangs 山から on 町へ in 山から町へ帰る; only と makes one phrase of two nouns.
        beside = token.relation == "nmod" and case not in {None, "ト"} and tokens[token.head].head in own
        if case is not None and (token.head in own or beside):
            arguments.append((token, case))
    taken = {case for _, case in arguments}
    return tuple(
        Argument(_topic(token, chunk, taken) if case == "未" else case, noun_lemma(tokens, token.index)[0])
        for token, case in arguments
    )


def _case(tokens: Sequence[Token], token: Token, chunk: Chunk) -> str | None:
    """The case that the particles after a noun mark; 未 for a topic, None for no argument."""
    number, case = token.index + 1, None
    while number < chunk.head and tokens[number].tag == "補助記号-括弧閉":
        number += 1
    if number == chunk.start and _stands_bare(tokens, token):
        return "未"
    while number < chunk.head and tokens[number].tag.startswith(("助詞", "助動詞")):
        surface = tokens[number].surface
        if surface == "の" or tokens[number].tag == "助動詞":
            return None
        if surface in _CASES and tokens[number].tag != "助詞-係助詞":
            case = _CASES[surface]
        elif surface in _TOPICS:
            case = case or "未"
        number += 1
    return case


def _stands_bare(tokens: Sequence[Token], token: Token) -> bool:
    """Whether a noun before a predicate is its argument without a particle: 時間ない; not 昨日行った, 三人来た."""
    if token.relation not in {"nsubj", "obj", "obl"} or token.tag == "名詞-普通名詞-副詞可能":
        return False
    return token.tag.startswith("名詞-普通名詞") and not (
        token.index and tokens[token.index - 1].tag.startswith(("名詞-数詞", "連体詞", "接頭辞"))
    )


def _topic(token: Token, chunk: Chunk, taken: set[str]) -> str:
    if token.relation == "obj" and "ヲ" not in taken:
        return "ヲ"
    if token.relation == "nsubj" and "ガ" not in taken:
        return "ガ"
    return "未"


def _relation(tokens: Sequence[Token], chunks: Sequence[Chunk], parts: Sequence[_Part], number: int) -> Relation | None:
    part = parts[number]
    kind = part.chunk.link.relation
    if kind is None or number + 1 >= len(parts) or _functional(tokens, part):
        return None
    if any(one.surface in SENTENCE_ENDS for one in tokens[part.chunk.stop : part.clause.stop]):
        return None
    head = _head(tokens, chunks, parts, number)
    if head is None or any(_is_cut(tokens, one) for one in (part, parts[head])):
        return None
    main = parts[head]
    if kind == "condition" and part.chunk.link.marker == "" and (_story(tokens, main) or _quotes(tokens, part, main)):
        return None
    purpose = part.chunk.link.marker == "ため" and not _own_subject(tokens, part)
    if purpose or _goes_on(tokens, main) or _proportional(chunks, part, main):
        return None
    return Relation(number, head, kind, part.chunk.link.marker, _certain(part))


def _is_cut(tokens: Sequence[Token], part: _Part) -> bool:
    """Whether a clause was cut in the wrong place: it begins with what belongs to a word before, or tears a bracket."""
    own = _own(tokens, part)
    if is_torn(one.surface for one in own):
        return True
    first = next((one for one in own if not one.sign), None)
    return first is not None and first.tag.startswith(("助詞", "助動詞", "接尾辞", "形状詞-助動詞語幹"))


def _goes_on(tokens: Sequence[Token], main: _Part) -> bool:
    """Whether a consequent holds another sentence behind its own: 寒いので、帰った…だから暇だ."""
    words = [Word(one.surface, one.tag.split("-", maxsplit=1)[0], one.sign) for one in tokens]
    inside = words[main.clause.start : main.clause.stop]
    return past_breaks(inside) > 0


def _own(tokens: Sequence[Token], part: _Part) -> list[Token]:
    """A clause's tokens without what leads it in and the signs at its ends; brackets stay whose other one is within."""
    inside = list(tokens[part.clause.start : part.clause.stop])
    inside = inside[lead_in([Word(one.surface, one.tag.split("-", maxsplit=1)[0], one.sign) for one in inside]) :]
    while inside and inside[-1].sign and inside[-1].tag != "補助記号-括弧閉":
        inside.pop()
    while inside and inside[0].sign and BRACKETS.get(inside[0].surface) not in {one.surface for one in inside}:
        inside.pop(0)
    return inside


def _certain(part: _Part) -> bool:
    """Whether the marker decides; 〜なら after a bare noun may name a topic (サッカーなら彼だ)."""
    if part.chunk.link.marker == "〜なら" and part.clause.predicate.kind == "判":
        return any(one.case not in {"ト", "ノ"} for one in part.clause.arguments)
    return part.chunk.link.certain or part.chunk.link.marker == "ため"


def _own_subject(tokens: Sequence[Token], part: _Part) -> bool:
    """Whether ため has no に and its event a subject of its own: 雨が続くため is no purpose, 痩せるために is one.

    A person as a topic is the main clause's subject: 彼は寝るため帰った.
    """
    link = [one.surface for one in tokens[part.chunk.head : part.chunk.stop]]
    inside = tokens[part.clause.start : part.chunk.head]
    acts = any(one.tag.startswith(_PERSONS) and after.surface == "は" for one, after in pairwise(inside))
    return link[-1:] != ["に"] and not acts and any(one.case == "ガ" for one in part.clause.arguments)


_PERSONS: Final = ("代名詞", "名詞-固有名詞-人名")


def _functional(tokens: Sequence[Token], part: _Part) -> bool:
    """Whether a form is no event: 〜によると, 〜といえば, できれば, どうすれば, 少しでいいから."""
    chunk, lemma = part.chunk, part.clause.predicate.lemma
    words = [one for one in _own(tokens, part) if one.index < chunk.start and not one.sign]
    before = [one for one in words if one.tag != "接頭辞"]  # お望みなら
    if lemma in {"良い", "宜しい"} and before and before[-1].key == "で":
        return True  # 少しでいいから, 私でよければ
    if chunk.link.tie != "condition":
        return False
    views = lemma in _SPOKEN or _only_looks(tokens, part) or _only_orders(part)
    return views or _is_courtesy(part) or _is_empty(tokens, part, before)


def _is_courtesy(part: _Part) -> bool:
    """Whether somebody may do something if he likes, or shall think of something: 興味があれば, 考慮に入れると."""
    lemma, arguments = part.clause.predicate.lemma, {one.lemma for one in part.clause.arguments}
    if lemma in {"有る", "無い"}:
        return bool(arguments) and arguments <= _OFFERS
    return lemma in {"こと", "事"} or (lemma == "入れる" and not arguments.isdisjoint(_TAKEN_INTO))


def _is_empty(tokens: Sequence[Token], part: _Part, before: Sequence[Token]) -> bool:
    """Whether nothing but adverbs stands before an empty predicate, or what makes a phrase with it."""
    lemma = part.clause.predicate.lemma
    if before and before[-1].norm == "然も":  # 急げ、さもないと
        return True
    if all(one.norm in _SUPPOSING for one in before):
        return lemma in _EMPTY_CONDITIONS
    return _empty_behind(tokens[part.chunk.start - 1], lemma)


def _empty_behind(before: Token, lemma: str) -> bool:
    """Whether a word and the predicate after it are a mere phrase."""
    return (
        (before.surface in {"と", "って"} and lemma in _FUNCTIONAL_WITH_TO)
        or (before.surface in {"に", "と"} and lemma in _FUNCTIONAL_WITH_NI)
        or (before.surface == "から" and lemma in {"為る", "言う", "見る"})
        or (before.surface == "か" and lemma == "為る")  # もしかしたら
        or before.norm in {"どう", "如何", "然う", "そう", "斯う", "こう"}
    )


def _only_looks(tokens: Sequence[Token], part: _Part) -> bool:
    """Whether 見ると is a view and no seeing: 全体を見ると, 国別に見ると; not テレビを見ると, じっと見ていると."""
    lasts = any(one.norm == "居る" for one in tokens[part.chunk.head : part.chunk.stop])
    if part.clause.predicate.lemma != "見る" or lasts:
        return False
    seen = [one.lemma for one in part.clause.arguments if one.case in {"ヲ", "未"}]
    return not seen or seen[-1] in _LOOKED_AT


def _only_orders(part: _Part) -> bool:
    """Whether まとめると puts words in order and no things: 結果を整理すると; not 荷物をまとめると."""
    ordered = {one.lemma for one in part.clause.arguments if one.case == "ヲ"}
    return part.clause.predicate.lemma in _ORDERING and ordered <= _LOOKED_AT


def _story(tokens: Sequence[Token], main: _Part) -> bool:
    """Whether a main clause states what has happened, so that たら and と before it mean "when"."""
    tail = "".join(one.surface for one in tokens[main.chunk.head : main.clause.stop])
    return main.clause.predicate.past and not main.clause.predicate.modality and not any(one in tail for one in DOUBTS)


def _quotes(tokens: Sequence[Token], part: _Part, main: _Part) -> bool:
    """Whether と quotes what the main clause's bare verb says: 必ず勝つと強く信じている; not 触ると熱く感じる."""
    said = main.clause.predicate.lemma
    if tokens[part.chunk.stop - 1].surface != "と" or SAYING.fullmatch(said) is None:
        return False
    if said in _SAYS:  # even where somebody is named: タバコはやめないと彼は言っている
        inside = tokens[main.clause.start : main.chunk.head]
        return not any(one.surface in {"と", "って"} or one.norm == "を" for one in inside)
    bare = not main.clause.arguments and part.chunk.stop == part.clause.stop
    return bare and not (said == "感じる" and part.clause.predicate.kind == "動")


_SAYS: Final = frozenset({"言う", "思う", "信じる", "主張+為る", "断言+為る", "予想+為る", "恐れる"})


def _proportional(chunks: Sequence[Chunk], part: _Part, main: _Part) -> bool:
    """Whether it is 〜ば〜ほど or 〜も〜ば〜も, which are no condition."""
    behind = next((one for one in chunks if one.start >= part.chunk.stop), None)
    others = {main.clause.predicate.lemma, behind.predicate.lemma if behind is not None else ""}
    return part.chunk.link.marker == "〜ば" and part.clause.predicate.lemma in others


def _head(tokens: Sequence[Token], chunks: Sequence[Chunk], parts: Sequence[_Part], number: int) -> int | None:
    """The clause that a clause depends on by the parse; None where it is one within a phrase."""
    chunk = parts[number].chunk
    place, seen = chunk.head, set()
    while place in range(parts[number].clause.start, chunk.stop) and place not in seen:
        seen.add(place)
        place = tokens[place].head
    for later in range(number + 1, len(parts)):
        other = parts[later]
        if other.chunk.start <= place < max(other.chunk.stop, other.chunk.head + 1):
            return later
        if other.clause.start <= place < other.clause.stop:
            return later if _through(tokens, chunks, parts, number, place) else None
    return None


def _through(tokens: Sequence[Token], chunks: Sequence[Chunk], parts: Sequence[_Part], number: int, place: int) -> bool:
    """Whether a clause that the parser hangs within a later one belongs to that one's predicate.

    An adverbial clause has a predicate for its head, so a noun was the parser's mistake; so is a て that describes the
    predicate. A comma cuts the clause off from an adnominal one that stands next:
    セールが始まったら、狙っていたブーツを買う.
    """
    part = parts[number]
    comma = any(one.surface in "、，," for one in tokens[part.chunk.stop - 1 : part.clause.stop])
    inner = next((one for one in chunks if one.start <= place < one.stop), None)
    if inner is not None and inner.stop < len(tokens) and tokens[inner.stop].surface in {"と", "って"}:
        return False  # what is said: 笑うと、寿命が延びると言われている
    weak = inner is not None and inner.link.tie == "weak"
    return (comma or weak) and place < parts[number + 1].clause.stop
