from __future__ import annotations

import pytest

from tashika.core.addresses import may_hold_secrets, require_address, shown_address
from tashika.core.errors import InputError


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
