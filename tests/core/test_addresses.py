from __future__ import annotations

import pytest

from tashika.core.addresses import (
    checked_key,
    identity_of,
    is_loopback,
    login_of,
    may_hold_secrets,
    require_address,
    shown_address,
    warn_if_readable,
    without_addresses_secrets,
)
from tashika.core.errors import ConfigError, InputError


def test_addresses_are_shown_without_secrets() -> None:
    assert shown_address("https://user:pass@Host.example:8443/v1/?key=abc#x") == "https://host.example:8443/v1"
    for wrong in ("localhost:8000", "ftp://x/v1", "http://", "http://x:port/v1"):
        with pytest.raises(InputError, match="expected an address"):
            shown_address(wrong)


@pytest.mark.parametrize(
    ("address", "secret"),
    [
        ("https://host.example/v1", False),
        ("https://user@host.example/v1", True),
        ("https://host.example/v1?key=abc", True),
        ("https://host.example/v1#part", True),
    ],
)
def test_what_is_not_shown_is_known(address: str, secret: bool) -> None:
    assert may_hold_secrets(address) == secret


def test_an_option_that_is_no_address_is_refused() -> None:
    require_address(None, "http://127.0.0.1:1/v1")
    require_address("http://h/v1", "http://127.0.0.1:1/v1")
    with pytest.raises(InputError, match=r"found 'localhost', expected an address such as http://127.0.0.1:1/v1"):
        require_address("localhost", "http://127.0.0.1:1/v1")


def test_no_part_of_a_secret_stands_in_the_error() -> None:
    for wrong in ("http://user:SEC/RET@host", "ftp://user:SECRET@host/v1?key=SECRET"):
        with pytest.raises(InputError) as caught:
            shown_address(wrong)
        assert "SEC" not in str(caught.value)
    with pytest.raises(InputError) as caught:
        require_address("user:SECRET@host/v1?key=SECRET", "http://127.0.0.1:1/v1")
    assert "SECRET" not in str(caught.value)


def test_the_identity_of_an_endpoint_has_no_secrets_and_keeps_the_graphs() -> None:
    assert identity_of("https://Host.example/sparql/") == "https://Host.example/sparql/"
    assert identity_of("https://u:p@host.example/sparql?apikey=KEY") == "https://host.example/sparql"
    asked = identity_of("https://host.example/sparql?apikey=KEY&default-graph-uri=http://g.example/1")
    assert asked == "https://host.example/sparql?default-graph-uri=http%3A%2F%2Fg.example%2F1"


def test_a_login_is_taken_out_of_an_address() -> None:
    assert login_of("http://h:1/q?a=b") == ("http://h:1/q?a=b", None, "")
    assert login_of("http://us%40er:p%3Aw@h:1/q?a=b") == ("http://h:1/q?a=b", "us@er", "p:w")
    assert login_of("http://user@h/") == ("http://h/", "user", "")


def test_addresses_at_any_depth_of_plain_values_lose_their_secrets() -> None:
    value = {"llm": {"url": "https://u:p@h/v1?k=v", "seed": 1}, "all": ["http://h/?k", "see http://h/?k"], "none": None}
    plain = {"llm": {"url": "https://h/v1", "seed": 1}, "all": ["http://h/", "see http://h/?k"], "none": None}
    assert without_addresses_secrets(value) == plain


@pytest.mark.parametrize(
    ("url", "there"),
    [
        ("http://127.0.0.1:1", True),
        ("http://127.8.8.8", True),
        ("http://localhost/x", True),
        ("http://[::1]:8", True),
        ("http://localhost.example", False),
        ("http://10.0.0.1", False),
        ("https://host.example", False),
    ],
)
def test_what_is_on_this_machine(url: str, there: bool) -> None:
    assert is_loopback(url) is there


def test_a_secret_that_others_can_read_is_announced_once(capsys: pytest.CaptureFixture[str]) -> None:
    for url in ("http://u:p@plain.example/v1?key=K",) * 2 + ("https://plain.example", "http://127.0.0.1:9"):
        warn_if_readable(url, "the key")
    said = capsys.readouterr().err
    assert said.count("warning: the key is sent to http://plain.example/v1 without encryption") == 1
    assert said.count("warning") == 1


def test_a_key_loses_the_white_space_around_it_alone() -> None:
    assert checked_key(" hf_Ab-1.~!\n", "HF_TOKEN") == "hf_Ab-1.~!"
    assert checked_key("", "HF_TOKEN") == ""


@pytest.mark.parametrize("key", ["SEC\nRET", "SEC RET", "SECÉRET", "SEC\0RET", "SEC\udcffRET"])
def test_a_key_that_cannot_be_sent_is_named_and_not_shown(key: str) -> None:
    with pytest.raises(ConfigError) as caught:
        checked_key(key, "HF_TOKEN")
    assert str(caught.value).startswith(
        "HF_TOKEN: found a line break, a space or a letter beyond ASCII as its character 4"
    )
    assert "SEC" not in str(caught.value)
