from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.core.records import ITEM_FIELDS, item_id, item_row, item_schema, prompt_halves
from tashika.core.suites import Suite
from tashika.core.suites.discovery import all_suites


def test_an_id_is_the_same_on_every_machine() -> None:
    # sha256 of the bytes ["myriadlama","fact","P19","Q1339","Q7070"], first 32 hex digits, computed with sha256sum.
    assert item_id("myriadlama", "fact", "P19", "Q1339", "Q7070") == "a5f001161a8f1b5dfbce18779f206484"


@given(st.lists(st.text(), min_size=1, max_size=4), st.lists(st.text(), min_size=1, max_size=4))
def test_other_keys_have_other_ids(one: list[str], other: list[str]) -> None:
    assert (item_id("s", "k", *one) == item_id("s", "k", *other)) == (one == other)


def test_a_prompts_id_leads_to_both_parents() -> None:
    template, alias = item_id("myriadlama", "template", "P19", "a"), item_id("myriadlama", "alias", "Q1", "b")
    assert prompt_halves(pa.array([template, alias])).to_pylist() == [template[:16], alias[:16]]


@pytest.mark.parametrize("suite", all_suites().values(), ids=lambda suite: suite.name)
def test_every_kind_of_every_suite_has_a_schema(suite: Suite) -> None:
    for kind in suite.kinds:
        names = item_schema(suite.name, kind.name).names
        assert names == [*(field.name for field in ITEM_FIELDS), *kind.columns]
        assert len(set(names)) == len(names)


def test_a_row_fits_its_schema() -> None:
    payload = {"entity": "Q1", "entity_label": "One", "text": "1", "language": "en", "is_label": False}
    row = item_row("myriadlama", "alias", ("Q1", "1"), payload, builder="aliases", version="1", sources=[("s", None)])
    table = pa.Table.from_pylist([row], schema=item_schema("myriadlama", "alias"))
    table.validate(full=True)
    assert table.to_pylist() == [row]
