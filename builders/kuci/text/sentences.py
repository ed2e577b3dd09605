"""Sentences of text files: cleaned, split, without what is repeated or is no sentence."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from pydantic import Field

from tashika.builders.kuci.analysis.records import SHOWN, Failure
from tashika.builders.kuci.text.cleaning import clean
from tashika.builders.kuci.text.extent import Extent
from tashika.builders.kuci.text.files import TextFile
from tashika.builders.kuci.text.reading import Text, texts_of
from tashika.builders.kuci.text.repeats import Repeats, may_be_sentence
from tashika.builders.kuci.text.splitting import sentences_of
from tashika.core.settings import Section

LONGEST: Final = 3_000
"""Characters of what can still be a sentence. Longer ones make the analysers slow, or silent."""

BLANK: Final = "blank"
REPEATED: Final = "repeated"
NO_SENTENCE: Final = "no_sentence"


class TextSettings(Section):
    """How sentences are taken from text.

    Attributes:
        field: The field or column of JSON Lines, TSV, CSV, Parquet and Arrow that holds the text, by its name, or its
            number from 1 where columns have no names; empty: `text`.
        encodings: File name -> encoding, for files in another one than `encoding`.
        clean: Composed characters, katakana of full width, no emoji (`cleaning`).
        split: Several sentences of a line are several (`splitting`).
        keep_repeats: Sentences stay that are alike but for digits and signs; false: the first of them stays.
        keep_others: Lines stay that are no sentence: no hiragana, or an address in them.
    """

    field: str = ""
    encodings: dict[str, str] = Field(default_factory=dict)
    clean: bool = True
    split: bool = True
    keep_repeats: bool = False
    keep_others: bool = False


def read_sentences(
    files: Sequence[TextFile],
    settings: TextSettings | None = None,
    skipped: Counter[str] | None = None,
    extent: Extent | None = None,
) -> Iterator[tuple[str, str] | Failure]:
    """Streams the sentences of text files, in their order.

    Args:
        files: The files, as `text_files` gives them.
        settings: What becomes of their texts.
        skipped: Where lines left out are counted: "blank", "repeated", "no_sentence".
        extent: Where the lines that have been read are counted.

    Yields:
        (sid, text), the sid being the file's name, a colon and the number of the line or row, and behind it a point and
        the sentence's number where it holds several; a `Failure` for what cannot be read, and for a sentence that is
        longer than `LONGEST` characters.
    """
    chosen, counts = settings or TextSettings(), Counter[str]() if skipped is None else skipped
    repeats = None if chosen.keep_repeats else Repeats()
    reached = extent or Extent(0)
    for file in files:
        reached.next_file()
        for text in texts_of(file):
            if isinstance(text, Failure):
                yield text
            else:
                reached.place = text.place
                yield from _sentences(f"{file.name}:{text.place}", text, chosen, repeats, counts)


def _sentences(
    place: str, text: Text, settings: TextSettings, repeats: Repeats | None, counts: Counter[str]
) -> Iterator[tuple[str, str] | Failure]:
    parts = _parts(text.text, settings)
    if not parts:
        counts[BLANK] += 1
    for number, part in enumerate(parts, start=1):
        sid = place if len(parts) == 1 else f"{place}.{number}"
        if len(part) > LONGEST:
            yield Failure(sid, part[:SHOWN], f"longer than {LONGEST:,} characters")
        elif not settings.keep_others and not may_be_sentence(part):
            counts[NO_SENTENCE] += 1
        elif repeats is not None and repeats.has(part):
            counts[REPEATED] += 1
        else:
            yield sid, part


def _parts(text: str, settings: TextSettings) -> list[str]:
    """The sentences of a text, which may have several lines (of JSON, or between quotation marks)."""
    lines = text.splitlines() if "\n" in text else [text]
    cleaned = [clean(line) if settings.clean else line.strip() for line in lines]
    if settings.split:
        return [sentence for line in cleaned for sentence in sentences_of(line)]
    joined = " ".join(line for line in cleaned if line)
    return [joined] if joined else []


def text_digest(file: TextFile) -> str:
    """A digest of a file's texts that are not blank, the same for a copy of another packing, format or encoding."""
    digest = hashlib.sha256()
    for text in texts_of(file):
        stripped = "damaged" if isinstance(text, Failure) else " ".join(text.text.split())
        if stripped:
            digest.update(stripped.encode("utf-8", "surrogatepass") + b"\n")
    return digest.hexdigest()
