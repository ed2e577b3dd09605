from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.builders.kuci.text import lines
from tashika.builders.kuci.text.lines import lines_of

TEXT = st.text(alphabet="雨a\r\n\x0c\u2028", max_size=40)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le"])
@given(text=TEXT, block=st.integers(1, 7))
def test_lines_end_as_pythons_do_however_the_file_is_read(encoding: str, text: str, block: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "_BLOCK", block)
        read = [line.decode() for line in lines_of(io.BytesIO(text.encode(encoding)), encoding)]
    expected = io.TextIOWrapper(io.BytesIO(text.encode(encoding)), encoding=encoding, newline=None).read().split("\n")
    assert read == (expected if expected[-1] else expected[:-1])


def test_of_a_line_of_any_length_a_little_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "LONGEST", 5)
    monkeypatch.setattr(lines, "_BLOCK", 3)
    text = b"a\n" + b"b" * 50 + b"\n" + b"c" * 50
    assert list(lines_of(io.BytesIO(text + b"\nd"))) == [b"a", b"b" * 6, b"c" * 6, b"d"]
    assert list(lines_of(io.BytesIO(text))) == [b"a", b"b" * 6, b"c" * 6]
