"""Addresses of endpoints: what is one, and what of it may be written down."""

from __future__ import annotations

from functools import cache
from ipaddress import ip_address
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit, urlunsplit

from tashika.core.errors import ConfigError, InputError
from tashika.core.progress import say
from tashika.core.secrecy import without_secrets

_GRAPHS: Final = frozenset({"default-graph-uri", "named-graph-uri"})
"""Parameters of SPARQL's protocol that say which graphs are asked: no secrets, and replies depend on them."""


def is_address(text: str) -> bool:
    """Whether a text starts as an address does."""
    return text.startswith(("http://", "https://"))


def require_address(text: str | None, example: str) -> None:
    """Makes sure that an option is an address, where it is given.

    Raises:
        InputError: The option is given and is no address.
    """
    if text is not None and not is_address(text):
        # Without http:// in front, a name and a password are not known as such.
        shown = text.rpartition("@")[2].partition("?")[0]
        raise InputError(f"found {shown!r}, expected an address such as {example}")


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
            f"found the endpoint {without_secrets(url)!r}, expected an address",
            hint="Such as https://api.openai.com/v1 or http://…/v1.",
        )
    return f"{parts.scheme}://{host}{port}{parts.path.rstrip('/')}"


def may_hold_secrets(url: str) -> bool:
    """Whether `shown_address` leaves something out that the endpoint may need: a name, a password, a query."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return "@" in parts.netloc or bool(parts.query or parts.fragment)


def identity_of(url: str) -> str:
    """What replies of an endpoint depend on: its address without secrets, as it was typed where it has none.

    Raises:
        InputError: The URL is no address.
    """
    return with_graphs(url) if may_hold_secrets(url) else url


def with_graphs(url: str) -> str:
    """`shown_address`, and the graphs that a SPARQL endpoint is asked about, where these stand in the query.

    Raises:
        InputError: The URL is no address.
    """
    shown = shown_address(url)
    graphs = [(name, value) for name, value in parse_qsl(urlsplit(url).query) if name in _GRAPHS]
    return f"{shown}?{urlencode(graphs)}" if graphs else shown


class Login(NamedTuple):
    """An address apart from the name and password in it.

    Attributes:
        url: Without them, with the query.
        user: None where there is none.
        password: Empty where there is none.
    """

    url: str
    user: str | None = None
    password: str = ""


def login_of(url: str) -> Login:
    """Takes an address apart: most clients take name and password in a place of their own."""
    parts = urlsplit(url)
    if parts.username is None:
        return Login(url)
    plain = parts._replace(netloc=parts.netloc.rpartition("@")[2])
    return Login(urlunsplit(plain), unquote(parts.username), unquote(parts.password or ""))


def without_addresses_secrets(value: Any) -> Any:
    """Plain values whose texts that are addresses have no secrets, at whatever depth."""
    if isinstance(value, str):
        return without_secrets(value) if is_address(value) and not any(map(str.isspace, value)) else value
    if isinstance(value, dict):
        return {name: without_addresses_secrets(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [without_addresses_secrets(part) for part in value]
    return value


def checked_key(key: str, source: str) -> str:
    """A key or token as it can be sent: without the white space around it that a file or a copy leaves.

    Args:
        key: As it was given; empty where there is none.
        source: Where it comes from, such as TASHIKA_LLM_KEY; the error does not show the key.

    Raises:
        ConfigError: It has a character that no header takes.
    """
    key = key.strip()
    wrong = next((place for place, sign in enumerate(key, start=1) if not "!" <= sign <= "~"), None)
    if wrong is not None:
        problem = "found a line break, a space or a letter beyond ASCII"
        raise ConfigError(f"{problem} as its character {wrong}, expected a key", where=source, hint="Copy it again.")
    return key


def is_loopback(url: str) -> bool:
    """Whether an address is on this machine."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@cache
def warn_if_readable(url: str, secret: str) -> None:
    """Says once that a secret is sent so that others on the way can read it: over http:// to another machine.

    Args:
        url: Where it is sent.
        secret: What it is, such as "the token".
    """
    if url.lower().startswith("http://") and not is_loopback(url):
        shown = without_secrets(url)
        say(f"warning: {secret} is sent to {shown} without encryption; take https://, or an ssh tunnel to 127.0.0.1")


REPO_NAME: Final = r"[A-Za-z0-9][A-Za-z0-9_.-]*/[A-Za-z0-9][A-Za-z0-9_.-]*"
"""ORG/NAME of a repository on the Hub, as a regular expression."""
