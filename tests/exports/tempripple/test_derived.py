"""Labels beside ids and days beside dates, worked out by hand."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tashika.exports.tempripple.derived import first_day


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2025", date(2025, 1, 1)),
        ("2025-03", date(2025, 3, 1)),
        ("2025-03-09", date(2025, 3, 9)),
        ("0044-03-15", date(44, 3, 15)),
        ("-0044-03-15", None),
        ("2025-02-30", None),
        ("2025-03-09-01", None),
        ("", None),
        (None, None),
    ],
)
def test_a_date_in_text_has_a_first_day(text: str | None, day: date | None) -> None:
    assert first_day(text) == day


def test_a_release_has_labels_beside_ids_and_days(ripple_release: Path) -> None:
    tables = {
        name: pq.read_table(ripple_release / name / f"{name}.parquet").to_pylist()
        for name in ("facts", "history", "questions", "related")
    }
    facts = {(row["relation"], row["subject"]): row for row in tables["facts"]}
    names = {row["relation"]: row["relation_label"] for row in (*tables["related"], *tables["facts"])}
    for row in tables["questions"]:
        fact = facts[row["relation"], row["subject"]]
        assert (row["subject_label"], row["relation_label"]) == (fact["subject_label"], fact["relation_label"])
        assert row["last_relation_label"] == names[row["last_relation"]]
    for row in tables["history"]:
        assert row["start_day"].isoformat().startswith(row["start"])
        assert (row["end_day"] is None) == (row["end"] is None)
