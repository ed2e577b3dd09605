from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tashika.core.errors import InputError
from tashika.core.suites.semrel.norms import Norm, packaged_norms, read_norms


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_pairs_are_read_once_by_the_names_of_their_columns(tmp_path: Path) -> None:
    text = '\ufeffRank,Instance,Category\n1,Robin,Bird\n2,"ice  cream",dessert\n\n3,robin,bird\n4,bird,bird\n'
    read = read_norms(write(tmp_path / "norms.csv", text))
    assert read.pairs == [Norm("bird", "robin"), Norm("dessert", "ice_cream")]
    assert read.left_out == {"named twice": 1, "a word with itself": 1}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"norms\.csv:1: the file is empty; expected category,instance"),
        ("bird,robin\n", r"norms\.csv:1: found the columns bird, robin; expected category,instance"),
        ("category,instance\nbird,robin\nbird\n", r"norms\.csv:3: found 'bird', expected category,instance"),
        ("category,instance\nbird, \n", r"norms\.csv:2: found 'bird, '"),
        ("category,instance\nbird,robin,owl\n", r"norms\.csv:2: found 'bird,robin,owl'"),
        ("category,instance\n", r"norms\.csv: found no pair"),
        ('category,instance\nbird,"robin\n', r"norms\.csv: not a CSV file"),
    ],
)
def test_a_bad_file_is_told_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_norms(write(tmp_path / "norms.csv", text))


def test_a_missing_file_and_other_bytes_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        read_norms(tmp_path / "none.csv")
    (tmp_path / "bytes.csv").write_bytes(b"category,instance\n\xff,\xfe\n")
    with pytest.raises(InputError, match="not a CSV file in UTF-8"):
        read_norms(tmp_path / "bytes.csv")


def test_the_packaged_list_is_sorted_and_as_its_readme_says() -> None:
    lines = packaged_norms().read_text(encoding="utf-8").splitlines()
    assert lines[1:] == sorted(set(lines[1:]))
    read = read_norms(packaged_norms())
    assert not read.left_out
    sizes = Counter(pair.category for pair in read.pairs)
    readme = packaged_norms().with_name("README.md").read_text(encoding="utf-8")
    assert f"{len(sizes)} everyday categories" in readme
    assert f"({len(read.pairs)} pairs)" in readme
    assert f"{min(sizes.values())} to {max(sizes.values())} instances" in readme
