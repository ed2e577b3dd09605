"""Two versions of small releases, compared; every number is counted by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tashika.core.errors import InputError
from tashika.exports.checks import ReleaseFiles
from tashika.exports.versions.comparison import Changes, compare, what_of
from tashika.exports.versions.markdown import escaped, section
from tashika.exports.versions.showing import detail_lines, headline, table_rows


def pair(item: str, **changes: Any) -> dict[str, Any]:
    return {"item_id": item, "proverb": f"proverb {item}", "votes_for": 3, "votes_cast": 3, **changes}


def version(folder: Path, number: str, rows: list[dict[str, Any]], **record: Any) -> ReleaseFiles:
    path = folder / number / "pairs" / "pairs.parquet"
    path.parent.mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(rows), path)
    about = {"pairs/pairs.parquet": {"rows": len(rows), "sha256": ""}}
    base = {"suite": "proverbs", "version": number, "digest": number, "simulated": False, "files": about}
    return ReleaseFiles(folder / number, {**base, **record})


def numbers(changes: Changes) -> list[tuple[str, ...]]:
    return list(table_rows(changes))


def test_the_same_rows_in_another_order_are_the_same(tmp_path: Path) -> None:
    rows = [pair("a"), pair("b", votes_for=None), pair("c")]
    changes = compare(version(tmp_path, "1", rows), version(tmp_path, "2", rows[::-1]))
    assert changes.is_empty
    assert numbers(changes) == [("pairs", "3", "3", "0", "0", "0")]
    assert headline(changes) == "The rows are the same."


def test_items_are_added_dropped_and_changed(tmp_path: Path) -> None:
    before = version(tmp_path, "1", [pair("a"), pair("b"), pair("c"), pair("d")])
    after = version(
        tmp_path,
        "2",
        [pair("a", proverb="other words"), pair("b", votes_for=2), pair("c", proverb="new", votes_cast=4), pair("e")],
    )
    changes = compare(before, after, lambda ids: dict.fromkeys(ids, "rejected"))
    config = changes.configs[0]
    assert config.added.ids == ("e",)
    assert {reason: group.ids for reason, group in config.dropped.items()} == {"rejected": ("d",)}
    assert {what: (group.ids, dict(group.columns)) for what, group in config.changed.items()} == {
        "text": (("a", "c"), {"proverb": 2}),
        "verdict": (("b", "c"), {"votes_for": 1, "votes_cast": 1}),
    }
    assert numbers(changes) == [("pairs", "4", "4", "1", "1", "3")]  # c is one item that changed in two ways
    assert list(detail_lines(changes)) == [
        "pairs: added: 1",
        "    e proverb e",
        "pairs: dropped, rejected: 1",
        "    d proverb d",
        "pairs: changed text (proverb 2): 2",
        "    a other words; proverb: proverb a → other words",
        "    c new; proverb: proverb c → new",
        "pairs: changed verdict (votes_for 1, votes_cast 1): 2",
        "    b proverb b; votes_for: 3 → 2",
        "    c new; votes_cast: 3 → 4",
    ]


def test_empty_places_and_lists_are_compared(tmp_path: Path) -> None:
    before = version(tmp_path, "1", [pair("a", options=["x", "y"]), pair("b", options=["x"]), pair("c", options=None)])
    after = version(tmp_path, "2", [pair("a", options=["y", "x"]), pair("b", options=["x"]), pair("c", options=None)])
    assert compare(before, after).configs[0].changed["options"].ids == ("a",)
    before = version(tmp_path, "3", [pair("a"), pair("b", votes_for=None), pair("c", votes_for=None)])
    after = version(tmp_path, "4", [pair("a", votes_for=None), pair("b", votes_for=None), pair("c", votes_for=0)])
    assert compare(before, after).configs[0].changed["verdict"].ids == ("a", "c")


def test_nan_is_the_same_as_nan(tmp_path: Path) -> None:
    rows = [pair("a", weight=float("nan")), pair("b", weight=1.0)]
    assert compare(version(tmp_path, "1", rows), version(tmp_path, "2", rows)).is_empty


def test_columns_that_one_version_alone_has_are_named(tmp_path: Path) -> None:
    changes = compare(version(tmp_path, "1", [pair("a", old=1)]), version(tmp_path, "2", [pair("a", new="x")]))
    assert (changes.configs[0].new_columns, changes.configs[0].lost_columns) == (("new",), ("old",))
    assert not changes.is_empty
    assert "- new columns new" in list(section(changes))


def test_examples_are_few_and_ids_are_whole(tmp_path: Path) -> None:
    before = version(tmp_path, "1", [pair("a")])
    after = version(tmp_path, "2", [pair("a"), *(pair(f"b{number}") for number in range(9))])
    added = compare(before, after, examples=2).configs[0].added
    assert (len(added.ids), [example.item for example in added.examples]) == (9, ["b0", "b1"])


def test_ids_that_repeat_are_counted_and_not_compared(tmp_path: Path) -> None:
    changes = compare(version(tmp_path, "1", [pair("a"), pair("a")]), version(tmp_path, "2", [pair("a")]))
    assert numbers(changes) == [("pairs", "2", "1", "–", "–", "–")]
    assert not changes.is_empty


def test_what_was_left_out_is_counted(tmp_path: Path) -> None:
    before = version(tmp_path, "1", [pair("a")], left_out={"rejected_pairs": 3, "ties": 1})
    after = version(tmp_path, "2", [pair("a")], left_out={"rejected_pairs": 5, "ties": 1}, simulated=True)
    changes = compare(before, after)
    assert changes.left_out == {"rejected_pairs": (3, 5)}
    assert "Simulated annotators" in headline(changes)
    assert next(detail_lines(changes)) == "not released, rejected pairs: 3, now 5"


def test_releases_of_two_suites_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="found releases of proverbs and kuci"):
        compare(version(tmp_path, "1", [pair("a")]), version(tmp_path, "2", [pair("a")], suite="kuci"))


def test_a_file_without_ids_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="found no column item_id"):
        compare(version(tmp_path, "1", [{"proverb": "x"}]), version(tmp_path, "2", [pair("a")]))


@pytest.mark.parametrize(
    ("column", "kind", "what"),
    [
        ("votes_for", pa.int32(), "verdict"),
        ("answer", pa.int32(), "options"),
        ("context", pa.string(), "text"),
        ("aliases", pa.list_(pa.string()), "text"),
        ("relation", pa.dictionary(pa.int32(), pa.string()), "text"),
        ("confidence", pa.float64(), "other"),
    ],
)
def test_what_changes_with_a_column(column: str, kind: pa.DataType, what: str) -> None:
    assert what_of(column, kind) == what


def test_text_of_items_is_no_markdown() -> None:
    assert escaped("<b>*a*</b> | [x](y) `c`") == r"\<b\>\*a\*\</b\> \| \[x\](y) \`c\`"
