"""HyperLex's published text: noun pairs with the relation between them.

Source: Vulić, Gerz, Kiela, Hill and Korhonen (2017), "HyperLex: A Large-Scale Evaluation of Graded Lexical
Entailment". Its annotators were asked "to what degree is WORD1 a type of WORD2?", so in "hyp-n" the second word is the
first one's hypernym, n steps up in WordNet, and in "r-hyp-n" its hyponym. Licensed: it is read from the user's path,
never copied in.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, NamedTuple, cast, get_args

from tashika.core.errors import InputError

PairType = Literal["hyp", "r-hyp", "syn", "ant", "mero", "cohyp", "no-rel"]

_HEADER: Final = ("WORD1", "WORD2", "POS", "TYPE", "AVG_SCORE")
_TYPE: Final = re.compile(r"(?P<steps>hyp|r-hyp)-(?P<distance>[1-9]\d?)|(?P<flat>syn|ant|mero|cohyp|no-rel)")
_EXPECTED: Final = "'WORD1 WORD2 N|V TYPE AVG_SCORE ...', TYPE one of hyp-1, hyp-2, ..., r-hyp-1, ..., " + ", ".join(
    get_args(PairType)[2:]
)


class WordPair(NamedTuple):
    """Two nouns, in lower case, and what HyperLex has between them."""

    first: str
    second: str
    type: PairType
    distance: int
    """Steps in WordNet for "hyp" and "r-hyp", 1 for the others."""


@dataclass
class HyperLex:
    """The pairs of nouns that have one of the six relations, and how many others the file has, by reason."""

    pairs: list[WordPair] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)


def read_hyperlex(path: Path) -> HyperLex:
    """Reads the published file, such as `hyperlex-all.txt`.

    Co-hyponyms and unrelated pairs are left out, as they are none of the six relations; so are verbs.

    Raises:
        InputError: The file is missing or empty, has another header, or a line does not fit.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except FileNotFoundError as error:
        raise InputError("there is no such file", where=str(path)) from error
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"not a text file in UTF-8: {error}", where=str(path)) from error
    if tuple(lines[0].split()[: len(_HEADER)]) != _HEADER:
        found = lines[0][:60].strip()
        message = f"found {found!r}, expected the header '{' '.join(_HEADER)} ...'" if found else "the file is empty"
        raise InputError(message, where=f"{path}:1")
    read = HyperLex()
    for number, line in enumerate(lines[1:], start=2):
        if line.strip():
            _take(read, line, f"{path}:{number}")
    if not read.pairs:
        raise InputError("found no pair of nouns that are related", where=str(path), hint=f"Expected {_EXPECTED}.")
    return read


def _take(read: HyperLex, line: str, where: str) -> None:
    fields = line.split()
    kind = _TYPE.fullmatch(fields[3]) if len(fields) >= len(_HEADER) else None
    if kind is None or fields[2] not in {"N", "V"} or not re.fullmatch(r"\d+(\.\d+)?", fields[4]):
        raise InputError(f"found {line[:80].strip()!r}, expected {_EXPECTED}", where=where)
    first, second, name = fields[0].lower(), fields[1].lower(), cast(PairType, kind["steps"] or kind["flat"])
    if fields[2] == "V":
        read.left_out["verbs"] += 1
    elif name in {"cohyp", "no-rel"}:
        read.left_out[name] += 1
    elif first == second:
        read.left_out["a word with itself"] += 1
    else:
        read.pairs.append(WordPair(first, second, name, int(kind["distance"] or 1)))
