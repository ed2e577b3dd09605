"""The errors of the toolkit: each states what was found, where, and what to do.

The command line prints them without a traceback and leaves with their exit code: 2 for what the user can correct
(a wrong option, a broken input file), 1 for a failure outside (a server that is down, a full disk).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping

from tashika.core.secrecy import without_secrets

_MOST_CHARACTERS = 80


def shown(value: object) -> str:
    """A value from a file or a server as an error shows it: not as Python writes it.

    Args:
        value: Text stands in quotation marks; of a table its keys are named.
    """
    if value is None:
        return "nothing"
    if isinstance(value, Mapping):
        return f"a table with {', '.join(map(str, value))}"[:_MOST_CHARACTERS] if value else "an empty table"
    if isinstance(value, str):
        text = repr(value)
    elif isinstance(value, float):
        text = str(value)  # JSON has no infinities
    else:
        listed = list(value) if isinstance(value, Collection) and not isinstance(value, bytes | bytearray) else value
        text = json.dumps(listed, ensure_ascii=False, default=str)
    return text if len(text) <= _MOST_CHARACTERS else f"{text[: _MOST_CHARACTERS - 3]}..."


class TashikaError(Exception):
    """Root of all errors that the toolkit raises on purpose.

    Addresses in them lose user names, passwords and queries, since an error ends in logs and in questions to others.

    Args:
        message: What was found, and what was expected.
        where: The file and line, item id or address that it was found at.
        hint: What to do about it.
    """

    exit_code = 1

    def __init__(self, message: str, *, where: str | None = None, hint: str | None = None) -> None:
        super().__init__(without_secrets(message))
        self.message = without_secrets(message)
        self.where = without_secrets(where) if where else where
        self.hint = hint

    def __str__(self) -> str:
        text = f"{self.where}: {self.message}" if self.where else self.message
        return f"{text}\n  {self.hint}" if self.hint else text


class InputError(TashikaError):
    """The user's input is wrong: a file, an option, an item."""

    exit_code = 2


class ConfigError(InputError):
    """A setting is unknown, missing or out of range."""


class MissingStageError(InputError):
    """A stage was asked for whose input has not been made yet."""


class OutsideError(TashikaError):
    """Something outside failed: a server, the network, the disk."""

    exit_code = 1
