"""Cells that a spreadsheet shows and does not run."""

from __future__ import annotations

import pytest

from tashika.annotation.spreadsheets import no_formula


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx"])
def test_a_formula_is_shown_as_it_is(text: str) -> None:
    assert no_formula(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "a = b", "花子", "1-2"])
def test_other_text_stays(text: str) -> None:
    assert no_formula(text) == text
