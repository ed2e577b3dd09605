"""What settings and options of the command line may say; apart from the settings, which `--help` does not load."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

Order = Literal["listed", "shuffled", "uncertain", "diverse"]
RuleName = Literal["majority", "unanimous", "weighted", "dawid-skene"]
Language = Literal["en", "ja"]
"""The languages that labelling pages speak to people."""


class Accepted(StrEnum):
    """What a curator may accept of the answers that a pull holds; see `judging.shown`."""

    TASKS = "tasks"
    PAGE = "page"
    IMPORTED = "imported"
