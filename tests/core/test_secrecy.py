from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tashika.core.errors import InputError
from tashika.core.secrecy import without_secrets


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("http://user:pass@host:8080/v1?key=abc#x", "http://host:8080/v1"),
        ("asked HTTPS://host/sparql?apikey=KEY, twice", "asked HTTPS://host/sparql, twice"),
        ("(see http://host/a?b=c).", "(see http://host/a)."),
        ("ftp://user:p@ss@host/x", "ftp://host/x"),
        ("http://user:pa/ss@host/x", "http://host/x"),
        ("http://user:p?ss#w@host/x", "http://host/x"),
        ("found 'http://user:pass@host', expected", "found 'http://host', expected"),
        ("https://host/@people/1", "https://host/@people/1"),
        ("http://host:8080/a@b", "http://host:8080/a@b"),
        ("http://[::1]:80/a?b", "http://[::1]:80/a"),
        ("mail a@b.example: why?", "mail a@b.example: why?"),
    ],
)
def test_addresses_in_a_text_lose_what_may_be_secret(text: str, shown: str) -> None:
    assert without_secrets(text) == shown


@given(st.text(st.characters(exclude_characters=" <>\"'`", exclude_categories=("Z", "C")), min_size=1))
def test_no_password_and_no_key_is_left(secret: str) -> None:
    secret = f"SECRET{secret}SECRET"
    assert "SECRET" not in without_secrets(f"http://u:{secret}@host/v1")
    assert "SECRET" not in without_secrets(f"http://host/v1?key={secret}")


def test_an_error_shows_no_secret() -> None:
    error = InputError("no answer of http://u:p@h/?k=v", where="http://u:p@h/?k=v")
    assert str(error) == "http://h/: no answer of http://h/"
    assert error.args == ("no answer of http://h/",)
