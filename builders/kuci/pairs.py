"""Which of a text's candidates become pairs: Reliable, Basic, and the filters after them, counted step by step.

Source: the paper, section 3.2.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Final, Protocol

from tashika.builders.kuci.confidence import confidence
from tashika.builders.kuci.events.basic_events import event_words
from tashika.builders.kuci.questions.splits import clause_key
from tashika.builders.kuci.settings import FilterSettings

Row = Mapping[str, Any]
"""A row of `candidates.CANDIDATE`."""

ANY_CASE: Final = ("ヲ", "ガ", "ニ", "デ", "ト", "ヘ", "カラ", "マデ", "ヨリ")
"""The cases in which an argument is looked up whose case is not known: a topic, or one that is borrowed."""

TOPIC: Final = "未"
"""Stands for the case of an argument whose particle hides it."""

FIRST_STEP: Final = "relations found"

SHOWN_EVENTS: Final = 50
"""Of the most frequent basic events, how many the funnel names."""


class Events(Protocol):
    """The basic events: `basic_events.BasicEvents`, or a few in a test."""

    def has(self, predicate: str, case: str, argument: str) -> bool:
        """Whether the predicate with the argument in that case is a basic event."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A candidate whose clauses both hold a basic event.

    Attributes:
        row: The candidate.
        antecedent: The basic events in the antecedent, as ARGUMENT:CASE:PREDICATE, the argument next to the predicate
            first.
        consequent: Those in the consequent.
        borrowed: Whether the consequent has no argument of its own, and its events one of the antecedent's.
    """

    row: Row
    antecedent: tuple[str, ...]
    consequent: tuple[str, ...]
    borrowed: bool = False

    @property
    def key(self) -> tuple[str, str]:
        """What makes it this pair and no other: both texts, with width, case, spaces and signs being no difference."""
        return clause_key(self.row["antecedent"]["words"]), clause_key(self.row["consequent"]["words"])

    @property
    def events(self) -> frozenset[str]:
        """All basic events in it."""
        return frozenset((*self.antecedent, *self.consequent))


@dataclass
class Selection:
    """The pairs that are left, and what fell away on the way to them.

    Attributes:
        pairs: In the order of the text.
        steps: How many candidates are left after each step, in their order.
        reasons: Why candidates fell away, by step.
        frequent: The most frequent basic events among the pairs before the filters, and how many pairs have them.
        threshold: In more pairs than this a basic event is too frequent.
    """

    pairs: list[Pair] = field(default_factory=list)
    steps: dict[str, int] = field(default_factory=dict)
    reasons: dict[str, Counter[str]] = field(default_factory=dict)
    frequent: list[tuple[str, int]] = field(default_factory=list)
    threshold: int = 0

    def funnel(self) -> dict[str, Any]:
        """As plain values, for `items/funnel.json`."""
        return {
            "steps": [[name, count] for name, count in self.steps.items()],
            "reasons": {
                step: dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
                for step, counts in self.reasons.items()
                if counts
            },
            "borrowed": sum(pair.borrowed for pair in self.pairs),
            "frequent_threshold": self.threshold,
            "frequent_events": [[event, count, count > self.threshold] for event, count in self.frequent],
        }


def select(candidates: Iterable[Row], events: Events, filters: FilterSettings) -> Selection:
    """Streams a text's candidates into pairs.

    The pairs that hold two basic events are kept in memory, since how frequent an event is among them shows at the end
    alone: the paper has 20,000,000 candidates and 120,000 such pairs.

    Args:
        candidates: Rows of `candidates.CANDIDATE`, in the order of the text.
        events: The basic events.
        filters: What else a pair must be.
    """
    selection = Selection()
    basic = list(_basic(candidates, events, filters, selection))
    counts = Counter(event for pair in basic for event in sorted(pair.events))
    selection.threshold = max(filters.frequent_floor, int(filters.frequent_share * len(basic)))
    selection.frequent = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:SHOWN_EVENTS]
    too_frequent = {event for event, count in counts.items() if count > selection.threshold}
    pairs: Sequence[Pair] = basic
    for name, reason in _filters(filters, too_frequent):
        pairs = _step(selection, name, pairs, reason)
    selection.pairs = list(pairs)
    return selection


def _basic(candidates: Iterable[Row], events: Events, filters: FilterSettings, selection: Selection) -> Iterator[Pair]:
    """The pairs up to the condition Basic; what falls away is counted in `selection`."""
    names = (FIRST_STEP, "explicit marker, certain", "reliable", "basic")
    selection.steps |= dict.fromkeys(names, 0)
    selection.reasons |= {name: Counter() for name in names[1:]}
    for row in candidates:
        selection.steps[names[0]] += 1
        doubt = _doubt(row, filters)
        if doubt:
            selection.reasons[names[1]][doubt] += 1
            continue
        selection.steps[names[1]] += 1
        ambiguity = _ambiguity(row)
        if ambiguity:
            selection.reasons[names[2]][ambiguity] += 1
            continue
        selection.steps[names[2]] += 1
        pair, lack = pair_of(row, events)
        if pair is None:
            selection.reasons[names[3]][lack] += 1
            continue
        selection.steps[names[3]] += 1
        yield pair


def _doubt(row: Row, filters: FilterSettings) -> str:
    if row["relation"] not in filters.relations:
        return f"the relation is {row['relation']}"
    return "" if row["certain"] else "the analyser doubts it"


def _ambiguity(row: Row) -> str:
    """Why a modifier may depend on another clause than the head: it does not where they are the sentence's last two."""
    if row["head"] != row["clauses"] - 1:
        return "the consequent does not end the sentence"
    return "" if row["modifier"] == row["head"] - 1 else "a clause lies between them"


def is_reliable(row: Row, filters: FilterSettings) -> bool:
    """Whether a candidate's relation is explicit and certain, and its clauses are the sentence's last two."""
    return not _doubt(row, filters) and not _ambiguity(row)


def pair_of(row: Row, events: Events) -> tuple[Pair | None, str]:
    """The pair that a candidate is, with its basic events; or None and what it lacks.

    A consequent without an argument of its own is looked up with those of the antecedent, in any case: the consequent
    of 衝撃で窓が割れる → 取り替える holds 窓を取り替える.
    """
    antecedent, consequent = row["antecedent"], row["consequent"]
    first = events_of(antecedent, antecedent["arguments"], events)
    if not first:
        return None, _lack("antecedent", antecedent, antecedent["arguments"])
    own = [one for one in consequent["arguments"] if one["explicit"]]
    # Whatever case it has in the antecedent says nothing of the one that it would have here.
    given = own or [{**one, "case": TOPIC} for one in antecedent["arguments"]]
    second = events_of(consequent, given, events)
    if not second:
        return None, _lack("consequent", consequent, given)
    return Pair(row, first, second, borrowed=not own), ""


def events_of(clause: Row, arguments: Iterable[Row], events: Events) -> tuple[str, ...]:
    """The basic events that a clause's predicate makes with explicit arguments, the one next to it first.

    Basic events are counted in the active voice (section 3.1), so a clause in another voice holds none: what is the
    ヲ of 窓を割る would be sought as its ガ.
    """
    if clause["voice"] != "active":
        return ()
    distinct: dict[str, None] = {}
    for one in reversed([one for one in arguments if one["explicit"]]):
        event = _event_of(clause["predicate"], one, events)
        if event:
            distinct[event] = None
    return tuple(distinct)


def _event_of(predicate: str, argument: Row, events: Events) -> str:
    """The basic event that a predicate and an argument make; empty if it is none."""
    cases = ANY_CASE if argument["case"] == TOPIC else (argument["case"],)
    keys = product(cases, alternatives(predicate), alternatives(argument["lemma"]))
    return next((event_words(verb, case, noun) for case, verb, noun in keys if events.has(verb, case, noun)), "")


def alternatives(key: str) -> tuple[str, ...]:
    """A key, and what KNP leaves open in it: 空く/あく?空く/すく is either; case frames name them one by one."""
    return (key, *key.split("?")) if "?" in key.strip("?") else (key,)


def _lack(side: str, clause: Row, arguments: Sequence[Row]) -> str:
    if clause["voice"] != "active":
        return f"the {side} is not in the active voice"
    if not any(one["explicit"] for one in arguments):
        return f"the {side} has no argument"
    return f"the {side} holds no basic event"


Reason = Callable[[Pair], str]
"""Why a pair falls away; empty: it does not."""


def _filters(filters: FilterSettings, too_frequent: set[str]) -> Iterator[tuple[str, Reason]]:
    """The filters after the condition Basic, in their order, with the names of the steps."""
    yield "no too frequent event", lambda pair: min(pair.events & too_frequent, default="")
    if filters.demonstratives:
        yield "no demonstrative", lambda pair: _side(pair, "demonstrative")
    if filters.unknown_words:
        yield "no unknown word", lambda pair: _side(pair, "unknown")
    if filters.modality:
        yield "no modality", _modality
    if filters.least_confidence:
        yield "confident enough", lambda pair: _unsure(pair, filters.least_confidence)
    yield "long enough", lambda pair: _short(pair, filters.fewest_words)
    seen: set[tuple[str, str]] = set()
    yield "no repetition", lambda pair: _repeated(pair, seen)


def _step(selection: Selection, name: str, pairs: Iterable[Pair], reason: Reason) -> list[Pair]:
    left = []
    reasons = selection.reasons.setdefault(name, Counter())
    for pair in pairs:
        why = reason(pair)
        if why:
            reasons[why] += 1
        else:
            left.append(pair)
    selection.steps[name] = len(left)
    return left


def _side(pair: Pair, mark: str) -> str:
    return next((f"in the {side}" for side in ("antecedent", "consequent") if pair.row[side][mark]), "")


def _modality(pair: Pair) -> str:
    names = ((side, pair.row[side]["modality"]) for side in ("antecedent", "consequent"))
    return next((f"{name} in the {side}" for side, name in names if name), "")


def _unsure(pair: Pair, least: float) -> str:
    relation, marker = pair.row["relation"], pair.row["marker"]
    return f"{marker or 'たら, と'}" if confidence(relation, marker) < least else ""


def _short(pair: Pair, fewest: int) -> str:
    sides = ("antecedent", "consequent")
    return next((f"the {side}" for side in sides if len(pair.row[side]["words"]) < fewest), "")


def _repeated(pair: Pair, seen: set[tuple[str, str]]) -> str:
    """The first of several that read the same stays; a repetition of both sides alone is one."""
    if pair.key in seen:
        return "the same pair"
    seen.add(pair.key)
    return ""
