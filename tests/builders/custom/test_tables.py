"""Tables of every form give the same rows; what is broken is named with its file and line."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from datasets import Dataset, DatasetDict

from tashika.builders.custom.tables import read_hub, read_table
from tashika.core.errors import ConfigError, InputError, OutsideError
from tests.hostile import bomb

ROWS = [{"text": "Why, oh why?", "answer": "1"}, {"text": 'A "quoted"\nline', "answer": "2"}]
CSV = 'text,answer\n"Why, oh why?",1\n"A ""quoted""\nline",2\n'
TSV = 'text\tanswer\nWhy, oh why?\t1\n"A ""quoted""\nline"\t2\n'
JSONL = "".join(json.dumps(row) + "\n\n" for row in ROWS)


def rows(path: Path, **options: Any) -> list[dict[str, Any]]:
    found = list(read_table(path, **options).rows)
    assert not [row.refused for row in found if row.refused]
    return [dict(row.values) for row in found]


@pytest.mark.parametrize(("name", "text"), [("t.csv", CSV), ("t.tsv", TSV), ("t.jsonl", JSONL), ("t.CSV", CSV)])
def test_text_tables_plain_and_zipped(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert rows(tmp_path / name) == ROWS
    (tmp_path / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
    assert rows(tmp_path / f"{name}.gz") == ROWS


def test_a_byte_order_mark_and_windows_lines(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"\xef\xbb\xbf" + "text,answer\r\n問い,1\r\n".encode())
    assert rows(path) == [{"text": "問い", "answer": "1"}]


def test_parquet_and_datasets(tmp_path: Path) -> None:
    pq.write_table(pa.Table.from_pylist(ROWS), tmp_path / "t.parquet")
    Dataset.from_list(ROWS).save_to_disk(str(tmp_path / "saved"))
    DatasetDict({"test": Dataset.from_list(ROWS)}).save_to_disk(str(tmp_path / "parts"))
    (tmp_path / "loaded").mkdir()
    (tmp_path / "loaded" / "train.csv").write_text("text,answer\nWhy?,x\n")
    assert rows(tmp_path / "t.parquet") == rows(tmp_path / "saved") == rows(tmp_path / "parts", split="test") == ROWS
    assert rows(tmp_path / "loaded", split="train") == [{"text": "Why?", "answer": "x"}]
    with pytest.raises(InputError, match="found the splits test; name one"):
        read_table(tmp_path / "parts")


def test_the_place_of_a_row_is_that_of_its_first_line(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(CSV + "last,3\n")
    assert [row.where for row in read_table(path).rows] == ["t.csv:2", "t.csv:3", "t.csv:5"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", b"", "the file is empty"),
        ("t.csv", b"a,a\n1,2\n", "the column 'a' is named twice"),
        ("t.csv", b"a\n\xff\xfe\n", "not UTF-8"),
        ("t.csv", b'a\n"open', "not CSV"),
        ("t.csv.gz", gzip.compress(CSV.encode(), mtime=0)[:-9], "cut short or damaged"),
        ("t.parquet", b"PAR1", "not a Parquet file"),
        ("t.xlsx", b"x", r"found a file of the form .xlsx, expected .csv"),
        ("table", b"x", r"found a file of the form \(none\)"),
    ],
)
def test_a_broken_table_is_refused(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=message):
        list(read_table(tmp_path / name).rows)


def test_rows_of_another_form_are_refused_one_by_one(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n1,2\n1\n1,2,3\n")
    refused = {row.where: row.refused for row in read_table(tmp_path / "t.csv").rows}
    assert refused == {
        "t.csv:2": None,
        "t.csv:3": "found 1 fields, expected 2",
        "t.csv:4": "found 3 fields, expected 2",
    }
    (tmp_path / "t.jsonl").write_text('{"a": 1}\n[1]\n{"a"\n')
    reasons = [row.refused for row in read_table(tmp_path / "t.jsonl").rows]
    assert reasons[:2] == [None, "found a JSON list, expected an object"]
    assert str(reasons[2]).startswith("not valid JSON")


def test_a_missing_file_and_options_of_a_dataset(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        read_table(tmp_path / "t.csv")
    (tmp_path / "t.csv").write_text(CSV)
    with pytest.raises(ConfigError, match="`split` goes with a dataset; this is a file"):
        read_table(tmp_path / "t.csv", split="test")


def test_a_hub_that_cannot_be_reached_says_what_to_check() -> None:
    with pytest.raises(OutsideError, match=r"hf:nobody/nothing.*\n.*`config`, `split` and `revision`"):
        read_hub("nobody/nothing", config=None, split=None, revision=None)


@pytest.mark.parametrize(
    ("name", "head", "tail"),
    [
        ("t.jsonl.gz", b'{"text": "', b'"}\n'),
        ("t.csv.gz", b"text,answer\n", b",1\n"),
        ("t.csv.gz", b"text,", b"\n"),
        ("t.tsv.gz", b'text\tanswer\n"', b'"\t1\n'),
    ],
)
def test_a_line_that_would_fill_the_memory_is_refused(
    tmp_path: Path, short_lines: None, name: str, head: bytes, tail: bytes
) -> None:
    path = bomb(tmp_path / name, head, tail)
    with pytest.raises(InputError, match="a line of more than 1 MiB"):
        list(read_table(path).rows)
