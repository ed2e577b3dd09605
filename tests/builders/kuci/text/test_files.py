"""Every format, packing and encoding that text comes in, and what is refused with what reason."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from datasets import Dataset, DatasetDict

from tashika.builders.kuci.analysis.records import Failure
from tashika.builders.kuci.text.files import text_files
from tashika.builders.kuci.text.places import expand
from tashika.builders.kuci.text.sentences import read_sentences
from tashika.core.errors import InputError

SENTENCES = ["雨が降ったので、傘をさした。", "風が強いと、窓が鳴る。", '彼は"はい"と言った。']
LINES = "".join(f"{sentence}\n" for sentence in SENTENCES)


def objects(**more: Any) -> str:
    return "".join(json.dumps({"id": 1, "text": text, **more}) + "\n" for text in SENTENCES)


def quoted(*header: str) -> str:
    content = io.StringIO()
    writer = csv.writer(content)
    writer.writerows([header] if header else [])
    writer.writerows([str(number), sentence] for number, sentence in enumerate(SENTENCES))
    return content.getvalue()


def parquet(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    return bytes(sink.getvalue().to_pybytes())


def arrow(table: pa.Table, opened: Callable[..., Any]) -> bytes:
    sink = pa.BufferOutputStream()
    with opened(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue().to_pybytes())


def str_id(value: Any) -> str:
    """A name for a parameter that is the same in every process: not the bytes of a file."""
    return value if isinstance(value, str) else ""


TABLE = pa.table({"id": [1, 2, 3], "text": SENTENCES})
TABS = "".join(f"{number}\t{sentence}\n" for number, sentence in enumerate(SENTENCES))


@pytest.mark.parametrize(
    ("name", "content", "field"),
    [
        ("a.txt", LINES.encode(), ""),
        ("a.txt", LINES.replace("\n", "\r").encode(), ""),
        ("a.gz", gzip.compress(LINES.encode()), ""),
        ("a.bz2", bz2.compress(LINES.encode()), ""),
        ("a.txt.xz", lzma.compress(LINES.encode()), ""),
        ("sjis.txt", LINES.encode("cp932"), ""),
        ("euc.txt", LINES.encode("euc-jp"), ""),
        ("jis.txt", LINES.encode("iso-2022-jp"), ""),
        ("wide.txt", LINES.encode("utf-16"), ""),
        ("a.jsonl", objects().encode(), ""),
        ("a.jsonl.gz", gzip.compress(objects().encode("utf-8")), "text"),
        ("a.txt", objects().encode(), ""),  # JSON Lines, whatever the name ends in
        ("a.jsonl", objects(title="題").replace('"text"', '"body"').encode(), "body"),
        ("a.tsv", TABS.encode(), "2"),
        ("a.tsv", f"id\tsentence\n{TABS}".encode(), "sentence"),
        ("a.txt", TABS.encode(), "2"),
        ("a.tsv", f"id\ttext\n{TABS}".encode("utf-16"), ""),
        ("a.csv", quoted("id", "text").encode(), ""),
        ("a.csv", quoted().encode("cp932"), "2"),
        ("a.parquet", parquet(TABLE), ""),
        ("a.parquet", parquet(TABLE.rename_columns(["id", "sentence"])), ""),
        ("a.arrow", arrow(TABLE, pa.ipc.new_stream), ""),
        ("a.feather", arrow(TABLE, pa.ipc.new_file), "text"),
    ],
    ids=str_id,
)
def test_the_sentences_of_any_file(tmp_path: Path, name: str, content: bytes, field: str) -> None:
    (tmp_path / name).write_bytes(content)
    sentences = list(read_sentences(text_files([tmp_path / name], field=field)))
    assert [entry[1] for entry in sentences if not isinstance(entry, Failure)] == SENTENCES
    assert len(sentences) == len(SENTENCES)


def zipped() -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        file.writestr("a.txt", LINES)
    return content.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "options", "problem", "hint"),
    [
        ("a.txt", zipped(), {}, "this is a zip archive", "Expected text"),
        ("a.txt", gzip.compress(gzip.compress(LINES.encode())), {}, "this is packed with gzip", "packed twice"),
        ("a.txt", b"%PDF-1.7\n", {}, "this is a PDF", "Expected text"),
        ("a.txt", bytes(range(128, 256)) * 20, {}, "no text in an encoding", "--encoding"),
        ("a.txt", LINES.encode("euc-jp"), {"encoding": "utf-8"}, "not valid utf-8", "--encoding euc-jp"),
        ("a.txt", LINES.encode(), {"encoding": "cp932"}, "not valid cp932", "--encoding utf-8"),
        ("a.txt", LINES.encode(), {"encoding": "utf8x"}, "no encoding 'utf8x'", "utf-8, cp932"),
        ("a.json", json.dumps([{"text": "雨"}]).encode(), {}, "a JSON list", "jq"),
        ("a.jsonl", objects().encode(), {"field": "body"}, "no field 'body'; the fields are: id, text", "--field"),
        ("a.jsonl", objects(title="題").replace('"text"', '"body"').encode(), {}, "2 fields with text", "--field"),
        ("a.tsv", TABS.encode(), {}, "2 columns", "--field 2"),
        ("a.tsv", TABS.encode(), {"field": "3"}, "found 2 columns, expected a column 3", None),
        ("a.tsv", TABS.encode(), {"field": "body"}, "no field 'body'", "--field"),
        ("a.parquet", parquet(TABLE), {"field": "id"}, "holds int64", "text"),
        ("a.parquet", parquet(TABLE)[:-40], {}, "not a Parquet file", None),
        ("a.arrow", arrow(TABLE, pa.ipc.new_file)[:200], {}, "not an Arrow file", None),
    ],
    ids=str_id,
)
def test_what_cannot_be_read_is_refused_with_the_reason(
    tmp_path: Path, name: str, content: bytes, options: dict[str, Any], problem: str, hint: str | None
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError) as raised:
        text_files([tmp_path / name], **options)
    assert problem in str(raised.value)
    assert hint is None or hint in str(raised.value.hint)


def test_each_file_has_an_encoding_of_its_own(tmp_path: Path) -> None:
    for encoding in ("utf-8", "euc-jp", "cp932"):
        (tmp_path / f"{encoding}.txt").write_bytes("雨が降る。\n".encode(encoding))
    files = text_files(sorted(tmp_path.iterdir()), "cp932", {"euc-jp.txt": "euc-jp", "utf-8.txt": "auto"})
    assert [file.encoding for file in files] == ["cp932", "euc-jp", "utf-8"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "not valid JSON"),
        ("[1]", "found a JSON list, expected an object"),
        ('{"text": 1}', "the field text holds no text"),
    ],
)
def test_a_broken_line_among_whole_ones_is_a_failure(tmp_path: Path, line: str, reason: str) -> None:
    path = tmp_path / "a.jsonl"
    lines = ['{"text": "雨が降る。"}', line, '{"other": 1}', '{"text": "一。\\n風が吹く。"}']
    path.write_text("\n".join(lines), encoding="utf-8")
    first, failure, second = read_sentences(text_files([path]))
    assert first == ("a.jsonl:1", "雨が降る。")
    assert failure == Failure("a.jsonl:2", failure[1] if isinstance(failure, tuple) else failure.text, reason)
    assert second == ("a.jsonl:4.2", "風が吹く。")


def test_lines_without_the_column_and_damaged_quotes_are_failures(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("id\ttext\n1\t雨が降る。\n2\n\n3\t風が吹く。\n", encoding="utf-8")
    first, failure, second = read_sentences(text_files([path]))
    assert (first, second) == (("a.tsv:2", "雨が降る。"), ("a.tsv:5", "風が吹く。"))
    assert failure == Failure("a.tsv:3", "2", "the line has no column text")


def test_folders_and_patterns_are_their_files(tmp_path: Path) -> None:
    for name in ("b.txt", "a.txt", "more/c.txt", ".hidden", "_cache/d.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("雨", encoding="utf-8")
    names = [path.relative_to(tmp_path).as_posix() for path in expand([tmp_path])]
    assert names == ["a.txt", "b.txt", "more/c.txt"]
    assert [path.name for path in expand([tmp_path / "*.txt", tmp_path / "more"])] == ["a.txt", "b.txt", "c.txt"]
    (tmp_path / "empty").mkdir()
    for path, problem in ((tmp_path / "empty", "empty folder"), (tmp_path / "*.csv", "no file fits")):
        with pytest.raises(InputError, match=problem):
            expand([path])


def test_a_dataset_that_was_saved_is_read_split_by_split(tmp_path: Path) -> None:
    saved = DatasetDict(
        {"train": Dataset.from_dict({"text": SENTENCES}), "test": Dataset.from_dict({"text": ["雪。"]})}
    )
    saved.save_to_disk(str(tmp_path / "saved"))
    files = text_files(expand([tmp_path / "saved"]))
    assert {file.format for file in files} == {"arrow"}
    texts = [entry[1] for entry in read_sentences(files) if not isinstance(entry, Failure)]
    assert sorted(texts) == sorted(SENTENCES)  # 雪。 has no hiragana, so it is no sentence
