"""Words that are one token of a model, and the vocabulary that several models share.

A word counts where it stands after a space, as the word in a blank does: tokenizers that keep the space before a word
have another token for it at the start of a text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tashika.core.errors import InputError
from tashika.core.files import hash_file, hash_value
from tashika.core.tokenizing import SPACED, single_tokens

Codes = npt.NDArray[np.int64]


_TOKENIZER_SUFFIXES: Final = (".json", ".txt", ".model")
_LONGEST_WORD: Final = 60


@dataclass(frozen=True)
class Lexicon:
    """The words that one model, or one file, has.

    Attributes:
        name: As the user gave it.
        words: In its own order, each once. Tokenizers number their words about from the common to the rare.
        dropped: What was left out, and how often.
    """

    name: str
    words: tuple[str, ...]
    dropped: Mapping[str, int]


def read_lexicon(name: str) -> Lexicon:
    """The words of a vocabulary file or a model.

    Args:
        name: A text file with one word a line (`.txt`), a `tokenizer.json`, a model's folder, or its name on the Hub.

    Raises:
        InputError: There is no such file or model, a line holds more than a word, or no word is left.
    """
    path = Path(name)
    if path.suffix == ".txt":
        lexicon = _lexicon_of_file(name, path)
    else:
        lexicon = lexicon_of_tokenizer(name, _tokenizer(name, path))
    if lexicon.words:
        return lexicon
    if path.suffix == ".txt":
        count = sum(lexicon.dropped.values())
        raise InputError(
            f"none of the {count:,} lines is a word of lower-case letters", where=name, hint="Write words as in: dog"
        )
    raise InputError("no word of lower-case letters is one token here", where=name, hint="Give another model.")


def _lexicon_of_file(name: str, path: Path) -> Lexicon:
    lines = read_words(path)
    for number, word in lines:
        if len(word) > _LONGEST_WORD or len(word.split()) > 1:
            raise InputError(f"found {word[:40]!r}, expected one word a line", where=f"{path}:{number}")
    words = [word for _, word in lines]
    plain = [word for word in words if is_plain(word)]
    kept = tuple(dict.fromkeys(plain))
    return Lexicon(name, kept, {"duplicates": len(plain) - len(kept), "no_plain_word": len(words) - len(plain)})


def read_words(path: Path) -> list[tuple[int, str]]:
    """(line number, text) of a file of words, without empty lines and lines that start with #.

    Raises:
        InputError: The file is missing, not UTF-8, or holds no word.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (FileNotFoundError, IsADirectoryError) as error:
        raise InputError("there is no such file", where=str(path)) from error
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8: {error}", where=str(path)) from error
    stripped = ((number, line.strip()) for number, line in enumerate(lines, start=1))
    found = [(number, line) for number, line in stripped if line and not line.startswith("#")]
    if not found:
        raise InputError("the file holds no word", where=str(path), hint="Expected one word a line.")
    return found


def is_plain(word: str) -> bool:
    """Whether a word is of lower-case letters alone: what relata and people's answers are compared as."""
    return word.isalpha() and word.islower()


def lexicon_of_tokenizer(name: str, tokenizer: Any) -> Lexicon:
    """The plain words that are one token after a space.

    A byte-pair vocabulary also holds the beginnings of longer words (" comput"); they count as words here, as
    nothing distinguishes them. A second model under test takes most of them away.
    """
    texts: list[str] = tokenizer.batch_decode([[place] for place in range(len(tokenizer))])
    pieces = [text.strip() for text in texts]
    candidates = list(dict.fromkeys(piece for piece in pieces if is_plain(piece)))
    tokens = single_tokens(tokenizer, candidates, SPACED)
    order = [int(place) for place in np.argsort(tokens, kind="stable") if tokens[place] >= 0]
    return Lexicon(name, tuple(candidates[place] for place in order), {"no_plain_word": len(pieces) - len(order)})


def _tokenizer(name: str, path: Path) -> Any:
    if path.suffix != ".json":
        from tashika.core.models import load_tokenizer

        return load_tokenizer(name)
    if not path.is_file():
        raise InputError("there is no such file", where=name)
    from transformers import PreTrainedTokenizerFast

    try:
        loaded: Any = PreTrainedTokenizerFast
        return loaded(tokenizer_file=name)
    except Exception as error:  # the Rust library raises bare exceptions
        raise InputError(f"not a tokenizer.json: {error}", where=name) from error


def lexicon_revision(name: str) -> str:
    """What identifies a vocabulary: a digest of its file or of a folder's tokenizer, or the Hub's commit."""
    path = Path(name)
    if path.is_file():
        return f"sha256:{hash_file(path)}"
    if path.is_dir():
        kept = sorted(file for file in path.iterdir() if file.suffix in _TOKENIZER_SUFFIXES)
        return "sha256:" + hash_value([[file.name, hash_file(file)] for file in kept])
    if path.suffix in {".txt", ".json"}:
        raise InputError("there is no such file", where=name)
    from tashika.core.models import model_revision

    return model_revision(name)


def shared_words(lexicons: Sequence[Lexicon]) -> list[str]:
    """The words that all of them have, those that stand early in all of them first, ties alphabetical.

    Raises:
        InputError: They have none in common.
    """
    places: list[dict[str, int]] = [{word: place for place, word in enumerate(lexicon.words)} for lexicon in lexicons]
    common = set.intersection(*(set(place_of) for place_of in places)) if places else set()
    if lexicons and not common:
        sizes = ", ".join(f"{lexicon.name} ({len(lexicon.words):,} words)" for lexicon in lexicons)
        raise InputError(f"no word is one token in all of {sizes}", hint="Leave one of the models out.")
    return sorted(common, key=lambda word: (sum(place_of[word] for place_of in places), word))
