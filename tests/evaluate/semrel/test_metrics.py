"""A system's numbers: a table worked by hand, intervals, tests against people, tables that contradict themselves."""

import json
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tashika.core.errors import InputError
from tashika.core.suites.semrel.words import RELATIONS
from tashika.evaluate.semrel.cells import Matrix
from tashika.evaluate.semrel.confusability import Relata
from tashika.evaluate.semrel.metrics import NO_RELATA, describe_empty_rows, mean_matrix, measure
from tashika.evaluate.semrel.settings import MeasureSettings

COLUMNS: dict[str, pa.DataType] = {
    "item_id": pa.string(),
    "target": pa.string(),
    "relation": pa.string(),
    "prompt": pa.string(),
    "k": pa.int32(),
    "words": pa.list_(pa.string()),
    "problem": pa.string(),
}
SCHEMA = pa.schema(COLUMNS)
FEW = MeasureSettings(resamples=200, permutations=200)
RELATA: Relata = {
    ("niece", "hypernymy"): frozenset({"relative", "kin"}),
    ("niece", "antonymy"): frozenset({"nephew"}),
    ("dog", "hypernymy"): frozenset({"animal"}),
    ("dog", "antonymy"): frozenset({"cat", "wolf"}),
    ("hot", "antonymy"): frozenset({"cold"}),
}


def row(
    target: str, relation: str, words: list[str] | None, problem: str | None = None, prompt: str = "p"
) -> dict[str, Any]:
    item = f"{target}/{relation}/{prompt}"
    return dict(zip(SCHEMA.names, (item, target, relation, prompt, 5, words, problem), strict=True))


def table(*rows: dict[str, Any]) -> pa.Table:
    return pa.Table.from_pylist(list(rows), schema=SCHEMA)


def numbers(
    answers: pa.Table, relata: Relata, settings: MeasureSettings, people: pa.Table | None = None
) -> dict[str, Any]:
    """As they stand in `metrics.json`."""
    return measure(answers, relata, settings, people).model_dump(mode="json")


def by_hand() -> pa.Table:
    """The worked example of test_confusability, one probe nobody answered, one without relata of its relation."""
    return table(
        row("niece", "hypernymy", ["nephew", "relative", "aunt"]),
        row("niece", "hypernymy", ["kin"], prompt="q"),
        row("dog", "hypernymy", ["cat", "animal", "wolf", "pet"]),
        row("niece", "antonymy", ["nephew", "kin"]),
        row("dog", "antonymy", []),
        row("hot", "antonymy", ["warm", "cold"]),
        row("hot", "antonymy", None, "nobody answered it", prompt="q"),
        row("hot", "hypernymy", ["cold"]),
    )


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return numbers(by_hand(), RELATA, FEW)


def test_matrices_have_full_names(found: dict[str, Any]) -> None:
    assert set(found["matrix"]) == set(RELATIONS)
    assert all(set(each) == set(RELATIONS) for each in found["matrix"].values())
    assert found["matrix"]["hypernymy"]["antonymy"] == 1  # 27/22, cut
    assert found["matrix"]["antonymy"]["hypernymy"] == pytest.approx(1 / 4)
    assert found["alpha"]["hypernymy"]["antonymy"] == pytest.approx(9 / 20)
    assert found["alpha"]["antonymy"]["hypernymy"] == pytest.approx(1 / 12)
    assert found["matrix"]["synonymy"]["antonymy"] is None


def test_counts_by_cell(found: dict[str, Any]) -> None:
    assert found["n_probes"]["hypernymy"] == {**dict.fromkeys(RELATIONS, 0), "hypernymy": 3, "antonymy": 3}
    assert found["n_targets"]["hypernymy"]["hypernymy"] == 2
    assert found["n_targets"]["antonymy"]["antonymy"] == 3
    assert found["n_targets"]["antonymy"]["hypernymy"] == 2  # hot has no hypernyms


def test_the_bias_is_over_the_defined_cells_without_the_diagonal(found: dict[str, Any]) -> None:
    column, line = found["antonymy_bias"]["column"], found["antonymy_bias"]["row"]
    assert (column["value"], column["cells"]) == (1, 1)
    assert (line["value"], line["cells"]) == (pytest.approx(1 / 4), 1)
    assert found["off_diagonal"]["value"] == pytest.approx((1 + 1 / 4) / 2)
    assert found["own"]["value"] == pytest.approx((11 / 30 + 1 / 3) / 2)


def test_the_bias_of_a_full_matrix() -> None:
    relata: Relata = {(target, relation): frozenset({relation[:4]}) for target in "tu" for relation in RELATIONS}
    rows = [
        row("t", relation, [relation[:4], "anto"] if relation != "antonymy" else ["anto", "hypo"])
        for relation in RELATIONS
    ]
    rows += [row("u", relation, [relation[:4]]) for relation in RELATIONS]
    found = numbers(table(*rows), relata, FEW)
    # alpha(r, r) = (2/3 + 1/2) / 2 = 7/12; the second word of one of the two probes: (1/3 + 0) / 2 = 1/6.
    assert found["antonymy_bias"]["column"]["value"] == pytest.approx(2 / 7)
    assert found["antonymy_bias"]["column"]["cells"] == found["antonymy_bias"]["row"]["cells"] == 5
    assert found["antonymy_bias"]["row"]["value"] == pytest.approx(2 / 7 / 5)  # hyponymy alone of five


def test_what_was_dropped_is_counted(found: dict[str, Any]) -> None:
    assert (found["n"], found["answered"], found["scored"], found["targets"]) == (8, 7, 6, 3)
    assert found["problems"] == [{"problem": "nobody answered it", "n": 1}]
    assert found["left_out"] == {NO_RELATA: 1}
    assert found["empty"] == 1
    assert found["k"] == {"min": 0, "mean": pytest.approx(12 / 6), "max": 4}


def test_table_1(found: dict[str, Any]) -> None:
    assert found["relations"]["antonymy"] == {
        "targets": 3,
        "relata_mean": pytest.approx(4 / 3),
        "relata_sd": pytest.approx(np.sqrt(2 / 9)),
        "prompts": 1,
        "probes": 3,
    }
    assert found["relations"]["hypernymy"]["prompts"] == 2
    assert found["relations"]["meronymy"] == {
        "targets": 0,
        "relata_mean": None,
        "relata_sd": None,
        "prompts": 0,
        "probes": 0,
    }


def test_everything_is_json(found: dict[str, Any]) -> None:
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_a_system_that_answered_nothing_has_no_numbers_and_no_zeros() -> None:
    silent = table(row("niece", "hypernymy", None, "the target is split into pieces"))
    found = numbers(silent, RELATA, FEW, by_hand())
    assert {each for cells in found["matrix"].values() for each in cells.values()} == {None}
    assert found["k"] is None
    assert found["antonymy_bias"]["column"] == {"value": None, "cells": 0, "interval": None}
    assert found["against_people"]["n_probes"] == 0
    assert found["against_people"]["distance"] == {"value": None, "p": None}
    assert found["against_people"]["means"]["row"] == {"difference": None, "p": None, "p_holm": None}
    json.dumps(found, allow_nan=False)


# Intervals ------------------------------------------------------------------------------------------------------------


def drawn_table(
    seed: int, targets: int = 8, relations: Sequence[str] = ("hypernymy", "antonymy", "synonymy"), liked: float = 0.4
) -> tuple[pa.Table, Relata]:
    """Simulated answers to two prompts each, and relata: seeded chances, said by nobody."""
    random, rows, relata = np.random.default_rng(seed), [], {}
    for number, relation in product(range(targets), relations):
        relata[f"t{number}", relation] = frozenset({f"{relation[:3]}{each}" for each in range(2)})
        for prompt in "pq":
            pool = [f"{each[:3]}{which}" for each in relations for which in range(2)] + ["x", "y"]
            words = [word for word in pool if random.random() < (0.8 if word.startswith(relation[:3]) else liked)][:5]
            rows.append(row(f"t{number}", relation, words, prompt=prompt))
    return table(*rows), relata


def test_intervals_hold_their_numbers_and_the_same_seed_gives_the_same() -> None:
    answers, relata = drawn_table(1)
    found, again = numbers(answers, relata, FEW), numbers(answers.take(list(range(len(answers)))[::-1]), relata, FEW)
    assert found["matrix_intervals"] == again["matrix_intervals"]
    for r, s in product(("hypernymy", "antonymy", "synonymy"), repeat=2):
        alpha = found["alpha_intervals"][r][s]
        assert alpha["low"] < found["alpha"][r][s] < alpha["high"]
        cell = found["matrix_intervals"][r][s]
        if r == s:
            assert cell is None
        else:
            assert 0 <= cell["low"] <= found["matrix"][r][s] <= cell["high"] <= 1
    other = numbers(answers, relata, MeasureSettings(seed=1, resamples=200))
    assert other["matrix_intervals"] != found["matrix_intervals"]


def test_an_interval_of_the_level_0_is_the_median_draw_of_whole_targets() -> None:
    """Two targets, so three outcomes of a draw: twice the first, both, twice the second."""
    relata = {(t, r): frozenset({f"{r}!"}) for t in "ab" for r in ("hypernymy", "antonymy")}
    answers = table(
        row("a", "hypernymy", ["hypernymy!"]),
        row("b", "hypernymy", ["antonymy!", "hypernymy!"]),
        row("a", "antonymy", ["antonymy!"]),
        row("b", "antonymy", ["antonymy!"]),
    )
    found = numbers(answers, relata, MeasureSettings(resamples=500, level=0.98))
    # a alone: 0 / (1/2) = 0; b alone: (2/3) / (1/3) = 2, cut at 1. Both: (1/3) / (5/12) = 4/5.
    assert found["matrix"]["hypernymy"]["antonymy"] == pytest.approx(4 / 5)
    assert found["matrix_intervals"]["hypernymy"]["antonymy"] == {"low": 0, "high": 1, "draws": 500}
    assert found["antonymy_bias"]["column"]["interval"] == {"low": 0, "high": 1, "draws": 500}


def test_one_target_has_no_interval() -> None:
    answers, relata = drawn_table(1, targets=1)
    found = numbers(answers, relata, FEW)
    assert found["matrix"]["hypernymy"]["antonymy"] is not None
    assert found["matrix_intervals"]["hypernymy"]["antonymy"] is None
    assert found["own"]["interval"] is None
    assert found["antonymy_bias"]["row"]["interval"] is None


def found_once(relations: Sequence[str]) -> tuple[pa.Table, Relata]:
    """Eight targets; for each relation what was asked is found for one target only, another one each time."""
    relata = {(f"t{n}", r): frozenset({f"{r}!"}) for n in range(8) for r in (*relations, "antonymy")}
    answers = [
        row(f"t{n}", r, [f"{r}!", "antonymy!"] if n == place else ["antonymy!"])
        for place, r in enumerate(relations)
        for n in range(8)
    ]
    return table(*answers), relata


def test_draws_without_the_number_are_counted() -> None:
    answers, relata = found_once(["hypernymy"])
    found = numbers(answers, relata, MeasureSettings(resamples=1000))
    cell = found["matrix_intervals"]["hypernymy"]["antonymy"]
    # A draw of 8 targets of 8 holds the one that is needed with a chance of 1 - (7/8)^8 = 0.656.
    assert cell["draws"] == pytest.approx(656, abs=50)
    assert found["antonymy_bias"]["column"]["interval"] == cell
    assert found["alpha_intervals"]["hypernymy"]["hypernymy"]["draws"] == 1000


def test_a_number_that_most_draws_lack_has_no_interval() -> None:
    answers, relata = found_once(["hypernymy", "synonymy", "meronymy"])
    found = numbers(answers, relata, MeasureSettings(resamples=1000))
    column = found["antonymy_bias"]["column"]  # its draws must hold three certain targets of eight: about 0.26
    assert (column["cells"], column["interval"]) == (3, None)
    assert column["value"] is not None
    assert found["matrix_intervals"]["synonymy"]["antonymy"]["draws"] > 500


def test_rows_in_which_nothing_asked_for_was_found_are_told() -> None:
    relata = {**RELATA, ("niece", "holonymy"): frozenset({"family"}), ("dog", "synonymy"): frozenset({"hound"})}
    asked = [row("niece", "holonymy", ["kin"]), row("dog", "synonymy", []), *by_hand().to_pylist()]
    told = describe_empty_rows(numbers(table(*asked), relata, FEW)["alpha"])
    assert told == "no row for HOL, SYN: none of the answers was a relatum: alpha(r, r) = 0"
    assert describe_empty_rows(numbers(by_hand(), RELATA, FEW)["alpha"]) == ""


# Means ----------------------------------------------------------------------------------------------------------------


def test_the_mean_matrix_is_cell_by_cell_over_the_defined() -> None:
    full: Matrix = {r: dict.fromkeys(RELATIONS, 0.2) for r in RELATIONS}
    other: Matrix = {r: dict.fromkeys(RELATIONS, None if r == "antonymy" else 0.6) for r in RELATIONS}
    mean = mean_matrix([full, other])
    assert mean["synonymy"]["antonymy"] == pytest.approx(0.4)
    assert mean["antonymy"]["synonymy"] == pytest.approx(0.2)
    assert mean_matrix([other])["antonymy"]["synonymy"] is None


# Against people -------------------------------------------------------------------------------------------------------


def test_all_permutations_of_few_targets() -> None:
    """With two targets there are four ways to swap; each is as probable, so p is near a multiple of 1/4."""
    relata = {(t, r): frozenset({f"{r}!"}) for t in "ab" for r in ("hypernymy", "antonymy")}
    asked = list(product("ab", ("hypernymy", "antonymy")))
    model = table(*(row(t, r, ["antonymy!", f"{r}!"] if r == "hypernymy" else ["antonymy!"]) for t, r in asked))
    people = table(*(row(t, r, [f"{r}!"]) for t, r in asked))
    found = numbers(model, relata, MeasureSettings(resamples=10, permutations=4000), people)["against_people"]
    cell = next(
        each
        for each in found["cells"]
        if (each["probe_relation"], each["answer_relation"]) == ("hypernymy", "antonymy")
    )
    # The model says 1 (cut), people 0. None or both swapped: 1 or -1. One swapped: both say the same, 0.
    assert cell["difference"] == 1
    assert cell["p"] == pytest.approx(1 / 2, abs=0.04)
    assert found["distance"]["value"] == pytest.approx(1 / 2)  # the other cell, antonymy taken as hypernymy, is 0
    assert found["distance"]["p"] == pytest.approx(1 / 2, abs=0.04)
    assert found["means"]["column"]["difference"] == 1
    assert (found["n_probes"], found["n_targets"], found["permutations"]) == (4, 2, 4000)


def test_a_system_like_people_does_not_differ() -> None:
    answers, relata = drawn_table(3)
    found = numbers(answers, relata, FEW, answers)["against_people"]
    assert {each["difference"] for each in found["cells"]} == {0.0, None}
    assert {each["p"] for each in found["cells"]} == {1.0, None}
    assert found["distance"] == {"value": 0.0, "p": 1.0}


def test_a_clear_difference_is_found_and_holm_is_no_smaller() -> None:
    model, relata = drawn_table(4, targets=30, liked=0.9)
    people, _ = drawn_table(5, targets=30, liked=0.05)
    found = numbers(model, relata, FEW, people)["against_people"]
    tested = [each for each in found["cells"] if each["p"] is not None]
    assert len(tested) == 6
    assert len(found["cells"]) == 30
    assert found["distance"]["p"] == pytest.approx(1 / 201)
    assert all(each["p_holm"] >= each["p"] >= 1 / 201 for each in tested)
    assert found["means"]["column"]["p_holm"] == pytest.approx(2 / 201)


def test_swapping_the_systems_swaps_the_signs() -> None:
    model, relata = drawn_table(6)
    people, _ = drawn_table(7, liked=0.1)
    one = numbers(model, relata, FEW, people)["against_people"]
    two = numbers(people, relata, FEW, model)["against_people"]
    for first, second in zip(one["cells"], two["cells"], strict=True):
        if first["difference"] is not None:
            assert first["difference"] == pytest.approx(-second["difference"])
            assert first["p"] == second["p"]


def test_only_shared_probes_are_compared() -> None:
    model, relata = drawn_table(8)
    people, _ = drawn_table(9)
    part = numbers(model, relata, FEW, people.slice(0, 18))["against_people"]
    whole = numbers(model.slice(0, 18), relata, FEW, people)["against_people"]
    assert part == whole
    assert part["n_probes"] == 18


# Bad tables -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        (by_hand().drop_columns("words"), "lack the column 'words'"),
        (by_hand().slice(0, 0), "found no answers"),
        (table(row("niece", "rhyp", ["kin"])), "the relation 'rhyp', expected one of hypernymy"),
        (table(row("hot", "antonymy", ["cold"]), row("hot", "antonymy", ["warm"])), "answered twice"),
        (table(row("hot", "antonymy", None)), "has neither words nor a problem"),
        (table(row("hot", "antonymy", ["cold"], "too long")), "the problem 'too long', expected words or a problem"),
        (table(row("hot", "antonymy", list("abcdef"))), "has 6 words, expected at most k = 5"),
    ],
)
def test_tables_that_contradict_themselves(answers: pa.Table, told: str) -> None:
    with pytest.raises(InputError, match=told):
        numbers(answers, RELATA, FEW)


def test_people_s_table_is_checked_too() -> None:
    with pytest.raises(InputError, match="found no answers"):
        numbers(by_hand(), RELATA, FEW, by_hand().slice(0, 0))


def test_no_permutations_are_a_mistake() -> None:
    with pytest.raises(ValueError, match="found 0 permutations"):
        numbers(by_hand(), RELATA, MeasureSettings(resamples=5, permutations=0), by_hand())
