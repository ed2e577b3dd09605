"""What numbers hang on: worked by hand, against naive loops and scipy, and what must hold of any answers."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from tashika.core.suites.semrel.words import RELATIONS
from tashika.evaluate.semrel.answers import ANSWERS
from tashika.evaluate.semrel.breakdown import (
    by_frequency,
    by_prompt,
    by_vocabulary,
    draw_targets_and_prompts,
    rank_correlation,
    summarise,
    thirds,
)
from tashika.evaluate.semrel.confusability import Probe, Relata, probe_alphas
from tashika.evaluate.semrel.frequency import Frequencies
from tashika.evaluate.semrel.metrics import measure
from tashika.evaluate.semrel.permutation import Scored
from tashika.evaluate.semrel.settings import MeasureSettings

FEW = MeasureSettings(resamples=200, permutations=10)
HYP, ANT = RELATIONS.index("hypernymy"), RELATIONS.index("antonymy")
RELATA: Relata = {
    ("dog", "hypernymy"): {"animal"},
    ("dog", "antonymy"): {"cat"},
    ("niece", "hypernymy"): {"relative"},
    ("niece", "antonymy"): {"nephew"},
}
ASKED = [
    ("dog", "hypernymy", "one", ["animal", "cat"]),
    ("niece", "hypernymy", "one", ["nephew", "relative"]),
    ("dog", "hypernymy", "two", ["cat"]),
    ("niece", "hypernymy", "two", ["relative", "aunt"]),
    ("dog", "antonymy", "three", ["cat", "animal"]),
    ("niece", "antonymy", "three", ["aunt"]),
]
# Prompt "one": hypernyms 2/3 and 1/3, antonyms 1/3 and 2/3: alpha 1/2 and 1/2, confusability 1.
# Prompt "two": hypernyms 0 and 2/3, antonyms 1/2 and 0: alpha 1/3 and 1/4, confusability 3/4.
# Prompt "three": antonyms 2/3 and 0, hypernyms 1/3 and 0: alpha 1/3 and 1/6, confusability 1/2.


def scored(asked: list[tuple[str, str, str, list[str]]] | None = None, relata: Relata = RELATA) -> Scored:
    rows = ASKED if asked is None else asked
    probes = [Probe(target, relation) for target, relation, _, _ in rows]
    words = [given for _, _, _, given in rows]
    ids = [f"{target}/{relation}/{prompt}" for target, relation, prompt, _ in rows]
    alphas = probe_alphas(probes, words, relata)
    return Scored(ids, [prompt for _, _, prompt, _ in rows], probes, [len(each) for each in words], alphas)


def answers(lists: list[dict[str, list[str]] | None]) -> pa.Table:
    rows = [
        {
            "item_id": str(place),
            "target": target,
            "relation": relation,
            "prompt": prompt,
            "k": 4,
            "words": given and given["shared"],
            "problem": None if given else "too long",
            "by_vocabulary": given,
        }
        for place, ((target, relation, prompt, _), given) in enumerate(zip(ASKED, lists, strict=True))
    ]
    return pa.Table.from_pylist(rows, schema=ANSWERS)


# Prompts --------------------------------------------------------------------------------------------------------------


def test_prompts_worked_by_hand() -> None:
    found = by_prompt(scored(), FEW)
    assert [(each.relation, each.prompt, each.probes) for each in found.prompts] == [
        ("hypernymy", "one", 2),
        ("hypernymy", "two", 2),
        ("antonymy", "three", 2),
    ]
    one, two, three = found.prompts
    assert [each.own.value for each in found.prompts] == pytest.approx([1 / 2, 1 / 3, 1 / 3])
    assert [each.confused.value for each in found.prompts] == pytest.approx([1, 3 / 4, 1 / 2])
    assert [one.antonymy.value, two.antonymy.value] == pytest.approx([1, 3 / 4])
    assert three.antonymy.value is None  # it asks for antonymy
    hypernymy, antonymy = found.spreads
    assert (hypernymy.own.prompts, antonymy.own.prompts) == (2, 1)
    assert (hypernymy.own.least, hypernymy.own.most) == pytest.approx((1 / 3, 1 / 2))
    assert hypernymy.own.sd == pytest.approx((1 / 6) / 2**0.5)
    assert antonymy.own.sd is None
    assert antonymy.antonymy.prompts == 0


def test_the_numbers_of_all_probes_stay_what_they_are_when_prompts_are_drawn() -> None:
    everything, drawn = summarise(scored(), FEW), by_prompt(scored(), FEW).drawn
    for name in ("column", "row", "off_diagonal", "own"):
        assert getattr(drawn, name).value == getattr(everything, name).value


def test_with_a_prompt_each_draws_are_those_of_targets_alone() -> None:
    single = scored([row for row in ASKED if row[2] != "two"])
    drawn = by_prompt(single, FEW).drawn
    assert drawn == summarise(single, FEW)


def test_draws_of_targets_and_prompts_against_a_loop() -> None:
    random = np.random.default_rng(3)
    targets, prompts = ["a", "b", "c", "d"], {"hypernymy": ["p", "q", "r"], "antonymy": ["s", "t"]}
    relata: Relata = {(target, relation): {f"{target}-{relation}"} for target in targets for relation in RELATIONS}
    asked = [
        (target, relation, prompt, list(random.permutation([f"{target}-{each}" for each in RELATIONS])[:4]))
        for relation, names in prompts.items()
        for target, prompt in product(targets, names)
        if (target, prompt) != ("b", "q")  # a hole: the model was not asked
    ]
    few = MeasureSettings(resamples=5, permutations=10, seed=9)
    given = scored(asked, relata)
    found = draw_targets_and_prompts(given, few)
    again = np.random.default_rng(9)
    of_target = again.multinomial(4, [0.25] * 4, size=5)
    for place, relation in enumerate(RELATIONS):
        names = prompts.get(relation)
        if names is None:
            assert np.isnan(found[:, place]).all()
            continue
        of_prompt = again.multinomial(len(names), [1 / len(names)] * len(names), size=5)
        for draw in range(5):
            above, below = np.zeros(len(RELATIONS)), 0
            for (target, asked_for, prompt, _), alpha in zip(asked, given.alphas, strict=True):
                if asked_for == relation:
                    times = of_target[draw, targets.index(target)] * of_prompt[draw, names.index(prompt)]
                    above, below = above + times * alpha, below + times
            expected = above / below if below else np.full(len(RELATIONS), np.nan)
            np.testing.assert_allclose(found[draw, place], expected)


def test_drawing_prompts_widens_an_interval_where_prompts_differ_and_targets_do_not() -> None:
    asked = [
        (target, "hypernymy", prompt, ["animal"] if prompt == "good" else ["stone"])
        for target, prompt in product([f"t{place}" for place in range(20)], ("good", "bad"))
    ]
    relata = {(f"t{place}", "hypernymy"): {"animal"} for place in range(20)}
    found = by_prompt(scored(asked, relata), FEW)
    targets_alone = summarise(scored(asked, relata), FEW).own.interval
    both = found.drawn.own.interval
    assert targets_alone is not None
    assert both is not None
    assert (targets_alone.low, targets_alone.high) == (0.25, 0.25)  # half of the probes score 1/2
    assert (both.low, both.high) == (0.0, 0.5)  # one prompt, or the other, or both


# Vocabularies ---------------------------------------------------------------------------------------------------------


def test_vocabularies_worked_by_hand() -> None:
    lists = [
        {
            "shared": given,
            "words": ["zebra", *given][: len(given)],
            "tokens": [",", "##ance", *given][: len(given)],
        }
        for _, _, _, given in ASKED
    ]
    shared, words, tokens = by_vocabulary(
        answers([*lists]), RELATA, {"animal", "cat", "relative", "nephew", "aunt"}, FEW
    )
    assert [each.vocabulary for each in (shared, words, tokens)] == ["shared", "words", "tokens"]
    assert shared.matrix == measure(answers([*lists]), RELATA, FEW).matrix
    assert (shared.shared, shared.first_shared, shared.no_letter) == (1.0, 1.0, 0.0)
    # 10 answers to 6 probes; a zebra at the head of each takes the last of each away.
    assert (words.shared, words.first_shared, words.no_letter) == (0.4, 0.0, 0.0)
    assert (tokens.shared, tokens.no_letter) == (0.0, 0.6)
    # Hypernymy, words: animal 1/3, 0 (nephew), 0, relative 1/3: mean 1/6; antonyms 0, 1/3, 0, 0: 1/12.
    assert words.matrix["hypernymy"]["antonymy"] == pytest.approx(1 / 2)
    assert tokens.matrix["hypernymy"]["antonymy"] is None  # nothing that was asked for is left


def test_probes_with_a_problem_have_no_lists_and_people_have_one() -> None:
    lists: list[dict[str, list[str]] | None] = [
        {"shared": given, "words": given, "tokens": given} for _, _, _, given in ASKED
    ]
    lists[2] = None
    assert [each.summary.probes for each in by_vocabulary(answers(lists), RELATA, (), FEW)] == [5, 5, 5]
    assert by_vocabulary(answers([None] * 6), RELATA, (), FEW) == ()


# Frequency ------------------------------------------------------------------------------------------------------------


def test_thirds_keep_targets_of_one_frequency_together() -> None:
    assert thirds({"a": 1.0, "b": 2.0, "c": 3.0}) == ({"a"}, {"b"}, {"c"})
    assert thirds({"a": 0.0, "b": 0.0, "c": 0.0, "d": 5.0, "e": 9.0, "f": 9.0}) == (
        {"a", "b", "c"},
        {"d"},
        {"e", "f"},
    )
    assert thirds({"a": 0.0, "b": 0.0}) == (set(), {"a", "b"}, set())
    assert thirds({}) == (set(), set(), set())


@given(st.lists(st.integers(0, 6), max_size=40))
def test_thirds_part_all_targets_in_order(counts: list[int]) -> None:
    named = {f"t{place}": float(count) for place, count in enumerate(counts)}
    bands = thirds(named)
    assert sorted(target for band in bands for target in band) == sorted(named)
    ranges = [[named[target] for target in band] for band in bands if band]
    assert all(max(lower) < min(higher) for lower, higher in pairwise(ranges))
    if len(set(counts)) == len(counts):
        assert max(map(len, bands)) - min(map(len, bands)) <= 1


def test_bands_are_of_all_targets_and_their_numbers_of_their_probes() -> None:
    known = Frequencies("a table", {"dog": 50.0, "niece": 2.0})
    found = by_frequency(scored(), ["dog", "niece", "aardvark"], known, FEW)
    assert found.source == "a table"
    assert found.unknown == 1
    assert [(band.name, band.least, band.most, band.summary.targets) for band in found.bands] == [
        ("middling", 2.0, 2.0, 1),
        ("frequent", 50.0, 50.0, 1),
    ]  # nothing was scored on the rare one
    # The dog alone: hypernyms 2/3 and 0, antonyms 1/3 and 1/2 (5/12 over 1/3, cut at 1); asked for its antonym 2/3.
    frequent = found.bands[1].summary
    assert frequent.own.value == pytest.approx((1 / 3 + 2 / 3) / 2)
    assert frequent.column.value == pytest.approx(1.0)
    assert frequent.own.interval is None  # a single target
    assert [(trend.relation, trend.targets, trend.rho) for trend in found.trends] == [
        ("hypernymy", 2, None),
        ("antonymy", 2, None),
    ]


@settings(max_examples=50)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=30))
def test_correlations_are_scipy_s(pairs: list[tuple[int, int]]) -> None:
    first, second = (np.asarray(side, dtype=float) for side in zip(*pairs, strict=True))
    rho, drawn = rank_correlation(first, second, MeasureSettings(resamples=20))
    if len(set(first)) == 1 or len(set(second)) == 1:
        assert rho is None
        assert drawn is None
        return
    assert rho == pytest.approx(float(spearmanr(first, second).statistic))
    assert drawn is not None
    picks = np.random.default_rng(0).integers(len(first), size=(20, len(first)))
    for value, pick in zip(drawn, picks, strict=True):
        if len(set(first[pick])) == 1 or len(set(second[pick])) == 1:
            assert np.isnan(value)
        else:
            assert value == pytest.approx(float(spearmanr(first[pick], second[pick]).statistic))


def test_a_trend_has_an_interval() -> None:
    targets = [f"t{place}" for place in range(12)]
    asked = [(target, "synonymy", "p", ["x"] * place + [target + "s"]) for place, target in enumerate(targets)]
    relata = {(target, "synonymy"): {target + "s"} for target in targets}
    known = Frequencies("a table", {target: float(100 - place) for place, target in enumerate(targets)})
    [trend] = by_frequency(scored(asked, relata), targets, known, FEW).trends
    assert trend.rho == pytest.approx(1.0)  # the rarer, the further down
    assert trend.interval is not None
    assert trend.interval.low == pytest.approx(1.0)
