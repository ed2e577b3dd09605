"""Which candidates become pairs: the paper's own example, and every condition and filter by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.builders.kuci.events.basic_events import BasicEvents, Event
from tashika.builders.kuci.pairs import pair_of, select
from tashika.builders.kuci.settings import FilterSettings

Row = dict[str, Any]
Arguments = tuple[tuple[str, str], ...]


def events(*found: str) -> BasicEvents:
    """Of ARGUMENT:CASE:PREDICATE."""
    parts = [one.split(":") for one in found]
    return BasicEvents((Event(predicate, "動", case, noun) for noun, case, predicate in parts), keys="sudachi")


def event(words: str, predicate: str, arguments: Arguments = (), **other: Any) -> Row:
    return {
        "text": words.replace(" ", ""),
        "words": words.split(),
        "predicate": predicate,
        "predicate_kind": "動",
        "voice": "active",
        "negated": False,
        "past": False,
        "modality": "",
        "arguments": [{"case": case, "lemma": lemma, "explicit": True} for case, lemma in arguments],
        "unknown": False,
        "demonstrative": False,
        **other,
    }


def candidate(antecedent: Row, consequent: Row, **other: Any) -> Row:
    return {
        "sid": "t:1",
        "text": antecedent["text"] + consequent["text"],
        "relation": "cause",
        "marker": "ので",
        "certain": True,
        "clauses": 2,
        "modifier": 0,
        "head": 1,
        "antecedent": antecedent,
        "consequent": consequent,
        **other,
    }


def hungry(words: str = "お腹 が 空いた ので", **other: Any) -> Row:
    return event(words, "空く", (("ガ", "腹"),), **other)


def eat(words: str = "ご飯 を 食べる", **other: Any) -> Row:
    return event(words, "食べる", (("ヲ", "飯"),), **other)


KNOWN = ("腹:ガ:空く", "飯:ヲ:食べる")


def test_markers_that_are_often_wrong_can_be_left_out() -> None:
    rows = [
        candidate(hungry(), eat()),
        candidate(hungry("お腹 が 空く と"), eat(), relation="condition", marker=""),
    ]
    selection = select(rows, events(*KNOWN), FilterSettings(least_confidence=0.75))
    assert [pair.row["marker"] for pair in selection.pairs] == ["ので"]
    assert selection.reasons["confident enough"] == {"たら, と": 1}


def test_a_consequent_without_arguments_borrows_those_of_the_antecedent() -> None:
    broken = event("衝撃 で 窓 が 割れる", "割れる", (("デ", "衝撃"), ("ガ", "窓")))
    row = candidate(broken, event("取り替える", "取り替える"))
    pair, _ = pair_of(row, events("窓:ガ:割れる", "窓:ヲ:取り替える"))
    assert pair is not None  # the paper's example: 窓 is ガ here and ヲ there
    assert (pair.antecedent, pair.consequent, pair.borrowed) == (("窓:ガ:割れる",), ("窓:ヲ:取り替える",), True)
    assert pair_of(row, events("窓:ガ:割れる", "電球:ヲ:取り替える"))[0] is None


def test_a_consequent_with_an_argument_borrows_none() -> None:
    broken = event("窓 が 割れる", "割れる", (("ガ", "窓"),))
    row = candidate(broken, event("昨日 取り替える", "取り替える", (("ニ", "昨日"),)))
    pair, lack = pair_of(row, events("窓:ガ:割れる", "窓:ヲ:取り替える"))
    assert pair is None
    assert lack == "the consequent holds no basic event"


def test_the_event_next_to_the_predicate_comes_first_and_a_topic_is_sought_in_any_case() -> None:
    row = candidate(
        event("妹 が 駅 で 傘 を 忘れた ので", "忘れる", (("ガ", "妹"), ("デ", "駅"), ("ヲ", "傘"))),
        event("傘 は 買う", "買う", (("未", "傘"),)),
    )
    pair, _ = pair_of(row, events("駅:デ:忘れる", "傘:ヲ:忘れる", "傘:ヲ:買う"))
    assert pair is not None
    assert pair.antecedent == ("傘:ヲ:忘れる", "駅:デ:忘れる")
    assert (pair.consequent, pair.borrowed) == (("傘:ヲ:買う",), False)


def test_a_key_that_knp_leaves_open_is_any_of_its_words() -> None:
    row = candidate(
        event("お腹 が 空いた ので", "空く/あく?空く/すく", (("ガ", "腹/はら"),)),
        event("箸 を 取る", "取る/とる", (("ヲ", "橋/はし?箸/はし"),)),
    )
    pair, _ = pair_of(row, events("腹/はら:ガ:空く/すく", "箸/はし:ヲ:取る/とる"))
    assert pair is not None
    assert (pair.antecedent, pair.consequent) == (("腹:ガ:空く",), ("箸:ヲ:取る",))
    counted = events("腹/はら:ガ:空く/あく?空く/すく", "橋/はし?箸/はし:ヲ:取る/とる")  # of other text, as it stands
    assert pair_of(row, counted)[0] is not None


@pytest.mark.parametrize("voice", ["passive", "causative", "causative-passive"])
def test_an_event_in_another_voice_is_not_basic(voice: str) -> None:
    pair, lack = pair_of(candidate(hungry(), eat(voice=voice)), events(*KNOWN))
    assert pair is None
    assert lack == "the consequent is not in the active voice"


def test_an_argument_that_does_not_stand_in_the_clause_makes_no_event() -> None:
    hidden = eat()
    hidden["arguments"][0]["explicit"] = False
    pair, _ = pair_of(candidate(hungry(), hidden), events(*KNOWN))
    assert pair is None


STEPS: list[tuple[str, str, Row]] = [
    ("explicit marker, certain", "the analyser doubts it", candidate(hungry(), eat(), certain=False)),
    ("reliable", "a clause lies between them", candidate(hungry(), eat(), clauses=3, head=2)),
    ("reliable", "the consequent does not end the sentence", candidate(hungry(), eat(), clauses=3)),
    ("basic", "the antecedent has no argument", candidate(event("食べた ので", "食べる"), eat())),
    ("basic", "the antecedent holds no basic event", candidate(event("x", "食べる", (("ヲ", "石"),)), eat())),
    ("no demonstrative", "in the antecedent", candidate(hungry("その 腹 が 空く", demonstrative=True), eat())),
    ("no unknown word", "in the consequent", candidate(hungry(), eat("ｗｗ を 食べる", unknown=True))),
    ("no modality", "といい in the consequent", candidate(hungry(), eat("食べる と いい", modality="といい"))),
    ("long enough", "the consequent", candidate(hungry(), eat("食べる"))),
    ("no repetition", "the same pair", candidate(hungry("お腹 が 空いた 　 ので"), eat(), sid="t:2")),
]


@pytest.mark.parametrize(("step", "reason", "row"), STEPS)
def test_a_step_takes_what_it_is_for_and_leaves_the_good_pair(step: str, reason: str, row: Row) -> None:
    found = select([candidate(hungry(), eat()), row], events(*KNOWN), FilterSettings(fewest_words=2))
    assert [pair.row["sid"] for pair in found.pairs] == ["t:1"]
    names = list(found.steps)
    before, after = names[: names.index(step)], names[names.index(step) :]
    assert {found.steps[name] for name in before} == {2}
    assert {found.steps[name] for name in after} == {1}
    assert found.reasons[step] == {reason: 1}


@pytest.mark.parametrize("switch", ["demonstratives", "unknown_words", "modality"])
def test_a_filter_that_is_off_is_no_step(switch: str) -> None:
    marks = {"demonstratives": "demonstrative", "unknown_words": "unknown", "modality": "modality"}
    mark: dict[str, Any] = {marks[switch]: "といい" if switch == "modality" else True}
    row = candidate(hungry(), eat(**mark))
    found = select([row], events(*KNOWN), FilterSettings.model_validate({switch: False}))
    assert len(found.pairs) == 1
    assert len(found.steps) == 9


def test_relations_that_are_of_no_interest_go_first() -> None:
    found = select([candidate(hungry(), eat())], events(*KNOWN), FilterSettings(relations=("condition",)))
    assert found.reasons["explicit marker, certain"] == {"the relation is cause": 1}
    assert found.pairs == []


def many(number: int) -> list[Row]:
    """Pairs that differ in what is eaten, and each has the same antecedent."""
    return [
        candidate(hungry(f"{n} 日 で お腹 が 空く"), event(f"料理 {n} を 食べる", "食べる", (("ヲ", f"料理{n}"),)))
        for n in range(number)
    ]


def test_a_too_frequent_event_takes_its_pairs_along() -> None:
    rows = [*many(6), candidate(event("雨 が 降る ので", "降る", (("ガ", "雨"),)), eat())]
    known = events(*KNOWN, "雨:ガ:降る", *(f"料理{n}:ヲ:食べる" for n in range(6)))
    floor = select(rows, known, FilterSettings(frequent_floor=6, frequent_share=0.5))
    assert floor.steps["no too frequent event"] == 7  # seen six times, as often as the floor
    share = select(rows, known, FilterSettings(frequent_floor=1, frequent_share=0.5))
    assert share.threshold == 3
    assert share.steps["no too frequent event"] == 1
    assert share.reasons["no too frequent event"] == {"腹:ガ:空く": 6}
    assert share.funnel()["frequent_events"][0] == ["腹:ガ:空く", 6, True]
    high = select(rows, known, FilterSettings(frequent_floor=1, frequent_share=0.9))
    assert high.steps["no too frequent event"] == 7  # 90 % of 7 pairs is 6


def test_an_event_of_both_sides_counts_once_in_a_pair() -> None:
    row = candidate(eat("ご飯 を 食べる と"), eat("また ご飯 を 食べる"))
    found = select([row], events(*KNOWN), FilterSettings())
    assert found.frequent == [("飯:ヲ:食べる", 1)]


ROWS: list[Callable[[], Row]] = [
    lambda: candidate(hungry(), eat()),
    *[lambda row=row: row for _, _, row in STEPS],
]


@given(st.lists(st.sampled_from(ROWS), max_size=12))
def test_steps_never_grow_and_reasons_tell_all_that_fell_away(makers: list[Callable[[], Row]]) -> None:
    rows = [make() for make in makers]
    found = select(iter(rows), events(*KNOWN), FilterSettings(fewest_words=2))
    counts = list(found.steps.values())
    assert counts[0] == len(rows)
    assert counts == sorted(counts, reverse=True)
    assert len(found.pairs) == counts[-1]
    assert sum(sum(reasons.values()) for reasons in found.reasons.values()) == counts[0] - counts[-1]
    keys = [pair.key for pair in found.pairs]
    assert len(keys) == len(set(keys))
