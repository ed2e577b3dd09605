"""Which encoding a text is in, by its first bytes."""

from __future__ import annotations

import codecs
from typing import Final

from tashika.core.errors import InputError

AUTO: Final = "auto"
UTF_8: Final = "utf-8"

JAPANESE: Final = ("utf_8", "cp932", "euc_jp", "iso2022_jp", "utf_16", "utf_16_le", "utf_16_be")
"""The encodings that Japanese text is in, by Python's names."""

_BOMS: Final = (
    (codecs.BOM_UTF8, UTF_8),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def recognise(head: bytes) -> str | None:
    """The encoding of a text; None where none of the Japanese ones fits.

    A few broken lines do not make a text one of another encoding: UTF-8 it is where more of its lines are so than not.

    Args:
        head: The first bytes of a file, some lines at best.
    """
    by_mark = next((name for mark, name in _BOMS if head.startswith(mark)), None)
    if by_mark is not None:
        return by_mark
    if b"\0" not in head and not _has_escapes(head):
        lines = [line for line in _whole_lines(head) if not line.isascii()]
        if 2 * sum(_is_valid(line, UTF_8) for line in lines) >= len(lines):
            return UTF_8
    return _guess(head)


def check_encoding(encoding: str) -> None:
    """Checks that Python knows an encoding.

    Raises:
        InputError: It does not, or the encoding is of no text.
    """
    try:
        codecs.lookup(encoding)
        "\n".encode(encoding)
    except (LookupError, UnicodeEncodeError) as error:
        raise InputError(
            f"there is no encoding {encoding!r}",
            hint="Known ones are utf-8, cp932, euc-jp, iso-2022-jp, utf-16 …; without the option it is recognised.",
        ) from error


def is_wide(encoding: str) -> bool:
    """Whether a line ends in other bytes than in ASCII, so that text is decoded before it is cut into lines."""
    once, twice = "\n".encode(encoding), "\n\n".encode(encoding)  # a mark may stand at the beginning
    return twice[len(once) :] != b"\n"


def check_head(head: bytes, encoding: str, where: str) -> None:
    """Checks that the first line that is not ASCII can be read.

    Args:
        head: The first bytes of a file.
        encoding: That it was said to be in.
        where: The file, for the error.

    Raises:
        InputError: It cannot; the error names the encoding that the text seems to be in.
    """
    if _fits(head, encoding):
        return
    guess = recognise(head)
    hint = f"It is valid {guess}: --encoding {guess}, or leave the option out." if guess else None
    raise InputError(f"the first Japanese line is not valid {encoding}", where=where, hint=hint)


def _fits(head: bytes, encoding: str) -> bool:
    if is_wide(encoding):
        # Almost any bytes are characters of UTF-16.
        guess = recognise(head) or UTF_8
        marked = codecs.lookup(encoding).name not in ("utf-16", "utf-32") or guess in ("utf-16", "utf-32")
        return is_wide(guess) and marked and _is_valid(head[: len(head) // 4 * 4], encoding)
    if _has_escapes(head):
        return _is_valid(head, encoding)
    first = next((line for line in _whole_lines(head) if not line.isascii()), b"")
    return _is_valid(first, encoding)


def _has_escapes(head: bytes) -> bool:
    """Whether it is ISO-2022-JP, whose bytes are ASCII's but for what switches between its sets."""
    return head.isascii() and (b"\x1b$" in head or b"\x1b(" in head)


def _whole_lines(head: bytes) -> list[bytes]:
    """The lines, without a last one that the end of `head` may cut."""
    lines = head.replace(b"\r", b"\n").split(b"\n")
    return lines[:-1] if len(lines) > 1 and lines[-1] else lines


def _is_valid(text: bytes, encoding: str) -> bool:
    try:
        text.decode(encoding)
    except UnicodeDecodeError as error:
        return error.start > 0 and error.reason in _CUT and len(text) - error.start < _LONGEST_CHARACTER
    return True


_CUT: Final = ("unexpected end of data", "incomplete multibyte sequence", "truncated data")
_LONGEST_CHARACTER: Final = 8


def _guess(head: bytes) -> str | None:
    from charset_normalizer import from_bytes

    lines = b"\n".join(_whole_lines(head)) if b"\0" not in head else head[: len(head) // 4 * 4]
    best = from_bytes(lines, cp_isolation=list(JAPANESE)).best()
    return None if best is None else best.encoding.replace("_", "-")
