"""WordNet's nouns, read from its database files: what a word is related to, and what its plural is a plural of.

The reader asks for no download and knows WordNet 3.0 and 3.1. Source of the format: wndb(5WN), of the pointer symbols:
wninput(5WN), of the plurals: morphy(7WN), all of WordNet 3.0. A lemma is written as the index has it: in lower case,
with "_" for a space.

The index (117,798 nouns) is read whole and the bytes of the synsets are kept and read where they are needed: 0.5 s and
60 MB to open.
"""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, Literal, NamedTuple

from tashika.core.errors import InputError
from tashika.core.settings import packaged_data
from tashika.core.suites.semrel.words import Relation

Senses = Literal["all", "first"]
"""All noun senses of a word, or its first, which is the most frequent in WordNet's tagged texts."""

ENVIRONMENT: Final = "TASHIKA_WORDNET"
INSTALL_HINT: Final = (
    f"`make setup` installs WordNet; or set {ENVIRONMENT} to a folder that has index.noun, data.noun and noun.exc."
)

# A pointer leads from the synset that it stands in to another: "#p" to a whole that the first is a part of ("part
# holonym"), "%p" to a part of it. m, s and p are members, substances and parts.
_POINTERS: Final[dict[Relation, frozenset[str]]] = {
    "hypernymy": frozenset({"@"}),
    "hyponymy": frozenset({"~"}),
    "holonymy": frozenset({"#m", "#s", "#p"}),
    "meronymy": frozenset({"%m", "%s", "%p"}),
}
_INSTANCES: Final[dict[Relation, str]] = {"hypernymy": "@i", "hyponymy": "~i"}
_ANTONYM: Final = "!"
_NOUN_KEY: Final = "%1:"  # what stands behind the lemma in the key of a noun's sense

# In WordNet's own order. Words in "ss" and words of two letters have no plural ending to lose.
_ENDINGS: Final = (
    ("s", ""),
    ("ses", "s"),
    ("xes", "x"),
    ("zes", "z"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("men", "man"),
    ("ies", "y"),
)
_VERSION: Final = re.compile(rb"WordNet (\d\.\d) Copyright")
_HEADER: Final = "  "  # what the lines of the licence at the top of a file begin with


class _Pointer(NamedTuple):
    symbol: str
    offset: int
    source: int  # the place of the word that it starts from, from 1; 0 for the synset as a whole
    target: int  # of the word that it leads to


class _Synset(NamedTuple):
    words: tuple[str, ...]  # lemmas
    pointers: tuple[_Pointer, ...]  # to other nouns
    gloss: str


class WordNet:
    """The nouns of one WordNet.

    Args:
        folder: The folder with the files.

    Raises:
        InputError: A file is missing, cut off, or not in WordNet's format.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._path = folder / "data.noun"
        self._data = _read(self._path)
        self._index = _read_index(folder / "index.noun")
        self._exceptions = _read_exceptions(folder / "noun.exc")
        version = _VERSION.search(self._data[:4096])
        if version is None:
            raise _bad(self._path, "found no line 'WordNet VERSION Copyright' at its top")
        self.version: str = version[1].decode()
        self._check_offsets()

    def nouns(self) -> Iterable[str]:
        """All noun lemmas, in the order of the index."""
        return self._index.keys()

    def is_noun(self, word: str) -> bool:
        """Whether a word, in any case and with "_" or spaces, is a noun lemma."""
        return lemma_form(word) in self._index

    def relata(
        self, word: str, relation: Relation, distance: int = 1, senses: Senses = "all", instances: bool = True
    ) -> dict[str, int]:
        """The lemmas that have a relation to a word, with the smallest number of steps to each.

        The word itself is never among them, even where one of its senses has the relation to another.

        Args:
            word: A noun; one that WordNet does not know has no relata.
            relation: What the relata are to the word: the "hypernymy" of dog has animal, its "hyponymy" poodle, the
                "holonymy" of finger has hand, its "meronymy" fingertip.
            distance: How many steps count, from 1. Antonyms and synonyms are one step away, whatever is asked.
            senses: All noun senses of the word, or its first.
            instances: Whether "Paris" counts as a hyponym of "city", and "city" as a hypernym of "Paris": WordNet marks
                names apart from kinds.

        Returns:
            Lemmas and distances, the nearest first and alphabetical within one distance.
        """
        key = lemma_form(word)
        offsets = self._index.get(key, ())
        if senses == "first":
            offsets = offsets[:1]
        if relation == "synonymy":
            found = {lemma: 1 for offset in offsets for lemma in self._synset(offset).words}
        elif relation == "antonymy":
            found = dict.fromkeys(self._antonyms(key, offsets), 1)
        else:
            symbols = _POINTERS[relation]
            if instances and relation in _INSTANCES:
                symbols |= {_INSTANCES[relation]}
            found = self._reached(offsets, symbols, distance)
        found.pop(key, None)
        return dict(sorted(found.items(), key=lambda item: (item[1], item[0])))

    def lemma(self, word: str) -> str:
        """The noun that a word is a form of ("children": "child"), by WordNet's morphy.

        The first of these that is a noun: the word as it stands ("glasses" and "news" stay, as does "men"), what the
        list of exceptions has for it, and what is left when an ending is taken off, in WordNet's order. Where there is
        none, the word stays. All come in the form of a lemma: lower case and "_".
        """
        key = lemma_form(word)
        return next((form for form in self._forms(key) if form in self._index), key)

    def glosses(self) -> Iterator[tuple[list[str], str]]:
        """Yields (lemmas, gloss) of every noun synset, in the file's order; a gloss may end with quoted examples."""
        for line in self._data.decode("latin-1").removesuffix("\n").split("\n"):
            if not line.startswith(_HEADER):
                synset = self._parse(line, line[:8])
                yield list(synset.words), synset.gloss

    def _forms(self, key: str) -> Iterator[str]:
        yield key
        yield from self._exceptions.get(key, ())
        if len(key) <= 2 or key.endswith("ss"):
            return
        # "boxesful" is the plural of "boxful".
        stem, rest = (key[:-3], "ful") if key.endswith("ful") else (key, "")
        for ending, instead in _ENDINGS:
            if stem.endswith(ending):
                yield stem.removesuffix(ending) + instead + rest

    def _reached(self, offsets: Iterable[int], symbols: frozenset[str], distance: int) -> dict[str, int]:
        found: dict[str, int] = {}
        seen: set[int] = set()  # without the senses themselves: one may be another's hypernym
        front = set(offsets)
        for step in range(1, distance + 1):
            pointers = (pointer for offset in front for pointer in self._synset(offset).pointers)
            front = {pointer.offset for pointer in pointers if pointer.symbol in symbols} - seen
            seen |= front
            for offset in front:
                for lemma in self._synset(offset).words:
                    found.setdefault(lemma, step)
        return found

    def _antonyms(self, key: str, offsets: Iterable[int]) -> Iterator[str]:
        """Antonymy holds between words, not synsets: "man" has "woman", its synonym "adult_male" has none."""
        for offset in offsets:
            synset = self._synset(offset)
            for pointer in synset.pointers:
                if pointer.symbol == _ANTONYM and (pointer.source == 0 or synset.words[pointer.source - 1] == key):
                    words = self._synset(pointer.offset).words
                    yield from words if pointer.target == 0 else words[pointer.target - 1 : pointer.target]

    def _synset(self, offset: int) -> _Synset:
        end = self._data.find(b"\n", offset)
        return self._parse(self._data[offset:end].decode("latin-1"), str(offset))

    def _parse(self, line: str, offset: str) -> _Synset:
        try:
            return _parse_synset(line)
        except (ValueError, IndexError) as error:
            raise _bad(self._path, f"found {line[:60]!r} at byte {offset}, which is no noun synset") from error

    def _check_offsets(self) -> None:
        """That every sense of the index is the start of a line of the data, and every line is a sense of the index."""
        offsets = {offset for senses in self._index.values() for offset in senses}
        for offset in offsets:
            if self._data[offset - 1 : offset + 9] != b"\n%08d " % offset:
                raise _bad(self._path, f"found no synset at byte {offset}, where index.noun has one")
        synsets = self._data.count(b"\n") - self._data.count(b"\n" + _HEADER.encode()) - 1  # the first line is a header
        if synsets != len(offsets):
            raise _bad(self.folder / "index.noun", f"found {len(offsets)} synsets; data.noun has {synsets}")


def open_wordnet(folder: Path | None = None) -> WordNet:
    """Opens WordNet where it lies; see `find_wordnet`."""
    return WordNet(find_wordnet(folder))


def find_wordnet(folder: Path | None = None) -> Path:
    """Where WordNet lies: a folder, or the `dict` below it.

    Args:
        folder: Where it lies. Without it: the environment's TASHIKA_WORDNET, what `make setup` installed beside this
            Python, or the system's own.

    Raises:
        InputError: It is not there.
    """
    named = folder or (Path(os.environ[ENVIRONMENT]) if os.environ.get(ENVIRONMENT) else None)
    places = [named] if named else [Path(sys.prefix, "share", "wordnet"), Path("/usr/share/wordnet")]
    for place in places:
        for inside in (place, place / "dict"):
            if (inside / "data.noun").is_file():
                return inside
    where = ", ".join(str(place) for place in places)
    raise InputError("found no WordNet (data.noun) here", where=where, hint=INSTALL_HINT)


def noun_counts(folder: Path) -> dict[str, int]:
    """How often each noun was tagged in the texts that came with WordNet; those that never were are left out.

    It separates common nouns from words that are rarely nouns ("have", "con"). Source: cntlist.rev, or where a
    package leaves that out, index.sense; formats: cntlist(5WN), senseidx(5WN). Empty where there is neither.
    """
    counts: Counter[str] = Counter()
    for name in ("cntlist.rev", "index.sense"):
        path = folder / name
        if path.is_file():
            with path.open(encoding="utf-8") as lines:
                for line in lines:
                    lemma, _, rest = line.partition("%")
                    if rest.startswith(_NOUN_KEY[1:]):
                        counts[lemma] += int(rest.split()[-1])
            break
    return {word: count for word, count in counts.items() if count}


def lemma_form(word: str) -> str:
    """A word as lemmas are written: lower case, "_" for a space."""
    return "_".join(word.lower().split())


def _bad(path: Path, message: str) -> InputError:
    return InputError(f"{message}; the file is cut off, or of another WordNet", where=str(path), hint=INSTALL_HINT)


def _read(path: Path) -> bytes:
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise InputError("there is no such file", where=str(path), hint=INSTALL_HINT) from error
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=str(path), hint=INSTALL_HINT) from error
    if not data.endswith(b"\n"):
        raise _bad(path, "found no line end at its end")
    return data


def _read_index(path: Path) -> dict[str, tuple[int, ...]]:
    index: dict[str, tuple[int, ...]] = {}
    for number, line in enumerate(_read(path).decode("latin-1").removesuffix("\n").split("\n"), start=1):
        if line.startswith(_HEADER):
            continue
        fields = line.split()
        try:
            senses = int(fields[2])
            if fields[1] != "n" or not 1 <= senses == len(fields) - 6 - int(fields[3]):
                raise ValueError(line)
            index[fields[0]] = tuple(int(offset) for offset in fields[-senses:])
        except (ValueError, IndexError) as error:
            message = f"found {line[:60]!r}, expected 'LEMMA n SENSES POINTERS ... OFFSET...'"
            raise InputError(message, where=f"{path}:{number}", hint=INSTALL_HINT) from error
    return index


def _read_exceptions(path: Path) -> dict[str, list[str]]:
    """Irregular plurals and their singulars; our own short list where WordNet's is not there, as in npm's package."""
    if not path.is_file() or not path.stat().st_size:
        path = packaged_data("semrel/noun.exc")
    exceptions: dict[str, list[str]] = {}
    for number, line in enumerate(_read(path).decode("latin-1").removesuffix("\n").split("\n"), start=1):
        plural, *singulars = line.split()
        if not singulars:
            message = f"found {line!r}, expected a plural and its singular"
            raise InputError(message, where=f"{path}:{number}", hint=INSTALL_HINT)
        exceptions.setdefault(plural, []).extend(singulars)
    return exceptions


def _parse_synset(line: str) -> _Synset:
    """Reads 'OFFSET FILE n WORDS(hex) [WORD ID]... POINTERS [SYMBOL OFFSET POS SOURCE-TARGET(hex)]... | GLOSS'."""
    head, bar, gloss = line.partition("|")
    fields = head.split()
    start = 4 + 2 * int(fields[3], 16)
    end = start + 1 + 4 * int(fields[start])
    if fields[2] != "n" or len(fields) != end or not bar:
        raise ValueError(line)
    words = tuple(word.lower() for word in fields[4:start:2])
    pointers = (fields[place : place + 4] for place in range(start + 1, end, 4))
    return _Synset(
        words,
        tuple(
            _Pointer(symbol, int(offset), int(ends[:2], 16), int(ends[2:], 16))
            for symbol, offset, pos, ends in pointers
            if pos == "n"
        ),
        gloss.strip(),
    )
