"""KNP's output of a sentence, as pyknp reads it, made the project's own analysis.

Keys are KNP's 代表表記. Where KNP leaves a word ambiguous the key keeps all its readings (空く/あく?空く/すく), unless
case analysis has chosen one (標準用言代表表記): case frames hold words in both ways, so who looks a key up tries every
reading. A predicate's key has neither its voice, which `Predicate.voice` holds, nor an auxiliary behind a テ形:
混んでいた is 込む/こむ. A noun with する has the noun's key, as in the case frames, whether KNP writes 掃除/そうじ
(掃除した) or 掃除/そうじ+する/する (掃除している).

Source: the features that KNP 5.0 writes (節-区切, 節-主辞, 節-機能 …), and the Kyoto corpora's (談話関係).
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final, Literal

from tashika.builders.kuci.analysis.records import (
    Argument,
    Clause,
    Failure,
    Morpheme,
    Predicate,
    Relation,
    Sentence,
    Voice,
)
from tashika.core.errors import OutsideError
from tashika.core.suites.kuci.words import Relation as Kind

KEYS: Final = "daihyo"

RULES_VERSION: Final = "2"
"""Goes up when the same output becomes another sentence: what was built before is then built anew."""

CASES: Final = {f"{case}格": case for case in ("ガ", "ヲ", "ニ", "デ", "ト", "ヘ", "カラ", "マデ", "ヨリ")}
TOPIC: Final = "未"

FUNCTIONS: Final[tuple[tuple[str, Kind, bool], ...]] = (
    ("節-機能-原因・理由", "cause", True),
    ("節-機能-条件", "condition", True),
    ("節-機能疑-原因・理由", "cause", False),
    ("節-機能疑-条件", "condition", False),
)
"""Whole names: 節-機能-条件-逆条件 (even if) only begins like one, and 節-前向き機能 looks at another sentence."""

LABELS: Final[dict[str, tuple[Kind, bool]]] = {
    "原因・理由": ("cause", True),
    "原因・理由(順方向)": ("cause", True),
    "原因・理由(逆方向)": ("cause", False),
    "原因・理由-逆": ("cause", False),
    "条件": ("condition", True),
    "条件(順方向)": ("condition", True),
    "条件(逆方向)": ("condition", False),
}
"""Of 談話関係: the relation, and whether the clause that bears the label is the cause or condition."""

EMBEDDED: Final = frozenset({"連体修飾", "補文"})
"""節-区切 of clauses that stand inside another one."""

SUFFIXES: Final = re.compile(r"(?:\+(?:れる/れる|られる/られる|せる/せる|させる/させる))+$")

DO: Final = "+する/する"
"""Ends some of KNP's keys of a noun with する, and no others."""

JUDGEMENTS: Final = {
    ("良い/よい", False),
    ("駄目だ/だめだ", False),
    ("いけない/いけない", False),
    ("いけない/いけない", True),
    ("成る/なる", True),
    ("行ける/いける", True),
}
"""Predicates, and whether negated, that judge the condition before them (といい, なければならない): no events."""

HALF_WIDTH: Final = re.compile(r"^(?:[*+](?! -?\d+[A-Z](?:$|[ <]))|# # )", re.MULTILINE)
"""Words that pyknp takes for the head of a phrase or for a comment."""


class BrokenBlockError(ValueError):
    """KNP's output of a sentence cannot be read, or is not of this sentence."""


def load_pyknp() -> Any:
    """pyknp, which is imported late, and without its warning about `pkg_resources`.

    Raises:
        OutsideError: It is not installed.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            import pyknp
        except ImportError as error:
            hint = "Install the extra `japanese`: pip install 'tashika[japanese]'."
            raise OutsideError(
                f"KNP's output is read by pyknp, which cannot be imported: {error}", hint=hint
            ) from error
    return pyknp


def read_block(block: str, sid: str, text: str | None = None) -> Sentence | Failure:
    """Reads KNP's output of one sentence.

    Args:
        block: Its lines, from the comment to `EOS`.
        sid: The sentence's id.
        text: What the surfaces must be when joined; None: whatever they are.

    Returns:
        The sentence, or why the block cannot be read. pyknp raises anything on broken lines, so anything is caught.
    """
    pyknp = load_pyknp()
    try:
        return convert(pyknp.BList(HALF_WIDTH.sub(_full_width, block), pattern=r"^EOS$"), sid, text)
    except BrokenBlockError as error:
        reason = str(error)
    except Exception as error:
        # Reasons are counted, so no line is in them but what KNP itself complains of (;; Too many morphemes).
        complaint = next((line for line in block.splitlines() if line.startswith(";;")), type(error).__name__)
        reason = f"KNP's output cannot be read: {complaint}"
    return Failure(sid, text or surfaces_of(block), reason)


def surfaces_of(block: str) -> str:
    """The joined surfaces of a block or of Juman's output, as well as they can be recognised without reading it."""
    words = (line.split(" ", 1)[0] for line in block.splitlines() if not re.match(r"[*+#@;!] ?|EOS$|\s*$", line))
    return "".join(words)


def convert(blist: Any, sid: str, text: str | None = None) -> Sentence:
    """Makes a sentence of pyknp's `BList`.

    Args:
        blist: What pyknp read.
        sid: The sentence's id.
        text: What the surfaces must be when joined; None: whatever they are.

    Raises:
        BrokenBlockError: It holds no word, a word is cut short, or the words are not those of the text.
    """
    tags = blist.tag_list()
    morphemes = tuple(_morphemes(tags))
    if not morphemes:
        raise BrokenBlockError("KNP found no word in it")
    said = "".join(one.surface for one in morphemes)
    if len(morphemes) != len(blist.mrph_list()) or (text is not None and said != text):
        raise BrokenBlockError("KNP's words are not those of the sentence")
    stretches = _stretches(tags)
    clauses = [_clause(tags, stretch) for stretch in stretches]
    relations = tuple(_relations(tags, stretches, blist.sid or sid))
    for relation in relations:
        clauses[relation.head] = _judged(clauses[relation.head], relation)
    return Sentence(sid, said, morphemes, tuple(clauses), relations)


def _full_width(match: re.Match[str]) -> str:
    return match.group().translate({ord(sign): ord(sign) + 0xFEE0 for sign in "*+#"})


def _morphemes(tags: Sequence[Any]) -> Iterator[Morpheme]:
    start = 0
    for tag in tags:
        words = tag.mrph_list()
        alone = "指示詞" in tag.features and all(word.hinsi != "指示詞" for word in words)
        for place, word in enumerate(words):
            if not word.hinsi:
                raise BrokenBlockError("the line of a word is cut short")
            features = getattr(word, "features", {})
            surface = word.midasi.replace("\\ ", " ")
            yield Morpheme(
                surface=surface,
                lemma=features.get("正規化代表表記") or word.repname or word.genkei,
                pos=word.hinsi,
                start=start,
                unknown=_is_unknown(word, features),
                demonstrative=word.hinsi == "指示詞" or (alone and place == 0),
                sign=word.hinsi == "特殊",
            )
            start += len(surface)


def _is_unknown(word: Any, features: dict[str, Any]) -> bool:
    """Whether the dictionary lacks a word; numbers bear 未知語:数字, and everybody knows them."""
    mark = re.search(r"(?:^|\s)未知語(?::(\S+))?", word.imis)
    kind = features.get("未知語", (mark.group(1) or True) if mark else None)
    return word.hinsi == "未定義語" or (kind is not None and kind != "数字")


def _functions(tag: Any) -> list[tuple[Kind, str, bool]]:
    """Relation, marker and certainty of each function of the clause that a base phrase ends, the certain ones first."""
    by_kind: dict[Kind, tuple[Kind, str, bool]] = {}
    for name, kind, certain in FUNCTIONS:
        value = tag.features.get(name)
        if value is not None:
            by_kind.setdefault(kind, (kind, value if isinstance(value, str) else "", certain))
    return list(by_kind.values())


def _stretches(tags: Sequence[Any]) -> list[range]:
    """The base phrases of each clause.

    An embedded clause goes with the one that it stands in, so that a clause is a text that can be read alone. But where
    a clause with a relation stands right before it, or depends on it, that clause may belong to the embedded one:
    then it stays a clause of its own, and the relation is not between the last two.
    """
    heads = {tag.parent_id for tag in tags if _functions(tag)}
    stretches: list[range] = []
    start = 0
    for place, tag in enumerate(tags):
        kind = tag.features.get("節-区切")
        last = place == len(tags) - 1
        if kind is None and not last:
            continue
        doubtful = start > 0 and bool(_functions(tags[start - 1]))
        inside = kind in EMBEDDED and not doubtful and heads.isdisjoint(range(start, place + 1))
        if last or not inside:
            stretches.append(range(start, place + 1))
            start = place + 1
    return stretches


def _predicate_phrases(tags: Sequence[Any], stretch: range) -> list[Any]:
    """The base phrases of a clause's predicate, from its head (節-主辞) to its end: 割れた, ため; 運動を, する."""
    end = stretch[-1]
    begin = max((place + 1 for place in stretch[:-1] if "節-区切" in tags[place].features), default=stretch[0])
    head = max((place for place in range(begin, end + 1) if "節-主辞" in tags[place].features), default=end)
    return list(tags[head : end + 1])


def _clause(tags: Sequence[Any], stretch: range) -> Clause:
    phrases = _predicate_phrases(tags, stretch)
    start = tags[stretch[0]].mrph_list()[0].mrph_index
    stop = tags[stretch[-1]].mrph_list()[-1].mrph_index + 1
    return Clause(start, stop, _predicate(phrases), tuple(_arguments(tags, phrases, stretch)))


def _predicate(phrases: Sequence[Any]) -> Predicate:
    features = [phrase.features for phrase in phrases]
    kinds = [str(one["用言"])[-1] for one in features if "用言" in one]
    kind: Literal["動", "形", "判"] = "動" if kinds[:1] == ["動"] else "形" if kinds[:1] == ["形"] else "判"
    modality = [
        name.removeprefix("モダリティ-") + (f":{value}" if isinstance(value, str) else "")
        for one in features
        for name, value in one.items()
        if name.startswith("モダリティ-")
    ]
    return Predicate(
        lemma=_predicate_key(phrases),
        kind=kind,
        voice=_voice(phrases),
        negated=any("否定表現" in one for one in features),
        past=any(one.get("時制") == "過去" or "時制-過去" in one for one in features),
        modality=",".join(modality),
    )


def _raw_key(phrase: Any) -> str:
    return str(phrase.features.get("標準用言代表表記") or phrase.features.get("用言代表表記") or "")


def _predicate_key(phrases: Sequence[Any]) -> str:
    """The key of a predicate; a noun with する behind it (運動を, する) gets that of the verb 運動する: the noun's."""
    head, end = phrases[0], phrases[-1]
    if key := _raw_key(head):
        return _bare(key)
    if head is not end and (verb := _raw_key(end)):
        nouns = _noun_key(head).split("?")
        return _bare("?".join(f"{noun}+{one}" for noun in nouns for one in _bare(verb).split("?")))
    return _bare(_noun_key(head))


def _bare(key: str) -> str:
    """A key without what follows a テ形, the suffixes of voice, and する behind a noun, in each of its readings."""
    readings = (SUFFIXES.sub("", reading.split("~", 1)[0]).removesuffix(DO) for reading in key.split("?"))
    return "?".join(dict.fromkeys(readings))


def _noun_key(phrase: Any) -> str:
    """The key of a noun; of a compound that ends in a suffix (充電用) all of it."""
    key = phrase.features.get("主辞’代表表記") or phrase.features.get("正規化代表表記")
    if isinstance(key, str):
        return key
    words = [word for word in phrase.mrph_list() if word.hinsi not in {"助詞", "特殊", "判定詞", "助動詞"}]
    return "+".join(word.repname or word.genkei for word in words) or str(phrase.midasi)


def _voice(phrases: Sequence[Any]) -> Voice:
    """The voice, by the feature 態 or else by the suffixes; 受動|可能 (食べられる) counts as passive, for it may be."""
    feature = "".join(str(phrase.features.get("態", "")) for phrase in phrases)
    matches = (SUFFIXES.search(_raw_key(phrase).split("?")[0]) for phrase in phrases)
    suffixes = "".join(match.group() for match in matches if match)
    causative = "使役" in feature or "せる/" in suffixes
    passive = "受動" in feature or "れる/" in suffixes
    if causative:
        return "causative-passive" if passive else "causative"
    return "passive" if passive else "active"


def _arguments(tags: Sequence[Any], phrases: Sequence[Any], stretch: range) -> Iterator[Argument]:
    """The arguments, from the case analysis where there is one, else from the dependents.

    Source: KNP's 述語項構造 and 格解析結果 (case/flag/surface/number …); 係:ガ格 …; a topic (係:未格) has no case yet.
    """
    analysed = next((phrase.pas for phrase in phrases if phrase.pas is not None and phrase.pas.arguments), None)
    cases = _analysed(tags, analysed) if analysed else _dependents(phrases)
    for place, case in sorted(cases):
        yield Argument(case, _noun_key(tags[place]), place in stretch)


def _analysed(tags: Sequence[Any], analysed: Any) -> Iterator[tuple[int, str]]:
    """(base phrase, case) of the arguments that a case analysis found in this sentence."""
    for name, arguments in analysed.arguments.items():
        case = CASES.get(f"{name}格", TOPIC if name == "ガ２" else "")
        for one in arguments:
            if case and one.flag not in {"U", "E"} and not one.sdist and 0 <= one.tid < len(tags):
                yield one.tid, case


def _dependents(phrases: Sequence[Any]) -> Iterator[tuple[int, str]]:
    """(base phrase, case) of what depends on a predicate by a case; of 運動をする, 運動 as well."""
    inside = {phrase.tag_id for phrase in phrases}
    if "用言" not in phrases[0].features:
        inside.remove(phrases[0].tag_id)
    for child in (child for phrase in phrases for child in phrase.children):
        tie = child.features.get("係")
        bare = tie == "無格" and not {"時間", "数量"} & child.features.keys()
        case = TOPIC if tie == "未格" or bare else CASES.get(tie, "")
        if case and child.tag_id not in inside:
            yield child.tag_id, case


def _relations(tags: Sequence[Any], stretches: Sequence[range], sid: str) -> Iterator[Relation]:
    """The relations of a sentence, by modifier; a clause has one of each kind at most."""
    clause_of = {place: number for number, stretch in enumerate(stretches) for place in stretch}
    by_clause: dict[tuple[int, Kind], Relation] = {}
    for number, stretch in enumerate(stretches):
        markers = {kind: (marker, certain) for kind, marker, certain in _functions(tags[stretch[-1]])}
        for place in stretch:
            for kind, modifier, head in _labelled(tags[place], number, clause_of, sid):
                marker = markers[kind][0] if kind in markers and modifier == number else ""
                by_clause.setdefault((modifier, kind), Relation(modifier, head, kind, marker))
        follower = _head(tags, stretch, clause_of)
        for kind, (marker, certain) in markers.items():
            if follower is not None:
                by_clause.setdefault((number, kind), Relation(number, follower, kind, marker, certain))
    return iter(sorted(by_clause.values(), key=lambda one: (one.modifier, one.label)))


def _head(tags: Sequence[Any], stretch: range, clause_of: dict[int, int]) -> int | None:
    """The clause that a clause depends on: dependencies go to the right, so the way out of it ends."""
    place = stretch[-1]
    while place in stretch:
        parent = tags[place].parent_id
        if parent <= place:
            return None
        place = parent
    return clause_of.get(place)


def _labelled(tag: Any, number: int, clause_of: dict[int, int], sid: str) -> Iterator[tuple[Kind, int, int]]:
    """Relation, modifier and head of what <談話関係:SID/TID/label;…> states of two clauses of this sentence."""
    relations = tag.features.get("談話関係")
    for value in relations.split(";") if isinstance(relations, str) else ():
        where, _, label = value.rpartition("/")
        other_sid, _, place = where.rpartition("/")
        other = clause_of.get(int(place)) if place.isdigit() else None
        if label in LABELS and other_sid == sid and other is not None and other != number:
            kind, forward = LABELS[label]
            yield (kind, number, other) if forward else (kind, other, number)


def _judged(clause: Clause, relation: Relation) -> Clause:
    """A clause that is no event but judges the condition before it (といい, なければならない) gets a modality."""
    said = clause.predicate
    judges = any((reading, said.negated) in JUDGEMENTS for reading in said.lemma.split("?"))
    if relation.label != "condition" or not judges or said.modality or any(one.explicit for one in clause.arguments):
        return clause
    return replace(clause, predicate=replace(said, modality="評価"))
