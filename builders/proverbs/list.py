"""Reads a list of proverbs: our own in `data/proverbs/`, or a user's CSV file of the same form.

Two proverbs are near duplicates by a rule on words alone, see `duplicates`; no meaning is compared.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import ceil
from pathlib import Path
from typing import Final, NamedTuple, cast

from tashika.builders.proverbs import japanese
from tashika.core.errors import InputError
from tashika.core.progress import say
from tashika.core.settings import packaged_data
from tashika.core.suites.proverbs.words import CHANGES, TOPICS, Language, Topic, language_of

REQUIRED: Final = ("text", "topics")
COLUMNS: Final = ("text", "origin", "topics", "form", "variant", "change", "variant_origin")
SENTENCE_FORMS: Final = ("statement", "imperative", "phrase")
"""What the column `form` may say; empty: the builder finds it out by rule."""

SIMILAR: Final = Fraction(4, 5)
"""Share of content words, of all that two texts have, from which the two are near duplicates."""

SAID_AT_MOST: Final = 20
"""Near duplicates of a file that are listed one by one."""

_FUNCTION_WORDS: Final = """
    a an the this that these those and or but so nor than then as if of in on at to for from by with into
    upon is are was were be been being am do does did has have had will would shall should can could may might
    must it its he him his she her hers they them their we us our you your i me my himself herself themselves
    yourself who whom whose which what there"""
FUNCTION_WORDS: Final = frozenset(_FUNCTION_WORDS.split())
"""Words that do not count when texts are compared. "Not", "no" and "never" do count: they turn a meaning round."""

_ENDING: Final = re.compile(r"'(?:s|ll|re|ve|d|m)$")
_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


class Proverb(NamedTuple):
    """A line of the list.

    `form` is one of `SENTENCE_FORMS` or empty. `variant` is a written variant or empty; then `change` is in what it
    differs from the proverb, and `variant_origin` whose it is, where it is another
    culture's. `line` is where it stands, from 1.
    """

    text: str
    origin: str
    topics: tuple[Topic, ...]
    form: str
    variant: str
    change: str
    variant_origin: str
    line: int


def packaged_proverbs(language: Language = "en") -> Path:
    """The path of our own list in a language."""
    return packaged_data("proverbs/proverbs.csv" if language == "en" else f"proverbs/proverbs_{language}.csv")


def read_proverbs(path: Path) -> list[Proverb]:
    """Reads a CSV file of proverbs; near duplicates are said, and stay.

    Args:
        path: In UTF-8, with or without a byte order mark, with a header that names some of `COLUMNS` in any order:
            `text` and `topics` at least. Topics have ";" between them.

    Returns:
        The proverbs in the file's order, white space at the ends and in a row taken out.

    Raises:
        InputError: The file is missing, empty or not UTF-8; a column is missing or unknown; a line has no text, a line
            break, an unknown topic, form or change, a variant that is the proverb itself, or an earlier line's text.
    """
    rows = _rows(path)
    number, header = next(rows, (1, []))
    places = _places([name.strip().casefold() for name in header], f"{path}:{number}")
    proverbs: list[Proverb] = []
    lines: dict[str, int] = {}
    for number, row in rows:
        if not any(cell.strip() for cell in row):
            continue
        where = f"{path}:{number}"
        if len(row) != len(header):
            hint = 'A text with a comma in it stands in quotation marks: "Easy come, easy go".'
            raise InputError(f"found {len(row)} fields, expected {len(header)}", where=where, hint=hint)
        proverb = _proverb({name: row[place] for name, place in places.items()}, number, where)
        earlier = lines.setdefault(proverb_key(proverb.text), number)
        if earlier != number:
            hint = 'Leave one of the two; several topics go into one line with ";" between them.'
            raise InputError(f"{proverb.text!r} stands in line {earlier} already", where=where, hint=hint)
        proverbs.append(proverb)
    if not proverbs:
        raise InputError("found no proverb below the header", where=str(path), hint="Expected one proverb a line.")
    _say_duplicates(proverbs, path)
    return proverbs


def proverb_key(text: str) -> str:
    """Texts with the same key are the same proverb: case, width, spacing and punctuation are no difference."""
    return " ".join(_words(text))


def content_words(text: str) -> frozenset[str]:
    """The words of a text that are no `FUNCTION_WORDS`, without a plural's or a verb's last "s".

    Of a Japanese text they are its kanji and its words in katakana; see `japanese.content_signs`.
    """
    if language_of(text) == "ja":
        return japanese.content_signs(text)
    words = (_ENDING.sub("", word) for word in _words(text))
    return frozenset(_stem(word) for word in words if word not in FUNCTION_WORDS)


def duplicates(texts: Sequence[str]) -> list[tuple[int, int, str]]:
    """Texts that have the same words as earlier ones, or nearly: near duplicates.

    Two texts are near duplicates if their keys are the same, or if the content words that both have are at least
    `SIMILAR` of all content words that they have. Order does not count, and neither does meaning: another wording is no
    near duplicate, and a long proverb with one word changed is one. Two sets of words can only be similar if they share
    one of their rarest words, so only such are compared.

    Args:
        texts: The texts.

    Returns:
        (place of the earlier text, place of the later one, reason) by the later one's place, from 0. A text stands once
        as the later one, with the earliest that it is a near duplicate of.
    """
    keys = [proverb_key(text) for text in texts]
    bags = [content_words(text) for text in texts]
    counts = Counter(word for bag in bags for word in bag)
    by_key: dict[str, int] = {}
    by_bag: dict[frozenset[str], int] = {}
    by_word: defaultdict[str, list[int]] = defaultdict(list)
    pairs = []
    for place, (key, bag) in enumerate(zip(keys, bags, strict=True)):
        rarest = sorted(bag, key=lambda word: (counts[word], word))[: len(bag) - ceil(SIMILAR * len(bag)) + 1]
        candidates = {earlier for word in rarest for earlier in by_word[word]} | {by_key.get(key, place)}
        for earlier in sorted(candidates - {place}):
            reason = _likeness(keys[earlier], bags[earlier], key, bag)
            if reason is not None:
                pairs.append((earlier, place, reason))
                break
        by_key.setdefault(key, place)
        if bag and by_bag.setdefault(bag, place) == place:  # a later text with these words is a duplicate of the first
            for word in rarest:
                by_word[word].append(place)
    return pairs


def _likeness(key: str, bag: frozenset[str], other_key: str, other_bag: frozenset[str]) -> str | None:
    if key == other_key:
        return "the same text"
    if not bag or not other_bag:
        return None
    if bag == other_bag:
        return "the same words"
    return "nearly the same words" if len(bag & other_bag) >= SIMILAR * len(bag | other_bag) else None


def _words(text: str) -> list[str]:
    return [word.replace("’", "'") for word in _WORD.findall(unicodedata.normalize("NFKC", text).casefold())]


def _stem(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yields (number of its first line, cells) of the rows."""
    try:
        data = path.read_bytes()
        rows = csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), strict=True)
    except FileNotFoundError as error:
        raise InputError("there is no such file", where=str(path)) from error
    except OSError as error:
        raise InputError(f"not readable: {error}", where=str(path)) from error
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        hint = 'Save the file as "CSV UTF-8".'
        raise InputError(f"not UTF-8: {error.reason}", where=f"{path}:{line}", hint=hint) from error
    first = 1
    try:
        for row in rows:
            yield first, row
            first = rows.line_num + 1
    except csv.Error as error:
        hint = "A quotation mark that opens a field must be closed; one inside it is written twice."
        raise InputError(f"not CSV: {error}", where=f"{path}:{first}", hint=hint) from error


def _places(header: list[str], where: str) -> dict[str, int]:
    columns = ",".join(COLUMNS)
    if not any(header):
        hint = f"Expected a header with the columns {columns} or some of them, and one proverb a line."
        raise InputError("the file is empty, or its first line is", where=where, hint=hint)
    header_found = f"found the columns {', '.join(header)}"
    missing = [name for name in REQUIRED if name not in header]
    if missing:
        hint = (
            f"The first line names the columns, with commas between them: {columns}; {' and '.join(REQUIRED)} must be."
        )
        raise InputError(f"the column {missing[0]!r} is missing; {header_found}", where=where, hint=hint)
    unknown = [name for name in header if name not in COLUMNS]
    if unknown:
        raise InputError(f"the column {unknown[0]!r} is unknown", where=where, hint=f"Known are {columns}.")
    twice = [name for name, count in Counter(header).items() if count > 1]
    if twice:
        raise InputError(f"the column {twice[0]!r} stands twice", where=where, hint="Leave one of the two.")
    return {name: header.index(name) for name in header}


def _proverb(cells: dict[str, str], line: int, where: str) -> Proverb:
    for name, cell in cells.items():
        broken = next((sign for sign in cell.strip() if not sign.isprintable() and sign != "\t"), None)
        if broken is not None:
            what = "a line break" if broken.splitlines() == [""] else f"the sign U+{ord(broken):04X}"
            hint = "Each proverb stands on one line."
            raise InputError(f"found {what} inside the column {name!r}", where=where, hint=hint)
    clean = {name: " ".join(cells.get(name, "").split()) for name in COLUMNS}
    if not _words(clean["text"]):
        raise InputError(f"found {clean['text']!r}, expected a proverb", where=where, hint="Fill the text in.")
    for name, known in (("form", SENTENCE_FORMS), ("change", CHANGES)):
        clean[name] = clean[name].casefold()
        if clean[name] and clean[name] not in known:
            hint = f"Known are {', '.join(known)}, or nothing."
            raise InputError(f"the {name} {clean[name]!r} is unknown", where=where, hint=hint)
    _check_variant(clean, where)
    topics = _topics(clean.pop("topics"), where)
    return Proverb(topics=topics, line=line, **clean)


def _topics(cell: str, where: str) -> tuple[Topic, ...]:
    names = dict.fromkeys(name.strip().casefold() for name in cell.split(";") if name.strip())
    hint = f'Known are {", ".join(TOPICS)}, with ";" between them.'
    if not names:
        raise InputError("found no topic", where=where, hint=hint)
    unknown = [name for name in names if name not in TOPICS]
    if unknown:
        raise InputError(f"the topic {unknown[0]!r} is unknown", where=where, hint=hint)
    return cast("tuple[Topic, ...]", tuple(names))


def _check_variant(clean: dict[str, str], where: str) -> None:
    if not clean["variant"]:
        other = next((name for name in ("change", "variant_origin") if clean[name]), None)
        if other is not None:
            hint = "Fill the variant in, or leave both empty."
            raise InputError(
                f"found the {other} {clean[other]!r} of a variant that is not there", where=where, hint=hint
            )
    elif not clean["change"]:
        hint = f"Expected one of {', '.join(CHANGES)} in the column 'change'."
        raise InputError(f"the variant {clean['variant']!r} does not state what it changes", where=where, hint=hint)
    elif proverb_key(clean["variant"]) == proverb_key(clean["text"]):
        hint = "Change a word of it, or leave it empty."
        raise InputError(f"the variant {clean['variant']!r} is the proverb itself", where=where, hint=hint)


def _say_duplicates(proverbs: Sequence[Proverb], path: Path) -> None:
    pairs = duplicates([proverb.text for proverb in proverbs])
    for earlier, later, reason in pairs[:SAID_AT_MOST]:
        one, other = proverbs[earlier], proverbs[later]
        say(f"{path}:{other.line}: {other.text!r} has {reason} as {one.text!r} in line {one.line}; both stay")
    if len(pairs) > SAID_AT_MOST:
        say(f"{path}: {len(pairs) - SAID_AT_MOST} more near duplicates")
