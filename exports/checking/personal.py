"""Patterns of personal data: mail, phone, card, address. A result names what it looks like and never quotes it."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterator
from typing import Final

LIKELY: Final = r"@|\d{3}|\d\.\d|[０-９]{3}|::|〒"
"""A regular expression (RE2) that every text with personal data matches, to pass over all the others at once."""

_MAIL = re.compile(r"(?<![\w.+-])[A-Za-z0-9][\w.+-]*@(?P<host>(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,24})(?![\w-])", re.ASCII)
_PHONE = re.compile(r"(?<![\w.+-])\+\d{1,3}(?:[ .-]?\(?\d{1,4}\)?){2,5}(?![\w-])", re.ASCII)
_AMERICAN = re.compile(r"(?<![\w.+-])(?:\(\d{3}\) ?|\d{3}[-.])\d{3}[-.]\d{4}(?![\w-])", re.ASCII)
_JAPANESE = re.compile(r"(?<![\d.-])0\d{1,4}(?:-\d{1,4}-|\(\d{1,4}\))\d{4}(?![\d-])", re.ASCII)
_JAPANESE_MOBILE = re.compile(r"(?<![\d.-])0[5789]0\d{8}(?![\d.-])", re.ASCII)
_POSTAL = re.compile(r"(?:〒|郵便番号\s*[:：]?)\s*\d{3}-?\d{4}(?!\d)", re.ASCII)
_CARD = re.compile(r"(?<![\d.-])[3-6]\d{3}(?:[ -]?\d{4}){2}[ -]?\d{1,7}(?![\d.-])", re.ASCII)
_IPV4 = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.]*\d)", re.ASCII)
_IPV6 = re.compile(r"(?<![\w:])(?:[0-9A-Fa-f]{0,4}:){3,7}[0-9A-Fa-f]{1,4}(?![\w:])", re.ASCII)
_VERSION = re.compile(r"(?:version|release|section|chapter|ver|v|§|バージョン|第)\.?\s*$", re.IGNORECASE)
_RESERVED = ("example", "example.com", "example.net", "example.org", "invalid", "localhost", "test")
"""Hosts that belong to nobody (RFC 2606)."""
_WIDTH = str.maketrans("０１２３４５６７８９－‐‑−＠（）", "0123456789----@()")
"""Characters of other width or form that numbers and addresses are written with."""


def personal_data(text: str) -> Iterator[str]:
    """What in a text looks like personal data, in words and without the data."""
    plain = text.translate(_WIDTH)
    for words, pattern, holds in _KINDS:
        if any(holds(match) for match in pattern.finditer(plain)):
            yield words


def passes_luhn(digits: str) -> bool:
    """Whether the last digit fits the others (Luhn; ISO/IEC 7812-1, annex B)."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (2 if place % 2 else 1)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def _always(_match: re.Match[str]) -> bool:
    return True


def _is_someones(match: re.Match[str]) -> bool:
    host = match["host"].casefold()
    return not any(host == name or host.endswith(f".{name}") for name in _RESERVED)


def _is_phone(match: re.Match[str]) -> bool:
    return 9 <= sum(map(str.isdigit, match[0])) <= 15


def _is_japanese_phone(match: re.Match[str]) -> bool:
    return sum(map(str.isdigit, match[0])) in {10, 11}


def _is_card(match: re.Match[str]) -> bool:
    digits = re.sub(r"\D", "", match[0])
    return 13 <= len(digits) <= 19 and len(set(digits)) > 1 and passes_luhn(digits)


def _is_public_address(match: re.Match[str]) -> bool:
    try:
        address = ipaddress.ip_address(match[0])
    except ValueError:
        return False
    return address.is_global and not _VERSION.search(match.string[: match.start()])


_KINDS: Final[tuple[tuple[str, re.Pattern[str], Callable[[re.Match[str]], bool]], ...]] = (
    ("an address of mail", _MAIL, _is_someones),
    ("a phone number", _PHONE, _is_phone),
    ("a phone number", _AMERICAN, _always),
    ("a Japanese phone number", _JAPANESE, _is_japanese_phone),
    ("a Japanese mobile number", _JAPANESE_MOBILE, _always),
    ("a Japanese postal code", _POSTAL, _always),
    ("the number of a payment card", _CARD, _is_card),
    ("the address of a machine (IPv4)", _IPV4, _is_public_address),
    ("the address of a machine (IPv6)", _IPV6, _is_public_address),
)
