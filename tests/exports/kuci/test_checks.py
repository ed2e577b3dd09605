"""Special cases of the checks on a release of KUCI; `test_check_conformance.py` breaks each check alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.exports.kuci.checks import clause_key, place_p
from tests.exports.drafts import Draft, failing
from tests.exports.kuci.breaks import origins, question


@pytest.fixture
def draft(kuci_release: Path) -> Draft:
    return Draft(kuci_release)


def test_an_option_that_reads_like_another_is_found(draft: Draft) -> None:
    row = question(draft, 0)
    row["options"][2] = f" {row['options'][1]}"
    assert list(failing(draft.written())) == ["options_are_four", "questions_fit_their_pairs"]


def test_ranges_of_its_own_are_taken(draft: Draft) -> None:
    origins(draft, question(draft, 0))["similarities"][1] = 0.7
    draft.record["built_with"]["similarity"] = [0.3, 0.7]
    assert failing(draft.written()) == {}


def test_the_chi_square_test_tells_even_from_uneven() -> None:
    assert place_p([0, 1, 2, 3] * 10) == 1.0
    assert place_p([0] * 19) == 1.0  # too few to tell
    # 20, 10, 10, 0 against 10 each: chi-square 20 with three degrees of freedom.
    assert place_p([0] * 20 + [1] * 10 + [2] * 10) == pytest.approx(0.0001697, rel=1e-3)


@given(st.lists(st.sampled_from(["腹", "ＡＢＣ", "abc", "ｶﾞ"]), max_size=5))
def test_width_and_case_are_no_difference_between_clauses(words: list[str]) -> None:
    assert clause_key(words) == clause_key(["".join(words).upper()])
