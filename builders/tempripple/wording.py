"""TempRIPPLE's English: ordinals, articles, noun phrases that nest, dates, and the path of a question in words.

Source: the paper's figure 2 and its footnote 2 ("the most recent", "the previous", "the third most recent"). "Current"
is never said, since a model would have to know today's date for it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from tashika.builders.tempripple.properties import SLOT, Articles, Changing, Stable
from tashika.builders.tempripple.records import History, StableFact, Value

_ONES: Final = (
    *("zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"),
    *("eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth"),
    "nineteenth",
)
_TENS: Final = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
_DATE: Final = re.compile(r"(-?)(\d{4,})(?:-(\d\d)(?:-(\d\d))?)?", re.ASCII)
_BEFORE_HEAD_ENDS: Final = re.compile(r" (?=(?:of|for|in) )")
_COMMON_YEARS: Final = range(1000, 10_000)
"""Years that nobody takes for another number, or for a year of our own century."""


def ordinal(place: int) -> str:
    """What distinguishes a tenure from the others: 1 is the most recent, 2 the previous, 3 the third most recent.

    "Second most recent" is never said.

    Args:
        place: From 1 on.

    Raises:
        ValueError: It is below 1.
    """
    if place < 1:
        raise ValueError(f"a place is 1 or more, found {place}")
    if place == 1:
        return "most recent"
    return "previous" if place == 2 else f"{_ordinal_number(place)} most recent"


def _ordinal_number(number: int) -> str:
    """In words below 100, and in digits from there on: twenty-first, 121st."""
    if number < len(_ONES):
        return _ONES[number]
    tens, ones = divmod(number, 10)
    if number < 100:
        return f"{_TENS[tens]}-{_ONES[ones]}" if ones else f"{_TENS[tens].removesuffix('y')}ieth"
    teen = tens % 10 == 1
    return f"{number}{'th' if teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(ones, 'th')}"


def named(label: str, articles: Articles) -> str:
    """A name as it stands inside a sentence: with "the" where English has it.

    Args:
        label: Such as United States of America; one that begins with "The" stays as it is.
        articles: Which names have it.
    """
    if label in articles.never or label.casefold().startswith("the "):
        return label
    head, *rest = _BEFORE_HEAD_ENDS.split(label, maxsplit=1)
    word = head.rpartition(" ")[2]
    of = bool(rest) and rest[0].startswith("of ")
    single = head == label == word  # a word alone is a name: Emirates, the airline
    takes = label in articles.names or (of and word in articles.heads_of) or (word in articles.heads and not single)
    return f"the {label}" if takes else label


def tenure_phrase(changing: Changing, subject: str, place: int, articles: Articles) -> str:
    """A tenure's object without its name: "the most recent head of state of the United States of America".

    Args:
        changing: The property.
        subject: The subject's label.
        place: The tenure's, 1 is the most recent.
        articles: Which names have "the".
    """
    return f"the {ordinal(place)} {_filled(changing.noun, named(subject, articles))}"


def tenure_text(changing: Changing, phrase: str, place: int) -> str:
    """The question for a tenure's object: "Who was the previous head of state of Japan?".

    Args:
        changing: The property.
        phrase: See `tenure_phrase`.
        place: The tenure's: what is asked of the most recent stands in the present.
    """
    return f"{changing.ask} {'is' if place == 1 else 'was'} {phrase}?"


def related_text(phrase: str, path: Sequence[Stable]) -> str | None:
    """The question for the last object of a path: "Who is the mother of the spouse of the previous ...?".

    Args:
        phrase: What the path starts from, see `tenure_phrase`.
        path: The properties on the way, one to three.

    Returns:
        None where a property on the way has no noun phrase: nothing can be asked of its object.
    """
    *before, last = path
    for stable in before:
        if not stable.noun:
            return None
        phrase = _filled(stable.noun, phrase)
    return _filled(last.question, phrase)


def _filled(pattern: str, phrase: str) -> str:
    """The pattern with its slot filled; a slot inside a name is not taken for one."""
    before, after = pattern.split(SLOT)
    return before + phrase + after


def statement_of(history: History, changing: Changing, labels: Mapping[str, str], articles: Articles) -> str:
    """The new fact as a sentence, a question's context: "The most recent head of state of Ireland is ...".

    Args:
        history: All tenures; the last is the new fact.
        changing: The property.
        labels: Of the subject and the newest object.
        articles: Which names have "the".

    Raises:
        KeyError: One of them has no label.
    """
    return statement(changing, labels[history.subject], labels[history.tenures[-1].object], articles)


def statement(changing: Changing, subject: str, newest: str, articles: Articles) -> str:
    """The new fact as a sentence, from labels; see `statement_of`."""
    phrase = tenure_phrase(changing, subject, 1, articles)
    text = f"{phrase[0].upper()}{phrase[1:]} is {named(newest, articles)}"
    return text if text.endswith(".") else f"{text}."  # Napoli F.C. ends the sentence itself


def display_text(value: Value, labels: Mapping[str, str]) -> str | None:
    """An object as readers see it: an item's label, a date in words, any other literal as it is.

    Args:
        value: The object.
        labels: Of items.

    Returns:
        None where an item has no label.
    """
    if value.datatype == "item":
        return " ".join(labels.get(value.text, "").split()) or None
    return shown_date(value.text) if value.datatype == "time" else value.text


def shown_date(text: str) -> str:
    """14 June 1946, June 1946 or 1946; 44 BCE for the year -0043, since the calendar of the data has a year 0.

    A text that is no date stays as it is.

    Args:
        text: YYYY, YYYY-MM or YYYY-MM-DD, with - before years before Christ.
    """
    match = _DATE.fullmatch(text)
    if not match or int(match[3] or 1) not in range(1, 13):
        return text
    sign, digits, month, day = match.groups()
    year = -int(digits) if sign else int(digits)
    words = [str(int(day))] if day else []
    words += [_MONTHS[int(month) - 1]] if month else []
    if year <= 0:
        return " ".join([*words, str(1 - year), "BCE"])
    return " ".join([*words, str(year), *([] if year in _COMMON_YEARS else ["CE"])])


def reasoning(
    changing: Changing, place: int, names: Sequence[str], path: Sequence[Stable] = (), answers: Sequence[str] = ()
) -> str:
    """A question's way to its answer, for the people who judge it.

    "France - head of government (most recent) -> Sébastien Lecornu - place of birth -> Eaubonne".

    Args:
        changing: The property of the tenure.
        place: The tenure's.
        names: The changing fact's subject, the tenure's object, and the object of each step but the last.
        path: The properties of the steps.
        answers: The objects of the last step; none if there are no steps.
    """
    text = f"{names[0]} - {changing.label} ({ordinal(place)}) -> {names[1]}"
    for stable, name in zip(path, [*names[2:], "; ".join(answers)], strict=True) if path else ():
        text += f" - {stable.label} -> {name}"
    return text


def names_on(subject: str, start: str, steps: Sequence[StableFact], labels: Mapping[str, str]) -> list[str] | None:
    """The labels of a path, its end left out: what `reasoning` names; None where one is missing.

    Args:
        subject: The changing fact's subject.
        start: The tenure's object.
        steps: The facts of the path.
        labels: Of items.
    """
    names = [
        display_text(Value(item, "item"), labels) for item in (subject, start, *(step.subject for step in steps[1:]))
    ]
    known = [name for name in names if name is not None]
    return known if len(known) == len(names) else None
