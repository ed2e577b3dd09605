"""The numbers of a system under each reading and under each way to rank ties, and what the page says survives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tashika.builders.semrel.settings import BuildSettings
from tashika.core.settings import load_section
from tashika.core.suites.semrel.words import RELATIONS
from tashika.evaluate.semrel.answers import ANSWERS, PEOPLE_ANSWERS
from tashika.evaluate.semrel.confusability import Relata
from tashika.evaluate.semrel.equation_2 import EQUATION_2, Equation2
from tashika.evaluate.semrel.findings import FINDINGS
from tashika.evaluate.semrel.metrics import bias_cells, measure
from tashika.evaluate.semrel.readings_report import FAILS, HOLDS, UNKNOWN, WITHIN_CHANCE, Verdict, describe_survival
from tashika.evaluate.semrel.settings import EvaluateSettings, LookUp, MeasureSettings
from tashika.evaluate.semrel.ties import TIES, Ties

FEW = MeasureSettings(resamples=60, permutations=60)
RELATA: Relata = {
    ("niece", "hypernymy"): frozenset({"relative", "kin"}),
    ("niece", "antonymy"): frozenset({"nephew"}),
    ("bird", "hypernymy"): frozenset({"animal"}),
}
ASKED = [("niece", "hypernymy"), ("niece", "antonymy"), ("bird", "hypernymy")]


def table(lists: list[list[str]], votes: list[list[int]] | None = None) -> pa.Table:
    rows = []
    for place, ((target, relation), words) in enumerate(zip(ASKED, lists, strict=True)):
        row: dict[str, Any] = {"item_id": f"{place}", "target": target, "relation": relation, "prompt": "p"}
        rows.append({**row, "k": 5, "words": words, "problem": None, **({"votes": votes[place]} if votes else {})})
    return pa.Table.from_pylist(rows, schema=PEOPLE_ANSWERS if votes else ANSWERS)


MODEL = table([["relative", "nephew", "girl"], ["nephew"], ["animal"]])
PEOPLE = table([["kin", "nephew"], ["aunt", "nephew"], ["animal"]], [[2, 2], [1, 1], [4]])


def test_the_readings_stand_beside_each_other() -> None:
    found = measure(MODEL, RELATA, FEW, PEOPLE).readings
    assert set(found) == set(EQUATION_2)
    # HYP: niece 3/8, bird 1/2: 7/16. ANT among them: niece 1/2; 1/4 over both probes.
    assert found["with_relata"].matrix["hypernymy"]["antonymy"] == pytest.approx(1)  # (1/2) / (7/16), cut
    assert found["printed"].matrix["hypernymy"]["antonymy"] == pytest.approx((1 / 4) / (7 / 16))
    # Shares: HYP (3/8) / (5/8) and 1: 4/5. ANT (1/2) / (3/4) = 2/3.
    assert found["attainable"].matrix["hypernymy"]["antonymy"] == pytest.approx((2 / 3) / (4 / 5))
    assert found["printed"].means["column"].value == pytest.approx((1 / 4) / (7 / 16))
    assert found["printed"].means["row"].value == 0
    assert found["printed"].means["row"].cells == 5
    assert found["with_relata"].means["row"].cells == 1  # the niece has hypernyms, and nothing else
    assert found["printed"].row_less_rest.value == pytest.approx(-((1 / 4) / (7 / 16)) / 5)  # of HYP's five cells


@pytest.mark.parametrize("equation_2", EQUATION_2)
def test_the_numbers_of_the_setting_are_those_of_its_reading(equation_2: Equation2) -> None:
    settings = MeasureSettings(resamples=60, permutations=60, equation_2=equation_2)
    found = measure(MODEL, RELATA, settings, PEOPLE)
    reading = found.readings[equation_2]
    assert found.statistics.equation_2 == equation_2
    assert found.matrix == reading.matrix
    assert found.alpha == reading.alpha
    assert found.own == reading.own
    assert found.antonymy_bias.column == reading.means["column"]
    assert found.antonymy_bias.row == reading.means["row"]
    assert found.off_diagonal == reading.means["all"]
    assert found.readings == measure(MODEL, RELATA, FEW, PEOPLE).readings  # all three do not depend on it
    assert found.against_people is not None
    assert reading.against_people is not None
    for name in ("column", "row"):
        theirs, here = found.against_people.means[name], reading.against_people[name]
        assert (here.difference, here.p) == (theirs.difference, theirs.p)


def test_people_are_compared_with_nobody_and_models_have_no_ties() -> None:
    people, model = measure(PEOPLE, RELATA, FEW), measure(MODEL, RELATA, FEW, PEOPLE)
    assert all(reading.against_people is None for reading in people.readings.values())
    assert model.ties is None
    assert people.ties is not None


@pytest.mark.parametrize(
    ("ties", "hypernymy", "antonymy"),
    [
        # As given: kin is first of 2 (2/3, of two hypernyms: 1/3); aunt first, so nephew has 1/3.
        ("first_mention", (1 / 3 + 1 / 2) / 2, 1 / 3),
        # kin and aunt come first in the alphabet too.
        ("alphabetical", (1 / 3 + 1 / 2) / 2, 1 / 3),
        # Both have the rank 1.5 of 2, so 1/2.
        ("mean", (1 / 4 + 1 / 2) / 2, 1 / 2),
    ],
)
def test_ties_are_ranked_as_the_settings_say(ties: Ties, hypernymy: float, antonymy: float) -> None:
    found = measure(PEOPLE, RELATA, MeasureSettings(resamples=60, permutations=60, ties=ties))
    assert found.alpha["hypernymy"]["hypernymy"] == pytest.approx(hypernymy)
    assert found.alpha["antonymy"]["antonymy"] == pytest.approx(antonymy)
    assert found.ties is not None
    assert found.ties.ways[ties].matrix == found.matrix
    assert found.ties == measure(PEOPLE, RELATA, FEW).ties


def test_the_cell_that_ties_move_most() -> None:
    found = measure(PEOPLE, RELATA, FEW).ties
    assert found is not None
    assert (found.words, found.one_vote, found.tied) == (5, 2, 4)
    # HYP -> ANT: the nephew has 1/3 beside 5/12, and with mean ranks 1/2 beside 3/8, cut at 1.
    assert found.most_moved is not None
    moved = found.most_moved
    assert (moved.probe_relation, moved.answer_relation) == ("hypernymy", "antonymy")
    assert moved.low == pytest.approx((1 / 3) / (5 / 12))
    assert moved.high == 1
    assert set(found.ways) == set(TIES)


def test_answers_of_an_older_version_have_no_votes_and_their_order_stays() -> None:
    older = PEOPLE.drop_columns("votes")
    found = measure(older, RELATA, FEW)
    assert found.ties is None
    assert found.matrix == measure(PEOPLE, RELATA, FEW).matrix


def test_the_findings_cells_are_those_of_the_paper() -> None:
    flags = {finding.key: finding.flags for finding in FINDINGS}
    assert flags["all"].sum() == 30
    assert not np.diagonal(flags["all"]).any()
    ant = RELATIONS.index("antonymy")
    assert flags["column"].sum() == flags["column"][:, ant].sum() == 5
    assert flags["row"].sum() == flags["row"][ant].sum() == 5
    assert set(bias_cells()) == {"column", "row"}


def verdicts(*words: str) -> dict[Equation2, Verdict]:
    return dict(zip(EQUATION_2, map(Verdict, words), strict=True))


def test_survival_in_words() -> None:
    assert describe_survival(verdicts(HOLDS, HOLDS, HOLDS)) == "holds under all three"
    assert describe_survival(verdicts(UNKNOWN, UNKNOWN, UNKNOWN)) == "not known under all three"
    assert describe_survival(verdicts(WITHIN_CHANCE, HOLDS, HOLDS)) == (
        "holds under “as printed” and “share of the attainable”; within chance under “probes with relata”"
    )
    assert describe_survival(verdicts(FAILS, HOLDS, UNKNOWN)) == (
        "holds under “as printed”; does not hold under “probes with relata”; not known under “share of the attainable”"
    )


def test_the_paper_s_settings() -> None:
    settings = load_section("semrel", "evaluate", EvaluateSettings, Path("paper"))
    published = load_section("semrel", "evaluate", EvaluateSettings)
    assert (settings.equation_2, settings.ties, settings.split_targets) == ("printed", "first_mention", "left_out")
    assert (published.equation_2, published.ties) == ("with_relata", "first_mention")
    assert settings.measuring().equation_2 == "printed"
    assert LookUp.of_build(Path("paper")).articles == "the"
    assert load_section("semrel", "build", BuildSettings, Path("paper")).targets == "lists"
