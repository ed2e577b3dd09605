"""How two counts of the same votes differ."""

from __future__ import annotations

from types import ModuleType

import pytest

from tashika.annotation.quality.changes import check_names, compare_verdicts, describe_changes, without_people
from tashika.core.errors import InputError


def test_changes_are_counted_by_what_became_of_what(samples: ModuleType) -> None:
    before = [("accepted", None), ("accepted", "x"), ("rejected", None), ("undecided", None), ("accepted", "y")]
    after = [("rejected", None), ("accepted", "z"), ("rejected", None), ("accepted", None), ("rejected", None)]
    tables = [
        samples.verdict_table(
            *({"item_id": str(place), "decision": said, "text": text} for place, (said, text) in enumerate(rows))
        )
        for rows in (before, after)
    ]
    changes = compare_verdicts(*tables)
    ways = {"accepted to rejected": 2, "another text": 1, "undecided to accepted": 1}
    assert changes == {"items": 5, "changed": 4, "by": ways}
    assert list(changes["by"]) == list(ways)
    assert describe_changes(changes) == (
        "4 of 5 verdicts (accepted to rejected 2, another text 1, undecided to accepted 1)"
    )
    assert describe_changes(compare_verdicts(tables[0], tables[0])) == "0 of 5 verdicts"
    empty = samples.verdict_table()
    assert compare_verdicts(empty, empty) == {"items": 0, "changed": 0, "by": {}}


def test_names_that_nobody_has_are_refused(samples: ModuleType) -> None:
    table = samples.judgment_table(samples.judgment("1", "a"), samples.judgment("1", "b"))
    check_names(["a"], table)
    assert without_people(table, ["a"])["annotator"].to_pylist() == ["b"]
    with pytest.raises(InputError, match="nobody called 'c'") as error:
        check_names(["a", "c"], table)
    assert "Annotators: a, b." in str(error.value)
