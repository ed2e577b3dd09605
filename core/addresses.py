"""Addresses of endpoints: what is one, and what of it may be written down."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from tashika.core.errors import InputError


def is_address(text: str) -> bool:
    """Whether a text starts as an address does."""
    return text.startswith(("http://", "https://"))


def require_address(text: str | None, example: str) -> None:
    """Makes sure that an option is an address, where it is given.

    Raises:
        InputError: The option is given and is no address.
    """
    if text is not None and not is_address(text):
        raise InputError(f"found {text!r}, expected an address such as {example}")


def shown_address(url: str) -> str:
    """An endpoint's address without a name, password or query, which may be secrets.

    Raises:
        InputError: The URL is no address.
    """
    try:
        parts = urlsplit(url)
        host = parts.hostname
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        host, port = None, ""
    if not host or parts.scheme not in {"http", "https"}:
        raise InputError(
            f"found the endpoint {url!r}, expected an address", hint="Such as https://api.openai.com/v1 or http://…/v1."
        )
    return f"{parts.scheme}://{host}{port}{parts.path.rstrip('/')}"


def may_hold_secrets(url: str) -> bool:
    """Whether `shown_address` leaves something out that the endpoint may need: a name, a password, a query."""
    parts = urlsplit(url)
    return "@" in parts.netloc or bool(parts.query or parts.fragment)


REPO_NAME: Final = r"[A-Za-z0-9][A-Za-z0-9_.-]*/[A-Za-z0-9][A-Za-z0-9_.-]*"
"""ORG/NAME of a repository on the Hub, as a regular expression."""
