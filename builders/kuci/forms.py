"""The form of a consequent, apart from what it says: its tense, its style, and what its speaker does with it.

Form gives answers away. After a condition (〜ば, たら) a main clause is hardly ever in the past, and a
polite clause is followed by polite ones; a wrong option of another form is then out without its meaning. So wrong
options have the answer's form (`questions.QuestionSettings.match`), and the form goes with pair and question, for the
baselines that test it. This is the only place where it is read off a clause.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, get_args

Clause = Mapping[str, Any]
"""One side of a candidate: a row of `candidates.EVENT`."""

FormPart = Literal["tense", "style", "act"]
"""What a form consists of, in the order in which `form_of` names it."""

_POLITE: Final = re.compile(
    r"です|でし|でしょ|でしょう|でした|ます|まし|ました|ませ|ません|ましょ|ましょう|ください|下さい|ござい.{0,2}"
)
"""Whole words, as GiNZA and KNP divide them."""
_TAIL: Final = 5
"""Words at a clause's end among which politeness is sought."""

_ACTS: Final[Mapping[str, frozenset[str]]] = {
    "request": frozenset({"てください", "てくれ", "てくれますか", "なさい", "命令形", "て", "てほしい"}),
    "proposal": frozenset({"ませんか", "よう", "つもりだ"}),
    "wish": frozenset({"たい"}),
    "guess": frozenset({"だろう", "かもしれない", "に違いない", "はずだ", "らしい", "ようだ", "そうだ"}),
    "question": frozenset({"か"}),
}
"""What a speaker does, by the names that `analysis.ginza.modality` gives."""
_KNP_ACTS: Final = (
    ("依頼", "request"),
    ("命令", "request"),
    ("禁止", "request"),
    ("勧誘", "proposal"),
    ("意志", "proposal"),
    ("願望", "wish"),
    ("認識", "guess"),
    ("疑問", "question"),
)
"""The same by how KNP's names begin (モダリティ-認識-推量)."""

_LIGHT: Final = frozenset({"為る", "する", "居る", "いる", "有る", "ある", "成る", "なる", "出来る", "できる"})
"""Predicates that name no event by themselves, as the keys of GiNZA and KNP have them."""
_LIGHT_BEGIN: Final = re.compile(r"(?:し|する|さ|せ|い|あ|な|でき|出来)(?:.{0,3})")
_ENDS: Final = frozenset({"だ", "だっ", "だった", "た", "な", "に", "よ", "ね", "なあ", "わ", "こと"})
_PARTICLES: Final = frozenset({"を", "が", "へ", "で", "と", "は", "も", "の", "から", "まで", "より"})
_ALONE: Final = 2
"""Words of an adjective and of what says how much: 大変うれしい."""
_BESIDE_VERBS: Final = re.compile(
    r"[てでただにのよねわかが]|[いおき]る?|いた|ない|なかっ|なく|ん|ず|です|でし|ます|まし|ませ|し|する|さ|でき|できる|出来る?"
    r"|しまう?|しまっ|れ|れる|られ|られる|せ|せる|う|よう|とても|大変|本当|すぐ|もう|少し|ちょっと|かなり|非常"
)
"""Words that stand beside a verb and say nothing of what happens, whole as GiNZA and KNP divide them."""

_FEEL: Final = frozenset(
    {"驚く", "困る", "喜ぶ", "怒る", "泣く", "悲しむ", "悩む", "恐れる", "焦る", "慌てる", "安心", "混乱", "当惑"}
    | {"ほっと", "がっかり", "びっくり", "心配", "感動", "緊張", "満足", "後悔", "大泣き", "大喜び", "落ち込む"}
)
"""Predicates by which somebody feels something, as keys begin."""
_MOODS: Final = frozenset({"気分", "気持ち", "機嫌", "元気", "心", "遣る気", "やる気", "涙", "自信", "不安"})
_HAVE: Final = frozenset({"無くす", "なくす", "失う", "持つ", "流す"})
"""What is done with a mood: 自信をなくす, 涙を流す."""
_SUBJECTS: Final = frozenset({"ガ", "未"})


def form_of(clause: Clause) -> str:
    """Tense, style and act in words, such as "past polite statement".

    Tense is `past` or `non-past`; style `polite` (です, ます) or `plain`; the act `statement`, `request` (orders among
    them), `proposal` (and will), `wish`, `guess`, `question`, or `judgement` for what else is said of an event.
    """
    tense = "past" if clause["past"] else "non-past"
    polite = any(_POLITE.fullmatch(word) for word in clause["words"][-_TAIL:])
    return f"{tense} {'polite' if polite else 'plain'} {_act(clause['modality'])}"


def form_key(form: str, match: Sequence[FormPart]) -> tuple[str, ...]:
    """Those parts of a form that must be the same."""
    return tuple(word for part, word in zip(get_args(FormPart), form.split(" "), strict=True) if part in match)


def _act(modality: str) -> str:
    if not modality:
        return "statement"
    known = next((act for act, names in _ACTS.items() if modality in names), None)
    return known or next((act for begin, act in _KNP_ACTS if modality.startswith(begin)), "judgement")


def is_empty(clause: Clause) -> bool:
    """Whether a clause names no event, or one that follows from nearly anything: しています, 好きだ, 母が怒った.

    That is an adjective, or a noun with its copula, with nothing but a word that says how much; する, なる and the like
    with nothing before it; one verb that stands alone (行かなかった, 取り替える); or how somebody feels and no more
    (気分がいい). More than one word names an event (眠くなる, 急に泣き出す).
    """
    if any(one["explicit"] for one in clause["arguments"]):
        return _is_feeling(clause)
    words = clause["words"]
    if clause["predicate_kind"] == "動":
        light = _head(clause["predicate"]) in _LIGHT and bool(_LIGHT_BEGIN.fullmatch(words[0]))
        return light or sum(not _BESIDE_VERBS.fullmatch(word) for word in words) <= 1
    body = [word for word in words if word not in _ENDS and not _POLITE.fullmatch(word)]
    return len(body) <= _ALONE and not _PARTICLES.intersection(body)


def _is_feeling(clause: Clause) -> bool:
    """Whether somebody feels something, or is in a mood, and nothing says of what or where.

    A mood is the argument next to the predicate (気持ちが軽くなる, 自信をなくす); since when it lasts says nothing.
    """
    *before, last = [one for one in clause["arguments"] if one["explicit"]]
    if any(one["case"] not in {*_SUBJECTS, "カラ"} for one in before):
        return False
    subject = last["case"] in _SUBJECTS
    if last["lemma"].split("/")[0] in _MOODS:
        return subject or (last["case"] == "ヲ" and _head(clause["predicate"]) in _HAVE)
    return subject and _head(clause["predicate"]) in _FEEL and clause["voice"] == "active"


def _head(predicate: str) -> str:
    """The first word of a predicate's key, without its reading."""
    return str(re.split(r"[/+?]", predicate, maxsplit=1)[0])
