"""How often targets are used: from WordNet's tagged texts, or from a table of the user's own.

WordNet comes with how often each sense was tagged in its texts (SemCor and others, some 230,000 tagged words). They are
there wherever relata can be looked up, they count the noun alone ("cook" as a noun, not as a verb), and their licence
is WordNet's. They are few: a third of the usual targets may have been tagged but once or never. So targets are put into
thirds and ranked, and nothing depends on the counts themselves. Larger counts (SUBTLEX, wordfreq) have licences of
their own: a table of them is named in the settings.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tashika.core.errors import InputError
from tashika.core.files import hash_value
from tashika.core.suites.semrel.wordnet import find_wordnet, lemma_form, noun_counts

_WORDNET: Final = "how often WordNet's texts have it tagged as a noun"
_EXPECTED: Final = "expected a word, a tab and a number that is not negative"


@dataclass(frozen=True)
class Frequencies:
    """How often words are used.

    Attributes:
        source: Where they come from, in words for a page.
        counts: By word, in lower case with "_" for a space; a word that is not there is not known.
    """

    source: str
    counts: Mapping[str, float]

    def of(self, target: str) -> float:
        """How often a target is used; 0 where that is not known."""
        return self.counts.get(lemma_form(target), 0.0)

    def digest(self, targets: Iterable[str]) -> str:
        """Of the frequencies of some targets."""
        return hash_value([self.source, [[target, self.of(target)] for target in sorted(targets)]])


def find_frequencies(file: str, wordnet: Path | None) -> Frequencies | None:
    """The frequencies that the settings name.

    Args:
        file: A table of the user's own; empty for WordNet's counts.
        wordnet: WordNet's folder; None for where it was installed.

    Returns:
        None where WordNet is not here, or comes without counts: scores of a release need no WordNet.

    Raises:
        InputError: The table is missing or broken.
    """
    if file:
        return read_frequencies(Path(file))
    try:
        counts = noun_counts(find_wordnet(wordnet))
    except InputError:
        return None
    return Frequencies(_WORDNET, {word: float(count) for word, count in counts.items()}) if counts else None


def read_frequencies(path: Path) -> Frequencies:
    """A table of words and their frequencies, a line each, with a tab between; lines that begin with # do not count.

    Raises:
        InputError: The file is missing, or a line is none.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"the frequencies cannot be read: {error}", where=str(path)) from error
    counts: dict[str, float] = {}
    for number, line in enumerate(lines, start=1):
        if line.strip() and not line.startswith("#"):
            word, count = _row(line, f"{path}:{number}")
            counts[word] = counts.get(word, 0.0) + count
    if not counts:
        raise InputError(f"found no word, {_EXPECTED}, on each line", where=str(path))
    return Frequencies(path.name, counts)


def _row(line: str, where: str) -> tuple[str, float]:
    word, tab, given = line.partition("\t")
    try:
        count = float(given)
    except ValueError:
        count = math.nan
    if not word.strip() or not tab or not math.isfinite(count) or count < 0:
        raise InputError(f"found {line[:60]!r}, {_EXPECTED}", where=where)
    return lemma_form(word), count
