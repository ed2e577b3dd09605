"""Files of KNP's output, plain or packed, read a sentence at a time: KNP writes about 10 kB a sentence.

A file may have Windows' line ends and no comments, and may be cut anywhere: what cannot be read is a `Failure` in its
place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Final

from tashika.builders.kuci.analysis.knp.sentence import KEYS, load_pyknp, read_block, surfaces_of
from tashika.builders.kuci.analysis.records import Backend, Failure, Sentence
from tashika.builders.kuci.text.lines import lines_of
from tashika.builders.sources.packed import DAMAGED, open_packed
from tashika.core.errors import InputError

LINES: Final = 20_000
"""Lines of a sentence, at most: a file that is no KNP output has no EOS, and must not fill the memory."""

SIZE: Final = 4 << 20
"""Characters of a sentence, at most, for the same reason."""

CUT: Final = "# the file is cut short or damaged here"
"""Stands where no more of a file can be read: a comment, in a sentence that has no EOS."""
_LOOKED_AT: Final = 100
"""Sentences by which a file is checked."""
SID: Final = re.compile(r"# S-ID: ?(\S+)")


def read_blocks(path: Path, name: str = "") -> Iterator[tuple[str, str]]:
    """Reads the sentences of a file of KNP's output.

    Args:
        path: The file, plain or packed.
        name: Goes before each S-ID, with a colon: two files may have the same ones.

    Yields:
        The sentence's id (its S-ID, or else the file's name and the line that it begins at) and its lines up to EOS.
        A sentence that the file's end cuts off lacks EOS, and `KnpFile` reports it.

    Raises:
        InputError: The file cannot be read.
    """
    lines: list[str] = []
    begin, size = 1, 0
    for number, line in enumerate(_lines(path), start=1):
        if lines and SID.match(line) and any(not one.startswith("#") for one in lines):
            # The sentence before has lost its EOS; read as one, the two would give a pair that nobody wrote.
            yield _block((path.name, name), begin, lines, ended=False)
            lines = []
        if not lines:
            begin, size = number, 0
        size += len(line)
        if line == "EOS":
            yield _block((path.name, name), begin, lines, ended=len(lines) < LINES and size <= SIZE)
            lines = []
        elif len(lines) < LINES and (line.strip() or lines):
            lines.append(line if size <= SIZE else "")
    if lines:
        yield _block((path.name, name), begin, lines, ended=False)


def _block(names: tuple[str, str], begin: int, lines: list[str], *, ended: bool) -> tuple[str, str]:
    """A sentence's id and lines; `names` are the file's own, and the one that S-IDs get."""
    own, name = names
    match = next((match for line in lines if (match := SID.match(line))), None)
    sid = f"{name}:{match.group(1)}" if match and name else match.group(1) if match else f"{name or own}:{begin}"
    return sid, "\n".join([*lines, "EOS"] if ended else lines)


def _lines(path: Path) -> Iterator[str]:
    """The lines without their ends. Bytes that are not UTF-8 become U+FFFD, which `KnpFile` finds."""
    with open_packed(path) as file:
        try:
            for number, line in enumerate(lines_of(file)):
                text = line.decode("utf-8", errors="replace")
                yield text.removeprefix("\ufeff") if number == 0 else text
        except DAMAGED:
            yield CUT  # what it held so far stays; the sentence that is open, or begins here, lacks its EOS


def require_clauses(paths: Sequence[Path]) -> None:
    """Checks that KNP wrote where clauses end: without that no relation between clauses can be found.

    Args:
        paths: Files of KNP's output, of which the first sentences are looked at.

    Raises:
        InputError: A file has base phrases, and not one of them has KNP's features of clauses.
    """
    for path in paths:
        blocks = [block for _, block in islice(read_blocks(path), _LOOKED_AT)]
        phrases = [line for block in blocks for line in block.splitlines() if line.startswith("+ ")]
        if phrases and not any("<節-" in line for line in phrases):
            raise InputError(
                f"no feature of a clause (節-区切) in its first {len(blocks):,} sentences: no relation can be found",
                where=str(path),
                hint="Take the output of KNP 5, with -tab and all features: jumanpp < TEXT | knp -tab.",
            )


class KnpFile:
    """Reads sentences that KNP has analysed before.

    Raises:
        OutsideError: pyknp is not installed.
    """

    backend: Backend = "knp-file"
    keys: str = KEYS

    def __init__(self) -> None:
        load_pyknp()

    def describe(self) -> dict[str, str]:
        """Name and versions, for provenance."""
        return {"analyzer": "knp-file", "pyknp": version("pyknp")}

    def analyze(
        self,
        sentences: Iterable[tuple[str, str]],
        *,
        relations_only: bool = False,  # KNP's features alone show them
    ) -> Iterator[Sentence | Failure]:
        """Reads (sid, block) pairs as `read_blocks` yields them, one result each, in their order."""
        for sid, block in sentences:
            reason = _refused(block)
            yield read_block(block, sid) if reason is None else Failure(sid, surfaces_of(block), reason)


def _refused(block: str) -> str | None:
    """Why a block need not be tried."""
    if block.rsplit("\n", 1)[-1] != "EOS":
        return "the sentence has no EOS: the file is cut short, or is no output of KNP"
    if "\ufffd" in block:
        return "the sentence is not UTF-8"
    return None
