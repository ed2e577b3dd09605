"""Word vectors, and the mean of a text's: of ja-ginza, or of a file of word2vec, fastText or GloVe.

A word is looked up as it stands; then in NFKC and lower case; then as Sudachi's dictionary has it (食べる for 食べ,
御飯 for ご飯), since many tables hold dictionary forms only. Of the words of consequents in the sentences that come
with the toolkit, ja-ginza has vectors for 84 % as they stand and for 99 % in this way. Words that are still without a
vector are left out of the mean; where none is left, the text has no vector.

Source: the paper, section 3.4 (an option's vector is the mean of its words'). It names no table, and does not say
whether particles and auxiliaries are words. They are left out here unless `words` is "all". In the sentences that come
with the toolkit the median cosine of two consequents is then .37, and 36 % are in the published range. With them it is
.66 and 26 %: wrong options would be those that end in another way than the answer, which is then the most like all
others in 46 % of the questions (31 % without them, 25 % by chance).
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any, Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from tashika.core.bounded import Bounded
from tashika.core.errors import InputError, OutsideError
from tashika.core.files import hash_file
from tashika.core.texts import text_key

Floats = npt.NDArray[np.float64]

Words = Literal["content", "all"]
"""Which words make a text's vector: all, or all but particles and auxiliaries."""

PACKAGE: Final = "ja_ginza"
INSTALL_HINT: Final = "Install the extra `japanese`: pip install 'tashika[japanese]'."
FORMATS_HINT: Final = """\
Expected the text or binary format of word2vec, fastText's .vec or GloVe's text, as they are or gzipped (.gz).
  What gensim saved is converted by two lines of Python, which run the code in it: only where you trust its source.
    from gensim.models import KeyedVectors
    KeyedVectors.load("FILE").save_word2vec_format("FILE.bin", binary=True)"""

MOST_DIMENSIONS: Final = 10_000
"""Of a vector; more are a broken file."""

FUNCTION_WORDS: Final = frozenset({"助詞", "助動詞"})

Format = Literal["text", "binary", "bare"]
"""Of a file: word2vec's text (fastText's .vec is one), its binary format, or text without a head as GloVe's is."""

_PICKLE: Final = b"\x80"
"""How a pickle begins (protocols 2 and later), for a clear message; none is ever opened as one."""

_LONGEST_ROW: Final = 32 * MOST_DIMENSIONS
"""Bytes of a row of text."""

_READING_ERRORS: Final = (
    ValueError,  # what is no number, and UnicodeDecodeError
    EOFError,
    OSError,
    IndexError,
    KeyError,
    MemoryError,  # a head that promises more rows than there are
    zlib.error,
)


class Reading(NamedTuple):
    """How a word is looked up.

    Attributes:
        forms: The word and other forms of it, the nearest first.
        content: Whether it is neither a particle nor an auxiliary.
    """

    forms: tuple[str, ...]
    content: bool = True


Reader = Callable[[Sequence[str]], Sequence[Reading]]
"""Reads the words of a text, which stand in their order."""


def as_they_stand(words: Sequence[str]) -> list[Reading]:
    """Reads words without a dictionary."""
    return [Reading((word, text_key(word))) for word in words]


class WordVectors:
    """A table of word vectors.

    Args:
        find: The row of a word, None for a word that the table lacks.
        table: Row by row the vectors, of shape (rows, dimensions).
        name: What the table is, for provenance.
        revision: Its version, or a digest of the file.
        read: How words are looked up.
        words: Which of them count.
    """

    def __init__(
        self,
        find: Callable[[str], int | None],
        table: npt.NDArray[Any],
        *,
        name: str,
        revision: str = "",
        read: Reader = as_they_stand,
        words: Words = "all",
    ) -> None:
        self.name = name
        self.revision = revision
        self.words = words
        self._find = find
        self._table = table
        self._read = read

    @property
    def dimensions(self) -> int:
        """Of a vector."""
        return int(self._table.shape[1])

    def describe(self) -> dict[str, str]:
        """Name and revision, for provenance."""
        return {"name": self.name, "revision": self.revision}

    def rows(self, words: Sequence[str]) -> list[int]:
        """The rows of the words of a text that count and have a vector."""
        readings = [one for one in self._read(words) if one.content or self.words == "all"]
        rows = (next((row for form in one.forms if (row := self._find(form)) is not None), None) for one in readings)
        return [row for row in rows if row is not None]

    def mean(self, words: Sequence[str]) -> Floats | None:
        """The mean vector of a text's words; None if none of them has one, or if the mean has no direction."""
        rows = self.rows(words)
        if not rows:
            return None
        mean: Floats = self._table[rows].astype(np.float64).mean(axis=0)
        return mean if mean.any() else None

    def directions(self, texts: Sequence[Sequence[str]]) -> tuple[Floats, npt.NDArray[np.bool_]]:
        """The mean vectors of many texts, each divided by its length.

        Args:
            texts: Their words.

        Returns:
            An array of shape (texts, dimensions), zero where a text has no vector; and which texts have one.
        """
        directions = np.zeros((len(texts), self.dimensions))
        for place, words in enumerate(texts):
            mean = self.mean(words)
            if mean is not None:
                directions[place] = mean / np.sqrt(np.square(mean).sum())
        return directions, np.any(directions != 0, axis=1)


def open_vectors(path: Path | None = None, words: Words = "content") -> WordVectors:
    """Opens a file of vectors; without one, ja-ginza's vectors, for which no pipeline is loaded.

    A file is words and numbers in the format of word2vec, fastText's .vec or GloVe, plain or gzipped. What gensim's
    `save` writes is a pickle, which can run any code on the machine that opens it, and is refused.

    Raises:
        InputError: There is no such file, or it is not one of vectors.
        OutsideError: The extra `japanese` is not installed.
    """
    if path is None:
        return _packaged(words)
    keyed = _read(path)
    table, revision = _checked(keyed, path), hash_file(path)
    return WordVectors(
        keyed.key_to_index.get, table, name=path.name, revision=revision, read=_dictionary(), words=words
    )


def _packaged(words: Words) -> WordVectors:
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise OutsideError(f"the package {PACKAGE} is not installed", hint=INSTALL_HINT)
    revision = version(PACKAGE)
    folder = Path(spec.origin).parent / f"{PACKAGE}-{revision}" / "vocab"
    try:
        from spacy.strings import get_string_id
        from spacy.vectors import Vectors

        vectors = Vectors().from_disk(folder)
    except (ImportError, OSError, ValueError) as error:
        raise OutsideError(f"no vectors of {PACKAGE}: {error}", where=str(folder), hint=INSTALL_HINT) from error
    rows: dict[int, int] = vectors.key2row
    return WordVectors(
        lambda word: rows.get(get_string_id(word)),
        vectors.data,
        name=PACKAGE,
        revision=revision,
        read=_dictionary(),
        words=words,
    )


def _dictionary() -> Reader:
    """Reads words as Sudachi does in their text, where it finds the same word there; else as it reads the word alone.

    Alone まし of ました would be 増し.
    """
    try:
        sudachi = import_module("sudachipy")
        tokenizer = sudachi.Dictionary().create(sudachi.SplitMode.C)
    except ImportError as error:
        raise OutsideError(f"Sudachi cannot be started: {error}", hint=INSTALL_HINT) from error

    def read(words: Sequence[str]) -> list[Reading]:
        there = {(one.begin(), one.end()): one for one in tokenizer.tokenize("".join(words))}
        readings, start = [], 0
        for word in words:
            stop = start + len(word)
            alone = [there[start, stop]] if (start, stop) in there else list(tokenizer.tokenize(word))
            readings.append(_reading(word, alone))
            start = stop
        return readings

    return read


def _reading(word: str, morphemes: Sequence[Any]) -> Reading:
    plain = (word, text_key(word))
    content = any(one.part_of_speech()[0] not in FUNCTION_WORDS for one in morphemes)
    if len(morphemes) != 1:
        return Reading(plain, content)
    return Reading((*plain, morphemes[0].dictionary_form(), morphemes[0].normalized_form()), content)


# Files of vectors


def check_vectors(path: Path) -> Format:
    """Looks at the beginning of a file of vectors.

    Returns:
        Its format.

    Raises:
        InputError: The file is missing, or in a format that is not read.
    """
    if not path.is_file():
        raise InputError("there is no such file of word vectors", where=str(path), hint=FORMATS_HINT)
    try:
        return _format_of(path)
    except _READING_ERRORS as error:
        raise _unreadable(path, error) from error


def _read(path: Path) -> Any:
    """The KeyedVectors of a file.

    Raises:
        InputError: The file is missing, or holds no vectors.
        OutsideError: gensim is not installed.
    """
    try:
        from gensim.models import KeyedVectors
    except ImportError as error:
        raise OutsideError(f"gensim cannot be started: {error}", hint=INSTALL_HINT) from error
    layout = check_vectors(path)
    try:
        _refuse_endless(path, layout)
        # A key that is cut in the middle of a character is found in published files.
        return KeyedVectors.load_word2vec_format(
            str(path), binary=layout == "binary", no_header=layout == "bare", unicode_errors="replace"
        )
    except _READING_ERRORS as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: BaseException) -> InputError:
    reason = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}".rstrip(": ")
    return InputError(f"no word vectors can be read from the file: {reason}", where=str(path), hint=FORMATS_HINT)


def _format_of(path: Path) -> Format:
    """The format of a file, by how it begins.

    Raises:
        ValueError: The file holds no word vectors.
    """
    with _opened(path) as file:
        head = file.readline(_LONGEST_ROW)
        if head.startswith(_PICKLE):
            raise ValueError("this is a pickle, which runs code when it is opened")
        sizes = head.split()
        if len(sizes) != 2 or not all(size.isdigit() for size in sizes):
            if _is_row(sizes):
                return "bare"
            raise ValueError("it begins neither with its number of words and of dimensions nor with a word's numbers")
        words, dimensions = map(int, sizes)
        if not words or not 1 <= dimensions <= MOST_DIMENSIONS:
            raise ValueError(f"{words:,} words of {dimensions:,} dimensions")
        return "text" if _is_text(file.read(dimensions * 4 + 100)) else "binary"


def _refuse_endless(path: Path, layout: Format) -> None:
    """Reads a file once and keeps nothing of it, since gensim keeps as much as stands in one row.

    Raises:
        InputError: A row of text is too long, or a word in the binary format, after which a space stands.
    """
    ends = b" " if layout == "binary" else b"\n"
    with Bounded(_opened(path), str(path), longest=_LONGEST_ROW, ends=ends, what="a row") as file:  # type: ignore[arg-type]
        while file.read1():
            pass


def _is_row(parts: Sequence[bytes]) -> bool:
    """Whether a line is a word and its numbers."""
    try:
        return len([float(part) for part in parts[1:]]) > 1
    except ValueError:
        return False


def _opened(path: Path) -> IO[bytes]:
    return gzip.open(path) if path.suffix == ".gz" else path.open("rb")  # type: ignore[return-value]


def _is_text(begin: bytes) -> bool:
    """Whether bytes are text: numbers in binary have bytes that no text has."""
    return all(byte >= 0x20 or byte in b"\t\r\n" for byte in begin)


def _checked(keyed: Any, path: Path) -> npt.NDArray[Any]:
    """The table, once its words and numbers are known to be such.

    Raises:
        InputError: A number is not finite, or the words are not in UTF-8.
    """
    table: npt.NDArray[Any] = keyed.vectors
    keys: dict[str, int] = keyed.key_to_index
    finite = ~np.any(~np.isfinite(table), axis=1, keepdims=True)[:, 0]
    if not finite.all():
        word = next(key for key, row in keys.items() if not finite[row])
        raise InputError(f"a vector has what is no finite number: that of {word!r}", where=str(path))
    if sum("\ufffd" in str(key) for key in keys) * 2 > len(keys):
        raise InputError("the words are not in UTF-8", where=str(path), hint="Write the file anew in UTF-8.")
    return table
