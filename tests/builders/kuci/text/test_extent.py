from __future__ import annotations

import gzip
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tashika.builders.kuci.text.extent import Extent, extent_of
from tashika.builders.kuci.text.files import text_files
from tashika.builders.kuci.text.sentences import read_sentences

LINES = "雨が降る。\n\n雪が降る。風が吹く。\n晴れる。\n"


def _files(folder: Path) -> list[Path]:
    (folder / "a.txt").write_text(LINES, encoding="utf-8")
    (folder / "b.txt.gz").write_bytes(gzip.compress(LINES.replace("る", "った").encode("utf-16")))
    pq.write_table(pa.table({"text": ["霧が出る。", "曇る。"]}), folder / "c.parquet")
    table = pa.table({"text": ["雷が鳴る。"] * 3})
    with pa.ipc.new_stream(str(folder / "d.arrow"), table.schema) as stream:
        stream.write_table(table)
    return sorted(folder.iterdir())


def test_lines_and_rows_are_counted_and_followed(tmp_path: Path) -> None:
    files = text_files(_files(tmp_path))
    extent = extent_of(files)
    assert extent.lines == 4 + 4 + 2 + 3
    sentences = read_sentences(files, extent=extent)
    assert extent.share == 0
    list(islice(sentences, 2))
    assert extent.share == 3 / 13
    list(islice(sentences, 3))
    assert extent.share == (4 + 1) / 13
    list(sentences)
    assert extent.share == 1


def test_of_a_file_that_is_cut_short_the_lines_before_count(tmp_path: Path) -> None:
    packed = gzip.compress("\n".join(f"{number}日は雨が降る。" for number in range(9_000)).encode())
    (tmp_path / "a.gz").write_bytes(packed[: len(packed) // 2])
    lines = extent_of(text_files([tmp_path / "a.gz"])).lines
    assert 0 < lines < 9_000


def test_nothing_is_read_to_its_end() -> None:
    assert Extent(0).share == 1
