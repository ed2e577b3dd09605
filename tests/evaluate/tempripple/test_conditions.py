"""What stands before a question: sentences by hand, and the controls' numbers by pandas."""

from __future__ import annotations

import random
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from scipy.stats import binomtest

from tashika.evaluate.tempripple.conditions import Shown, named_places, shown_before, under
from tashika.evaluate.tempripple.controls import compute_controls
from tashika.evaluate.tempripple.facets import Facets
from tashika.evaluate.tempripple.questions import RippleQuestion
from tashika.evaluate.tempripple.splits import Resampling

NEWEST = {
    ("P6", "Q1"): ("head of government of Japan", "Ada"),
    ("P6", "Q2"): ("head of government of Peru", "Bea"),
    ("P54", "Q3"): ("sports team of Cem", "the Reds"),
    ("P54", "Q4"): ("sports team of Dan", "Blues F.C."),
    ("P36", "Q5"): ("capital of Eden", "Fig"),
}


def questions() -> list[RippleQuestion]:
    """On each fact the new object and the one before, with three wrong options."""
    asked = []
    for (relation, subject), (noun, name) in NEWEST.items():
        plain = name.removeprefix("the ")
        context = f"The most recent {noun} is {name}" + ("" if name.endswith(".") else ".")
        for task, place, options in (
            ("new", 1, (plain, "Reds" if relation == "P54" and plain != "Reds" else "Xi", "Yu F.C.", "Zoe")),
            ("old", 2, ("Old", plain, "Yu F.C.", "Zoe")),
        ):
            asked.append(
                RippleQuestion(
                    f"{subject}-{task}", task, 0, place, subject, relation, relation, "Q?", context, options, 0
                )
            )
    return asked


def test_an_unrelated_fact_is_of_another_subject_and_property() -> None:
    shown = shown_before(questions(), "unrelated", 0, 4)
    assert set(shown) == set(NEWEST)
    for (relation, _), found in shown.items():
        other = next(fact for fact, (noun, _) in NEWEST.items() if noun in found.text)
        assert other[0] != relation
        assert found.text.count("The most recent") == 1
    assert shown == shown_before(list(reversed(questions())), "unrelated", 0, 4)
    assert any(shown != shown_before(questions(), "unrelated", seed, 4) for seed in range(1, 5))


def test_several_facts_hold_the_own_one_once() -> None:
    shown = shown_before(questions(), "several", 0, 3)
    for fact, found in shown.items():
        assert found.text.count("The most recent") == 3
        assert found.text.count(f"The most recent {NEWEST[fact][0]} is") == 1
    assert len({found.text.index(NEWEST[fact][0]) == len("The most recent ") for fact, found in shown.items()}) == 2
    assert shown_before(questions(), "several", 0, 9) == {}  # there are not as many


def test_a_conflict_names_a_wrong_option_in_the_same_words() -> None:
    shown = shown_before(questions(), "conflicting", 0, 4)
    for fact, found in shown.items():
        noun, _ = NEWEST[fact]
        own = next(question for question in questions() if question.subject == fact[1] and question.task == "new")
        assert found.named in own.options[1:]
        article = "the " if found.named == "Reds" else ""
        stop = "" if found.named.endswith(".") else "."
        sentences = [f"The most recent {noun} is {article}{found.named}{stop}", own.context]
        assert found.text in {" ".join(sentences), " ".join(reversed(sentences))}
    places = named_places(questions(), shown)
    assert all(question.options[places[question.item_id]] == shown[question.relation, question.subject].named
               for question in questions() if question.item_id in places)  # fmt: skip
    assert len([item for item in places if item.endswith("new")]) == 5


def test_questions_read_what_is_shown_and_nothing_else_changes() -> None:
    shown = {("P6", "Q1"): Shown("Something else.")}
    found = under(questions(), shown)
    assert [question.item_id for question in found] == ["Q1-new", "Q1-old"]
    assert {question.context for question in found} == {"Something else."}
    assert [question._replace(context="") for question in found] == [
        question._replace(context="") for question in questions()[:2]
    ]


def drawn(seed: int, contexts: tuple[bool, ...]) -> pd.DataFrame:
    chance, rows = random.Random(seed), list[dict[str, Any]]()
    for number in range(40):
        for context in contexts:
            chosen = chance.choice([0, 1, 2, 2, 3, None])
            row = {"item_id": f"q{number:02}", "task": "old", "hop": 0, "place": 2, "subject": f"Q{number % 7}"}
            row |= {"relation": "P6", "last_relation": "P6", "with_context": context, "answer": 2, "chosen": chosen}
            rows.append(
                {
                    **row,
                    "correct": None if chosen is None else chosen == 2,
                    "problem": None if chosen is not None else "no",
                }
            )
    return pd.DataFrame(rows).astype({"chosen": "Int64", "correct": "boolean"})


@pytest.mark.parametrize("seed", [1, 2])
def test_the_controls_numbers_are_those_of_pandas(seed: int) -> None:
    main, control = drawn(seed, (False, True)), drawn(seed + 10, (True,))
    named = {f"q{number:02}": 3 for number in range(10)}
    facets = {f"q{number:02}": Facets("mixed", 1) for number in range(5, 20)}
    tables = [pa.Table.from_pandas(table, preserve_index=False) for table in (main, control)]
    draws = Resampling(50)
    [conflict] = compute_controls(tables[0], {"conflicting": tables[1]}, 4, facets, named, draws)
    [unrelated] = compute_controls(tables[0], {"unrelated": tables[1]}, 4, facets, named, draws)
    here = control.set_index("item_id")
    known = here[here["correct"].notna()]
    assert (conflict.n, conflict.answered, conflict.correct) == (40, len(known), int(known["correct"].sum()))
    before = main[~main["with_context"]].set_index("item_id")["correct"]
    both = pd.DataFrame({"before": before, "after": here["correct"]}).dropna().astype(int)
    lost, gained = int((both["after"] < both["before"]).sum()), int((both["after"] > both["before"]).sum())
    assert (conflict.lost, conflict.gained) == (lost, gained)
    assert conflict.delta == pytest.approx((both["after"] - both["before"]).mean())
    assert conflict.p == pytest.approx(binomtest(lost, lost + gained).pvalue)
    with_fact = main[main["with_context"]].set_index("item_id")["correct"]
    pair = pd.DataFrame({"with": with_fact, "after": here["correct"]}).dropna().astype(int)
    assert conflict.against_with == pytest.approx((pair["after"] - pair["with"]).mean())
    assert conflict.lured == pytest.approx((known.loc[known.index.isin(facets), "chosen"] == 1).mean())
    assert conflict.followed == pytest.approx((known.loc[known.index.isin(named), "chosen"] == 3).mean())
    assert unrelated.followed is None
