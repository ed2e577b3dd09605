from __future__ import annotations

import io
from pathlib import Path

import pytest

from tashika.builders.kuci.text.taking import Dataset, parse_dataset, take_texts
from tashika.core.errors import InputError, OutsideError


def test_standard_input_is_kept_by_its_content(tmp_path: Path) -> None:
    text = "雨が降る。\n".encode()
    (first,) = take_texts([Path("-")], tmp_path, stdin=io.BytesIO(text))
    (again,) = take_texts([Path("-")], tmp_path, stdin=io.BytesIO(text))
    (other,) = take_texts([Path("-")], tmp_path, stdin=io.BytesIO(text * 2))
    assert first == again != other
    assert first.read_bytes() == text
    assert sorted(tmp_path.iterdir()) == sorted({first, other})


def test_standard_input_that_is_empty_or_named_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="empty"):
        take_texts([Path("-")], tmp_path, stdin=io.BytesIO(b""))
    with pytest.raises(InputError, match="twice"):
        take_texts([Path("-"), Path("-")], tmp_path, stdin=io.BytesIO(b"x"))
    assert not list(tmp_path.iterdir())


def test_files_and_folders_stay_and_patterns_become_files(tmp_path: Path) -> None:
    (tmp_path / "a.txt").touch()
    (tmp_path / "folder").mkdir()
    given = [tmp_path / "none.txt", tmp_path / "folder", tmp_path / "*.txt"]
    assert take_texts(given, tmp_path) == (tmp_path / "none.txt", tmp_path / "folder", tmp_path / "a.txt")


def test_a_dataset_is_named_with_its_parts() -> None:
    assert parse_dataset("hf:org/name") == Dataset("org/name")
    assert parse_dataset("hf:org/name?split=test&config=ja&revision=v1") == Dataset("org/name", "ja", "test", "v1")
    for wrong in ("hf:", "hf:name?splits=test"):
        with pytest.raises(InputError):
            parse_dataset(wrong)


def test_without_a_network_a_dataset_is_an_error_that_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(OutsideError) as raised:
        take_texts([Path("hf:nobody/nothing")], tmp_path)
    assert raised.value.where == "hf:nobody/nothing"
