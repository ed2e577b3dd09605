"""Sentences of a line that holds several.

A sentence ends with 。！？ (or ．!? behind a Japanese letter) and the signs that follow at once. Within brackets and
quotation marks that are closed nothing ends, and neither does it before と or って, which quote what stands before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from tashika.builders.kuci.analysis.brackets import BRACKETS, CLOSING

_END: Final = re.compile(r"(?:[。！？]|(?<=[^\x00-\x7f])[．!?](?![0-9０-９A-Za-z]))[。！？．!?…♪]*")
_QUOTED: Final = re.compile(r"と(?![てにりこ])|って")
_QUOTABLE: Final = frozenset("！？!?")


def sentences_of(line: str) -> list[str]:
    """The sentences of a line, in their order, without the white space around them."""
    ends = list(_ends(line))
    if not ends or ends == [len(line)]:
        return [line] if line else []
    starts = [0, *ends]
    parts = [line[start:end].strip() for start, end in zip(starts, [*ends, len(line)], strict=True)]
    return [part for part in parts if part]


def _ends(line: str) -> Iterator[int]:
    """The places behind each sentence's last sign."""
    matches = list(_END.finditer(line))
    if not matches:
        return
    closed = _within_brackets(line)
    for match in matches:
        if closed[match.start()]:
            continue
        if match[0][-1] in _QUOTABLE and _QUOTED.match(line, match.end()):
            continue
        yield match.end()


def _within_brackets(line: str) -> list[bool]:
    """(len(line),) whether a bracket is open there that is closed later; one that never is protects nothing."""
    inside = [False] * len(line)
    opened: list[tuple[str, int]] = []
    for place, sign in enumerate(line):
        if sign in BRACKETS:
            opened.append((BRACKETS[sign], place))
        elif sign in CLOSING:
            matching = next((at for at in range(len(opened) - 1, -1, -1) if opened[at][0] == sign), None)
            if matching is not None:
                start = opened[matching][1]
                inside[start : place + 1] = [True] * (place + 1 - start)
                del opened[matching:]
    return inside
