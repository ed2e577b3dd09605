"""Addresses in texts that others may read: without the user names, passwords and keys that stand in them.

Knows no other module, since the errors of the toolkit stand on it.
"""

from __future__ import annotations

import re
from typing import Final

_ADDRESS: Final = re.compile(r"\b([A-Za-z][A-Za-z0-9+.-]*://)([^\s<>\"'`]+)")
_END: Final = re.compile(r"[),.;:\]}]*$")
"""What follows an address in a sentence and is no part of it."""
_NO_PORT: Final = re.compile(r":(?!\d*$)[^\]]*$")
"""What follows a host's colon and is no port: a password with a slash in it."""


def without_secrets(text: str) -> str:
    """A text whose addresses have no user name, password, query or fragment; what is no address stays as it is."""
    return _ADDRESS.sub(lambda match: match[1] + _bare(match[2]), text) if "://" in text else text


def _bare(rest: str) -> str:
    """What follows `://`, without secrets, with the punctuation of the sentence around it."""
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
    if "@" in authority or ("@" in rest and _NO_PORT.search(authority)):
        # Up to the last one where the password has a slash or a question mark that is not encoded.
        secret = authority if "@" in authority else rest
        rest = rest[secret.rindex("@") + 1 :]
    place = re.split(r"[?#]", rest, maxsplit=1)[0]
    return place if place == rest else place + _END.findall(rest)[0]
