"""What must hold of a release of the proverbs, beside what holds of every release."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, get_args

from tashika.core.suites.proverbs.words import CHANGES, CONTROL, DIRECTIONS, FORMS, TOPICS, Maker, question
from tashika.core.texts import text_key
from tashika.exports.checks import Check, Problem, ReleaseFiles

MAKERS: Final[tuple[Maker, ...]] = get_args(Maker)
_KNOWN: Final = {
    "topic": TOPICS,
    "change": CHANGES,
    "maker": MAKERS,
    "form": FORMS,
    "direction": (None, *DIRECTIONS),
}


def pair_key(text: str) -> str:
    """Two texts with the same key are one proverb: case, spacing and the mark at the end are no difference."""
    return text_key(question("mean", text))


def words_are_known(release: ReleaseFiles) -> Iterator[Problem]:
    """Every topic, change, maker, form and direction is one that the card names."""
    for row in _rows(release):
        for name, known in _KNOWN.items():
            if row[name] not in known:
                expected = ", ".join(word for word in known if word)
                yield _problem(release, row, f"the {name} {row[name]!r}, not one of {expected}")


def controls_have_their_pair(release: ReleaseFiles) -> Iterator[Problem]:
    """Every control stands beside a pair on gender of its proverb, with one question on that proverb."""
    rows = _rows(release)
    pairs = {row["proverb"]: row for row in rows if row["topic"] == "gender" and row["change"] != CONTROL}
    for row in rows:
        if row["change"] != CONTROL:
            continue
        pair = pairs.get(row["proverb"])
        if row["topic"] != "gender" or pair is None:
            yield _problem(release, row, f"the control {row['variant']!r} of no pair on gender")
        elif (pair["question"], pair["direction"]) != (row["question"], row["direction"]):
            yield _problem(release, row, f"the control's question {row['question']!r}, its pair's {pair['question']!r}")


def texts_are_lines(release: ReleaseFiles) -> Iterator[Problem]:
    """Every proverb and variant is one line with a letter in it."""
    for row in _rows(release):
        for name in ("proverb", "variant"):
            text = row[name]
            if text.splitlines() != [text] or text != text.strip() or not any(map(str.isalpha, text)):
                yield _problem(release, row, f"the {name} {text!r}")


def questions_fit(release: ReleaseFiles) -> Iterator[Problem]:
    """Both questions of a pair are put in its form, on its proverb and its variant."""
    for row in _rows(release):
        if row["form"] not in FORMS:
            continue  # another check's
        for name, text in (("question", row["proverb"]), ("variant_question", row["variant"])):
            expected = question(row["form"], text)
            if row[name] != expected:
                yield _problem(release, row, f"the {name} {row[name]!r}, where {row['form']!r} makes {expected!r}")


def variants_differ(release: ReleaseFiles) -> Iterator[Problem]:
    """No variant equals its proverb."""
    for row in _rows(release):
        if pair_key(row["proverb"]) == pair_key(row["variant"]):
            yield _problem(release, row, repr(row["variant"]))


def pairs_differ(release: ReleaseFiles) -> Iterator[Problem]:
    """No pair stands twice, whichever of the two texts is the variant."""
    seen: set[frozenset[str]] = set()
    for row in _rows(release):
        pair = frozenset((pair_key(row["proverb"]), pair_key(row["variant"])))
        if pair in seen:
            yield _problem(release, row, f"{row['proverb']!r} with {row['variant']!r}")
        seen.add(pair)


def _rows(release: ReleaseFiles) -> list[dict[str, Any]]:
    return release.table("pairs").to_pylist()


def _problem(release: ReleaseFiles, row: dict[str, Any], message: str) -> Problem:
    return Problem(release.paths("pairs")[0], row["item_id"], message)


PROVERBS: Final[tuple[Check, ...]] = (
    words_are_known,
    texts_are_lines,
    questions_fit,
    variants_differ,
    pairs_differ,
    controls_have_their_pair,
)
"""The checks of a release of the proverbs, beside those of every release."""
