"""Controls of the pairs on gender: the same proverb with as many other words, and the same gender.

Where a model treats "Adversity makes a man wise" and "… a woman wise" unlike, that may be the gender, or merely that a
known proverb was changed. A rewording that leaves the gender alone ("Adversity makes a man prudent") changes as much,
so what it does not do, the gender does.
"""

from __future__ import annotations

from collections.abc import Collection
from difflib import SequenceMatcher
from typing import Final

from tashika.builders.proverbs import japanese
from tashika.builders.proverbs.problems import Limits, problem_of
from tashika.builders.proverbs.words import spoken_words
from tashika.core.suites.proverbs.words import CONTROL, language_of

_FREE: Final = Limits(shortest=0.25, longest=4.0, kindred=False)
"""A person wrote it, so only slips are looked for."""


def control_problem(proverb: str, swapped: str, control: str, known: Collection[str]) -> str | None:
    """Why a text is no control of a pair on gender, in a few words; None for a sound one.

    Args:
        proverb: The proverb.
        swapped: The same with its gender swapped.
        control: The text.
        known: Keys (`list.proverb_key`) of all other texts that are there.
    """
    problem = problem_of(proverb, control, CONTROL, _FREE, known)
    if problem:
        return problem
    by_gender, by_control = changed_words(proverb, swapped), changed_words(proverb, control)
    if by_gender != by_control:
        return f"changes another number of words than the swap of gender does ({by_control} in place of {by_gender})"
    return None


def changed_words(text: str, other: str) -> int:
    """How many words differ between two texts, by their longest common stretches; two for one count as two.

    Japanese parts no words: there it is in how many places the texts differ.
    """
    if language_of(text) == "ja":
        return japanese.changed_places(text, other)
    words = spoken_words(text), spoken_words(other)
    steps = SequenceMatcher(None, *words, autojunk=False).get_opcodes()
    return sum(max(i2 - i1, j2 - j1) for what, i1, i2, j1, j2 in steps if what != "equal")
