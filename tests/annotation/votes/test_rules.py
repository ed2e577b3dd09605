"""Rules by name: what each makes of the same votes, by hand."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.annotation.labelling import AGAINST, FOR, NEITHER, FormPage, LabelPage, LabelsPage, RatingPage
from tashika.annotation.options import RuleName
from tashika.annotation.votes.answers import decide_answers, human_accuracy
from tashika.annotation.votes.forms import collect_form, decide_form, rule_of, verdicts_of
from tashika.annotation.votes.rules import MAJORITY, Accuracy, Rule, Votes, decide_votes
from tashika.annotation.votes.vote import Ballot, collect, decide
from tashika.core.errors import InputError

WORDS = {"v": "valid", "i": "invalid", "o": "odd"}
CHOICES = {"valid": FOR, "invalid": AGAINST, "odd": NEITHER}
# p0 is right on 8 of 8 gold questions: (8 + 1) / (8 + 2) = 0.9; p1 and p2 on 5 of 8: 0.6.
GOLD = Accuracy({"p0": (8, 8), "p1": (5, 8), "p2": (5, 8)})
WEIGHTED = Rule("weighted", GOLD)


def rows_of(
    samples: ModuleType, said: Sequence[Sequence[str]], words: dict[str, str], kind: str = "template"
) -> pa.Table:
    """What p0, p1 and on said of the items i0, i1 and on; "-" where they said nothing."""
    rows = [
        samples.judgment(f"i{item}", f"p{person}", words[letter], kind=kind)
        for item, letters in enumerate(said)
        for person, letter in enumerate(letters)
        if letter != "-"
    ]
    table: pa.Table = samples.judgment_table(*rows)
    return table


def ballot_of(samples: ModuleType, said: Sequence[str]) -> Ballot:
    items = pa.array([f"i{number}" for number in range(len(said))], pa.string())
    return collect(items, rows_of(samples, said, WORDS), CHOICES)


def decided(samples: ModuleType, said: Sequence[str], rule: Rule, minimum: int = 2) -> list[dict[str, Any]]:
    return decide(ballot_of(samples, said), "template", minimum, rule=rule).to_pylist()


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (MAJORITY, ["accepted", "accepted", "undecided", "rejected", "undecided", "undecided"]),
        (Rule("unanimous"), ["accepted", "undecided", "undecided", "rejected", "undecided", "undecided"]),
        # p0 alone weighs log 9 = 2.20, the two others log 1.5 = 0.41 each.
        (WEIGHTED, ["accepted", "rejected", "accepted", "rejected", "undecided", "undecided"]),
    ],
    ids=["majority", "unanimous", "weighted"],
)
def test_each_rule_decides_votes_for_and_against(samples: ModuleType, rule: Rule, expected: list[str]) -> None:
    verdicts = decided(samples, ["vvv", "ivv", "vi", "ii", "v", "oo"], rule)
    assert [verdict["decision"] for verdict in verdicts] == expected
    assert [verdict["votes_for"] for verdict in verdicts] == [3, 2, 1, 0, 1, 0]
    assert [verdict["votes_cast"] for verdict in verdicts] == [3, 3, 2, 2, 1, 0]


def test_a_verdict_names_its_rule_and_its_posterior(samples: ModuleType) -> None:
    said = ["vvv", "ivv", "vi", "-vi", "oo"]
    verdicts = decided(samples, said, WEIGHTED)
    # Odds for the winner: 9 · 1.5 · 1.5; 9 / 1.5²; 9 / 1.5; p1 and p2 weigh the same; nobody is for or against.
    odds: list[float | None] = [20.25, 4.0, 6.0, 1.0, None]
    posterior: list[Any] = [None if each is None else pytest.approx(each / (1 + each), abs=1e-6) for each in odds]
    assert [verdict["posterior"] for verdict in verdicts] == posterior
    assert [verdict["tie"] for verdict in verdicts] == [False, False, False, True, False]
    assert {verdict["rule"] for verdict in verdicts} == {"votes weighted by accuracy on gold questions, minimum 2"}
    for rule, words in ((MAJORITY, "strict majority"), (Rule("unanimous"), "unanimous votes")):
        verdicts = decided(samples, said, rule)
        assert {(verdict["rule"], verdict["posterior"]) for verdict in verdicts} == {(f"{words}, minimum 2", None)}


def test_who_met_no_gold_question_counts_as_all_together_do(samples: ModuleType) -> None:
    # All: (18 + 1) / (24 + 2).
    assert GOLD.of("p9") == GOLD.of("nobody") == pytest.approx(19 / 26)
    (verdict,) = decided(samples, ["---v-v"], WEIGHTED)
    assert verdict["posterior"] == pytest.approx((19 / 7) ** 2 / (1 + (19 / 7) ** 2), abs=1e-6)


def test_who_is_worse_than_chance_counts_against_what_they_say(samples: ModuleType) -> None:
    # p0 is right on 1 of 8 (0.2, weight -log 4), p1 on 3 of 8 (0.4, weight -log 1.5).
    rule = Rule("weighted", Accuracy({"p0": (1, 8), "p1": (3, 8)}))
    (verdict,) = decided(samples, ["vi"], rule)
    assert (verdict["decision"], verdict["posterior"]) == ("rejected", pytest.approx(4 / 5.5, abs=1e-6))


def test_weights_without_gold_questions_are_refused() -> None:
    for accuracy in (Accuracy({}), Accuracy({"p0": (0, 0)})):
        with pytest.raises(InputError, match="nobody has answered one") as error:
            Rule("weighted", accuracy).check("riddle")
        assert "[annotate.kinds.riddle] rule" in str(error.value)
    WEIGHTED.check("riddle")
    Rule("dawid-skene").check("riddle")


def test_the_model_believes_the_two_who_agree_and_not_the_one_who_does_not(samples: ModuleType) -> None:
    # p0 and p1 always agree, p2 says the opposite half of the time. The last item has p0 against p2, which is a tie.
    said = ["vvv", "vvi", "iii", "iiv", "vvv", "vvi", "iii", "iiv", "v-i"]
    verdicts = decided(samples, said, Rule("dawid-skene"))
    assert verdicts[-1]["decision"] == "accepted"
    assert verdicts[-1]["posterior"] == 1.0
    assert verdicts[-1]["tie"] is False
    assert decided(samples, said, MAJORITY)[-1]["decision"] == "undecided"
    assert {verdict["rule"] for verdict in verdicts} == {"the model of Dawid and Skene, minimum 2"}


def test_two_who_always_differ_stay_undecided_by_the_model(samples: ModuleType) -> None:
    verdicts = decided(samples, ["vi", "iv", "vi", "iv"], Rule("dawid-skene"))
    assert {(verdict["decision"], verdict["posterior"]) for verdict in verdicts} == {("undecided", 0.5)}
    assert all(verdict["tie"] for verdict in verdicts)


def test_what_the_model_cannot_know_is_said(samples: ModuleType) -> None:
    model = Rule("dawid-skene")
    (alone,) = model.caveats(ballot_of(samples, ["v", "i"]).answers())
    assert "one annotator alone" in alone
    (apart,) = model.caveats(ballot_of(samples, ["vi", "--vi", "-----v"]).answers())
    assert "3 groups" in apart
    assert model.caveats(ballot_of(samples, ["vi", "-vi"]).answers()) == []
    assert model.caveats(ballot_of(samples, [""]).answers()) == []
    assert MAJORITY.caveats(ballot_of(samples, ["v"]).answers()) == []


def page_of(form: type[FormPage], labels: Sequence[str]) -> FormPage:
    return form(
        suite="s", kind="k", title="t", summary="", task_data=lambda _row, _parents: {},
        choices=dict.fromkeys(labels, NEITHER), labels=tuple(labels),
    )  # fmt: skip


def of_form(samples: ModuleType, page: FormPage, said: Sequence[Sequence[str]], rule: Rule) -> list[dict[str, Any]]:
    words = {letter: letter for letters in said for letter in letters}
    items = pa.array([f"i{number}" for number in range(len(said))], pa.string())
    ballot = collect_form(page, items, rows_of(samples, said, words, "k"))
    return verdicts_of(ballot, decide_form(ballot, 2, rule), 2, rule).to_pylist()


@pytest.mark.parametrize(
    ("rule", "texts"),
    [
        (MAJORITY, ["a", "b", None, None]),
        (Rule("unanimous"), ["a", None, None, None]),
        # Of three labels p0 weighs log 18, the others log 3 each: b has 9 for a's 18; a's 18 of 18 + 3 + 3 is enough.
        (WEIGHTED, ["a", "a", "a", "a"]),
    ],
    ids=["majority", "unanimous", "weighted"],
)
def test_each_rule_decides_labels(samples: ModuleType, rule: Rule, texts: list[str | None]) -> None:
    verdicts = of_form(samples, page_of(LabelPage, "abc"), ["aaa", "abb", "ab", "abc"], rule)
    assert [verdict["text"] for verdict in verdicts] == texts
    assert all((verdict["decision"] == "accepted") == (verdict["text"] is not None) for verdict in verdicts)


@pytest.mark.parametrize("form", [LabelPage, LabelsPage])
def test_the_model_decides_labels(samples: ModuleType, form: type[FormPage]) -> None:
    # p0 and p1 always agree and p2 says anything; so it is p0 who is believed where p0 and p2 differ.
    said = ["aab", "bbb", "ccb", "aaa", "bba", "ccc", "aac", "bbc", "cca", "a-b"]
    verdicts = of_form(samples, page_of(form, "abc"), said, Rule("dawid-skene"))
    assert "".join(verdict["text"] for verdict in verdicts) == "abcabcabca"
    assert verdicts[-1]["posterior"] == pytest.approx(1.0, abs=1e-3)
    assert (verdicts[-1]["votes_for"], verdicts[-1]["votes_against"]) == (1, 1)


def test_weighted_labels_have_the_posterior_of_their_weights(samples: ModuleType) -> None:
    verdicts = of_form(samples, page_of(LabelPage, "abc"), ["abb", "abc"], WEIGHTED)
    # exp of the weights: p0 2 · 9, the others 2 · 1.5; against the votes for b and c, and 1 for a label without any.
    assert [verdict["posterior"] for verdict in verdicts] == [
        pytest.approx(18 / (18 + 9 + 1), abs=1e-6),
        pytest.approx(18 / (18 + 3 + 3), abs=1e-6),
    ]
    assert [verdict["votes_for"] for verdict in verdicts] == [1, 1]


@pytest.mark.parametrize(
    ("rule", "texts"),
    [
        (MAJORITY, ["a", "a\nb", None]),
        (Rule("unanimous"), ["a", None, None]),
        (WEIGHTED, ["a", "a", "a"]),
    ],
    ids=["majority", "unanimous", "weighted"],
)
def test_each_of_several_labels_is_a_question_of_its_own(
    samples: ModuleType, rule: Rule, texts: list[str | None]
) -> None:
    said = [["a", "a", "a"], ["a", "a\nb", "a\nb"], ["a", "b"]]
    verdicts = of_form(samples, page_of(LabelsPage, "ab"), said, rule)
    assert [verdict["text"] for verdict in verdicts] == texts
    if rule.has_posterior:
        # a and not b: odds 9 · 1.5² and 9 · 1.5²; 20.25 and 9 / 2.25; 6 and 6.
        expected = [(20.25 / 21.25) ** 2, 20.25 / 21.25 * 4 / 5, (6 / 7) ** 2]
        assert [verdict["posterior"] for verdict in verdicts] == pytest.approx(expected, abs=1e-6)


def test_ratings_are_medians_by_any_rule(samples: ModuleType) -> None:
    page = page_of(RatingPage, "12345")
    (verdict,) = of_form(samples, page, ["124"], MAJORITY)
    assert (verdict["text"], verdict["posterior"]) == ("2", None)
    assert rule_of(page_of(LabelsPage, "ab"), Rule("dawid-skene")) == "the model of Dawid and Skene for each label"
    assert rule_of(page_of(LabelsPage, "ab")) == "strict majority for each label"


def test_answers_take_the_likeliest(samples: ModuleType) -> None:
    choices = dict.fromkeys(["valid", "invalid", "odd"], NEITHER)
    said = ["viiv", "vio", "viv", "iii"]
    items = pa.array([f"i{number}" for number in range(4)], pa.string())
    ballot = collect(items, rows_of(samples, said, WORDS), choices)
    right = pa.array(["valid", "valid", "invalid", "invalid"], pa.string())

    def decisions(rule: Rule) -> list[str]:
        return [str(row["decision"]) for row in decide_answers(ballot, "k", 2, right, rule).to_pylist()]

    assert decisions(MAJORITY) == ["undecided", "undecided", "rejected", "accepted"]
    assert decisions(Rule("unanimous")) == ["undecided", "undecided", "undecided", "accepted"]
    assert decisions(WEIGHTED) == ["accepted", "accepted", "rejected", "accepted"]
    assert human_accuracy(ballot, right, 2)["accuracy"] == 0.25
    accuracy = human_accuracy(ballot, right, 2, WEIGHTED)
    assert (accuracy["accuracy"], accuracy["ties"], accuracy["rule"]) == (
        0.75,
        0,
        "votes weighted by accuracy on gold questions",
    )


names: Sequence[RuleName] = ("majority", "unanimous", "weighted", "dawid-skene")
crowds = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2), st.integers(0, 2)), max_size=30)


@given(crowds, st.sampled_from(names), st.permutations(range(3)), st.booleans())
def test_renamed_answers_are_decided_alike(
    rows: list[tuple[int, int, int]], name: RuleName, renamed: list[int], plurality: bool
) -> None:
    said = {(item, person): label for item, person, label in rows}
    items, people, labels = (
        np.array(column, dtype=np.int64)
        for column in (
            [item for item, _ in sorted(said)],
            [person for _, person in sorted(said)],
            [said[key] for key in sorted(said)],
        )
    )
    rule = Rule(name, GOLD)
    people_names = ["p0", "p1", "p2"]
    ruling = decide_votes(Votes(items, people, labels, people_names, 5, 3), rule, plurality=plurality)
    changed = np.array([*renamed, -1])
    other = decide_votes(Votes(items, people, changed[labels], people_names, 5, 3), rule, plurality=plurality)
    assert other.winner.tolist() == changed[ruling.winner].tolist()
    assert other.tie.tolist() == ruling.tie.tolist()
    np.testing.assert_allclose(other.posterior, ruling.posterior, atol=1e-6)
    voted = np.isin(np.arange(5), items)
    assert (ruling.winner[~voted] == -1).all()
    assert not (ruling.tie & (ruling.winner >= 0)).any()
