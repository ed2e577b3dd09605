"""The programs that Japanese tokenizers part text into words with, and what to install where one is missing.

A tokenizer such as `BertJapaneseTokenizer` calls MeCab (fugashi and a dictionary), Sudachi or Juman++ before its own
vocabulary comes in. transformers names the package that is missing, not what brings it here; Juman++ is a program, and
that it is not there shows when the first text is parted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tashika.core.errors import OutsideError

_EXTRA: Final = "Install the extra: pip install 'tashika[japanese-bert]'."
_PARSERS: Final[Mapping[str, tuple[str, str]]] = {
    "fugashi": ("MeCab by fugashi", _EXTRA),
    "unidic_lite": ("MeCab's dictionary unidic-lite", _EXTRA),
    "ipadic": ("MeCab's dictionary ipadic", _EXTRA),
    "unidic": ("MeCab's dictionary unidic", "Install it: pip install unidic, and then: python -m unidic download."),
    "sudachipy": ("Sudachi by sudachipy", "Install the extra: pip install 'tashika[japanese]'."),
    "rhoknp": ("Juman++ by rhoknp", f"{_EXTRA} Juman++ itself is a program: github.com/ku-nlp/jumanpp."),
}
"""What a tokenizer needs, by the name that stands in transformers' message: what it is, and what to do."""

_JUMANPP: Final = "jumanpp"


def missing_parser(error: Exception) -> tuple[str, str] | None:
    """What a tokenizer lacks and what to do, by the error that it was not loaded with; None for any other error."""
    text = str(error)
    if not isinstance(error, ImportError | RuntimeError):
        return None
    # the longer name first: unidic stands in unidic_lite
    names = sorted((name for name in _PARSERS if name in text), key=len, reverse=True)
    return _PARSERS[names[0]] if names and ("install" in text or "not found" in text) else None


def require_jumanpp(tokenizer: Any, name: str) -> None:
    """Makes sure that a tokenizer that calls Juman++ can.

    Args:
        tokenizer: Any.
        name: The model, as it was given.

    Raises:
        OutsideError: Juman++ is not installed.
    """
    if getattr(tokenizer, "word_tokenizer_type", None) != _JUMANPP:
        return
    try:
        tokenizer.tokenize("猫")
    except Exception as error:  # of a process that does not answer, any
        raise OutsideError(
            f"the model's tokenizer parts text with Juman++, which does not run: {error}",
            where=name,
            hint="Install Juman++ so that `jumanpp` is on the PATH (github.com/ku-nlp/jumanpp), or take a model with "
            "another tokenizer.",
        ) from error
