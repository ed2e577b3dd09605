"""Commands in messages, completed so that they run when they are copied.

A message names the command that helps: "Run `tashika export kuci` first." Who gave a working directory or settings of
their own needs them there too. So what is printed is completed, in one place, by what this command line was given; a
variable such as TASHIKA_WORK holds for the next command as well, and is left out.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from typing import Final

_COMMAND: Final = re.compile(r"`tashika ([a-z][^`]*)`")
_WITHOUT_WORK: Final = frozenset({"new"})
_WITH_CONFIG: Final = frozenset({"annotate", "build", "check", "evaluate", "export"})
_WITHOUT_CONFIG: Final = frozenset({"annotate forget", "annotate forget-simulated", "annotate serve"})
_LEFT_ALONE: Final = ("--help", "--schema")
"""What such a command leaves by before it looks at any folder."""

_given: dict[str, str] = {}


def remember(words: Sequence[str]) -> None:
    """Takes note of the working directory and the settings on a command line, and forgets those of one before.

    Args:
        words: What stands behind the program's name.
    """
    _given.clear()
    for option in ("--work", "--config"):
        for place, word in enumerate(words):
            if word.startswith(f"{option}="):
                _given[option] = word.removeprefix(f"{option}=")
            elif word == option and place + 1 < len(words):
                _given[option] = words[place + 1]


def completed(text: str) -> str:
    """A message whose commands, in backticks, have the options that they need to mean what this command line means."""
    return _COMMAND.sub(_complete, text) if _given else text


def takes(command: str) -> frozenset[str]:
    """Which of the remembered options a command has.

    Args:
        command: Its words, such as `annotate push kuci`.
    """
    words = command.split()
    first = words[0] if words else ""
    work = frozenset() if first in _WITHOUT_WORK else frozenset({"--work"})
    settings = first in _WITH_CONFIG and " ".join(words[:2]) not in _WITHOUT_CONFIG
    return work | {"--config"} if settings else work


def _complete(match: re.Match[str]) -> str:
    command = match[1]
    if any(option in command for option in _LEFT_ALONE):
        return match[0]
    has = takes(command)
    more = [
        f" {option} {shlex.quote(value)}"
        for option, value in _given.items()
        if option in has and f"{option} " not in command and f"{option}=" not in command
    ]
    return f"`tashika {command}{''.join(more)}`"
